import { expect, it } from 'vitest';
import { homeDays, sparkOf, sumOfDays } from './home-period.rules.ts';

const now = new Date('2026-03-02T20:00:00Z'); // the third in Shanghai

it('takes business days and the equally long period before', () => {
  expect(homeDays('today', now)).toMatchObject({
    from: '2026-03-03',
    to: '2026-03-03',
    previousFrom: '2026-03-02',
  });
  expect(homeDays('7days', now)).toMatchObject({
    from: '2026-02-25',
    previousFrom: '2026-02-18',
    first: '2026-02-18',
  });
  expect(homeDays('month', now)).toEqual({
    from: '2026-03-01',
    to: '2026-03-03',
    previousFrom: '2026-02-26',
    previousTo: '2026-02-28',
    first: '2026-02-25',
  });
});

it('adds days up and draws seven points', () => {
  const days = new Map([
    ['2026-03-01', 5],
    ['2026-03-03', 7],
  ]);
  expect(sumOfDays(days, '2026-03-01', '2026-03-02')).toBe(5);
  expect(sparkOf(days, '2026-03-03')).toEqual([0, 0, 0, 0, 5, 0, 7]);
});
