import { expect, it } from 'vitest';
import { greeting } from './greeting.rules.ts';

it('follows the hour', () => {
  expect([5, 11, 12, 17, 18, 23, 4].map((hour) => greeting(hour)[0])).toEqual([
    '上午好',
    '上午好',
    '下午好',
    '下午好',
    '晚上好',
    '晚上好',
    '晚上好',
  ]);
});
