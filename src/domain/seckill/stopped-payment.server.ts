import { runOne, type Executor } from '../../kernel/server/database.ts';
import { CLAIM_REFUSALS } from './seckill.rules.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/** SQL: the unpaid order `o` belongs to a seckill whose payment is stopped; its time to pay stands still. */
export const PAYMENT_STOPPED = `EXISTS (SELECT FROM seckill_claim stop_c JOIN seckill_activity stop_a ON stop_a.id = stop_c.activity_id
  WHERE stop_c.order_id = o.id AND stop_a.payment_stopped)`;

/** Refuses to begin a payment of a seckill that was paused together with its payments. */
export async function refuseStoppedPayment(db: Executor, checkoutCode: string): Promise<void> {
  const stopped = await runOne(
    db,
    `SELECT 1 AS one FROM payment p JOIN sales_order o ON o.payment_id = p.id WHERE p.checkout_code = $1 AND ${PAYMENT_STOPPED}`,
    [checkoutCode],
  );
  if (stopped) throw ruleBroken(CLAIM_REFUSALS.PAUSED, { reason: 'PAUSED' });
}
