import type { Label } from '../../kernel/contract/label.ts';
import { areaUnits, roomArea, type Room, type RoomKind } from './rooms.rules.ts';

/*
 * Prices and instalments of decor packages: one engine for preview, quote, order, change and cancellation. Money is integer fen,
 * areas are hundredths of a m², shares and weights hundredths of a percent, so that every sum is exact.
 */

/** How the base price comes about. */
export const PRICE_BASES = {
  fixed: { label: ['一口价', 'Fixed price'] },
  built_area: { label: ['按建筑面积', 'Per m² built'] },
  inner_area: { label: ['按套内面积', 'Per m² inner'] },
} as const;

/** What an option costs. */
export const OPTION_MODES = {
  fixed: { label: ['固定', 'Fixed'] },
  per_m2: { label: ['按房间面积', 'Per m² of room'] },
  per_piece: { label: ['按件', 'Per piece'] },
} as const;

/** Most works nodes of a package. */
export const MOST_NODES = 20;

const NODE_EVENTS = Object.fromEntries(
  Array.from({ length: MOST_NODES }, (_, index) => [
    `node:${index + 1}`,
    { label: [`第 ${index + 1} 个节点通过`, `Node ${index + 1} passed`] as const },
  ]),
);

/** When an instalment becomes due, in the order things happen. */
export const DUE_EVENTS: Readonly<
  Record<
    'order' | 'signed' | 'started' | `node:${number}` | 'accepted',
    { readonly label: readonly [string, string] }
  >
> = {
  order: { label: ['下单', 'Order'] },
  signed: { label: ['签约', 'Signed'] },
  started: { label: ['开工', 'Works started'] },
  ...NODE_EVENTS,
  accepted: { label: ['竣工验收', 'Accepted'] },
};

export type PriceBasis = keyof typeof PRICE_BASES;
export type OptionMode = keyof typeof OPTION_MODES;

/** Areas a price is worked out for. */
export interface PricedAreas {
  readonly built: string | number;
  readonly inner: string | number;
  readonly rooms: readonly Room[];
}

/** An option as a version sells it; `price` may be negative where leaving something out saves money. */
export interface PricedOption {
  readonly code: string;
  readonly name: string;
  readonly room: RoomKind | null;
  readonly mode: OptionMode;
  readonly price: number;
  /** Codes of options it needs, and of those it cannot be combined with. */
  readonly requires: readonly string[];
  readonly excludes: readonly string[];
  /** Options of one group of kind `single` exclude each other. */
  readonly group: string;
  readonly single: boolean;
}

/** One line of a price: what is counted, how much of it, at which price. */
export interface PriceLine {
  readonly kind: 'base' | 'option' | 'change' | 'discount';
  readonly code: string;
  readonly name: string;
  /** Hundredths: of m², or of pieces. */
  readonly quantity: number;
  readonly unitPrice: number;
  readonly amount: number;
}

/** a × b ÷ divisor of integers, halves away from zero. */
export function roundHalfUp(a: number, b: number, divisor: number): number {
  const product = BigInt(a) * BigInt(b);
  const whole = BigInt(divisor);
  const sign = product < 0n ? -1n : 1n;
  const size = product * sign;
  return Number(sign * ((2n * size + whole) / (2n * whole)));
}

/** The base price: fixed, or per m², never below the least charge. */
export function basePrice(
  basis: PriceBasis,
  price: number,
  areas: Pick<PricedAreas, 'built' | 'inner'>,
  minCharge = 0,
): PriceLine {
  const quantity = basis === 'fixed' ? 100 : areaUnits(basis === 'built_area' ? areas.built : areas.inner);
  const amount = Math.max(minCharge, roundHalfUp(price, quantity, 100));
  return { kind: 'base', code: '', name: '', quantity, unitPrice: price, amount };
}

/** What an option adds to the price, or takes off it. `pieces` counts only per piece. */
export function optionLine(option: PricedOption, rooms: readonly Room[], pieces = 1): PriceLine {
  const quantity =
    option.mode === 'fixed'
      ? 100
      : option.mode === 'per_piece'
        ? pieces * 100
        : option.room
          ? roomArea(rooms, option.room)
          : 0;
  return {
    kind: 'option',
    code: option.code,
    name: option.name,
    quantity,
    unitPrice: option.price,
    amount: roundHalfUp(option.price, quantity, 100),
  };
}

/** An option that is chosen, with the number of pieces. */
export interface ChosenOption {
  readonly code: string;
  readonly pieces?: number;
}

/** The lines of a price and their sum. */
export function quoteOf(spec: {
  readonly basis: PriceBasis;
  readonly price: number;
  readonly minCharge: number;
  readonly areas: PricedAreas;
  readonly options: readonly PricedOption[];
  readonly chosen: readonly ChosenOption[];
  readonly discount?: number;
}): { readonly lines: readonly PriceLine[]; readonly total: number } {
  const lines: PriceLine[] = [basePrice(spec.basis, spec.price, spec.areas, spec.minCharge)];
  for (const { code, pieces } of spec.chosen) {
    const option = spec.options.find((one) => one.code === code);
    if (option) lines.push(optionLine(option, spec.areas.rooms, pieces));
  }
  const discount = spec.discount ?? 0;
  if (discount > 0)
    lines.push({
      kind: 'discount',
      code: '',
      name: '',
      quantity: 100,
      unitPrice: -discount,
      amount: -discount,
    });
  return { lines, total: lines.reduce((sum, line) => sum + line.amount, 0) };
}

/** Why chosen options do not go together: what one needs, what it cannot be combined with. */
export function choiceProblem(
  options: readonly PricedOption[],
  chosen: readonly string[],
): Label | undefined {
  const byCode = new Map(options.map((one) => [one.code, one]));
  const name = (code: string) => byCode.get(code)?.name ?? code;
  for (const code of chosen) {
    const option = byCode.get(code);
    if (!option) continue;
    const missing = option.requires.find((one) => !chosen.includes(one));
    if (missing) return [`${option.name} 需同选 ${name(missing)}`, `${option.name} needs ${name(missing)}`];
    const other = chosen.find(
      (one) =>
        one !== code &&
        (option.excludes.includes(one) ||
          (option.single && option.group !== '' && byCode.get(one)?.group === option.group)),
    );
    if (other)
      return [
        `${option.name} 与 ${name(other)} 不能同选`,
        `${option.name} and ${name(other)} cannot be combined`,
      ];
  }
  return undefined;
}

/** Why options cannot be sold as they are declared, by their place in the list: codes twice, unknown ones, circles. */
export function optionProblem(options: readonly PricedOption[]): Label | undefined {
  const byCode = new Map<string, PricedOption>();
  for (const [index, option] of options.entries()) {
    if (byCode.has(option.code))
      return [`第 ${index + 1} 行选项编码重复`, `Row ${index + 1}: the code stands twice`];
    byCode.set(option.code, option);
    if (option.mode === 'per_m2' && !option.room)
      return [`第 ${index + 1} 行按面积计价须选择房间`, `Row ${index + 1}: per m² needs a room`];
  }
  for (const [index, option] of options.entries())
    for (const code of [...option.requires, ...option.excludes]) {
      if (!byCode.has(code))
        return [
          `第 ${index + 1} 行引用了不存在的选项 ${code}`,
          `Row ${index + 1} names the unknown option ${code}`,
        ];
      if (code === option.code) return [`第 ${index + 1} 行选项引用了自己`, `Row ${index + 1} names itself`];
    }
  for (const option of options) {
    // What an option needs, and all that needs: never itself, and never what it excludes.
    const needed = new Set<string>();
    const open = [...option.requires];
    while (open.length > 0) {
      const code = open.pop()!;
      if (needed.has(code)) continue;
      needed.add(code);
      open.push(...(byCode.get(code)?.requires ?? []));
    }
    if (needed.has(option.code))
      return [`选项 ${option.name} 的依赖成环`, `The options ${option.name} needs form a circle`];
    const clash = [...needed].find(
      (code) => option.excludes.includes(code) || byCode.get(code)?.excludes.includes(option.code),
    );
    if (clash)
      return [
        `选项 ${option.name} 既依赖又排斥 ${byCode.get(clash)!.name}`,
        `Option ${option.name} needs and excludes ${byCode.get(clash)!.name}`,
      ];
  }
  return undefined;
}

/** Instalments of a price by their own shares in hundredths of a percent: cumulative, so that the sum is always the price. */
export function instalments(shares: readonly number[], price: number): number[] {
  let share = 0;
  let before = 0;
  return shares.map((one) => {
    share += one;
    const upTo = roundHalfUp(price, share, 10_000);
    const amount = upTo - before;
    before = upTo;
    return amount;
  });
}

/** An instalment as it stands when the price changes. */
export interface StandingInstalment {
  readonly amount: number;
  /** Paid or overdue: it stays as it is. */
  readonly kept: boolean;
}

/**
 * Instalments after the price changed: kept ones stay, each later one brings the sum up to its share of the new price, never
 * below nothing; what is left over after the last goes back.
 */
export function rescheduled(
  shares: readonly number[],
  standing: readonly StandingInstalment[],
  price: number,
): { readonly amounts: readonly number[]; readonly refund: number } {
  let share = 0;
  let sum = 0;
  const amounts = standing.map((one, index) => {
    share += shares[index]!;
    const amount = one.kept ? one.amount : Math.max(0, roundHalfUp(price, share, 10_000) - sum);
    sum += amount;
    return amount;
  });
  return { amounts, refund: Math.max(0, sum - price) };
}

/** How far an order has come when it is cancelled. */
export const CANCEL_STAGES = {
  ordered: { label: ['量房前', 'Before measuring'] },
  measured: { label: ['已量房', 'Measured'] },
  designed: { label: ['方案确认或已签约', 'Design confirmed or signed'] },
  started: { label: ['已开工', 'Works begun'] },
} as const;

export type CancelStage = keyof typeof CANCEL_STAGES;

/** What is kept of an order that is cancelled at a stage: a sum, a share of the price, the value of the passed nodes. */
export interface CancelRule {
  readonly stage: CancelStage;
  readonly fee: number;
  /** Hundredths of a percent. */
  readonly share: number;
  readonly nodes: boolean;
}

/** Nothing, then the measuring fee, then 5 %, then the works done and 5 %. */
export const DEFAULT_CANCEL: readonly CancelRule[] = [
  { stage: 'ordered', fee: 0, share: 0, nodes: false },
  { stage: 'measured', fee: 50_000, share: 0, nodes: false },
  { stage: 'designed', fee: 0, share: 500, nodes: false },
  { stage: 'started', fee: 0, share: 500, nodes: true },
];

/** What is kept and given back when an order is cancelled; `rest` is what the customer still owes of what is kept. */
export function cancellation(
  rule: CancelRule,
  order: { readonly price: number; readonly paid: number; readonly passed: number },
): {
  readonly works: number;
  readonly fee: number;
  readonly kept: number;
  readonly refund: number;
  readonly rest: number;
} {
  const works = rule.nodes ? roundHalfUp(order.price, order.passed, 10_000) : 0;
  const fee = rule.fee + roundHalfUp(order.price, rule.share, 10_000);
  const kept = Math.min(works + fee, order.paid);
  return { works, fee, kept, refund: order.paid - kept, rest: works + fee - kept };
}

/** A payment an order was paid by, with what of it can still go back. */
export interface RefundablePayment {
  readonly id: number;
  readonly rest: number;
}

/** A refund over several payments, the latest first, each up to its own rest. `payments` are in the order they were paid. */
export function refundParts(
  payments: readonly RefundablePayment[],
  amount: number,
): readonly { readonly id: number; readonly amount: number }[] {
  const parts: { id: number; amount: number }[] = [];
  let left = amount;
  for (const payment of [...payments].reverse()) {
    const part = Math.min(left, payment.rest);
    if (part > 0) parts.push({ id: payment.id, amount: part });
    left -= part;
  }
  if (left > 0) throw new Error('refund above what was paid');
  return parts;
}
