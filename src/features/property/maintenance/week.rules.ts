import type { Label } from '../../../kernel/contract/label.ts';

/** Hours of a weekday, 1 Monday … 7 Sunday. */
export interface WeekHours {
  readonly weekday: string;
  readonly fromTime: string;
  readonly toTime: string;
}

export const WEEKDAYS: Readonly<Record<number, Label>> = {
  1: ['周一', 'Mon'],
  2: ['周二', 'Tue'],
  3: ['周三', 'Wed'],
  4: ['周四', 'Thu'],
  5: ['周五', 'Fri'],
  6: ['周六', 'Sat'],
  7: ['周日', 'Sun'],
};

/** Days of the same hours that follow each other, as one group. */
export function weekGroups(hours: readonly WeekHours[]): { from: number; to: number; spans: string }[] {
  const groups: { from: number; to: number; spans: string }[] = [];
  for (let day = 1; day <= 7; day += 1) {
    const spans = hours
      .filter((one) => one.weekday === String(day))
      .map((one) => `${one.fromTime}–${one.toTime}`)
      .sort()
      .join(' ');
    if (spans === '') continue;
    const last = groups.at(-1);
    if (last && last.to === day - 1 && last.spans === spans) last.to = day;
    else groups.push({ from: day, to: day, spans });
  }
  return groups;
}
