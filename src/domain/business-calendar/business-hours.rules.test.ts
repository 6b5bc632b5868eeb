import { expect, test } from 'vitest';
import { afterWorkMinutes, workMinutesBetween } from './business-hours.rules.ts';

const weekdays = (day: string) => ![0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());
const at = (text: string) => new Date(`${text}:00+08:00`);

test.each([
  // Friday, eight hours: one on Friday, seven on Monday.
  ['2026-03-06T17:00', 480, '2026-03-09T17:30'],
  ['2026-03-06T20:00', 60, '2026-03-09T10:00'],
  ['2026-03-07T12:00', 30, '2026-03-09T09:30'],
  ['2026-03-03T11:50', 20, '2026-03-03T13:40'],
  ['2026-03-03T12:30', 0, '2026-03-03T13:30'],
  ['2026-03-03T03:00', 180, '2026-03-03T12:00'],
])('%s and %i working minutes end at %s', (from, minutes, end) => {
  expect(afterWorkMinutes(at(from), minutes, weekdays)).toEqual(at(end));
  if (minutes > 0) expect(workMinutesBetween(at(from), at(end), weekdays)).toBe(minutes);
});

test('nothing between an instant and one before it; a calendar without workdays is told', () => {
  expect(workMinutesBetween(at('2026-03-03T11:00'), at('2026-03-03T10:00'), weekdays)).toBe(0);
  expect(() => afterWorkMinutes(at('2026-03-03T11:00'), 1, () => false)).toThrow('no workday');
});
