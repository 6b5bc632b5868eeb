import { expect, it } from 'vitest';
import { showsOwnOrder } from './row-order.rules.ts';

const list = {
  columns: [],
  sort: 'position',
  tabs: [
    { key: 'all', label: ['全部', 'All'] },
    { key: 'open', label: ['开', 'Open'], filter: { open: 'true' } },
  ],
} as const;
const state = { filters: {}, keyword: '', sort: 'position', tab: 'all' };

it('rows can be put in order only where all neighbours are in sight', () => {
  const plain = { list, orderable: { field: 'position' } };
  expect(showsOwnOrder(plain, state)).toBe(true);
  expect(showsOwnOrder({ list }, state)).toBe(false);
  expect(showsOwnOrder(plain, { ...state, sort: '-position' })).toBe(false);
  expect(showsOwnOrder(plain, { ...state, keyword: 'x' })).toBe(false);
  expect(showsOwnOrder(plain, { ...state, tab: 'open' })).toBe(false);
  expect(showsOwnOrder(plain, { ...state, filters: { level: 'a' } })).toBe(false);
});

it('rows of one value are ordered among themselves', () => {
  const within = { list, orderable: { field: 'position', within: 'parent' } };
  expect(showsOwnOrder(within, state)).toBe(false);
  expect(showsOwnOrder(within, { ...state, filters: { parent: '7' } })).toBe(true);
  expect(showsOwnOrder(within, { ...state, filters: { parent: 'below:7' } })).toBe(false);
  expect(showsOwnOrder(within, { ...state, filters: { parent: '7,8' } })).toBe(false);
  expect(showsOwnOrder(within, { ...state, filters: { parent: '7', level: 'a' } })).toBe(false);
});
