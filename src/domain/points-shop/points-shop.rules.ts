import type { Label } from '../../kernel/contract/label.ts';

/** How what was redeemed reaches the member. */
export const REDEMPTION_WAYS = {
  ship: { label: ['邮寄', 'Shipped'] },
  collect: { label: ['自提', 'Collected'] },
  card: { label: ['补签卡', 'Make-up card'] },
  coupon: { label: ['优惠券', 'Coupon'] },
} as const;
export type RedemptionWay = keyof typeof REDEMPTION_WAYS;

/** States of a redemption. */
export const REDEMPTION_STATES = {
  pending_payment: { label: ['待支付', 'To pay'], tone: 'warning' },
  to_fulfil: { label: ['待发放', 'To ship'], tone: 'warning' },
  shipped: { label: ['已发货', 'Shipped'], tone: 'processing' },
  to_collect: { label: ['待自提', 'To collect'], tone: 'warning' },
  completed: { label: ['已完成', 'Completed'], tone: 'success' },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused' },
  refunded: { label: ['已退回', 'Given back'], tone: 'error' },
} as const;

/** Name of the timelines of redemptions. */
export const REDEMPTION_ENTITY = 'redemption';

/** What is given at once, as its points are spent: it costs no cash and is not given back. */
export const isVirtual = (way: unknown): boolean => way === 'card' || way === 'coupon';
export const VIRTUAL_FOR_POINTS: Label = [
  '补签卡与优惠券只能用积分兑换',
  'Make-up cards and coupons are had for points alone',
];
