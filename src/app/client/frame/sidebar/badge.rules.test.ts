import { expect, it } from 'vitest';
import { badgeText } from './badge.rules.ts';

it('caps at 99', () => {
  expect([undefined, 0, 1, 99, 100, 105].map(badgeText)).toEqual([
    undefined,
    undefined,
    '1',
    '99',
    '99+',
    '99+',
  ]);
});
