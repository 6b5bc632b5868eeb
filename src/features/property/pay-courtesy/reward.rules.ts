import type { Label } from '../../../kernel/contract/label.ts';
import type {
  GIFT_CONDITIONS,
  GIFT_KINDS,
  GiftTier,
} from '../../../domain/payment-gift/payment-gift.rules.ts';

/** What the rule of an activity is told by. */
export interface RewardFacts {
  readonly condition: keyof typeof GIFT_CONDITIONS;
  readonly gift: keyof typeof GIFT_KINDS;
  readonly tiers: readonly GiftTier[];
}

const REACHED: Readonly<Record<keyof typeof GIFT_CONDITIONS, (threshold: number) => Label>> = {
  amount: (n) => [`满${n}元`, `from ${n} yuan`],
  months: (n) => [`预缴${n}个月`, n === 1 ? '1 month ahead' : `${n} months ahead`],
  early: (n) =>
    n === 0 ? ['按时缴', 'on time'] : [`提前${n}天`, n === 1 ? '1 day early' : `${n} days early`],
};
const GIVEN: Readonly<Record<keyof typeof GIFT_KINDS, (quantity: number) => Label>> = {
  points: (n) => [`送${n}积分`, `${n} points`],
  coupon: (n) => [`送${n}张券`, n === 1 ? '1 coupon' : `${n} coupons`],
  prepaid: (n) => [`送${n}元预存`, `${n} yuan prepaid`],
};

/** The rule of an activity in words: 满280元送28积分；满560元送60积分. */
export function rewardText({ condition, gift, tiers }: RewardFacts): Label {
  const steps = [...tiers]
    .sort((a, b) => a.threshold - b.threshold)
    .map((tier) => [REACHED[condition](tier.threshold), GIVEN[gift](tier.quantity)] as const);
  return [
    steps.map(([reached, given]) => reached[0] + given[0]).join('；'),
    steps.map(([reached, given]) => `${reached[1]}: ${given[1]}`).join('; '),
  ];
}
