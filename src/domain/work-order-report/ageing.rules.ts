import type { Label } from '../../kernel/contract/label.ts';

/** What is measured: waiting for acceptance, for the start, until the end, or of what is open until now. */
export const AGING_TYPES = {
  1: { label: ['接单时效', 'Until accepted'] },
  2: { label: ['到场时效', 'Until started'] },
  3: { label: ['完成时效', 'Until finished'] },
  4: { label: ['在办时长', 'Open since'] },
} as const;
export type AgingType = keyof typeof AGING_TYPES;

/** Upper bound of the last bucket, which has none. */
export const OPEN_END = 999_999;

/** Upper bounds of the buckets in minutes, the open one last; each bucket takes what is above the one before it. */
export function bucketsOf(bounds: readonly unknown[]): readonly number[] {
  const valid = [...new Set(bounds.map(Number))].filter((one) => Number.isInteger(one) && one > 0);
  return [...valid.sort((a, b) => a - b).slice(0, 5), OPEN_END];
}

const span = (minutes: number): Label =>
  minutes % 1_440 === 0
    ? [`${minutes / 1_440}天`, `${minutes / 1_440} d`]
    : minutes % 60 === 0
      ? [`${minutes / 60}小时`, `${minutes / 60} h`]
      : [`${minutes}分`, `${minutes} min`];

/** How a bucket is called: ≤5分, 5分–15分, >2小时. */
export function bucketTitle(buckets: readonly number[], index: number): Label {
  const upper = buckets[index]!;
  const below = index === 0 ? undefined : span(buckets[index - 1]!);
  if (upper === OPEN_END) return below ? [`>${below[0]}`, `>${below[1]}`] : ['全部', 'All'];
  const [zh, en] = span(upper);
  return below ? [`${below[0]}–${zh}`, `${below[1]}–${en}`] : [`≤${zh}`, `≤${en}`];
}
