import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';

/** What the rate of a rule is told by; `per` in fen. */
export interface RateFacts {
  readonly give: number;
  readonly per: number;
  readonly asset: 'points' | 'coin';
}

/** The rate of a rule in words: 每满10.00元返5积分. */
export function rateText({ give, per, asset }: RateFacts): Label {
  const [zh, en] = asset === 'coin' ? ['代币', 'coins'] : ['积分', 'points'];
  return [`每满${yuanFromFen(per)}元返${give}${zh}`, `${give} ${en} for every ${yuanFromFen(per)} yuan`];
}
