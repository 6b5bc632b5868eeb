import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MUST_SHOW, type Proof } from './must-show-lines.ts';

const root = path.join(import.meta.dirname, '..', '..', '..');
const sources = new Map<string, string>();
const sourceOf = (file: string) => {
  if (!sources.has(file)) sources.set(file, fs.readFileSync(path.join(root, file), 'utf8'));
  return sources.get(file)!;
};
/** True when the file has a test of this name: called by it, or in the table of a file of lines. */
const exists = ([file, name]: Proof) => {
  const quoted = [`'${name}'`, `"${name}"`];
  const opens = file.endsWith('.test.ts') ? ['test(', 'it('] : [', '];
  return opens.some((open) =>
    quoted.some(
      (text) => sourceOf(file).includes(`${open}${text}`) || sourceOf(file).includes(`${open}\n    ${text}`),
    ),
  );
};
const lines = Object.entries(MUST_SHOW).flatMap(([group, all]) =>
  Object.entries(all).map(([line, shown]) => ({ group, line: Number(line), ...shown })),
);

test('every line of 08 and 21 is in the table, with the tests that show it or what is not built', () => {
  for (const group of ['08', '21'] as const)
    expect(Object.keys(MUST_SHOW[group]).map(Number)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1));
  for (const { group, line, tests, missing } of lines)
    expect([group, line, tests.length > 0 || Boolean(missing)]).toEqual([group, line, true]);
});

test('every named test exists in its file', () => {
  for (const { group, line, tests } of lines)
    for (const proof of tests)
      expect([group, line, proof, exists(proof)]).toEqual([group, line, proof, true]);
});

test('every test that says it shows a line stands in the table at that line', () => {
  const files = new Set(lines.flatMap((one) => one.tests.map(([file]) => file)));
  const folders = ['src/features/mall', 'src/features/after-sales', 'src/domain', 'e2e'];
  for (const folder of folders)
    for (const name of fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }))
      if (name.endsWith('.test.ts') && name !== 'must-show-lines.test.ts')
        files.add(path.posix.join(folder, name.split(path.sep).join('/')));
  const said = new Set<string>();
  for (const file of files)
    for (const [, group, line] of sourceOf(file).matchAll(/group (07|08|21) Must show (\d+)/g))
      said.add(`${group} ${Number(line)} ${file}`);
  const named = new Set(
    lines.flatMap(({ group, line, tests }) => tests.map(([file]) => `${group} ${line} ${file}`)),
  );
  expect([...said].filter((one) => !named.has(one))).toEqual([]);
});
