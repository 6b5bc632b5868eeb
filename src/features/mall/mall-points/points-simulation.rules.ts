import { fenFromYuan, yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import {
  quote,
  type MemberCoupon,
  type PointsSettings,
  type QuoteInput,
} from '../../../domain/trade-money/quote.rules.ts';
import { pointsProblem } from '../../../domain/trade-money/points-settings.rules.ts';

/** One line of the trial cart. Money as yuan text. */
export interface TrialLine {
  readonly name: string;
  readonly merchant: string;
  readonly price: string;
  readonly qty: number;
  readonly pointsAllowed: boolean;
}

/** A coupon of the trial: `rate` 85 = 8.5折. Money as yuan text. `merchant` null: of the platform. */
export interface TrialCoupon {
  readonly merchant: string | null;
  readonly kind: 'cash' | 'discount';
  readonly face: string;
  readonly rate: number;
  readonly maxDiscount: string | null;
  readonly threshold: string;
}

/** What the simulator is asked: unsaved settings, a cart, coupons, and the points of the member. */
export interface Trial {
  readonly settings: PointsSettings;
  readonly lines: readonly TrialLine[];
  readonly coupons: readonly TrialCoupon[];
  readonly balance: number;
  /** Points asked for; null: as many as possible. */
  readonly points: number | null;
}

/** One step of the engine as the simulator shows it. Money as yuan text. */
export interface TrialStep {
  readonly code: number;
  readonly label: Label;
  readonly merchant: string | null;
  readonly formula: Label;
  readonly amount: string;
  readonly units: number;
}

/** The engine's answer to a trial. Money as yuan text. */
export interface TrialAnswer {
  readonly steps: readonly TrialStep[];
  readonly lines: readonly {
    readonly name: string;
    readonly goods: string;
    readonly coupons: string;
    readonly points: string;
    readonly units: number;
    readonly cash: string;
  }[];
  readonly goods: string;
  readonly coupons: string;
  readonly points: string;
  readonly units: number;
  readonly payable: string;
  readonly maxPoints: number;
  readonly notices: readonly Label[];
}

/** What is wrong with a trial, by field, before the engine is asked. */
export function trialProblems(trial: Trial): Record<string, Label> {
  const problems: Record<string, Label> = {};
  const rate = pointsProblem(trial.settings.perYuan, trial.settings.step);
  if (rate) problems.mall_points_step = rate;
  trial.lines.forEach((line, index) => {
    const price = fenFromYuan(line.price);
    if (price === undefined || price < 1 || price > 99_999_999)
      problems.lines = fill(
        ['第{n}行：价格应为0.01至999,999.99', 'Line {n}: the price must be 0.01 to 999,999.99'],
        { n: index + 1 },
      );
  });
  for (const coupon of trial.coupons)
    for (const text of [
      coupon.threshold,
      coupon.kind === 'cash' ? coupon.face : (coupon.maxDiscount ?? '0'),
    ]) {
      const fen = fenFromYuan(text);
      if (fen === undefined || fen < 0)
        problems.coupons = ['请输入金额，最多两位小数', 'Please enter an amount with at most two decimals'];
    }
  return problems;
}

/** Runs the money engine over a trial that {@link trialProblems} found nothing wrong with. No database is asked. */
export function simulate(trial: Trial): TrialAnswer {
  const input: QuoteInput = {
    now: 0,
    projectId: '0',
    lines: trial.lines.map((line, index) => ({
      lineNo: index + 1,
      merchantId: line.merchant,
      productId: `p${index}`,
      classIds: [],
      specId: `s${index}`,
      listPrice: fen(line.price),
      unitPrice: fen(line.price),
      qty: line.qty,
      priceKind: 'ordinary',
      activityAllowsCoupon: false,
      activityAllowsPoints: false,
      activityAllowsCoins: false,
      pointsAllowed: line.pointsAllowed,
      service: false,
    })),
    coupons: trial.coupons.map(couponOf),
    choice: { kind: 'best' },
    pointsSettings: trial.settings,
    pointsBalance: trial.balance,
    pointsWanted: trial.points ?? 'max',
    coinRules: [],
    coinsBalance: 0,
    coinsWanted: 0,
    postage: {},
  };
  const result = quote(input);
  const shares = (line: (typeof result.orders)[number]['lines'][number], steps: readonly number[]) =>
    line.shares.filter((share) => steps.includes(share.step)).reduce((sum, share) => sum + share.amount, 0);
  return {
    // Freight is not part of a trial; the step without an amount would only confuse.
    steps: result.steps
      .filter((step) => step.code !== 50)
      .map((step) => ({
        code: step.code,
        label: step.label,
        merchant: step.merchantId,
        formula: step.formula,
        amount: yuanFromFen(step.amount),
        units: step.units,
      })),
    lines: result.orders
      .flatMap((order) => order.lines)
      .sort((a, b) => a.lineNo - b.lineNo)
      .map((line) => ({
        name: trial.lines[line.lineNo - 1]!.name,
        goods: yuanFromFen(line.goods),
        coupons: yuanFromFen(shares(line, [20, 30])),
        points: yuanFromFen(shares(line, [40])),
        units: line.shares.filter((share) => share.step === 40).reduce((sum, share) => sum + share.units, 0),
        cash: yuanFromFen(line.cash),
      })),
    goods: yuanFromFen(result.goods),
    coupons: yuanFromFen(result.merchantCoupon + result.platformCoupon),
    points: yuanFromFen(result.points),
    units: result.pointsUnits,
    payable: yuanFromFen(result.payable),
    maxPoints: result.maxPoints,
    notices: [
      ...result.coupons.flatMap((option) =>
        option.state === 'unusable' && option.reason
          ? [
              fill(['优惠券不可用：{zh}', 'Coupon not usable: {en}'], {
                zh: option.reason[0],
                en: option.reason[1],
              }),
            ]
          : [],
      ),
      ...result.notices,
    ],
  };
}

function couponOf(coupon: TrialCoupon, index: number): MemberCoupon {
  return {
    memberCouponId: `c${index}`,
    couponId: `c${index}`,
    name: '',
    issuer: coupon.merchant === null ? 'platform' : 'merchant',
    merchantId: coupon.merchant,
    value:
      coupon.kind === 'cash'
        ? { kind: 'cash', face: fen(coupon.face) }
        : {
            kind: 'discount',
            rate: coupon.rate,
            maxDiscount:
              coupon.maxDiscount === null || coupon.maxDiscount === '' ? null : fen(coupon.maxDiscount),
          },
    threshold: fen(coupon.threshold),
    scope: { kind: 'all', ids: [] },
    projectIds: null,
    validFrom: 0,
    validTo: 1,
    locked: false,
    bearerPlatformPercent: 100,
    consentingMerchantIds: null,
  };
}

function fen(yuan: string): number {
  return fenFromYuan(yuan) ?? 0;
}
