import { businessDayOf } from '../../contract/time.rules.ts';
import { runOne, type Executor } from '../database.ts';

/**
 * The next readable number of a prefix: prefix + yyyyMMdd + sequence of the day, at least six digits.
 * Gaps appear when a transaction rolls back; doubles never. Source: entities.md, code prefixes.
 */
export async function nextCode(tx: Executor, prefix: string, now = new Date()): Promise<string> {
  return (await nextCodes(tx, prefix, 1, now))[0]!;
}

/** Several readable numbers on end, taken in one step. */
export async function nextCodes(
  tx: Executor,
  prefix: string,
  count: number,
  now = new Date(),
): Promise<string[]> {
  const day = businessDayOf(now);
  const row = await runOne<{ value: number }>(
    tx,
    `INSERT INTO code_counter (prefix, day, value) VALUES ($1, $2, $3)
     ON CONFLICT (prefix, day) DO UPDATE SET value = code_counter.value + $3 RETURNING value`,
    [prefix, day, count],
  );
  const first = row!.value - count + 1;
  return Array.from(
    { length: count },
    (_, index) => `${prefix}${day.replaceAll('-', '')}${String(first + index).padStart(6, '0')}`,
  );
}
