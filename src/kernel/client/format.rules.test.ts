import { describe, expect, it } from 'vitest';
import {
  cappedCount,
  clampNumber,
  compactNumber,
  dateOf,
  fileSize,
  instantFull,
  instantShort,
  moneyText,
  numericInput,
  thousands,
  timeAgo,
  weekdayText,
} from './format.rules.ts';

const now = new Date('2026-11-21T08:00:00+08:00');
const ago = (ms: number) => timeAgo(now.getTime() - ms, now);

describe('numbers', () => {
  it('puts commas between thousands and keeps decimals', () => {
    expect(thousands(12345678)).toBe('12,345,678');
    expect(thousands('-1234.50')).toBe('-1,234.50');
    expect(thousands('999')).toBe('999');
    expect(thousands('abc')).toBe('abc');
  });
  it('shortens', () => {
    expect([999, 1234, 1.5e6, 2e9, 999_950, -1234].map(compactNumber)).toEqual([
      '999',
      '1.2k',
      '1.5M',
      '2G',
      '1M',
      '-1.2k',
    ]);
  });
  it('writes money with two digits without rounding through a float', () => {
    expect(moneyText('99999999999.99')).toBe('99,999,999,999.99');
    expect(moneyText('128')).toBe('128.00');
    expect(moneyText('-0.5')).toBe('-0.50');
    expect(moneyText(null)).toBe('–');
  });
  it('filters what may be typed', () => {
    expect(numericInput('12a3.4.56')).toBe('123.45');
    expect(numericInput('-5')).toBe('5');
    expect(numericInput('-5', 2, true)).toBe('-5');
    expect(numericInput('7.9', 0)).toBe('7');
    expect(numericInput('１')).toBe('');
  });
  it('clamps on leaving', () => {
    expect(clampNumber('5', { min: 10 })).toBe('10');
    expect(clampNumber('500', { max: 99.5, digits: 2 })).toBe('99.50');
    expect(clampNumber('007.', {})).toBe('7');
    expect(clampNumber('.5', { digits: 2 })).toBe('0.50');
    expect(clampNumber('', { min: 10 })).toBe('');
    expect(clampNumber('-', {})).toBe('');
  });
  it('caps counts', () => {
    expect([0, 10_000, 10_001].map(cappedCount)).toEqual(['0', '10,000', '10,000+']);
    expect(fileSize(1536)).toBe('1.5 KB');
  });
});

describe('time', () => {
  it('says how long ago', () => {
    expect(ago(29_999)[0]).toBe('刚刚');
    expect(ago(30_000)).toEqual(['1分钟前', '1 minute ago']);
    expect(ago(61_000)).toEqual(['2分钟前', '2 minutes ago']);
    expect(ago(3_600_000)).toEqual(['1小时前', '1 hour ago']);
    expect(ago(3_600_001)).toEqual(['2小时前', '2 hours ago']);
    expect(ago(86_400_000)).toEqual(['1天前', '1 day ago']);
    expect(ago(2 * 86_400_000)[0]).toBe('2026-11-19');
  });
  it('reads seconds, milliseconds and ISO text', () => {
    expect(dateOf(1_763_683_200)?.getTime()).toBe(1_763_683_200_000);
    expect(dateOf('1763683200000')?.getTime()).toBe(1_763_683_200_000);
    expect(dateOf('nonsense')).toBeUndefined();
  });
  it('shows business time wherever the computer stands', () => {
    expect(instantShort('2026-01-01T00:30:00+08:00', now)).toBe('01-01 00:30');
    expect(instantShort('2025-12-31T16:30:00Z', now)).toBe('01-01 00:30');
    expect(instantShort('2025-12-31T23:00:00+08:00', now)).toBe('2025-12-31');
    expect(instantFull('2026-11-21T00:00:00Z')).toBe('2026-11-21 08:00:00');
    expect(instantShort(null, now)).toBe('–');
    expect(weekdayText(0, 'zh') + weekdayText(6, 'en')).toBe('日Sat');
  });
});
