import { run, type Executor } from '../../kernel/server/database.ts';

/** What a day is for work: a workday, a rest day, or a statutory holiday. */
export type DayType = 'workday' | 'rest_day' | 'holiday';

/** The type of a business day `yyyy-MM-dd` by the calendar; a day it does not name follows the week. */
export async function dayTypeOf(db: Executor, day: string): Promise<DayType> {
  return (await dayTypesOf(db, [day])).get(day)!;
}

/** The types of several business days. */
export async function dayTypesOf(db: Executor, days: readonly string[]): Promise<Map<string, DayType>> {
  const rows = await run<{ day: string; type: DayType }>(
    db,
    'SELECT day, type FROM business_calendar WHERE day = ANY($1::date[])',
    [[...new Set(days)]],
  );
  const named = new Map(rows.map((row) => [row.day, row.type]));
  return new Map(days.map((day) => [day, named.get(day) ?? byWeek(day)]));
}

function byWeek(day: string): DayType {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday === 0 || weekday === 6 ? 'rest_day' : 'workday';
}
