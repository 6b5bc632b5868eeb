import { expect, test } from 'vitest';
import { marked } from './marked.rules.ts';
import { exceptionProblem, linesProblem, wordLines, wordProblem } from './sensitive-word.rules.ts';

test('a text is cut at its hits, the strictest of several marks a piece', () => {
  const hits = [
    { start: 1, end: 4, level: 'replace' as const },
    { start: 2, end: 3, level: 'block' as const },
    { start: 4, end: 5, level: 'review' as const },
  ];
  expect(marked('abcdef', hits).map((part) => [part.text, part.level])).toEqual([
    ['a', undefined],
    ['b', 'replace'],
    ['c', 'block'],
    ['d', 'replace'],
    ['e', 'review'],
    ['f', undefined],
  ]);
  expect(marked('abc', [])).toEqual([{ start: 0, text: 'abc', level: undefined }]);
});

test('lines are words: empty ones are none, bad ones and doubles are told with their line', () => {
  const lines = wordLines('加微信\r\n\n 刷单 \n加-微 信\n…\n' + '长'.repeat(51));
  expect(lines.map((one) => [one.line, one.word.slice(0, 5), one.problem?.[0]])).toEqual([
    [1, '加微信', undefined],
    [3, '刷单', undefined],
    [4, '加-微 信', '与第1行重复'],
    [5, '…', '至少包含一个文字或数字'],
    [6, '长长长长长', '最多50个字'],
  ]);
  const bad = Array.from({ length: 7 }, (_, at) => ({ line: at + 1, problem: ['坏', 'bad'] as const }));
  expect(linesProblem(bad)[0]).toContain('第 5 行：坏；等 7 行');
  expect(linesProblem(bad.slice(0, 1))[1]).toBe('Line 1: bad');
});

test('a word has a letter or digit, an exception holds its word', () => {
  expect(wordProblem('--')?.[1]).toContain('at least one');
  expect(exceptionProblem('办证', ['办 证大厅'])).toBeUndefined();
  expect(exceptionProblem('办证', ['大厅'])?.[0]).toBe('「大厅」不包含该敏感词');
});
