import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import type { OrderAttachment } from '../checkout/order-attachments.server.ts';
import {
  markCancelled,
  promoteWaiting,
  tellSigned,
  tellSignup,
  type Signup,
} from './activity-seats.server.ts';

const byOrder = (tx: Tx, orderId: number): Promise<Signup | undefined> =>
  runOne<Signup>(tx, 'SELECT * FROM activity_signup WHERE order_id = $1', [orderId]);

/** Behind the activity's lock, so that seats are given on in one step. */
async function lockedByOrder(tx: Tx, orderId: number): Promise<Signup | undefined> {
  const found = await byOrder(tx, orderId);
  if (!found) return undefined;
  await run(tx, 'SELECT 1 FROM activity WHERE id = $1 FOR UPDATE', [found.activity_id]);
  return runOne<Signup>(tx, 'SELECT * FROM activity_signup WHERE id = $1 FOR UPDATE', [found.id]);
}

/** A seat of an activity is held with its order, taken when it is paid, and goes to who waits when it is not or is given back. */
export const seatOfActivity: OrderAttachment = {
  matches: (order) => order.kind === 'activity',
  hold: async () => undefined,
  paid: async (tx, platform, order) => {
    const signup = await lockedByOrder(tx, order.id);
    if (signup?.state !== 'pending_payment') return;
    await run(
      tx,
      `UPDATE activity_signup SET state = 'signed', pay_until = NULL, version = version + 1, updated_at = now() WHERE id = $1`,
      [signup.id],
    );
    await tellSignup(tx, signup.id, {
      action: 'pay',
      label: ['支付成功', 'Paid'],
      from: 'pending_payment',
      to: 'signed',
    });
    await tellSigned(tx, { activityId: signup.activity_id, ids: [signup.id] }, '支付成功，您已报名。');
    changed(platform);
  },
  released: async (tx, platform, order) => {
    const signup = await lockedByOrder(tx, order.id);
    if (!signup) return;
    if (signup.state === 'pending_payment') {
      await markCancelled(tx, signup, {
        reason: '未在时限内支付',
        action: 'expire',
        label: ['逾期未付，名额释放', 'Not paid in time, seats given free'],
      });
      await tellSigned(
        tx,
        { activityId: signup.activity_id, ids: [signup.id] },
        '未在时限内支付，报名已取消。',
      );
    }
    await promoteWaiting(tx, platform, signup.activity_id);
    changed(platform);
  },
  refunded: async (tx, platform, order, refund) => {
    const signup = await lockedByOrder(tx, order.id);
    if (signup?.state === 'signed' && refund.state === 'closed' && !signup.checked_in_at) {
      await markCancelled(tx, signup, { reason: '已全额退款' });
      await promoteWaiting(tx, platform, signup.activity_id);
    }
    changed(platform);
  },
};

function changed(platform: Parameters<OrderAttachment['paid']>[1]): void {
  for (const entity of ['activity', 'activitySignup']) platform.changed(entity);
}
