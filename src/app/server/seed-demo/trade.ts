import type { QuoteOrder } from '../../../domain/trade-money/quote.rules.ts';
import type { OrderState, RefundSplit } from '../../../domain/trade-money/refund.rules.ts';
import type { PointsHold } from './points-book.ts';
import type {
  SeedMember,
  SeedMemberCoupon,
  SeedMerchant,
  SeedProduct,
  SeedSpec,
  SeedStaff,
} from './world.ts';

/** One checkout: a payment over the orders of one or more merchants. Keys are taken when all are known. */
export interface SeedCheckout {
  id: number;
  readonly code: string;
  readonly member: SeedMember;
  readonly createdAt: number;
  readonly deadline: number;
  readonly orders: SeedOrder[];
  readonly coupons: SeedMemberCoupon[];
  channel: 0 | 1 | 2;
  paidAt: number | null;
  tradeNo: string | null;
}

export interface SeedLine {
  id: number;
  readonly lineNo: number;
  readonly product: SeedProduct;
  readonly spec: SeedSpec;
}

export type OrderType = 'ordinary' | 'group' | 'rush' | 'seckill';

export interface SeedOrder {
  id: number;
  readonly code: string;
  readonly checkout: SeedCheckout;
  readonly merchant: SeedMerchant;
  readonly type: OrderType;
  readonly source: number;
  readonly createdAt: number;
  readonly createdBy: SeedStaff | null;
  readonly remark: string;
  readonly invoice: { type: 0 | 1 | 2; name: string; dutyCode: string };
  readonly lines: SeedLine[];
  readonly refunds: SeedRefund[];
  readonly shipments: SeedShipment[];
  readonly events: SeedEvent[];
  /** Priced as it stands, 改价 included. */
  quote: QuoteOrder;
  /** Where refunds and shipments have brought it. */
  state: OrderState;
  hold: PointsHold | null;
  staffRemark: string;
  receiveDeadline: number | null;
  shippedAt: number | null;
  completedAt: number | null;
  closedAt: number | null;
  refundedAt: number | null;
  closeReason: string;
  commented: boolean;
  lastEventAt: number;
}

/** A line of the order's timeline; `code` (5…60) also goes to order_event. */
export interface SeedEvent {
  readonly at: number;
  readonly code: number | null;
  readonly action: string;
  readonly label: readonly [string, string];
  readonly who: string;
  readonly staffId: number | null;
  readonly from: string | null;
  readonly to: string;
  readonly remark: string;
}

export interface SeedShipment {
  readonly at: number;
  readonly courier: {
    way: 'express' | 'own';
    company: string;
    trackingNo: string;
    name: string;
    phone: string;
  };
  readonly staff: SeedStaff;
  readonly lines: readonly { readonly line: SeedLine; readonly qty: number }[];
}

export type RefundWord = 'reviewing' | 'refunding' | 'succeeded' | 'failed' | 'cancelled';

export interface SeedRefund {
  id: number;
  readonly order: SeedOrder;
  readonly createdAt: number;
  /** null: the buyer, or the system when `applicantName` says so. */
  readonly applicant: SeedStaff | null;
  readonly applicantType: 1 | 2;
  readonly applicantName: string;
  readonly reason: readonly [string, string];
  readonly suggestedCash: number;
  readonly split: RefundSplit;
  readonly cashReason: string;
  readonly events: SeedRefundEvent[];
  state: RefundWord;
  level: 1 | 2;
  auditor1: SeedStaff | null;
  auditor1At: number | null;
  auditor2: SeedStaff | null;
  auditor2At: number | null;
  rejectReason: string;
  channelCode: string;
  channelMessage: string;
  attempts: number;
  sentAt: number | null;
  succeededAt: number | null;
  updatedAt: number;
}

export interface SeedRefundEvent {
  readonly at: number;
  readonly action: string;
  readonly label: readonly [string, string];
  readonly from: string | null;
  readonly to: RefundWord;
  readonly who: string;
  readonly staffId: number | null;
  readonly remark: string;
  readonly channelAnswer: string;
}

/** How many pieces of a line were ordered. */
export function qtyOf(order: SeedOrder, line: SeedLine): number {
  return order.quote.lines.find((quoted) => quoted.lineNo === line.lineNo)!.qty;
}

/** What the buyer pays for the whole checkout, in fen. */
export function payableOf(checkout: SeedCheckout): number {
  return checkout.orders.reduce((sum, order) => sum + order.quote.payable, 0);
}

/** Stored words of sales_order.state by the code the rules use. */
export const ORDER_WORDS: Readonly<Record<number, string>> = {
  5: 'pending_payment',
  6: 'grouping',
  10: 'to_ship',
  15: 'part_shipped',
  20: 'to_receive',
  35: 'completed',
  45: 'closed',
};

/** Stored words of sales_order.refund_status by the code the rules use. */
export const REFUND_STATUS_WORDS: Readonly<Record<number, string>> = {
  0: 'none',
  10: 'refunding',
  15: 'part',
  20: 'full',
};
