import { expect, test } from 'vitest';
import {
  resultOf,
  returnsOf,
  roomOf,
  splitReturn,
  type PaidLine,
  type ReturnRule,
  type ReturnTerms,
} from './points-return.rules.ts';

const terms = (more: Partial<ReturnTerms> = {}): ReturnTerms => ({
  asset: 'points',
  give: 5,
  perFen: 1_000,
  minPaid: 0,
  capOrder: -1,
  capDay: -1,
  capMonth: -1,
  capTotal: -1,
  grantAt: 'after',
  afterDays: 7,
  validDays: null,
  budgetId: 1,
  priority: 100,
  startsOn: '2026-01-01',
  endsOn: '2026-12-31',
  grades: [],
  scope: { projectIds: [1], merchantIds: [], businessIds: [], classIds: [], productIds: [], excludedIds: [] },
  ...more,
});
const rule = (ruleId: number, more: Partial<ReturnTerms> = {}): ReturnRule => ({
  ruleId,
  no: 1,
  terms: terms(more),
});
const line = (lineId: number, cash: number, more: Partial<PaidLine> = {}): PaidLine => ({
  lineId,
  cash,
  merchantId: 7,
  businessId: 3,
  classIds: [11, 10],
  productId: 100 + lineId,
  ...more,
});
const A = line(1, 11_040);
const B = line(2, 5_960);
const of = (rules: ReturnRule[], lines = [A, B], gradeId: number | null = null) =>
  returnsOf(rules, { projectId: 1, gradeId, lines });

test('the worked example: 85 over A 55 and B 30; B refunded leaves 55; multiplier 1.5 gives 127', () => {
  const [result] = of([rule(1)]).results;
  expect(result).toMatchObject({ base: 17_000, wanted: 85, points: 85 });
  expect(splitReturn(result!.points, result!.lines)).toEqual([55, 30]);
  expect(resultOf(rule(1), 10, [A, { ...B, cash: 0 }]).points).toBe(55);
  expect(of([rule(1, { grades: [{ gradeId: 4, tenths: 15 }] })], [A, B], 4).results[0]!.points).toBe(127);
  expect(roomOf(85, [{ name: 'day', cap: 100, used: 60 }])).toEqual({ granted: 40, room: 40, why: 'day' });
});

test('the tightest cap is named; unlimited ones cut nothing', () => {
  const caps = (day: number, month: number, total: number) =>
    roomOf(85, [
      { name: 'day', cap: day, used: 10 },
      { name: 'month', cap: month, used: 10 },
      { name: 'total', cap: total, used: 10 },
    ]);
  expect(caps(-1, -1, -1)).toMatchObject({ granted: 85 });
  expect(caps(50, 45, -1)).toMatchObject({ granted: 35, why: 'month' });
  expect(caps(50, 45, 5)).toMatchObject({ granted: 0, why: 'total' });
});

test('per order: below the least payment nothing, above the cap of an order no more', () => {
  expect(of([rule(1, { minPaid: 17_001 })]).results[0]).toMatchObject({ points: 0, why: 'minimum' });
  expect(of([rule(1, { capOrder: 80 })]).results[0]).toMatchObject({ wanted: 85, points: 80, why: 'order' });
});

test('one rule per line and asset: priority, then what gives more, then the lower id; both assets side by side', () => {
  const { results, losses } = of([
    rule(1, { priority: 10 }),
    rule(2, { priority: 20, scope: { ...terms().scope, productIds: [B.productId] } }),
    rule(3, { asset: 'coin', give: 1 }),
    rule(4, { asset: 'coin', give: 2 }),
    rule(5, { asset: 'coin', give: 2 }),
  ]);
  expect(results.map((one) => [one.rule.ruleId, one.lines.map((own) => own.lineId)])).toEqual([
    [1, [1]],
    [2, [2]],
    [4, [1, 2]],
  ]);
  expect(losses.map((loss) => [loss.rule.ruleId, loss.to, loss.why, loss.lineIds])).toEqual([
    [1, 2, 'priority', [2]],
    [5, 4, 'id', [1, 2]],
    [3, 4, 'smaller', [1, 2]],
  ]);
});

test('scopes narrow together, a class stands for those below it, excluded goods are out', () => {
  const hits = (scope: Partial<ReturnTerms['scope']>) =>
    of([rule(1, { scope: { ...terms().scope, ...scope } })]).results.flatMap((one) =>
      one.lines.map((own) => own.lineId),
    );
  expect(hits({ classIds: [10] })).toEqual([1, 2]);
  expect(hits({ classIds: [10], excludedIds: [A.productId] })).toEqual([2]);
  expect(hits({ merchantIds: [7], businessIds: [4] })).toEqual([]);
  expect(hits({ projectIds: [2] })).toEqual([]);
});
