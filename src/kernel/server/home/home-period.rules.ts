import { addDays, businessDayOf, daysBetween } from '../../contract/time.rules.ts';

/** Periods the home page offers. */
export const HOME_PERIODS = ['today', '7days', '30days', 'month'] as const;

/** One of the periods of the home page. */
export type HomePeriod = (typeof HOME_PERIODS)[number];

/** Points of a spark line. */
export const SPARK_DAYS = 7;

/** Business days of a period, and of the equally long one right before it. */
export interface HomeDays {
  readonly from: string;
  readonly to: string;
  readonly previousFrom: string;
  readonly previousTo: string;
  /** First day of all that is needed: previous period and spark line. */
  readonly first: string;
}

/** The days of a period as of an instant. */
export function homeDays(period: HomePeriod, now: Date): HomeDays {
  const to = businessDayOf(now);
  const from = {
    today: to,
    '7days': addDays(to, -6),
    '30days': addDays(to, -29),
    month: `${to.slice(0, 8)}01`,
  }[period];
  const previousFrom = addDays(from, -daysBetween(from, to));
  const spark = addDays(to, 1 - SPARK_DAYS);
  return {
    from,
    to,
    previousFrom,
    previousTo: addDays(from, -1),
    first: previousFrom < spark ? previousFrom : spark,
  };
}

/** Sum over days, from and to included. */
export function sumOfDays(days: ReadonlyMap<string, number>, from: string, to: string): number {
  let sum = 0;
  for (const [day, value] of days) if (day >= from && day <= to) sum += value;
  return sum;
}

/** Values of the seven days that end with `to`, oldest first. */
export function sparkOf(days: ReadonlyMap<string, number>, to: string): number[] {
  return Array.from({ length: SPARK_DAYS }, (_, index) => days.get(addDays(to, index + 1 - SPARK_DAYS)) ?? 0);
}
