import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Day } from './calendar.rules.ts';
import { lateFeeOn, type LateFee, type LateFeeFacts, type LateFeeTerms } from './late-fee.rules.ts';

/** A bill as the commands of charging read it; money in fen. */
export interface BillRecord {
  readonly id: number;
  readonly code: string;
  readonly house_id: number;
  readonly project_id: number;
  readonly tenant_id: number;
  readonly fee_item_id: number;
  readonly item: string;
  /** How the item is called on receipts. */
  readonly receipt_item: string;
  readonly kind: string;
  readonly position: number;
  readonly prepaid_kind: PrepaidKind;
  readonly deductible: boolean;
  readonly period_from: Day;
  readonly period_to: Day;
  readonly due_date: Day;
  readonly principal: number;
  readonly discount: number;
  readonly adjustment: number;
  readonly late_fee: number;
  readonly late_fee_waived: number;
  readonly paid_principal: number;
  readonly paid_late_fee: number;
  readonly owed_principal: number;
  readonly owed_late_fee: number;
  readonly state: 'unpaid' | 'part' | 'paid' | 'void';
  readonly disputed: boolean;
  readonly terms: LateFeeTerms;
}

/** Prepaid accounts of a house; the narrower is spent first. Source: group 06, Rules of charging 13. */
export const PREPAID_KINDS = {
  property_fee: { label: ['物业费', 'Property fee'] },
  utilities: { label: ['水电', 'Utilities'] },
  general: { label: ['通用', 'General'] },
} as const;
export type PrepaidKind = keyof typeof PREPAID_KINDS;

const COLUMNS = `t.id, t.code, t.house_id, t.project_id, t.tenant_id, t.fee_item_id, i.name AS item, coalesce(nullif(i.receipt_title, ''), i.name) AS receipt_item, i.kind, i.position, i.prepaid_kind, i.deductible,
  t.period_from, t.period_to, t.due_date, t.principal, t.discount, t.adjustment, t.late_fee, t.late_fee_waived, t.paid_principal, t.paid_late_fee,
  t.owed_principal, t.owed_late_fee, t.state, t.disputed, t.terms`;

/** Bills by id, in id order; `lock` takes their row locks in that order. Missing ids are left out. */
export function readBills(db: Executor, ids: readonly number[], lock = false): Promise<BillRecord[]> {
  return run<BillRecord>(
    db,
    `SELECT ${COLUMNS} FROM bill t JOIN fee_item i ON i.id = t.fee_item_id WHERE t.id = ANY($1::bigint[]) ORDER BY t.id ${lock ? 'FOR NO KEY UPDATE OF t' : ''}`,
    [ids],
  );
}

/** Open bills of a house, the oldest first. */
export function openBills(db: Executor, houseId: number): Promise<BillRecord[]> {
  return run<BillRecord>(
    db,
    `SELECT ${COLUMNS} FROM bill t JOIN fee_item i ON i.id = t.fee_item_id WHERE t.house_id = $1 AND t.state IN ('unpaid', 'part') ORDER BY t.due_date, i.position, t.id`,
    [houseId],
  );
}

/** Late fee of bills up to and with a day, from what was paid when and what was in dispute, by the bill's id. */
export async function lateFeesOf(
  db: Executor,
  bills: readonly BillRecord[],
  on: Day,
): Promise<Map<number, LateFee>> {
  const ids = bills.map((one) => one.id);
  const changes = await run<{ bill_id: number; on: Day; amount: number }>(
    db,
    `SELECT bill_id, value_date::text AS on, -sum(amount)::bigint AS amount FROM bill_allocation WHERE bill_id = ANY($1::bigint[]) AND kind = 'principal' GROUP BY 1, 2
     UNION ALL
     SELECT bill_id, on_day::text, sum(CASE WHEN kind = 'discount' THEN -amount ELSE amount END)::bigint FROM bill_line
      WHERE bill_id = ANY($1::bigint[]) AND kind IN ('adjustment', 'discount') GROUP BY 1, 2`,
    [ids],
  );
  const disputes = await run<{ bill_id: number; from: Day; to: Day | null }>(
    db,
    `SELECT bill_id, from_day::text AS from, to_day::text AS to FROM bill_dispute WHERE bill_id = ANY($1::bigint[])`,
    [ids],
  );
  const [changesOf, disputesOf] = [byBill(changes), byBill(disputes)];
  return new Map(
    bills.map((bill) => {
      const facts: LateFeeFacts = {
        dueDate: bill.due_date,
        billed: bill.principal,
        changes: changesOf.get(bill.id) ?? [],
        disputes: disputesOf.get(bill.id) ?? [],
      };
      return [bill.id, lateFeeOn(bill.terms, facts, on)];
    }),
  );
}

function byBill<T extends { readonly bill_id: number }>(rows: readonly T[]): Map<number, T[]> {
  const found = new Map<number, T[]>();
  for (const row of rows) {
    const of = found.get(row.bill_id);
    if (of) of.push(row);
    else found.set(row.bill_id, [row]);
  }
  return found;
}

/**
 * Late fee a bill bears after a correction: what is calculated, never less than what was waived and paid of it already, whose
 * return is a refund.
 */
export const lateFeeNow = (bill: BillRecord, fee: LateFee): number =>
  Math.max(fee.amount, bill.late_fee_waived + bill.paid_late_fee);

/**
 * Posts what the late fee of locked bills differs by from what stands on them, as one line each. Nothing is edited: a back-dated
 * payment gives a negative line. Returns how many bills changed. Source: group 06, Rules of charging 6.
 */
export async function postLateFees(
  tx: Tx,
  bills: readonly BillRecord[],
  fees: ReadonlyMap<number, LateFee>,
  on: Day,
  staffId: number | null = null,
): Promise<number> {
  const changed = bills
    .map((bill) => ({ id: bill.id, by: lateFeeNow(bill, fees.get(bill.id)!) - bill.late_fee }))
    .filter((one) => one.by !== 0);
  if (changed.length === 0) return 0;
  await run(
    tx,
    `WITH w AS (SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS w (id, by)),
     noted AS (INSERT INTO bill_line (bill_id, kind, amount, on_day, staff_id) SELECT id, 'late_fee', by, $3, $4 FROM w)
     UPDATE bill b SET late_fee = b.late_fee + w.by, updated_at = now(),
       state = ${stateSql('b.owed_principal + b.owed_late_fee + w.by', 'b.paid_principal + b.paid_late_fee')}
       FROM w WHERE b.id = w.id`,
    [changed.map((one) => one.id), changed.map((one) => one.by), on, staffId],
  );
  return changed.length;
}

/** SQL of the state of a bill that is not void, by what it owes and what was paid. */
export const stateSql = (owed: string, paid: string): string =>
  `CASE WHEN ${owed} = 0 THEN 'paid' WHEN ${paid} > 0 THEN 'part' ELSE 'unpaid' END`;

/** What a payment had put on a bill, to be taken back; in fen. */
export interface TakenBack {
  readonly bill: number;
  readonly kind: string;
  readonly amount: number;
  /** The day it no longer counts as paid from. */
  readonly day: Day;
}

/** Takes allocations of a payment back from locked bills, which open again; `refundPaymentId` is the negative receipt of a refund. */
export async function takeAllocationsBack(
  tx: Tx,
  paymentId: number,
  parts: readonly TakenBack[],
  refundPaymentId: number | null = null,
): Promise<void> {
  await run(
    tx,
    `WITH w AS (SELECT * FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::date[]) AS w (bill, kind, amount, day)),
     noted AS (INSERT INTO bill_allocation (payment_id, bill_id, kind, amount, value_date, refund_payment_id) SELECT $1, bill, kind, -amount, day, $2 FROM w),
     s AS (SELECT bill, coalesce(sum(amount) FILTER (WHERE kind = 'principal'), 0)::bigint AS principal, coalesce(sum(amount) FILTER (WHERE kind = 'late_fee'), 0)::bigint AS late FROM w GROUP BY 1)
     UPDATE bill b SET paid_principal = b.paid_principal - s.principal, paid_late_fee = b.paid_late_fee - s.late, version = b.version + 1, updated_at = now(),
       state = ${stateSql('b.owed_principal + b.owed_late_fee + s.principal + s.late', 'b.paid_principal + b.paid_late_fee - s.principal - s.late')}
       FROM s WHERE b.id = s.bill`,
    [
      paymentId,
      refundPaymentId,
      parts.map((one) => one.bill),
      parts.map((one) => one.kind),
      parts.map((one) => one.amount),
      parts.map((one) => one.day),
    ],
  );
}

/** Bills whose late fee may have changed on a day: overdue, open and not in dispute, behind an id. */
export async function overdueBills(db: Executor, on: Day, after: number, limit: number): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT id FROM bill WHERE state IN ('unpaid', 'part') AND NOT disputed AND due_date < $1 AND owed_principal > 0 AND id > $2 ORDER BY id LIMIT $3`,
    [on, after, limit],
  );
  return rows.map((one) => one.id);
}

/** Changes the principal of a locked bill by a signed amount with a reason; never below what was paid. */
export async function adjustBill(
  tx: Tx,
  bill: BillRecord,
  by: { readonly amount: number; readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  if (by.amount === 0) throw ruleBroken(['调整金额不能为0', 'The adjustment is not 0']);
  if (bill.owed_principal + by.amount < 0)
    throw ruleBroken(['调整后本金低于已缴金额', 'The principal would fall below what was paid']);
  await addLine(tx, bill.id, 'adjustment', by.amount, by.reason, by.staffId);
  await run(
    tx,
    `UPDATE bill SET adjustment = adjustment + $2, state = ${stateSql('owed_principal + owed_late_fee + $2', 'paid_principal + paid_late_fee')} WHERE id = $1`,
    [bill.id, by.amount],
  );
}

/** Waives a part of the unpaid late fee of a locked bill. The late-fee lines stay. Source: group 06, Must show 12. */
export async function waiveLateFee(
  tx: Tx,
  bill: BillRecord,
  by: { readonly amount: number; readonly reason: string; readonly staffId: number | null },
): Promise<void> {
  if (by.amount <= 0 || by.amount > bill.owed_late_fee)
    throw ruleBroken(['减免金额超过未缴滞纳金', 'More than the unpaid late fee']);
  await addLine(tx, bill.id, 'late_fee_waiver', by.amount, by.reason, by.staffId);
  await run(
    tx,
    `UPDATE bill SET late_fee_waived = late_fee_waived + $2, state = ${stateSql('owed_principal + owed_late_fee - $2', 'paid_principal + paid_late_fee')} WHERE id = $1`,
    [bill.id, by.amount],
  );
}

/** Starts or ends a dispute of a locked bill; days in it never bear late fee. */
export async function disputeBill(tx: Tx, bill: BillRecord, reason: string): Promise<void> {
  const today = businessDayOf(new Date());
  const open = await runOne(
    tx,
    'UPDATE bill_dispute SET to_day = greatest(from_day, $2::date) WHERE bill_id = $1 AND to_day IS NULL RETURNING id',
    [bill.id, today],
  );
  if (!open)
    await run(tx, 'INSERT INTO bill_dispute (bill_id, from_day, reason) VALUES ($1, $2, $3)', [
      bill.id,
      today,
      reason,
    ]);
  await run(tx, 'UPDATE bill SET disputed = $2 WHERE id = $1', [bill.id, !open]);
}

async function addLine(
  tx: Tx,
  billId: number,
  kind: 'adjustment' | 'late_fee_waiver' | 'discount',
  amount: number,
  note: string,
  staffId: number | null,
): Promise<void> {
  await run(
    tx,
    'INSERT INTO bill_line (bill_id, kind, amount, on_day, note, staff_id) VALUES ($1, $2, $3, $4, $5, $6)',
    [billId, kind, amount, businessDayOf(new Date()), note, staffId],
  );
}

/** Notes the principal a bill that is written singly begins with. */
export async function notePrincipal(
  tx: Tx,
  bill: {
    readonly id: number;
    readonly amount: number;
    readonly on: Day;
    readonly note?: string;
    readonly staffId: number | null;
  },
): Promise<void> {
  await run(
    tx,
    `INSERT INTO bill_line (bill_id, kind, amount, on_day, note, staff_id) VALUES ($1, 'principal', $2, $3, $4, $5)`,
    [bill.id, bill.amount, bill.on, bill.note ?? '', bill.staffId],
  );
}
