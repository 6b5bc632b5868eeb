import { runOne, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { seatOfActivity } from '../activity/activity-attachment.server.ts';
import { groupSeat } from '../group-buy/seats.server.ts';
import { rushClaim } from '../rush/rush-claim.server.ts';
import { seckillClaim } from '../seckill/claim-attachment.server.ts';
import { visitOfOrder } from '../home-service/appointment/visit-attachment.server.ts';
import { coinDeduction } from '../coin-deduction/coin-deduction.server.ts';
import { workOrderRefund } from '../work-order/work-order-refund.server.ts';
import { cashOfRedemption } from '../points-shop/redemption-cash.server.ts';
import { billRefund } from '../charging/bill-refund.server.ts';
import { butlerResult } from '../butler/attribution.server.ts';
import { pointsReturn } from '../points-return/points-return.server.ts';
import type { CartRequest } from './load-cart.server.ts';

/** An order as its attachments see it. */
export interface AttachedOrder {
  readonly id: number;
  readonly kind: string;
  readonly type: string;
  readonly tenantId: number;
  readonly projectId: number;
  readonly memberId: number;
  readonly paymentId: number;
  readonly payDeadline: Date | null;
  /** What coins paid of it, in fen. */
  readonly coinsValue: number;
}

/**
 * What hangs on an order beside its goods and is held, taken and given back with it: a seat in a team, a claim in a seckill,
 * the time of a visit, coins, points goods, what it gives back, the bills it paid. Each call runs in the transaction that moves the order, behind the order's
 * lock, and refuses by throwing.
 * Attachments import neither create-checkout, take-payment nor close-unpaid.
 */
export interface OrderAttachment {
  readonly matches: (order: Pick<AttachedOrder, 'kind' | 'type'>) => boolean;
  /** The order was written, unpaid: hold what it needs. */
  readonly hold: (tx: Tx, platform: Platform, order: AttachedOrder, request: CartRequest) => Promise<void>;
  /** The order is paid and has moved on. */
  readonly paid: (tx: Tx, platform: Platform, order: AttachedOrder) => Promise<void>;
  /** The unpaid order is being closed. */
  readonly released: (tx: Tx, platform: Platform, order: AttachedOrder) => Promise<void>;
  /** A refund of the order was booked; `state` is the order's state after it. */
  readonly refunded: (
    tx: Tx,
    platform: Platform,
    order: AttachedOrder,
    refund: { readonly id: number; readonly state: string },
  ) => Promise<void>;
  /** A refund of the order was rejected or withdrawn. */
  readonly refundCancelled?: (tx: Tx, platform: Platform, order: AttachedOrder) => Promise<void>;
}

const ATTACHMENTS: readonly OrderAttachment[] = [
  groupSeat,
  seckillClaim,
  rushClaim,
  visitOfOrder,
  seatOfActivity,
  cashOfRedemption,
  coinDeduction,
  pointsReturn,
  butlerResult,
  billRefund,
  workOrderRefund,
];

/** Calls one step of every attachment an order has, given as it stands or by its id; `step` names which. */
export async function tellAttachments(
  tx: Tx,
  which: number | AttachedOrder,
  step: (attachment: OrderAttachment, order: AttachedOrder) => Promise<void>,
): Promise<void> {
  const order =
    typeof which === 'object'
      ? which
      : (await runOne<AttachedOrder>(
          tx,
          `SELECT id, kind, type, tenant_id AS "tenantId", project_id AS "projectId", member_id AS "memberId",
                  payment_id AS "paymentId", pay_deadline AS "payDeadline", coins_value AS "coinsValue" FROM sales_order WHERE id = $1`,
          [which],
        ))!;
  for (const attachment of ATTACHMENTS) if (attachment.matches(order)) await step(attachment, order);
}
