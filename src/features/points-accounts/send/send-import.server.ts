import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { NO_REQUEST } from '../../../domain/approval/approve.server.ts';
import { BUDGET_SCOPE } from '../../../domain/points-ledger/points-budget.server.ts';
import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { SEND_MENU } from './send.contract.ts';

const IMPORTED: Label = ['导入', 'Imported'];

/** Members with points of their own from a table: they become the lines of a new draft. Source: group 22, pointsSend. */
export const sendImport: ImportTarget = {
  source: 'pointsSend',
  menu: SEND_MENU,
  element: 'btn_add',
  title: ['积分发放名单', 'Members and points'],
  maxRows: 20_000,
  columns: [
    { name: 'phone', title: ['手机号', 'Phone'], required: true, max: 20, example: '13800138000' },
    { name: 'name', title: ['姓名', 'Name'], max: 40, example: '陈思雨' },
    {
      name: 'points',
      title: ['积分', 'Points'],
      required: true,
      max: 12,
      example: '100',
      note: ['1–100,000 的整数', 'A whole number from 1 to 100,000'],
    },
    { name: 'remark', title: ['备注', 'Remark'], max: 100, example: '活动一等奖' },
  ],
  check: async (call, rows) => (await readRows(call.platform.database.db, call, rows)).problems,
  commit: async (tx, call, rows) => {
    const { caller } = call;
    const { members, problems } = await readRows(tx, call, rows);
    if (problems.length > 0) throw ruleBroken(problems[0]!.message);
    const budget = await budgetFor(tx, call);
    const day = businessDayOf(new Date());
    const code = await nextCode(tx, 'PG');
    const total = members.reduce((sum, one) => sum + one.points, 0);
    const { id } = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO points_grant_batch (code, tenant_id, name, budget_id, reason_code, audience, reach_ids, members, total, created_by, updated_by)
       VALUES ($1, $2, $3, $4, 'other', 'import', $5, $6, $7, $8, $8) RETURNING id`,
      [
        code,
        caller.tenantId,
        `导入名单 ${day}`,
        budget,
        caller.projectIds,
        members.length,
        total,
        caller.staffId,
      ],
    ))!;
    await run(
      tx,
      `INSERT INTO points_grant_line (batch_id, row_no, member_id, points, remark)
       SELECT $1, r.n, r.m, r.p, r.t FROM unnest($2::int[], $3::bigint[], $4::int[], $5::text[]) AS r(n, m, p, t)`,
      [
        id,
        members.map((_one, index) => index + 1),
        members.map((one) => one.memberId),
        members.map((one) => one.points),
        members.map((one) => one.remark),
      ],
    );
    const said = { caller, entity: 'pointsGrantBatch', entityId: id, action: 'import' };
    await writeTimeline(tx, { ...said, label: IMPORTED, to: 'draft', remark: String(members.length) });
    await writeAudit(tx, {
      ...said,
      facts: NO_REQUEST,
      menu: SEND_MENU,
      after: { code, members: members.length, total },
    });
    call.platform.changed('pointsGrantBatch');
    return members.length;
  },
};

async function readRows(db: Executor, { caller }: ImportCall, rows: readonly ImportRow[]) {
  const problems: ImportProblem[] = [];
  const parameters = new Parameters();
  const phones = parameters.bind(rows.map((row) => row.values.phone!));
  const found = await run<{ id: number; phone: string; name: string; inside: boolean }>(
    db,
    `SELECT t.id, t.phone, t.name, ${placeCondition(caller, MEMBER_PLACE, parameters)} AS inside FROM member t WHERE t.phone = ANY(${phones}::text[])`,
    parameters.values,
  );
  const byPhone = new Map(found.map((one) => [one.phone, one]));
  const seen = new Set<string>();
  const members: { memberId: number; points: number; remark: string }[] = [];
  for (const row of rows) {
    const { phone = '', name = '', points = '', remark = '' } = row.values;
    const say = (column: string, message: Label) => problems.push({ row: row.number, column, message });
    const before = problems.length;
    const member = byPhone.get(phone);
    if (!member) say('phone', ['没有该手机号的会员', 'No member has this phone']);
    else if (!member.inside) say('phone', ['会员不在负责范围内', 'The member is out of scope']);
    else if (name !== '' && name !== member.name)
      say('name', ['姓名与该手机号的会员不符', 'The member of this phone has another name']);
    if (seen.has(phone)) say('phone', ['手机号重复', 'The phone stands twice']);
    seen.add(phone);
    const amount = Number(points);
    if (!/^\d{1,6}$/.test(points) || amount < 1 || amount > 100_000)
      say('points', ['积分须为 1–100,000 的整数', 'Points are a whole number from 1 to 100,000']);
    if (problems.length === before && member) members.push({ memberId: member.id, points: amount, remark });
  }
  return { problems, members };
}

/** The budget of a draft that is made by importing; it can be changed before it is submitted. */
async function budgetFor(db: Executor, { caller }: ImportCall): Promise<number> {
  const parameters = new Parameters();
  const row = await runOne<{ id: number }>(
    db,
    `SELECT t.id FROM points_budget t WHERE t.enabled AND ${scopeCondition(caller, SEND_MENU, BUDGET_SCOPE, parameters)} ORDER BY t.id LIMIT 1`,
    parameters.values,
  );
  if (!row) throw ruleBroken(['没有可用的积分预算', 'There is no points budget to use']);
  return row.id;
}
