import { describe, expect, test } from 'vitest';
import { foldedText } from './fold.rules.ts';
import { compileWords, type SensitiveLevel, type SensitiveWord } from './matcher.rules.ts';

let ids = 0;
const word = (
  text: string,
  level: SensitiveLevel = 'review',
  more: Partial<SensitiveWord> = {},
): SensitiveWord => ({
  id: ++ids,
  word: text,
  category: 'custom',
  level,
  variants: true,
  exceptions: [],
  ...more,
});
const found = (words: readonly SensitiveWord[], text: string) =>
  compileWords(words)(text).hits.map((hit) => text.slice(hit.start, hit.end));

describe('variants', () => {
  test('ignore case, width, and blanks, punctuation, signs and zero-width characters between the characters', () => {
    const words = [word('加微信'), word('VX号')];
    for (const text of [
      '加微信',
      '加 微-信',
      '加\u200b微\u200d信',
      '加。微…信',
      '加+微|信',
      '加\n微\t信',
      '加\u3000微\u00ad信',
      '加★微☆信',
      'vx号',
      'ＶＸ号',
      'v.x 号',
      'V\u0301X号',
    ])
      expect([text, found(words, text)]).toEqual([text, [text]]);
    expect(found(words, '加个微信')).toEqual([]);
    expect(found(words, '前缀 加-微信! 后缀')).toEqual(['加-微信']);
  });

  test('off, only the very same writing is found', () => {
    const words = [word('VX', 'review', { variants: false }), word('C++', 'review', { variants: false })];
    expect(found(words, 'VX vx V X ＶＸ')).toEqual(['VX']);
    expect(found(words, 'abc C++ C')).toEqual(['C++']);
  });

  test('pictures and characters beyond the first plane keep their places', () => {
    expect(found([word('🔞片'), word('𠮷野')], '看🔞 片吧𠮷.野')).toEqual(['🔞 片', '𠮷.野']);
    expect(foldedText('ＡＢ c-①㊙')).toBe('abc1秘');
  });
});

test('a word inside of another, over its end and at every place is found', () => {
  const words = ['ab', 'abc', 'bcd', 'c', 'cdx'].map((text) => word(text));
  expect(found(words, 'abcdab').sort()).toEqual(['ab', 'ab', 'abc', 'bcd', 'c']);
  expect(found([word('aa')], 'aaaa')).toHaveLength(3);
  expect(found([], 'abc')).toEqual([]);
});

test('the automaton finds what plain search finds, over random words and texts', () => {
  let state = 7;
  const next = (below: number) => (state = (state * 1103515245 + 12345) & 0x7fffffff) % below;
  const letters = ['a', 'b', 'c', '微', '信'];
  const text = (length: number) => Array.from({ length }, () => letters[next(letters.length)]!).join('');
  for (let turn = 0; turn < 60; turn++) {
    const plain = [...new Set(Array.from({ length: 12 }, () => text(1 + next(4))))];
    const sought = text(80);
    const expected = plain.flatMap((one) =>
      Array.from({ length: sought.length }, (_, at) => at)
        .filter((at) => sought.startsWith(one, at))
        .map((at) => `${at}:${one}`),
    );
    const hits = compileWords(plain.map((one) => word(one)))(sought).hits;
    expect(hits.map((hit) => `${hit.start}:${hit.word.word}`).sort()).toEqual(expected.sort());
  }
});

test('exceptions let a word pass inside of their phrase only, and only that word', () => {
  const words = [word('办证', 'block', { exceptions: ['办证大厅', '代办证照'] }), word('大厅')];
  expect(found(words, '请到办证大厅办理')).toEqual(['大厅']);
  expect(found(words, '办 证 大 厅')).toEqual(['大 厅']);
  expect(found(words, '办证大厅旁边办证')).toEqual(['大厅', '办证']);
  expect(found(words, '代办证照')).toEqual([]);
});

describe('the verdict', () => {
  const words = [word('坏蛋', 'replace'), word('蛋糕', 'replace'), word('加微信'), word('刷单', 'block')];
  const verdict = (text: string) => compileWords(words)(text);

  test('is the strictest level of all hits', () => {
    expect(verdict('你好').level).toBeNull();
    expect(verdict('坏蛋').level).toBe('replace');
    expect(verdict('坏蛋加微信').level).toBe('review');
    expect(verdict('加微信坏蛋刷单').level).toBe('block');
  });

  test('shows *** for words to replace, once where they overlap, and leaves the rest as it was written', () => {
    expect(verdict('这个坏-蛋啊！').shown).toBe('这个***啊！');
    expect(verdict('坏蛋糕，加微信').shown).toBe('***，加微信');
    expect(verdict('坏蛋坏蛋').shown).toBe('******');
    expect(verdict('𠮷坏蛋𠮷').shown).toBe('𠮷***𠮷');
  });
});
