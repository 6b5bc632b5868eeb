import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error a tool without types
import { RARE, stateOf } from './rare-tests.mjs';

test('each rare test exists and so does what it tries; its state changes with one of these files', () => {
  const rare = RARE as Record<string, readonly string[]>;
  expect(Object.keys(rare).length).toBeGreaterThan(4);
  for (const file of Object.keys(rare)) {
    expect([file, fs.existsSync(path.join(import.meta.dirname, '..', file))]).toEqual([file, true]);
    expect(stateOf(file)).toMatch(/^[0-9a-f]{64}$/);
    expect(stateOf(file)).toBe(stateOf(file));
  }
  expect(new Set(Object.keys(rare).map((file) => stateOf(file) as string)).size).toBe(
    Object.keys(rare).length,
  );
});
