import { run, runOne, transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';

/** An outage of the whole product is counted at its end, up to so many minutes. */
const LONGEST_GAP = 7 * 24 * 60;

/**
 * Counts the minutes since the last count, by one instance at a time: a service with an instance that is UP was up in the
 * minute now; minutes nobody counted were an outage of everything that was expected then. Services that are only out of
 * service on purpose are not counted. Returns how many minutes were counted. `now` in milliseconds.
 * Source: group 05, Reports (availability).
 */
export async function countAvailability(platform: Platform, now: number): Promise<number> {
  return transaction(platform.database.db, async (tx) => {
    const turn = await runOne<{ minutes: number | null }>(
      tx,
      `SELECT CASE WHEN done_at = '-infinity' THEN 1 ELSE floor(extract(epoch FROM to_timestamp($1::float8 / 1000) - done_at) / 60)::integer END AS minutes
         FROM monitor_turn WHERE work = 'availability' FOR UPDATE SKIP LOCKED`,
      [now],
    );
    const minutes = Math.min(turn?.minutes ?? 0, LONGEST_GAP);
    if (minutes < 1) return 0;
    await run(
      tx,
      `UPDATE monitor_turn SET done_at = CASE WHEN done_at = '-infinity' THEN to_timestamp($1::float8 / 1000)
         ELSE done_at + make_interval(mins => floor(extract(epoch FROM to_timestamp($1::float8 / 1000) - done_at) / 60)::integer) END
        WHERE work = 'availability'`,
      [now],
    );
    await run(
      tx,
      `INSERT INTO service_up_total (day, service, up, expected)
       SELECT (to_timestamp($1::float8 / 1000) AT TIME ZONE 'Asia/Shanghai')::date, service,
              CASE WHEN bool_or(status = 'UP') THEN 1 ELSE 0 END, $2
         FROM service_instance WHERE status <> 'OUT_OF_SERVICE' GROUP BY service
       ON CONFLICT (day, service) DO UPDATE SET up = service_up_total.up + excluded.up, expected = service_up_total.expected + excluded.expected`,
      [now, minutes],
    );
    return minutes;
  });
}
