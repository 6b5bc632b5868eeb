import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

/**
 * The lines permission management must show, by their number, each with the tests that prove it together. A line about
 * something that is not built yet is proven with something that is, and the title of the test says with what.
 */
const MUST_SHOW: Readonly<Record<number, readonly string[]>> = {
  1: ['staff/staff.test.ts'],
  2: ['permission-group/permission-group.test.ts'],
  3: ['permission-group/permission-group.test.ts'],
  4: ['permission-group/permission-group.test.ts'],
  5: ['permission-group/permission-group.test.ts'],
  6: ['permission-group/permission-group.test.ts'],
  7: ['overtime/overtime-approval.test.ts'],
  8: ['staff/staff.test.ts'],
  9: ['staff/staff-import.test.ts'],
  10: ['menu/menu.test.ts', '../../../e2e/admin-sys.test.ts'],
  // Enforcing from an uncovered address, and an account limited to a range.
  11: ['whitelist/whitelist-screen.test.ts', 'whitelist/whitelist-screen.test.ts'],
  12: ['whitelist/whitelist-screen.test.ts'],
  13: ['overtime/overtime.test.ts'],
  14: ['overtime/overtime.test.ts'],
  // Rows of others, and the permissions of a past date.
  15: ['staff/staff.test.ts', 'permission-group/effective.test.ts'],
};

/** What people get wrong, or try, with the number of tests that show it in each file. */
const BAD_INPUT: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'granting what one does not hold': {
    'permission-group/permission-group.test.ts': 1,
    'staff/staff-reach.test.ts': 1,
  },
  'cycles in departments': { 'department/department.test.ts': 2 },
  'cycles in menus': { 'menu/menu.test.ts': 1 },
  'cycles in groups': { 'permission-group/permission-tree.test.ts': 1 },
  'removing the last administrator': {
    'permission-group/permission-group.test.ts': 1,
    'permission-group/permission-tree.test.ts': 1,
    'staff/staff.test.ts': 1,
  },
  'disabling oneself': { 'staff/staff.test.ts': 1 },
  'deleting what is in use': {
    'department/department.test.ts': 1,
    'group-type/group-type.test.ts': 1,
    'menu/menu.test.ts': 2,
    'permission-group/permission-tree.test.ts': 1,
    'station/station.test.ts': 1,
  },
  'imports with duplicate accounts': { 'staff/staff-import.test.ts': 1 },
  'imports with unknown departments': { 'department/department.test.ts': 1 },
  'ranges that lock out the editor': { 'whitelist/whitelist-screen.test.ts': 2 },
  'expired memberships': { 'permission-group/permission-tree.test.ts': 1, 'staff/staff-views.test.ts': 1 },
};

const folder = import.meta.dirname;
const files = [
  ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }),
  '../../../e2e/admin-sys.test.ts',
].filter((file) => file.endsWith('.test.ts') && file !== path.basename(import.meta.filename));

/** Titles of tests and blocks that are written out and not skipped, by file. */
const titles = new Map(
  files.map((file) => [
    file,
    [
      ...fs
        .readFileSync(path.join(folder, file), 'utf8')
        .matchAll(/^ *(?:test|it|describe)(?:\.each\([^\n]*\))?\(\s*(['"`])(.*?)\1,/gm),
    ].map((match) => match[2]!),
  ]),
);

const findings = (pattern: RegExp) =>
  [...titles].flatMap(([file, all]) => all.filter((title) => pattern.test(title)).map(() => file)).sort();

test('every line 1 to 15 has its tests where the table says, and no test names another line', () => {
  expect(Object.keys(MUST_SHOW).map(Number)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
  for (const [line, where] of Object.entries(MUST_SHOW))
    expect([line, findings(new RegExp(`^Must show ${line}\\b`))]).toEqual([line, [...where].sort()]);
  const all = Object.values(MUST_SHOW).reduce((sum, where) => sum + where.length, 0);
  expect(findings(/Must show/)).toHaveLength(all);
});

test('every kind of bad input has its tests where the table says', () => {
  for (const [kind, where] of Object.entries(BAD_INPUT)) {
    const wanted = Object.entries(where).flatMap(([file, count]) =>
      Array.from({ length: count }, () => file),
    );
    expect([kind, findings(new RegExp(`Bad input, ${kind}\\b`))]).toEqual([kind, wanted.sort()]);
  }
  const all = Object.values(BAD_INPUT).flatMap((where) => Object.values(where));
  expect(findings(/Bad input/)).toHaveLength(all.reduce((sum, count) => sum + count, 0));
});
