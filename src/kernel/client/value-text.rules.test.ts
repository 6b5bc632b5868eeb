import { expect, it } from 'vitest';
import { integer } from '../contract/fields.ts';
import { valueText } from './value-text.rules.ts';

it('one of a unit is one in English; short units and Chinese stay', () => {
  const shown = (unit: [string, string], value: number, language: 'zh' | 'en' = 'en') =>
    valueText(integer(['数', 'Number'], { unit }), value, language);
  expect(shown(['个月', 'months'], 1)).toBe('1 month');
  expect(shown(['个月', 'months'], 12)).toBe('12 months');
  expect(shown(['个月', 'months'], 1, 'zh')).toBe('1 个月');
  expect(shown(['张', 'pcs'], 1)).toBe('1 pcs');
  expect(shown(['毫秒', 'ms'], 1)).toBe('1 ms');
});
