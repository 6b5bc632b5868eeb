import { createHmac } from 'node:crypto';
import { runOne } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';

/** How many calls of one key are let through in which time. */
export interface CallLimit {
  /** Names what is counted, in the table of the counts. */
  readonly purpose: string;
  readonly most: number;
  readonly seconds: number;
}

/**
 * Counts calls by key (address, phone, account) in the database: all instances count together and a restart forgets nothing.
 * The function counts and answers 0, or the seconds to wait once the limit of the running window is reached.
 */
export function callLimit(
  limit: CallLimit,
): (platform: Pick<Platform, 'database' | 'config'>, key: string) => Promise<number> {
  return async (platform, key) => {
    const row = await runOne<{ calls: number; wait: number }>(
      platform.database.db,
      `INSERT INTO key_call_window AS w (purpose, key, started_at, calls) VALUES ($1, $2, clock_timestamp(), 1)
       ON CONFLICT (purpose, key) DO UPDATE SET
         calls = CASE WHEN w.started_at + make_interval(secs => $3) <= clock_timestamp() THEN 1 ELSE least(w.calls + 1, $4 + 1) END,
         started_at = CASE WHEN w.started_at + make_interval(secs => $3) <= clock_timestamp() THEN clock_timestamp() ELSE w.started_at END
       RETURNING calls, extract(epoch FROM started_at + make_interval(secs => $3) - clock_timestamp())::float8 AS wait`,
      [
        limit.purpose,
        createHmac('sha256', platform.config.secretKey).update(`${limit.purpose}\n${key}`).digest(),
        limit.seconds,
        limit.most,
      ],
    );
    return row!.calls <= limit.most ? 0 : Math.max(1, Math.ceil(row!.wait));
  };
}
