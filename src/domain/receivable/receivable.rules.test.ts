import { describe, expect, test } from 'vitest';
import {
  allocate,
  bucketNames,
  bucketOf,
  interest,
  overdueDays,
  splitPart,
  stateOf,
} from './receivable.rules.ts';

const lines = [
  { id: 2, code: 'AR2', dueOn: '2026-11-01', balance: 33_333 },
  { id: 1, code: 'AR1', dueOn: '2026-10-01', balance: 33_334 },
];

describe('group 19 Must show 2', () => {
  test('500.00 over 333.34 and 333.33: the first is paid, the second keeps 166.67', () => {
    expect(allocate(50_000, lines)).toEqual({
      parts: [
        { id: 1, amount: 33_334 },
        { id: 2, amount: 16_666 },
      ],
      rest: 0,
    });
    expect(33_333 - 16_666).toBe(16_667);
  });
  test('700.00 over the same two: 33.33 are left', () => {
    expect(allocate(70_000, lines).rest).toBe(3_333);
  });
});

test('inside one line the order of the setting decides', () => {
  const owed = { principal: 1_000, charge: 200 };
  expect(splitPart(1_100, owed, 'principal_first')).toEqual({ principal: 1_000, charge: 100 });
  expect(splitPart(1_100, owed, 'charges_first')).toEqual({ principal: 900, charge: 200 });
});

test('states follow from the money', () => {
  expect([stateOf(0, 10), stateOf(4, 10), stateOf(10, 10), stateOf(0, 0)]).toEqual([
    'open',
    'part',
    'paid',
    'paid',
  ]);
});

test('group 19 Must show 7: 30 days at 1825 bp on 10,000.00 are 150.00, and never above 3,000.00', () => {
  const cap = { of: 1_000_000, bp: 3_000, charged: 0 };
  expect(interest({ principal: 1_000_000, bp: 1_825, days: 30 }, cap)).toBe(15_000);
  expect(interest({ principal: 1_000_000, bp: 1_825, days: 3_000 }, cap)).toBe(300_000);
  expect(interest({ principal: 1_000_000, bp: 1_825, days: 30 }, { ...cap, charged: 299_000 })).toBe(1_000);
});

test('group 19 Must show 6: columns of an ageing table', () => {
  const limits = [30, 60, 90, 120];
  const at = (day: string, of = limits) => bucketNames(of)[bucketOf(day, '2026-11-21', of)];
  expect([at('2026-11-01'), at('2026-09-30'), at('2026-12-01')]).toEqual(['1–30', '31–60', '0']);
  const other = [15, 45, 75];
  expect([at('2026-11-01', other), at('2026-09-30', other)]).toEqual(['16–45', '46–75']);
  expect(overdueDays('2026-11-21', '2026-11-21')).toBe(0);
});
