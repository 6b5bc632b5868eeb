import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { queueJob } from '../../kernel/server/tasks/job-queue.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { PAYMENT_STOPPED } from '../seckill/stopped-payment.server.ts';

/** Jobs of order deadlines; each is queued at the deadline and swept every minute. Source: group 08, Jobs. */
export const CLOSE_UNPAID_JOB = 'order.close_unpaid';
export const AUTO_RECEIVE_JOB = 'order.auto_receive';

/** Minutes to pay a checkout: the shortest value of its businesses, `order.pay_minutes` where they have none. */
export async function payMinutesOf(
  tx: Executor,
  platform: Platform,
  businessMinutes: readonly (number | null)[],
): Promise<number> {
  const standard = await platform.settings.numberIn(tx, 'order.pay_minutes');
  return Math.min(...businessMinutes.map((minutes) => minutes ?? standard));
}

/** Plans the closing of an unpaid checkout. */
export async function planClosing(tx: Executor, paymentId: number, deadline: Date): Promise<void> {
  await queueJob(
    tx,
    CLOSE_UNPAID_JOB,
    { paymentId },
    { runAt: deadline, jobKey: `${CLOSE_UNPAID_JOB}:${paymentId}` },
  );
}

/**
 * Sets receive_deadline of an order that has just become 待收货 and plans the automatic receipt. The longest
 * auto_sign_minutes of its businesses counts, `order.auto_receive_minutes` where they have none. For the refund engine
 * too: an order of which the last unshipped unit was refunded goes from 部分发货 to 待收货. Source: group 08, Time-outs.
 */
export async function startReceiving(tx: Executor, platform: Platform, orderId: number): Promise<Date> {
  const standard = await platform.settings.numberIn(tx, 'order.auto_receive_minutes');
  const row = await runOne<{ at: Date }>(
    tx,
    `UPDATE sales_order o SET receive_deadline = clock_timestamp() + make_interval(mins => (
        SELECT max(coalesce(b.auto_sign_minutes, $2)) FROM order_line l JOIN product p ON p.id = l.product_id
          JOIN business b ON b.id = p.business_id WHERE l.order_id = o.id))
      WHERE o.id = $1 RETURNING receive_deadline AS at`,
    [orderId, standard],
  );
  await queueJob(
    tx,
    AUTO_RECEIVE_JOB,
    { orderId },
    { runAt: row!.at, jobKey: `${AUTO_RECEIVE_JOB}:${orderId}` },
  );
  return row!.at;
}

/** Ids of checkouts whose time to pay is over and that still hold an unpaid order, the longest overdue first. */
export async function overduePayments(db: Executor, limit = 500): Promise<number[]> {
  const rows = await run<{ payment_id: number }>(
    db,
    `SELECT o.payment_id FROM sales_order o WHERE o.state = 'pending_payment' AND o.pay_deadline <= clock_timestamp() AND o.kind IN ('goods', 'service', 'activity', 'points')
        AND NOT ${PAYMENT_STOPPED}
      GROUP BY o.payment_id ORDER BY min(o.pay_deadline) LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.payment_id);
}

/** Ids of goods orders that are due for the automatic receipt, those without a deadline included. */
export async function dueReceipts(db: Executor, limit = 500): Promise<number[]> {
  const rows = await run<{ id: number }>(
    db,
    `SELECT o.id FROM sales_order o WHERE o.state = 'to_receive' AND o.kind = 'goods'
        AND (o.receive_deadline <= clock_timestamp() OR o.receive_deadline IS NULL)
        AND NOT EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state IN ('reviewing', 'refunding', 'failed'))
        AND NOT EXISTS (SELECT FROM after_sale a WHERE a.order_id = o.id AND after_sale_is_live(a.state))
      ORDER BY o.receive_deadline NULLS FIRST LIMIT $1`,
    [limit],
  );
  return rows.map((row) => row.id);
}
