/** How prices of several positions change at once. */
export type PriceWay = 'percent' | 'add' | 'set';

/** What a price becomes, in fen, half up; never negative, 0 where the change eats it up. */
export function nextPrice(fen: number, way: PriceWay, percent: number, amount: number): number {
  if (way === 'set') return amount;
  const next = way === 'add' ? fen + amount : Math.floor((fen * (100 + percent) + 50) / 100);
  return Math.max(0, next);
}

/** The calendar of a year: days of each month as ISO days, January first. */
export function daysOfYear(year: number): readonly (readonly string[])[] {
  return Array.from({ length: 12 }, (_, month) => {
    const count = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
    const head = `${year}-${String(month + 1).padStart(2, '0')}-`;
    return Array.from({ length: count }, (__, day) => `${head}${String(day + 1).padStart(2, '0')}`);
  });
}
