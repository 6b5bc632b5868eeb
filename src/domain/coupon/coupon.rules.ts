import type { Label } from '../../kernel/contract/label.ts';

/** Refusals of claims and pushes. Source: group 08, mm_couponManagement; group 16, mk_coupon. */
export const ALL_CLAIMED: Label = ['已领完', 'All claimed'];
export const LIMIT_REACHED: Label = ['已达领取上限', 'Limit per person reached'];
export const NOT_OPEN: Label = ['券未发布', 'The coupon is not published'];
export const OFF_SHELF: Label = ['券已下架', 'The coupon is off shelf'];
export const OVER: Label = ['券已过期', 'The coupon has expired'];
export const CLAIM_EARLY: Label = ['未到领取时间', 'Claiming has not started'];
export const CLAIM_LATE: Label = ['领取已结束', 'Claiming has ended'];
export const NOT_FOR_CLAIM: Label = ['该券不开放领取', 'The coupon cannot be claimed'];

/** What decides about value and cost of a coupon. Amounts in fen. */
export interface CouponTerms {
  readonly type: 'cash' | 'discount';
  readonly face: number | null;
  readonly rate: number | null;
  readonly maxDiscount: number | null;
  readonly threshold: number;
  readonly total: number;
  readonly budget: number | null;
}

/** The most one coupon can cost, in fen. */
export function mostPerCoupon(terms: Pick<CouponTerms, 'type' | 'face' | 'maxDiscount'>): number {
  return (terms.type === 'cash' ? terms.face : terms.maxDiscount) ?? 0;
}

/** The most all coupons can cost, in fen: the budget, or every coupon used for all it gives. */
export function costCeiling(terms: CouponTerms): number {
  return terms.budget ?? terms.total * mostPerCoupon(terms);
}

/** Per cent off at the threshold, where a coupon takes most; a cash coupon without a threshold may take everything. */
export function percentOff(terms: CouponTerms): number {
  if (terms.type === 'discount') return 100 - (terms.rate ?? 100);
  return terms.threshold === 0 ? 100 : ((terms.face ?? 0) * 100) / terms.threshold;
}

/** Whether a merchant coupon is looked at before it is published. Source: group 16, mk_coupon (review limits). */
export function needsReview(terms: CouponTerms, limits: { percent: number; budget: number }): boolean {
  return percentOff(terms) > limits.percent || costCeiling(terms) > limits.budget;
}

/** What a coupon gives, as lists say it: ¥20 满150, 8.5折 最高30. */
export function valueText(terms: Omit<CouponTerms, 'total' | 'budget'>): Label {
  const threshold = yuan(terms.threshold);
  if (terms.type === 'cash')
    return terms.threshold === 0
      ? [`¥${yuan(terms.face ?? 0)} 无门槛`, `¥${yuan(terms.face ?? 0)} off`]
      : [`¥${yuan(terms.face ?? 0)} 满${threshold}`, `¥${yuan(terms.face ?? 0)} off ${threshold}`];
  const most = yuan(terms.maxDiscount ?? 0);
  const rate = terms.rate ?? 100;
  const above: Label = terms.threshold === 0 ? ['', ''] : [` 满${threshold}`, ` from ${threshold}`];
  return [`${rate / 10}折${above[0]} 最高${most}`, `${100 - rate}% off${above[1]}, at most ${most}`];
}

function yuan(fen: number): string {
  return (fen / 100).toFixed(2).replace(/\.?0+$/, '');
}

/** A problem of the terms by field, in the order of the form. Source: group 08, mm_couponManagement, form. */
export function termsProblems(
  terms: Omit<CouponTerms, 'budget'> & { readonly confirmed: boolean },
): Readonly<Record<string, Label>> {
  const problems: Record<string, Label> = {};
  const required: Label = ['此项必填', 'This field is required'];
  if (terms.type === 'cash') {
    if (terms.face === null) problems.face = required;
    else if (terms.threshold > 0 && terms.threshold < terms.face)
      problems.threshold = ['门槛不能低于面值', 'The threshold must be at least the face value'];
    else if (terms.threshold === 0 && !terms.confirmed)
      problems.noThreshold = ['请确认无门槛', 'Please confirm that there is no threshold'];
  } else {
    if (terms.rate === null) problems.rate = required;
    if (terms.maxDiscount === null) problems.maxDiscount = required;
  }
  return problems;
}
