import { expect, it } from 'vitest';
import { daysToWarn } from './password-days.rules.ts';

it('warns from seven days to one', () => {
  expect(['8', '7', '1', '0', '-3', '', 'x', undefined].map(daysToWarn)).toEqual([
    undefined,
    7,
    1,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
