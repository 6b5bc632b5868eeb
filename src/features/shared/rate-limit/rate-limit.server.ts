import { fill, type Label } from '../../../kernel/contract/label.ts';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { tooMany } from '../../../kernel/server/errors.ts';

/** How often a staff may do something. */
export interface RateLimit {
  /** Names what is counted, in the table of the counts. */
  readonly purpose: string;
  readonly most: number;
  readonly seconds: number;
}

const TOO_OFTEN: Label = [
  '操作过于频繁（{seconds}秒内最多{most}次），请于{wait}秒后再试',
  'Too many requests (at most {most} in {seconds} s), please try again in {wait} s',
];

/**
 * Counts a call of a staff in the database, so that all instances count together. Throws 429 that says when to try again
 * once the limit of the running window is reached.
 */
export async function countCall(db: Executor, staffId: number, limit: RateLimit): Promise<void> {
  const row = await runOne<{ calls: number; wait: number }>(
    db,
    `INSERT INTO call_window AS w (purpose, staff_id, started_at, calls) VALUES ($1, $2, clock_timestamp(), 1)
     ON CONFLICT (purpose, staff_id) DO UPDATE SET
       calls = CASE WHEN w.started_at + make_interval(secs => $3) <= clock_timestamp() THEN 1 ELSE least(w.calls + 1, $4 + 1) END,
       started_at = CASE WHEN w.started_at + make_interval(secs => $3) <= clock_timestamp() THEN clock_timestamp() ELSE w.started_at END
     RETURNING calls, extract(epoch FROM started_at + make_interval(secs => $3) - clock_timestamp())::float8 AS wait`,
    [limit.purpose, staffId, limit.seconds, limit.most],
  );
  if (row!.calls <= limit.most) return;
  const wait = Math.max(1, Math.ceil(row!.wait));
  throw tooMany(fill(TOO_OFTEN, { seconds: limit.seconds, most: limit.most, wait }), wait);
}
