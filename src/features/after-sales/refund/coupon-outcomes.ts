import type { Label } from '../../../kernel/contract/label.ts';
import type { CouponEffect } from './refund-parts.ts';

/** What becomes of a coupon of the checkout when a refund succeeds, in words. */
export const OUTCOMES: Readonly<Record<CouponEffect['outcome'], Label>> = {
  returned: ['已退回买家', 'Given back to the buyer'],
  marked: ['已作废，不退回', 'Used up, not given back'],
  will_return: ['退款成功后退回', 'Comes back with the success'],
  will_mark: ['退款成功后作废，不退回', 'Lapses with the success'],
  kept: ['仍有商品在用，暂不退回', 'Still used by kept goods'],
};
