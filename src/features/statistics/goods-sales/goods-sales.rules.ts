import { addDays } from '../../../kernel/contract/time.rules.ts';

/** A step of the line over time; both days included. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** The last day of a month such as `2026-02`. */
export function lastDayOf(month: string): string {
  const [year, at] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, at, 0)).toISOString().slice(0, 10);
}

/** Steps of a range by day, by week from Monday or by month; the first and the last are cut to the range. */
export function steps(from: string, to: string, grain: string | undefined): Step[] {
  const all: Step[] = [];
  for (let day = from; day <= to;) {
    const end =
      grain === 'month'
        ? lastDayOf(day.slice(0, 7))
        : grain === 'week'
          ? addDays(day, (7 - new Date(`${day}T00:00:00Z`).getUTCDay()) % 7)
          : day;
    const last = end < to ? end : to;
    all.push({ from: day, to: last, label: grain === 'month' ? day.slice(0, 7) : day.slice(5) });
    day = addDays(last, 1);
  }
  return all;
}
