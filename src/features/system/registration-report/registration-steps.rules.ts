import { addDays } from '../../../kernel/contract/time.rules.ts';

/** A stretch of days of a line, both included. */
export interface Step {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

/** The steps of a period: days, weeks from Monday or calendar months, the first and last cut to the period. */
export function stepsOf(from: string, to: string, step: string): Step[] {
  const steps: Step[] = [];
  for (let day = from; day <= to;) {
    const last = lastOf(day, step);
    const end = last < to ? last : to;
    steps.push({
      from: day,
      to: end,
      label:
        step === 'month'
          ? day.slice(0, 7)
          : step === 'week'
            ? `${day.slice(5)}~${end.slice(5)}`
            : day.slice(5),
    });
    day = addDays(end, 1);
  }
  return steps;
}

function lastOf(day: string, step: string): string {
  if (step === 'week') {
    const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
    return addDays(day, (7 - weekday) % 7);
  }
  if (step === 'month') {
    const [year, month] = day.split('-').map(Number) as [number, number];
    return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
  }
  return day;
}
