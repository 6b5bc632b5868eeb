import { expect, test } from 'vitest';
import { compareTraces } from './compare.rules.ts';
import type { TraceSpan } from './tracing.contract.ts';

const span = (name: string, ms: number): TraceSpan => ({
  id: name,
  parentId: null,
  service: 'backoffice-web',
  peer: '',
  name,
  kind: 'CLIENT',
  startedAt: 0,
  durationUs: ms * 1_000,
  failed: false,
  status: 0,
  tags: {},
});

test('two traces stand side by side by span name, what differs most first; what one lacks counts as none', () => {
  expect(
    compareTraces(
      [span('GET /api/x', 100), span('SELECT 1', 5), span('SELECT 1', 5)],
      [span('GET /api/x', 160), span('SELECT 1', 9), span('cache', 20)],
    ),
  ).toEqual([
    { name: 'GET /api/x', left: { count: 1, us: 100_000 }, right: { count: 1, us: 160_000 } },
    { name: 'cache', left: { count: 0, us: 0 }, right: { count: 1, us: 20_000 } },
    { name: 'SELECT 1', left: { count: 2, us: 10_000 }, right: { count: 1, us: 9_000 } },
  ]);
});
