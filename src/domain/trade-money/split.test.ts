import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { floorRatio, yuanText } from './amounts.rules.ts';
import { splitAmount, splitUnits } from './split.rules.ts';

type Split = (total: number, weights: readonly number[]) => number[];

const RUNS = { numRuns: 1000, seed: 42 };
/** A planted bug only has to be found, not shrunk. */
const FIND = { ...RUNS, endOnFailure: true };

/** Weights up to 1e13 and a total of at most their sum. */
const cases = fc
  .record({
    weights: fc.array(fc.oneof(fc.nat(20), fc.nat(100_000), fc.nat(10_000_000_000_000)), {
      minLength: 1,
      maxLength: 12,
    }),
    wish: fc.maxSafeNat(),
  })
  .map(({ weights, wish }) => ({ weights, total: wish % (weights.reduce((a, b) => a + b, 0) + 1) }));

function splitHolds(split: Split) {
  return fc.property(cases, ({ weights, total }) => {
    const shares = split(total, weights);
    expect(shares.reduce((a, b) => a + b, 0)).toBe(total);
    shares.forEach((share, line) => {
      expect(share).toBeGreaterThanOrEqual(0);
      expect(share).toBeLessThanOrEqual(weights[line] ?? 0);
    });
  });
}

/** No line gets more than one fen above its floor, and no line with a smaller remainder is preferred. */
function isLargestRemainder(split: Split) {
  return fc.property(cases, ({ weights, total }) => {
    const sum = BigInt(weights.reduce((a, b) => a + b, 0));
    if (sum === 0n) return;
    const parts = split(total, weights).map((share, line) => {
      const product = BigInt(total) * BigInt(weights[line] ?? 0);
      return { line, extra: BigInt(share) - product / sum, remainder: product % sum };
    });
    for (const part of parts) expect(part.extra === 0n || part.extra === 1n).toBe(true);
    for (const lucky of parts.filter((part) => part.extra === 1n))
      for (const other of parts.filter((part) => part.extra === 0n)) {
        expect(lucky.remainder >= other.remainder).toBe(true);
        if (lucky.remainder === other.remainder) expect(lucky.line).toBeLessThan(other.line);
      }
  });
}

describe('splitting rule', () => {
  test('example B: 1.00 over three lines of 3.33', () => {
    expect(splitAmount(100, [333, 333, 333])).toEqual([34, 33, 33]);
  });

  test('example A, step by step', () => {
    expect(splitAmount(1000, [7980, 5990])).toEqual([571, 429]);
    expect(splitAmount(2000, [7409, 5561, 5970])).toEqual([782, 587, 631]);
    expect(splitAmount(3300, [6627, 4974, 5339])).toEqual([1291, 969, 1040]);
  });

  test('group 16: 30.00 over 100.00 and 60.00, platform part 18.00', () => {
    expect(splitAmount(3000, [10000, 6000])).toEqual([1875, 1125]);
    expect(splitAmount(1800, [1875, 1125])).toEqual([1125, 675]);
    expect(splitAmount(2600, [11040, 5960])).toEqual([1688, 912]);
  });

  test('products beyond 2^53 stay exact', () => {
    expect(splitAmount(9_999_999_999_999, [9_999_999_999_999, 9_999_999_999_998])).toEqual([
      5_000_000_000_000, 4_999_999_999_999,
    ]);
    expect(floorRatio(9_999_999_999_999, 9_999_999_999_999, 10_000_000_000_000)).toBe(9_999_999_999_998);
  });

  test('units may be more than the values', () => {
    expect(splitUnits(6600, [1291, 969, 1040])).toEqual([2582, 1938, 2080]);
    expect(splitUnits(0, [0, 0])).toEqual([0, 0]);
  });

  test('refuses what cannot be split', () => {
    expect(() => splitAmount(2, [1])).toThrow(RangeError);
    expect(() => splitAmount(-1, [1])).toThrow(RangeError);
    expect(() => splitAmount(1.5, [3])).toThrow(RangeError);
    expect(() => splitUnits(1, [0])).toThrow(RangeError);
  });

  test('sums to the total, each share between 0 and its weight', () => {
    fc.assert(splitHolds(splitAmount), RUNS);
  });

  test('is the largest remainder with ties to the lower line', () => {
    fc.assert(isLargestRemainder(splitAmount), RUNS);
  });

  test('the properties see planted bugs', () => {
    const rounding: Split = (total, weights) => {
      const sum = weights.reduce((a, b) => a + b, 0);
      return weights.map((weight) => (sum === 0 ? 0 : Math.round((total * weight) / sum)));
    };
    const restToLast: Split = (total, weights) => {
      const shares = weights.map((weight) => Number((BigInt(total) * BigInt(weight)) / sumBig(weights)));
      const last = shares.length - 1;
      shares[last] = (shares[last] ?? 0) + total - shares.reduce((a, b) => a + b, 0);
      return shares;
    };
    const tiesToHigher: Split = (total, weights) => splitAmount(total, [...weights].reverse()).reverse();
    expect(fc.check(splitHolds(rounding), FIND).failed).toBe(true);
    expect(fc.check(splitHolds(restToLast), FIND).failed).toBe(true);
    expect(fc.check(isLargestRemainder(tiesToHigher), FIND).failed).toBe(true);
  });
});

test('yuan texts', () => {
  expect([0, 5, 12345, -4211].map(yuanText)).toEqual(['0.00', '0.05', '123.45', '-42.11']);
});

function sumBig(weights: readonly number[]): bigint {
  const sum = weights.reduce((a, b) => a + BigInt(b), 0n);
  return sum === 0n ? 1n : sum;
}
