import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { readBills, type BillRecord } from '../../../domain/charging/bill-record.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

/** A request (`t`) stands where its bill does. */
const SCOPE: ScopeColumns = {
  tenant: '(SELECT b.tenant_id FROM bill b WHERE b.id = t.bill_id)',
  project: '(SELECT b.project_id FROM bill b WHERE b.id = t.bill_id)',
  owner: 't.created_by',
};

/** What is asked for a bill; amounts in fen. */
export interface BillRequest {
  readonly id: number;
  readonly bill_id: number;
  readonly amount: number;
  readonly reason: string;
  readonly code: string;
  /** What the request is about, now. */
  readonly owed: number;
}

/** What differs between the requests that wait for somebody about a bill. */
export interface BillRequestSpec {
  /** Word of the approval engine. */
  readonly kind: string;
  readonly entity: string;
  /** Table of the requests: bill, reason, state, and the amount where one is asked for. */
  readonly table: string;
  readonly withAmount: boolean;
  /** Element of those who decide. */
  readonly element: string;
  readonly label: Label;
  readonly action: string;
  /** SQL of what it is about, of a bill `b`, and its label. */
  readonly about: string;
  readonly aboutLabel: Label;
  readonly amountLabel: Label;
  readonly events: Readonly<Record<'asked' | 'passed' | 'refused' | 'withdrawn', Label>>;
  readonly waits: Label;
  /** Carries it out over the locked bill; what it says is noted. */
  readonly pass: (outcome: ApprovalOutcome, bill: BillRecord, request: BillRequest) => Promise<string>;
}

/** The approval of requests about bills: whoever asked does not decide. */
export function billApproval(spec: BillRequestSpec) {
  const audit = `${CHARGING_MENU}:${spec.element}`;
  const sight = listSight({
    entity: spec.entity,
    menu: CHARGING_MENU,
    table: spec.table,
    scope: SCOPE,
  });
  const read = (db: Executor, id: number) =>
    runOne<BillRequest>(
      db,
      `SELECT w.id, w.bill_id, ${spec.withAmount ? 'w.amount' : spec.about} AS amount, w.reason, b.code, ${spec.about} AS owed FROM ${spec.table} w JOIN bill b ON b.id = w.bill_id WHERE w.id = $1`,
      [id],
    );

  async function end(outcome: ApprovalOutcome, state: 'passed' | 'refused' | 'withdrawn'): Promise<void> {
    const { tx, bizId, caller, opinion } = outcome;
    const request = (await read(tx, bizId))!;
    await run(tx, `UPDATE ${spec.table} SET state = $2, ended_at = now() WHERE id = $1`, [bizId, state]);
    const [bill] = await readBills(tx, [request.bill_id], true);
    const note = state === 'passed' ? await spec.pass(outcome, bill!, request) : '';
    await run(tx, 'UPDATE bill SET version = version + 1, updated_at = now() WHERE id = $1', [
      request.bill_id,
    ]);
    outcome.platform.changed('bill');
    const by = caller.staffId === 0 ? {} : { caller };
    await writeTimeline(tx, {
      entity: 'bill',
      entityId: request.bill_id,
      ...by,
      action: spec.action,
      label: spec.events[state],
      remark: [yuanFromFen(request.amount), note, opinion].filter(Boolean).join(' · '),
    });
    await writeAudit(tx, {
      ...by,
      facts: outcome.facts,
      menu: CHARGING_MENU,
      action: `${spec.action}.${state}`,
      entity: 'bill',
      entityId: request.bill_id,
      after: { amount: request.amount, note, opinion },
    });
  }

  const approval: ApprovalKind = {
    kind: spec.kind,
    label: spec.label,
    entity: spec.entity,
    sights: { toDecide: sight, outcome: sight },
    moves: true,
    fields: [
      {
        name: 'amount',
        label: [`${spec.amountLabel[0]}（元）`, `${spec.amountLabel[1]} (yuan)`],
        kind: 'number',
      },
    ],
    facts: async (db, bizId) => ({ amount: ((await read(db, bizId))?.amount ?? 0) / 100 }),
    snapshot: async (db, bizId) => {
      const row = (await read(db, bizId))!;
      const said = (field: string, label: Label, value: string) => ({
        field,
        label,
        value: [value, value] as const,
      });
      return [
        {
          title: spec.label,
          values: [
            said('bill', ['账单', 'Bill'], row.code),
            said('owed', spec.aboutLabel, yuanFromFen(row.owed)),
            ...(spec.withAmount ? [said('amount', spec.amountLabel, yuanFromFen(row.amount))] : []),
            said('reason', ['原因', 'Reason'], row.reason),
          ],
        },
      ];
    },
    samples: async (db, caller) => {
      const parameters = new Parameters();
      const seen = scopeCondition(caller, CHARGING_MENU, SCOPE, parameters);
      return run<{ id: number; title: string }>(
        db,
        `SELECT t.id, b.code AS title FROM ${spec.table} t JOIN bill b ON b.id = t.bill_id WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
        parameters.values,
      );
    },
    route: () => `/companymanager/${CHARGING_MENU}`,
    approvers: (tx, subject) => holdersOf(tx, subject.tenantId, audit, [subject.starterId]),
    decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
      Promise.resolve(new Set(decider.elements.has(audit) ? subjects.map((subject) => subject.bizId) : [])),
    onApproved: (outcome) => end(outcome, 'passed'),
    onRejected: (outcome) => end(outcome, 'refused'),
    onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
  };

  /** Hands a request for the locked bill in. Throws 30101 while another one of the bill waits. */
  async function ask(context: ActionContext, amount: number): Promise<ActionResult> {
    const { tx, platform, caller, facts, id, row } = context;
    const reason = String(context.input.reason);
    const made = await runOne<{ id: number }>(
      tx,
      `INSERT INTO ${spec.table} (bill_id, reason, created_by${spec.withAmount ? ', amount' : ''}) VALUES ($1, $2, $3${spec.withAmount ? ', $4' : ''})
       ON CONFLICT (bill_id) WHERE state = 'waiting' DO NOTHING RETURNING id`,
      [id, reason, staffIdOf(caller), ...(spec.withAmount ? [amount] : [])],
    );
    if (!made) throw ruleBroken(spec.waits);
    const money = yuanFromFen(amount);
    await submitApproval(
      tx,
      platform,
      {
        kind: spec.kind,
        bizId: made.id,
        tenantId: Number(row.tenant_id),
        projectId: Number(row.project_id),
        title: [`${spec.label[0]} ${String(row.code)}`, `${spec.label[1]} ${String(row.code)}`],
        summary: [
          { label: spec.amountLabel, value: [`¥${money}`, `¥${money}`] },
          { label: ['原因', 'Reason'], value: [reason, reason] },
        ],
        starterId: caller.staffId,
      },
      { caller, facts },
    );
    return { to: String(row.state), event: spec.events.asked, remark: `${money} · ${reason}` };
  }

  return { approval, sight, ask };
}
