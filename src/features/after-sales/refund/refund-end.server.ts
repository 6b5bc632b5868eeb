import type { Caller, RequestFacts } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { RefundLimits } from '../../../domain/trade-money/refund.rules.ts';
import { tellAttachments } from '../../../domain/checkout/order-attachments.server.ts';
import { followRefund } from '../../../domain/after-sale/move-case.server.ts';
import {
  lockRefund,
  lockTrade,
  type OrderRow,
  type PaymentRow,
  type RefundRecord,
} from './refund-order.server.ts';
import { moveRefund } from './refund-transition.server.ts';

/** The buyer or the applicant takes a refund back: 退款审核中 → 退款取消. Throws 30101 该退款已被处理 in another state. */
export async function withdrawRefund(
  tx: Tx,
  request: {
    readonly platform: Platform;
    readonly refundId: number;
    readonly caller?: Caller;
    readonly facts?: RequestFacts;
  },
): Promise<void> {
  const refund = await lockRefund(tx, request.refundId);
  if (request.caller && refund.applicant_id !== request.caller.staffId)
    throw ruleBroken(['只有申请人可以撤回', 'Only the applicant can withdraw it']);
  await moveRefund(tx, refund, {
    from: ['reviewing'],
    to: 'cancelled',
    action: 'withdraw',
    label: ['撤回', 'Withdraw'],
    caller: request.caller,
    facts: request.facts,
  });
  await releaseRefund(tx, request.platform, refund, { caller: request.caller });
  request.platform.changed('refund');
}

/**
 * Gives a refund that is cancelled back its reserved cash, the order its refund_status, and the case that asked for it another
 * decision. Refund must be locked.
 */
export async function releaseRefund(
  tx: Tx,
  platform: Platform,
  refund: Pick<RefundRecord, 'order_id' | 'cash' | 'after_sale_id' | 'code'>,
  told: { readonly reason?: string; readonly caller?: Caller | undefined } = {},
): Promise<{ order: OrderRow; payment: PaymentRow }> {
  const { order, payment } = await lockTrade(tx, refund.order_id);
  await run(tx, 'UPDATE payment SET refunding = refunding - $2 WHERE id = $1', [payment.id, refund.cash]);
  // What it was before follows from what is booked; the order's state never left its place.
  await run(
    tx,
    `UPDATE sales_order o SET version = version + 1, updated_at = now(), refund_status = CASE
        WHEN NOT EXISTS (SELECT FROM order_line l WHERE l.order_id = o.id AND l.qty_refunded < l.qty) THEN 'full'
        WHEN EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state = 'succeeded') THEN 'part' ELSE 'none' END
      WHERE o.id = $1`,
    [order.id],
  );
  await tellAttachments(tx, order.id, async (attachment, attached) =>
    attachment.refundCancelled?.(tx, platform, attached),
  );
  await followRefund(tx, platform, refund, 'cancelled', told);
  return { order, payment };
}

/** Settings that decide levels, in fen. */
export async function refundLimits(tx: Executor, platform: Platform): Promise<RefundLimits> {
  const setting = (name: string) => platform.settings.numberIn(tx, `refund.${name}`);
  return {
    autoPassMax: await setting('auto_pass_max'),
    staffDirectMax: await setting('staff_direct_max'),
    financeFrom: await setting('finance_from'),
  };
}

/**
 * What staff applied for on an order and what left the house, in fen: `direct` passed by the applicant alone,
 * `withoutFinance` by anybody but finance. Offline refunds are made by finance. See docs/decisions/0007.
 */
export async function refundedByStaff(
  tx: Executor,
  orderId: number,
): Promise<{ direct: number; withoutFinance: number }> {
  const row = await runOne<{ direct: number; withoutFinance: number }>(
    tx,
    `SELECT coalesce(sum(apply_price) FILTER (WHERE auditor1 IS NULL), 0)::bigint AS direct,
            coalesce(sum(apply_price), 0)::bigint AS "withoutFinance"
       FROM refund
      WHERE order_id = $1 AND applicant_id IS NOT NULL AND auditor2 IS NULL AND way = 'origin'
        AND state IN ('refunding', 'failed', 'succeeded')`,
    [orderId],
  );
  return row!;
}
