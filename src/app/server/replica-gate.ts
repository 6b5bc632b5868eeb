import type { OpenDatabase } from '../../kernel/server/database.ts';
import { failureFacts } from '../../kernel/server/http/failure-facts.ts';
import type { Log } from '../../kernel/server/platform.ts';

/** Seconds a replica may lag and still be read from. */
export const MOST_LAG_SECONDS = 5;

const LOOK_EVERY_MS = 1_000;
/** A look that takes longer counts as no answer. */
const LOOK_MS = 2_000;

/** Chooses where reports and exports read. */
export interface ReplicaGate {
  /** The replica while it is known to be close behind, else the primary. */
  current(): OpenDatabase;
  /** Looks now instead of at the next turn. */
  look(): Promise<void>;
  close(): void;
}

/**
 * Watches how far a replica is behind and leaves it out while that is more than five seconds or unknown: before the first look,
 * while it does not answer, and when it is no standby at all (promoted, or the wrong address), as nothing says what it holds.
 */
export function watchReplica(parts: {
  readonly primary: OpenDatabase;
  readonly replica: OpenDatabase;
  readonly log: Log;
  /** Seconds behind; undefined: unknown. */
  readonly measure?: (replica: OpenDatabase) => Promise<number | undefined>;
  readonly now?: () => number;
  /** False: looks only when told to. */
  readonly byItself?: boolean;
}): ReplicaGate {
  const { primary, replica, log, measure = replicaLag, now = () => performance.now() } = parts;
  let lag: number | undefined;
  let measuredAt = 0;
  let wasUsed: boolean | undefined;
  let looking: Promise<void> | undefined;

  // What was measured grows old: a look that hangs must not keep an old answer alive.
  const isUsable = () =>
    lag !== undefined && lag + Math.max(0, now() - measuredAt - LOOK_EVERY_MS) / 1000 <= MOST_LAG_SECONDS;
  const tell = (reason: string) => {
    const isUsed = isUsable();
    if (isUsed === wasUsed) return;
    if (isUsed) log.info({ lagSeconds: lag }, 'reports and exports read from the replica');
    else log.warn({ reason }, 'the replica is left out: reports and exports read from the primary');
    wasUsed = isUsed;
  };
  const look = () =>
    (looking ??= (async () => {
      const askedAt = now();
      try {
        lag = await inTime(measure(replica));
        measuredAt = askedAt;
        tell(lag === undefined ? 'it is no standby, or cut off' : `it is ${lag.toFixed(1)} s behind`);
      } catch (error) {
        lag = undefined;
        tell(failureFacts(error).message);
      } finally {
        looking = undefined;
      }
    })());
  let timer: NodeJS.Timeout | undefined;
  if (parts.byItself !== false) {
    timer = setInterval(() => void look(), LOOK_EVERY_MS);
    timer.unref();
    void look();
  }
  return { current: () => (isUsable() ? replica : primary), look, close: () => clearInterval(timer) };
}

/**
 * Seconds a standby is behind. One that has replayed all it received and is still connected is up to date, however long ago
 * the last transaction was; one that is not connected is as old as its last transaction. Undefined: no standby.
 */
export async function replicaLag(replica: OpenDatabase): Promise<number | undefined> {
  const { rows } = await replica.pool.query<{ standby: boolean; lag: number | null }>(
    `SELECT pg_is_in_recovery() AS standby,
            CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
                 ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) END::float8 AS lag`,
  );
  const { standby, lag } = rows[0]!;
  return standby && lag !== null ? Math.max(0, lag) : undefined;
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no answer in time')), LOOK_MS);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}
