import type { Choice } from '../../kernel/contract/fields.ts';
import { addDays, businessDayOf, startOfBusinessDay } from '../../kernel/contract/time.rules.ts';

export const CYCLES = {
  day: { label: ['每天', 'Daily'] },
  week: { label: ['每周', 'Weekly'] },
  month: { label: ['每月', 'Monthly'] },
} as const satisfies Readonly<Record<string, Choice>>;

export const SIGN_INS = {
  qr: { label: ['扫码', 'QR'] },
  position: { label: ['定位', 'Position'] },
  photo: { label: ['拍照', 'Photo'] },
} as const satisfies Readonly<Record<string, Choice>>;

export const PLAN_RESULTS = {
  on_time: { label: ['正常', 'On time'], tone: 'success' },
  early: { label: ['早到', 'Early'], tone: 'processing' },
  late: { label: ['迟到', 'Late'], tone: 'warning' },
  absent: { label: ['缺勤', 'Absent'], tone: 'error' },
} as const satisfies Readonly<Record<string, Choice>>;
export type PlanResult = keyof typeof PLAN_RESULTS;

/** Somebody who signs in so long before the start is early. Source: group 06, cs_PlaneWorkOrder rules. */
export const EARLY_MINUTES = 10;
/** Farther from the point nobody signs in by position. */
export const MOST_METRES = 100;
/** Days the calendar of a plan shows. */
export const CALENDAR_DAYS = 30;

/** When a plan acts. */
export interface Cycle {
  readonly cycle: keyof typeof CYCLES;
  /** Days of the week 1–7 or of the month 1–31, separated by commas. */
  readonly days: string;
  readonly startTime: string;
  readonly validFrom: string;
  readonly validTo: string | null;
}

/** Starts of a plan in [from, to]. A month that has no such day takes its last one. */
export function startsOf(plan: Cycle, from: Date, to: Date): Date[] {
  const [hours = 0, minutes = 0] = plan.startTime.split(':').map(Number);
  const wanted = plan.days.split(',').map(Number);
  const starts: Date[] = [];
  const last = businessDayOf(to);
  for (let day = businessDayOf(from); day <= last; day = addDays(day, 1)) {
    if (day < plan.validFrom || (plan.validTo !== null && day > plan.validTo)) continue;
    if (!actsOn(plan.cycle, wanted, day)) continue;
    const start = new Date(startOfBusinessDay(day).getTime() + (hours * 60 + minutes) * 60_000);
    if (start >= from && start <= to) starts.push(start);
  }
  return starts;
}

function actsOn(cycle: Cycle['cycle'], wanted: readonly number[], day: string): boolean {
  if (cycle === 'day') return true;
  const date = new Date(`${day}T00:00:00Z`);
  if (cycle === 'week') return wanted.includes(date.getUTCDay() || 7);
  const own = date.getUTCDate();
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return wanted.includes(own) || (own === length && wanted.some((one) => one > length));
}

/** How somebody signed in who should be there in a window. */
export function signedIn(at: Date, from: Date, to: Date): Exclude<PlanResult, 'absent'> {
  if (at.getTime() < from.getTime() - EARLY_MINUTES * 60_000) return 'early';
  return at > to ? 'late' : 'on_time';
}

/** Metres between two places given in degrees. */
export function metresBetween(
  one: { readonly longitude: number; readonly latitude: number },
  other: { readonly longitude: number; readonly latitude: number },
): number {
  const rad = Math.PI / 180;
  const half =
    Math.sin(((other.latitude - one.latitude) * rad) / 2) ** 2 +
    Math.cos(one.latitude * rad) *
      Math.cos(other.latitude * rad) *
      Math.sin(((other.longitude - one.longitude) * rad) / 2) ** 2;
  return Math.round(2 * 6_371_000 * Math.asin(Math.sqrt(half)));
}
