import { businessDayOf } from '../../kernel/contract/time.rules.ts';
import type { Executor } from '../../kernel/server/database.ts';
import { afterWorkMinutes, workMinutesBetween } from './business-hours.rules.ts';
import { dayTypesOf } from './day-type.server.ts';

/** Days a deadline may lie ahead by the calendar that is read. */
const AHEAD = 400;

/** The instant so many business hours after another, by the standard calendar. */
export async function afterBusinessHours(db: Executor, from: Date, hours: number): Promise<Date> {
  return afterWorkMinutes(from, Math.round(hours * 60), await workdays(db, from, AHEAD));
}

/** Business minutes between two instants, by the standard calendar. */
export async function businessMinutesBetween(db: Executor, from: Date, to: Date): Promise<number> {
  if (to <= from) return 0;
  const days = Math.ceil((to.getTime() - from.getTime()) / 86_400_000) + 1;
  return workMinutesBetween(from, to, await workdays(db, from, days));
}

async function workdays(db: Executor, from: Date, count: number): Promise<(day: string) => boolean> {
  const days = Array.from({ length: count + 1 }, (_, n) =>
    businessDayOf(new Date(from.getTime() + n * 86_400_000)),
  );
  const types = await dayTypesOf(db, days);
  return (day) => types.get(day) === 'workday';
}

/** Business minutes from an instant to each of some others, below zero for those that are past; the calendar is read once. */
export async function businessMinutesTo(db: Executor, from: Date, ends: readonly Date[]): Promise<number[]> {
  if (ends.length === 0) return [];
  const times = [from, ...ends].map((one) => one.getTime());
  const first = new Date(Math.min(...times));
  const days = Math.ceil((Math.max(...times) - first.getTime()) / 86_400_000) + 1;
  const works = await workdays(db, first, days);
  return ends.map((end) =>
    end < from ? -workMinutesBetween(end, from, works) : workMinutesBetween(from, end, works),
  );
}
