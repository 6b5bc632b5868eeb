import { expect, test } from 'vitest';
import type { PaidFacts, PaidLine } from '../rebate/rebate.rules.ts';
import { leftOf, reachedBy, type GiftTerms } from './payment-gift.rules.ts';

const line = (more: Partial<PaidLine> = {}): PaidLine => ({
  itemId: 1,
  amount: 28_000,
  from: '2026-12-01',
  to: '2026-12-31',
  due: '2026-12-16',
  full: true,
  ...more,
});
const paid = (lines: readonly PaidLine[], day = '2026-11-20'): PaidFacts => ({
  id: 1,
  projectId: 1,
  houseId: 1,
  day,
  channel: 'cash',
  paidAt: new Date(`${day}T02:00:00Z`),
  amount: lines.reduce((sum, one) => sum + one.amount, 0),
  arrears: false,
  lines,
});
const terms = (condition: GiftTerms['condition'], ...steps: [number, number][]): GiftTerms => ({
  condition,
  itemIds: [1],
  tiers: steps.map(([threshold, quantity]) => ({ threshold, quantity })),
});

test('the highest step of an amount counts, by the principal of the activity’s items', () => {
  const steps = terms('amount', [280, 28], [560, 60]);
  expect(reachedBy(steps, paid([line()]))).toEqual({ paid: 28_000, tier: { threshold: 280, quantity: 28 } });
  expect(reachedBy(steps, paid([line(), line()])).tier?.quantity).toBe(60);
  expect(reachedBy(steps, paid([line({ amount: 27_999 }), line({ itemId: 2 })])).tier).toBeUndefined();
  expect(reachedBy(steps, paid([line({ itemId: 2 })]))).toEqual({ paid: 0, tier: undefined });
});

test('months ahead are whole settled months after the month of payment', () => {
  const steps = terms('months', [1, 5], [2, 12]);
  expect(reachedBy(steps, paid([line()])).tier?.quantity).toBe(5);
  const two = [line(), line({ from: '2027-01-01', to: '2027-01-31' })];
  expect(reachedBy(steps, paid(two)).tier?.quantity).toBe(12);
  expect(reachedBy(steps, paid([line({ full: false })])).tier).toBeUndefined();
});

test('early counts by the bill nearest to its due date; on the due date is 0 days, behind it never', () => {
  const steps = terms('early', [0, 1], [10, 5]);
  expect(reachedBy(steps, paid([line()], '2026-12-06')).tier?.quantity).toBe(5);
  expect(reachedBy(steps, paid([line()], '2026-12-16')).tier?.quantity).toBe(1);
  expect(reachedBy(steps, paid([line()], '2026-12-17')).tier).toBeUndefined();
  expect(reachedBy(steps, paid([line(), line({ due: '2026-12-07' })], '2026-12-06')).tier?.quantity).toBe(1);
});

test('what is left follows what still stands of the payment, half up', () => {
  expect([leftOf(28, 28_000, 18_000), leftOf(28, 28_000, 28_000), leftOf(28, 28_000, 0)]).toEqual([
    18, 28, 0,
  ]);
  expect([leftOf(1, 300, 200), leftOf(1, 300, 100), leftOf(3, 200, 100)]).toEqual([1, 0, 2]);
});
