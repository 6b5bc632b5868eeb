import type { Label } from '../../../kernel/contract/label.ts';

/** What a rule may be used together with. */
export interface StackFacts {
  readonly coupon: boolean;
  readonly points: boolean;
  readonly seckill: boolean;
  readonly group: boolean;
}

const NAMES: Readonly<Record<keyof StackFacts, Label>> = {
  coupon: ['优惠券', 'coupons'],
  points: ['积分', 'points'],
  seckill: ['秒杀', 'seckill'],
  group: ['拼团', 'group-making'],
};

/** The names of them: 优惠券、拼团. */
export function stacksText(facts: StackFacts): Label {
  const names = (Object.keys(NAMES) as (keyof StackFacts)[])
    .filter((key) => facts[key])
    .map((key) => NAMES[key]);
  return names.length === 0
    ? ['不可叠加', 'nothing']
    : [names.map((name) => name[0]).join('、'), names.map((name) => name[1]).join(', ')];
}
