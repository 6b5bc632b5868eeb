import { approvable } from '../../../domain/approval/approvable.server.ts';
import { lockMembers } from '../../../domain/points-ledger/ledger-book.server.ts';
import { holdBudget, lockBudget } from '../../../domain/points-ledger/points-budget.server.ts';
import { recallMany } from '../../../domain/points-ledger/points-many.server.ts';
import {
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import {
  checkAttachable,
  fileValue,
  showFiles,
  type StoredFile,
} from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { pointsGrantBatch, SEND_MENU } from './send.contract.ts';
import {
  askApproval,
  batchOf,
  GRANT_APPROVAL,
  grantApproval,
  releaseBudget,
} from './send-approval.server.ts';
import { approvalsFor, freezeLines, previewOf } from './send-audience.server.ts';
import { sendImport } from './send-import.server.ts';
import { lineSource, sendJob } from './send-run.server.ts';
import { BATCH_SCOPE, batchSight } from './send-scope.server.ts';

const REQUIRED: Label = ['此项必填', 'This field is required'];
const approval = approvable(GRANT_APPROVAL, { waiting: 'reviewing', passed: 'to_send', refused: 'rejected' });
const ownWork = (row: DbRow, caller: { readonly staffId: number }): Label | undefined =>
  [row.submitterId, row.makerId].some((id) => Number(id) === caller.staffId)
    ? ['申请人不能审批', 'The applicant cannot approve']
    : undefined;
const count = (state: string) =>
  `(SELECT count(*)::int FROM points_grant_line i WHERE i.batch_id = t.id AND i.state = '${state}')`;
const named = (table: string, ids: string, title: string) =>
  `(SELECT coalesce(json_agg(json_build_object('id', x.id::text, 'title', ${title}) ORDER BY x.id), '[]') FROM ${table} x WHERE x.id = ANY(${ids}))`;

const bound: BoundResource = bindResource(pointsGrantBatch, {
  table: 'points_grant_batch',
  from: 'points_grant_batch t LEFT JOIN points_budget u ON u.id = t.budget_id LEFT JOIN staff s ON s.id = coalesce(t.submitted_by, t.created_by) LEFT JOIN staff v ON v.id = t.approved_by',
  scope: BATCH_SCOPE,
  search: `lower(t.code || ' ' || t.name)`,
  codePrefix: 'PG',
  columns: {
    budget: { id: 't.budget_id', title: 'u.name' },
    applicant: { id: 'coalesce(t.submitted_by, t.created_by)', title: 's.name' },
    approver: { id: 't.approved_by', title: 'v.name' },
    projects: named('project', 't.project_ids', 'x.name'),
    grades: named('grade', 't.grade_ids', 'x.title'),
    // A picked member is shown as the picker shows it: by number of its kind, without name.
    chosen: named(
      'member',
      't.member_ids',
      `left(x.name, 1) || '** ' || left(x.phone, 3) || '****' || right(x.phone, 4)`,
    ),
    attachment: 't.attachment_id',
    liability: `(t.total * 1)`,
    sent: count('sent'),
    failed: count('failed'),
    recalledPoints:
      '(SELECT coalesce(sum(i.recalled), 0)::bigint FROM points_grant_line i WHERE i.batch_id = t.id)',
    recallReason: `nullif(t.recall_reason, '')`,
  },
  writes: { grades: 'grade_ids', projects: 'project_ids', chosen: 'member_ids', attachment: 'attachment_id' },
  filters: {
    projects: (value, parameters, caller) =>
      `t.project_ids && ${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]`,
  },
  abilities: [approval.ability],
  extra: {
    submitterId: 't.submitted_by',
    makerId: 't.created_by',
  },
  ruleReads: ['submitterId', 'makerId'],
  rowRules: {
    approve: ownWork,
    reject: ownWork,
    withdraw: (row, caller) =>
      Number(row.submitterId) === caller.staffId
        ? undefined
        : ['只有申请人可以撤回', 'Only the applicant may withdraw it'],
  },
  before: [checkBatch],
  sets: { send: { send_at: NOW } },
  handlers: {
    submit,
    approve: async (context) => {
      const done = await approval.handlers.approve(context);
      if (done.to !== 'to_send') return done;
      // A second one is asked where the first approval did not end it.
      const asked = await runOne(
        context.tx,
        `SELECT FROM approval_instance WHERE biz_type = $1 AND biz_id = $2 AND state = 'running'`,
        [GRANT_APPROVAL, context.id],
      );
      return asked
        ? { ...done, to: 'reviewing', event: ['一审通过，待二审', 'Approved once, a second one is asked'] }
        : done;
    },
    retry: async ({ tx, id }) => {
      const rows = await run(
        tx,
        `UPDATE points_grant_line SET state = 'pending', done_at = NULL WHERE batch_id = $1 AND state = 'failed' RETURNING id`,
        [id],
      );
      return { remark: String(rows.length) };
    },
    recall,
    cancel: async ({ tx, id, row }) => {
      if (row.state === 'to_send') await releaseBudget(tx, await batchOf(tx, id));
    },
    finish,
  },
  present: async (rows, db, caller, platform) => {
    const fen = await platform.settings.number('points.fen_per_point');
    for (const row of rows) {
      if (row.liability !== undefined && row.liability !== null) row.liability = Number(row.liability) * fen;
      if (row.projects) row.projects = projectsInReach(caller, row.projects as { id: string }[]);
    }
    if (rows.some((row) => row.attachment !== undefined)) await showFiles(rows, db, 'attachment');
  },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/pointsGrantBatch/:id/preview',
      title: ['发放预览', 'Preview of a batch'],
      access: { code: SEND_MENU },
      handle: async (call) => {
        const id = idOf(call.params.id);
        await bound.find(call, id);
        return previewOf(call.platform.database.db, call.platform.settings, id);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/pointsGrantBatch/:id/attachment',
      title: ['附件', 'Attachment'],
      access: { code: SEND_MENU },
      handle: async (call) => {
        const row = await bound.find(call, idOf(call.params.id));
        const id = (row.attachment as { id?: string } | null)?.id;
        const found = id
          ? await runOne<StoredFile>(call.platform.database.db, 'SELECT * FROM stored_file WHERE id = $1', [
              id,
            ])
          : undefined;
        if (!found) throw notFound();
        return fileValue(call.platform, call.caller, found);
      },
    }),
  ],
  also: {
    approvals: [grantApproval],
    sights: [batchSight],
    jobs: [sendJob(() => bound)],
    imports: [sendImport],
  },
});

/** Batches of points for members. */
export const registration = bound.registration;

/** Audience, validity and budget are whole and inside the caller's reach; what a change leaves out counts as it stands. */
async function checkBatch({ tx, action, input, row, columns, caller }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const problems: Record<string, Label> = {};
  const now: DbRow = { ...row, ...columns };
  if (now.audience === 'import' && row.audience !== 'import')
    problems.audience = ['请用「导入」按钮上传名单', 'Upload the members by the import button'];
  if (now.audience !== 'import' && !now.points) problems.points = REQUIRED;
  const chosen = (now.member_ids ?? []) as number[];
  if (now.audience === 'chosen' && chosen.length === 0) problems.chosen = REQUIRED;
  if (now.validity === 'default') columns.expires_on = null;
  else if (!now.expires_on) problems.expiresOn = REQUIRED;
  else {
    const today = businessDayOf(new Date());
    const last = `${Number(today.slice(0, 4)) + 3}${today.slice(4)}`;
    if (String(now.expires_on) <= today)
      problems.expiresOn = ['到期日最早为明天', 'Tomorrow at the earliest'];
    else if (String(now.expires_on) > last)
      problems.expiresOn = ['到期日最晚为 36 个月后', '36 months ahead at the latest'];
  }
  for (const [from, to, field] of [
    ['registered_from', 'registered_to', 'registeredTo'],
    ['active_from', 'active_to', 'activeTo'],
  ] as const)
    if (now[from] && now[to] && String(now[from]) > String(now[to]))
      problems[field] = ['结束不能早于开始', 'The end is before the start'];
  if (input.sendAt && new Date(input.sendAt as string).getTime() < Date.now())
    problems.sendAt = ['计划时间不能早于现在', 'The time lies in the past'];
  const budget = await runOne<{ tenant_id: number | null }>(
    tx,
    'SELECT tenant_id FROM points_budget WHERE id = $1',
    [now.budget_id],
  );
  if (!budget || (caller.tenantKind !== 3 && budget.tenant_id !== caller.tenantId))
    problems.budget = ['没有此选项', 'There is no such choice'];
  if (Array.isArray(input.chosen) && chosen.length > 0) {
    const parameters = new Parameters();
    const ids = parameters.bind(chosen);
    const seen = await run(
      tx,
      `SELECT t.id FROM member t WHERE t.id = ANY(${ids}::bigint[]) AND ${placeCondition(caller, MEMBER_PLACE, parameters)}`,
      parameters.values,
    );
    if (seen.length < new Set(chosen).size) problems.chosen = ['没有此选项', 'There is no such choice'];
  }
  const grades = [...new Set((input.grades ?? []) as readonly number[])];
  if (grades.length > 0) {
    const known = await run(tx, 'SELECT id FROM grade WHERE id = ANY($1::bigint[])', [grades]);
    if (known.length < grades.length) problems.grades = ['没有此选项', 'There is no such choice'];
  }
  if (input.attachment)
    await checkAttachable(
      tx,
      caller,
      'attachment',
      [String(input.attachment)],
      row.attachment_id ? [String(row.attachment_id)] : [],
    );
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (Array.isArray(input.projects)) requireProjectsInReach(caller, input.projects as number[]);
  columns.reach_ids = caller.projectIds;
  if (action === 'create') columns.tenant_id = caller.tenantId;
}

/** Freezes the members, holds the total, and hands it in where it may not be given freely. Source: group 22, pointsSend. */
async function submit({ tx, platform, id, caller, facts, row }: ActionContext): Promise<ActionResult> {
  const lines = await freezeLines(tx, id);
  if (lines.members === 0) throw ruleBroken(['没有匹配的会员', 'No member matches']);
  if (row.expires_on && String(row.expires_on) <= businessDayOf(new Date()))
    throw ruleBroken(['到期日已过，请先修改', 'The date of expiry has passed: change it first']);
  await run(
    tx,
    'UPDATE points_grant_batch SET members = $2, total = $3, submitted_by = $4, submitted_at = now(), approved_by = NULL WHERE id = $1',
    [id, lines.members, lines.total, caller.staffId],
  );
  const batch = await batchOf(tx, id);
  await holdBudget(tx, {
    budgetId: batch.budgetId,
    amount: batch.total,
    source: { type: 'points_grant_batch', id: String(id), purpose: `hold:${batch.version}` },
  });
  platform.changed('pointsBudget');
  const remark = `${lines.members} × ${lines.total}`;
  if ((await approvalsFor(tx, platform.settings, lines)) === 0) return { to: 'to_send', remark };
  await askApproval(tx, platform, batch, { caller, facts });
  return { to: 'reviewing', remark };
}

/** Lines recalled by one statement. */
const RECALLED_AT_ONCE = 1_000;

/** Each line gives back what is left of its lot; held and spent points stay. Members are locked first, then the budget. */
async function recall({ tx, platform, id, row, input }: ActionContext): Promise<ActionResult> {
  const days = await platform.settings.numberIn(tx, 'points.send.recall_days');
  const over = await runOne<{ over: boolean }>(
    tx,
    'SELECT $1::timestamptz + make_interval(days => $2::int) < now() AS over',
    [row.sent_at, days],
  );
  if (over!.over) throw ruleBroken(['已超过撤回期限', 'The recall period is over']);
  const lines = await run<{
    id: number;
    member_id: number;
    state: string;
    points: number;
    transfer_id: number;
  }>(
    tx,
    'SELECT id, member_id, state, points, transfer_id FROM points_grant_line WHERE batch_id = $1 ORDER BY member_id FOR UPDATE',
    [id],
  );
  const sent = lines.filter((line) => line.state === 'sent');
  await lockMembers(
    tx,
    sent.map((line) => line.member_id),
  );
  const batch = await batchOf(tx, id);
  const budget = await lockBudget(tx, batch.budgetId);
  let back = 0;
  for (let from = 0; from < sent.length; from += RECALLED_AT_ONCE) {
    const some = sent.slice(from, from + RECALLED_AT_ONCE);
    const given = await recallMany(
      tx,
      { budgetAccountId: budget.accountId, note: String(input.reason) },
      some.map((line) => ({
        memberId: line.member_id,
        grantId: line.transfer_id,
        source: { ...lineSource(line.id), purpose: 'recall' },
      })),
    );
    await run(
      tx,
      `UPDATE points_grant_line l SET state = 'recalled', recalled = x.points FROM unnest($1::bigint[], $2::integer[]) AS x(id, points) WHERE l.id = x.id`,
      [some.map((line) => line.id), given],
    );
    back += given.reduce((sum, points) => sum + points, 0);
  }
  await releaseBudget(
    tx,
    batch,
    lines.filter((line) => line.state !== 'sent').reduce((sum, line) => sum + line.points, 0),
  );
  platform.changed('pointsBudget');
  platform.changed('pointsAccount');
  return {
    set: { recall_reason: String(input.reason) },
    remark: `${String(input.reason)} −${back}`,
    result: { recalled: back },
  };
}

/** Ends a batch of which no line waits; refused while one does, the next run goes on. */
async function finish({ tx, id }: ActionContext): Promise<ActionResult> {
  const left = (await runOne<{ pending: number; failed: number }>(
    tx,
    `SELECT count(*) FILTER (WHERE state = 'pending')::int AS pending, count(*) FILTER (WHERE state = 'failed')::int AS failed
       FROM points_grant_line WHERE batch_id = $1`,
    [id],
  ))!;
  if (left.pending > 0) throw ruleBroken(['仍在发放', 'It is still being sent']);
  return { to: left.failed > 0 ? 'part_sent' : 'sent', set: { sent_at: new Date() } };
}
