import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import {
  STEP_LABELS,
  type QuoteShare,
  type QuoteStep,
  type ShareStep,
} from '../../../domain/trade-money/quote.rules.ts';

/** One row of the explain panel (计算说明) on the wire: the stored step, never computed again. Money as yuan text. */
export interface WireStep {
  readonly code: number;
  readonly label: Label;
  readonly formula: Label;
  readonly amount: string;
  readonly platformAmount: string;
  readonly units: number;
  readonly lines: readonly {
    readonly lineNo: number;
    readonly base: string;
    readonly amount: string;
    readonly units: number;
  }[];
}

/**
 * Steps over the whole checkout as the merchant of one order may read them: the part of its own lines. The stored base,
 * amount and formula count the goods of other merchants and the points the buyer has.
 */
export function stepsOfMerchant(steps: readonly QuoteStep[]): QuoteStep[] {
  return steps.map((step) => {
    const total = (of: 'base' | 'amount' | 'platformAmount' | 'units') =>
      sum(step.lines.map((line) => line[of]));
    if (step.merchantId !== null || total('base') === step.base) return step;
    const parts = step.lines.map((line) => yuanFromFen(line.amount || line.base)).join(' + ');
    const whole = yuanFromFen(total('amount') || total('base'));
    return {
      ...step,
      base: total('base'),
      amount: total('amount'),
      platformAmount: total('platformAmount'),
      units: total('units'),
      formula: [`本订单部分：${parts} = ${whole}`, `Part of this order: ${parts} = ${whole}`],
    };
  });
}

/** What each discount took off a line, yuan text; `points` counts points. */
export interface WireShares {
  readonly merchantCoupon: string;
  readonly platformCoupon: string;
  readonly pointsValue: string;
  readonly coinsValue: string;
  readonly manualOff: string;
  readonly points: number;
}

/** Steps of a stored quote; their texts come in both languages, as they were stored. */
export function wireSteps(steps: readonly QuoteStep[]): WireStep[] {
  return steps.map((step) => ({
    code: step.code,
    label: (step.label as Label | undefined) ?? STEP_LABELS[step.code],
    formula: step.formula,
    amount: yuanFromFen(step.amount),
    platformAmount: yuanFromFen(step.platformAmount),
    units: step.units,
    lines: step.lines.map((line) => ({
      lineNo: line.lineNo,
      base: yuanFromFen(line.base),
      amount: yuanFromFen(line.amount),
      units: line.units,
    })),
  }));
}

/** Shares of a line by step. */
export function wireShares(shares: readonly Pick<QuoteShare, 'step' | 'amount' | 'units'>[]): WireShares {
  const amount = (step: ShareStep) =>
    yuanFromFen(sum(shares.filter((share) => share.step === step).map((share) => share.amount)));
  return {
    merchantCoupon: amount(20),
    platformCoupon: amount(30),
    pointsValue: amount(40),
    coinsValue: amount(45),
    manualOff: amount(60),
    points: sum(shares.filter((share) => share.step === 40).map((share) => share.units)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
