import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import type { OrderAttachment } from '../checkout/order-attachments.server.ts';
import { recheckGifts } from '../payment-gift/payment-gift.server.ts';
import { recheckRebate } from '../rebate/rebate.server.ts';
import { readBills, takeAllocationsBack, type PrepaidKind } from './bill-record.server.ts';
import { requireOpenDay } from './cash-close.server.ts';
import { nextReceipt, today } from './collect.server.ts';
import { reverseDiscount } from './discount.server.ts';
import { bookPayment, lockPrepaid, paidAheadOf } from './prepaid.server.ts';

/** A payment as its refunds read it; amounts in fen. */
interface PaidRow {
  readonly id: number;
  readonly receipt_no: string;
  readonly tenant_id: number;
  readonly project_id: number;
  readonly house_id: number;
  readonly payer_name: string;
  readonly channel: string;
  readonly amount: number;
  /** On bills, less what was paid back of it. */
  readonly allocated: number;
  /** Paid ahead, less what was paid back of it. */
  readonly to_prepaid: number;
  readonly prepaid_kind: PrepaidKind | null;
  readonly sales_order_id: number | null;
  readonly created_at: Date;
}

const readPaid = (db: Executor, where: string, id: number) =>
  runOne<PaidRow>(
    db,
    `SELECT p.id, p.receipt_no, p.tenant_id, p.project_id, p.house_id, p.payer_name, p.channel, p.amount, p.prepaid_kind, p.sales_order_id, p.created_at,
            CASE WHEN p.state = 'void' THEN 0 ELSE (p.allocated + coalesce(r.allocated, 0))::bigint END AS allocated,
            CASE WHEN p.state = 'void' THEN 0 ELSE (p.to_prepaid + coalesce(r.to_prepaid, 0))::bigint END AS to_prepaid
       FROM bill_payment p LEFT JOIN LATERAL (SELECT sum(x.allocated) AS allocated, sum(x.to_prepaid) AS to_prepaid FROM bill_payment x WHERE x.refund_of = p.id) r ON TRUE
      WHERE p.${where} = $1 AND p.refund_of IS NULL`,
    [id],
  );

/**
 * What can be paid back of a payment now, in fen: what it has on bills, and what it paid ahead as far as that is still there.
 * Refunds under way are not taken off. Source: group 06, Rules of charging 12.
 */
export async function refundableOf(db: Executor, paymentId: number): Promise<number> {
  const paid = (await readPaid(db, 'id', paymentId))!;
  if (paid.prepaid_kind === null) return paid.allocated;
  const there = await paidAheadOf(db, paid.house_id, paid.prepaid_kind);
  return paid.allocated + Math.min(paid.to_prepaid, there);
}

/** Money paid ahead into an account of a house that can be paid back: by payment, newest first, each locked. */
export async function aheadOf(
  tx: Tx,
  houseId: number,
  kind: PrepaidKind,
): Promise<{ readonly id: number; readonly left: number; readonly receipt_no: string }[]> {
  const rows = await run<{ id: number; left: number; receipt_no: string }>(
    tx,
    `SELECT p.id, p.receipt_no, (p.to_prepaid + coalesce((SELECT sum(r.to_prepaid) FROM bill_payment r WHERE r.refund_of = p.id), 0))::bigint AS left
       FROM bill_payment p WHERE p.house_id = $1 AND p.prepaid_kind = $2 AND p.refund_of IS NULL AND p.state = 'valid'
        AND NOT EXISTS (SELECT FROM sales_order o WHERE o.id = p.sales_order_id AND o.refund_status = 'refunding')
        AND NOT EXISTS (SELECT FROM bill_refund_request q WHERE q.payment_id = p.id AND q.state = 'waiting')
      ORDER BY p.id DESC FOR NO KEY UPDATE OF p`,
    [houseId, kind],
  );
  return rows.filter((one) => one.left > 0);
}

export const tooMuch = (most: number) =>
  ruleBroken([`最多可退${yuanFromFen(most)}元`, `At most ${yuanFromFen(most)}`]);

/**
 * The order of the trade of a locked payment, through which its refunds are audited; made with the first of them. Throws 30101
 * where nobody of the house is known. Returns the order's id and its one line.
 */
export async function keepBillTrade(
  tx: Tx,
  paymentId: number,
): Promise<{ readonly orderId: number; readonly lineId: number }> {
  const paid = (await readPaid(tx, 'id', paymentId))!;
  const line = (orderId: number) =>
    runOne<{ id: number }>(tx, 'SELECT id FROM order_line WHERE order_id = $1', [orderId]);
  if (paid.sales_order_id !== null)
    return { orderId: paid.sales_order_id, lineId: (await line(paid.sales_order_id))!.id };
  const facts = await runOne<{ member: number; name: string; phone: string; address: string; items: string }>(
    tx,
    `SELECT m.id AS member, coalesce(nullif(m.name, ''), m.nickname) AS name, m.phone, p.name || b.name || u.name || h.number AS address,
            coalesce((SELECT string_agg(DISTINCT i.name, '、') FROM bill_allocation a JOIN bill x ON x.id = a.bill_id JOIN fee_item i ON i.id = x.fee_item_id WHERE a.payment_id = $1), '') AS items
       FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id
       JOIN member m ON m.id = coalesce(
         (SELECT x.debtor_id FROM bill_allocation a JOIN bill x ON x.id = a.bill_id WHERE a.payment_id = $1 AND x.debtor_id IS NOT NULL ORDER BY a.id DESC LIMIT 1),
         (SELECT o.member_id FROM household o WHERE o.house_id = h.id AND o.status = 'normal' ORDER BY o.identity DESC, o.id LIMIT 1))
      WHERE h.id = $2`,
    [paid.id, paid.house_id],
  );
  if (!facts)
    throw ruleBroken([
      '该房屋没有登记住户，请先登记业主',
      'Nobody is registered in this house: register its owner first',
    ]);
  const payment = await insertRow(tx, 'payment', {
    checkout_code: await nextCode(tx, 'CK'),
    channel: 0,
    state: 2,
    amount: paid.amount,
    // Taken at the counter or for it: paid back with a voucher by two persons.
    by_receipts: true,
    paid_at: paid.created_at,
    deadline: paid.created_at,
  });
  const title = facts.items ? `物业缴费 ${facts.items}` : '物业预存';
  const orderId = await insertRow(tx, 'sales_order', {
    code: paid.receipt_no,
    kind: 'property_fee',
    source: 5,
    tenant_id: paid.tenant_id,
    project_id: paid.project_id,
    member_id: facts.member,
    payment_id: payment,
    title,
    contact_name: facts.name,
    contact_phone: facts.phone,
    address: facts.address,
    on_behalf: true,
    state: 'completed',
    goods: paid.amount,
    payable: paid.amount,
    paid_at: paid.created_at,
    created_at: paid.created_at,
  });
  const lineId = await insertRow(tx, 'order_line', {
    order_id: orderId,
    line_no: 1,
    product_name: title,
    spec_name: '',
    list_price: paid.amount,
    unit_price: paid.amount,
    qty: 1,
    goods: paid.amount,
    cash: paid.amount,
  });
  await run(tx, 'UPDATE bill_payment SET sales_order_id = $2 WHERE id = $1', [paid.id, orderId]);
  return { orderId, lineId };
}

/**
 * A refund of a payment was paid back: its negative receipt, what was paid ahead first and then the newest allocations, bills open
 * again, the ledger, gifts and points in proportion. The order is locked; bills and accounts are locked as the counter does it.
 * Source: group 06, Rules of charging 11 and 12.
 */
export const billRefund: OrderAttachment = {
  matches: (order) => order.kind === 'property_fee',
  hold: async () => {},
  paid: async () => {},
  released: async () => {},
  refunded: async (tx, platform, order, { id }) => {
    const refund = (await runOne<{ code: string; cash: number; by: number | null }>(
      tx,
      'SELECT code, cash, coalesce(offline_by, auditor1) AS by FROM refund WHERE id = $1',
      [id],
    ))!;
    const paid = await readPaid(tx, 'sales_order_id', order.id);
    if (!paid) throw new Error(`order ${order.id} stands for no payment`);
    const on = today();
    // It leaves the drawer of whoever hands it out.
    if (refund.by !== null) await requireOpenDay(tx, refund.by, paid.project_id, [on]);
    const shares = await run<{ bill: number; kind: string; amount: number }>(
      tx,
      `SELECT bill_id AS bill, kind, sum(amount)::bigint AS amount FROM bill_allocation WHERE payment_id = $1
        GROUP BY 1, 2 HAVING sum(amount) > 0 ORDER BY max(id) DESC`,
      [paid.id],
    );
    await readBills(
      tx,
      [...new Set(shares.map((one) => one.bill))].sort((a, b) => a - b),
      true,
    );
    const accounts = paid.to_prepaid > 0 ? await lockPrepaid(tx, paid.house_id) : undefined;
    const ahead = accounts
      ? Math.min(refund.cash, paid.to_prepaid, await paidAheadOf(tx, paid.house_id, paid.prepaid_kind!))
      : 0;
    let left = refund.cash - ahead;
    if (left > paid.allocated) throw tooMuch(paid.allocated + ahead);
    const back = shares.flatMap((one) => {
      const amount = Math.min(left, one.amount);
      left -= amount;
      return amount > 0 ? [{ ...one, amount, day: on }] : [];
    });
    const receipt = await insertRow(tx, 'bill_payment', {
      receipt_no: await nextReceipt(tx, paid.project_id, on),
      tenant_id: paid.tenant_id,
      project_id: paid.project_id,
      house_id: paid.house_id,
      payer_name: paid.payer_name,
      channel: paid.channel,
      amount: -refund.cash,
      received: -refund.cash,
      allocated: ahead - refund.cash,
      to_prepaid: -ahead,
      prepaid_kind: ahead > 0 ? paid.prepaid_kind : null,
      trade_no: refund.code,
      value_date: on,
      remark: paid.receipt_no,
      cashier_id: refund.by,
      created_by: refund.by,
      updated_by: refund.by,
      refund_of: paid.id,
      refund_id: id,
    });
    await takeAllocationsBack(tx, paid.id, back, receipt);
    await bookPayment(
      tx,
      { type: 'bill_payment', id: String(receipt), purpose: 'refund' },
      {
        received: -refund.cash,
        settled: ahead - refund.cash,
        prepaid: ahead > 0 ? [{ account: accounts![paid.prepaid_kind!].id, amount: -ahead }] : [],
      },
      refund.by ?? undefined,
    );
    // A discount is for bills that stay paid.
    if (paid.allocated === refund.cash - ahead && refund.by !== null)
      await reverseDiscount(tx, paid.id, on, refund.by);
    await recheckRebate(tx, paid.id);
    await recheckGifts(tx, paid.id);
    for (const name of ['bill', 'billPayment', 'prepaidAccount']) platform.changed(name);
  },
};
