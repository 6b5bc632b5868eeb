import { expect, test } from 'vitest';
import { bucketsOf, bucketTitle, OPEN_END } from './ageing.rules.ts';

test('buckets are the bounds of the setting in order, with an open one behind them', () => {
  expect(bucketsOf(['60', '5', 15, 'x', 5, -1])).toEqual([5, 15, 60, OPEN_END]);
  const short = bucketsOf([5, 15, 30, 60, 120]);
  expect(short.map((_, index) => bucketTitle(short, index)[0])).toEqual([
    '≤5分',
    '5分–15分',
    '15分–30分',
    '30分–1小时',
    '1小时–2小时',
    '>2小时',
  ]);
  const long = bucketsOf([240, 1_440, 4_320, 10_080]);
  expect(long.map((_, index) => bucketTitle(long, index)[1])).toEqual([
    '≤4 h',
    '4 h–1 d',
    '1 d–3 d',
    '3 d–7 d',
    '>7 d',
  ]);
});
