import type { Label, Language } from '../contract/label.ts';
import { businessDayOf, businessTimeText } from '../contract/time.rules.ts';

/** What stands for an empty value everywhere. */
export const NOTHING = '–';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Puts commas between thousands: 12345678 → `12,345,678`. Decimals and sign are kept as they are. */
export function thousands(value: number | string): string {
  const match = /^(-?)(\d+)(\.\d+)?$/.exec(String(value).trim());
  if (!match) return String(value);
  return `${match[1]}${match[2]!.replace(/\B(?=(\d{3})+$)/g, ',')}${match[3] ?? ''}`;
}

/** Money on the wire (yuan text) as shown: two digits and thousands separators; `–` for nothing. */
export function moneyText(yuan: string | number | null | undefined): string {
  if (yuan === null || yuan === undefined || yuan === '') return NOTHING;
  const match = /^(-?\d+)(?:\.(\d+))?$/.exec(String(yuan).trim());
  if (!match) return String(yuan);
  return thousands(`${match[1]}.${(match[2] ?? '').padEnd(2, '0').slice(0, 2)}`);
}

/** Short number: 1234 → `1.2k`, 1500000 → `1.5M`, 2e9 → `2G`; below 1000 unchanged. */
export function compactNumber(value: number): string {
  const size = Math.abs(value);
  for (const [factor, suffix] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    // 999,950 would otherwise read "1000k".
    if (size >= factor || (factor > 1e3 && Math.round((size / factor) * 10) / 10 >= 1)) {
      const rounded = Math.round((value / factor) * 10) / 10;
      return `${rounded}${suffix}`;
    }
  }
  return String(value);
}

/** A stamp as a Date: ISO text, milliseconds, or 10-digit seconds. Undefined when it is none of these. */
export function dateOf(stamp: string | number | null | undefined): Date | undefined {
  if (stamp === null || stamp === undefined || stamp === '') return undefined;
  const digits = /^\d{10}$|^\d{13}$/.test(String(stamp)) ? Number(stamp) : undefined;
  const date = new Date(digits === undefined ? stamp : String(stamp).length === 10 ? digits * 1000 : digits);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/**
 * How long ago an instant was. Source: 00-frame, shared helpers: under 30 s just now, under 1 h minutes (rounded up),
 * under 1 day hours (rounded up), under 2 days 1 day ago, older the business day.
 */
export function timeAgo(stamp: string | number, now: Date = new Date()): Label {
  const date = dateOf(stamp);
  if (!date) return [String(stamp), String(stamp)];
  const passed = now.getTime() - date.getTime();
  if (passed < 30_000) return ['刚刚', 'just now'];
  if (passed < HOUR) return agoLabel(Math.ceil(passed / MINUTE), '分钟前', 'minute');
  if (passed < DAY) return agoLabel(Math.ceil(passed / HOUR), '小时前', 'hour');
  if (passed < 2 * DAY) return ['1天前', '1 day ago'];
  const day = businessDayOf(date);
  return [day, day];
}

/** An instant in a cell: `MM-DD HH:mm` in the business year of now, `YYYY-MM-DD` otherwise. */
export function instantShort(stamp: string | number | null | undefined, now: Date = new Date()): string {
  const date = dateOf(stamp);
  if (!date) return stamp ? String(stamp) : NOTHING;
  const text = businessTimeText(date);
  return text.slice(0, 4) === businessDayOf(now).slice(0, 4) ? text.slice(5, 16) : text.slice(0, 10);
}

/** An instant in full business time, `yyyy-MM-dd HH:mm:ss`. */
export function instantFull(stamp: string | number | null | undefined): string {
  const date = dateOf(stamp);
  return date ? businessTimeText(date) : stamp ? String(stamp) : NOTHING;
}

/** A count that may be capped: 10001 → `10,000+`. Source: ground rule 2. */
export function cappedCount(count: number): string {
  return count > 10_000 ? '10,000+' : thousands(count);
}

/** Keeps what may stand in a number input: digits, one dot, a leading minus when negatives are allowed; decimals are cut. */
export function numericInput(text: string, scale = 2, negative = false): string {
  const sign = negative && text.trim().startsWith('-') ? '-' : '';
  const [whole = '', ...rest] = text.replace(/[^\d.]/g, '').split('.');
  if (rest.length === 0 || scale === 0) return sign + whole;
  return `${sign}${whole}.${rest.join('').slice(0, scale)}`;
}

/** Clamps number text between `min` and `max` on leaving an input; empty stays empty; `digits` pads the decimals. */
export function clampNumber(
  text: string,
  limits: { min?: number | undefined; max?: number | undefined; digits?: number | undefined },
): string {
  if (text === '' || text === '-' || text === '.') return '';
  const value = Number(text);
  if (!Number.isFinite(value)) return '';
  if (limits.min !== undefined && value < limits.min) return padded(limits.min, limits.digits);
  if (limits.max !== undefined && value > limits.max) return padded(limits.max, limits.digits);
  return limits.digits === undefined
    ? String(text)
        .replace(/^(-?)0+(?=\d)/, '$1')
        .replace(/\.$/, '')
    : padText(text, limits.digits);
}

/** Day of the week as one character or three letters, Sunday first. */
export function weekdayText(day: number, language: Language): string {
  return language === 'zh'
    ? '日一二三四五六'.charAt(day)
    : (['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][day] ?? '');
}

/** Minutes as 1天2小时5分 or `1d 2h 5m`. */
export function durationText(minutes: number, language: Language): string {
  const all = Math.round(minutes);
  const parts: readonly (readonly [number, Label])[] = [
    [Math.floor(all / 1_440), ['天', 'd']],
    [Math.floor(all / 60) % 24, ['小时', 'h']],
    [all % 60, ['分', 'm']],
  ];
  const at = language === 'zh' ? 0 : 1;
  const said = parts.filter(([n]) => n > 0).map(([n, unit]) => `${n}${unit[at]}`);
  return said.length === 0 ? `0${['分', 'm'][at]}` : said.join(at === 0 ? '' : ' ');
}

/** Size of a file in words: 1536 → `1.5 KB`. */
export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 102.4) / 10} KB`;
  return `${Math.round(bytes / (1024 * 102.4)) / 10} MB`;
}

function agoLabel(count: number, zh: string, en: string): Label {
  return [`${count}${zh}`, `${count} ${en}${count === 1 ? '' : 's'} ago`];
}

function padded(value: number, digits: number | undefined): string {
  return digits === undefined ? String(value) : value.toFixed(digits);
}

function padText(text: string, digits: number): string {
  // Number() would lose digits of large amounts.
  const match = /^(-?)0*(\d*)(?:\.(\d*))?$/.exec(text);
  if (!match) return text;
  const whole = match[2] === '' ? '0' : match[2]!;
  if (digits === 0) return match[1]! + whole;
  return `${match[1]}${whole}.${(match[3] ?? '').padEnd(digits, '0').slice(0, digits)}`;
}
