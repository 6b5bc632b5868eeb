import { addDays, businessDayOf } from '../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { addCalendarMinutes, hoursOf, minuteOfDay, type DayHours, type HoursOf } from './sla.rules.ts';

/** Days before and after now by which the national calendar is read. */
const AROUND = 800;

/** The hours of a calendar, the national days included where it follows them. Throws for an unknown one. */
export async function calendarHours(db: Executor, calendarId: number): Promise<HoursOf> {
  const calendar = (await runOne<{ public_holidays: boolean }>(
    db,
    'SELECT public_holidays FROM work_calendar WHERE id = $1',
    [calendarId],
  ))!;
  const hours = await run<{ weekday: string; from_time: string; to_time: string }>(
    db,
    'SELECT weekday, from_time, to_time FROM work_calendar_hours WHERE calendar_id = $1 ORDER BY weekday, from_time',
    [calendarId],
  );
  const today = businessDayOf(new Date());
  const days = await run<{ day: string; type: string }>(
    db,
    `SELECT day, type FROM business_calendar WHERE $2 AND day BETWEEN $3::date AND $4::date
       AND day NOT IN (SELECT o.day FROM work_calendar_day o WHERE o.calendar_id = $1)
     UNION ALL SELECT day, type FROM work_calendar_day WHERE calendar_id = $1`,
    [calendarId, calendar.public_holidays, addDays(today, -AROUND), addDays(today, AROUND)],
  );
  const weekly: Record<string, DayHours> = {};
  for (const row of hours)
    weekly[row.weekday] = [
      ...(weekly[row.weekday] ?? []),
      [minuteOfDay(row.from_time), minuteOfDay(row.to_time)],
    ];
  return hoursOf({
    weekly,
    days: new Map(days.map((row) => [row.day, row.type === 'workday' ? 'workday' : 'rest_day'])),
  });
}

/** The instant so many minutes after another by a calendar, or by the standard one. */
export async function afterCalendarMinutes(
  db: Executor,
  from: Date,
  minutes: number,
  calendarId?: number | null,
): Promise<Date> {
  const id =
    calendarId ?? (await runOne<{ id: number }>(db, 'SELECT id FROM work_calendar WHERE standard'))!.id;
  return addCalendarMinutes(from, minutes, await calendarHours(db, id));
}
