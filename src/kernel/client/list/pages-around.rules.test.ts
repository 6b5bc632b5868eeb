import { expect, it } from 'vitest';
import { pagesAround } from './pages-around.rules.ts';

it('shows first, last and the neighbours', () => {
  expect(pagesAround(1, 1)).toEqual([1]);
  expect(pagesAround(1, 5)).toEqual([1, 2, null, 5]);
  expect(pagesAround(3, 5)).toEqual([1, 2, 3, 4, 5]);
  expect(pagesAround(50, 100)).toEqual([1, null, 49, 50, 51, null, 100]);
});
