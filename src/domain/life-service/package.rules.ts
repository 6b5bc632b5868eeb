import type { Label } from '../../kernel/contract/label.ts';
import { yuanFromFen } from '../../kernel/contract/money.rules.ts';

/** What is sold with a version of a package; money is fen. */
export interface PackageTerms {
  readonly name: string;
  readonly price: number;
  readonly validity: number;
  readonly validityUnit: 'month' | 'day';
  readonly startRule: string;
  readonly firstUseDays: number | null;
  readonly payOnce: boolean;
  readonly refundMethod: string;
  readonly cancelFee: string;
  readonly maxRunning: number;
  readonly terms: string;
  readonly items: readonly {
    readonly name: string;
    /** None: as often as one likes. */
    readonly times: number | null;
    readonly listPrice: number;
  }[];
  readonly plans: readonly {
    readonly parts: number;
    readonly firstPercent: number | null;
    readonly intervalMonths: string;
  }[];
}

/** When the term of an order begins. */
export const START_RULES = {
  first_payment: { label: ['付清首期', 'First payment'] },
  first_use: { label: ['首次使用', 'First use'] },
  fixed_date: { label: ['指定日期', 'Fixed date'] },
} as const;

/** How a cancelled order counts what was used. */
export const REFUND_METHODS = {
  by_times: { label: ['按次', 'By use'] },
  by_days: { label: ['按天', 'By day'] },
  none: { label: ['不退', 'None'] },
} as const;

/**
 * Fen of each part of a sum: floors by weight, the missing fen go one each to the earliest parts, together exactly the sum.
 * Without a share of the first part all weigh the same, else the others share what the first leaves.
 */
export function instalments(totalFen: number, parts: number, firstPercent: number | null = null): number[] {
  const weights = Array.from({ length: parts }, (_, index) =>
    firstPercent === null || parts === 1 ? 1 : index === 0 ? firstPercent * (parts - 1) : 100 - firstPercent,
  );
  const sum = weights.reduce((left, right) => left + right, 0);
  const shares = weights.map((weight) => Math.floor((totalFen * weight) / sum));
  const missing = totalFen - shares.reduce((left, right) => left + right, 0);
  return shares.map((share, index) => (index < missing ? share + 1 : share));
}

/** What all uses cost one by one, of the items with a number of uses; none where there is no such item. */
export function listTotal(items: PackageTerms['items']): number | null {
  const counted = items.filter((item) => item.times !== null);
  return counted.length === 0 ? null : counted.reduce((sum, item) => sum + item.times! * item.listPrice, 0);
}

/** A term in words. */
export function validityText(validity: number, unit: 'month' | 'day'): Label {
  const many = validity === 1 ? '' : 's';
  return unit === 'month'
    ? [`${validity} 个月`, `${validity} month${many}`]
    : [`${validity} 天`, `${validity} day${many}`];
}

const timesText = (times: number | null) => (times === null ? '∞' : String(times));

/** What a version changed; empty where nothing did. */
export function termsDifference(before: PackageTerms, after: PackageTerms): Label {
  const zh: string[] = [];
  const en: string[] = [];
  const told = (label: Label, from: Label, to: Label) => {
    if (from[0] === to[0]) return;
    zh.push(`${label[0]} ${from[0]}→${to[0]}`);
    en.push(`${label[1]} ${from[1]}→${to[1]}`);
  };
  const same = (value: unknown): Label => [String(value), String(value)];
  told(['名称', 'Name'], same(before.name), same(after.name));
  told(['价格', 'Price'], same(yuanFromFen(before.price)), same(yuanFromFen(after.price)));
  told(
    ['有效期', 'Validity'],
    validityText(before.validity, before.validityUnit),
    validityText(after.validity, after.validityUnit),
  );
  const start = (one: PackageTerms): Label => {
    const { label } = START_RULES[one.startRule as keyof typeof START_RULES];
    return one.firstUseDays === null
      ? label
      : [`${label[0]}（${one.firstUseDays} 天内）`, `${label[1]} (within ${one.firstUseDays} days)`];
  };
  told(['生效', 'Start'], start(before), start(after));
  const refund = (one: PackageTerms) => REFUND_METHODS[one.refundMethod as keyof typeof REFUND_METHODS].label;
  told(['退款', 'Refund'], refund(before), refund(after));
  told(['退订费', 'Cancel fee'], same(`${before.cancelFee}%`), same(`${after.cancelFee}%`));
  told(['每户在用上限', 'Per house'], same(before.maxRunning), same(after.maxRunning));
  const item = (one: PackageTerms['items'][number]) =>
    `${one.name}×${timesText(one.times)} @${yuanFromFen(one.listPrice)}`;
  listed(before.items.map(item), after.items.map(item), zh, en);
  const plans = (one: PackageTerms) => [
    ...(one.payOnce ? ['1'] : []),
    ...one.plans.map((plan) => `${plan.parts}/${plan.firstPercent ?? '='}/${plan.intervalMonths}`),
  ];
  if (plans(before).join() !== plans(after).join()) {
    zh.push('付款方式');
    en.push('Plans');
  }
  if (before.terms !== after.terms) {
    zh.push('服务条款');
    en.push('Terms');
  }
  return [zh.join('；'), en.join('; ')];
}

function listed(before: readonly string[], after: readonly string[], zh: string[], en: string[]): void {
  for (const one of before)
    if (!after.includes(one)) {
      zh.push(`减 ${one}`);
      en.push(`Out ${one}`);
    }
  for (const one of after)
    if (!before.includes(one)) {
      zh.push(`增 ${one}`);
      en.push(`In ${one}`);
    }
}
