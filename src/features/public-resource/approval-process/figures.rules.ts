/** The value that so many percent of the values do not exceed (nearest rank); undefined for none. */
export function middleOf(values: readonly number[], percent: number): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}

/** A part of a whole in percent with one digit; null for no whole. */
export function shareOf(part: number, whole: number): string | null {
  return whole === 0 ? null : ((part * 100) / whole).toFixed(1);
}
