import { expect, test } from 'vitest';
import { identityOf, matchDay, nearMidnight, type Ours, type Theirs } from './match.rules.ts';

const at = (time: string) => new Date(`2026-03-10T${time}+08:00`);
const ours = (id: number, amount: number, time = '12:00:00', more: Partial<Ours> = {}): Ours => ({
  type: 'pay',
  id,
  tradeNo: `T${id}`,
  ourNo: `CK${id}`,
  amount,
  at: at(time),
  ...more,
});
const theirs = (id: number, amount: number, more: Partial<Theirs> = {}): Theirs => ({
  type: 'pay',
  rowId: id,
  tradeNo: `T${id}`,
  ourNo: `CK${id}`,
  amount,
  fee: 0,
  at: at('12:00:00'),
  ...more,
});

test('the identity example of group 13: one of each, and nothing lost', () => {
  const rows = matchDay(
    [ours(1, 10_000), ours(2, 5_990), ours(3, 2_000, '23:59:58')],
    [theirs(1, 10_000), theirs(2, 5_900), theirs(9, 800)],
    nearMidnight(30),
  );
  expect(rows.map((row) => row.result)).toEqual(['matched', 'amount_differs', 'only_channel', 'cross_day']);
  expect(
    identityOf(
      rows.map((row) => ({
        type: (row.ours ?? row.theirs)!.type,
        result: row.result,
        ours: row.ours?.amount ?? null,
        theirs: row.theirs?.amount ?? null,
      })),
      { ours: 17_990, channel: 16_700 },
    ),
  ).toMatchObject({ diff: -90, onlyChannel: 800, crossOut: 2_000, crossIn: 0, residual: 0 });
});

test('refunds go by our number and count below zero; a trade listed twice is matched once', () => {
  const rows = matchDay(
    [ours(1, 5_000), ours(5, 700, '12:00:00', { type: 'refund', tradeNo: 'T1', ourNo: 'RF5' })],
    [
      theirs(1, 5_000),
      theirs(1, 5_000),
      theirs(5, 700, { type: 'refund', tradeNo: 'T1', ourNo: 'RF5' }),
      theirs(6, 300, { type: 'refund', tradeNo: 'T1', ourNo: 'RF6' }),
    ],
    nearMidnight(30),
  );
  expect(rows.map((row) => row.result)).toEqual(['matched', 'only_channel', 'matched', 'only_channel']);
});

test('near midnight is measured in the business day', () => {
  const near = nearMidnight(30);
  expect([near(at('23:30:00')), near(at('23:29:59')), near(at('00:29:59')), near(at('00:30:00'))]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
