import type { Label } from '../../../kernel/contract/label.ts';

/** What the reward of a rule is told by. */
export interface RewardFacts {
  readonly basis: 'amount' | 'months';
  readonly perYuan: number | null;
  readonly givePoints: number | null;
  readonly monthPoints: number | null;
  readonly minMonths: number | null;
  readonly tiers: readonly { readonly fromYuan: number; readonly points: number }[];
}

/** The reward of a rule in words: 每满100元返50积分. */
export function rewardText(facts: RewardFacts): Label {
  if (facts.basis === 'months')
    return [
      `预缴满${facts.minMonths}个月，每月返${facts.monthPoints}积分`,
      `${facts.monthPoints} points a month from ${facts.minMonths} months ahead`,
    ];
  if (facts.tiers.length === 0)
    return [
      `每满${facts.perYuan}元返${facts.givePoints}积分`,
      `${facts.givePoints} points for every ${facts.perYuan} yuan`,
    ];
  const steps = [...facts.tiers].sort((a, b) => a.fromYuan - b.fromYuan);
  return [
    steps.map((one) => `满${one.fromYuan}元每${facts.perYuan}元返${one.points}`).join('；'),
    steps.map((one) => `from ${one.fromYuan}: ${one.points} for every ${facts.perYuan} yuan`).join('; '),
  ];
}
