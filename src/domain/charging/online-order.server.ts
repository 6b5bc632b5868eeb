import { run, runOne, transaction, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCodes } from '../../kernel/server/resource/codes.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { allocate } from './allocation.rules.ts';
import { lateFeeNow, lateFeesOf, postLateFees, readBills, type PrepaidKind } from './bill-record.server.ts';
import { requireNotHeld } from './online-hold.server.ts';
import { requireWay } from './payment-way.server.ts';
import {
  CHANGED,
  ordersOf,
  PAID,
  postPayment,
  promised,
  quoteBills,
  samePromise,
  today,
  type Orders,
  type Quote,
  type QuoteWanted,
} from './collect.server.ts';

/** Minutes bills are held for a payer. Source: group 06, Rules of charging 10. */
export const HOLD_MINUTES = 30;
export type OnlineChannel = 'alipay' | 'wechat';
/** An order's channel: a transfer waits for its confirmation. */
type OrderChannel = OnlineChannel | 'transfer';

/** An order of bills as its page shows it. */
export interface OnlineOrder {
  readonly id: number;
  readonly code: string;
  readonly house_id: number;
  readonly project_id: number;
  readonly channel: OrderChannel;
  readonly amount: number;
  readonly state: 'held' | 'paid' | 'closed' | 'expired' | 'rejected';
  readonly expires_at: Date;
  readonly payment_id: number | null;
}

/** Makes an order over quoted bills and holds them. Throws 30101 where one of them is held already. */
export async function openOnlineOrder(
  tx: Tx,
  wanted: QuoteWanted,
  orders: Orders,
  by: { readonly channel: OnlineChannel; readonly projectId: number; readonly staffId: number },
): Promise<OnlineOrder> {
  const bills = await readBills(tx, wanted.billIds, true);
  const quote = await quoteBills(tx, wanted, orders, bills);
  if (quote.amount <= 0 || bills.length === 0) throw ruleBroken(['没有待缴金额', 'There is nothing to pay']);
  await requireNotHeld(tx, wanted.billIds);
  return holdBills(tx, wanted, {
    project_id: by.projectId,
    channel: by.channel,
    amount: quote.amount,
    answer: JSON.stringify(promised(quote)),
    expires_at: new Date(Date.now() + HOLD_MINUTES * 60_000),
    created_by: by.staffId,
  });
}

/** Writes an order over bills and what it holds. */
async function holdBills(
  tx: Tx,
  wanted: QuoteWanted,
  columns: Readonly<Record<string, unknown>>,
): Promise<OnlineOrder> {
  const [code] = await nextCodes(tx, 'FO', 1);
  const id = await insertRow(tx, 'online_bill_order', {
    code,
    house_id: wanted.houseId,
    wanted: JSON.stringify(wanted),
    ...columns,
  });
  await run(tx, 'INSERT INTO online_bill_hold (bill_id, order_id) SELECT unnest($1::bigint[]), $2', [
    wanted.billIds,
    id,
  ]);
  return (await runOne<OnlineOrder>(
    tx,
    'SELECT id, code, house_id, project_id, channel, amount, state, expires_at, payment_id FROM online_bill_order WHERE id = $1',
    [id],
  ))!;
}

/** Lets the bills of an order go, before it is paid. Returns false where it was not held any more. */
export async function closeOnlineOrder(tx: Tx, id: number, to: 'closed' | 'expired'): Promise<boolean> {
  const done = await runOne(
    tx,
    `UPDATE online_bill_order SET state = $2 WHERE id = $1 AND state = 'held' RETURNING id`,
    [id, to],
  );
  if (done) await run(tx, 'DELETE FROM online_bill_hold WHERE order_id = $1', [id]);
  return done !== undefined;
}

/** What a channel tells of a payment; it may come late, twice, or after the order was closed. */
export interface OnlineResult {
  readonly code: string;
  readonly tradeNo: string;
  readonly amount: number;
}

/**
 * Takes a channel's success. It is booked once whatever comes again; money for bills that were settled meanwhile goes to the general
 * prepaid account and is looked at by a person. Returns the payment. Source: group 06, Rules of charging 10.
 */
export async function takeOnlineResult(platform: Platform, result: OnlineResult): Promise<number> {
  const { db } = platform.database;
  const known = await runOne<{ project_id: number }>(
    db,
    'SELECT project_id FROM online_bill_order WHERE code = $1',
    [result.code],
  );
  if (!known) throw ruleBroken(['没有此订单', 'There is no such order']);
  const orders = await ordersOf(platform, known.project_id);
  const paid = await transaction(db, (tx) => settleOrder(tx, orders, result));
  for (const name of ['bill', 'billPayment', 'prepaidAccount', 'onlineBillOrder']) platform.changed(name);
  return paid;
}

/**
 * Books the money of an order in the caller's transaction; `by` confirms a transfer and has it in the own takings. Bills are locked
 * before their order, in id order, as the counter does it.
 */
export async function settleOrder(
  tx: Tx,
  orders: Orders,
  result: OnlineResult,
  by: number | null = null,
): Promise<number> {
  const order = (await runOne<{ wanted: QuoteWanted }>(
    tx,
    'SELECT wanted FROM online_bill_order WHERE code = $1',
    [result.code],
  ))!;
  const bills = await readBills(tx, order.wanted.billIds, true);
  const locked = (await runOne<
    OnlineOrder & {
      wanted: QuoteWanted;
      answer: unknown;
      payer: string;
      remark: string;
      prepaid_kind: PrepaidKind;
    }
  >(tx, 'SELECT * FROM online_bill_order WHERE code = $1 FOR UPDATE', [result.code]))!;
  if (locked.payment_id !== null) return locked.payment_id;
  const quote = await asQuoted(tx, locked, orders, bills, result.amount);
  const on = quote ? locked.wanted.valueDate : today();
  const open = bills.filter((one) => one.state === 'unpaid' || one.state === 'part');
  const fees = await lateFeesOf(tx, open, on);
  await postLateFees(tx, open, fees, on);
  const spread =
    quote ??
    allocate(
      result.amount,
      open.map((one) => ({
        id: one.id,
        dueDate: one.due_date,
        kind: one.kind,
        position: one.position,
        principal: one.owed_principal,
        lateFee: lateFeeNow(one, fees.get(one.id)!) - one.late_fee_waived - one.paid_late_fee,
      })),
      orders.order,
      orders.within,
    );
  const { id } = await postPayment(tx, {
    houseId: locked.house_id,
    projectId: locked.project_id,
    parts: spread.parts,
    rest: spread.rest,
    discount: quote?.discounts.find((one) => one.used),
    valueDate: on,
    channel: locked.channel,
    received: result.amount,
    prepaidKind: locked.prepaid_kind,
    payer: locked.payer,
    tradeNo: result.tradeNo,
    remark: locked.remark || locked.code,
    staffId: by,
  });
  if (!quote && spread.rest > 0)
    await run(tx, 'UPDATE bill_payment SET excess = $2 WHERE id = $1', [id, spread.rest]);
  await run(tx, 'DELETE FROM online_bill_hold WHERE order_id = $1', [locked.id]);
  await run(
    tx,
    `UPDATE online_bill_order SET state = 'paid', payment_id = $2, trade_no = $3, decided_by = $4, decided_at = CASE WHEN $4::bigint IS NULL THEN NULL ELSE now() END WHERE id = $1`,
    [locked.id, id, result.tradeNo, by],
  );
  return id;
}

/** How a transfer is recorded that waits for its confirmation. */
export interface SlipInput {
  readonly quoteId: string;
  readonly slipIds: readonly string[];
  readonly tradeNo: string;
  readonly payer: string;
  readonly remark: string;
  readonly prepaidKind: PrepaidKind;
  readonly staffId: number;
}

/** Records a transfer over a quote and holds its bills until a second person confirms or rejects it. */
export async function recordSlip(tx: Tx, orders: Orders, input: SlipInput): Promise<OnlineOrder> {
  // A quote is recorded once, also when the button is pressed twice.
  const kept = await runOne<{ wanted: QuoteWanted; answer: unknown; project_id: number }>(
    tx,
    `DELETE FROM bill_quote q USING house h WHERE h.id = q.house_id AND q.id = $1 AND q.staff_id = $2 AND q.expires_at > now()
        AND NOT EXISTS (SELECT FROM bill_payment p WHERE p.quote_id = q.id) RETURNING q.wanted, q.answer, h.project_id`,
    [input.quoteId, input.staffId],
  );
  if (!kept) throw ruleBroken(CHANGED);
  await requireWay(tx, kept.project_id, 'transfer', kept.wanted.billIds);
  const bills = await readBills(tx, kept.wanted.billIds, true);
  if (bills.length > 0 && bills.every((one) => one.state === 'paid')) throw ruleBroken(PAID);
  await requireNotHeld(tx, kept.wanted.billIds);
  const quote = await quoteBills(tx, kept.wanted, orders, bills);
  if (!samePromise(promised(quote), kept.answer)) throw ruleBroken(CHANGED);
  if (quote.amount <= 0) throw ruleBroken(['没有待缴金额', 'There is nothing to pay']);
  return holdBills(tx, kept.wanted, {
    project_id: kept.project_id,
    channel: 'transfer',
    amount: quote.amount,
    answer: JSON.stringify(kept.answer),
    // It waits for whoever looks at the bank.
    expires_at: '9999-01-01',
    created_by: input.staffId,
    slip_ids: input.slipIds,
    trade_no: input.tradeNo,
    payer: input.payer,
    remark: input.remark,
    prepaid_kind: input.prepaidKind,
  });
}

/** The quote of an order, if its bills still stand as they were quoted and the whole amount came. */
async function asQuoted(
  tx: Tx,
  order: { readonly wanted: QuoteWanted; readonly answer: unknown; readonly amount: number },
  orders: Orders,
  bills: Awaited<ReturnType<typeof readBills>>,
  amount: number,
): Promise<Quote | undefined> {
  if (amount !== order.amount || bills.some((one) => one.state === 'paid' || one.state === 'void'))
    return undefined;
  const quote = await quoteBills(tx, order.wanted, orders, bills);
  return samePromise(promised(quote), order.answer) ? quote : undefined;
}
