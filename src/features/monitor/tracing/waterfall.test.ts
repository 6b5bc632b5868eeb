import { expect, test } from 'vitest';
import type { TraceSpan } from './tracing.contract.ts';
import { LOOP_HINT, selfTime, waterfall } from './waterfall.rules.ts';

const span = (id: string, parentId: string | null, startedAt: number, ms: number, name = id): TraceSpan => ({
  id,
  parentId,
  service: 'backoffice-web',
  peer: '',
  name,
  kind: 'CLIENT',
  startedAt,
  durationUs: ms * 1_000,
  failed: false,
  status: 0,
  tags: {},
});

test('Must show 12 (waterfall): 37 equal statements below a call are one line ×37, past the limit of a loop', () => {
  const lines = waterfall([
    span('root', null, 0, 100),
    ...Array.from({ length: 37 }, (_unused, index) => span(`s${index}`, 'root', index * 2, 2, 'SELECT 1')),
    span('other', 'root', 80, 10),
  ]);
  expect(lines.map((line) => [line.span.name, line.times, line.depth])).toEqual([
    ['root', 1, 0],
    ['SELECT 1', 37, 1],
    ['other', 1, 1],
  ]);
  expect(lines[1]!.times).toBeGreaterThanOrEqual(LOOP_HINT);
  expect(lines[1]!.totalUs).toBe(74_000);
});

test('own time leaves out children once, the longest way is marked, rings and orphans are drawn', () => {
  const root = span('root', null, 0, 100);
  const inner = [span('a', 'root', 10, 40), span('b', 'root', 30, 40)];
  expect(selfTime(root, inner)).toBe(40_000);
  const lines = waterfall([root, ...inner, span('c', 'b', 35, 20), span('orphan', 'gone', 5, 1)]);
  expect(lines.filter((line) => line.critical).map((line) => line.span.id)).toEqual(['root', 'a']);
  expect(lines.map((line) => line.span.id).sort()).toEqual(['a', 'b', 'c', 'orphan', 'root']);
  expect(waterfall([root, ...inner, span('c', 'b', 35, 20)], new Set(['b']))).toHaveLength(3);
});
