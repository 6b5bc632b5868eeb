import type { Label } from '../../kernel/contract/label.ts';
import { writeAudit, writeTimeline } from '../../kernel/server/audit/audit.ts';
import { SYSTEM_NAME, type Caller, type RequestFacts } from '../../kernel/server/people/caller.ts';
import type { ScopeColumns } from '../../kernel/server/people/scope.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { afterBusinessHours } from '../business-calendar/business-hours.server.ts';
import { writeOrderEvent } from '../checkout/order-log.server.ts';
import { listSight } from '../notification/row-sight.server.ts';
import {
  CASE_ENTITY,
  CASE_HANDLED,
  CASE_MENU,
  DECOR_CASE_ENTITY,
  DECOR_CASE_MENU,
  type CaseReason,
  type CaseState,
  type CaseType,
} from './case.rules.ts';

/** Where a case stands, with the row as `t`. */
export const CASE_SCOPE: ScopeColumns = {
  tenant: 't.tenant_id',
  project: 't.project_id',
  owner: 't.created_by',
};

/** SQL: cases (`t`) of goods and services; those of decor orders have a screen of their own. */
export const NOT_DECOR = `t.order_kind <> 'home_decor'`;

/** Cases as their list shows them. */
export const caseSight = listSight({
  entity: CASE_ENTITY,
  menu: CASE_MENU,
  table: 'after_sale',
  where: NOT_DECOR,
  scope: CASE_SCOPE,
});

/** A row of after_sale; amounts in fen. */
export interface CaseRecord {
  readonly id: number;
  readonly code: string;
  readonly order_id: number;
  readonly order_kind: string;
  readonly tenant_id: number;
  readonly project_id: number;
  readonly member_id: number;
  readonly type: CaseType;
  readonly state: CaseState;
  readonly reason_code: CaseReason;
  readonly reason: string;
  readonly applicant_type: 1 | 2;
  readonly applicant_id: number | null;
  readonly applied_at: Date;
  readonly applied_cash: number;
  readonly suggested_cash: number;
  readonly agreed_cash: number | null;
  readonly agreed_of: number | null;
  readonly agreed_reason: string;
  readonly liable: 'merchant' | 'platform';
  readonly escalated: boolean;
  readonly final: boolean;
  readonly decided_at: Date | null;
  readonly audit_minutes: number | null;
  readonly refused_at: Date | null;
  readonly deadline: Date | null;
  readonly return_address: ReturnAddressCopy | null;
  readonly inspection: 'pass' | 'partial' | 'reject' | null;
  readonly inspected_at: Date | null;
  readonly send_at: Date | null;
  readonly send_tracking: string;
  readonly refund_id: number | null;
}

/** A return address as a case keeps it. */
export interface ReturnAddressCopy {
  readonly receiver: string;
  readonly phone: string;
  readonly region: string;
  readonly address: string;
}

/** A line of a case with its order line. */
export interface CaseLine {
  readonly id: number;
  readonly line_id: number;
  readonly qty: number;
  readonly amount: number | null;
  readonly accepted_qty: number | null;
  readonly new_spec_id: number | null;
  readonly spec_id: number;
}

/** A step of a case that is no staff action: of a buyer, of a refund, of the system. */
export interface CaseMove {
  readonly from: readonly CaseState[];
  readonly to: CaseState;
  readonly action: string;
  readonly label: Label;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remark?: string;
  /** Code that also goes to the timeline of the order. */
  readonly code?: number;
  readonly caller?: Caller | undefined;
  readonly facts?: RequestFacts | undefined;
  /** Name where no staff acted; the system when absent. */
  readonly who?: string;
}

/** Locks a case. Throws 404 for an unknown one. */
export async function lockCase(tx: Tx, id: number): Promise<CaseRecord> {
  const row = await runOne<CaseRecord>(tx, 'SELECT * FROM after_sale WHERE id = $1 FOR NO KEY UPDATE', [id]);
  if (!row) throw notFound();
  return row;
}

/** Lines of a case in the order of the order's lines. */
export function caseLines(db: Executor, caseId: number): Promise<CaseLine[]> {
  return run<CaseLine>(
    db,
    `SELECT c.id, c.line_id, c.qty, c.amount, c.accepted_qty, c.new_spec_id, l.spec_id
       FROM after_sale_line c JOIN order_line l ON l.id = c.line_id WHERE c.after_sale_id = $1 ORDER BY l.line_no`,
    [caseId],
  );
}

/**
 * The one transition function of everything that is no staff action: compares the state of a locked case, writes state and
 * columns, both timelines and the audit record. Throws 30101 该售后单已被处理 in another state.
 */
export async function moveCase(tx: Tx, platform: Platform, row: CaseRecord, move: CaseMove): Promise<void> {
  if (!move.from.includes(row.state)) throw ruleBroken(CASE_HANDLED);
  const columns = Object.entries(move.set ?? {});
  await run(
    tx,
    `UPDATE after_sale SET state = $2, version = version + 1, updated_at = now()${columns
      .map(([name], index) => `, "${name}" = $${index + 3}`)
      .join('')} WHERE id = $1`,
    [row.id, move.to, ...columns.map(([, value]) => value)],
  );
  await noteCase(tx, row, move);
  const [entity, menu] =
    row.order_kind === 'home_decor' ? [DECOR_CASE_ENTITY, DECOR_CASE_MENU] : [CASE_ENTITY, CASE_MENU];
  await writeTimeline(tx, {
    entity,
    entityId: row.id,
    caller: move.caller ?? { staffId: null as unknown as number, name: move.who ?? SYSTEM_NAME },
    action: move.action,
    label: move.label,
    from: row.state,
    to: move.to,
    remark: move.remark ?? '',
  });
  await writeAudit(tx, {
    ...(move.caller ? { caller: move.caller } : {}),
    ...(move.facts ? { facts: move.facts } : {}),
    menu,
    action: move.action,
    entity,
    entityId: row.id,
    before: { state: row.state },
    after: { state: move.to, ...move.set },
  });
  platform.changed(entity);
}

/** Appends a step to the case's own timeline and, with a code, to that of its order. */
export async function noteCase(
  tx: Executor,
  row: Pick<CaseRecord, 'id' | 'order_id' | 'state' | 'code'>,
  step: Pick<CaseMove, 'label' | 'to' | 'code' | 'remark' | 'who'> & {
    readonly caller?: Pick<Caller, 'name'> | undefined;
  },
): Promise<void> {
  const who = step.caller?.name ?? step.who ?? SYSTEM_NAME;
  await run(
    tx,
    `INSERT INTO after_sale_event (after_sale_id, from_state, to_state, code, label_zh, label_en, who, remark)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [row.id, row.state, step.to, step.code ?? null, step.label[0], step.label[1], who, step.remark ?? ''],
  );
  if (step.code !== undefined)
    await writeOrderEvent(tx, {
      orderId: row.order_id,
      code: step.code,
      who,
      remark: [row.code, step.remark].filter(Boolean).join(' '),
    });
}

/** When the merchant's answer is due: business hours from now. Source: settings, after_sale.audit_hours, decor.after_sale_hours. */
export async function auditDeadline(
  tx: Executor,
  platform: Platform,
  row: Pick<CaseRecord, 'tenant_id'> & { readonly order_kind?: string },
  from: Date = new Date(),
): Promise<Date> {
  const key = row.order_kind === 'home_decor' ? 'decor.after_sale_hours' : 'after_sale.audit_hours';
  const hours = await platform.settings.numberIn(tx, key, { tenantId: row.tenant_id });
  return afterBusinessHours(tx, from, hours);
}

const DONE: Label = ['退款成功，售后完成', 'Refunded, the case is done'];
const BACK: Label = ['退款取消，退回审核', 'The refund was cancelled, back to review'];

/**
 * A refund of a case has ended: succeeded → 已完成, cancelled → back to 待审核 with the reason. A failure leaves the case
 * where it is. The refund is locked; a case that has moved on meanwhile stays. Source: group 21, states of a case.
 */
export async function followRefund(
  tx: Tx,
  platform: Platform,
  refund: { readonly after_sale_id: number | null; readonly code: string },
  outcome: 'succeeded' | 'cancelled',
  told: { readonly reason?: string; readonly caller?: Caller | undefined } = {},
): Promise<void> {
  if (refund.after_sale_id === null) return;
  const row = await lockCase(tx, refund.after_sale_id);
  if (row.state !== 'refunding') return;
  const caller = told.caller;
  if (outcome === 'succeeded')
    return moveCase(tx, platform, row, {
      from: ['refunding'],
      to: 'done',
      action: 'finish',
      label: DONE,
      set: { ended_at: new Date(), deadline: null },
      remark: refund.code,
      caller,
    });
  return moveCase(tx, platform, row, {
    from: ['refunding'],
    to: 'applied',
    action: 'reopen',
    label: BACK,
    set: {
      agreed_cash: null,
      agreed_of: null,
      agreed_reason: '',
      final: false,
      reminded: 0,
      deadline: row.escalated ? null : await auditDeadline(tx, platform, row),
    },
    remark: [refund.code, told.reason].filter(Boolean).join(' · '),
    caller,
  });
}
