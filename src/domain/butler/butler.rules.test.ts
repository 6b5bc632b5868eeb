import { expect, test } from 'vitest';
import {
  capCut,
  clawbackOf,
  coefficientOf,
  conversionRate,
  incentiveOf,
  isInWindow,
  netOf,
  ruleOf,
  scoreOf,
  share,
  tierBonus,
  WAY,
} from './butler.rules.ts';

const whole = { way: WAY.share, servedBp: 5000, qtyRefunded: 0 };
const served = { ...whole, way: WAY.served };

test('group 12 Must show 1 (rules): the example earns 17.62 shared and 8.81 served; 72 h still count, a minute more does not', () => {
  const a = incentiveOf({ fixedFen: 500 }, { ...whole, qty: 3, valid: 26_248 });
  const b = incentiveOf({ rateBp: 500 }, { ...whole, qty: 1, valid: 5242 });
  expect([a, b, a + b]).toEqual([1500, 262, 1762]);
  const sa = incentiveOf({ fixedFen: 500 }, { ...served, qty: 3, valid: 26_248 });
  const sb = incentiveOf({ rateBp: 500 }, { ...served, qty: 1, valid: 5242 });
  expect([sa, sb, sa + sb]).toEqual([750, 131, 881]);
  const paid = new Date('2026-11-30T12:00:00+08:00');
  const before = (minutes: number) => new Date(paid.getTime() - minutes * 60_000);
  expect(isInWindow(before(72 * 60 - 1), paid, 72)).toBe(true);
  expect(isInWindow(before(72 * 60), paid, 72)).toBe(true);
  expect(isInWindow(before(72 * 60 + 2), paid, 72)).toBe(false);
  expect(isInWindow(before(-1), paid, 72)).toBe(false);
});

test('group 12 Must show 2 (rules): one piece of A less is 5.00 less, and afterwards it is taken back', () => {
  const now = incentiveOf({ fixedFen: 500 }, { ...whole, qty: 3, qtyRefunded: 1, valid: 17_500 });
  expect(now).toBe(1000);
  expect(clawbackOf(1500, now)).toBe(-500);
  expect(clawbackOf(1500 - 500, now)).toBe(0);
});

test('group 12 Must show 6 (rules): 35,000.00 and 92 points earn 330.00, without a score 300.00', () => {
  const tiers = [
    { fromFen: 3_000_000, extraBp: 200 },
    { fromFen: 1_000_000, extraBp: 100 },
  ];
  const steps = [
    { fromScore: 90, coefficientBp: 11_000 },
    { fromScore: 80, coefficientBp: 10_000 },
    { fromScore: 60, coefficientBp: 8000 },
    { fromScore: 0, coefficientBp: 5000 },
  ];
  expect(coefficientOf(92, steps)).toBe(11_000);
  expect(coefficientOf(89.99, steps)).toBe(10_000);
  expect(coefficientOf(59.99, steps)).toBe(5000);
  expect(tierBonus(3_500_000, tiers, coefficientOf(92, steps))).toBe(33_000);
  expect(tierBonus(3_500_000, tiers, 10_000)).toBe(30_000);
  expect(tierBonus(1_000_000, tiers, 10_000)).toBe(0);
  expect(tierBonus(1_000_050, tiers, 10_000)).toBe(1);
});

test('group 12 Must show 7 (rules): 6,000.00 over a cap of 5,000.00 lose 1,000.00, the bonus stays', () => {
  expect(capCut(600_000, 500_000)).toBe(-100_000);
  expect(capCut(499_999, 500_000)).toBe(0);
  const terms = { sale: 600_000, bonus: 33_000, clawback: 0, capCut: -100_000, manual: 0, carryIn: 0 };
  expect(netOf(terms)).toEqual({ net: 533_000, carryOut: 0 });
  expect(netOf({ ...terms, clawback: -600_000 })).toEqual({ net: 0, carryOut: -67_000 });
});

test('goods decide first, then the nearest class, the business, the default', () => {
  const plan = {
    defaultBp: 300,
    rules: [
      { classId: 1, businessId: null, rateBp: 100, fixedFen: null },
      { classId: 2, businessId: null, rateBp: null, fixedFen: 7 },
      { classId: null, businessId: 9, rateBp: 200, fixedFen: null },
    ],
  };
  const goods = { incentive: 'plan', fixedFen: null, rateBp: null } as const;
  expect(
    ruleOf({ ...goods, incentive: 'fixed', fixedFen: 500 }, plan, { classIds: [1], businessId: 9 }),
  ).toEqual({
    rule: 'goods_fixed',
    fixedFen: 500,
  });
  expect(ruleOf(goods, plan, { classIds: [2, 1], businessId: 9 })).toEqual({ rule: 'class', fixedFen: 7 });
  expect(ruleOf(goods, plan, { classIds: [3, 1], businessId: 9 })).toEqual({ rule: 'class', rateBp: 100 });
  expect(ruleOf(goods, plan, { classIds: [3], businessId: 9 })).toEqual({ rule: 'business', rateBp: 200 });
  expect(ruleOf(goods, plan, { classIds: [], businessId: null })).toEqual({ rule: 'default', rateBp: 300 });
  expect(ruleOf(goods, undefined, { classIds: [], businessId: null })).toBeUndefined();
});

test('packages earn by the visits kept, halves go up, scores are weighted, rates have one digit', () => {
  expect(incentiveOf({ fixedFen: 500 }, { ...whole, qty: 1, times: 4, qtyRefunded: 1, valid: 0 })).toBe(375);
  expect([share(1, 1, 2), share(-1, 1, 2), share(-3, 1, 2)]).toEqual([1, 0, -1]);
  expect(
    scoreOf([
      { score: 92.5, weight: 40 },
      { score: 80, weight: 60 },
    ]),
  ).toBe(85);
  expect([conversionRate(1, 3), conversionRate(0, 0)]).toEqual([33.3, null]);
});
