import { addDays, startOfBusinessDay } from '../../kernel/contract/time.rules.ts';

/** First instant after a month (YYYY-MM). */
export function endOfMonth(month: string): Date {
  const next = addDays(`${month}-28`, 4).slice(0, 7);
  return startOfBusinessDay(`${next}-01`);
}
