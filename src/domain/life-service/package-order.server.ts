import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { addDays, daysBetween } from '../../kernel/contract/time.rules.ts';
import { creditPrepaid } from '../receivable/receipt.server.ts';
import { endReceivables, issueReceivable, lockReceivables } from '../receivable/receivable.server.ts';
import {
  cancellation,
  elapsedDays,
  schedule,
  SETTLEMENT_DAYS,
  SETTLEMENT_PERIOD,
  termEnd,
  type Cancellation,
} from './package-order.rules.ts';
import type { PackageTerms } from './package.rules.ts';

/** An order as the commands read it behind its lock; money is fen, days are business days. */
export interface PackageOrderRow {
  readonly id: number;
  readonly code: string;
  readonly payer_id: number;
  readonly project_id: number;
  readonly version_id: number;
  readonly plan: string;
  readonly total: number;
  readonly credit: number;
  readonly start_on: string | null;
  readonly end_on: string | null;
  readonly paused_days: number;
  readonly pause_kind: string | null;
  readonly paused_on: string | null;
  readonly seller_id: number;
  readonly changed_from: number | null;
  readonly state: string;
}

/** The terms an order was sold under. */
export async function termsOfVersion(db: Executor, versionId: number): Promise<PackageTerms> {
  const row = await runOne<{ terms: PackageTerms }>(
    db,
    'SELECT terms FROM service_package_version WHERE id = $1',
    [versionId],
  );
  return row!.terms;
}

/** What an order may use, as its version says. Before it is confirmed its package may change: the items follow. */
export async function writeItems(tx: Tx, orderId: number, terms: PackageTerms): Promise<void> {
  await run(tx, 'DELETE FROM package_order_item WHERE order_id = $1', [orderId]);
  for (const [position, item] of terms.items.entries())
    await run(
      tx,
      'INSERT INTO package_order_item (order_id, position, name, times, list_price) VALUES ($1, $2, $3, $4, $5)',
      [orderId, position, item.name, item.times, item.listPrice],
    );
}

/** Issues a receivable for each part of the plan, once per part. */
export async function issuePlan(
  tx: Tx,
  order: PackageOrderRow,
  today: string,
  staffId: number | null,
): Promise<void> {
  const parts = schedule(order.total, order.plan, today);
  for (const [index, part] of parts.entries())
    await issueReceivable(tx, {
      source: 'package',
      sourceId: order.id,
      sourceCode: order.code,
      payerId: order.payer_id,
      projectId: order.project_id,
      periodNo: index + 1,
      postedOn: today,
      dueOn: part.dueOn,
      principal: part.amount,
      ownerId: order.seller_id,
      staffId,
      remark: `第 ${index + 1}/${parts.length} 期`,
    });
}

/**
 * State and term after the first part is paid: it begins at once, at the day that was set, or waits for the first use. A day that
 * passed meanwhile gives the whole term from today.
 */
export function termAfterPayment(
  terms: Pick<PackageTerms, 'startRule' | 'firstUseDays' | 'validity' | 'validityUnit'>,
  startOn: string | null,
  today: string,
): { readonly to: 'to_start' | 'in_service'; readonly set: Readonly<Record<string, string | null>> } {
  if (startOn === null && terms.startRule === 'first_use')
    return { to: 'to_start', set: { start_by: addDays(today, terms.firstUseDays ?? 0) } };
  const start = startOn !== null && startOn > today ? startOn : today;
  const set = { start_on: start, end_on: termEnd(start, terms.validity, terms.validityUnit) };
  return { to: start > today ? 'to_start' : 'in_service', set };
}

const CHAIN = `WITH RECURSIVE chain AS (SELECT $1::bigint AS id UNION SELECT o.changed_from FROM package_order o JOIN chain c ON c.id = o.id WHERE o.changed_from IS NOT NULL)`;

/**
 * Locks the receivables an order and those it was changed from were paid by, so that no receipt is confirmed or reversed between
 * what is reckoned and what is paid back.
 */
export async function lockOrderMoney(tx: Tx, orderId: number): Promise<void> {
  const rows = await run<{ id: number }>(
    tx,
    `${CHAIN} SELECT id FROM receivable WHERE source_kind = 'package' AND source_id IN (SELECT id FROM chain)`,
    [orderId],
  );
  await lockReceivables(
    tx,
    rows.map((row) => row.id),
  );
}

/** Reckons what cancelling an order on a day means; whoever carries it out holds its money ({@link lockOrderMoney}). */
export async function cancellationOf(
  db: Executor,
  order: PackageOrderRow,
  today: string,
): Promise<Cancellation> {
  const terms = await termsOfVersion(db, order.version_id);
  const sums = (await runOne<{ received: number; used: number }>(
    db,
    `SELECT coalesce((SELECT sum(a.principal) FROM receipt_allocation a JOIN receipt c ON c.id = a.receipt_id AND c.state = 'confirmed'
              JOIN receivable r ON r.id = a.receivable_id WHERE r.source_kind = 'package' AND r.source_id = $1), 0)::bigint AS received,
            coalesce((SELECT sum(i.used * i.list_price) FROM package_order_item i WHERE i.order_id = $1), 0)::bigint AS used`,
    [order.id],
  ))!;
  const began = order.state === 'in_service' || order.state === 'paused';
  const term = began
    ? {
        startOn: order.start_on!,
        pausedDays: order.paused_days,
        pausedOn: order.pause_kind === 'request' ? order.paused_on : null,
      }
    : undefined;
  return cancellation({
    method: terms.refundMethod,
    worth: order.total + order.credit,
    paid: sums.received + order.credit,
    feeBp: Math.round(Number(terms.cancelFee) * 100),
    usedList: sums.used,
    elapsedDays: term ? elapsedDays(term, today) : 0,
    termDays: term ? daysBetween(order.start_on!, order.end_on!) - order.paused_days : 1,
    began,
    unpaid: order.state === 'draft' || order.state === 'pending_first',
  });
}

/**
 * Books the end of an order: open receivables end, what is due back is refunded by the ways it came in, oldest first, what is
 * still to be paid is a receivable of its own. With `credited` that much goes into another order instead of back. Returns the
 * refund in fen.
 */
export async function settleOrder(
  tx: Tx,
  order: PackageOrderRow,
  due: { readonly dueBack: number; readonly credited?: true },
  by: { readonly today: string; readonly staffId: number | null },
): Promise<number> {
  await endReceivables(
    tx,
    { source: 'package', sourceId: order.id },
    { note: '退订结清', staffId: by.staffId },
  );
  if (due.dueBack < 0)
    await issueReceivable(tx, {
      source: 'package',
      sourceId: order.id,
      sourceCode: order.code,
      payerId: order.payer_id,
      projectId: order.project_id,
      periodNo: SETTLEMENT_PERIOD,
      postedOn: by.today,
      dueOn: addDays(by.today, SETTLEMENT_DAYS),
      principal: -due.dueBack,
      ownerId: order.seller_id,
      staffId: by.staffId,
      remark: '结算补收',
    });
  if (due.dueBack <= 0 || due.credited) return 0;
  return refund(tx, order, due.dueBack, by.staffId);
}

/** Spreads a refund over the receipts of an order and of those it was changed from, first in first out. */
async function refund(
  tx: Tx,
  order: PackageOrderRow,
  amount: number,
  staffId: number | null,
): Promise<number> {
  const receipts = await run<{ id: number; method: string; left: number }>(
    tx,
    // A receipt may have paid orders beside these, whose refunds are not theirs.
    `${CHAIN}
     SELECT c.id, c.method, (sum(a.principal) - coalesce((SELECT sum(f.amount) FROM package_refund f
              WHERE f.receipt_id = c.id AND f.order_id IN (SELECT id FROM chain)), 0))::bigint AS left
       FROM receipt c JOIN receipt_allocation a ON a.receipt_id = c.id JOIN receivable r ON r.id = a.receivable_id
      WHERE c.state = 'confirmed' AND c.reversal_of IS NULL AND NOT EXISTS (SELECT FROM receipt v WHERE v.reversal_of = c.id)
        AND r.source_kind = 'package' AND r.source_id IN (SELECT id FROM chain)
      GROUP BY c.id ORDER BY c.received_on, c.id`,
    [order.id],
  );
  let rest = amount;
  for (const receipt of receipts) {
    const part = Math.min(rest, Number(receipt.left));
    if (part <= 0) continue;
    rest -= part;
    const prepaid = receipt.method === 'prepaid';
    const made = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO package_refund (order_id, receipt_id, method, amount, state, paid_at, created_by, updated_by)
       VALUES ($1, $2, $3, $4, $5, CASE $5 WHEN 'paid' THEN now() END, $6, $6) RETURNING id`,
      [order.id, receipt.id, receipt.method, part, prepaid ? 'paid' : 'waiting', staffId],
    ))!;
    if (prepaid)
      await creditPrepaid(
        tx,
        receipt.id,
        { type: 'package_refund', id: String(made.id) },
        part,
        staffId,
      );
  }
  if (rest > 0) throw new Error(`package order ${order.code}: ${rest} fen of a refund have no receipt`);
  return amount;
}
