import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Proof } from '../testing/must-show.ts';
import { mustShows } from './registry/must-shows.gen.ts';

/*
 * Every line a group must show has tests that exist, and every test that says it shows a line stands in the group's table.
 */

const root = path.join(import.meta.dirname, '..', '..');
const features = fs.readdirSync(path.join(root, 'src', 'features'));
const sources = new Map<string, string>();
const sourceOf = (file: string) => {
  if (!sources.has(file)) {
    const full = path.join(root, file);
    sources.set(file, fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : '');
  }
  return sources.get(file)!;
};

/** True when the file has a test of this name: called by it, or in the table of a file of lines. */
function exists([file, name]: Proof): boolean {
  const source = sourceOf(file);
  const opens = !file.endsWith('.test.ts')
    ? [', ']
    : ['test(', 'it(', 'describe(', ...(source.includes('.each(') ? [')('] : [])];
  return opens.some((open) =>
    [`'${name}'`, `"${name}"`, `\`${name}\``].some((text) =>
      ['', '\n  ', '\n    ', '\n      '].some((gap) =>
        source.includes(`${open.trimEnd()}${gap || open.slice(open.trimEnd().length)}${text}`),
      ),
    ),
  );
}

/** The folder of a group by its number. */
const folderOf = new Map(
  features.flatMap((folder) => {
    const file = sourceOf(`src/features/${folder}/must-show.ts`);
    const group = /^ {2}group: '(\d+)'/m.exec(file)?.[1];
    return group ? [[folder, group] as const] : [];
  }),
);

/** Titles of tests and blocks that are written out and not skipped, with the group their file belongs to. */
const titles = ['src', 'e2e']
  .flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, name.split(path.sep).join('/'))),
  )
  .filter((file) => /\.test\.tsx?$|-lines\.ts$/.test(file) && file !== 'src/app/must-show.test.ts')
  .flatMap((file) => {
    const folder = /^src\/features\/([^/]+)\//.exec(file)?.[1] ?? /^e2e\/([^/]+)\.test\.ts$/.exec(file)?.[1];
    const own = folder === undefined ? undefined : folderOf.get(folder);
    return [
      ...sourceOf(file).matchAll(/(['"`])((?:group \d\d )?(?:Must show \d+|[^'"`\n]*Bad input, ).*?)\1,/g),
    ].map((match) => ({
      file,
      own,
      title: match[2]!,
    }));
  });

test('there is one table for each group, every line of it has tests or says what is not built', () => {
  expect(mustShows.length).toBeGreaterThanOrEqual(4);
  expect(new Set(mustShows.map((one) => one.group)).size).toBe(mustShows.length);
  for (const { group, lines, partly, count = 15 } of mustShows) {
    const numbers = Object.keys(lines).map(Number);
    if (!partly)
      expect([group, numbers]).toEqual([group, Array.from({ length: count }, (_, index) => index + 1)]);
    for (const [line, { tests, missing }] of Object.entries(lines))
      expect([group, line, tests.length > 0 || Boolean(missing)]).toEqual([group, line, true]);
  }
});

test('every named test exists in its file', () => {
  for (const { group, lines, badInput = {} } of mustShows) {
    const proofs = [
      ...Object.entries(lines).flatMap(([line, { tests }]) => tests.map((proof) => [line, proof] as const)),
      ...Object.entries(badInput).flatMap(([kind, tests]) => tests.map((proof) => [kind, proof] as const)),
    ];
    for (const [line, proof] of proofs)
      expect([group, line, proof, exists(proof)]).toEqual([group, line, proof, true]);
    for (const [kind, tests] of Object.entries(badInput))
      expect([kind, tests.length > 0]).toEqual([kind, true]);
  }
});

test('every test that says it shows a line or a bad input stands in the table there', () => {
  let said = 0;
  for (const { file, own, title } of titles) {
    const [, named, line] = /^(?:group (\d\d) )?Must show (\d+)/.exec(title) ?? [];
    // Titles of shared rules name their group only where it is one of the tables.
    if (named === undefined && own === undefined) continue;
    const table = mustShows.find((one) => one.group === (named ?? own));
    expect([file, title, table !== undefined]).toEqual([file, title, true]);
    const proofs =
      line === undefined
        ? Object.values(table!.badInput ?? {}).flat()
        : (table!.lines[Number(line)]?.tests ?? []);
    expect([file, title, proofs.some(([one]) => one === file)]).toEqual([file, title, true]);
    if (line === undefined || named === undefined)
      expect([file, title, proofs.some(([, name]) => name === title)]).toEqual([file, title, true]);
    said++;
  }
  expect(said).toBeGreaterThan(40);
});
