import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';

interface Span {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly daysInPeriod: number;
  readonly price: number;
}
interface Part {
  readonly formula?: string;
  readonly expression?: string;
  readonly builtArea?: number;
  readonly innerArea?: number | null;
  readonly spans?: readonly Span[];
  readonly tiers?: readonly { readonly above: number; readonly more: number }[];
  readonly readings?: readonly {
    readonly number: string;
    readonly last: number;
    readonly this: number;
    readonly multiplier: number;
    readonly usage: number;
    readonly from: string;
    readonly to: string;
    readonly counter: boolean;
  }[];
  readonly total?: number;
  readonly weight?: number;
  readonly weights?: number;
  readonly share?: number;
}

/** What a bill keeps of how it was billed. */
export interface BillWorkingFacts extends Part {
  readonly parts?: readonly Part[];
  /** The work order a repair was charged by, with its lines. */
  readonly order?: string;
  readonly lines?: readonly { readonly name: string; readonly amount: number }[];
}

const thousandth = (value: number) => String(value / 1_000);

/** How the principal of a bill came about, in words. */
export function workingLines(working: BillWorkingFacts): Label[] {
  if (working.order)
    return (working.lines ?? []).map((line): Label => [
      `工单 ${working.order}：${line.name} ${yuanFromFen(line.amount)} 元`,
      `Work order ${working.order}: ${line.name} ${yuanFromFen(line.amount)} yuan`,
    ]);
  return (working.parts ?? [working]).flatMap((part): Label[] => [
    ...(part.expression ? [[`公式 ${part.expression}`, `Formula ${part.expression}`] as const] : []),
    ...(working.formula === 'built_area' && part.builtArea
      ? [[`建筑面积 ${part.builtArea / 100} m²`, `Built area ${part.builtArea / 100} m²`] as const]
      : []),
    ...(working.formula === 'inner_area' && part.innerArea
      ? [[`套内面积 ${part.innerArea / 100} m²`, `Inner area ${part.innerArea / 100} m²`] as const]
      : []),
    ...(part.readings ?? []).map((one): Label => {
      const said = `(${thousandth(one.this)} − ${thousandth(one.last)}) × ${one.multiplier} = ${thousandth(one.usage)}`;
      return [
        `${one.counter ? '冲正 ' : ''}表 ${one.number}，${one.from} 至 ${one.to}：${said}`,
        `${one.counter ? 'Counter-reading, ' : ''}meter ${one.number}, ${one.from} to ${one.to}: ${said}`,
      ];
    }),
    ...(part.tiers ?? []).map((tier): Label => [
      `用量超过 ${thousandth(tier.above)} 的部分每单位加 ${tier.more / 10_000} 元`,
      `Above ${thousandth(tier.above)} a unit costs ${tier.more / 10_000} yuan more`,
    ]),
    ...(part.spans ?? []).map((span): Label => [
      `${span.from} 至 ${span.to}：单价 ${span.price / 10_000} 元，${span.days}/${span.daysInPeriod} 天`,
      `${span.from} to ${span.to}: price ${span.price / 10_000} yuan, ${span.days} of ${span.daysInPeriod} days`,
    ]),
    ...(part.share === undefined
      ? []
      : [
          [
            `公摊合计 ${yuanFromFen(part.total!)} 元 × ${part.weight}/${part.weights} = ${yuanFromFen(part.share)} 元`,
            `Shared ${yuanFromFen(part.total!)} yuan × ${part.weight} of ${part.weights} = ${yuanFromFen(part.share)} yuan`,
          ] as const,
        ]),
  ]);
}
