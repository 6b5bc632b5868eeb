import { runOne, type Tx } from '../../kernel/server/database.ts';
import { SYSTEM_NAME } from '../../kernel/server/people/caller.ts';
import { nextCode } from '../../kernel/server/resource/codes.ts';
import { insertRow } from '../../kernel/server/resource/run-action.ts';
import { planClosing } from './deadlines.server.ts';
import { recordOrderChange } from './order-log.server.ts';

/** What is paid to the platform without goods of the mall: seats of an activity, the cash part of points goods. */
export interface PlainOrder {
  readonly kind: 'activity' | 'points';
  readonly memberId: number;
  readonly projectId: number;
  readonly title: string;
  readonly specName?: string;
  readonly imageId: string | null;
  readonly address: string;
  readonly qty: number;
  /** Fen; a whole amount per piece. */
  readonly amount: number;
  /** Minutes to pay it. */
  readonly minutes: number;
  /** It closes at this time at the latest. */
  readonly until?: Date;
  /** Named in the audit record. */
  readonly about: Readonly<Record<string, unknown>>;
}

/** Makes an unpaid order of one line under a payment of its own; it closes by itself. What hangs on it is an attachment. */
export async function openPlainOrder(
  tx: Tx,
  of: PlainOrder,
): Promise<{ readonly orderId: number; readonly checkoutCode: string; readonly until: Date }> {
  const payment = (await runOne<{ id: number; code: string; deadline: Date }>(
    tx,
    `INSERT INTO payment (checkout_code, channel, amount, deadline)
     VALUES ($1, 1, $2, least(clock_timestamp() + make_interval(mins => $3), $4::timestamptz)) RETURNING id, checkout_code AS code, deadline`,
    [await nextCode(tx, 'CK'), of.amount, of.minutes, of.until ?? null],
  ))!;
  const who = (await runOne<{ name: string; phone: string; tenant: number }>(
    tx,
    `SELECT coalesce(nullif(name, ''), nickname) AS name, phone, (SELECT min(id) FROM tenant WHERE kind = 3) AS tenant FROM member WHERE id = $1`,
    [of.memberId],
  ))!;
  const orderId = await insertRow(tx, 'sales_order', {
    code: await nextCode(tx, 'SO'),
    kind: of.kind,
    type: 'ordinary',
    source: 1,
    tenant_id: who.tenant,
    project_id: of.projectId,
    member_id: of.memberId,
    payment_id: payment.id,
    title: of.title,
    contact_name: who.name,
    contact_phone: who.phone,
    address: of.address,
    state: 'pending_payment',
    goods: of.amount,
    payable: of.amount,
    item_count: of.qty,
    pay_deadline: payment.deadline,
  });
  await insertRow(tx, 'order_line', {
    order_id: orderId,
    line_no: 1,
    product_name: of.title,
    spec_name: of.specName ?? '',
    image_id: of.imageId,
    list_price: of.amount / of.qty,
    unit_price: of.amount / of.qty,
    qty: of.qty,
    goods: of.amount,
    cash: of.amount,
  });
  await recordOrderChange(tx, {
    orderId,
    code: 5,
    who: SYSTEM_NAME,
    action: 'create',
    from: undefined,
    to: 'pending_payment',
    after: { payable: of.amount, ...of.about },
  });
  await planClosing(tx, payment.id, payment.deadline);
  return { orderId, checkoutCode: payment.code, until: payment.deadline };
}
