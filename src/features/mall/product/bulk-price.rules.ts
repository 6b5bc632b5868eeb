import { fill, type Label } from '../../../kernel/contract/label.ts';
import { SPEC_LIMITS } from './spec.rules.ts';

/** Largest rise by percent: ten times the price is a typing error more likely than a wish. */
const MOST_PERCENT = 1_000;

/** What is wrong with a change of prices, or undefined. `hundredths`: 100 is one percent, or one yuan. */
export function priceChangeProblem(mode: 'percent' | 'amount', hundredths: number): Label | undefined {
  if (hundredths === 0) return ['请填写不为0的调整值', 'Enter a change other than 0'];
  if (mode === 'percent' && (hundredths <= -10_000 || hundredths > MOST_PERCENT * 100))
    return fill(['比例应大于-100%且不超过{n}%', 'The percent must be above −100 and at most {n}'], {
      n: MOST_PERCENT,
    });
  return undefined;
}

/** A price (fen) after a change by percent, half a fen up, or by amount. */
export function changedPrice(price: number, mode: 'percent' | 'amount', hundredths: number): number {
  return mode === 'amount'
    ? price + hundredths
    : Math.floor((price * (10_000 + hundredths) + 5_000) / 10_000);
}

/** Why a spec cannot have a price (fen), or undefined. */
export function newPriceProblem(spec: {
  readonly name: string;
  readonly price: number;
  readonly marketPrice: number | null;
}): Label | undefined {
  if (spec.price < 1 || spec.price > SPEC_LIMITS.price)
    return [
      `「${spec.name}」调整后的价格应为0.01至999,999.99`,
      `“${spec.name}”: the new price must be 0.01 to 999,999.99`,
    ];
  if (spec.marketPrice !== null && spec.marketPrice < spec.price)
    return [
      `「${spec.name}」调整后的价格高于市场价`,
      `“${spec.name}”: the new price is above the market price`,
    ];
  return undefined;
}
