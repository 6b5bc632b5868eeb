import { businessDayOf } from '../../kernel/contract/time.rules.ts';

/** Working hours of the standard calendar, minutes after midnight. Source: group 17, Must show 7. */
export const STANDARD_HOURS: readonly (readonly [number, number])[] = [
  [9 * 60, 12 * 60],
  [13 * 60 + 30, 18 * 60],
];

/** Days looked at most: a calendar without workdays ends the search. */
const MOST_DAYS = 400;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * The instant at which so many working minutes have passed since another. `works` says whether a business day
 * `yyyy-MM-dd` is worked; minutes outside of working hours do not count. Throws when no workday is in sight.
 */
export function afterWorkMinutes(
  from: Date,
  minutes: number,
  works: (day: string) => boolean,
  hours: readonly (readonly [number, number])[] = STANDARD_HOURS,
): Date {
  let left = minutes;
  let midnight = midnightOf(from);
  for (let n = 0; n < MOST_DAYS; n += 1, midnight += DAY) {
    if (!works(businessDayOf(new Date(midnight)))) continue;
    for (const [opens, closes] of hours) {
      const start = Math.max(from.getTime(), midnight + opens * MINUTE);
      const room = (midnight + closes * MINUTE - start) / MINUTE;
      if (room <= 0) continue;
      if (left <= room) return new Date(start + left * MINUTE);
      left -= room;
    }
  }
  throw new Error('the calendar has no workday');
}

/** Working minutes between two instants, 0 when the second comes first. */
export function workMinutesBetween(
  from: Date,
  to: Date,
  works: (day: string) => boolean,
  hours: readonly (readonly [number, number])[] = STANDARD_HOURS,
): number {
  let sum = 0;
  for (let midnight = midnightOf(from); midnight < to.getTime(); midnight += DAY) {
    if (!works(businessDayOf(new Date(midnight)))) continue;
    for (const [opens, closes] of hours) {
      const start = Math.max(from.getTime(), midnight + opens * MINUTE);
      const end = Math.min(to.getTime(), midnight + closes * MINUTE);
      if (end > start) sum += (end - start) / MINUTE;
    }
  }
  return Math.floor(sum);
}

/** Shanghai has no summer time: a business day begins at 16:00 UTC of the day before. */
function midnightOf(at: Date): number {
  return Date.parse(`${businessDayOf(at)}T00:00:00+08:00`);
}
