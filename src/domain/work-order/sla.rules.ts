import { businessDayOf } from '../../kernel/contract/time.rules.ts';

/** Hours of a day in minutes after midnight, in order. */
export type DayHours = readonly (readonly [from: number, to: number])[];

/** The hours a calendar works on a business day `yyyy-MM-dd`. */
export type HoursOf = (day: string) => DayHours;

/** What a calendar is made of: weekly hours (1 Monday … 7 Sunday) and days that differ from the week. */
export interface CalendarData {
  readonly weekly: Readonly<Record<string, DayHours>>;
  /** Days of its own and, where it follows them, of the national calendar. */
  readonly days: ReadonlyMap<string, 'workday' | 'rest_day'>;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Days looked at most: a calendar that never works ends the search. */
const MOST_DAYS = 800;

/** Steps of the ladder in per cent of the target. Source: group 06, cs_workOrder rules. */
export const SLA_STEPS = [70, 100, 150] as const;
export type SlaStep = (typeof SLA_STEPS)[number];

/** The hours of each day: an adjusted workday has those of its weekday, or of Monday where that one is free. */
export function hoursOf(calendar: CalendarData): HoursOf {
  return (day) => {
    const type = calendar.days.get(day);
    if (type === 'rest_day') return [];
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
    const own = calendar.weekly[String(weekday)] ?? [];
    return own.length === 0 && type === 'workday' ? (calendar.weekly['1'] ?? []) : own;
  };
}

/** The instant at which so many minutes of a calendar have passed since another; 0 minutes: the next worked instant. */
export function addCalendarMinutes(from: Date, minutes: number, hours: HoursOf): Date {
  let left = minutes;
  let midnight = midnightOf(from);
  for (let n = 0; n < MOST_DAYS; n += 1, midnight += DAY)
    for (const [opens, closes] of hours(businessDayOf(new Date(midnight)))) {
      const start = Math.max(from.getTime(), midnight + opens * MINUTE);
      const room = (midnight + closes * MINUTE - start) / MINUTE;
      if (room <= 0) continue;
      if (left <= room) return new Date(start + left * MINUTE);
      left -= room;
    }
  throw new Error('the calendar works on no day');
}

/** Minutes of a calendar between two instants, 0 when the second comes first. */
export function calendarMinutes(from: Date, to: Date, hours: HoursOf): number {
  let sum = 0;
  for (let midnight = midnightOf(from); midnight < to.getTime(); midnight += DAY)
    for (const [opens, closes] of hours(businessDayOf(new Date(midnight)))) {
      const start = Math.max(from.getTime(), midnight + opens * MINUTE);
      const end = Math.min(to.getTime(), midnight + closes * MINUTE);
      if (end > start) sum += (end - start) / MINUTE;
    }
  return Math.floor(sum);
}

/** A clock as it is reckoned with. */
export interface Clock {
  readonly startedAt: Date;
  readonly targetMinutes: number;
  readonly pausedMinutes: number;
  readonly pausedSince: Date | null;
  readonly stoppedAt: Date | null;
}

/** What a clock says at an instant. */
export interface Reading {
  readonly dueAt: Date;
  readonly usedMinutes: number;
  readonly pausedMinutes: number;
  readonly state: 'running' | 'paused' | 'met' | 'failed';
  /** Steps of the ladder reached. */
  readonly reached: readonly SlaStep[];
  /** When the next step is reached if nothing stops the clock; null behind the last. */
  readonly nextAt: Date | null;
}

/**
 * Reads a clock: due = start + target + paused minutes of the calendar. Used minutes leave pauses out. A stopped clock is met
 * when it stopped in time; one past its due time has failed, also while it is paused later. Source: group 06, Must show 1.
 */
export function readClock(clock: Clock, at: Date, hours: HoursOf): Reading {
  const end = clock.stoppedAt ?? at;
  const pausedMinutes =
    clock.pausedMinutes + (clock.pausedSince ? calendarMinutes(clock.pausedSince, end, hours) : 0);
  const dueAt = addCalendarMinutes(clock.startedAt, clock.targetMinutes + pausedMinutes, hours);
  const usedMinutes = Math.max(0, calendarMinutes(clock.startedAt, end, hours) - pausedMinutes);
  const over = end.getTime() - dueAt.getTime();
  const late = clock.pausedSince ? usedMinutes > clock.targetMinutes : clock.stoppedAt ? over > 0 : over >= 0;
  const reached = SLA_STEPS.filter((step) => usedMinutes * 100 >= clock.targetMinutes * step);
  const next = SLA_STEPS.find((step) => !reached.includes(step));
  const state = late ? 'failed' : clock.stoppedAt ? 'met' : clock.pausedSince ? 'paused' : 'running';
  return {
    dueAt,
    usedMinutes,
    pausedMinutes,
    state,
    reached,
    nextAt:
      clock.stoppedAt || clock.pausedSince || next === undefined
        ? null
        : addCalendarMinutes(
            clock.startedAt,
            Math.ceil((clock.targetMinutes * next) / 100) + pausedMinutes,
            hours,
          ),
  };
}

/** Minutes after midnight of a time like `09:30`. */
export function minuteOfDay(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/** Whether an instant lies inside of hours of the day; hours that end before they begin go over midnight. */
export function insideShift(at: Date, from: string | null, to: string | null): boolean {
  if (from === null || to === null) return true;
  const minute = Math.floor((at.getTime() - midnightOf(at)) / MINUTE);
  const [start, end] = [minuteOfDay(from), minuteOfDay(to)];
  return start < end ? minute >= start && minute < end : minute >= start || minute < end;
}

/** Shanghai has no summer time: a business day begins at 16:00 UTC of the day before. */
function midnightOf(at: Date): number {
  return Date.parse(`${businessDayOf(at)}T00:00:00+08:00`);
}
