import { expect, test } from 'vitest';
import { amountProblem } from './amount-problem.rules.ts';

test.each([
  [undefined, '10.00', undefined],
  ['', '10.00', undefined],
  ['10', '10.00', undefined],
  ['10.01', '10.00', '最多10.00元'],
  ['1', '0.00', '最多0.00元'],
  ['1.234', '10.00', '请输入金额，最多两位小数'],
  ['abc', undefined, '请输入金额，最多两位小数'],
  ['999', undefined, undefined],
])('%j of at most %j', (typed, most, problem) => {
  expect(amountProblem(typed, most)?.[0]).toBe(problem);
});
