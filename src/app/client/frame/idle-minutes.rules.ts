/** Minutes until the screen locks, 0 for never: the staff may only shorten what the product sets. */
export function idleMinutes(product: number, own: number | undefined): number {
  if (own === undefined || own <= 0) return product;
  return product === 0 ? own : Math.min(product, own);
}
