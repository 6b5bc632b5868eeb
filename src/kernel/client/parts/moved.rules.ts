/** The list with one entry at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const next = [...list];
  const [one] = next.splice(from, 1);
  if (one !== undefined) next.splice(to, 0, one);
  return next;
}

/** Where a dragged entry lands: an index of the list without it. */
export function dropIndex(from: number, target: number, place: 'before' | 'after' | 'inside'): number {
  const at = place === 'after' ? target + 1 : target;
  return at > from ? at - 1 : at;
}
