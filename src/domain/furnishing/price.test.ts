import { describe, expect, test } from 'vitest';
import {
  basePrice,
  cancellation,
  choiceProblem,
  DEFAULT_CANCEL,
  instalments,
  optionProblem,
  quoteOf,
  refundParts,
  rescheduled,
  roundHalfUp,
  type PricedOption,
} from './price.rules.ts';
import type { Room } from './rooms.rules.ts';

const PLAN = [3_000, 6_000, 1_000];
const ROOMS: Room[] = [{ kind: 'living', name: '客厅', area: '28.50' }];
const option = (code: string, more: Partial<PricedOption> = {}): PricedOption => ({
  code,
  name: code,
  room: null,
  mode: 'fixed',
  price: 100_00,
  requires: [],
  excludes: [],
  group: '',
  single: false,
  ...more,
});
const OPTIONS = [
  option('lock', { price: 1_280_00 }),
  option('floor', { mode: 'per_m2', room: 'living', price: 45_00 }),
];
const quote = (built: string) =>
  quoteOf({
    basis: 'built_area',
    price: 899_00,
    minCharge: 0,
    areas: { built, inner: '72.10', rooms: ROOMS },
    options: OPTIONS,
    chosen: [{ code: 'lock' }, { code: 'floor' }],
    discount: 2_000_00,
  });

describe('price', () => {
  test('worked example: 89.36 m² at 899.00 with a lock, a floor and a discount; three instalments that add up', () => {
    const { lines, total } = quote('89.36');
    expect(lines.map((line) => line.amount)).toEqual([80_334_64, 1_280_00, 1_282_50, -2_000_00]);
    expect(total).toBe(80_897_14);
    const parts = instalments(PLAN, total);
    expect(parts).toEqual([24_269_14, 48_538_29, 8_089_71]);
    expect(parts.reduce((sum, one) => sum + one, 0)).toBe(total);
  });

  test('worked example: measured 90.12 m², the deposit stays and the later instalments follow', () => {
    const { lines, total } = quote('90.12');
    expect([lines[0]!.amount, total]).toEqual([81_017_88, 81_580_38]);
    const standing = [
      { amount: 24_269_14, kept: true },
      { amount: 48_538_29, kept: false },
      { amount: 8_089_71, kept: false },
    ];
    expect(rescheduled(PLAN, standing, total)).toEqual({
      amounts: [24_269_14, 49_153_20, 8_158_04],
      refund: 0,
    });
  });

  test('worked example: a change of 3,500.00 goes to the tail; one of −12,000.00 empties it and 3,841.96 go back', () => {
    const standing = [
      { amount: 24_269_14, kept: true },
      { amount: 49_153_20, kept: true },
      { amount: 8_158_04, kept: false },
    ];
    expect(rescheduled(PLAN, standing, 81_580_38 + 3_500_00)).toEqual({
      amounts: [24_269_14, 49_153_20, 11_658_04],
      refund: 0,
    });
    expect(rescheduled(PLAN, standing, 81_580_38 - 12_000_00)).toEqual({
      amounts: [24_269_14, 49_153_20, 0],
      refund: 3_841_96,
    });
  });

  test('worked example: cancelled when signed, and with 40 % of the works passed; parts of the latest payment first', () => {
    expect(cancellation(DEFAULT_CANCEL[2]!, { price: 81_580_38, paid: 24_269_14, passed: 0 })).toEqual({
      works: 0,
      fee: 4_079_02,
      kept: 4_079_02,
      refund: 20_190_12,
      rest: 0,
    });
    const begun = cancellation(DEFAULT_CANCEL[3]!, { price: 81_580_38, paid: 73_422_34, passed: 4_000 });
    expect(begun).toEqual({ works: 32_632_15, fee: 4_079_02, kept: 36_711_17, refund: 36_711_17, rest: 0 });
    const payments = [
      { id: 1, rest: 24_269_14 },
      { id: 2, rest: 49_153_20 },
    ];
    expect(refundParts(payments, begun.refund)).toEqual([{ id: 2, amount: 36_711_17 }]);
    expect(refundParts(payments, 50_000_00)).toEqual([
      { id: 2, amount: 49_153_20 },
      { id: 1, amount: 846_80 },
    ]);
    expect(() => refundParts(payments, 73_422_35)).toThrow('above');
  });

  test('what is kept is never more than what was paid, the rest is owed', () => {
    expect(cancellation(DEFAULT_CANCEL[1]!, { price: 1_000_00, paid: 300_00, passed: 0 })).toMatchObject({
      kept: 300_00,
      refund: 0,
      rest: 200_00,
    });
  });

  test('halves go up, away from zero for savings; the least charge holds', () => {
    expect([roundHalfUp(1, 50, 100), roundHalfUp(-1, 50, 100), roundHalfUp(1, 49, 100)]).toEqual([1, -1, 0]);
    expect(basePrice('inner_area', 100_00, { built: 50, inner: '40.00' }, 5_000_00).amount).toBe(5_000_00);
    expect(basePrice('fixed', 60_000_00, { built: 50, inner: 40 }).amount).toBe(60_000_00);
  });

  test('instalments of any price and plan add up to it', () => {
    for (let price = 1; price < 100_000; price += 997)
      for (const plan of [PLAN, [3_333, 3_333, 3_334], [1, 9_999], [2_500, 2_500, 2_500, 2_500]])
        expect(instalments(plan, price).reduce((sum, one) => sum + one, 0)).toBe(price);
  });
});

describe('options', () => {
  test('need and exclude each other; groups of one choice', () => {
    const all = [
      option('a', { requires: ['b'] }),
      option('b', { excludes: ['c'] }),
      option('c'),
      option('x', { group: '地板', single: true }),
      option('y', { group: '地板', single: true }),
    ];
    expect(choiceProblem(all, ['a', 'b'])).toBeUndefined();
    expect(choiceProblem(all, ['a'])?.[0]).toBe('a 需同选 b');
    expect(choiceProblem(all, ['b', 'c'])).toEqual(['b 与 c 不能同选', 'b and c cannot be combined']);
    expect(choiceProblem(all, ['x', 'y'])?.[0]).toBe('x 与 y 不能同选');
  });

  test('circles, unknown and doubled codes are found', () => {
    expect(optionProblem([option('a', { requires: ['b'] }), option('b')])).toBeUndefined();
    expect(
      optionProblem([option('a', { requires: ['b'] }), option('b', { requires: ['a'] })])?.[0],
    ).toContain('成环');
    expect(optionProblem([option('a'), option('a')])?.[0]).toContain('重复');
    expect(optionProblem([option('a', { excludes: ['z'] })])?.[0]).toContain('z');
    expect(optionProblem([option('a', { requires: ['b'], excludes: ['b'] }), option('b')])?.[0]).toContain(
      '既依赖又排斥',
    );
    expect(optionProblem([option('a', { mode: 'per_m2' })])?.[0]).toContain('须选择房间');
  });
});
