import type { Caller } from '../../../kernel/server/caller.ts';
import { run, type Executor, type Tx } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { addTask, approversOf, dropTask, giveTask, type ToldApproval } from './approve.server.ts';

/** Who changes something, and the product it is changed in. */
export interface Changing {
  readonly caller: Caller;
  readonly platform: Platform;
}

/**
 * Runs a change of who leads whom or of who works where. Open tasks that came from the structure go to those whom the
 * kind finds now, with an entry in the timeline of what is approved and a message; tasks that were handed over stay where
 * they are, and so does everything while nobody is found.
 */
export async function approvalsFollow<T>(tx: Tx, changing: Changing, change: () => Promise<T>): Promise<T> {
  const before = await placesOf(tx, changing.caller.tenantId);
  const result = await change();
  if (before.size === 0) return result;
  const after = await placesOf(tx, changing.caller.tenantId);
  const moved = [...after].filter(([id, place]) => before.get(id) !== place).map(([id]) => id);
  if (moved.length > 0) await findAnew(tx, changing, moved);
  return result;
}

async function findAnew(tx: Tx, changing: Changing, subjectIds: readonly number[]): Promise<void> {
  const approvals = await run<ToldApproval & { readonly instanceId: number }>(
    tx,
    `SELECT id AS "instanceId", code, biz_type AS kind, biz_id AS "bizId", tenant_id AS "tenantId", starter_id AS "starterId", subject_id AS "subjectId",
            title_zh AS "titleZh", title_en AS "titleEn"
       FROM approval_instance WHERE state = 'running' AND coalesce(subject_id, starter_id) = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    [subjectIds],
  );
  for (const approval of approvals) {
    const tasks = await run<{ id: number; assigneeId: number; via: string }>(
      tx,
      `SELECT id, assignee_id AS "assigneeId", via FROM approval_task WHERE instance_id = $1 AND state = 'pending' ORDER BY id`,
      [approval.instanceId],
    );
    const bound = tasks.filter((task) => task.via === 'none');
    const wanted = bound.length === 0 ? [] : await approversOf(tx, changing.platform, approval);
    if (wanted.length === 0) continue;
    const missing = wanted.filter((id) => !tasks.some((task) => task.assigneeId === id));
    for (const task of bound.filter((one) => !wanted.includes(one.assigneeId))) {
      const to = missing.shift();
      if (to === undefined) await dropTask(tx, task.id);
      else await giveTask(tx, changing, { ...approval, ...task }, to, 'none');
    }
    for (const id of missing) await addTask(tx, changing.platform, approval, id);
  }
}

/** Where the staff of open approvals stand, as texts that differ when somebody else may have to decide. */
async function placesOf(db: Executor, tenantId: number): Promise<ReadonlyMap<number, string>> {
  const rows = await run<{ id: number; department: number | null; leaders: number[] }>(
    db,
    `SELECT s.id, s.department_id AS department,
            ARRAY(SELECT l.id FROM department d CROSS JOIN LATERAL unnest(CASE WHEN cardinality(d.path) = 0 THEN ARRAY[d.id] ELSE d.path END) WITH ORDINALITY AS p (id, level)
                    JOIN department above ON above.id = p.id JOIN staff l ON l.id = above.leader_id AND l.state = 'normal'
                   WHERE d.id = s.department_id ORDER BY p.level DESC) AS leaders
       FROM staff s WHERE s.id IN (SELECT coalesce(subject_id, starter_id) FROM approval_instance WHERE state = 'running' AND tenant_id = $1)`,
    [tenantId],
  );
  if (rows.length === 0) return new Map();
  const above = new Map(
    (
      await run<{ id: number; leader: number }>(
        db,
        'SELECT id, leader_id AS leader FROM staff WHERE tenant_id = $1 AND leader_id IS NOT NULL',
        [tenantId],
      )
    ).map((row) => [row.id, row.leader]),
  );
  // A leader who recorded it himself, or whom it is about, is followed by those above in person.
  const chain = (id: number): string => {
    const seen: number[] = [];
    for (let at: number | undefined = id; at !== undefined && !seen.includes(at); at = above.get(at))
      seen.push(at);
    return seen.join('<');
  };
  return new Map(rows.map((row) => [row.id, `${row.department} ${row.leaders.map(chain).join()}`]));
}
