import type { Label } from '../../kernel/contract/label.ts';

/** How what was redeemed reaches the member. */
export const REDEMPTION_WAYS = {
  ship: { label: ['邮寄', 'Shipped'] },
  collect: { label: ['自提', 'Collected'] },
  card: { label: ['补签卡', 'Make-up card'] },
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

/** Make-up cards are given as their points are spent. */
export const CARDS_FOR_POINTS: Label = ['补签卡只能用积分兑换', 'Make-up cards are had for points alone'];
