import type { Label } from '../../../kernel/contract/label.ts';

/** What the reward of a rule is told by. */
export interface RewardFacts {
  readonly basis: 'amount' | 'months';
  readonly perYuan: number | null;
  readonly givePoints: number | null;
  readonly monthPoints: number | null;
  readonly minMonths: number | null;
  readonly tiers: readonly { readonly fromYuan: number; readonly points: number }[];
  /** Of rules that give coupons. */
  readonly couponName?: string | null;
}

/** The reward of a rule in words: 每满100元返50积分, 每满500元返1张「满减券」. */
export function rewardText(facts: RewardFacts): Label {
  const { couponName } = facts;
  const what = (count: number | null): Label =>
    couponName
      ? [`${count}张「${couponName}」`, `${count} × “${couponName}”`]
      : [`${count}积分`, `${count} points`];
  if (facts.basis === 'months')
    return [
      `预缴满${facts.minMonths}个月，每月返${what(facts.monthPoints)[0]}`,
      `${what(facts.monthPoints)[1]} a month from ${facts.minMonths} months ahead`,
    ];
  if (facts.tiers.length === 0)
    return [
      `每满${facts.perYuan}元返${what(facts.givePoints)[0]}`,
      `${what(facts.givePoints)[1]} for every ${facts.perYuan} yuan`,
    ];
  const steps = [...facts.tiers].sort((a, b) => a.fromYuan - b.fromYuan);
  return [
    steps
      .map(
        (one) => `满${one.fromYuan}元每${facts.perYuan}元返${couponName ? what(one.points)[0] : one.points}`,
      )
      .join('；'),
    steps
      .map(
        (one) =>
          `from ${one.fromYuan}: ${couponName ? what(one.points)[1] : one.points} for every ${facts.perYuan} yuan`,
      )
      .join('; '),
  ];
}
