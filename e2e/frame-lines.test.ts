import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { LANGUAGES, MUST_SHOW, WALKED } from './frame-lines.ts';

test('each of the lines 1 to 30 of the frame has a journey in the file the table names, and no file has others', () => {
  expect(Object.keys(MUST_SHOW).map(Number)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
  const files = fs
    .readdirSync(import.meta.dirname)
    .filter((name) => /^frame.*\.test\.ts$/.test(name))
    .map((name) => name.replace('.test.ts', ''));
  const held = new Map(
    files.map((file) => {
      const source = fs.readFileSync(path.join(import.meta.dirname, `${file}.test.ts`), 'utf8');
      return [file, new Set([...source.matchAll(/mustShow\(\s*(\d+),/g)].map((match) => Number(match[1])))];
    }),
  );
  for (const [file, lines] of held)
    expect([file, [...lines].sort((a, b) => a - b)]).toEqual([
      file,
      Object.entries(MUST_SHOW).flatMap(([line, [where]]) => (where === file ? [Number(line)] : [])),
    ]);
  expect([...held.values()].reduce((sum, lines) => sum + lines.size, 0)).toBe(30);
});

test('the walk over all routes shows its part of the lines, in each language', () => {
  const source = (name: string) => fs.readFileSync(path.join(import.meta.dirname, name), 'utf8');
  for (const line of Object.keys(WALKED)) {
    expect(Object.keys(MUST_SHOW)).toContain(line);
    expect(source('walk.ts')).toMatch(new RegExp(`test\\([^,]*WALKED\\[${line}\\]`));
  }
  for (const language of LANGUAGES)
    expect(source(`frame-walk-${language}.test.ts`)).toContain(`declareWalk('${language}')`);
});
