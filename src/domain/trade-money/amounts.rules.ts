/** Integer arithmetic and texts for amounts in fen. Interfaces carry safe integers; products run in bigint. */

/**
 * floor(amount × numerator / denominator) in fen, computed in bigint.
 * Throws RangeError when a value is negative or not a safe integer, when the denominator is 0, or when the
 * result leaves the safe range. Source: group 08, Money engine ("All amounts bigint fen").
 */
export function floorRatio(amount: number, numerator: number, denominator: number): number {
  requireCount(amount, 'amount');
  requireCount(numerator, 'numerator');
  if (requireCount(denominator, 'denominator') === 0) throw new RangeError('denominator is 0');
  const result = Number((BigInt(amount) * BigInt(numerator)) / BigInt(denominator));
  return requireCount(result, 'result');
}

/**
 * The value itself when it is a safe integer ≥ 0 (fen, units, points or percent); RangeError naming it otherwise.
 * Source: ground-rules.md, Words (fen).
 */
export function requireCount(value: number, name: string): number {
  if (!Number.isSafeInteger(value) || value < 0)
    throw new RangeError(`${name} is not an integer ≥ 0: ${value}`);
  return value;
}

/** Sum of `value(row)` over the rows, in the unit of the values (fen or units). Source: group 08, Money engine. */
export function sumOf<T>(rows: readonly T[], value: (row: T) => number): number {
  let total = 0;
  for (const row of rows) total += value(row);
  return total;
}

/**
 * An amount of fen as yuan with two digits ("-42.11"), the form money travels in.
 * Throws RangeError for anything but a safe integer. Source: ground-rules.md, HTTP contract.
 */
export function yuanText(fen: number): string {
  if (!Number.isSafeInteger(fen)) throw new RangeError(`not an amount in fen: ${fen}`);
  const digits = String(Math.abs(fen)).padStart(3, '0');
  return `${fen < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
