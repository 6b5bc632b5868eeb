import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { LINE_KINDS } from '../../../domain/points-ledger/ledger-book.server.ts';
import { tellMembers } from '../../../domain/message-send/tell-member.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
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
 * Starts batches whose time has come, sends their lines and ends them. Each line is given in a transaction of its own with the
 * row that says so: a crash or a second worker finds every line either sent or waiting.
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

/** Sends the waiting lines of a batch, at most `points.send.rate` a second. */
export async function sendLines(platform: Platform, batchId: number, signal?: AbortSignal): Promise<void> {
  const { db } = platform.database;
  const rate = await platform.settings.number('points.send.rate');
  for (let after = 0; ;) {
    const lines = await run<{ id: number }>(
      db,
      `SELECT id FROM points_grant_line WHERE batch_id = $1 AND id > $2 AND state = 'pending' ORDER BY id LIMIT $3`,
      [batchId, after, rate],
    );
    const since = Date.now();
    for (const line of lines) {
      signal?.throwIfAborted();
      await sendLine(platform, line.id);
    }
    platform.changed('pointsGrantBatch');
    if (lines.length < rate) return;
    after = lines.at(-1)!.id;
    const rest = 1_000 - (Date.now() - since);
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  }
}

/** Sends one line and marks it in the same transaction; a refusal is written on the line instead. */
async function sendLine(platform: Platform, lineId: number): Promise<void> {
  const { db } = platform.database;
  try {
    await transaction(db, async (tx) => {
      const line = await runOne<{
        memberId: number;
        points: number;
        name: string;
        budgetId: number;
        staffId: number;
        grade: boolean;
        notify: boolean;
        ends: Date | null;
      }>(
        tx,
        `SELECT l.member_id AS "memberId", l.points, b.name, b.budget_id AS "budgetId", b.submitted_by AS "staffId", b.counts_for_grade AS grade, b.notify,
                ((b.expires_on + 1)::timestamp AT TIME ZONE 'Asia/Shanghai') - interval '1 second' AS ends
           FROM points_grant_line l JOIN points_grant_batch b ON b.id = l.batch_id
          WHERE l.id = $1 AND l.state = 'pending' AND b.state = 'sending' FOR UPDATE OF l SKIP LOCKED`,
        [lineId],
      );
      if (!line) return;
      const granted = await grantPoints(tx, platform.settings, {
        memberId: line.memberId,
        amount: line.points,
        source: lineSource(lineId),
        kind: LINE_KINDS.staff,
        budgetId: line.budgetId,
        fromHold: true,
        countsForGrade: line.grade,
        staffId: line.staffId,
        note: line.name,
        ...(line.ends ? { expiresAt: line.ends } : {}),
      });
      await run(
        tx,
        `UPDATE points_grant_line SET state = 'sent', transfer_id = $2, reason_zh = '', reason_en = '', done_at = now() WHERE id = $1`,
        [lineId, granted.transferId],
      );
      if (line.notify)
        await tellMembers(
          tx,
          [line.memberId],
          ['积分到账', 'Points arrived'],
          [`「${line.name}」：+${granted.amount} 积分`, `“${line.name}”: +${granted.amount} points`],
        );
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    await run(
      db,
      `UPDATE points_grant_line SET state = 'failed', reason_zh = $2, reason_en = $3, done_at = now() WHERE id = $1 AND state = 'pending'`,
      [lineId, error.label[0], error.label[1]],
    );
  }
}
