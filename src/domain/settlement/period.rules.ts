import type { Cycle } from '../statement/settlement.rules.ts';

/** The period of a cycle that a day lies in: weeks from Monday, half months 1–15 and 16–end. Source: group 13, step 1. */
export function periodOf(cycle: Cycle, day: string): { readonly from: string; readonly to: string } {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const at = (y: number, m: number, d: number) => new Date(Date.UTC(y, m, d)).toISOString().slice(0, 10);
  switch (cycle) {
    case 'day':
      return { from: day, to: day };
    case 'week': {
      const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
      return { from: at(year, month - 1, date - weekday), to: at(year, month - 1, date - weekday + 6) };
    }
    case 'half_month':
      return date <= 15
        ? { from: at(year, month - 1, 1), to: at(year, month - 1, 15) }
        : { from: at(year, month - 1, 16), to: at(year, month, 0) };
    case 'month':
      return { from: at(year, month - 1, 1), to: at(year, month, 0) };
  }
}
