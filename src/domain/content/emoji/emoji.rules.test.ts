import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EMOJI } from './emoji-codes.rules.ts';
import { emojiParts, pictureName } from './emoji.rules.ts';

test('group 01 Must show 1: 今天[玫瑰][大笑]开心[未知] shows two pictures and the text [未知]', () => {
  expect(emojiParts('今天[玫瑰][大笑]开心[未知]')).toEqual([
    { text: '今天' },
    { code: '玫瑰', character: '🌹' },
    { code: '大笑', character: '😆' },
    { text: '开心[未知]' },
  ]);
});

test('130 codes, each with a picture of its own', () => {
  expect(new Set(EMOJI.map(([code]) => code)).size).toBe(130);
  expect(new Set(EMOJI.map(([, character]) => character)).size).toBe(130);
  const missing = EMOJI.filter(
    ([, character]) => !existsSync(new URL(`pictures/${pictureName(character)}.svg`, import.meta.url)),
  );
  expect(missing).toEqual([]);
});

test('nothing of the content is lost, whatever it holds', () => {
  for (const content of ['', '[]', '[[微笑]]', '<b>[微笑', '［微笑］', 'a[微笑]\nb'])
    expect(
      emojiParts(content)
        .map((part) => ('code' in part ? `[${part.code}]` : part.text))
        .join(''),
    ).toBe(content);
});
