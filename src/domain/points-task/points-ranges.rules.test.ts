import { expect, test } from 'vitest';
import { FIRST_RANGES, gapsOf, rangesProblem } from './points-ranges.rules.ts';

const ranges = (...rows: readonly (readonly [number, number])[]) =>
  rows.map(([start, end]) => ({ start, end }));

test('group 01 Must show 11: 0–99 and 50–200 overlap at row 2', () => {
  expect(rangesProblem(ranges([0, 99], [50, 200]))).toEqual(['第 2 行区间重叠', expect.any(String)]);
});

test('the first ranges stand, gaps are told, everything else is named with its row', () => {
  expect(rangesProblem(FIRST_RANGES)).toBeUndefined();
  expect(rangesProblem(ranges([0, 99], [200, 300]))).toBeUndefined();
  expect(gapsOf(ranges([0, 99], [200, 300], [301, -1]))).toEqual([2]);
  expect(rangesProblem(ranges([0, -1], [5, 9]))![0]).toBe('第 1 行只有最后一行可以不封顶');
  expect(rangesProblem(ranges([9, 9]))![0]).toBe('第 1 行开始须小于结束');
  expect(rangesProblem(ranges([0, 1.5]))![0]).toBe('第 1 行须为0以上的整数');
  expect(rangesProblem(Array.from({ length: 11 }, (_, n) => ({ start: n * 10, end: n * 10 + 5 })))![0]).toBe(
    '最多10行',
  );
  expect(rangesProblem('x')![0]).toBe('至少填写一行');
});
