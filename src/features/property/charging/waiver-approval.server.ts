import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { readBills, waiveLateFee } from '../../../domain/charging/bill-record.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

/** Word of the approval engine. */
const WAIVER = 'late_fee_waiver';
const AUDIT = `${CHARGING_MENU}:btn_waiveAudit`;

/** A waiver (`t`) stands where its bill does. */
const SCOPE: ScopeColumns = {
  tenant: '(SELECT b.tenant_id FROM bill b WHERE b.id = t.bill_id)',
  project: '(SELECT b.project_id FROM bill b WHERE b.id = t.bill_id)',
  owner: 't.created_by',
};

/** Waivers as those read of them who see the bill. */
export const waiverSight = listSight({
  entity: 'lateFeeWaiver',
  menu: CHARGING_MENU,
  table: 'late_fee_waiver',
  scope: SCOPE,
});

interface WaiverRow {
  readonly id: number;
  readonly bill_id: number;
  readonly amount: number;
  readonly reason: string;
  readonly code: string;
  readonly owed: number;
}

const readWaiver = (db: Executor, id: number) =>
  runOne<WaiverRow>(
    db,
    `SELECT w.id, w.bill_id, w.amount, w.reason, b.code, b.owed_late_fee AS owed FROM late_fee_waiver w JOIN bill b ON b.id = w.bill_id WHERE w.id = $1`,
    [id],
  );

/** Late-fee waivers above `fee.waive.auto`; whoever asked for it does not decide. Source: group 06, Must show 12. */
export const waiverApproval: ApprovalKind = {
  kind: WAIVER,
  label: ['滞纳金减免', 'Late fee waiver'],
  entity: 'lateFeeWaiver',
  sights: { toDecide: waiverSight, outcome: waiverSight },
  moves: true,
  fields: [{ name: 'amount', label: ['减免金额（元）', 'Waived (yuan)'], kind: 'number' }],
  facts: async (db, bizId) => ({ amount: ((await readWaiver(db, bizId))?.amount ?? 0) / 100 }),
  snapshot: async (db, bizId) => {
    const row = (await readWaiver(db, bizId))!;
    const said = (field: string, label: readonly [string, string], value: string) => ({
      field,
      label,
      value: [value, value] as const,
    });
    return [
      {
        title: ['滞纳金减免', 'Late fee waiver'],
        values: [
          said('bill', ['账单', 'Bill'], row.code),
          said('owed', ['未缴滞纳金', 'Unpaid late fee'], yuanFromFen(row.owed)),
          said('amount', ['减免金额', 'Waived'], yuanFromFen(row.amount)),
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
      `SELECT t.id, b.code AS title FROM late_fee_waiver t JOIN bill b ON b.id = t.bill_id WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/companymanager/${CHARGING_MENU}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(outcome, 'passed'),
  onRejected: (outcome) => end(outcome, 'refused'),
  onWithdrawn: (outcome) => end(outcome, 'withdrawn'),
};

const EVENTS = {
  passed: ['减免通过', 'Waiver approved'],
  refused: ['减免驳回', 'Waiver refused'],
  withdrawn: ['撤回减免', 'Waiver withdrawn'],
} as const;

async function end(outcome: ApprovalOutcome, state: keyof typeof EVENTS): Promise<void> {
  const { tx, bizId, caller, opinion } = outcome;
  const waiver = (await readWaiver(tx, bizId))!;
  await run(tx, 'UPDATE late_fee_waiver SET state = $2, ended_at = now() WHERE id = $1', [bizId, state]);
  if (state === 'passed') {
    const [bill] = await readBills(tx, [waiver.bill_id], true);
    // Paid in between: what is left of it is waived.
    const amount = Math.min(waiver.amount, bill!.owed_late_fee);
    if (bill!.state !== 'void' && amount > 0)
      await waiveLateFee(tx, bill!, { amount, reason: waiver.reason, staffId: staffIdOf(caller) });
  }
  await run(tx, 'UPDATE bill SET version = version + 1, updated_at = now() WHERE id = $1', [waiver.bill_id]);
  outcome.platform.changed('bill');
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: 'bill',
    entityId: waiver.bill_id,
    ...by,
    action: 'waive',
    label: EVENTS[state],
    remark: [yuanFromFen(waiver.amount), opinion].filter(Boolean).join(' · '),
  });
  await writeAudit(tx, {
    ...by,
    facts: outcome.facts,
    menu: CHARGING_MENU,
    action: `waive.${state}`,
    entity: 'bill',
    entityId: waiver.bill_id,
    after: { amount: waiver.amount, opinion },
  });
}

/** Hands a waiver in for approval. Throws 30101 while another one of the bill waits. */
export async function askWaiver(
  { tx, platform, caller, facts, id, row, input }: ActionContext,
  owed: number,
): Promise<ActionResult> {
  const amount = Number(input.amount);
  if (amount > owed) throw ruleBroken(['减免金额超过未缴滞纳金', 'More than the unpaid late fee']);
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO late_fee_waiver (bill_id, amount, reason, created_by) VALUES ($1, $2, $3, $4) ON CONFLICT (bill_id) WHERE state = 'waiting' DO NOTHING RETURNING id`,
    [id, amount, input.reason, staffIdOf(caller)],
  );
  if (!made) throw ruleBroken(['已有待审批的减免', 'A waiver of it waits for approval already']);
  const money = yuanFromFen(amount);
  await submitApproval(
    tx,
    platform,
    {
      kind: WAIVER,
      bizId: made.id,
      tenantId: Number(row.tenant_id),
      projectId: Number(row.project_id),
      title: [`滞纳金减免 ${String(row.code)}`, `Late fee waiver ${String(row.code)}`],
      summary: [
        { label: ['减免金额', 'Waived'], value: [`¥${money}`, `¥${money}`] },
        { label: ['原因', 'Reason'], value: [String(input.reason), String(input.reason)] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return {
    to: String(row.state),
    event: ['提交减免审批', 'Waiver handed in for approval'],
    remark: `${money} · ${String(input.reason)}`,
  };
}
