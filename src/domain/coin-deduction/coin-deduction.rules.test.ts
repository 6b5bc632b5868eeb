import { expect, test } from 'vitest';
import { leastOf, stepProblem, trialOf, type CoinTerms, type OfferedRule } from './coin-deduction.rules.ts';

const scope = {
  projectIds: [1],
  merchantIds: [],
  businessIds: [],
  classIds: [],
  productIds: [],
  excludedIds: [],
};
const rule = (
  ruleId: number,
  more: Partial<CoinTerms> = {},
  capsLeft: number | null = null,
): OfferedRule => ({
  ruleId,
  name: `R${ruleId}`,
  capsLeft,
  terms: {
    coinsPerYuan: 100,
    step: 100,
    maxPercent: 20,
    maxPerOrder: 3_000,
    minOrder: 0,
    capDay: null,
    capMonth: null,
    withCoupon: true,
    withPoints: false,
    withSeckill: false,
    withGroup: false,
    budget: null,
    startsOn: '2026-01-01',
    endsOn: '2026-12-31',
    priority: 100,
    scope,
    ...more,
  },
});
const line = (productId: number, left: number) => ({
  productId,
  left,
  merchantId: 7,
  businessId: 3,
  classIds: [11],
});
const of = (rules: OfferedRule[]) =>
  trialOf(rules, { projectId: 1, lines: [line(1, 11_040), line(2, 5_960)], coins: 2_650 });

test('the worked example: 30.00 allowed, 2,600 coins are 26.00, shares 16.88 and 9.12', () => {
  const { quote, step } = of([rule(1)]);
  expect(step).toMatchObject({ amount: 2_600, units: 2_600, base: 17_000 });
  expect(step!.lines.map((one) => [one.amount, one.units])).toEqual([
    [1_688, 1_688],
    [912, 912],
  ]);
  expect(quote.payable + 800).toBe(15_200);
});

test('caps that are left, the least order and the scope narrow it', () => {
  expect(of([rule(1, {}, 1_550)]).step).toMatchObject({ amount: 1_500 });
  expect(of([rule(1, {}, 0)]).step).toBeUndefined();
  expect(of([rule(1, { minOrder: 17_001 })]).step).toBeUndefined();
  expect(of([rule(1, { scope: { ...scope, productIds: [2] } })]).step).toMatchObject({
    base: 5_960,
    amount: 1_100,
  });
  expect(of([rule(1, { scope: { ...scope, projectIds: [2] } })]).step).toBeUndefined();
});

test('the rule that is best for the member holds, equal ones by priority', () => {
  expect(of([rule(1), rule(2, { maxPercent: 10 })]).step!.sourceId).toBe('1');
  expect(of([rule(1), rule(2, { priority: 200 })]).step!.sourceId).toBe('2');
});

test('a step above everything a rule may take is told, else what an order needs for one', () => {
  const problem = (more: Partial<CoinTerms>) => stepProblem(rule(1, more).terms);
  expect(problem({ coinsPerYuan: 1, step: 50 })).toEqual({ step: 5_000, most: 3_000, needs: 25_000 });
  expect(problem({ capDay: 50 })).toMatchObject({ most: 50 });
  expect(problem({})).toEqual({ step: 100, most: null, needs: 500 });
  expect(leastOf(null, null)).toBeNull();
});
