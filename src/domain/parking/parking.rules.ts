import type { Choice } from '../../kernel/contract/fields.ts';
import type { StateSpec } from '../../kernel/contract/resource.ts';

/** Where cars stand. */
export const LOT_KINDS = {
  ground: { label: ['地面', 'Ground'] },
  underground: { label: ['地下', 'Underground'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** Classes of cars with fees of their own. */
export const VEHICLE_CLASSES = {
  small: { label: ['小型车', 'Small'] },
  large: { label: ['大型车', 'Large'] },
  new_energy: { label: ['新能源车', 'New energy'] },
} as const satisfies Readonly<Record<string, Choice>>;

export type VehicleClass = keyof typeof VEHICLE_CLASSES;

/** Why a plate parks free. */
export const PASS_KINDS = {
  monthly: { label: ['月卡', 'Monthly card'] },
  owner: { label: ['业主白名单', 'Owner'] },
  staff: { label: ['员工白名单', 'Staff'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** What a coupon takes off. */
export const COUPON_KINDS = {
  minutes: { label: ['减时', 'Minutes'], code: 1 },
  amount: { label: ['减额', 'Amount'], code: 2 },
  percent: { label: ['折扣', 'Percent'], code: 3 },
  free: { label: ['全免', 'Free'], code: 4 },
} as const satisfies Readonly<Record<string, Choice>>;

export type CouponKind = keyof typeof COUPON_KINDS;

/** States of a stay with their codes. Source: group 16, mk_parkOrder. */
export const PARKING_STATES = {
  parked: { label: ['在场', 'Parked'], tone: 'processing', code: 1 },
  to_pay: { label: ['待支付', 'To pay'], tone: 'warning', code: 2 },
  paid: { label: ['已支付', 'Paid'], tone: 'success', code: 3 },
  left: { label: ['已离场', 'Left'], tone: 'default', code: 4 },
  refunded: { label: ['已退款', 'Refunded'], tone: 'default', code: 5 },
  abnormal: { label: ['异常', 'Abnormal'], tone: 'error', code: 6 },
  closed: { label: ['已关闭', 'Closed'], tone: 'default', code: 7 },
} as const satisfies Readonly<Record<string, StateSpec & { readonly code: number }>>;

export type ParkingState = keyof typeof PARKING_STATES;

/** Whether a car left in time after it had paid. */
export const ORDER_KINDS = {
  normal: { label: ['正常', 'In time'], code: 1 },
  grace: { label: ['超时15分钟内', 'Late, within the grace'], code: 2 },
  over: { label: ['超时15分钟后', 'Late, beyond the grace'], code: 3 },
} as const satisfies Readonly<Record<string, Choice>>;

/** Why the gate opened. */
export const RELEASE_KINDS = {
  free: { label: ['免费', 'Free'] },
  paid: { label: ['缴费', 'Paid'] },
  pass: { label: ['月卡', 'Pass'] },
  manual: { label: ['人工放行', 'By hand'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** What is wrong with a stay. */
export const ABNORMAL_KINDS = {
  second_entry: { label: ['未离场又入场', 'Came in again'] },
  no_entry: { label: ['无入场记录', 'No entry known'] },
  too_long: { label: ['停放过久', 'Too long'] },
  late_entry: { label: ['补报的入场与其他停车重叠', 'A late entry inside another stay'] },
} as const satisfies Readonly<Record<string, Choice>>;

/** How parking is paid. */
export const PARKING_WAYS = {
  cash: { label: ['现金', 'Cash'] },
  alipay: { label: ['支付宝', 'Alipay'] },
  wechat: { label: ['微信', 'WeChat'] },
} as const satisfies Readonly<Record<string, Choice>>;

export type ParkingWay = keyof typeof PARKING_WAYS;

/** Number of a way's payment channel; cash has none. */
export const CHANNEL_OF: Readonly<Record<ParkingWay, 1 | 2 | undefined>> = {
  cash: undefined,
  alipay: 1,
  wechat: 2,
};

/** What a version of a plan says. Amounts in fen; no cap: null. */
export interface FeePlan {
  readonly freeMinutes: number;
  /** Whether the free minutes come off a longer stay too. */
  readonly freeDeduct: boolean;
  readonly firstMinutes: number;
  readonly firstFen: number;
  readonly unitMinutes: number;
  readonly unitFen: number;
  /** Most of a window of 24 hours. */
  readonly capFen: number | null;
}

/** One window of 24 hours of a fee. */
export interface FeeWindow {
  readonly no: number;
  readonly minutes: number;
  /** Units behind the first minutes. */
  readonly units: number;
  /** Before the cap, in fen. */
  readonly raw: number;
  readonly fee: number;
}

/** What a stay costs and how many of its minutes that pays for. */
export interface Fee {
  readonly fee: number;
  readonly covered: number;
  readonly windows: readonly FeeWindow[];
}

/** A coupon of a stay; `value` in minutes, fen or the percent that is still paid. */
export interface StayCoupon {
  readonly kind: CouponKind;
  readonly value: number;
}

/** Gross, what the coupon takes off, and the minutes that are paid for. */
export interface ParkingQuote {
  readonly minutes: number;
  readonly gross: number;
  readonly discount: number;
  readonly covered: number;
  readonly windows: readonly FeeWindow[];
}

const WINDOW = 24 * 60;
const MINUTE = 60_000;

/** Begun minutes between two instants. */
export function minutesOf(from: Date, to: Date): number {
  return Math.max(0, Math.ceil((to.getTime() - from.getTime()) / MINUTE));
}

/** The fee of so many minutes. Source: group 16, mk_parkingPlaceDetails. */
export function feeOf(plan: FeePlan, minutes: number): Fee {
  if (minutes <= plan.freeMinutes) return { fee: 0, covered: plan.freeMinutes, windows: [] };
  const skipped = plan.freeDeduct ? plan.freeMinutes : 0;
  const windows: FeeWindow[] = [];
  let fee = 0;
  let covered = skipped;
  for (let rest = minutes - skipped, no = 1; rest > 0; rest -= WINDOW, no++) {
    const inside = Math.min(rest, WINDOW);
    const units = Math.ceil(Math.max(0, inside - plan.firstMinutes) / plan.unitMinutes);
    const raw = plan.firstFen + units * plan.unitFen;
    const capped = plan.capFen !== null && raw >= plan.capFen;
    const one = capped ? plan.capFen! : raw;
    windows.push({ no, minutes: inside, units, raw, fee: one });
    fee += one;
    // The next window begins anew, so that no unit reaches over its end.
    covered =
      skipped +
      (no - 1) * WINDOW +
      (capped ? WINDOW : Math.min(WINDOW, plan.firstMinutes + units * plan.unitMinutes));
  }
  return { fee, covered, windows };
}

/** A stay with its coupon. A coupon of minutes shortens it and moves the end of what is paid by as much. */
export function quoteStay(plan: FeePlan, minutes: number, coupon?: StayCoupon): ParkingQuote {
  const whole = feeOf(plan, minutes);
  const quote = { minutes, gross: whole.fee, discount: 0, covered: whole.covered, windows: whole.windows };
  switch (coupon?.kind) {
    case undefined:
      return quote;
    case 'minutes': {
      const short = feeOf(plan, Math.max(0, minutes - coupon.value));
      return {
        ...quote,
        discount: Math.max(0, whole.fee - short.fee),
        covered: short.covered + coupon.value,
      };
    }
    case 'amount':
      return { ...quote, discount: Math.min(coupon.value, whole.fee) };
    case 'percent':
      return { ...quote, discount: whole.fee - Math.floor((whole.fee * coupon.value + 50) / 100) };
    case 'free':
      return { ...quote, discount: whole.fee };
  }
}

/** Days a pass holds, as instants: from the first one to the end of the last one, not included. */
export interface PassSpan {
  readonly from: Date;
  readonly to: Date;
}

/** The part of a stay no pass covers: one that ends meanwhile is charged from its end, one that begins meanwhile until then. */
export function chargedSpan(
  entry: Date,
  at: Date,
  passes: readonly PassSpan[],
): { readonly from: Date; readonly to: Date } {
  let from = entry;
  for (const pass of [...passes].sort((one, other) => one.from.getTime() - other.from.getTime()))
    if (pass.from <= from && pass.to > from) from = pass.to;
  if (from >= at) return { from: at, to: at };
  const last = passes.find((pass) => pass.from > from && pass.from < at && pass.to > at);
  return { from, to: last ? last.from : at };
}

/** Where an instant lies against the end of what is paid. */
export function lateness(coveredUntil: Date, at: Date, graceMinutes: number): 'normal' | 'grace' | 'over' {
  if (at <= coveredUntil) return 'normal';
  return at.getTime() <= coveredUntil.getTime() + graceMinutes * MINUTE ? 'grace' : 'over';
}

/** An instant so many minutes later. */
export function minutesAfter(at: Date, minutes: number): Date {
  return new Date(at.getTime() + minutes * MINUTE);
}

/** The class a plate's colour speaks of. */
export function classOfColour(colour: string): VehicleClass {
  if (/绿|green/i.test(colour)) return 'new_energy';
  if (/黄|yellow/i.test(colour)) return 'large';
  return 'small';
}

/** A plate as it is kept: capitals, without spaces and dots. */
export function plateOf(text: string): string {
  return text.replace(/[\s·.]/g, '').toUpperCase();
}
