import { expect, test } from 'vitest';
import { fill } from './label.ts';

test('a template takes values by name and the word that goes with a count', () => {
  const template = ['已选 {n} 项', '{n} {n|row is|rows are} chosen'] as const;
  expect(fill(template, { n: 1 })).toEqual(['已选 1 项', '1 row is chosen']);
  expect(fill(template, { n: 2 })).toEqual(['已选 2 项', '2 rows are chosen']);
  expect(fill(template, { n: 0 })[1]).toBe('0 rows are chosen');
  expect(fill(template, { n: '1,000' })[1]).toBe('1,000 rows are chosen');
});

test('what has no value stays as it is written', () => {
  expect(fill(['{a}{b}', '{a|x|y} {b}'], { b: 1 })).toEqual(['{a}1', '{a|x|y} 1']);
});
