import type { ChartPoint } from '../../../kernel/contract/report.ts';
import { addDays } from '../../../kernel/contract/time.rules.ts';

/** What was sold and refunded; amounts in fen. */
export interface Sums {
  readonly qty: number;
  readonly goods: number;
  readonly paid: number;
  readonly returned: number;
  readonly refund: number;
}

/** Nothing sold, nothing refunded. */
export const NO_SUMS: Sums = { qty: 0, goods: 0, paid: 0, returned: 0, refund: 0 };

/** One class of the tree. */
export interface ClassNode {
  readonly id: number;
  readonly name: string;
  readonly parentId: number | null;
}

/** Key of what has no class. */
export const NO_CLASS = 0;

/** Adds up. */
export function addSums(one: Sums, other: Sums): Sums {
  return {
    qty: one.qty + other.qty,
    goods: one.goods + other.goods,
    paid: one.paid + other.paid,
    returned: one.returned + other.returned,
    refund: one.refund + other.refund,
  };
}

/** A point of a chart: money in yuan, pieces as they are. */
export function pointOf(key: string, label: string, sums: Sums): ChartPoint {
  return {
    key,
    label,
    values: {
      qty: sums.qty,
      paid: sums.paid / 100,
      refund: sums.refund / 100,
      net: (sums.paid - sums.refund) / 100,
    },
  };
}

/**
 * The class a product counts under in the ring: below the chosen class its child on the way to `classId`, without a
 * choice the class of the first level. So a click on a slice always shows exactly that slice, one level deeper.
 */
export function sliceOf(
  classId: number | null,
  chosen: number | undefined,
  tree: ReadonlyMap<number, ClassNode>,
): number {
  if (classId === null || !tree.has(classId)) return NO_CLASS;
  let at = classId;
  for (const seen = new Set<number>(); !seen.has(at);) {
    seen.add(at);
    const parent = tree.get(at)!.parentId;
    if (parent === null || parent === chosen || at === chosen || !tree.has(parent)) return at;
    at = parent;
  }
  return at;
}

/** The chosen class with everything below it. */
export function classesBelow(chosen: readonly number[], tree: ReadonlyMap<number, ClassNode>): number[] {
  const all = new Set(chosen);
  for (let size = -1; size !== all.size;) {
    size = all.size;
    for (const node of tree.values()) if (node.parentId !== null && all.has(node.parentId)) all.add(node.id);
  }
  return [...all];
}

/** Business days from one to another, both included. */
export function daysOf(from: string, to: string): string[] {
  const days: string[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** Amount (fen) ÷ count, rounded half up; null without a divisor. Source: group 18, 客单价. */
export function averageOf(amount: number, count: number): number | null {
  return count === 0 ? null : Math.round(amount / count);
}
