import type {
  ApprovalKind,
  ApprovalOutcome,
  ApprovalSubject,
  Decider,
} from '../../../domain/approval/approval-kind.server.ts';
import { submitApproval } from '../../../domain/approval/approve.server.ts';
import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { PARKING_MENU } from './parking-order.contract.ts';

const AUDIT = `${PARKING_MENU}:btn_audit`;
const LABEL: Label = ['停车欠费减免', 'Parking waiver'];

/** A request (`t`) stands where its order does. */
const SCOPE = residentScope(
  '(SELECT o.project_id FROM parking_order o WHERE o.id = t.order_id)',
  't.created_by',
);

/** Requests as those read of them who see parking orders. */
export const waiverSight = listSight({
  entity: 'parkingWaiver',
  menu: PARKING_MENU,
  table: 'parking_waiver',
  scope: SCOPE,
});

interface Waiver {
  readonly id: number;
  readonly order_id: number;
  readonly amount: number;
  readonly reason: string;
  readonly code: string;
  readonly plate: string;
  readonly state: string;
}

const readWaiver = (db: Executor, id: number) =>
  runOne<Waiver>(
    db,
    `SELECT w.id, w.order_id, w.amount, w.reason, o.code, o.plate, o.state FROM parking_waiver w JOIN parking_order o ON o.id = w.order_id WHERE w.id = $1`,
    [id],
  );

/** Waivers above the limit; whoever asked does not decide. Source: group 16, mk_parkOrder. */
export const waiverApproval = (bound: () => BoundResource): ApprovalKind => ({
  kind: 'parking_waive',
  label: LABEL,
  entity: 'parkingWaiver',
  sights: { toDecide: waiverSight, outcome: waiverSight },
  moves: true,
  fields: [{ name: 'amount', label: ['金额（元）', 'Amount (yuan)'], kind: 'number' }],
  facts: async (db, bizId) => ({ amount: ((await readWaiver(db, bizId))?.amount ?? 0) / 100 }),
  snapshot: async (db, bizId) => {
    const row = (await readWaiver(db, bizId))!;
    const said = (field: string, label: Label, value: string) => ({
      field,
      label,
      value: [value, value] as const,
    });
    return [
      {
        title: LABEL,
        values: [
          said('order', ['停车订单', 'Parking order'], row.code),
          said('plate', ['车牌', 'Plate'], row.plate),
          said('amount', ['减免金额', 'Waived'], `¥${yuanFromFen(row.amount)}`),
          said('reason', ['原因', 'Reason'], row.reason),
        ],
      },
    ];
  },
  samples: async (db, caller) => {
    const parameters = new Parameters();
    const seen = scopeCondition(caller, PARKING_MENU, SCOPE, parameters);
    return run<{ id: number; title: string }>(
      db,
      `SELECT t.id, o.code AS title FROM parking_waiver t JOIN parking_order o ON o.id = t.order_id WHERE ${seen} ORDER BY t.id DESC LIMIT 20`,
      parameters.values,
    );
  },
  route: () => `/marketing/${PARKING_MENU}`,
  approvers: (tx, subject) => holdersOf(tx, subject.tenantId, AUDIT, [subject.starterId]),
  decidable: (_db: Executor, decider: Decider, subjects: readonly ApprovalSubject[]) =>
    Promise.resolve(new Set(decider.elements.has(AUDIT) ? subjects.map((subject) => subject.bizId) : [])),
  onApproved: (outcome) => end(bound(), outcome, 'passed'),
  onRejected: (outcome) => end(bound(), outcome, 'refused'),
  onWithdrawn: (outcome) => end(bound(), outcome, 'withdrawn'),
});

const EVENTS = {
  passed: ['欠费减免审批通过', 'Waiver approved'],
  refused: ['欠费减免审批驳回', 'Waiver refused'],
  withdrawn: ['撤回欠费减免审批', 'Waiver withdrawn'],
} as const satisfies Readonly<Record<string, Label>>;

async function end(
  bound: BoundResource,
  { tx, platform, bizId, caller, opinion, facts }: ApprovalOutcome,
  state: keyof typeof EVENTS,
): Promise<void> {
  const waiver = (await readWaiver(tx, bizId))!;
  await run(tx, 'UPDATE parking_waiver SET state = $2, ended_at = now() WHERE id = $1', [bizId, state]);
  if (state === 'passed')
    await bound.actAsSystem(tx, platform, 'waived', waiver.order_id, { amount: yuanFromFen(waiver.amount) });
  platform.changed('parkingOrder');
  const by = caller.staffId === 0 ? {} : { caller };
  await writeTimeline(tx, {
    entity: 'parkingOrder',
    entityId: waiver.order_id,
    ...by,
    action: 'waive',
    label: EVENTS[state],
    remark: [yuanFromFen(waiver.amount), opinion].filter(Boolean).join(' · '),
  });
  await writeAudit(tx, {
    ...by,
    facts,
    menu: PARKING_MENU,
    action: `waive.${state}`,
    entity: 'parkingOrder',
    entityId: waiver.order_id,
    after: { amount: waiver.amount, opinion },
  });
}

/** Small waivers count at once, larger ones wait for somebody else. Throws 30101 while another one of the order waits. */
export async function waive(context: ActionContext): Promise<ActionResult> {
  const { tx, platform, row, input, caller, id, facts } = context;
  const amount = Number(input.amount);
  const reason = String(input.reason);
  const owed = Number(row.owed);
  if (amount > owed) throw invalid({ amount: ['不能超过欠费', 'More than what is owed'] });
  const limit = await platform.settings.numberIn(tx, 'parking.waive.limit', {
    projectId: Number(row.project_id),
  });
  const money = yuanFromFen(amount);
  const waiting = await runOne(
    tx,
    `SELECT id FROM parking_waiver WHERE order_id = $1 AND state = 'waiting'`,
    [id],
  );
  if (waiting) throw ruleBroken(['已有待审批的减免', 'A waiver of it waits for approval already']);
  // Pieces add up.
  if (amount + Number(row.waived) <= limit)
    return {
      set: { owed: owed - amount, waived: Number(row.waived) + amount },
      remark: `${money} · ${reason}`,
    };
  const made = await runOne<{ id: number }>(
    tx,
    `INSERT INTO parking_waiver (order_id, amount, reason, created_by) VALUES ($1, $2, $3, $4) RETURNING id`,
    [id, amount, reason, staffIdOf(caller)],
  );
  await submitApproval(
    tx,
    platform,
    {
      kind: 'parking_waive',
      bizId: made!.id,
      tenantId: caller.tenantId,
      projectId: Number(row.project_id),
      title: [`${LABEL[0]} ${String(row.code)}`, `${LABEL[1]} ${String(row.code)}`],
      summary: [
        { label: ['减免金额', 'Waived'], value: [`¥${money}`, `¥${money}`] },
        { label: ['车牌', 'Plate'], value: [String(row.plate), String(row.plate)] },
        { label: ['原因', 'Reason'], value: [reason, reason] },
      ],
      starterId: caller.staffId,
    },
    { caller, facts },
  );
  return { event: ['提交欠费减免审批', 'Waiver handed in for approval'], remark: `${money} · ${reason}` };
}
