import { describe, expect, test } from 'vitest';
import { allNodes, isBranching, type ProcessNode } from '../../../domain/approval/process.rules.ts';
import {
  addBranch,
  copyNode,
  insertNode,
  mayMove,
  MOST_STEPS,
  moveNode,
  newNode,
  redone,
  removeBranch,
  removeNode,
  stepBranch,
  stepNode,
  treeDifference,
  undone,
  withStep,
  type History,
} from './flow-edit.rules.ts';

const ask = (key: string, onRefuse = 'end') => ({
  ...(newNode([], 'approve', key, '') as Extract<ProcessNode, { mode: string }>),
  key,
  onRefuse,
});
const tree: readonly ProcessNode[] = [
  ask('a'),
  {
    key: 'by',
    type: 'exclusive',
    name: 'by',
    branches: [
      {
        key: 'l',
        name: 'l',
        condition: [[{ field: 'x', operator: 'gt', value: 1 }]],
        nodes: [ask('b'), ask('c', 'b')],
      },
      { key: 'r', name: 'r', otherwise: true, nodes: [] },
    ],
  },
  ask('d', 'a'),
];
/** The tree in letters: branches in brackets. */
const shape = (nodes: readonly ProcessNode[]): string =>
  nodes
    .map((node) =>
      isBranching(node)
        ? `${node.key}(${node.branches.map((branch) => shape(branch.nodes)).join('|')})`
        : node.key,
    )
    .join(' ');

describe('nodes', () => {
  test('move between lines and inside of one, never into themselves', () => {
    expect(shape(tree)).toBe('a by(b c|) d');
    expect(shape(moveNode(tree, 'a', { line: 'r', index: 0 }))).toBe('by(b c|a) d');
    expect(shape(moveNode(tree, 'a', { line: '', index: 3 }))).toBe('by(b c|) d a');
    expect(shape(moveNode(tree, 'd', { line: '', index: 0 }))).toBe('d a by(b c|)');
    expect(shape(moveNode(tree, 'by', { line: 'l', index: 1 }))).toBe(shape(tree));
    expect([
      mayMove(tree, 'a', { line: '', index: 1 }),
      mayMove(tree, 'by', { line: 'r', index: 0 }),
    ]).toEqual([false, false]);
    expect([
      shape(stepNode(tree, 'c', -1)),
      shape(stepNode(tree, 'c', 1)),
      shape(stepNode(tree, 'a', 1)),
    ]).toEqual(['a by(c b|) d', 'a by(b c|) d', 'by(b c|) a d']);
  });

  test('are added, copied with keys of their own, and removed with what goes back to them', () => {
    const added = insertNode(tree, { line: 'r', index: 0 }, newNode(tree, 'copy', '抄送', ''));
    expect(shape(added)).toBe('a by(b c|copy1) d');
    const copied = copyNode(tree, 'by', '（副本）');
    expect(shape(copied)).toBe('a by(b c|) by_2(b_2 c_2|) d');
    const keys = allNodes(copied).map((node) => node.key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(allNodes(copied).find((node) => node.key === 'c_2')).toMatchObject({ onRefuse: 'b_2' });
    const gone = removeNode(tree, 'a');
    expect([shape(gone), allNodes(gone).find((node) => node.key === 'd')]).toEqual([
      'by(b c|) d',
      expect.objectContaining({ onRefuse: 'end' }),
    ]);
  });

  test('have branches that come and go and change places before the default one', () => {
    const three = addBranch(tree, 'by', '新');
    const branches = (nodes: readonly ProcessNode[]) => {
      const node = nodes.find((one) => one.key === 'by')!;
      return isBranching(node) ? node.branches.map((branch) => branch.name) : [];
    };
    expect(branches(three)).toEqual(['l', '新', 'r']);
    expect(branches(stepBranch(three, 'by', 'l', 1))).toEqual(['新', 'l', 'r']);
    expect(branches(stepBranch(tree, 'by', 'l', 1))).toEqual(['l', 'r']);
    expect(branches(removeBranch(three, 'by', 'l'))).toEqual(['新', 'r']);
  });
});

test('fifty steps are taken back and done again', () => {
  let history: History<number> = { past: [], now: 0, future: [] };
  for (let n = 1; n <= 60; n++) history = withStep(history, n);
  expect([history.past.length, MOST_STEPS]).toEqual([50, 50]);
  for (let n = 0; n < 55; n++) history = undone(history);
  expect([history.now, history.future.length]).toEqual([10, 50]);
  history = redone(history);
  expect(history.now).toBe(11);
  expect(withStep(history, 99).future).toEqual([]);
  expect(withStep(history, history.now)).toBe(history);
});

test('two versions differ by nodes that are new, gone, changed or moved', () => {
  const next = moveNode(insertNode(removeNode(tree, 'b'), { line: '', index: 0 }, ask('n')), 'd', {
    line: '',
    index: 1,
  }).map((node) => (node.key === 'a' ? { ...node, name: '改名' } : node));
  expect(Object.fromEntries(treeDifference(tree, next))).toEqual({
    n: 'added',
    d: 'moved',
    a: 'changed',
    by: 'moved',
    c: 'changed',
    b: 'removed',
  });
  expect([...treeDifference(tree, tree).values()].every((one) => one === 'same')).toBe(true);
});
