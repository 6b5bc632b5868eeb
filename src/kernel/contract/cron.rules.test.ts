import { describe, expect, it, test } from 'vitest';
import { businessTimeText } from './time.rules.ts';
import { cronWords, inBusinessTime, lastDue, nextDues, parseCron } from './cron.rules.ts';

const dues = (pattern: string, after: string, count = 2) =>
  nextDues(parseCron(pattern)!, new Date(after), count).map((one) => businessTimeText(one).slice(0, 16));

describe('due times in business time', () => {
  test.each([
    ['30 0 * * *', '2026-11-22T16:29:59Z', ['2026-11-23 00:30', '2026-11-24 00:30']],
    ['30 0 * * *', '2026-11-22T16:30:00Z', ['2026-11-24 00:30', '2026-11-25 00:30']],
    ['*/20 * * * *', '2026-11-22T15:45:00Z', ['2026-11-23 00:00', '2026-11-23 00:20']],
    ['0 4 * * 0', '2026-11-22T00:00:00Z', ['2026-11-29 04:00', '2026-12-06 04:00']],
    ['0 4 * * 7', '2026-11-22T00:00:00Z', ['2026-11-29 04:00', '2026-12-06 04:00']],
    ['0 9 31 * *', '2026-11-22T00:00:00Z', ['2026-12-31 09:00', '2027-01-31 09:00']],
    ['0 9 29 2 *', '2026-11-22T00:00:00Z', ['2028-02-29 09:00', '2032-02-29 09:00']],
    // Day and weekday together: either is enough.
    ['0 9 1 * 1', '2026-11-22T00:00:00Z', ['2026-11-23 09:00', '2026-11-30 09:00']],
    ['15 8-10/2 * * 1-5', '2026-11-20T03:00:00Z', ['2026-11-23 08:15', '2026-11-23 10:15']],
  ])('%s after %s', (pattern, after, expected) => {
    expect(dues(pattern, after)).toEqual(expected);
  });

  it('finds the last one before', () => {
    const at = lastDue(parseCron('30 0 * * *')!, new Date('2026-11-22T16:30:00Z'));
    expect(at?.toISOString()).toBe('2026-11-22T16:30:00.000Z');
    expect(lastDue(parseCron('* * * * *')!, new Date('2026-11-22T16:30:59Z'))?.toISOString()).toBe(
      '2026-11-22T16:30:00.000Z',
    );
  });

  test.each([
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '5-1 * * * *',
    '*/0 * * * *',
    '0 0 30 2 *',
    '0 0 31 4,6 *',
    'a * * * *',
    '@daily',
  ])('refuses %j', (pattern) => {
    expect(parseCron(pattern)).toBeUndefined();
  });
});

test.each([
  ['* * * * *', '每分钟', 'Every minute'],
  ['*/10 * * * *', '每 10 分钟', 'Every 10 minutes'],
  ['23 * * * *', '每小时第 23 分', 'Every hour at minute 23'],
  ['30 0 * * *', '每天 00:30', 'Every day at 00:30'],
  ['0 4 * * 0', '每周日 04:00', 'Every Sunday at 04:00'],
  ['0 9,18 * * 1-5', '工作日（周一至周五） 09:00、18:00', 'Monday to Friday at 09:00, 18:00'],
  ['0 9 1 * *', '每月 1 日 09:00', 'Day 1 of each month at 09:00'],
  ['*/5 8-20 * * *', '8–20 点每 5 分钟', 'Every 5 minutes from 8:00 to 20:59'],
  ['nonsense', '无效的表达式', 'Not a valid pattern'],
])('%s in words', (pattern, zh, en) => {
  expect(cronWords(pattern)).toEqual([zh, en]);
});

describe('patterns declared in UTC', () => {
  test.each([
    ['* * * * *', '* * * * *'],
    ['7 * * * *', '7 * * * *'],
    ['30 19 * * *', '30 3 * * *'],
    ['0 20 * * 6', '0 4 * * 0'],
    ['0 0 * * 1', '0 8 * * 1'],
    ['0 */6 * * *', '0 2,8,14,20 * * *'],
    ['50 15 28-31 * *', '50 23 28-31 * *'],
  ])('%s is %s', (utc, business) => {
    expect(inBusinessTime(utc)).toBe(business);
  });

  it('refuses what would be other days', () => {
    expect(() => inBusinessTime('0 20 1 * *')).toThrow();
    expect(() => inBusinessTime('0 10,20 * * 1')).toThrow();
  });
});
