import type { FigureSpec, FigureValue } from '../../contract/report.ts';
import type { Language } from '../../contract/label.ts';
import { durationText, NOTHING, compactNumber, moneyText, thousands } from '../format.rules.ts';

/** A figure as text: money with two digits, counts with separators, percent with its sign, minutes as days and hours; `–` for nothing. */
export function figureText(
  kind: FigureSpec['kind'],
  value: string | null | undefined,
  language: Language = 'zh',
): string {
  if (value === null || value === undefined || value === '') return NOTHING;
  if (kind === 'money') return `¥${moneyText(value)}`;
  if (kind === 'minutes') return durationText(Number(value), language);
  return kind === 'percent' ? `${value}%` : kind === 'decimal' ? value : thousands(value);
}

/** Change of a figure against the previous period: percent of it, percentage points for percents; undefined when unknown. */
export function figureChange(
  kind: FigureSpec['kind'],
  figure: FigureValue,
): { text: string; direction: 'up' | 'down' | 'same' } | undefined {
  if (figure.value === null || figure.previous === null) return undefined;
  const now = Number(figure.value);
  const before = Number(figure.previous);
  if (!Number.isFinite(now) || !Number.isFinite(before)) return undefined;
  const direction = now > before ? 'up' : now < before ? 'down' : 'same';
  if (direction === 'same') return { text: kind === 'percent' ? '0 pp' : '0%', direction };
  if (kind === 'percent') return { text: `${signed(round(now - before, 1))} pp`, direction };
  // From nothing to something has no percentage.
  if (before === 0) return undefined;
  return { text: `${signed(round(((now - before) / Math.abs(before)) * 100, 1))}%`, direction };
}

/** Points of a spark line in a box, as an SVG path; empty when there is nothing to draw. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  if (values.length < 2) return '';
  const low = Math.min(...values);
  const high = Math.max(...values);
  const step = width / (values.length - 1);
  return values
    .map((value, index) => {
      const y = high === low ? height / 2 : height - ((value - low) / (high - low)) * height;
      return `${index === 0 ? 'M' : 'L'}${round(index * step, 1)} ${round(y, 1)}`;
    })
    .join('');
}

/** A number on an axis: short, Chinese counts in 万 and 亿. */
export function axisText(value: number, language: 'zh' | 'en'): string {
  if (language === 'en') return compactNumber(value);
  const size = Math.abs(value);
  if (size >= 1e8) return `${round(value / 1e8, 1)}亿`;
  if (size >= 1e4) return `${round(value / 1e4, 1)}万`;
  return thousands(round(value, 2));
}

function signed(value: number): string {
  return value > 0 ? `+${thousands(value)}` : thousands(value);
}

function round(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
