import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { openWindow } from '../../../domain/settlement/life-cycle.server.ts';
import { STATEMENT } from '../../../domain/statement/draft-statement.server.ts';
import { INITIATE_MENU } from './initiate.contract.ts';
import { PLATFORM_SCOPE } from './platform-scope.server.ts';

/** Word of the approval engine. */
export const SETTLEMENT = 'settlement';
const APPROVE = `${INITIATE_MENU}:btn_approve`;

/** Statements as who starts settlements sees them. */
export const draftSight = listSight({
  entity: 'settlementDraft',
  menu: INITIATE_MENU,
  table: 'statement',
  where: `t.state <> 'void'`,
  scope: PLATFORM_SCOPE('t.created_by'),
});

const EVENTS = {
  to_confirm: ['审批通过，发给商户', 'Approved and sent to the merchant'],
  draft: ['审批退回草稿', 'Back to a draft'],
} as const satisfies Readonly<Record<string, Label>>;

/** Large statements: whoever submitted one never approves it. */
export const settlementApproval: ApprovalKind = {
  kind: SETTLEMENT,
  label: ['结算单', 'Settlement'],
  entity: STATEMENT,
  sights: { toDecide: draftSight, outcome: draftSight },
  moves: true,
  fields: [{ name: 'payable', label: ['应付金额', 'Payable'], kind: 'money' }],
  facts: async (db, bizId) => {
    const row = await runOne<{ payable: number }>(db, 'SELECT payable FROM statement WHERE id = $1', [bizId]);
    return { payable: row?.payable ?? null };
  },
  snapshot: async (db, bizId) => {
    const row = await runOne<{
      code: string;
      merchant: string;
      payable: number;
      rows: number;
      period: string;
    }>(
      db,
      `SELECT s.code, t.name AS merchant, s.payable, s.row_count AS rows, s.period_from::text || ' ~ ' || s.period_to::text AS period
         FROM statement s JOIN tenant t ON t.id = s.tenant_id WHERE s.id = $1`,
      [bizId],
    );
    const value = (field: string, label: Label, text: string) => ({
      field,
      label,
      value: [text, text] as const,
    });
    return [
      {
        title: ['结算单', 'Statement'],
        values: [
          value('code', ['结算单号', 'Statement no.'], row?.code ?? ''),
          value('merchant', ['商户', 'Merchant'], row?.merchant ?? ''),
          value('period', ['周期', 'Period'], row?.period ?? ''),
          value('rows', ['行数', 'Rows'], String(row?.rows ?? 0)),
          value('payable', ['应付', 'Payable'], yuanFromFen(row?.payable ?? 0)),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, INITIATE_MENU, PLATFORM_SCOPE('t.created_by'), parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, t.code AS title FROM statement t WHERE t.state <> 'void' AND ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/financialManage/${INITIATE_MENU}?as=drafts`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, APPROVE, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(APPROVE) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'to_confirm'),
  onRejected: (outcome) => end(outcome, 'draft'),
  onWithdrawn: (outcome) => end(outcome, 'draft'),
};

/** Writes the outcome on the statement; its own action writes state, timeline and audit itself. */
async function end(outcome: ApprovalOutcome, to: keyof typeof EVENTS): Promise<void> {
  const { tx, platform, bizId, caller, opinion, facts } = outcome;
  if (outcome.insideAction) return;
  const row = (await runOne<Record<string, unknown>>(tx, 'SELECT * FROM statement WHERE id = $1 FOR UPDATE', [
    bizId,
  ]))!;
  if (row.state !== 'in_review') return;
  const set =
    to === 'to_confirm'
      ? (await openWindow({ tx, id: bizId, row, platform } as ActionContext, Number(row.submitter_id))).set!
      : {};
  await run(
    tx,
    `UPDATE statement SET state = $2, submitted_at = coalesce($3::timestamptz, submitted_at), window_ends_at = $4, rows_hash = coalesce($5, rows_hash),
        version = version + 1, updated_at = now() WHERE id = $1`,
    [bizId, to, set.submitted_at ?? null, set.window_ends_at ?? null, set.rows_hash ?? null],
  );
  platform.changed(STATEMENT);
  const who = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: STATEMENT,
    entityId: bizId,
    ...who,
    action: to,
    label: EVENTS[to],
    from: 'in_review',
    to,
    remark: opinion,
  });
  await writeAudit(tx, {
    ...who,
    facts,
    menu: INITIATE_MENU,
    action: to,
    entity: STATEMENT,
    entityId: bizId,
    before: { state: 'in_review' },
    after: { state: to, opinion },
  });
}
