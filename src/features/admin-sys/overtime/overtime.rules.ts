import type { Label } from '../../../kernel/contract/label.ts';
import { addDays, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';

/** Menu of overtime; its scope decides for whom somebody may record. */
export const OVERTIME_MENU = 'workOvertimeManager';

/** Minutes of one step; worked time is rounded down to it. Source: group 02, overtime. */
export const STEP_MINUTES = 30;

/** A time of day `HH:mm`, as fields declare it. */
export const TIME_PATTERN = {
  source: '([01]\\d|2[0-3]):[0-5]\\d',
  message: ['请输入时间，如 09:30', 'Enter a time such as 09:30'],
} as const;

/** What half a day of time off means: four hours each. */
export const HALF_DAYS: Readonly<Record<string, readonly [start: string, end: string]>> = {
  morning: ['08:00', '12:00'],
  afternoon: ['14:00', '18:00'],
};

/** A stretch of time of one staff. */
export interface Interval {
  readonly startsAt: Date;
  readonly endsAt: Date;
}

/** The instants of two times of a business day; an end at or before the start lies on the next day. */
export function intervalOf(day: string, start: string, end: string): Interval {
  const startsAt = at(day, start);
  const sameDay = at(day, end);
  return { startsAt, endsAt: sameDay > startsAt ? sameDay : at(addDays(day, 1), end) };
}

/** Minutes of an interval in whole steps, rounded down. */
export function stepMinutes({ startsAt, endsAt }: Interval): number {
  const minutes = Math.floor((endsAt.getTime() - startsAt.getTime()) / 60_000);
  return minutes - (minutes % STEP_MINUTES);
}

/** Minutes credited for worked ones at a rate in percent, rounded down. */
export function creditedMinutes(minutes: number, rate: number): number {
  return Math.floor((minutes * rate) / 100);
}

/** Minutes as hours with one decimal: 210 → `3.5`. */
export function hoursText(minutes: number): string {
  return (minutes / 60).toFixed(1);
}

/** Names of the day types. */
export const DAY_TYPES = {
  workday: { label: ['工作日', 'Workday'] },
  rest_day: { label: ['休息日', 'Rest day'] },
  holiday: { label: ['法定假日', 'Holiday'] },
} as const satisfies Record<string, { readonly label: Label }>;

/** States of overtime and time off. Source: group 02. */
export const RECORD_STATES = {
  pending: { label: ['待审批', 'Pending'], tone: 'warning' },
  approved: { label: ['已通过', 'Approved'], tone: 'success' },
  rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
  cancelled: { label: ['已撤销', 'Cancelled'], tone: 'default' },
  void: { label: ['已作废', 'Void'], tone: 'default' },
} as const;

function at(day: string, time: string): Date {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return new Date(startOfBusinessDay(day).getTime() + (hours * 60 + minutes) * 60_000);
}
