import { expect, test } from 'vitest';
import { addCalendarMinutes, calendarMinutes, hoursOf, insideShift, readClock } from './sla.rules.ts';

const WEEK = [
  [540, 720],
  [810, 1080],
] as const;
const standard = hoursOf({
  weekly: { '1': WEEK, '2': WEEK, '3': WEEK, '4': WEEK, '5': WEEK },
  days: new Map([
    ['2026-10-01', 'rest_day'],
    ['2026-10-10', 'workday'],
  ]),
});
const always = hoursOf({
  weekly: Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((day) => [day, [[0, 1440]]])) as never,
  days: new Map(),
});
const at = (text: string) => new Date(`${text}:00+08:00`);

test('group 06 Must show 1 (rules): 30 and 960 business minutes from Friday 17:30; parts Monday 10:00–15:00 add 210', () => {
  const created = at('2026-11-20T17:30');
  expect(addCalendarMinutes(created, 30, standard)).toEqual(at('2026-11-20T18:00'));
  expect(addCalendarMinutes(created, 960, standard)).toEqual(at('2026-11-25T09:30'));
  const paused = calendarMinutes(at('2026-11-23T10:00'), at('2026-11-23T15:00'), standard);
  expect(paused).toBe(210);
  const clock = {
    startedAt: created,
    targetMinutes: 960,
    pausedMinutes: paused,
    pausedSince: null,
    stoppedAt: null,
  };
  expect(readClock(clock, at('2026-11-23T15:00'), standard)).toMatchObject({
    dueAt: at('2026-11-25T14:30'),
    state: 'running',
    usedMinutes: 30 + 60,
    pausedMinutes: 210,
  });
});

test('a clock runs, pauses, is met or fails; a pause never makes a late one good', () => {
  const base = { startedAt: at('2026-11-23T09:00'), targetMinutes: 60, pausedMinutes: 0 };
  const read = (more: object, now: string) =>
    readClock({ ...base, pausedSince: null, stoppedAt: null, ...more }, at(now), standard);
  expect(read({}, '2026-11-23T09:30')).toMatchObject({
    state: 'running',
    reached: [],
    nextAt: at('2026-11-23T09:42'),
  });
  expect(read({}, '2026-11-23T09:42')).toMatchObject({ reached: [70], nextAt: at('2026-11-23T10:00') });
  expect(read({}, '2026-11-23T10:30')).toMatchObject({
    state: 'failed',
    reached: [70, 100, 150],
    nextAt: null,
  });
  expect(read({ stoppedAt: at('2026-11-23T10:00') }, '2026-11-24T10:00').state).toBe('met');
  expect(read({ stoppedAt: at('2026-11-23T10:01') }, '2026-11-24T10:00').state).toBe('failed');
  expect(read({ pausedSince: at('2026-11-23T09:20') }, '2026-11-23T14:00')).toMatchObject({
    state: 'paused',
    pausedMinutes: 190,
    usedMinutes: 20,
    nextAt: null,
  });
  expect(read({ pausedSince: at('2026-11-23T10:20') }, '2026-11-23T11:00').state).toBe('failed');
});

test('holidays rest, adjusted workdays have the hours of Monday, 7×24 counts every minute', () => {
  expect(addCalendarMinutes(at('2026-09-30T17:30'), 60, standard)).toEqual(at('2026-10-02T09:30'));
  expect(addCalendarMinutes(at('2026-10-10T08:00'), 30, standard)).toEqual(at('2026-10-10T09:30'));
  expect(addCalendarMinutes(at('2026-11-21T23:30'), 120, always)).toEqual(at('2026-11-22T01:30'));
  expect(() => addCalendarMinutes(at('2026-11-21T23:30'), 1, () => [])).toThrow('works on no day');
});

test('a shift may go over midnight', () => {
  expect(insideShift(at('2026-11-21T09:00'), null, null)).toBe(true);
  expect(
    [7, 9, 18].map((hour) =>
      insideShift(new Date(at('2026-11-21T00:00').getTime() + hour * 3_600_000), '08:00', '18:00'),
    ),
  ).toEqual([false, true, false]);
  expect(
    [21, 23, 5, 6].map((hour) =>
      insideShift(new Date(at('2026-11-21T00:00').getTime() + hour * 3_600_000), '22:00', '06:00'),
    ),
  ).toEqual([false, true, true, false]);
});
