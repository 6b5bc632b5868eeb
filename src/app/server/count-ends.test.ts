import { expect, test } from 'vitest';
import { countEnds } from './count-ends.ts';

test('the fifth end within a minute is one too many; the first start again does not wait', () => {
  let now = 0;
  const ends = countEnds(() => now);
  const advice = [0, 1_000, 2_000, 3_000, 59_999].map((time) => {
    now = time;
    return ends.note();
  });
  expect(advice.map((one) => one.tooOften)).toEqual([false, false, false, false, true]);
  expect(advice.map((one) => one.pause)).toEqual([0, 200, 400, 600, 800]);
});

test('ends spread over more than a minute never add up', () => {
  let now = 0;
  const ends = countEnds(() => now);
  for (let end = 0; end < 100; end += 1) {
    expect(ends.note().tooOften).toBe(false);
    now += 15_001;
  }
});
