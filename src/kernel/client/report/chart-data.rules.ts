import type { ChartPoint, ChartSpec } from '../../contract/report.ts';

/** Most categories a chart shows by itself. Source: look.md, reports. */
export const MOST_CATEGORIES = 8;

/** Key of the point that stands for the rest; it cannot be drilled into. */
export const OTHER_KEY = '$other';

/**
 * Points ready for drawing: a line keeps its order, everything else is sorted by the measure and what comes after the
 * eighth is added up as other.
 */
export function chartPoints(
  kind: ChartSpec['kind'],
  points: readonly ChartPoint[],
  measure: string,
  other: string,
): readonly ChartPoint[] {
  if (kind === 'line') return points;
  const sorted = [...points].sort((one, two) => (two.values[measure] ?? 0) - (one.values[measure] ?? 0));
  if (sorted.length <= MOST_CATEGORIES) return sorted;
  const rest = sorted.slice(MOST_CATEGORIES - 1);
  const sum: Record<string, number> = {};
  for (const point of rest)
    for (const [name, value] of Object.entries(point.values))
      sum[name] = Math.round(((sum[name] ?? 0) + value) * 100) / 100;
  return [
    ...sorted.slice(0, MOST_CATEGORIES - 1),
    { key: OTHER_KEY, label: `${other} (${rest.length})`, values: sum },
  ];
}

/** True when a chart has nothing to show. */
export function isEmptyChart(points: readonly ChartPoint[], measure: string): boolean {
  return points.every((point) => !point.values[measure]);
}

/** Share of a point in percent with one digit. */
export function shareText(points: readonly ChartPoint[], measure: string, point: ChartPoint): string {
  const sum = points.reduce((total, one) => total + (one.values[measure] ?? 0), 0);
  return sum === 0 ? '–' : `${(Math.round(((point.values[measure] ?? 0) / sum) * 1000) / 10).toFixed(1)}%`;
}
