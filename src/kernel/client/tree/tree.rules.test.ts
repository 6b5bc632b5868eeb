import { describe, expect, it } from 'vitest';
import { chosenOf, filterOf } from './chosen.rules.ts';
import { foundTree, keyMove, placeOf, shownNodes, TOP, type TreeNode } from './tree.rules.ts';

const node = (id: string, parentId: string | null, children = 0): TreeNode => ({
  id,
  title: id.toUpperCase(),
  parentId,
  children,
  depth: 1,
  row: { id, version: 1, actions: [] },
});
const all = [node('a', null, 2), node('b', null), node('a1', 'a', 1), node('a2', 'a'), node('x', 'a1')];
const childrenOf = (id: string | null) =>
  id === 'a1' ? undefined : all.filter((one) => one.parentId === id);
const shown = shownNodes(childrenOf, new Set(['a', 'a1']));
const key = (name: string, at: string, typed = '') =>
  keyMove({ key: name, shiftKey: false }, shown, at, typed);

describe('nodes in sight', () => {
  it('stand below each other with their level; what is not known yet loads', () => {
    expect(
      shown.map((one) => [one.node.id, one.level, one.position, one.of, one.expanded, one.loading]),
    ).toEqual([
      ['a', 1, 1, 2, true, false],
      ['a1', 2, 1, 2, true, true],
      ['a2', 2, 2, 2, undefined, false],
      ['b', 1, 2, 2, undefined, false],
    ]);
  });

  it('of a search are open as far as they were found, also below what is not in reach', () => {
    const found = foundTree([all[0]!, all[3]!, node('z', 'foreign')]);
    const ids = shownNodes(found.childrenOf, found.expanded).map((one) => [one.node.id, one.expanded]);
    expect(ids).toEqual([
      ['a', true],
      ['a2', undefined],
      ['z', undefined],
    ]);
  });

  it('do not run in circles', () => {
    const circle = [node('p', null, 1), node('q', 'p', 1), node('p', 'q', 1)];
    const of = (id: string | null) => circle.filter((one) => one.parentId === id);
    expect(shownNodes(of, new Set(['p', 'q']))).toHaveLength(2);
  });
});

describe('keys', () => {
  it('follow the tree pattern', () => {
    expect(key('ArrowDown', TOP)).toEqual({ kind: 'focus', id: 'a' });
    expect(key('ArrowUp', 'a')).toEqual({ kind: 'focus', id: TOP });
    expect(key('ArrowRight', 'a')).toEqual({ kind: 'focus', id: 'a1' });
    expect(key('ArrowLeft', 'a')).toEqual({ kind: 'collapse', id: 'a' });
    expect(key('ArrowLeft', 'a2')).toEqual({ kind: 'focus', id: 'a' });
    expect(key('ArrowLeft', 'b')).toEqual({ kind: 'focus', id: TOP });
    expect(key('ArrowRight', 'a2')).toBeUndefined();
    expect(key('ArrowDown', 'b')).toBeUndefined();
    expect(key('End', 'a')).toEqual({ kind: 'focus', id: 'b' });
    expect(key('Enter', 'a2')).toEqual({ kind: 'choose', id: 'a2' });
  });

  it('find what begins with what is typed', () => {
    expect(key('a', 'a')).toEqual({ kind: 'focus', id: 'a1' });
    expect(key('2', 'a1', 'a')).toEqual({ kind: 'focus', id: 'a2' });
    expect(key('q', 'a')).toBeUndefined();
  });
});

describe('a dropped node', () => {
  it('goes into, in front of or behind another', () => {
    expect(placeOf(shown, 'b', 'a2', 'inside')).toEqual({ parent: 'a2', before: null });
    expect(placeOf(shown, 'b', 'a2', 'before')).toEqual({ parent: 'a', before: 'a2' });
    expect(placeOf(shown, 'b', 'a2', 'after')).toEqual({ parent: 'a', before: null });
    expect(placeOf(shown, 'a2', 'a', 'before')).toEqual({ parent: null, before: 'a' });
    expect(placeOf(shown, 'b', TOP, 'inside')).toEqual({ parent: null, before: null });
  });

  it('below an open node stands first in it', () => {
    expect(placeOf(shown, 'b', 'a', 'after')).toEqual({ parent: 'a', before: 'a1' });
  });

  it('never goes below itself nor where it is', () => {
    expect(placeOf(shown, 'a', 'a2', 'inside')).toBeUndefined();
    expect(placeOf(shown, 'a', 'a', 'inside')).toBeUndefined();
    expect(placeOf(shown, 'a1', 'a2', 'before')).toBeUndefined();
  });
});

it('the chosen node is a filter of the list', () => {
  expect(chosenOf('7')).toEqual({ id: '7', below: false });
  expect(chosenOf('below:7')).toEqual({ id: '7', below: true });
  expect(chosenOf(undefined)).toEqual({ id: undefined, below: false });
  expect(filterOf('7', true)).toBe('below:7');
  expect(filterOf(undefined, true)).toBe('');
});
