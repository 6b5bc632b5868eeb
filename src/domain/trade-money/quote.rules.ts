import type { Label } from '../../kernel/contract/label.ts';
import { floorRatio, requireCount, sumOf, yuanText } from './amounts.rules.ts';
import { splitAmount, splitUnits } from './split.rules.ts';

/** Step 10: which of the four prices a line has; never two. Source: group 08, Money engine, step 10. */
export type PriceKind = 'ordinary' | 'group' | 'rush' | 'seckill';

/** Steps of the engine, in their order. Source: group 08, Money engine. */
export type StepCode = 10 | 20 | 30 | 40 | 45 | 50 | 60;

/** Steps that write share rows. Source: group 08, Entities added, order_share. */
export type ShareStep = 20 | 30 | 40 | 45 | 60;

/** What a share row comes from; `sourceId` is the member coupon or the coin rule, null for points and 改价. */
export type ShareSource = 'member_coupon' | 'points' | 'coin_rule' | 'manual_off';

/** One line of the checkout. Amounts in fen. `lineNo` is unique in the checkout; ties go to the lower one. */
export interface QuoteLine {
  readonly lineNo: number;
  readonly merchantId: string;
  readonly productId: string;
  /** The product's classes and all their ancestors. */
  readonly classIds: readonly string[];
  readonly specId: string;
  readonly listPrice: number;
  readonly unitPrice: number;
  readonly qty: number;
  readonly priceKind: PriceKind;
  /** The activity's flags; read for group, rush and seckill lines only. */
  readonly activityAllowsCoupon: boolean;
  readonly activityAllowsPoints: boolean;
  readonly activityAllowsCoins: boolean;
  /** "points allowed" of the product, after the excluded classes and products of mm_integral. */
  readonly pointsAllowed: boolean;
  readonly service: boolean;
}

/** What a coupon covers. Products of `excludedProductIds` are never covered. */
export interface CouponScope {
  readonly kind: 'all' | 'classes' | 'products';
  /** Class ids or product ids; empty for `all`. */
  readonly ids: readonly string[];
  readonly excludedProductIds?: readonly string[];
}

/** Face in fen, or rate (85 = 8.5折: the buyer pays 85 %) with the greatest discount in fen. */
export type CouponValue =
  | { readonly kind: 'cash'; readonly face: number }
  | { readonly kind: 'discount'; readonly rate: number; readonly maxDiscount: number | null };

/** One coupon the member holds. Amounts in fen, instants in milliseconds. */
export interface MemberCoupon {
  readonly memberCouponId: string;
  readonly couponId: string;
  readonly name: string;
  /** Step 20 for `merchant`, step 30 for `platform`. */
  readonly issuer: 'merchant' | 'platform';
  /** The issuing merchant; null for a platform coupon. */
  readonly merchantId: string | null;
  readonly value: CouponValue;
  readonly threshold: number;
  readonly scope: CouponScope;
  /** Projects it is valid in; null: all. */
  readonly projectIds: readonly string[] | null;
  readonly validFrom: number;
  /** Last valid instant, included. */
  readonly validTo: number;
  /** Held by an unpaid order (locked_order). */
  readonly locked: boolean;
  /** Part the platform bears, 0–100; read for platform coupons. */
  readonly bearerPlatformPercent: number;
  /** Merchants who agreed to bear a part; goods of others are out of scope. null: no limit. Source: group 16, mk_coupon. */
  readonly consentingMerchantIds: readonly string[] | null;
}

/** Which coupons to use: the best for the member, or exactly the named ones (an empty list: none). */
export type CouponChoice =
  { readonly kind: 'best' } | { readonly kind: 'named'; readonly memberCouponIds: readonly string[] };

/** Settings mall.points.* of the project. Source: settings.csv, owner group 08. */
export interface PointsSettings {
  readonly enabled: boolean;
  readonly perYuan: number;
  readonly step: number;
  readonly maxPercent: number;
  readonly maxPerOrder: number;
  readonly withCoupon: boolean;
  readonly withCoin: boolean;
}

/** One enabled coin_deduction_rule version. Amounts in fen. Source: group 16, mk_coinDeductionRule. */
export interface CoinRule {
  readonly ruleId: string;
  readonly name: string;
  readonly scope: CouponScope;
  readonly coinsPerYuan: number;
  readonly step: number;
  readonly maxPercent: number;
  readonly maxPerOrder: number | null;
  readonly minOrder: number;
  /** Least of what the member's day and month caps and the budget leave; null: no cap. */
  readonly capsLeft: number | null;
  readonly withCoupon: boolean;
  readonly withPoints: boolean;
  readonly withSeckill: boolean;
  readonly withGroup: boolean;
  readonly priority: number;
}

/** One band of postage_rule: start ≤ base < end (null: no end) costs `freight`, all in fen. */
export interface PostageBand {
  readonly start: number;
  readonly end: number | null;
  readonly freight: number;
}

/** How many points or coins the member wants to use. */
export type Wanted = number | 'max';

/** Everything a checkout is computed from. */
export interface QuoteInput {
  readonly now: number;
  readonly projectId: string;
  readonly lines: readonly QuoteLine[];
  readonly coupons: readonly MemberCoupon[];
  readonly choice: CouponChoice;
  readonly pointsSettings: PointsSettings;
  readonly pointsBalance: number;
  readonly pointsWanted: Wanted;
  readonly coinRules: readonly CoinRule[];
  readonly coinsBalance: number;
  readonly coinsWanted: Wanted;
  /** Bands by merchant id; a merchant without bands delivers free of charge. */
  readonly postage: Readonly<Record<string, readonly PostageBand[]>>;
}

/** One order_share row: fen taken off a line by one source; `units` counts points or coins. */
export interface QuoteShare {
  readonly step: ShareStep;
  readonly sourceType: ShareSource;
  readonly sourceId: string | null;
  readonly amount: number;
  readonly platformAmount: number;
  readonly units: number;
}

/** A line with its goods, shares and cash in fen: goods = Σ shares + cash. */
export interface QuotedLine extends QuoteLine {
  readonly goods: number;
  readonly cash: number;
  readonly shares: readonly QuoteShare[];
}

/** What one step did to one line; `base` is what was left of the line before, in fen. */
export interface StepLine {
  readonly lineNo: number;
  readonly base: number;
  readonly amount: number;
  readonly platformAmount: number;
  readonly units: number;
}

/** One row of the explain panel (计算说明). `amount` is the step's whole amount in fen, `lines` its parts. */
export interface QuoteStep {
  readonly code: StepCode;
  readonly label: Label;
  /** The merchant of steps 20, 50 and 60; null for steps over the whole checkout. */
  readonly merchantId: string | null;
  readonly sourceType: ShareSource | null;
  readonly sourceId: string | null;
  readonly base: number;
  readonly formula: Label;
  readonly amount: number;
  readonly platformAmount: number;
  readonly units: number;
  readonly lines: readonly StepLine[];
}

/** Sums of one order or of the checkout, in fen (`…Units` are counts): payable = cash + freight. */
export interface QuoteSums {
  readonly goods: number;
  readonly merchantCoupon: number;
  readonly platformCoupon: number;
  readonly points: number;
  readonly pointsUnits: number;
  readonly coins: number;
  readonly coinsUnits: number;
  readonly manualOff: number;
  readonly cash: number;
  readonly freight: number;
  readonly payable: number;
}

/** The order of one merchant. `steps` are the checkout's steps with this order's lines only. */
export interface QuoteOrder extends QuoteSums {
  readonly merchantId: string;
  readonly lines: readonly QuotedLine[];
  readonly steps: readonly QuoteStep[];
}

/** Why a coupon cannot be used. Source: group 08, Money engine (last paragraph). */
export type CouponRefusal =
  'locked' | 'not_started' | 'expired' | 'other_project' | 'no_goods' | 'activity_goods' | 'short';

/** One coupon of the member in the checkout. `discount` is what it gives (chosen) or would give (usable), in fen. */
export interface CouponOption {
  readonly memberCouponId: string;
  readonly state: 'chosen' | 'usable' | 'unusable';
  readonly discount: number;
  readonly refusal: CouponRefusal | null;
  readonly reason: Label | null;
  /** Fen missing to the threshold when the refusal is `short`. */
  readonly shortBy: number;
}

/** A result of the engine. One payment covers all orders: payable = Σ orders' payable. */
export interface Quote extends QuoteSums {
  readonly orders: readonly QuoteOrder[];
  readonly steps: readonly QuoteStep[];
  readonly coupons: readonly CouponOption[];
  /** Most points and coins that could be used with these coupons. */
  readonly maxPoints: number;
  readonly maxCoins: number;
  /** What was asked for and could not be done, each with its reason. */
  readonly notices: readonly Label[];
}

/** Answer to a price change of an unpaid order. `most` is the greatest reduction allowed, in fen. */
export type RepriceResult =
  | { readonly ok: true; readonly order: QuoteOrder }
  | { readonly ok: false; readonly most: number; readonly message: Label };

/**
 * Runs steps 10, 20, 30, 40, 45 and 50 for a checkout of one or more merchants and returns one order per merchant,
 * in the order of their first line. Amounts in fen. Throws RangeError for input that cannot come from the
 * product's own forms: no lines, a repeated line number, an amount that is negative or not a safe integer, a
 * percentage above 100, points settings that do not divide to the fen. Business refusals are `coupons` and
 * `notices`. Source: group 08, Money engine; step 45 by group 16, mk_coinDeductionRule.
 */
export function quote(input: QuoteInput): Quote {
  requireInput(input);
  const cart = openCart(input.lines);
  const notices: Label[] = [];
  const steps: QuoteStep[] = [goodsStep(cart)];

  const picked = input.choice.kind === 'best' ? bestCoupons(input, cart) : namedCoupons(input, notices);
  for (const coupon of picked.merchant) {
    const step = applyCoupon(coupon, cart, input);
    if (step) steps.push(step);
  }
  const afterMerchant = cart.map((line) => line.left);
  if (picked.platform) {
    const step = applyCoupon(picked.platform, cart, input);
    if (step) steps.push(step);
  }
  const applied = new Map(steps.map((step) => [step.sourceId, step.amount]));
  const coupons = input.coupons.map((coupon) => couponOption(coupon, input, cart, afterMerchant, applied));
  noticeRefused(input, coupons, notices);

  const couponUsed = coupons.some((option) => option.state === 'chosen');
  const points = applyPoints(input, cart, couponUsed, notices);
  if (points.step) steps.push(points.step);
  const coins = applyCoins(input, cart, couponUsed, points.step?.units ?? 0, notices);
  if (coins.step) steps.push(coins.step);

  const merchantIds = [...new Set(cart.map((line) => line.line.merchantId))];
  const freightSteps = merchantIds.map((merchantId) =>
    freightStep(merchantId, cart, input.postage[merchantId] ?? []),
  );
  steps.push(...freightSteps);

  const orders = merchantIds.map((merchantId, position) => {
    const lines = cart.filter((line) => line.line.merchantId === merchantId).map(closeLine);
    return closeOrder(
      merchantId,
      lines,
      freightSteps[position]?.amount ?? 0,
      stepsOf(steps, merchantId, lines),
    );
  });
  return {
    ...sumsOf(
      orders.flatMap((order) => order.lines),
      sumOf(orders, (order) => order.freight),
    ),
    orders,
    steps,
    coupons,
    maxPoints: points.most,
    maxCoins: coins.most,
    notices,
  };
}

/**
 * Step 60 on an existing unpaid order, or its new freight: coupons, points and coins stay as they are, the reduction
 * is split over the lines' cash. `manualOff` (fen) is the whole reduction of the order and replaces an earlier one
 * (absent: the earlier one stays); `freight` (fen) replaces the freight. Refused above Σ cash before the reduction.
 * Throws RangeError for negative or unsafe amounts. Source: group 08, Money engine, step 60; order state machine
 * (改价, 改地址); Must show 13.
 */
export function reprice(
  order: QuoteOrder,
  change: { readonly manualOff?: number; readonly freight?: number },
): RepriceResult {
  // Decision: sales_order.manual_off is one field and "quote re-run with step 60", so a second 改价 replaces the
  // first instead of adding to it; its own rows are taken back before the ceiling is checked.
  const bare = order.lines.map((line) => {
    const off = sumOf(line.shares, (share) => (share.step === 60 ? share.amount : 0));
    return { ...line, cash: line.cash + off, shares: line.shares.filter((share) => share.step !== 60) };
  });
  const manualOff = requireCount(change.manualOff ?? order.manualOff, 'manualOff');
  const freight = requireCount(change.freight ?? order.freight, 'freight');
  const most = sumOf(bare, (line) => line.cash);
  if (manualOff > most) {
    const limit = yuanText(most);
    return {
      ok: false,
      most,
      message: [`改价金额不能超过${limit}元`, `The reduction cannot be more than ${limit}`],
    };
  }

  const weights = bare.map((line) => line.cash);
  const parts = splitAmount(manualOff, weights);
  const lines = bare.map((line, position): QuotedLine => {
    const amount = parts[position] ?? 0;
    if (manualOff === 0 || line.cash === 0) return line;
    const share: QuoteShare = {
      step: 60,
      sourceType: 'manual_off',
      sourceId: null,
      amount,
      platformAmount: 0,
      units: 0,
    };
    return { ...line, cash: line.cash - amount, shares: [...line.shares, share] };
  });
  const steps = order.steps
    .filter((step) => step.code !== 60)
    .map((step) =>
      step.code === 50 && freight !== order.freight ? changedFreightStep(step, freight) : step,
    );
  if (manualOff > 0) {
    const formula = `${yuanText(most)} − ${yuanText(manualOff)} = ${yuanText(most - manualOff)}`;
    steps.push({
      code: 60,
      label: STEP_LABELS[60],
      merchantId: order.merchantId,
      sourceType: 'manual_off',
      sourceId: null,
      base: most,
      formula: [`现金 ${formula}`, `Cash ${formula}`],
      amount: manualOff,
      platformAmount: 0,
      units: 0,
      lines: bare.flatMap((line, position) =>
        line.cash === 0
          ? []
          : [
              {
                lineNo: line.lineNo,
                base: line.cash,
                amount: parts[position] ?? 0,
                platformAmount: 0,
                units: 0,
              },
            ],
      ),
    });
  }
  return { ok: true, order: closeOrder(order.merchantId, lines, freight, steps) };
}

/**
 * Refusal when the total the page showed (fen) is not the one just computed, else null; answered as 30101.
 * Source: group 08, Money engine, first paragraph; Must show 2.
 */
export function checkShownTotal(computed: Quote, shownPayable: number): Label | null {
  return computed.payable === shownPayable
    ? null
    : ['价格已变化，请重新确认', 'The price has changed, please confirm again'];
}

/**
 * Discount in fen a coupon gives on `left` fen of eligible goods, before its threshold is looked at.
 * Throws RangeError for a rate above 100. Source: group 08, Money engine, cash and discount coupon.
 */
export function couponDiscount(value: CouponValue, left: number): number {
  if (value.kind === 'cash') return Math.min(value.face, left);
  const off = floorRatio(left, requirePercent(100 - value.rate, 'rate'), 100);
  return value.maxDiscount === null ? off : Math.min(value.maxDiscount, off);
}

/**
 * Freight in fen of a base in fen: the first band with start ≤ base < end, 0 without one.
 * Source: group 08, Money engine, step 50; group 03, postage bands.
 */
export function freightOf(base: number, bands: readonly PostageBand[]): number {
  const band = bandOf(base, bands);
  return band ? requireCount(band.freight, 'freight') : 0;
}

/** Labels of the engine's steps. Source: group 08, Money engine. */
export const STEP_LABELS: Readonly<Record<StepCode, Label>> = {
  10: ['商品金额', 'Goods'],
  20: ['商户优惠券', 'Merchant coupon'],
  30: ['平台优惠券', 'Platform coupon'],
  40: ['积分抵扣', 'Points'],
  45: ['代币抵扣', 'Coins'],
  50: ['运费', 'Freight'],
  60: ['改价', 'Price reduction'],
};

/** A line while the engine runs; `left` is what the next step may take, in fen. */
interface CartLine {
  readonly line: QuoteLine;
  readonly goods: number;
  left: number;
  readonly shares: QuoteShare[];
}

interface PickedCoupons {
  readonly merchant: readonly MemberCoupon[];
  readonly platform: MemberCoupon | null;
}

/** Lines (positions in the cart) a coupon may take from, or why it may not. */
type Eligibility =
  | { readonly ok: true; readonly positions: readonly number[]; readonly base: number }
  | { readonly ok: false; readonly refusal: CouponRefusal; readonly shortBy: number };

/** Beyond this many undominated combinations the default choice stops being exhaustive. */
const MOST_COMBINATIONS = 4000;

function requireInput(input: QuoteInput): void {
  if (input.lines.length === 0) throw new RangeError('a checkout needs a line');
  const numbers = new Set(input.lines.map((line) => line.lineNo));
  if (numbers.size !== input.lines.length) throw new RangeError('a line number is repeated');
  for (const line of input.lines) {
    requireCount(line.unitPrice, 'unitPrice');
    if (requireCount(line.qty, 'qty') === 0) throw new RangeError('qty is 0');
  }
  requireCount(input.pointsBalance, 'pointsBalance');
  requireCount(input.coinsBalance, 'coinsBalance');
  if (input.pointsWanted !== 'max') requireCount(input.pointsWanted, 'pointsWanted');
  if (input.coinsWanted !== 'max') requireCount(input.coinsWanted, 'coinsWanted');
}

function requirePercent(value: number, name: string): number {
  if (requireCount(value, name) > 100) throw new RangeError(`${name} is above 100: ${value}`);
  return value;
}

function openCart(lines: readonly QuoteLine[]): CartLine[] {
  return [...lines]
    .sort((a, b) => a.lineNo - b.lineNo)
    .map((line) => {
      const goods = requireCount(line.unitPrice * line.qty, 'goods');
      return { line, goods, left: goods, shares: [] };
    });
}

function goodsStep(cart: readonly CartLine[]): QuoteStep {
  const goods = sumOf(cart, (line) => line.goods);
  const terms = cart.map(({ line }) => `${yuanText(line.unitPrice)} × ${line.qty}`).join(' + ');
  const formula = `${terms} = ${yuanText(goods)}`;
  return {
    code: 10,
    label: STEP_LABELS[10],
    merchantId: null,
    sourceType: null,
    sourceId: null,
    base: goods,
    formula: [formula, formula],
    amount: goods,
    platformAmount: 0,
    units: 0,
    lines: cart.map((line) => ({
      lineNo: line.line.lineNo,
      base: line.goods,
      amount: line.goods,
      platformAmount: 0,
      units: 0,
    })),
  };
}

/** Writes the shares of one step on the lines and returns its explain row. */
function book(
  cart: readonly CartLine[],
  positions: readonly number[],
  step: Omit<QuoteStep, 'lines' | 'label' | 'sourceType'> & {
    readonly code: ShareStep;
    readonly sourceType: ShareSource;
  },
): QuoteStep {
  const lines = positions.map((position) => lineAt(cart, position));
  const bases = lines.map((line) => line.left);
  const amounts = splitAmount(step.amount, bases);
  const platform = step.platformAmount > 0 ? splitAmount(step.platformAmount, amounts) : [];
  const units = step.units > 0 ? splitUnits(step.units, amounts) : [];
  const booked = lines.map((line, index): StepLine => {
    const amount = amounts[index] ?? 0;
    const platformAmount = platform[index] ?? 0;
    const count = units[index] ?? 0;
    // A share of 0 fen is kept: it says that the line was in the coupon's scope, which the re-check of a refund reads.
    line.shares.push({
      step: step.code,
      sourceType: step.sourceType,
      sourceId: step.sourceId,
      amount,
      platformAmount,
      units: count,
    });
    line.left -= amount;
    return { lineNo: line.line.lineNo, base: bases[index] ?? 0, amount, platformAmount, units: count };
  });
  return { ...step, label: STEP_LABELS[step.code], lines: booked };
}

function lineAt(cart: readonly CartLine[], position: number): CartLine {
  const line = cart[position];
  if (!line) throw new RangeError(`no line at ${position}`);
  return line;
}

function isActivity(line: QuoteLine): boolean {
  return line.priceKind !== 'ordinary';
}

function covers(scope: CouponScope, line: QuoteLine): boolean {
  if (scope.excludedProductIds?.includes(line.productId)) return false;
  if (scope.kind === 'products') return scope.ids.includes(line.productId);
  if (scope.kind === 'classes') return line.classIds.some((classId) => scope.ids.includes(classId));
  return true;
}

/** Refusals that do not depend on the cart. */
function couponState(coupon: MemberCoupon, input: QuoteInput): CouponRefusal | null {
  if (coupon.locked) return 'locked';
  if (input.now < coupon.validFrom) return 'not_started';
  if (input.now > coupon.validTo) return 'expired';
  if (coupon.projectIds && !coupon.projectIds.includes(input.projectId)) return 'other_project';
  return null;
}

/**
 * Decision: one reason is shown, so what no change of the cart can cure comes first (locked, dates, project), then
 * the goods, last the missing amount.
 */
function eligibility(
  coupon: MemberCoupon,
  input: QuoteInput,
  cart: readonly CartLine[],
  lefts: readonly number[],
): Eligibility {
  const state = couponState(coupon, input);
  if (state) return { ok: false, refusal: state, shortBy: 0 };
  const inScope = cart.flatMap((entry, position) => {
    const { line } = entry;
    const mine =
      coupon.issuer === 'merchant'
        ? line.merchantId === coupon.merchantId
        : coupon.consentingMerchantIds === null || coupon.consentingMerchantIds.includes(line.merchantId);
    return mine && covers(coupon.scope, line) ? [position] : [];
  });
  const open = inScope.filter((position) => {
    const { line } = lineAt(cart, position);
    return !isActivity(line) || line.activityAllowsCoupon;
  });
  if (inScope.length > 0 && open.length === 0) return { ok: false, refusal: 'activity_goods', shortBy: 0 };
  const positions = open.filter((position) => (lefts[position] ?? 0) > 0);
  if (positions.length === 0) return { ok: false, refusal: 'no_goods', shortBy: 0 };
  const base = sumOf(positions, (position) => lefts[position] ?? 0);
  if (base < coupon.threshold) return { ok: false, refusal: 'short', shortBy: coupon.threshold - base };
  return { ok: true, positions, base };
}

function applyCoupon(coupon: MemberCoupon, cart: readonly CartLine[], input: QuoteInput): QuoteStep | null {
  const eligible = eligibility(
    coupon,
    input,
    cart,
    cart.map((line) => line.left),
  );
  if (!eligible.ok) return null;
  const amount = couponDiscount(coupon.value, eligible.base);
  // A coupon that gives nothing is not spent.
  if (amount === 0) return null;
  const percent = coupon.issuer === 'platform' ? requirePercent(coupon.bearerPlatformPercent, 'bearer') : 0;
  const platformAmount = floorRatio(amount, percent, 100);
  return book(cart, eligible.positions, {
    code: coupon.issuer === 'merchant' ? 20 : 30,
    merchantId: coupon.merchantId,
    sourceType: 'member_coupon',
    sourceId: coupon.memberCouponId,
    base: eligible.base,
    formula: couponFormula(coupon, eligible.base, amount, platformAmount),
    amount,
    platformAmount,
    units: 0,
  });
}

function couponFormula(coupon: MemberCoupon, base: number, amount: number, platformAmount: number): Label {
  const left = yuanText(base);
  const threshold = yuanText(coupon.threshold);
  const result = yuanText(amount);
  const { value } = coupon;
  let zh: string;
  let en: string;
  if (value.kind === 'cash') {
    const face = yuanText(value.face);
    zh = `${left} ≥ 门槛 ${threshold}；min(面值 ${face}, ${left}) = ${result}`;
    en = `${left} ≥ threshold ${threshold}; min(face ${face}, ${left}) = ${result}`;
  } else {
    const off = `floor(${left} × (100 − ${value.rate}) / 100)`;
    const max = value.maxDiscount === null ? null : yuanText(value.maxDiscount);
    zh = `${left} ≥ 门槛 ${threshold}；${max === null ? off : `min(最高 ${max}, ${off})`} = ${result}`;
    en = `${left} ≥ threshold ${threshold}; ${max === null ? off : `min(max ${max}, ${off})`} = ${result}`;
  }
  if (coupon.issuer === 'merchant') return [zh, en];
  const borne = `floor(${result} × ${coupon.bearerPlatformPercent} / 100) = ${yuanText(platformAmount)}`;
  return [`${zh}；平台承担 ${borne}`, `${en}; borne by the platform ${borne}`];
}

function couponOption(
  coupon: MemberCoupon,
  input: QuoteInput,
  cart: readonly CartLine[],
  afterMerchant: readonly number[],
  applied: ReadonlyMap<string | null, number>,
): CouponOption {
  const { memberCouponId } = coupon;
  const chosen = applied.get(memberCouponId);
  if (chosen !== undefined)
    return { memberCouponId, state: 'chosen', discount: chosen, refusal: null, reason: null, shortBy: 0 };
  const lefts = coupon.issuer === 'merchant' ? cart.map((line) => line.goods) : afterMerchant;
  const eligible = eligibility(coupon, input, cart, lefts);
  if (eligible.ok) {
    const discount = couponDiscount(coupon.value, eligible.base);
    return { memberCouponId, state: 'usable', discount, refusal: null, reason: null, shortBy: 0 };
  }
  const { refusal, shortBy } = eligible;
  const reason = refusalLabel(refusal, shortBy);
  return { memberCouponId, state: 'unusable', discount: 0, refusal, reason, shortBy };
}

function refusalLabel(refusal: CouponRefusal, shortBy: number): Label {
  switch (refusal) {
    case 'locked':
      return ['已锁定', 'Used by an unpaid order'];
    case 'not_started':
      return ['未开始', 'Not started'];
    case 'expired':
      return ['已过期', 'Expired'];
    case 'other_project':
      return ['不适用小区', 'Other project'];
    case 'no_goods':
      return ['不适用商品', 'No matching goods'];
    case 'activity_goods':
      return ['活动商品不可用', 'Not with activity goods'];
    case 'short':
      return [`还差${yuanText(shortBy)}元`, `Short by ${yuanText(shortBy)} yuan`];
  }
}

function noticeRefused(input: QuoteInput, options: readonly CouponOption[], notices: Label[]): void {
  if (input.choice.kind !== 'named') return;
  for (const memberCouponId of input.choice.memberCouponIds) {
    const reason = options.find((option) => option.memberCouponId === memberCouponId)?.reason;
    const name = input.coupons.find((coupon) => coupon.memberCouponId === memberCouponId)?.name;
    if (reason && name !== undefined) notices.push([`${name}：${reason[0]}`, `${name}: ${reason[1]}`]);
  }
}

function namedCoupons(input: QuoteInput, notices: Label[]): PickedCoupons {
  const named = input.choice.kind === 'named' ? [...new Set(input.choice.memberCouponIds)] : [];
  const merchant = new Map<string, MemberCoupon>();
  let platform: MemberCoupon | null = null;
  for (const memberCouponId of named) {
    const coupon = input.coupons.find((candidate) => candidate.memberCouponId === memberCouponId);
    if (!coupon) {
      notices.push(['优惠券不存在', 'The coupon does not exist']);
    } else if (coupon.issuer === 'platform') {
      if (platform) notices.push(['每次结算最多使用一张平台券', 'One platform coupon per checkout at most']);
      else platform = coupon;
    } else if (merchant.has(coupon.merchantId ?? '')) {
      notices.push(['每个商户最多使用一张商户券', 'One coupon per merchant at most']);
    } else {
      merchant.set(coupon.merchantId ?? '', coupon);
    }
  }
  return { merchant: [...merchant.values()], platform };
}

/** One way to treat a merchant: a coupon or none, what it saves and what it leaves for a platform coupon. */
interface Combination {
  /** Σ merchant discounts − Σ freight, fen. */
  readonly saved: number;
  /** Left of the platform coupon's eligible lines, fen. */
  readonly left: number;
  readonly coupons: readonly MemberCoupon[];
}

/**
 * Decision: "best for the member" is the lowest goods − coupons + freight. Freight counts because a merchant coupon
 * can push the base below a free-postage band; points and coins do not, they are the member's own money. Equal results
 * use fewer coupons, then the one that ends first, then the lower id. The search is exhaustive: combinations are
 * dropped only when another one saves at least as much and leaves at least as much for the platform coupon (beyond
 * 4,000 undominated combinations, which no real cart reaches, the least saving ones are dropped too).
 */
function bestCoupons(input: QuoteInput, cart: readonly CartLine[]): PickedCoupons {
  const goods = cart.map((line) => line.goods);
  const ordered = [...input.coupons].sort(
    (a, b) => a.validTo - b.validTo || (a.memberCouponId < b.memberCouponId ? -1 : 1),
  );
  const merchantIds = [...new Set(cart.map((line) => line.line.merchantId))];
  const ways = merchantIds.map((merchantId) => {
    const bands = input.postage[merchantId] ?? [];
    const positions = cart.flatMap(({ line }, position) =>
      line.merchantId === merchantId ? [position] : [],
    );
    const candidates: (MemberCoupon | null)[] = [null];
    for (const coupon of ordered) {
      if (coupon.issuer === 'merchant' && coupon.merchantId === merchantId) candidates.push(coupon);
    }
    return candidates.flatMap((coupon) => {
      const lefts = [...goods];
      let discount = 0;
      if (coupon) {
        const eligible = eligibility(coupon, input, cart, goods);
        discount = eligible.ok ? couponDiscount(coupon.value, eligible.base) : 0;
        if (!eligible.ok || discount === 0) return [];
        const weights = eligible.positions.map((position) => goods[position] ?? 0);
        splitAmount(discount, weights).forEach((part, index) => {
          const position = eligible.positions[index];
          if (position !== undefined) lefts[position] = (lefts[position] ?? 0) - part;
        });
      }
      const freight = freightOf(freightBase(cart, positions, lefts), hasGoods(cart, positions) ? bands : []);
      return [{ saved: discount - freight, positions, lefts, coupon }];
    });
  });

  let best: { total: number; picked: PickedCoupons; count: number } | null = null;
  const platformCoupons = ordered.filter((coupon) => coupon.issuer === 'platform');
  for (const platform of [null, ...platformCoupons]) {
    if (platform && couponState(platform, input)) continue;
    // Against unlimited lefts the eligible lines are those the coupon covers, whatever merchant coupons take.
    const eligible = platform
      ? eligibility(
          platform,
          input,
          cart,
          cart.map(() => platform.threshold + 1),
        )
      : null;
    if (eligible && !eligible.ok) continue;
    const scope = new Set(eligible?.positions ?? []);
    let combinations: Combination[] = [{ saved: 0, left: 0, coupons: [] }];
    for (const options of ways) {
      combinations = undominated(
        combinations.flatMap((combination) =>
          options.map((way) => ({
            saved: combination.saved + way.saved,
            left:
              combination.left +
              sumOf(way.positions, (position) => (scope.has(position) ? (way.lefts[position] ?? 0) : 0)),
            coupons: way.coupon ? [...combination.coupons, way.coupon] : combination.coupons,
          })),
        ),
      );
    }
    for (const combination of combinations) {
      let discount = 0;
      if (platform) {
        if (combination.left < platform.threshold) continue;
        discount = couponDiscount(platform.value, combination.left);
        if (discount === 0) continue;
      }
      const total = combination.saved + discount;
      const count = combination.coupons.length + (platform ? 1 : 0);
      if (!best || total > best.total || (total === best.total && count < best.count)) {
        best = { total, count, picked: { merchant: combination.coupons, platform } };
      }
    }
  }
  return best?.picked ?? { merchant: [], platform: null };
}

function undominated(combinations: readonly Combination[]): Combination[] {
  const sorted = [...combinations].sort(
    (a, b) => b.saved - a.saved || b.left - a.left || a.coupons.length - b.coupons.length,
  );
  const kept: Combination[] = [];
  let mostLeft = -1;
  for (const combination of sorted) {
    if (combination.left <= mostLeft) continue;
    kept.push(combination);
    mostLeft = combination.left;
    if (kept.length === MOST_COMBINATIONS) break;
  }
  return kept;
}

function applyPoints(
  input: QuoteInput,
  cart: readonly CartLine[],
  couponUsed: boolean,
  notices: Label[],
): { readonly most: number; readonly step: QuoteStep | null } {
  const settings = input.pointsSettings;
  const wanted = input.pointsWanted;
  if (!settings.enabled) return { most: 0, step: null };
  if (couponUsed && !settings.withCoupon) {
    if (wanted !== 0)
      notices.push(['积分不可与优惠券同时使用', 'Points cannot be used together with coupons']);
    return { most: 0, step: null };
  }
  const { perYuan, step } = settings;
  if (step < 1 || perYuan < 1 || (step * 100) % perYuan !== 0)
    throw new RangeError(`points settings do not divide to the fen: step ${step}, per yuan ${perYuan}`);
  // Decision: the base is what is left of the lines that take points, the same lines the value is split over;
  // "per order" limits count for the whole checkout (worked example A: one ceiling of 33.88 over both merchants).
  const positions = cart.flatMap(({ line, left }, position) =>
    left > 0 && line.pointsAllowed && (!isActivity(line) || line.activityAllowsPoints) ? [position] : [],
  );
  const base = sumOf(positions, (position) => lineAt(cart, position).left);
  const ceiling = floorRatio(base, requirePercent(settings.maxPercent, 'maxPercent'), 100);
  const limit = Math.min(floorRatio(ceiling, perYuan, 100), settings.maxPerOrder, input.pointsBalance);
  const most = limit - (limit % step);
  const asked = wanted === 'max' ? most : Math.min(wanted, most);
  const points = asked - (asked % step);
  if (wanted !== 'max' && wanted > most)
    notices.push([`本单最多可用${most}积分`, `At most ${most} points can be used`]);
  if (points === 0) return { most, step: null };
  const amount = floorRatio(points, 100, perYuan);
  const numbers = `floor(${yuanText(base)} × ${settings.maxPercent} / 100) = ${yuanText(ceiling)}`;
  const value = `${points} × 100 / ${perYuan} = ${yuanText(amount)}`;
  return {
    most,
    step: book(cart, positions, {
      code: 40,
      merchantId: null,
      sourceType: 'points',
      sourceId: null,
      base,
      formula: [
        `上限 ${numbers}，每单 ${settings.maxPerOrder}，余额 ${input.pointsBalance}，按 ${step} 取整；${value}`,
        `Ceiling ${numbers}, per order ${settings.maxPerOrder}, balance ${input.pointsBalance}, multiples of ${step}; ${value}`,
      ],
      amount,
      platformAmount: 0,
      units: points,
    }),
  };
}

interface CoinOffer {
  readonly rule: CoinRule;
  readonly positions: readonly number[];
  readonly base: number;
  readonly allowed: number;
  readonly most: number;
  readonly coins: number;
  readonly amount: number;
}

function applyCoins(
  input: QuoteInput,
  cart: readonly CartLine[],
  couponUsed: boolean,
  pointsUsed: number,
  notices: Label[],
): { readonly most: number; readonly step: QuoteStep | null } {
  const wanted = input.coinsWanted;
  if (pointsUsed > 0 && !input.pointsSettings.withCoin) {
    if (wanted !== 0 && input.coinRules.length > 0)
      notices.push(['代币不可与积分同时使用', 'Coins cannot be used together with points']);
    return { most: 0, step: null };
  }
  const offers = input.coinRules
    .filter((rule) => (!couponUsed || rule.withCoupon) && (pointsUsed === 0 || rule.withPoints))
    .map((rule) => coinOffer(rule, input, cart));
  // Decision: "tie → priority" is read as the greater number first, then the lower id, as for points-return rules.
  offers.sort(
    (a, b) =>
      b.amount - a.amount || b.rule.priority - a.rule.priority || (a.rule.ruleId < b.rule.ruleId ? -1 : 1),
  );
  const most = offers.reduce((greatest, offer) => Math.max(greatest, offer.most), 0);
  if (wanted !== 'max' && wanted > most && input.coinRules.length > 0)
    notices.push(
      wanted > input.coinsBalance
        ? ['代币余额不足', 'Not enough coins']
        : [`本单最多可用${most}代币`, `At most ${most} coins can be used`],
    );
  const offer = offers[0];
  if (!offer || offer.amount === 0) return { most, step: null };
  const { rule } = offer;
  const limit = `floor(${yuanText(offer.base)} × ${rule.maxPercent} / 100)`;
  const value = `floor(${offer.coins} × 100 / ${rule.coinsPerYuan}) = ${yuanText(offer.amount)}`;
  const allowed = yuanText(offer.allowed);
  return {
    most,
    step: book(cart, offer.positions, {
      code: 45,
      merchantId: null,
      sourceType: 'coin_rule',
      sourceId: rule.ruleId,
      base: offer.base,
      formula: [
        `${rule.name}：上限 ${limit}，可抵 ${allowed}，余额 ${input.coinsBalance}，按 ${rule.step} 取整；${value}`,
        `${rule.name}: ceiling ${limit}, allowed ${allowed}, balance ${input.coinsBalance}, multiples of ${rule.step}; ${value}`,
      ],
      amount: offer.amount,
      platformAmount: 0,
      units: offer.coins,
    }),
  };
}

function coinOffer(rule: CoinRule, input: QuoteInput, cart: readonly CartLine[]): CoinOffer {
  const positions = cart.flatMap(({ line, left }, position) => {
    const kindAllowed =
      (line.priceKind !== 'seckill' || rule.withSeckill) && (line.priceKind !== 'group' || rule.withGroup);
    const open = !isActivity(line) || (line.activityAllowsCoins && kindAllowed);
    return left > 0 && open && covers(rule.scope, line) ? [position] : [];
  });
  const base = sumOf(positions, (position) => lineAt(cart, position).left);
  const ceiling = floorRatio(base, requirePercent(rule.maxPercent, 'maxPercent'), 100);
  const allowed =
    base < rule.minOrder ? 0 : Math.min(ceiling, rule.maxPerOrder ?? ceiling, rule.capsLeft ?? ceiling);
  // floor(c × 100 / perYuan) ≤ allowed ⇔ c < (allowed + 1) × perYuan / 100.
  const byValue = allowed === 0 ? 0 : floorRatio(allowed + 1, rule.coinsPerYuan, 100);
  const exact = allowed > 0 && floorRatio(byValue, 100, rule.coinsPerYuan) > allowed;
  const limit = Math.min(exact ? byValue - 1 : byValue, input.coinsBalance);
  const most = limit - (limit % rule.step);
  const asked = input.coinsWanted === 'max' ? most : Math.min(input.coinsWanted, most);
  const coins = asked - (asked % rule.step);
  return { rule, positions, base, allowed, most, coins, amount: floorRatio(coins, 100, rule.coinsPerYuan) };
}

function hasGoods(cart: readonly CartLine[], positions: readonly number[]): boolean {
  return positions.some((position) => !lineAt(cart, position).line.service);
}

/** Σ (goods − merchant coupon share) in fen; decision: service lines, which have no freight, do not count either. */
function freightBase(
  cart: readonly CartLine[],
  positions: readonly number[],
  lefts: readonly number[],
): number {
  return sumOf(positions, (position) => (lineAt(cart, position).line.service ? 0 : (lefts[position] ?? 0)));
}

function bandOf(base: number, bands: readonly PostageBand[]): PostageBand | undefined {
  return bands.find((band) => band.start <= base && (band.end === null || base < band.end));
}

function freightStep(
  merchantId: string,
  cart: readonly CartLine[],
  bands: readonly PostageBand[],
): QuoteStep {
  const positions = cart.flatMap(({ line }, position) => (line.merchantId === merchantId ? [position] : []));
  const lefts = cart.map(
    (line) => line.goods - sumOf(line.shares, (share) => (share.step === 20 ? share.amount : 0)),
  );
  const base = freightBase(cart, positions, lefts);
  const goods = freightBase(
    cart,
    positions,
    cart.map((line) => line.goods),
  );
  const band = hasGoods(cart, positions) ? bandOf(base, bands) : undefined;
  const amount = band ? requireCount(band.freight, 'freight') : 0;
  const sum = `${yuanText(goods)} − ${yuanText(goods - base)} = ${yuanText(base)}`;
  const range = band ? `[${yuanText(band.start)}, ${band.end === null ? '∞' : yuanText(band.end)})` : null;
  return {
    code: 50,
    label: STEP_LABELS[50],
    merchantId,
    sourceType: null,
    sourceId: null,
    base,
    formula: range
      ? [
          `商品 − 商户券 ${sum}，区间 ${range} → ${yuanText(amount)}`,
          `Goods − merchant coupon ${sum}, band ${range} → ${yuanText(amount)}`,
        ]
      : [`商品 − 商户券 ${sum}，无运费规则 → 0.00`, `Goods − merchant coupon ${sum}, no postage band → 0.00`],
    amount,
    platformAmount: 0,
    units: 0,
    lines: [],
  };
}

function changedFreightStep(step: QuoteStep, freight: number): QuoteStep {
  const change = `${yuanText(step.amount)} → ${yuanText(freight)}`;
  return { ...step, amount: freight, formula: [`运费 ${change}`, `Freight ${change}`] };
}

function closeLine(line: CartLine): QuotedLine {
  return { ...line.line, goods: line.goods, cash: line.left, shares: line.shares };
}

function closeOrder(
  merchantId: string,
  lines: readonly QuotedLine[],
  freight: number,
  steps: readonly QuoteStep[],
): QuoteOrder {
  return { merchantId, ...sumsOf(lines, freight), lines, steps };
}

function stepsOf(steps: readonly QuoteStep[], merchantId: string, lines: readonly QuotedLine[]): QuoteStep[] {
  const numbers = new Set(lines.map((line) => line.lineNo));
  return steps.flatMap((step) => {
    if (step.merchantId !== null) return step.merchantId === merchantId ? [step] : [];
    const own = step.lines.filter((line) => numbers.has(line.lineNo));
    return own.length > 0 ? [{ ...step, lines: own }] : [];
  });
}

function sumsOf(lines: readonly QuotedLine[], freight: number): QuoteSums {
  const shares = lines.flatMap((line) => line.shares);
  const amountOf = (step: ShareStep) => sumOf(shares, (share) => (share.step === step ? share.amount : 0));
  const unitsOf = (step: ShareStep) => sumOf(shares, (share) => (share.step === step ? share.units : 0));
  const cash = sumOf(lines, (line) => line.cash);
  return {
    goods: sumOf(lines, (line) => line.goods),
    merchantCoupon: amountOf(20),
    platformCoupon: amountOf(30),
    points: amountOf(40),
    pointsUnits: unitsOf(40),
    coins: amountOf(45),
    coinsUnits: unitsOf(45),
    manualOff: amountOf(60),
    cash,
    freight,
    payable: cash + freight,
  };
}
