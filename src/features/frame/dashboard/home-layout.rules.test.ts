import { expect, it } from 'vitest';
import { bySet, fixedBlocks, moveBlock, orderedBlocks, setOrder, showBlock } from './home-layout.rules.ts';

const blocks = [...fixedBlocks, { key: 'chart.a', title: ['甲', 'A'] as const }];
const keys = (list: readonly { key: string }[]) => list.map((one) => one.key).join(' ');

it('puts the set of the tenant first', () => {
  expect(setOrder(2, true)[0]).toBe('trade');
  expect(setOrder(1, false)[0]).toBe('property');
  expect(setOrder(4, true)[0]).toBe('finance');
  expect(setOrder(3, false)).toEqual(['trade', 'property', 'system', 'finance']);
  const things = [{ set: 'system' as const }, { set: 'trade' as const }];
  expect(bySet(things, setOrder(3, false)).map((one) => one.set)).toEqual(['trade', 'system']);
});

it('keeps the chosen order, drops what is gone and gives new blocks their default place', () => {
  expect(keys(orderedBlocks(blocks, undefined))).toBe('figures todo shortcuts chart.a');
  const layout = { order: ['shortcuts', 'gone', 'figures'], hidden: [] };
  expect(keys(orderedBlocks(blocks, layout))).toBe('shortcuts chart.a figures todo');
});

it('moves and hides', () => {
  const moved = moveBlock(blocks, undefined, 0, 1);
  expect(moved.order.join(' ')).toBe('todo figures shortcuts chart.a');
  expect(moveBlock(blocks, undefined, 0, -1).order.join(' ')).toBe('figures todo shortcuts chart.a');
  expect(showBlock(blocks, moved, 'todo', false).hidden).toEqual(['todo']);
  expect(showBlock(blocks, { order: [], hidden: ['todo'] }, 'todo', true).hidden).toEqual([]);
});
