import { expect, test } from 'vitest';
import { metresBetween, signedIn, startsOf, type Cycle } from './work-plan.rules.ts';

const at = (text: string) => new Date(`${text}+08:00`);
const plan = (more: Partial<Cycle>): Cycle => ({
  cycle: 'day',
  days: '',
  startTime: '08:30',
  validFrom: '2026-01-01',
  validTo: null,
  ...more,
});
const days = (more: Partial<Cycle>, from: string, to: string) =>
  startsOf(plan(more), at(`${from}T00:00:00`), at(`${to}T23:59:00`)).map((start) =>
    new Date(start.getTime() + 8 * 3_600_000).toISOString().slice(0, 16),
  );

test('a plan starts every day, on days of the week, and on days of the month, inside its validity', () => {
  expect(days({}, '2026-11-20', '2026-11-22')).toEqual([
    '2026-11-20T08:30',
    '2026-11-21T08:30',
    '2026-11-22T08:30',
  ]);
  expect(days({ cycle: 'week', days: '1,7' }, '2026-11-20', '2026-11-30')).toEqual([
    '2026-11-22T08:30',
    '2026-11-23T08:30',
    '2026-11-29T08:30',
    '2026-11-30T08:30',
  ]);
  expect(days({ validFrom: '2026-11-21', validTo: '2026-11-21' }, '2026-11-01', '2026-11-30')).toEqual([
    '2026-11-21T08:30',
  ]);
});

test('a month without the day takes its last one, once', () => {
  expect(days({ cycle: 'month', days: '1,30,31' }, '2026-02-01', '2026-03-31')).toEqual([
    '2026-02-01T08:30',
    '2026-02-28T08:30',
    '2026-03-01T08:30',
    '2026-03-30T08:30',
    '2026-03-31T08:30',
  ]);
});

test('both ends of the range count; a start just before it does not', () => {
  const start = at('2026-11-20T08:30:00');
  expect(startsOf(plan({}), start, start)).toEqual([start]);
  expect(startsOf(plan({}), new Date(start.getTime() + 1), at('2026-11-20T23:00:00'))).toEqual([]);
});

test('more than 10 minutes before the start is early, after the end late', () => {
  const [from, to] = [at('2026-11-20T08:30:00'), at('2026-11-20T09:30:00')];
  expect(
    ['08:19:59', '08:20:00', '09:30:00', '09:30:01'].map((time) =>
      signedIn(at(`2026-11-20T${time}`), from, to),
    ),
  ).toEqual(['early', 'on_time', 'on_time', 'late']);
});

test('metres between two places', () => {
  const gate = { longitude: 121.4737, latitude: 31.2304 };
  expect(metresBetween(gate, gate)).toBe(0);
  expect(metresBetween(gate, { ...gate, latitude: 31.2313 })).toBe(100);
});
