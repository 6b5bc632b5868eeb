import type { Caller } from '../../kernel/server/people/caller.ts';
import { run, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { rightsReadOnce } from '../permission/effective-permissions.server.ts';
import { takeTurn } from '../permission/turns.server.ts';
import { addTask, approversOf, dropTask, giveTask, type ToldApproval } from './approve.server.ts';

/** Who changes something, and the product it is changed in. */
export interface Changing {
  readonly caller: Caller;
  readonly platform: Platform;
}

/** A change in one company, by somebody or by the product itself. */
export interface ChangingCompany extends Partial<Pick<Changing, 'caller'>>, Pick<Changing, 'platform'> {
  readonly tenantId: number;
}

/** `approvalsOfCompanyFollow` in the company of who changes something. */
export function approvalsFollow<T>(tx: Tx, changing: Changing, change: () => Promise<T>): Promise<T> {
  const { caller, platform } = changing;
  return approvalsOfCompanyFollow(tx, { caller, platform, tenantId: caller.tenantId }, change);
}

/**
 * Runs a change of who leads whom, of who works where or of who works at all. Open tasks that came from the structure go
 * to those whom the kind finds now, with an entry in the timeline of what is approved and a message; tasks that were
 * handed over stay where they are as long as their assignee works, and so does everything while nobody is found.
 * Submissions wait until the change is committed, and it for theirs.
 */
export async function approvalsOfCompanyFollow<T>(
  tx: Tx,
  changing: ChangingCompany,
  change: () => Promise<T>,
): Promise<T> {
  await takeTurn(tx);
  const before = await placesOf(tx, changing.tenantId);
  const result = await change();
  if (before.size === 0) return result;
  const after = await placesOf(tx, changing.tenantId);
  const moved = [...after].filter(([id, place]) => before.get(id) !== place).map(([id]) => id);
  if (moved.length > 0) await rightsReadOnce(tx, () => findAnew(tx, changing, moved));
  return result;
}

async function findAnew(
  tx: Tx,
  changing: Omit<ChangingCompany, 'tenantId'>,
  subjectIds: readonly number[],
): Promise<void> {
  const approvals = await run<ToldApproval>(
    tx,
    `SELECT id AS "instanceId", code, biz_type AS kind, biz_id AS "bizId", tenant_id AS "tenantId", starter_id AS "starterId", subject_id AS "subjectId",
            title_zh AS "titleZh", title_en AS "titleEn"
       FROM approval_instance WHERE state = 'running' AND process_id IS NULL AND NOT awaits_starter AND coalesce(subject_id, starter_id) = ANY($1::bigint[]) ORDER BY id FOR UPDATE`,
    [subjectIds],
  );
  for (const approval of approvals) {
    const tasks = await run<{ id: number; assigneeId: number; bound: boolean }>(
      tx,
      `SELECT k.id, k.assignee_id AS "assigneeId", k.via = 'none' OR a.state <> 'normal' AS bound
         FROM approval_task k JOIN staff a ON a.id = k.assignee_id WHERE k.instance_id = $1 AND k.state = 'pending' ORDER BY k.id`,
      [approval.instanceId],
    );
    const bound = tasks.filter((task) => task.bound);
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
  const rows = await run<{ id: number; department: number | null; leaders: number[]; resting: number[] }>(
    db,
    `SELECT s.id, s.department_id AS department,
            ARRAY(SELECT l.id FROM department d CROSS JOIN LATERAL unnest(CASE WHEN cardinality(d.path) = 0 THEN ARRAY[d.id] ELSE d.path END) WITH ORDINALITY AS p (id, level)
                    JOIN department above ON above.id = p.id JOIN staff l ON l.id = above.leader_id AND l.state = 'normal'
                   WHERE d.id = s.department_id ORDER BY p.level DESC) AS leaders,
            ARRAY(SELECT k.assignee_id FROM approval_instance i JOIN approval_task k ON k.instance_id = i.id AND k.state = 'pending'
                    JOIN staff a ON a.id = k.assignee_id AND a.state <> 'normal'
                   WHERE i.state = 'running' AND coalesce(i.subject_id, i.starter_id) = s.id ORDER BY k.id) AS resting
       FROM staff s WHERE s.id IN (SELECT coalesce(subject_id, starter_id) FROM approval_instance WHERE state = 'running' AND process_id IS NULL AND tenant_id = $1)`,
    [tenantId],
  );
  if (rows.length === 0) return new Map();
  const above = new Map(
    (
      await run<{ id: number; leader: number; works: boolean }>(
        db,
        `SELECT s.id, l.id AS leader, l.state = 'normal' AS works FROM staff s JOIN staff l ON l.id = s.leader_id WHERE s.tenant_id = $1`,
        [tenantId],
      )
    ).map((row) => [row.id, row]),
  );
  // A leader who recorded it himself, or whom it is about, is followed by those above in person.
  const chain = (id: number): string => {
    const seen = new Set([id]);
    let text = String(id);
    for (let next = above.get(id); next && !seen.has(next.leader); next = above.get(next.leader)) {
      seen.add(next.leader);
      text += `<${next.works ? '' : '-'}${next.leader}`;
    }
    return text;
  };
  return new Map(
    rows.map((row) => [row.id, `${row.department} ${row.leaders.map(chain).join()} ${row.resting.join()}`]),
  );
}
