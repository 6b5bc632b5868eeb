import { requireCount, sumOf } from './amounts.rules.ts';

/**
 * Splits `total` fen over lines by largest remainder. `weights[i]` is what is left of line i in fen, lines in the
 * order of their line numbers; a line of weight 0 gets 0. The result sums to `total` and 0 ≤ share ≤ weight.
 * Throws RangeError when an amount is negative or not a safe integer, or total > Σ weights.
 * Source: group 08, Money engine, splitting rule.
 */
export function splitAmount(total: number, weights: readonly number[]): number[] {
  const sum = sumOf(weights, (weight) => weight);
  if (total > sum) throw new RangeError(`cannot split ${total} over lines worth ${sum}`);
  return splitLargestRemainder(total, weights);
}

/**
 * Splits a count of points or coins over lines with the value shares (fen) as weights. Same rule as
 * {@link splitAmount}, but a count may be greater than the sum of the values (200 points for one yuan).
 * Throws RangeError when all weights are 0 and the count is not.
 * Source: group 08, Money engine, splitting rule ("Points counts are split by the same rule").
 */
export function splitUnits(count: number, valueShares: readonly number[]): number[] {
  return splitLargestRemainder(count, valueShares);
}

function splitLargestRemainder(total: number, weights: readonly number[]): number[] {
  requireCount(total, 'total');
  let sum = 0n;
  for (const weight of weights) sum += BigInt(requireCount(weight, 'weight'));
  if (total === 0) return weights.map(() => 0);
  if (sum === 0n) throw new RangeError(`cannot split ${total} over nothing`);

  const products = weights.map((weight) => BigInt(total) * BigInt(weight));
  const shares = products.map((product) => Number(product / sum));
  const missing = total - sumOf(shares, (share) => share);
  const byRemainder = products
    .map((product, line) => ({ line, remainder: product % sum }))
    // Ties go to the lower line number; comparing it keeps the order independent of the sort algorithm.
    .sort((a, b) => (a.remainder === b.remainder ? a.line - b.line : a.remainder < b.remainder ? 1 : -1));
  for (const { line } of byRemainder.slice(0, missing)) shares[line] = (shares[line] ?? 0) + 1;
  return shares;
}
