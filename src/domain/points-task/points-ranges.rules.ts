import type { Label } from '../../kernel/contract/label.ts';

/** A range of points, both ends included; end −1 is open. */
export interface PointsRange {
  readonly start: number;
  readonly end: number;
}

/** Ranges of a new installation. */
export const FIRST_RANGES: readonly PointsRange[] = [
  { start: 0, end: 99 },
  { start: 100, end: 499 },
  { start: 500, end: 999 },
  { start: 1_000, end: 4_999 },
  { start: 5_000, end: -1 },
];
export const MOST_RANGES = 10;
const MOST_POINTS = 1_000_000_000;

/** What is wrong with ranges, by row from 1 on; nothing when they may stand. Source: group 01, os_integralShopScreen, Refuses. */
export function rangesProblem(value: unknown): Label | undefined {
  if (!Array.isArray(value) || value.length === 0) return ['至少填写一行', 'Give one row at least'];
  if (value.length > MOST_RANGES) return [`最多${MOST_RANGES}行`, `At most ${MOST_RANGES} rows`];
  const rows = value as readonly Partial<PointsRange>[];
  for (const [index, { start, end }] of rows.entries()) {
    const at = (zh: string, en: string): Label => [`第 ${index + 1} 行${zh}`, `Row ${index + 1}: ${en}`];
    if (
      !Number.isInteger(start) ||
      !Number.isInteger(end) ||
      start! < 0 ||
      start! > MOST_POINTS ||
      end! < -1 ||
      end! > MOST_POINTS
    )
      return at('须为0以上的整数', 'give whole numbers from 0');
    if (end === -1) {
      if (index < rows.length - 1) return at('只有最后一行可以不封顶', 'only the last row may be open');
    } else if (start! >= end!) return at('开始须小于结束', 'the start must lie below the end');
    const before = rows[index - 1];
    if (before && start! <= before.end!) return at('区间重叠', 'it overlaps the row above');
  }
  return undefined;
}

/** Rows whose start leaves points between it and the row above, counted from 1. */
export function gapsOf(ranges: readonly PointsRange[]): readonly number[] {
  return ranges.flatMap((one, index) =>
    index > 0 && one.start > ranges[index - 1]!.end + 1 ? [index + 1] : [],
  );
}
