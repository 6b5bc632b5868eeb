/** What goods earn at a payment. `fixedFen` a piece, or `rateBp` of what is paid. */
export type Rate =
  | { readonly fixedFen: number; readonly rateBp?: undefined }
  | { readonly rateBp: number; readonly fixedFen?: undefined };

/** The rule that decided, with its value. */
export type UsedRule = { readonly rule: RuleName } & Rate;
export type RuleName = 'goods_fixed' | 'goods_rate' | 'class' | 'business' | 'default';

/** Goods as they were configured at a moment. */
export interface GoodsTerm {
  readonly incentive: 'plan' | 'fixed' | 'rate';
  readonly fixedFen: number | null;
  readonly rateBp: number | null;
}

/** A rule of a plan, of a class or a business. */
export interface PlanRule {
  readonly classId: number | null;
  readonly businessId: number | null;
  readonly rateBp: number | null;
  readonly fixedFen: number | null;
}

/** A step of the bonus: what is above `fromFen` earns `extraBp` more, up to the next. */
export interface Tier {
  readonly fromFen: number;
  readonly extraBp: number;
}

/** Whose an order line is. */
export const WAY = { share: 1, served: 2 } as const;
/** Parts of ten thousand that are the whole. */
export const WHOLE_BP = 10_000;

/** Round half up of a × b / c, exact for whatever fits in fen; half up below zero too: −0.5 becomes 0. */
export const share = (a: number, b: number, c: number): number => {
  const product = BigInt(a) * BigInt(b);
  const [d, doubled] = [BigInt(c), 2n * product + BigInt(c)];
  const whole = doubled / (2n * d);
  return Number(doubled % (2n * d) < 0n ? whole - 1n : whole);
};

/**
 * The rule of goods: their own value first, then the plan's rule of the class (`classIds` from the nearest upwards), of the
 * business, its default. Source: group 12, arithmetic 3.
 */
export function ruleOf(
  goods: GoodsTerm,
  plan: { readonly rules: readonly PlanRule[]; readonly defaultBp: number } | undefined,
  product: { readonly classIds: readonly number[]; readonly businessId: number | null },
): UsedRule | undefined {
  if (goods.incentive === 'fixed') return { rule: 'goods_fixed', fixedFen: goods.fixedFen! };
  if (goods.incentive === 'rate') return { rule: 'goods_rate', rateBp: goods.rateBp! };
  if (!plan) return undefined;
  for (const classId of product.classIds) {
    const rule = plan.rules.find((one) => one.classId === classId);
    if (rule) return { rule: 'class', ...valueOf(rule) };
  }
  const business = plan.rules.find((one) => one.businessId !== null && one.businessId === product.businessId);
  if (business) return { rule: 'business', ...valueOf(business) };
  return { rule: 'default', rateBp: plan.defaultBp };
}

const valueOf = (rule: PlanRule): Rate =>
  rule.fixedFen !== null ? { fixedFen: rule.fixedFen } : { rateBp: rule.rateBp! };

/** A line as incentives look at it: pieces, of packages with `times` visits each, and units given back. */
export interface EarningLine {
  readonly qty: number;
  readonly times?: number;
  readonly qtyRefunded: number;
  readonly valid: number;
  readonly way: number;
  readonly servedBp: number;
}

/** What a line earns, in fen: fixed by the pieces kept, a rate of the valid amount; served lines their part, rounded last. */
export function incentiveOf(rate: Rate, line: EarningLine): number {
  const times = line.times ?? 1;
  const whole =
    rate.fixedFen !== undefined
      ? share(rate.fixedFen, Math.max(line.qty * times - line.qtyRefunded, 0), times)
      : share(Math.max(line.valid, 0), rate.rateBp, WHOLE_BP);
  return line.way === WAY.served ? share(whole, line.servedBp, WHOLE_BP) : whole;
}

/** What a refund leaves to be taken back: nothing or a negative amount. `given` is what earlier rows of the line add up to. */
export const clawbackOf = (given: number, now: number): number => Math.min(now - given, 0);

/** The bonus of a month's valid amount: each step on the part above it up to the next, times the coefficient, rounded once. */
export function tierBonus(valid: number, tiers: readonly Tier[], coefficientBp: number): number {
  const steps = [...tiers].sort((a, b) => a.fromFen - b.fromFen);
  let parts = 0n;
  for (const [index, { fromFen, extraBp }] of steps.entries()) {
    const end = steps[index + 1]?.fromFen ?? Infinity;
    const part = Math.min(valid, end) - fromFen;
    if (part > 0) parts += BigInt(part) * BigInt(extraBp);
  }
  const [n, d] = [parts * BigInt(coefficientBp), 100_000_000n];
  return Number((2n * n + d) / (2n * d));
}

/** What a month's cap takes: the bonus is outside of it. */
export const capCut = (sales: number, capFen: number): number => Math.min(capFen - sales, 0);

/** Terms of a butler's net of a batch. */
export interface NetTerms {
  readonly sale: number;
  readonly bonus: number;
  readonly clawback: number;
  readonly capCut: number;
  readonly manual: number;
  readonly carryIn: number;
}

/** What is paid, and what is carried to the next batch because the terms add up to less than nothing. */
export function netOf(terms: NetTerms): { readonly net: number; readonly carryOut: number } {
  const total = terms.sale + terms.bonus + terms.clawback + terms.capCut + terms.manual + terms.carryIn;
  return { net: Math.max(total, 0), carryOut: Math.min(total, 0) };
}

/** Weighted score of 0 to 100, two digits. `weight` in parts of a hundred. */
export function scoreOf(items: readonly { readonly score: number; readonly weight: number }[]): number {
  return items.reduce((sum, one) => sum + Math.round(one.score * 100) * one.weight, 0) / 10_000;
}

/** The coefficient of a score: of the highest step it reaches; none reached: nothing is taken away or added. */
export function coefficientOf(
  score: number,
  steps: readonly { readonly fromScore: number; readonly coefficientBp: number }[],
): number {
  const reached = steps.filter((one) => score >= one.fromScore).sort((a, b) => b.fromScore - a.fromScore)[0];
  return reached?.coefficientBp ?? WHOLE_BP;
}

/** Whether a visit of an instant still counts for a payment. Both ends of the window belong to it. */
export const isInWindow = (visit: Date, paid: Date, hours: number): boolean =>
  visit <= paid && paid.getTime() - visit.getTime() <= hours * 3_600_000;

/** One decimal percent of members who bought through a link among counted visitors; null without visitors. */
export const conversionRate = (buyers: number, visitors: number): number | null =>
  visitors === 0 ? null : share(buyers, 1000, visitors) / 10;
