import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { endWithout, submitApproval } from '../../../domain/approval/approve.server.ts';
import { lockLatest } from '../../../domain/approval/flow.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { platformTenant } from '../../../domain/points-ledger/points-budget.server.ts';
import { ALONE_DAYS, PENALTY_KINDS } from '../../../domain/report-case/report-case.rules.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { memberPenalty } from './report.contract.ts';

/** Word of the approval engine. */
export const PENALTY_APPROVAL = 'member_penalty';
const MENU = memberPenalty.menu;
const ELEMENT = `${MENU}:btn_penalty`;
/** A penalty stands in the project of its case. */
export const PENALTY_SCOPE = residentScope('t.project_id', 't.created_by');

export const penaltySight = listSight({
  entity: memberPenalty.name,
  menu: MENU,
  table: 'member_penalty',
  scope: PENALTY_SCOPE,
});

interface PenaltyRow {
  readonly kind: keyof typeof PENALTY_KINDS;
  readonly days: number | null;
  readonly reason: string;
  readonly code: string;
  readonly state: string;
}

const penaltyRow = (db: Executor, id: number) =>
  runOne<PenaltyRow>(
    db,
    'SELECT p.kind, p.days, p.reason, p.state, c.code FROM member_penalty p JOIN report_case c ON c.id = p.case_id WHERE p.id = $1',
    [id],
  );
const lengthOf = (days: number | null) =>
  days === null ? (['永久', 'For good'] as const) : ([`${days} 天`, `${days} days`] as const);

/** Penalties over seven days; whoever decided the case does not approve them. */
export const penaltyApproval: ApprovalKind = {
  kind: PENALTY_APPROVAL,
  label: ['会员处罚', 'Penalties of members'],
  entity: memberPenalty.name,
  sights: { toDecide: penaltySight, outcome: penaltySight },
  moves: true,
  fields: [{ name: 'days', label: ['天数（永久为 0）', 'Days (for good: 0)'], kind: 'number' }],
  facts: async (db, bizId) => ({ days: (await penaltyRow(db, bizId))?.days ?? 0 }),
  snapshot: async (db, bizId) => {
    const row = (await penaltyRow(db, bizId))!;
    return [
      {
        title: ['处罚', 'Penalty'],
        values: [
          { field: 'case', label: ['举报单', 'Case'], value: [row.code, row.code] },
          { field: 'kind', label: ['处罚', 'Penalty'], value: PENALTY_KINDS[row.kind].label },
          { field: 'days', label: ['时长', 'How long'], value: lengthOf(row.days) },
          { field: 'reason', label: ['原因', 'Reason'], value: [row.reason, row.reason] },
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const sees = scopeCondition(caller, MENU, PENALTY_SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, c.code || ' ' || t.reason AS title FROM member_penalty t JOIN report_case c ON c.id = t.case_id WHERE ${sees} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/ownersmanager/${MENU}`,
  approvers: async (tx, subject) => {
    const own = await holdersOf(tx, subject.tenantId, ELEMENT, [subject.starterId]);
    return own.length > 0 ? own : holdersOf(tx, await platformTenant(tx), ELEMENT, [subject.starterId]);
  },
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(ELEMENT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, true),
  onRejected: (outcome) => end(outcome, false),
  onWithdrawn: (outcome) => end(outcome, false),
};

/** A penalty that was approved holds its whole time; one that was not keeps its seven days. */
export async function settlePenalty(
  tx: Tx,
  id: number,
  approved: boolean,
  staffId: number | null,
): Promise<void> {
  await run(
    tx,
    `UPDATE member_penalty SET state = 'running', approver_id = $3,
            days = CASE WHEN $2 THEN days ELSE ${ALONE_DAYS} END,
            until_at = CASE WHEN NOT $2 THEN until_at WHEN days IS NULL THEN NULL ELSE from_at + make_interval(days => days) END
      WHERE id = $1 AND state = 'waiting'`,
    [id, approved, staffId],
  );
}

async function end(outcome: ApprovalOutcome, approved: boolean): Promise<void> {
  const { tx, bizId, caller, opinion, platform } = outcome;
  const row = await penaltyRow(tx, bizId);
  if (row?.state !== 'waiting') return;
  await settlePenalty(tx, bizId, approved, approved ? staffIdOf(caller) : null);
  platform.changed(memberPenalty.name);
  platform.changed('reportCase');
  if (outcome.insideAction) return;
  await run(tx, 'UPDATE member_penalty SET version = version + 1, updated_at = now() WHERE id = $1', [bizId]);
  const by = caller.staffId === 0 ? {} : { caller };
  const said = {
    entity: memberPenalty.name,
    entityId: bizId,
    action: approved ? 'approve' : 'reject',
    ...by,
  };
  await writeTimeline(tx, {
    ...said,
    label: approved ? ['通过', 'Approved'] : ['不通过', 'Refused'],
    from: 'waiting',
    to: 'running',
    remark: opinion,
  });
  await writeAudit(tx, { ...said, facts: outcome.facts, menu: MENU, after: { approved, opinion } });
}

/**
 * Puts a penalty on the author of a case. Up to seven days it holds at once; longer ones hold seven days until a second
 * person has approved them.
 */
export async function punish(
  { tx, platform, caller, facts }: Pick<ActionContext, 'tx' | 'platform' | 'caller' | 'facts'>,
  penalty: {
    readonly caseId: number;
    readonly code: string;
    readonly memberId: number;
    readonly projectId: number;
    readonly kind: keyof typeof PENALTY_KINDS;
    readonly days: number | null;
    readonly reason: string;
  },
): Promise<string> {
  const long = penalty.days === null || penalty.days > ALONE_DAYS;
  const { id } = (await runOne<{ id: number }>(
    tx,
    `INSERT INTO member_penalty (member_id, case_id, project_id, kind, days, from_at, until_at, reason, state, created_by, updated_by)
     SELECT $1, $2, $3, $4, $5, n.at, n.at + make_interval(days => $6), $7, $8, $9, $9 FROM (SELECT clock_timestamp() AS at) n RETURNING id`,
    [
      penalty.memberId,
      penalty.caseId,
      penalty.projectId,
      penalty.kind,
      penalty.days,
      long ? ALONE_DAYS : penalty.days,
      penalty.reason,
      long ? 'waiting' : 'running',
      staffIdOf(caller),
    ],
  ))!;
  const [zh, en] = lengthOf(penalty.days);
  await writeTimeline(tx, {
    entity: memberPenalty.name,
    entityId: id,
    caller,
    action: 'create',
    label: ['处罚', 'Penalty'],
    to: long ? 'waiting' : 'running',
    remark: `${PENALTY_KINDS[penalty.kind].label[0]} ${zh}：${penalty.reason}`,
  });
  if (long)
    await submitApproval(
      tx,
      platform,
      {
        kind: PENALTY_APPROVAL,
        bizId: id,
        tenantId: caller.tenantId,
        projectId: penalty.projectId,
        title: [`会员处罚 ${penalty.code}`, `Penalty ${penalty.code}`],
        summary: [
          { label: ['处罚', 'Penalty'], value: PENALTY_KINDS[penalty.kind].label },
          { label: ['时长', 'How long'], value: [zh, en] },
        ],
        starterId: caller.staffId,
      },
      { caller, facts },
    );
  platform.changed(memberPenalty.name);
  return `${PENALTY_KINDS[penalty.kind].label[0]} ${zh}`;
}

/** Ends the approval of a penalty that is over or lifted before anybody decided. Its state is written already. */
export async function dropApproval(
  { tx, platform, caller, facts }: Pick<ActionContext, 'tx' | 'platform' | 'caller' | 'facts'>,
  id: number,
): Promise<void> {
  const instance = await lockLatest(tx, PENALTY_APPROVAL, id);
  if (instance?.state === 'running') await endWithout(tx, platform, instance, { caller, facts }, 'cancelled');
}

/** Lifts every penalty of a case. */
export async function liftPenalties(
  context: Pick<ActionContext, 'tx' | 'platform' | 'caller' | 'facts'>,
  caseId: number,
  reason: string,
): Promise<void> {
  const { tx, caller, platform } = context;
  const rows = await run<{ id: number; was: string }>(
    tx,
    `UPDATE member_penalty p SET state = 'lifted', lift_reason = $2, version = p.version + 1, updated_at = now()
       FROM (SELECT id, state FROM member_penalty WHERE case_id = $1 AND state IN ('waiting', 'running') FOR UPDATE) o
      WHERE p.id = o.id RETURNING p.id, o.state AS was`,
    [caseId, reason],
  );
  for (const { id, was } of rows) {
    await writeTimeline(tx, {
      entity: memberPenalty.name,
      entityId: id,
      caller,
      action: 'lift',
      label: ['解除', 'Lift'],
      from: was,
      to: 'lifted',
      remark: reason,
    });
    await dropApproval(context, id);
  }
  platform.changed(memberPenalty.name);
}
