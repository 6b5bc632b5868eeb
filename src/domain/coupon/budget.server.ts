import { run, type Executor } from '../../kernel/server/database.ts';

/** Share of its budget at which staff are told. Source: group 08, mm_couponManagement (80 %). */
export const BUDGET_NOTICE_PERCENT = 80;

/**
 * Books what coupons take off a new order against their budgets: by member coupon, in fen. Coupons without a budget are not
 * touched, so that orders do not wait for each other. A budget may be passed here: what was claimed is kept; claims stop.
 */
export async function bookBudgets(
  tx: Executor,
  discounts: readonly { readonly memberCouponId: number; readonly amount: number }[],
): Promise<void> {
  if (discounts.length === 0) return;
  await addToBudgets(
    tx,
    `SELECT * FROM unnest($1::bigint[], $2::bigint[]) AS d (member_coupon_id, amount)`,
    [discounts.map((one) => one.memberCouponId), discounts.map((one) => one.amount)],
    1,
  );
}

/** Gives back what the coupons of a closed order took. */
export async function releaseBudgets(tx: Executor, orderId: number): Promise<void> {
  await addToBudgets(
    tx,
    `SELECT s.source_id::bigint AS member_coupon_id, sum(s.amount)::bigint AS amount FROM order_share s JOIN order_line l ON l.id = s.line_id
      WHERE l.order_id = $1 AND s.source_type = 'member_coupon' GROUP BY 1`,
    [orderId],
    -1,
  );
}

/** Gives back what a refund that succeeded took from the coupons of its order. */
export async function refundBudgets(tx: Executor, refundId: number): Promise<void> {
  await addToBudgets(
    tx,
    `SELECT s.source_id::bigint AS member_coupon_id, sum(x.amount)::bigint AS amount FROM refund_line_share x
       JOIN refund_line l ON l.id = x.refund_line_id JOIN order_share s ON s.id = x.share_id
      WHERE l.refund_id = $1 AND s.source_type = 'member_coupon' GROUP BY 1`,
    [refundId],
    -1,
  );
}

async function addToBudgets(
  tx: Executor,
  source: string,
  values: readonly unknown[],
  sign: 1 | -1,
): Promise<void> {
  const rows = await run<{ id: number; amount: number }>(
    tx,
    `SELECT c.id, sum(d.amount)::bigint AS amount FROM (${source}) d JOIN member_coupon mc ON mc.id = d.member_coupon_id
       JOIN coupon c ON c.id = mc.coupon_id WHERE c.budget_fen IS NOT NULL GROUP BY c.id HAVING sum(d.amount) > 0 ORDER BY c.id`,
    values,
  );
  // One after the other in id order: two orders never wait for each other in turn.
  for (const row of rows)
    await run(tx, 'UPDATE coupon SET budget_booked = greatest(budget_booked + $2, 0) WHERE id = $1', [
      row.id,
      sign * row.amount,
    ]);
}
