import { floorRatio, sumOf } from '../trade-money/amounts.rules.ts';
import { splitUnits } from '../trade-money/split.rules.ts';
import { inScope, type OrderScope, type ScopedLine } from '../order-rule/order-scope.rules.ts';

/** What a version of a rule says. Amounts in fen; caps −1 are unlimited. */
export interface ReturnTerms {
  readonly asset: 'points' | 'coin';
  /** So many for every full… */
  readonly give: number;
  /** …so many fen. */
  readonly perFen: number;
  readonly minPaid: number;
  readonly capOrder: number;
  readonly capDay: number;
  readonly capMonth: number;
  readonly capTotal: number;
  readonly grantAt: 'payment' | 'completion' | 'after';
  readonly afterDays: number;
  readonly validDays: number | null;
  readonly budgetId: number | null;
  readonly priority: number;
  readonly startsOn: string;
  readonly endsOn: string;
  /** Multipliers of grades in tenths. */
  readonly grades: readonly { readonly gradeId: number; readonly tenths: number }[];
  readonly scope: OrderScope;
}

/** A rule in the version an order keeps. */
export interface ReturnRule {
  readonly ruleId: number;
  readonly no: number;
  readonly terms: ReturnTerms;
}

/** A line with the cash that is still paid for it in fen, freight and discounts left out. */
export interface PaidLine extends ScopedLine {
  readonly lineId: number;
  readonly cash: number;
}

/** Why a rule did not get a line that is in its scope. */
export type LostBy = 'priority' | 'smaller' | 'id';

/** What a rule gives for its lines of an order, before the caps of member and rule. */
export interface ReturnResult {
  readonly rule: ReturnRule;
  readonly tenths: number;
  readonly lines: readonly PaidLine[];
  readonly base: number;
  /** By the formula. */
  readonly wanted: number;
  /** After the least payment and the cap of an order. */
  readonly points: number;
  readonly why?: 'minimum' | 'order';
}

/** A rule that lost lines to another one. */
export interface ReturnLoss {
  readonly rule: ReturnRule;
  readonly to: number;
  readonly why: LostBy;
  readonly lineIds: readonly number[];
}

/** floor(base × N × multiplier / M). Source: group 16, mk_returnIntegralRule, Rules. */
export function returnOf(base: number, terms: Pick<ReturnTerms, 'give' | 'perFen'>, tenths: number): number {
  return floorRatio(base, terms.give * tenths, terms.perFen * 10);
}

/** The multiplier of a grade in tenths; 10 where the rule names none. */
export function tenthsOf(terms: Pick<ReturnTerms, 'grades'>, gradeId: number | null): number {
  return terms.grades.find((one) => one.gradeId === gradeId)?.tenths ?? 10;
}

/**
 * Which rule each line goes to, by asset: the highest priority, then what gives more for the line, then the lower id; and what
 * every rule that got lines gives. Source: group 16, mk_returnIntegralRule, Rules.
 */
export function returnsOf(
  rules: readonly ReturnRule[],
  order: {
    readonly projectId: number;
    readonly gradeId: number | null;
    readonly lines: readonly PaidLine[];
  },
): { readonly results: readonly ReturnResult[]; readonly losses: readonly ReturnLoss[] } {
  const won = new Map<number, PaidLine[]>();
  const lost = new Map<string, { rule: ReturnRule; to: number; why: LostBy; lineIds: number[] }>();
  for (const asset of ['points', 'coin'] as const)
    for (const line of order.lines) {
      const gives = (rule: ReturnRule) =>
        returnOf(line.cash, rule.terms, tenthsOf(rule.terms, order.gradeId));
      const [best, ...others] = rules
        .filter(({ terms }) => terms.asset === asset && inScope(terms.scope, order.projectId, line))
        .sort((a, b) => b.terms.priority - a.terms.priority || gives(b) - gives(a) || a.ruleId - b.ruleId);
      if (!best) continue;
      won.set(best.ruleId, [...(won.get(best.ruleId) ?? []), line]);
      for (const rule of others) {
        const why: LostBy =
          rule.terms.priority < best.terms.priority
            ? 'priority'
            : gives(rule) < gives(best)
              ? 'smaller'
              : 'id';
        const key = `${rule.ruleId}:${best.ruleId}:${why}`;
        const loss = lost.get(key) ?? { rule, to: best.ruleId, why, lineIds: [] };
        loss.lineIds.push(line.lineId);
        lost.set(key, loss);
      }
    }
  const results = rules
    .filter((rule) => won.has(rule.ruleId))
    .sort((a, b) => a.ruleId - b.ruleId)
    .map((rule) => resultOf(rule, tenthsOf(rule.terms, order.gradeId), won.get(rule.ruleId)!));
  return { results, losses: [...lost.values()] };
}

/** What a rule gives for lines that are its own: again after a refund, with the multiplier of then. */
export function resultOf(rule: ReturnRule, tenths: number, lines: readonly PaidLine[]): ReturnResult {
  const { terms } = rule;
  const base = sumOf(lines, (line) => line.cash);
  const wanted = returnOf(base, terms, tenths);
  const one = { rule, tenths, lines, base, wanted };
  if (base < terms.minPaid) return { ...one, points: 0, why: 'minimum' };
  return terms.capOrder >= 0 && wanted > terms.capOrder
    ? { ...one, points: terms.capOrder, why: 'order' }
    : { ...one, points: wanted };
}

/** The points of a rule over its lines, by largest remainder of their cash. */
export function splitReturn(points: number, lines: readonly PaidLine[]): number[] {
  return points === 0
    ? lines.map(() => 0)
    : splitUnits(
        points,
        lines.map((line) => line.cash),
      );
}

/** The tightest of the caps that cut, with what it leaves: those of a member's day and month, and of the rule. */
export function roomOf(
  points: number,
  caps: readonly { readonly name: 'day' | 'month' | 'total'; readonly cap: number; readonly used: number }[],
): { readonly granted: number; readonly room: number; readonly why?: 'day' | 'month' | 'total' } {
  let room = Number.MAX_SAFE_INTEGER;
  let why: 'day' | 'month' | 'total' | undefined;
  for (const { name, cap, used } of caps) {
    const left = cap < 0 ? Number.MAX_SAFE_INTEGER : Math.max(cap - used, 0);
    if (left < room) [room, why] = [left, name];
  }
  return points <= room ? { granted: points, room } : { granted: room, room, ...(why && { why }) };
}
