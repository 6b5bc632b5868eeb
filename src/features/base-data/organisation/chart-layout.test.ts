import { expect, test } from 'vitest';
import { chartLayout } from './chart-layout.rules.ts';

const nodes = [
  { id: 'a', parentId: null },
  { id: 'b', parentId: 'a' },
  { id: 'c', parentId: 'a' },
  { id: 'd', parentId: 'b' },
  { id: 'x', parentId: 'unseen' },
];

test('boxes stand beside the middle of those below, folded ones hide theirs, what hangs below the unseen is a root', () => {
  const { boxes, lines, height } = chartLayout(nodes, new Set());
  const at = (id: string) => boxes.find((box) => box.node.id === id)!;
  expect(at('a').y).toBe((at('b').y + at('c').y) / 2);
  expect([at('a').x, at('x').x]).toEqual([8, 8]);
  expect(at('d').x).toBeGreaterThan(at('b').x);
  expect(lines.map((line) => line.key).sort()).toEqual(['b', 'c', 'd']);
  expect(Math.max(...boxes.map((box) => box.y + 56))).toBe(height - 8);
  const folded = chartLayout(nodes, new Set(['a']));
  expect(folded.boxes.map((box) => [box.node.id, box.folded, box.hasBelow])).toEqual([
    ['a', true, true],
    ['x', false, false],
  ]);
});
