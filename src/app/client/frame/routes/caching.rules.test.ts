import { expect, test } from 'vitest';
import { isUncached } from './caching.rules.ts';

const menu = (code: string, noCache: boolean, subCache = false, modeOf: string | null = null) => ({
  code,
  noCache,
  subCache,
  modeOf,
});
const LIST = { pattern: '/g/list', menu: 'list' };
const DETAIL = { pattern: '/g/listDetail/:id', menu: 'listDetail' };

test.each([
  ['a cached list', '/g/list', LIST, [menu('list', false)], false],
  ['a list marked noCache', '/g/list', LIST, [menu('list', true)], true],
  ['and its forms', '/g/list/edit/7', LIST, [menu('list', true)], true],
  ['its forms where it is marked subCache', '/g/list/edit/7', LIST, [menu('list', true, true)], false],
  ['the list itself then', '/g/list', LIST, [menu('list', true, true)], true],
  ['a detail marked noCache', '/g/listDetail/7', DETAIL, [menu('listDetail', true, false, 'list')], true],
  [
    'a detail of a list marked subCache',
    '/g/listDetail/7',
    DETAIL,
    [menu('listDetail', true, false, 'list'), menu('list', false, true)],
    false,
  ],
  ['the injected reports', '/operReport/operDetail', undefined, [], true],
] as const)('%s', (_name, path, route, held, uncached) => {
  expect(isUncached(path, route, held)).toBe(uncached);
});
