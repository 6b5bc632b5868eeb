import { yuanFromFen } from '../../kernel/contract/money.rules.ts';
import type { Label } from '../../kernel/contract/label.ts';
import { writeTimeline } from '../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import type { OrderAttachment } from '../checkout/order-attachments.server.ts';

/**
 * The order of the trade of a locked, paid work order, through which its refunds are audited; made with the first of them
 * (decision 0026). Throws 30101 where its buyer is not known. Returns the order's id and its one line.
 */
export async function keepWorkTrade(
  tx: Tx,
  workOrderId: number,
): Promise<{ readonly orderId: number; readonly lineId: number }> {
  const order = (await runOne<{
    code: string;
    tenant_id: number;
    project_id: number;
    member_id: number | null;
    title: string;
    contact_name: string;
    contact_phone: string;
    address: string;
    paid: number;
    paid_at: Date;
    created_at: Date;
    sales_order_id: number | null;
  }>(tx, 'SELECT * FROM work_order WHERE id = $1', [workOrderId]))!;
  if (order.sales_order_id !== null) {
    const line = await runOne<{ id: number }>(tx, 'SELECT id FROM order_line WHERE order_id = $1', [
      order.sales_order_id,
    ]);
    return { orderId: order.sales_order_id, lineId: line!.id };
  }
  if (order.member_id === null)
    throw ruleBroken(['该订单没有登记买家，不能退款', 'Its buyer is not registered, it cannot be refunded']);
  const payment = await insertRow(tx, 'payment', {
    checkout_code: await nextCode(tx, 'CK'),
    channel: 0,
    state: 2,
    amount: order.paid,
    // Recorded by hand: paid back with a voucher by two persons.
    by_receipts: true,
    paid_at: order.paid_at,
    deadline: order.paid_at,
  });
  const orderId = await insertRow(tx, 'sales_order', {
    code: order.code,
    kind: 'work_order',
    source: 5,
    tenant_id: order.tenant_id,
    project_id: order.project_id,
    member_id: order.member_id,
    payment_id: payment,
    title: order.title,
    contact_name: order.contact_name,
    contact_phone: order.contact_phone,
    address: order.address,
    on_behalf: true,
    state: 'completed',
    goods: order.paid,
    payable: order.paid,
    paid_at: order.paid_at,
    created_at: order.created_at,
  });
  const lineId = await insertRow(tx, 'order_line', {
    order_id: orderId,
    line_no: 1,
    product_name: order.title,
    spec_name: '',
    list_price: order.paid,
    unit_price: order.paid,
    qty: 1,
    goods: order.paid,
    cash: order.paid,
  });
  await run(tx, 'UPDATE work_order SET sales_order_id = $2 WHERE id = $1', [workOrderId, orderId]);
  return { orderId, lineId };
}

const REFUNDED: Label = ['已退款', 'Refunded'];
const CANCELLED: Label = ['退款取消', 'Refund cancelled'];

/** Work orders that are refunded: 6 → 7 once all of it came back, else back to where they stood. Source: group 08, mm_businessOrder. */
export const workOrderRefund: OrderAttachment = {
  matches: (order) => order.kind === 'work_order',
  hold: async () => {},
  paid: async () => {},
  released: async () => {},
  refunded: async (tx, platform, order, { id }) => {
    const refund = (await runOne<{ code: string; cash: number }>(
      tx,
      'SELECT code, cash FROM refund WHERE id = $1',
      [id],
    ))!;
    await leave(tx, platform, order.id, {
      cash: refund.cash,
      label: REFUNDED,
      remark: `${refund.code} ${yuanFromFen(refund.cash)}`,
    });
  },
  refundCancelled: (tx, platform, order) =>
    leave(tx, platform, order.id, { cash: 0, label: CANCELLED, remark: '' }),
};

/** The work order leaves 退款中. */
async function leave(
  tx: Tx,
  platform: Platform,
  salesOrderId: number,
  end: { readonly cash: number; readonly label: Label; readonly remark: string },
): Promise<void> {
  const order = await runOne<{ id: number; sub_status: string }>(
    tx,
    `UPDATE work_order SET refunded = refunded + $2, refunded_at = CASE WHEN $2 > 0 THEN now() ELSE refunded_at END,
            sub_status = CASE WHEN refunded + $2 = paid THEN 'refunded' ELSE refund_from END,
            status = CASE WHEN refunded + $2 = paid AND refund_from = 'processing' THEN 'cancelled_by_staff' ELSE status END,
            refund_from = NULL, version = version + 1, updated_at = now()
      WHERE sales_order_id = $1 AND sub_status = 'refunding' RETURNING id, sub_status`,
    [salesOrderId, end.cash],
  );
  if (!order) throw new Error(`order ${salesOrderId} stands for no work order that is being refunded`);
  await run(tx, 'INSERT INTO work_order_event (order_id, who, action, content) VALUES ($1, $2, $3, $4)', [
    order.id,
    SYSTEM_NAME,
    end.cash > 0 ? 'refunded' : 'refundCancelled',
    end.remark,
  ]);
  await writeTimeline(tx, {
    entity: 'tradeWorkOrder',
    entityId: order.id,
    action: 'refunded',
    label: end.label,
    from: 'refunding',
    to: order.sub_status,
    remark: end.remark,
  });
  for (const name of ['businessOrder', 'reservationOrder']) platform.changed(name);
}
