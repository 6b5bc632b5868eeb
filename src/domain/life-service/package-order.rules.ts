import { addDays, daysBetween } from '../../kernel/contract/time.rules.ts';
import { instalments, type PackageTerms } from './package.rules.ts';

/** Period number of the receivable that settles a cancelled order; instalments number from 1. */
export const SETTLEMENT_PERIOD = 100;

/** Days the settlement of a cancelled order may take. Source: group 19, orderDetails. */
export const SETTLEMENT_DAYS = 15;

/** How an order is paid. */
export interface Plan {
  readonly parts: number;
  readonly firstPercent: number | null;
  readonly intervalMonths: number;
}

/** Word a plan is kept and sent under: `once`, or parts/first share/months. */
export function planKey(plan: {
  readonly parts: number;
  readonly firstPercent?: number | null;
  readonly intervalMonths: string | number;
}): string {
  return plan.parts === 1 ? 'once' : `${plan.parts}/${plan.firstPercent ?? '='}/${plan.intervalMonths}`;
}

/** Plan of a word. */
export function planOf(key: string): Plan {
  if (key === 'once') return { parts: 1, firstPercent: null, intervalMonths: 1 };
  const [parts, first, months] = key.split('/');
  return {
    parts: Number(parts),
    firstPercent: first === '=' ? null : Number(first),
    intervalMonths: Number(months),
  };
}

/** Words of the plans a package allows. */
export function plansOf(terms: Pick<PackageTerms, 'payOnce' | 'plans'>): readonly string[] {
  return [...(terms.payOnce ? ['once'] : []), ...terms.plans.map(planKey)];
}

/** The same day some months later; the last one where the month is shorter. */
export function addMonths(day: string, months: number): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  const first = new Date(Date.UTC(year, month - 1 + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  first.setUTCDate(Math.min(date, last));
  return first.toISOString().slice(0, 10);
}

/** What each part asks for and when: the first today, the others a number of months apart. Parts of 0 fen do not exist. */
export function schedule(
  totalFen: number,
  key: string,
  today: string,
): readonly { readonly dueOn: string; readonly amount: number }[] {
  const plan = planOf(key);
  return instalments(totalFen, plan.parts, plan.firstPercent)
    .map((amount, index) => ({ amount, dueOn: addMonths(today, index * plan.intervalMonths) }))
    .filter((part) => part.amount > 0);
}

/** Last day of a term. */
export function termEnd(startOn: string, validity: number, unit: 'month' | 'day'): string {
  return unit === 'month' ? addDays(addMonths(startOn, validity), -1) : addDays(startOn, validity - 1);
}

/** Days of a term that went by, without those it was paused by request; both ends count. */
export function elapsedDays(
  term: { readonly startOn: string; readonly pausedDays: number; readonly pausedOn?: string | null },
  today: string,
): number {
  const until = term.pausedOn ? addDays(term.pausedOn, -1) : today;
  return Math.max(0, daysBetween(term.startOn, until) - term.pausedDays);
}

/** What a cancellation is reckoned from; money is fen. */
export interface CancellationBase {
  readonly method: string;
  /** Total and credit together. */
  readonly worth: number;
  /** Received principal and credit together. */
  readonly paid: number;
  readonly feeBp: number;
  /** List price of what was used. */
  readonly usedList: number;
  readonly elapsedDays: number;
  readonly termDays: number;
  /** The service began: before there is no fee. */
  readonly began: boolean;
  /** Nothing was to be used yet, as the first payment is open. */
  readonly unpaid: boolean;
}

/** What a cancelled order used, what the fee is, and what is due back; below 0 is still to be paid. */
export interface Cancellation {
  readonly paid: number;
  readonly used: number;
  readonly fee: number;
  readonly dueBack: number;
}

/** Reckons a cancellation. Source: group 19, orderDetails. */
export function cancellation(base: CancellationBase): Cancellation {
  const used =
    base.method === 'by_times'
      ? base.usedList
      : base.method === 'by_days'
        ? base.began
          ? Math.ceil((base.worth * Math.min(base.elapsedDays, base.termDays)) / base.termDays)
          : 0
        : base.unpaid
          ? base.paid
          : base.worth;
  const fee = base.began ? Math.floor((base.worth * base.feeBp) / 10_000) : 0;
  return { paid: base.paid, used, fee, dueBack: base.paid - used - fee };
}
