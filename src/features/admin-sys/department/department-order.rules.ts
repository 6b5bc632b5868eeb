/** A department among its siblings: they stand by `sort`, then by `id`. */
export interface Ordered {
  readonly id: number;
  readonly sort: number;
}

/** Largest number the form takes. */
const MOST = 9_999;
/** What is left between two siblings, so that others fit in later. */
const STEP = 10;

/**
 * The number by which a department stands between two siblings (undefined: at that end), the own one when it fits already;
 * undefined when the numbers between them are used up.
 */
export function sortBetween(
  moved: Ordered,
  previous: Ordered | undefined,
  next: Ordered | undefined,
): number | undefined {
  const least = previous ? previous.sort + (previous.id < moved.id ? 0 : 1) : 0;
  const most = Math.min(next ? next.sort - (moved.id < next.id ? 0 : 1) : MOST, MOST);
  if (least > most) return undefined;
  if (moved.sort >= least && moved.sort <= most) return moved.sort;
  if (!next) return Math.min(least + STEP, most);
  return previous ? Math.floor((least + most) / 2) : Math.max(most - STEP, least);
}

/** Numbers for siblings in this order, with room between them. */
export function spread(count: number): number[] {
  const step = Math.max(1, Math.min(STEP, Math.floor(MOST / (count + 1))));
  return Array.from({ length: count }, (_, index) => (index + 1) * step);
}
