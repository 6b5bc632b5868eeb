/** How an amount is rounded to what can be paid. Source: group 06, Rules of charging 1. */
export type Rounding = 'fen' | 'jiao' | 'yuan' | 'yuan_up';

/** n / d rounded to a whole number, halves to the even one. `d` is positive. */
export function divideHalfEven(n: bigint, d: bigint): bigint {
  const negative = n < 0n;
  const size = negative ? -n : n;
  let whole = size / d;
  const twice = (size % d) * 2n;
  if (twice > d || (twice === d && whole % 2n === 1n)) whole += 1n;
  return negative ? -whole : whole;
}

/** n / d fen as an amount in fen under a rounding: half-even to fen, jiao or yuan, or up to the yuan. */
export function roundFen(n: bigint, d: bigint, rounding: Rounding): number {
  if (rounding === 'fen') return Number(divideHalfEven(n, d));
  const step = rounding === 'jiao' ? 10n : 100n;
  if (rounding === 'yuan_up') {
    const part = d * step;
    const up = n > 0n ? (n + part - 1n) / part : -(-n / part);
    return Number(up * step);
  }
  return Number(divideHalfEven(n, d * step) * step);
}

/**
 * Shares of a total in proportion to weights, whole and summing to the total: what is left over goes to the largest remainders,
 * equal ones in order. Source: group 06, Rules of charging 2 (shared) and 7.
 */
export function largestRemainder(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, one) => all + one, 0);
  if (sum === 0) return weights.map(() => 0);
  const exact = weights.map((one) => BigInt(total) * BigInt(one));
  const shares = exact.map((one) => Number(one / BigInt(sum)));
  const left = total - shares.reduce((all, one) => all + one, 0);
  const order = exact
    .map((one, index) => ({ index, rest: one % BigInt(sum) }))
    .sort((a, b) => (a.rest === b.rest ? a.index - b.index : a.rest > b.rest ? -1 : 1));
  for (const { index } of order.slice(0, left)) shares[index]! += 1;
  return shares;
}
