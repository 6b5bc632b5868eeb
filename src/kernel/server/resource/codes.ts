import { businessDayOf } from '../../contract/time.rules.ts';
import { runOne, type Executor } from '../database.ts';

/**
 * The next readable number of a prefix: prefix + yyyyMMdd + sequence of the day, at least six digits.
 * Gaps appear when a transaction rolls back; doubles never. Source: entities.md, code prefixes.
 */
export async function nextCode(tx: Executor, prefix: string, now = new Date()): Promise<string> {
  const day = businessDayOf(now);
  const row = await runOne<{ value: number }>(
    tx,
    `INSERT INTO code_counter (prefix, day, value) VALUES ($1, $2, 1)
     ON CONFLICT (prefix, day) DO UPDATE SET value = code_counter.value + 1 RETURNING value`,
    [prefix, day],
  );
  return `${prefix}${day.replaceAll('-', '')}${String(row!.value).padStart(6, '0')}`;
}
