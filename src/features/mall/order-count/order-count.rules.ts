import { addDays } from '../../../kernel/contract/time.rules.ts';

/** Steps of the line over time. */
export type Grain = 'day' | 'week' | 'month';

/** The first day of the step a business day belongs to; weeks begin on Monday, months show as `2026-03`. */
export function grainOf(day: string, grain: Grain): string {
  if (grain === 'day') return day;
  if (grain === 'month') return day.slice(0, 7);
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}
