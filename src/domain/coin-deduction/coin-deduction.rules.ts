import { floorRatio } from '../trade-money/amounts.rules.ts';
import {
  quote,
  type CoinRule,
  type Quote,
  type QuoteLine,
  type QuoteStep,
} from '../trade-money/quote.rules.ts';
import { inScope, type OrderScope, type ScopedLine } from '../order-rule/order-scope.rules.ts';

/** What a version of a rule says. Amounts in fen; null is no cap. */
export interface CoinTerms {
  readonly coinsPerYuan: number;
  readonly step: number;
  readonly maxPercent: number;
  readonly maxPerOrder: number | null;
  readonly minOrder: number;
  readonly capDay: number | null;
  readonly capMonth: number | null;
  readonly withCoupon: boolean;
  readonly withPoints: boolean;
  readonly withSeckill: boolean;
  readonly withGroup: boolean;
  readonly budget: number | null;
  readonly startsOn: string;
  readonly endsOn: string;
  readonly priority: number;
  readonly scope: OrderScope;
}

/** A rule with what its caps leave in fen; null: no cap. */
export interface OfferedRule {
  readonly ruleId: number;
  readonly name: string;
  readonly terms: CoinTerms;
  readonly capsLeft: number | null;
}

/** A rule as the money engine takes it: its scope is the products of the cart it holds for. */
export function engineRule(rule: OfferedRule, projectId: number, lines: readonly ScopedLine[]): CoinRule {
  const { terms } = rule;
  return {
    ruleId: String(rule.ruleId),
    name: rule.name,
    scope: {
      kind: 'products',
      ids: lines
        .filter((line) => inScope(terms.scope, projectId, line))
        .map((line) => String(line.productId)),
    },
    coinsPerYuan: terms.coinsPerYuan,
    step: terms.step,
    maxPercent: terms.maxPercent,
    maxPerOrder: terms.maxPerOrder,
    minOrder: terms.minOrder,
    capsLeft: rule.capsLeft,
    withCoupon: terms.withCoupon,
    withPoints: terms.withPoints,
    withSeckill: terms.withSeckill,
    withGroup: terms.withGroup,
    priority: terms.priority,
  };
}

/** The least of the caps in fen, not below 0; null where there is none. */
export function leastOf(...caps: readonly (number | null)[]): number | null {
  const known = caps.filter((cap) => cap !== null);
  return known.length === 0 ? null : Math.max(Math.min(...known), 0);
}

/** What one step of coins is worth, and what stands against it; fen. */
export interface StepProblem {
  readonly step: number;
  /** The greatest amount the rule can ever allow, where one step is worth more: it never takes anything off. */
  readonly most: number | null;
  /** What an order needs to be worth for one step. */
  readonly needs: number;
}

/** Whether a rule can take anything off at all. Source: group 16, mk_coinDeductionRule, warning at save. */
export function stepProblem(
  terms: Pick<
    CoinTerms,
    'step' | 'coinsPerYuan' | 'maxPercent' | 'maxPerOrder' | 'capDay' | 'capMonth' | 'budget'
  >,
): StepProblem {
  const step = floorRatio(terms.step, 100, terms.coinsPerYuan);
  const most = leastOf(terms.maxPerOrder, terms.capDay, terms.capMonth, terms.budget);
  return {
    step,
    most: most !== null && step > most ? most : null,
    needs: Math.ceil((step * 100) / terms.maxPercent),
  };
}

/** What rules would take off lines that are worth `left` fen after steps 10–40, with so many coins. */
export function trialOf(
  rules: readonly OfferedRule[],
  cart: {
    readonly projectId: number;
    readonly lines: readonly (ScopedLine & { readonly left: number })[];
    readonly coins: number;
  },
): { readonly quote: Quote; readonly step: QuoteStep | undefined } {
  const lines = cart.lines.map((line, index): QuoteLine => ({
    lineNo: index + 1,
    merchantId: String(line.merchantId),
    productId: String(line.productId),
    classIds: line.classIds.map(String),
    specId: String(index + 1),
    listPrice: line.left,
    unitPrice: line.left,
    qty: 1,
    priceKind: 'ordinary',
    activityAllowsCoupon: false,
    activityAllowsPoints: false,
    activityAllowsCoins: false,
    pointsAllowed: false,
    service: false,
  }));
  const result = quote({
    now: 0,
    projectId: String(cart.projectId),
    lines,
    coupons: [],
    choice: { kind: 'named', memberCouponIds: [] },
    pointsSettings: {
      enabled: false,
      perYuan: 100,
      step: 1,
      maxPercent: 0,
      maxPerOrder: 0,
      withCoupon: false,
      withCoin: true,
    },
    pointsBalance: 0,
    pointsWanted: 0,
    coinRules: rules.map((rule) => engineRule(rule, cart.projectId, cart.lines)),
    coinsBalance: cart.coins,
    coinsWanted: 'max',
    postage: {},
  });
  return { quote: result, step: result.steps.find((step) => step.code === 45) };
}
