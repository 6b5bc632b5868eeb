import { expect, test } from 'vitest';
import { priceOff, sessionsBetween } from './seckill-tools.rules.ts';

test('days and times of the day become sessions; past midnight they end on the next day', () => {
  expect(sessionsBetween('2026-11-30', '2026-12-01', '10:00-11:00，22:30-0:30')).toEqual([
    { startsAt: '2026-11-30T10:00:00+08:00', endsAt: '2026-11-30T11:00:00+08:00' },
    { startsAt: '2026-11-30T22:30:00+08:00', endsAt: '2026-12-01T00:30:00+08:00' },
    { startsAt: '2026-12-01T10:00:00+08:00', endsAt: '2026-12-01T11:00:00+08:00' },
    { startsAt: '2026-12-01T22:30:00+08:00', endsAt: '2026-12-02T00:30:00+08:00' },
  ]);
  for (const [from, to, times] of [
    ['2026-12-02', '2026-12-01', '10:00-11:00'],
    ['2026-12-01', '2026-12-01', '25:00-26:00'],
    ['2026-12-01', '2026-12-01', ''],
    ['', '', '10:00-11:00'],
    ['2026-01-01', '2026-03-31', '10:00-11:00'],
  ] as const)
    expect(sessionsBetween(from, to, times)).toEqual([]);
});

test('per cent off goes down to whole fen and leaves something to pay', () => {
  expect([priceOff(9_990, 30), priceOff(999, 15), priceOff(1, 99)]).toEqual([6_993, 849, 1]);
});
