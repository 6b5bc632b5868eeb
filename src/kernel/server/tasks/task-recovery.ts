import type { Label } from '../../contract/label.ts';
import { run, transaction, type Tx } from '../database.ts';
import { removeStoredFile } from '../files/files.ts';
import type { Platform } from '../platform.ts';
import { KEEP_DAYS, queueTask, removeInputFile, type TaskRow } from './task-centre.ts';

/** Times a task is started before it counts as failed because its worker dies with it. */
export const TASK_ATTEMPTS = 3;

const WORKER_DIED: Label = [
  '任务多次中断，请联系管理员',
  'The task broke off several times, please contact the administrator',
];

/**
 * Queues running tasks whose worker died (no heartbeat for 60 s) and queued ones that lost their job; a task that broke
 * off three times fails. Returns how many were touched.
 */
export async function recoverTasks(platform: Platform): Promise<number> {
  return transaction(platform.database.db, async (tx) => {
    const failed = await run<{ id: string }>(
      tx,
      `UPDATE task SET state = 'failed', error = CASE language WHEN 'zh' THEN $2 ELSE $3 END, finished_at = clock_timestamp(),
              expires_at = clock_timestamp() + make_interval(days => $4)
        WHERE state = 'exporting' AND heartbeat_at < clock_timestamp() - interval '60 seconds' AND attempts >= $1 RETURNING id`,
      [TASK_ATTEMPTS, WORKER_DIED[0], WORKER_DIED[1], KEEP_DAYS],
    );
    await run(
      tx,
      `UPDATE task SET state = 'queued', progress = 0
        WHERE state = 'exporting' AND heartbeat_at < clock_timestamp() - interval '60 seconds'`,
    );
    const lost = await run<{ id: string }>(
      tx,
      `SELECT t.id FROM task t
        WHERE t.state = 'queued' AND t.created_at < clock_timestamp() - interval '10 seconds'
          AND (SELECT count(*) FROM task r WHERE r.staff_id = t.staff_id AND r.state = 'exporting') < 2
          AND NOT EXISTS (
            SELECT FROM graphile_worker._private_jobs j
             WHERE j.key = 'task:' || t.id AND j.locked_at IS NULL AND j.attempts < j.max_attempts)
        ORDER BY t.created_at LIMIT 200 FOR UPDATE OF t SKIP LOCKED`,
    );
    for (const { id } of lost) await queueTask(tx, id);
    return failed.length + lost.length;
  });
}

/** Expires finished tasks after their seven days: the file goes, the entry stays 90 days. Failed ones go whole. Returns how many. */
export async function expireTasks(platform: Platform): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await transaction(platform.database.db, expireSome);
    total += count;
    if (count < PIECE) return total;
  }
}

const PIECE = 200;

async function expireSome(tx: Tx): Promise<number> {
  const due = await run<TaskRow>(
    tx,
    `SELECT id, kind, state, query, file_id FROM task
      WHERE state NOT IN ('queued', 'exporting') AND CASE state
              WHEN 'ready' THEN expires_at < clock_timestamp()
              WHEN 'expired' THEN created_at < clock_timestamp() - interval '90 days'
              ELSE coalesce(expires_at, finished_at + make_interval(days => $1)) < clock_timestamp() END
      LIMIT ${PIECE} FOR UPDATE SKIP LOCKED`,
    [KEEP_DAYS],
  );
  for (const task of due) {
    if (task.state === 'ready')
      await run(tx, `UPDATE task SET state = 'expired', file_id = NULL WHERE id = $1`, [task.id]);
    else await run(tx, 'DELETE FROM task WHERE id = $1', [task.id]);
    if (task.file_id) await removeStoredFile(tx, task.file_id);
    await removeInputFile(tx, task);
  }
  return due.length;
}
