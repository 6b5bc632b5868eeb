/** A step of a rule by amount: from this many yuan on, `points` for every full `perYuan`. */
export interface RebateTier {
  readonly fromYuan: number;
  readonly points: number;
}

/** What a version of a rule says. Amounts in fen unless named otherwise; caps −1 are unlimited. */
export interface RebateTerms {
  readonly receiver: 'payer' | 'owner';
  readonly basis: 'amount' | 'months';
  readonly perYuan: number | null;
  readonly givePoints: number | null;
  readonly tiers: readonly RebateTier[];
  readonly monthPoints: number | null;
  readonly minMonths: number | null;
  readonly rounding: 'down' | 'up';
  readonly minPayment: number;
  readonly noArrears: boolean;
  readonly onTime: boolean;
  readonly channels: readonly string[];
  readonly capPayment: number;
  readonly capHouseYear: number;
  readonly capTotal: number;
  readonly finalDays: number;
  readonly validDays: number | null;
  readonly startsOn: string;
  readonly endsOn: string;
  readonly priority: number;
  readonly budgetId: number | null;
  /** Given instead of points: every number of points is one of pieces then. */
  readonly couponId?: number | null;
}

/** What a payment put into one bill, net of what was given back; days as YYYY-MM-DD. */
export interface PaidLine {
  readonly itemId: number;
  /** Principal in fen. */
  readonly amount: number;
  readonly from: string;
  readonly to: string;
  readonly due: string;
  /** The bill is settled. */
  readonly full: boolean;
}

/** A payment as rules look at it. */
export interface PaidFacts {
  readonly id: number;
  readonly projectId: number;
  readonly houseId: number;
  readonly day: string;
  readonly channel: string;
  readonly paidAt: Date;
  /** Whole payment in fen. */
  readonly amount: number;
  /** The house owed other bills past due on that day. */
  readonly arrears: boolean;
  readonly lines: readonly PaidLine[];
}

/** Why a rule gives nothing for a payment. */
export type RebateMiss = 'period' | 'channel' | 'items' | 'minimum' | 'arrears' | 'months' | 'step';

/** What a rule gives before the caps of house and total. */
export interface RebateResult {
  /** Fen that count. */
  readonly eligible: number;
  readonly months: number;
  readonly points: number;
  readonly miss?: RebateMiss;
}

/**
 * What a version gives for a payment, cap per payment included, those of house-year and total not. Amounts count without late
 * fees; months are those after the month of payment that are covered whole. Source: group 22, payment rebate rules, Formulas.
 */
export function rebateOf(terms: RebateTerms, itemIds: readonly number[], paid: PaidFacts): RebateResult {
  const none = (miss: RebateMiss, eligible = 0, months = 0): RebateResult => ({
    eligible,
    months,
    points: 0,
    miss,
  });
  if (paid.day < terms.startsOn || paid.day > terms.endsOn) return none('period');
  if (terms.channels.length > 0 && !terms.channels.includes(paid.channel)) return none('channel');
  const lines = paid.lines.filter(
    (line) => itemIds.includes(line.itemId) && (!terms.onTime || paid.day <= line.due),
  );
  const eligible = Math.max(
    lines.reduce((sum, line) => sum + line.amount, 0),
    0,
  );
  if (eligible === 0) return none('items');
  if (paid.amount < terms.minPayment) return none('minimum', eligible);
  if (terms.noArrears && paid.arrears) return none('arrears', eligible);
  const months = monthsAhead(paid.day, lines);
  let points: number;
  if (terms.basis === 'months') {
    if (months < (terms.minMonths ?? 1)) return none('months', eligible, months);
    points = months * (terms.monthPoints ?? 0);
  } else {
    const tier = [...terms.tiers]
      .sort((a, b) => b.fromYuan - a.fromYuan)
      .find((one) => eligible >= one.fromYuan * 100);
    const each = terms.tiers.length > 0 ? (tier?.points ?? 0) : (terms.givePoints ?? 0);
    const step = (terms.perYuan ?? 1) * 100;
    const steps = terms.rounding === 'up' ? Math.ceil(eligible / step) : Math.floor(eligible / step);
    points = steps * each;
  }
  if (points === 0) return none('step', eligible, months);
  return { eligible, months, points: terms.capPayment < 0 ? points : Math.min(points, terms.capPayment) };
}

/** Calendar months after the month of payment that settled bills cover from first to last day. */
export function monthsAhead(day: string, lines: readonly PaidLine[]): number {
  const covered = new Set<string>();
  for (const line of lines) {
    if (!line.full || line.amount <= 0) continue;
    for (let month = line.from.slice(0, 7); month <= line.to.slice(0, 7); month = nextMonth(month)) {
      const [first, last] = [`${month}-01`, `${month}-${String(daysIn(month)).padStart(2, '0')}`];
      if (month > day.slice(0, 7) && line.from <= first && line.to >= last) covered.add(month);
    }
  }
  return covered.size;
}

function nextMonth(month: string): string {
  const [year, no] = month.split('-').map(Number) as [number, number];
  return no === 12 ? `${year + 1}-01` : `${year}-${String(no + 1).padStart(2, '0')}`;
}

function daysIn(month: string): number {
  const [year, no] = month.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, no, 0)).getUTCDate();
}
