import type { Label } from '../../../kernel/contract/label.ts';

/** Days of the week, Monday first. */
export const WEEKDAYS: readonly Label[] = [
  ['周一', 'Mon'],
  ['周二', 'Tue'],
  ['周三', 'Wed'],
  ['周四', 'Thu'],
  ['周五', 'Fri'],
  ['周六', 'Sat'],
  ['周日', 'Sun'],
];

/** The days of a cycle in words: 周一、周三; 1、15日. */
export function daysText(cycle: string, days: string): Label {
  const list = days.split(',').filter(Boolean).map(Number);
  if (cycle === 'week')
    return [
      list.map((day) => WEEKDAYS[day - 1]?.[0] ?? '').join('、'),
      list.map((day) => WEEKDAYS[day - 1]?.[1] ?? '').join(', '),
    ];
  if (cycle === 'month') return [`${list.join('、')}日`, list.join(', ')];
  return ['每天', 'Every day'];
}
