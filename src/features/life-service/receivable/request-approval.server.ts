import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import {
  lockReceivables,
  owedCharges,
  tellReceivables,
  waiveCharges,
} from '../../../domain/receivable/receivable.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { RECEIVABLE_MENU } from './receivable.contract.ts';

const AUDIT = `${RECEIVABLE_MENU}:btn_audit`;

/** Where a receivable (`t`) stands. */
export const RECEIVABLE_SCOPE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: 't.project_id',
  owner: 'coalesce(t.owner_id, t.created_by)',
};

/** A request (`t`) stands where its receivable does. */
const SCOPE: ScopeColumns = {
  tenant: 'NULL::bigint',
  project: '(SELECT r.project_id FROM receivable r WHERE r.id = t.receivable_id)',
  owner: 't.created_by',
};

/** Requests as those read of them who see the receivable. */
export const requestSight = listSight({
  entity: 'receivableRequest',
  menu: RECEIVABLE_MENU,
  table: 'receivable_request',
  scope: SCOPE,
});

interface Request {
  readonly id: number;
  readonly receivable_id: number;
  readonly kind: Kind;
  readonly amount: number;
  readonly reason: string;
  readonly code: string;
  readonly state: string;
  readonly payer: string;
}
type Kind = 'waiver' | 'write_off';

const KINDS = {
  waiver: {
    approval: 'receivable_waiver',
    label: ['应收减免', 'Receivable waiver'],
    amount: ['减免金额', 'Waived'],
  },
  write_off: { approval: 'bad_debt', label: ['坏账核销', 'Bad debt'], amount: ['核销金额', 'Written off'] },
} as const satisfies Record<Kind, { approval: string; label: Label; amount: Label }>;

const readRequest = (db: Executor, id: number) =>
  runOne<Request>(
    db,
    `SELECT q.id, q.receivable_id, q.kind, q.amount, q.reason, r.code, r.state, p.name AS payer FROM receivable_request q
       JOIN receivable r ON r.id = q.receivable_id JOIN payer p ON p.id = r.payer_id WHERE q.id = $1`,
    [id],
  );

/** Waivers above the limit and every write-off; whoever asked does not decide. Source: group 19, accountsReceivable. */
export const requestApprovals: readonly ApprovalKind[] = (Object.keys(KINDS) as Kind[]).map((kind) => ({
  kind: KINDS[kind].approval,
  label: KINDS[kind].label,
  entity: 'receivableRequest',
  sights: { toDecide: requestSight, outcome: requestSight },
  moves: true,
  fields: [{ name: 'amount', label: ['金额（元）', 'Amount (yuan)'], kind: 'number' }],
  facts: async (db, bizId) => ({ amount: ((await readRequest(db, bizId))?.amount ?? 0) / 100 }),
  snapshot: async (db, bizId) => {
    const row = (await readRequest(db, bizId))!;
    const said = (field: string, label: Label, value: string) => ({
      field,
      label,
      value: [value, value] as const,
    });
    return [
      {
        title: KINDS[kind].label,
        values: [
          said('receivable', ['应收', 'Receivable'], row.code),
          said('amount', KINDS[kind].amount, `¥${yuanFromFen(row.amount)}`),
          said('reason', ['原因', 'Reason'], row.reason),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, RECEIVABLE_MENU, SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, r.code AS title FROM receivable_request t JOIN receivable r ON r.id = t.receivable_id
        WHERE t.kind = ${parameters.bind(kind)} AND ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/lifeService/${RECEIVABLE_MENU}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'passed'),
  onRejected: (outcome) => end(outcome, 'refused'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
}));

const EVENTS = {
  passed: ['审批通过', 'approved'],
  refused: ['审批驳回', 'refused'],
  withdrawn: ['撤回审批', 'withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

async function end(outcome: ApprovalOutcome, state: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion } = outcome;
  const request = (await readRequest(tx, bizId))!;
  await run(tx, 'UPDATE receivable_request SET state = $2, ended_at = now() WHERE id = $1', [bizId, state]);
  const [row] = await lockReceivables(tx, [request.receivable_id]);
  const isOpen = row!.state === 'open' || row!.state === 'part';
  if (state === 'passed' && request.kind === 'waiver' && isOpen) {
    // Paid in between: what is left of the charges is waived.
    const amount = Math.min(request.amount, await owedCharges(tx, row!));
    if (amount > 0)
      await waiveCharges(tx, row!.id, { amount, reason: request.reason, staffId: staffIdOf(caller) });
  }
  const writtenOff = state === 'passed' && request.kind === 'write_off' && isOpen;
  await run(
    tx,
    `UPDATE receivable SET state = CASE WHEN $2 THEN 'written_off' ELSE state END, version = version + 1, updated_at = now() WHERE id = $1`,
    [row!.id, writtenOff],
  );
  tellReceivables(outcome.platform);
  const by = caller.staffId === 0 ? {} : { caller };
  const { label } = KINDS[request.kind];
  await writeTimeline(tx, {
    entity: 'receivable',
    entityId: row!.id,
    ...by,
    action: request.kind,
    label: [`${label[0]}${EVENTS[state][0]}`, `${label[1]} ${EVENTS[state][1]}`],
    ...(writtenOff ? { from: row!.state, to: 'written_off' } : {}),
    remark: [yuanFromFen(request.amount), opinion].filter(Boolean).join(' · '),
  });
  await writeAudit(tx, {
    ...by,
    facts: outcome.facts,
    menu: RECEIVABLE_MENU,
    action: `${request.kind}.${state}`,
    entity: 'receivable',
    entityId: row!.id,
    after: { amount: request.amount, opinion },
  });
}

/** Hands a waiver or write-off in for approval. Throws 30101 while another one of the receivable waits. */
export async function askFor(
  { tx, platform, caller, facts, id, row }: ActionContext,
  kind: Kind,
  asked: { readonly amount: number; readonly reason: string; readonly files?: readonly string[] },
): Promise<ActionResult> {
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO receivable_request (receivable_id, kind, amount, reason, file_ids, created_by) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (receivable_id) WHERE state = 'waiting' DO NOTHING RETURNING id`,
    [id, kind, asked.amount, asked.reason, asked.files ?? [], staffIdOf(caller)],
  );
  if (!made) throw ruleBroken(['已有待审批的申请', 'A request of it waits for approval already']);
  const money = yuanFromFen(asked.amount);
  const { approval, label, amount } = KINDS[kind];
  await submitApproval(
    tx,
    platform,
    {
      kind: approval,
      bizId: made.id,
      tenantId: caller.tenantId,
      projectId: Number(row.project_id),
      title: [`${label[0]} ${String(row.code)}`, `${label[1]} ${String(row.code)}`],
      summary: [
        { label: amount, value: [`¥${money}`, `¥${money}`] },
        { label: ['原因', 'Reason'], value: [asked.reason, asked.reason] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return {
    to: String(row.state),
    event: [`提交${label[0]}审批`, `${label[1]} handed in for approval`],
    remark: `${money} · ${asked.reason}`,
  };
}

/** Rows (`t`) that hang on receivables the caller sees. */
export function ofReceivables(caller: Caller, parameters: Parameters): string {
  return `t.receivable_id IN (SELECT t.id FROM receivable t WHERE ${scopeCondition(caller, RECEIVABLE_MENU, RECEIVABLE_SCOPE, parameters)})`;
}
