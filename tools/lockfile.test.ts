import { expect, test } from 'vitest';
// @ts-expect-error a tool without types
import { lockProblems, satisfies } from './lockfile.mjs';

test.each([
  ['>=20.19.0', true],
  ['^18 || ^20.19.0 || >=22', true],
  ['20 || >=22', true],
  ['20.x', true],
  ['>= 10', true],
  ['>=14 <21', true],
  ['*', true],
  ['>=22', false],
  ['^20.20.0', false],
  ['~20.18', false],
  ['>=14 <20', false],
  ['>20', false],
  ['^22.13.0 || >=23.5.0', false],
])('Node 20.19.0 for %s: %s', (range, wanted) => {
  expect(satisfies('20.19.0', range)).toBe(wanted);
});

test('tells of a missing binary, one of another version and a package that wants a newer Node', () => {
  const packages = {
    '': {},
    'node_modules/a': { version: '1.0.0', optionalDependencies: { 'a-linux': '1.0.0', 'a-mac': '1.0.0' } },
    'node_modules/a-linux': { version: '1.0.0' },
    'node_modules/b/node_modules/a': { version: '2.0.0', optionalDependencies: { 'a-linux': '2.0.0' } },
    'node_modules/new': { version: '3.0.0', engines: { node: '>=22' } },
  };
  expect(lockProblems(packages, '20.19.0')).toEqual([
    'a lacks its optional a-mac',
    'a wants a-linux 2.0.0, the lock file has 1.0.0',
    'new 3.0.0 wants Node >=22, ours may be 20.19.0',
  ]);
  expect(
    lockProblems({ ...packages, 'node_modules/b/node_modules/a-linux': { version: '2.0.0' } }, '22.0.0'),
  ).toEqual(['a lacks its optional a-mac']);
});
