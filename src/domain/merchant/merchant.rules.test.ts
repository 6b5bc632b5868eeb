import { expect, test } from 'vitest';
import { bandProblem, checklistProblem, isCreditCode, netOf, postageOf } from './merchant.rules.ts';

test('bands follow each other from 0 to the open end', () => {
  const bands = [
    { start: 0, end: 5000, postage: 800 },
    { start: 5000, end: null, postage: 0 },
  ];
  expect(bandProblem(bands)).toBeUndefined();
  expect([postageOf(4999, bands), postageOf(5000, bands), postageOf(9, [])]).toEqual([800, 0, 0]);
  expect(bandProblem([])).toBeUndefined();
  expect(
    bandProblem([
      { start: 0, end: 5000 },
      { start: 6000, end: null },
    ]),
  ).toEqual(['第 2 行区间不连续', 'Band 2 is not contiguous']);
  expect(bandProblem([{ start: 100, end: null }])![0]).toBe('第 1 行区间不连续');
  expect(
    bandProblem([
      { start: 0, end: null },
      { start: 5, end: null },
    ])![0],
  ).toBe('第 1 行区间不连续');
  expect(bandProblem([{ start: 0, end: 5000 }])![0]).toBe('第 1 行区间不连续');
});

test('a credit code carries its check digit', () => {
  expect(isCreditCode('91350100M000100Y43')).toBe(true);
  expect(isCreditCode('91350100M000100Y44')).toBe(false);
  expect(isCreditCode('91350100M000100I43')).toBe(false);
  expect(isCreditCode('9135')).toBe(false);
});

test('what is missing is named', () => {
  const all = {
    agreement: true,
    licence: true,
    payee: true,
    deposit: true,
    project: true,
    business: true,
    staff: true,
  };
  expect(checklistProblem(all)).toBeUndefined();
  expect(checklistProblem({ ...all, deposit: false, staff: false })).toEqual([
    '还缺：保证金、启用的员工',
    'Missing: the deposit, an enabled staff',
  ]);
});

test('what a sale leaves: commission and channel fee to the fen, nothing lost between them', () => {
  expect(netOf(10_000, 800, 6_000)).toEqual({ commission: 800, fee: 60, net: 9_140 });
  expect(netOf(125, 1_000, 6_000)).toEqual({ commission: 13, fee: 1, net: 111 });
  expect(netOf(0, 800, 6_000)).toEqual({ commission: 0, fee: 0, net: 0 });
});
