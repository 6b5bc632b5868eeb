import { expect, test } from 'vitest';
import { rebateOf, type PaidFacts, type RebateTerms } from './rebate.rules.ts';

const terms: RebateTerms = {
  receiver: 'payer',
  basis: 'amount',
  perYuan: 100,
  givePoints: 50,
  tiers: [],
  monthPoints: null,
  minMonths: null,
  rounding: 'down',
  minPayment: 0,
  noArrears: true,
  onTime: false,
  channels: [],
  capPayment: -1,
  capHouseYear: -1,
  capTotal: -1,
  finalDays: 7,
  validDays: null,
  startsOn: '2026-01-01',
  endsOn: '2026-12-31',
  priority: 10,
  budgetId: null,
};
const line = {
  itemId: 1,
  amount: 128_000,
  from: '2026-03-01',
  to: '2026-03-31',
  due: '2026-03-16',
  full: true,
};
const paid: PaidFacts = {
  id: 1,
  projectId: 1,
  houseId: 1,
  day: '2026-03-10',
  channel: 'cash',
  paidAt: new Date('2026-03-10T10:00:00+08:00'),
  amount: 130_000,
  arrears: false,
  lines: [line, { ...line, itemId: 2, amount: 2_000 }],
};
const of = (change: Partial<RebateTerms>, facts: Partial<PaidFacts> = {}) =>
  rebateOf({ ...terms, ...change }, [1], { ...paid, ...facts });

test('full steps of the chosen items count, rounded down or up, at most the cap of a payment', () => {
  expect(of({})).toEqual({ eligible: 128_000, months: 0, points: 600 });
  expect(of({ rounding: 'up' }).points).toBe(650);
  expect(of({ capPayment: 500 }).points).toBe(500);
  expect(of({ perYuan: 2_000 })).toMatchObject({ points: 0, miss: 'step' });
});

test('the highest step reached holds for the whole amount', () => {
  const tiers = [
    { fromYuan: 0, points: 10 },
    { fromYuan: 1_000, points: 60 },
    { fromYuan: 2_000, points: 80 },
  ];
  expect(of({ tiers }).points).toBe(12 * 60);
  expect(of({ tiers: tiers.slice(2) })).toMatchObject({ points: 0, miss: 'step' });
});

test('months ahead are whole months after the month of payment, each once', () => {
  const months = { basis: 'months', monthPoints: 20, minMonths: 3 } as const;
  const ahead = (from: string, to: string, full = true) => ({ ...line, from, to, full });
  const lines = [
    ahead('2026-03-01', '2026-03-31'),
    ahead('2026-04-01', '2026-06-30'),
    ahead('2026-06-01', '2026-06-30'),
    ahead('2026-07-01', '2026-07-30'),
    ahead('2026-08-01', '2026-08-31', false),
  ];
  expect(of(months, { lines })).toMatchObject({ months: 3, points: 60 });
  expect(of({ ...months, minMonths: 4 }, { lines })).toMatchObject({ months: 3, points: 0, miss: 'months' });
});

test('what does not qualify says why', () => {
  expect(of({}, { day: '2027-01-01' }).miss).toBe('period');
  expect(of({ channels: ['pos'] }).miss).toBe('channel');
  expect(of({ onTime: true }, { day: '2026-03-17' }).miss).toBe('items');
  expect(of({ minPayment: 130_001 }).miss).toBe('minimum');
  expect(of({}, { arrears: true }).miss).toBe('arrears');
  expect(of({ noArrears: false }, { arrears: true }).points).toBe(600);
});
