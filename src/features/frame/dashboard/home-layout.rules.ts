import type { Label } from '../../../kernel/contract/label.ts';

/** Kind of business of a figure or chart. */
export type HomeSet = 'trade' | 'finance' | 'property' | 'system';

/** What the staff chose: blocks in order and those that are not shown. */
export interface HomeLayout {
  readonly order: readonly string[];
  readonly hidden: readonly string[];
}

/** A block that can be shown. */
export interface HomeBlock {
  readonly key: string;
  readonly title: Label;
  /** Takes the whole width. */
  readonly wide?: boolean;
}

/** Figures shown before `全部 / All` is chosen. */
export const FIGURES_AT_FIRST = 8;

/** Blocks every staff has, in the default order; charts follow. */
export const fixedBlocks: readonly HomeBlock[] = [
  { key: 'figures', title: ['指标', 'Figures'], wide: true },
  { key: 'todo', title: ['待办', 'To-do'] },
  { key: 'shortcuts', title: ['快捷入口', 'Shortcuts'] },
];

/**
 * Which kind of business comes first: trade for a merchant, finance for who holds its menus, property for a company or
 * centre city, trade, property and system for the platform. Source: 00-frame, home, default layout.
 */
export function setOrder(tenantType: number, holdsFinance: boolean): readonly HomeSet[] {
  const rest: readonly HomeSet[] =
    tenantType === 1 || tenantType === 4
      ? ['property', 'trade', 'finance', 'system']
      : ['trade', 'property', 'system', 'finance'];
  return holdsFinance && tenantType !== 2 ? ['finance', ...rest.filter((one) => one !== 'finance')] : rest;
}

/** Things of several sets in the order of the sets; inside a set as they came. */
export function bySet<T extends { readonly set: HomeSet }>(
  things: readonly T[],
  sets: readonly HomeSet[],
): T[] {
  return [...things].sort((a, b) => sets.indexOf(a.set) - sets.indexOf(b.set));
}

/** All blocks in the chosen order: unknown keys are dropped, blocks that came later stand at their default place. */
export function orderedBlocks(blocks: readonly HomeBlock[], layout: HomeLayout | undefined): HomeBlock[] {
  const order = layout?.order ?? [];
  const known = order.flatMap((key) => blocks.find((block) => block.key === key) ?? []);
  const result = [...known];
  for (const [index, block] of blocks.entries()) {
    if (known.includes(block)) continue;
    const before = blocks.slice(0, index).findLast((one) => result.includes(one));
    result.splice(before ? result.indexOf(before) + 1 : 0, 0, block);
  }
  return result;
}

/** The layout with a block moved to the place of another one. */
export function moveBlock(
  blocks: readonly HomeBlock[],
  layout: HomeLayout | undefined,
  from: number,
  to: number,
): HomeLayout {
  const order = blocks.map((block) => block.key);
  if (to >= 0 && to < order.length) order.splice(to, 0, ...order.splice(from, 1));
  return { order, hidden: layout?.hidden ?? [] };
}

/** The layout with a block shown or hidden. */
export function showBlock(
  blocks: readonly HomeBlock[],
  layout: HomeLayout | undefined,
  key: string,
  on: boolean,
): HomeLayout {
  const hidden = (layout?.hidden ?? []).filter((one) => one !== key);
  return { order: blocks.map((block) => block.key), hidden: on ? hidden : [...hidden, key] };
}
