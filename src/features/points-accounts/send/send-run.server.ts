import { grantMany } from '../../../domain/points-ledger/points-many.server.ts';
import { tellEach } from '../../../domain/message-send/tell-member.server.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, transaction, type Tx } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';

/** Source of the points of a line. */
export const lineSource = (lineId: number) => ({
  type: 'points_grant_batch',
  id: String(lineId),
  purpose: 'grant',
});

/**
 * Starts batches whose time has come, sends their lines and ends them. Lines are given some hundreds in a transaction, together
 * with what says so: a crash or a second worker finds every line either sent or waiting. Where one of them is refused, each
 * goes alone, so that only that one fails.
 */
export function sendJob(bound: () => BoundResource): Job {
  return {
    name: 'points.send.run',
    title: ['积分批次发放', 'Batches of points'],
    cron: '* * * * *',
    timeoutSeconds: 3_600,
    run: async (_payload, platform, context) => {
      const { db } = platform.database;
      const act = (action: string, id: number) =>
        transaction(db, (tx) => bound().actAsSystem(tx, platform, action, id)).catch((error: unknown) => {
          // Another worker was first.
          if (!(error instanceof Refusal)) throw error;
        });
      const due = await run<{ id: number }>(
        db,
        `SELECT id FROM points_grant_batch WHERE state = 'to_send' AND coalesce(send_at <= now(), true) ORDER BY id`,
      );
      for (const { id } of due) await act('start', id);
      const sending = await run<{ id: number }>(
        db,
        `SELECT id FROM points_grant_batch WHERE state = 'sending' ORDER BY id`,
      );
      for (const { id } of sending) {
        await sendLines(platform, id, context?.signal);
        await act('finish', id);
      }
    },
  };
}

/** Lines given in one transaction: a stop is soon heard, and nobody waits long for an account. */
const CHUNK = 200;
/** Codes of what a line breaks in the database: it is looked at on its own then. */
const BROKEN = new Set(['23505', '23514', '23503']);

/** Sends the waiting lines of a batch, at most `points.send.rate` a second. */
export async function sendLines(platform: Platform, batchId: number, signal?: AbortSignal): Promise<void> {
  const { db } = platform.database;
  const rate = await platform.settings.number('points.send.rate');
  const size = Math.min(CHUNK, rate);
  for (let after = 0; ;) {
    signal?.throwIfAborted();
    const since = Date.now();
    const ids = (
      await run<{ id: number }>(
        db,
        `SELECT id FROM points_grant_line WHERE batch_id = $1 AND id > $2 AND state = 'pending' ORDER BY id LIMIT $3`,
        [batchId, after, size],
      )
    ).map((line) => line.id);
    try {
      await transaction(db, (tx) => sendChunk(tx, platform, ids, signal));
    } catch (error) {
      if (!(error instanceof Refusal) && !BROKEN.has(String((error as { code?: unknown }).code))) throw error;
      for (const id of ids) {
        signal?.throwIfAborted();
        await sendLine(platform, id);
      }
    }
    platform.changed('pointsGrantBatch');
    if (ids.length < size) return;
    after = ids.at(-1)!;
    const rest = (ids.length * 1_000) / rate - (Date.now() - since);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  }
}

/** A line that waits, locked. */
interface WaitingLine {
  readonly id: number;
  readonly memberId: number;
  readonly points: number;
  readonly name: string;
  readonly budgetId: number;
  readonly staffId: number;
  readonly grade: boolean;
  readonly notify: boolean;
  readonly ends: Date | null;
}

/** Those of some lines that wait and that no other worker has in hand. */
const lockLines = (tx: Tx, ids: readonly number[]) =>
  run<WaitingLine>(
    tx,
    `SELECT l.id, l.member_id AS "memberId", l.points, b.name, b.budget_id AS "budgetId", b.submitted_by AS "staffId", b.counts_for_grade AS grade, b.notify,
            ((b.expires_on + 1)::timestamp AT TIME ZONE 'Asia/Shanghai') - interval '1 second' AS ends
       FROM points_grant_line l JOIN points_grant_batch b ON b.id = l.batch_id
      WHERE l.id = ANY($1::bigint[]) AND l.state = 'pending' AND b.state = 'sending' ORDER BY l.id FOR UPDATE OF l SKIP LOCKED`,
    [ids],
  );
const arrived = (name: string, points: number): { readonly title: Label; readonly body: Label } => ({
  title: ['积分到账', 'Points arrived'],
  body: [`「${name}」：+${points} 积分`, `“${name}”: +${points} points`],
});

/** Sends lines together and marks them in the same transaction; a refusal of one refuses all. */
async function sendChunk(
  tx: Tx,
  platform: Platform,
  ids: readonly number[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const lines = await lockLines(tx, ids);
  const [batch] = lines;
  if (!batch) return;
  const transfers = await grantMany(
    tx,
    platform.settings,
    {
      budgetId: batch.budgetId,
      countsForGrade: batch.grade,
      staffId: batch.staffId,
      note: batch.name,
      ...(batch.ends ? { expiresAt: batch.ends } : {}),
    },
    lines.map((line) => ({ memberId: line.memberId, amount: line.points, source: lineSource(line.id) })),
  );
  await run(
    tx,
    `UPDATE points_grant_line l SET state = 'sent', transfer_id = x.transfer, reason_zh = '', reason_en = '', done_at = now()
       FROM unnest($1::bigint[], $2::bigint[]) AS x(id, transfer) WHERE l.id = x.id`,
    [lines.map((line) => line.id), transfers],
  );
  if (batch.notify)
    await tellEach(
      tx,
      lines.map((line) => ({ memberId: line.memberId, ...arrived(batch.name, line.points) })),
    );
  // Who is stopped here has given nothing.
  signal?.throwIfAborted();
}

/** Sends one line and marks it in the same transaction; a refusal is written on the line instead. */
async function sendLine(platform: Platform, lineId: number): Promise<void> {
  const { db } = platform.database;
  try {
    await transaction(db, (tx) => sendChunk(tx, platform, [lineId], undefined));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await run(
      db,
      `UPDATE points_grant_line SET state = 'failed', reason_zh = $2, reason_en = $3, done_at = now() WHERE id = $1 AND state = 'pending'`,
      [lineId, error.label[0], error.label[1]],
    );
  }
}
