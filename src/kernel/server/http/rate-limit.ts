import { createHmac } from 'node:crypto';
import { fill, type Label } from '../../contract/label.ts';
import { run, runOne, transactionBeside, type Executor } from '../database.ts';
import { tooMany } from './errors.ts';
import type { Platform } from '../platform.ts';

/** How often a staff may do something. */
export interface RateLimit {
  /** Names what is counted, in the table of the counts. */
  readonly purpose: string;
  readonly most: number;
  readonly seconds: number;
  /** What the refusal says; may name {seconds}, {most} and {wait}. */
  readonly text?: Label;
}

const TOO_OFTEN: Label = [
  '操作过于频繁（{seconds}秒内最多{most}次），请于{wait}秒后再试',
  'Too many requests (at most {most} in {seconds} s), please try again in {wait} s',
];

/**
 * Counts a call of a staff in the database, so that all instances count together. Throws 429 that says when to try again
 * once the limit of the running window is reached. `times`: how many calls this one stands for.
 */
export async function countCall(db: Executor, staffId: number, limit: RateLimit, times = 1): Promise<void> {
  const row = await runOne<{ calls: number; wait: number }>(
    db,
    `INSERT INTO call_window AS w (purpose, staff_id, started_at, calls) VALUES ($1, $2, clock_timestamp(), $5)
     ON CONFLICT (purpose, staff_id) DO UPDATE SET
       calls = CASE WHEN w.started_at + make_interval(secs => $3) <= clock_timestamp() THEN $5 ELSE least(w.calls + $5, $4 + 1) END,
       started_at = CASE WHEN w.started_at + make_interval(secs => $3) <= clock_timestamp() THEN clock_timestamp() ELSE w.started_at END
     RETURNING calls, extract(epoch FROM started_at + make_interval(secs => $3) - clock_timestamp())::float8 AS wait`,
    [limit.purpose, staffId, limit.seconds, limit.most, times],
  );
  if (row!.calls <= limit.most) return;
  throw refusal(limit, row!.wait);
}

/** Throws 429 as {@link countCall} while the limit of the running window has been passed, and counts nothing. */
export async function refuseWhenPassed(db: Executor, staffId: number, limit: RateLimit): Promise<void> {
  const row = await runOne<{ wait: number }>(
    db,
    `SELECT extract(epoch FROM started_at + make_interval(secs => $3) - clock_timestamp())::float8 AS wait FROM call_window
      WHERE purpose = $1 AND staff_id = $2 AND calls > $4 AND started_at + make_interval(secs => $3) > clock_timestamp()`,
    [limit.purpose, staffId, limit.seconds, limit.most],
  );
  if (row) throw refusal(limit, row.wait);
}

function refusal(limit: RateLimit, seconds: number) {
  const wait = Math.max(1, Math.ceil(seconds));
  return tooMany(fill(limit.text ?? TOO_OFTEN, { seconds: limit.seconds, most: limit.most, wait }), wait);
}

/**
 * Counts each distinct value once in the time of the limit. Values are kept as hashes under the key of the installation
 * only. Throws 429 as {@link countCall}; what is refused is forgotten again, so that asking twice does not help.
 */
export async function countValues(
  platform: Pick<Platform, 'database' | 'config'>,
  staffId: number,
  limit: RateLimit,
  values: readonly string[],
): Promise<void> {
  const hashes = [...new Set(values)].map((value) =>
    createHmac('sha256', platform.config.secretKey).update(`${limit.purpose}\n${staffId}\n${value}`).digest(),
  );
  // In one order, so that two requests with the same values do not wait for each other.
  hashes.sort(Buffer.compare);
  await transactionBeside(platform.database.db, async (tx) => {
    const fresh = await keepValues(tx, staffId, limit, hashes);
    if (fresh > 0) await countCall(tx, staffId, limit, fresh);
  });
}

/** Keeps hashes of values with the instant; returns how many of them were not there in the time of the limit. */
async function keepValues(
  tx: Executor,
  staffId: number,
  limit: RateLimit,
  hashes: readonly Buffer[],
): Promise<number> {
  const fresh = await run(
    tx,
    `INSERT INTO call_value AS v (purpose, staff_id, value, at)
     SELECT $1, $2, value, clock_timestamp() FROM unnest($3::bytea[]) AS value
     ON CONFLICT (purpose, staff_id, value) DO UPDATE SET at = excluded.at
       WHERE v.at <= clock_timestamp() - make_interval(secs => $4)
     RETURNING 1`,
    [limit.purpose, staffId, hashes, limit.seconds],
  );
  return fresh.length;
}

/**
 * Counts distinct values that look alike, such as phones behind the same mask: beyond `most` of a kind in the time of the
 * limit it throws 429 as {@link countCall} and forgets what was refused. Values are kept as hashes, as by
 * {@link countValues}: sixteen bytes of what they have in common, sixteen of their own.
 */
export async function countAlike(
  platform: Pick<Platform, 'database' | 'config'>,
  staffId: number,
  limit: RateLimit,
  values: readonly string[],
  alike: (value: string) => string,
): Promise<void> {
  if (values.length === 0) return;
  const digest = (part: string, text: string) =>
    createHmac('sha256', platform.config.secretKey)
      .update(`${limit.purpose}\n${staffId}\n${part}\n${text}`)
      .digest()
      .subarray(0, 16);
  const kept = [...new Set(values)].map((value) =>
    Buffer.concat([digest('kind', alike(value)), digest('value', value)]),
  );
  await transactionBeside(platform.database.db, async (tx) => {
    await run(tx, 'SELECT pg_advisory_xact_lock(hashtextextended($1, $2))', [limit.purpose, staffId]);
    await keepValues(tx, staffId, limit, kept);
    const over = await runOne<{ wait: number }>(
      tx,
      `SELECT extract(epoch FROM min(at) + make_interval(secs => $3) - clock_timestamp())::float8 AS wait FROM call_value
        WHERE purpose = $1 AND staff_id = $2 AND at > clock_timestamp() - make_interval(secs => $3)
          AND substring(value FOR 16) = ANY($4::bytea[])
        GROUP BY substring(value FOR 16) HAVING count(*) > $5 LIMIT 1`,
      [limit.purpose, staffId, limit.seconds, kept.map((value) => value.subarray(0, 16)), limit.most],
    );
    if (over) throw refusal(limit, over.wait);
  });
}
