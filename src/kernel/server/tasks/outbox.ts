import { run, runOne, transaction, type Executor } from '../database.ts';
import { queueJob } from './job-queue.ts';
import { failureFacts } from '../http/failure-facts.ts';
import type { Platform } from '../platform.ts';
import type { Effect } from '../registration.ts';
import { withSpan } from '../http/tracing.ts';

/** How an effect is queued. */
export interface EffectOptions {
  /** A second effect with the same key is not written, for ever: use it where the number is fixed before the call. */
  readonly key?: string;
  /** Seconds until the first try; default 0. */
  readonly delaySeconds?: number;
}

/** What a delivery did. `skipped`: done already, dead, not due yet, or being delivered elsewhere. */
export type Delivery = 'done' | 'retry' | 'dead' | 'skipped';

/** Tries before an effect is given up (`dead`). With the pauses below that is about 15 hours. */
export const EFFECT_TRIES = 20;

/** Thrown by an effect that no repeat will help: it is given up at once, stays visible and can be revived. */
export class EffectRefused extends Error {}

/** Job name of a delivery; its payload is `{ outboxId }`. */
export const DELIVER_JOB = 'outbox.deliver';

/**
 * Writes an effect in the caller's transaction and queues its delivery: after COMMIT it will run, after ROLLBACK there is
 * neither. Returns the outbox id, or undefined when an effect with the same key was written before.
 *
 * Delivery is at least once. A crash between the effect and its mark delivers again, so every effect must tolerate a
 * repeat: it gets the outbox id, which never changes, as the number to hand to the other side as idempotency key.
 */
export async function addEffect(
  tx: Executor,
  kind: string,
  payload: unknown,
  options: EffectOptions = {},
): Promise<number | undefined> {
  const delay = options.delaySeconds ?? 0;
  const row = await runOne<{ id: number; available_at: Date }>(
    tx,
    `INSERT INTO outbox (kind, key, payload, available_at)
     VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
     ON CONFLICT (key) DO NOTHING RETURNING id, available_at`,
    [kind, options.key ?? null, JSON.stringify(payload ?? null), delay],
  );
  if (!row) return undefined;
  await queueDelivery(tx, row.id, delay > 0 ? row.available_at : undefined);
  return row.id;
}

/**
 * Delivers one effect. The row is claimed by a lease rather than a row lock: a lock would hold a transaction open for as
 * long as the other side takes to answer. The lease is renewed while the effect runs and ends by itself after a crash.
 * A failure waits 1, 2, 5, 10, 30 minutes, then an hour each; after 20 tries, or at once where
 * it says that no repeat helps, the effect is dead and stays visible.
 */
export async function deliverEffect(
  platform: Platform,
  effects: ReadonlyMap<string, Effect>,
  outboxId: number,
): Promise<Delivery> {
  const { db } = platform.database;
  const claimed = await runOne<{ kind: string; payload: unknown; attempts: number }>(
    db,
    `UPDATE outbox SET attempts = attempts + 1, available_at = clock_timestamp() + make_interval(secs => $2)
      WHERE id = $1 AND state = 'pending' AND available_at <= clock_timestamp()
      RETURNING kind, payload, attempts`,
    [outboxId, LEASE_SECONDS],
  );
  if (!claimed) return 'skipped';
  const lease = setInterval(
    () => void renewLease(platform, outboxId, claimed.attempts),
    (LEASE_SECONDS * 1000) / 3,
  );
  try {
    const effect = effects.get(claimed.kind);
    if (!effect) throw new Error(`no effect ${claimed.kind} in this release`);
    await withSpan('effect', claimed.kind, () =>
      effect.deliver(claimed.payload as never, platform, outboxId),
    );
  } catch (error) {
    clearInterval(lease);
    return await keepFailure(platform, outboxId, claimed, error);
  } finally {
    clearInterval(lease);
  }
  await run(
    db,
    `UPDATE outbox SET state = 'done', done_at = clock_timestamp(), last_error = NULL WHERE id = $1 AND state = 'pending'`,
    [outboxId],
  );
  return 'done';
}

/**
 * Marks an effect as done in the transaction that does it, for effects that stay in the database: these are done once.
 * Returns false when it is done already; then do nothing.
 */
export async function finishEffect(tx: Executor, outboxId: number): Promise<boolean> {
  const row = await runOne(
    tx,
    `UPDATE outbox SET state = 'done', done_at = clock_timestamp(), last_error = NULL
      WHERE id = $1 AND state = 'pending' RETURNING id`,
    [outboxId],
  );
  return row !== undefined;
}

/** Queues pending effects that are due and have no living job any more. Returns how many; at most 1,000 a call. */
export async function sweepOutbox(platform: Platform): Promise<number> {
  return transaction(platform.database.db, async (tx) => {
    const lost = await run<{ id: number }>(
      tx,
      `SELECT o.id FROM outbox o
        WHERE o.state = 'pending' AND o.available_at < clock_timestamp() - interval '10 seconds'
          AND NOT EXISTS (
            SELECT FROM graphile_worker._private_jobs j
             WHERE j.key = 'outbox:' || o.id AND j.locked_at IS NULL AND j.attempts < j.max_attempts)
        ORDER BY o.available_at LIMIT 1000 FOR UPDATE SKIP LOCKED`,
    );
    for (const { id } of lost) await queueDelivery(tx, id);
    return lost.length;
  });
}

/**
 * Makes a dead or dropped effect pending again with all its tries, and one that waits for its next try due at once. Returns false
 * when there is nothing to try again.
 */
export async function reviveEffect(tx: Executor, outboxId: number): Promise<boolean> {
  const row = await runOne(
    tx,
    `UPDATE outbox SET state = 'pending', attempts = CASE WHEN state = 'pending' THEN attempts ELSE 0 END, available_at = clock_timestamp()
      WHERE id = $1 AND (state IN ('dead', 'dropped') OR (state = 'pending' AND last_error IS NOT NULL)) RETURNING id`,
    [outboxId],
  );
  if (row) await queueDelivery(tx, outboxId);
  return row !== undefined;
}

/** Seconds until the next try after the given number of failed ones. */
export function pauseSeconds(attempts: number): number {
  return (PAUSES_MINUTES[attempts - 1] ?? 60) * 60;
}

const PAUSES_MINUTES = [1, 2, 5, 10, 30];
const LEASE_SECONDS = 30;

async function queueDelivery(tx: Executor, outboxId: number, runAt?: Date): Promise<void> {
  await queueJob(
    tx,
    DELIVER_JOB,
    { outboxId },
    { jobKey: `outbox:${outboxId}`, ...(runAt ? { runAt } : {}) },
  );
}

async function renewLease(platform: Platform, outboxId: number, attempts: number): Promise<void> {
  await run(
    platform.database.db,
    `UPDATE outbox SET available_at = clock_timestamp() + make_interval(secs => $3)
      WHERE id = $1 AND state = 'pending' AND attempts = $2`,
    [outboxId, attempts, LEASE_SECONDS],
  ).catch((error: unknown) =>
    platform.log.warn({ err: failureFacts(error), outboxId }, 'lease of an effect was not renewed'),
  );
}

async function keepFailure(
  platform: Platform,
  outboxId: number,
  claimed: { readonly kind: string; readonly attempts: number },
  error: unknown,
): Promise<Delivery> {
  const dead = claimed.attempts >= EFFECT_TRIES || error instanceof EffectRefused;
  platform.log[dead ? 'error' : 'warn'](
    { err: failureFacts(error), outboxId, kind: claimed.kind, attempts: claimed.attempts },
    'effect failed',
  );
  return transaction(platform.database.db, async (tx) => {
    const row = await runOne<{ available_at: Date }>(
      tx,
      `UPDATE outbox SET state = $3, last_error = $4, available_at = clock_timestamp() + make_interval(secs => $5)
        WHERE id = $1 AND state = 'pending' AND attempts = $2 RETURNING available_at`,
      [
        outboxId,
        claimed.attempts,
        dead ? 'dead' : 'pending',
        messageOf(error),
        pauseSeconds(claimed.attempts),
      ],
    );
    if (!row) return 'skipped';
    if (!dead) await queueDelivery(tx, outboxId, row.available_at);
    return dead ? 'dead' : 'retry';
  });
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  // Only text PostgreSQL can store, and never a whole answer of the other side.
  return text.replaceAll('\u0000', '').toWellFormed().slice(0, 1000);
}
