import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { gradeIdSql } from '../../../domain/grade/member-grade.server.ts';
import { lockMembers } from '../../../domain/points-ledger/ledger-book.server.ts';
import { pointsAccountInvariants } from '../../../domain/points-ledger/points-account-invariants.server.ts';
import {
  FREEZE_OPEN,
  freezeAccount,
  unfreezeAccount,
} from '../../../domain/points-ledger/points-freeze.server.ts';
import { spendablePoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { runOne } from '../../../kernel/server/database.ts';
import { checkAttachable } from '../../../kernel/server/files/files.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { pointsAccount } from './account.contract.ts';
import { expiringSql, figureEndpoints, movedSql, pendingSql, SOURCES } from './account-figures.server.ts';
import { accountJobs } from './account-jobs.server.ts';
import { ADJUST_APPROVAL, bookAdjustment } from './adjustment-approval.server.ts';

const accountOf = (alias: string, kind: string) =>
  `LEFT JOIN ledger_account ${alias} ON ${alias}.member_id = t.id AND ${alias}.kind = '${kind}' AND ${alias}.unit = 'point'`;
const FROZEN = `EXISTS (SELECT FROM points_account_freeze f WHERE f.member_id = t.id AND ${FREEZE_OPEN})`;

const GRADE = gradeIdSql('t.id');

const bound: BoundResource = bindResource(pointsAccount, {
  table: 'member',
  entity: 'pointsAccount',
  from: `member t LEFT JOIN project p ON p.id = t.project_id ${accountOf('a', 'points_available')} ${accountOf('h', 'points_held')} ${accountOf('d', 'points_debt')}`,
  scope: MEMBER_PLACE,
  searchExact: ['t.phone', 't.name'],
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    grade: { id: GRADE, title: `(SELECT gt.title FROM grade gt WHERE gt.id = ${GRADE})` },
    available: 'coalesce(a.balance, 0)',
    held: 'coalesce(h.balance, 0)',
    owed: 'coalesce(-d.balance, 0)',
    pending: pendingSql('t.id'),
    expiring30: expiringSql('t.id', '30'),
    earned: `(-${movedSql('t.id', SOURCES)})`,
    used: movedSql('t.id', `'points_redeemed'`),
    expired: movedSql('t.id', `'points_expired'`),
    frozen: `CASE WHEN ${FROZEN} THEN 'frozen' ELSE 'normal' END`,
    lastMovement: `(SELECT max(l.at) FROM ledger_transfer l WHERE l.member_id = t.id)`,
    hasDebt: '(coalesce(d.balance, 0) < 0)',
    hasPending: `EXISTS (SELECT FROM points_pending w WHERE w.member_id = t.id AND w.state = 'waiting' AND w.unit = 'point')`,
    expiringDays: 'NULL::integer',
  },
  filters: {
    grade: (value, parameters) => {
      const ids = value.split(',');
      if (ids.length > 500 || ids.some((id) => !/^\d{1,15}$/.test(id)))
        return ['没有此选项', 'There is no such choice'];
      return `${GRADE} = ANY(${parameters.bind(ids.map(Number))}::bigint[])`;
    },
    expiringDays: (value, parameters) => {
      const days = Number(value);
      if (!Number.isInteger(days) || days < 1 || days > 366)
        return ['请输入 1–366 的天数', 'Days are a number from 1 to 366'];
      return `${expiringSql('t.id', `${parameters.bind(days)}::int`)} > 0`;
    },
  },
  ruleReads: ['frozen'],
  rowRules: {
    freeze: (row) => (row.frozen === 'frozen' ? ['积分账户已冻结', 'Points account is frozen'] : undefined),
    unfreeze: (row) =>
      row.frozen === 'frozen' ? undefined : ['积分账户未冻结', 'Points account is not frozen'],
  },
  handlers: { adjust, freeze, unfreeze },
  endpoints: figureEndpoints(() => bound),
  also: { invariants: pointsAccountInvariants, jobs: accountJobs },
});

/** Points accounts of members. */
export const registration = bound.registration;

/** Books a correction at once, or hands it in where it is above `points.adjust.max`. Source: group 22, pointsAccount. */
async function adjust(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, id, row, caller, input, facts } = context;
  const amount = Number(input.amount);
  if (amount === 0) throw invalid({ amount: ['调整积分不能为 0', 'The points cannot be 0'] });
  const own = await runOne(tx, `SELECT FROM staff WHERE id = $1 AND phone = $2 AND phone <> ''`, [
    caller.staffId,
    row.phone,
  ]);
  if (own) throw ruleBroken(['不能调整本人账户', 'You cannot adjust your own account']);
  const attachment = input.attachment ? String(input.attachment) : null;
  await checkAttachable(tx, caller, 'attachment', attachment ? [attachment] : []);
  await lockMembers(tx, [id]);
  const allowDebt = input.allowDebt === true;
  if (amount < 0 && !allowDebt && (await spendablePoints(tx, id)) < -amount)
    throw ruleBroken(['可用积分不足', 'Not enough points']);
  const waits = Math.abs(amount) > (await platform.settings.numberIn(tx, 'points.adjust.max'));
  const code = await nextCode(tx, 'PJ');
  const made = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO points_adjustment (code, member_id, tenant_id, amount, reason_code, reason, attachment_id, allow_debt, state, booked_at, created_by, updated_by)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $9 = 'booked' THEN now() END, $10, $10) RETURNING id`,
    [
      code,
      id,
      caller.tenantId,
      amount,
      input.reasonCode,
      input.reason,
      attachment,
      allowDebt,
      waits ? 'reviewing' : 'booked',
      caller.staffId,
    ],
  ))!.id;
  platform.changed('pointsAdjustment');
  const signed = `${amount > 0 ? '+' : ''}${amount}`;
  if (!waits) {
    await bookAdjustment(tx, platform, made);
    return { remark: `${signed} ${String(input.reason)}`, result: { code, state: 'booked' } };
  }
  await submitApproval(
    tx,
    platform,
    {
      kind: ADJUST_APPROVAL,
      bizId: made,
      tenantId: caller.tenantId,
      title: [`积分调整 ${code}`, `Points adjusted: ${code}`],
      summary: [
        { label: ['调整积分', 'Points'], value: [signed, signed] },
        { label: ['原因', 'Reason'], value: [String(input.reason), String(input.reason)] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return {
    event: ['提交调整审批', 'Adjustment handed in'],
    remark: `${signed} ${String(input.reason)}`,
    result: { code, state: 'reviewing' },
  };
}

async function freeze({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  const until = input.until ? new Date(input.until as string) : null;
  if (until && until.getTime() <= Date.now())
    throw invalid({ until: ['截止时间必须晚于现在', 'It has to lie in the future'] });
  await freezeAccount(tx, { memberId: id, reason: String(input.reason), until, staffId: caller.staffId });
  return { remark: String(input.reason) };
}

async function unfreeze({ tx, id, input, caller }: ActionContext): Promise<ActionResult> {
  await unfreezeAccount(tx, { memberId: id, reason: String(input.reason), staffId: caller.staffId });
  return { remark: String(input.reason) };
}
