import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { notify } from '../notification/notify.server.ts';
import { endOfMonth } from './batch-month.rules.ts';
import type { TaskMetric } from './task.rules.ts';
import { TODAY } from '../../kernel/server/today.ts';

const DAY = (at: string) => `(${at} AT TIME ZONE 'Asia/Shanghai')::date`;
/** Projects and instants of the task `t`. */
const INSIDE = (project: string, at: string) =>
  `${project} IN (SELECT p.project_id FROM butler_task_project p WHERE p.task_id = t.id) AND ${DAY(at)} BETWEEN t.from_on AND t.to_on AND (t.stopped_at IS NULL OR ${at} <= t.stopped_at)`;

/** What moves the progress of a task `t`: rows of butler, project, instant and value. */
const EVENTS: Readonly<Record<TaskMetric, string>> = {
  shares: `SELECT s.housekeeper_id AS butler, s.project_id AS project, s.shared_at AS at, 1::bigint AS value FROM butler_share s WHERE ${INSIDE('s.project_id', 's.shared_at')}`,
  visits: `SELECT s.housekeeper_id AS butler, s.project_id AS project, v.at, 1::bigint AS value FROM butler_share_visit v JOIN butler_share s ON s.id = v.share_id
     WHERE v.counted AND ${INSIDE('s.project_id', 'v.at')}`,
  orders: `SELECT p.housekeeper_id AS butler, min(p.project_id) AS project, min(p.counted_at) AS at, 1::bigint AS value FROM butler_performance p
     WHERE p.housekeeper_id IS NOT NULL AND ${INSIDE('p.project_id', 'p.counted_at')} GROUP BY p.housekeeper_id, p.order_id HAVING sum(p.valid) > 0`,
  valid: `SELECT p.housekeeper_id AS butler, p.project_id AS project, p.counted_at AS at, p.valid AS value FROM butler_performance p
     WHERE p.housekeeper_id IS NOT NULL AND ${INSIDE('p.project_id', 'p.counted_at')}`,
  visited_houses: `SELECT k.id AS butler, min(w.project_id) AS project, min(w.finished_at) AS at, 1::bigint AS value
      FROM work_order w JOIN work_category c ON c.id = w.category_id AND (c.code = 'home_visit' OR c.name = '走访') JOIN housekeeper k ON k.staff_id = w.handler_id
     WHERE w.status = 'finished' AND w.house_id IS NOT NULL AND ${INSIDE('w.project_id', 'w.finished_at')} GROUP BY k.id, w.house_id`,
  fee_collected: `SELECT x.housekeeper_id AS butler, b.project_id AS project, m.created_at AS at, a.amount AS value FROM bill_allocation a
      JOIN bill_payment m ON m.id = a.payment_id JOIN bill b ON b.id = a.bill_id
      JOIN housekeeper_house x ON x.house_id = b.house_id AND x.kind = 'main' AND x.days @> ${DAY('m.created_at')}
     WHERE ${INSIDE('b.project_id', 'm.created_at')}`,
};

/** Who takes part: the butlers at work in the projects of the task, those chosen or all. Refuses when there is nobody. Returns how many. */
export async function enlist(tx: Tx, id: number): Promise<number> {
  const rows = await run<{ staffId: number }>(
    tx,
    `INSERT INTO butler_task_progress (task_id, housekeeper_id, project_ids, centre_id)
     SELECT $1, x.id, x.projects, (SELECT p.centre_id FROM project p WHERE p.id = x.projects[1])
       FROM (SELECT k.id, array_agg(DISTINCT a.project_id ORDER BY a.project_id) AS projects
               FROM housekeeper k JOIN staff s ON s.id = k.staff_id AND s.state = 'normal' JOIN housekeeper_building a ON a.housekeeper_id = k.id
                AND a.valid_from <= ${TODAY} AND (a.valid_to IS NULL OR a.valid_to >= ${TODAY})
               JOIN butler_task_project p ON p.task_id = $1 AND p.project_id = a.project_id
              WHERE k.left_at IS NULL AND (NOT EXISTS (SELECT FROM butler_task_butler b WHERE b.task_id = $1)
                 OR EXISTS (SELECT FROM butler_task_butler b WHERE b.task_id = $1 AND b.housekeeper_id = k.id))
              GROUP BY k.id) x
      ORDER BY x.id ON CONFLICT ON CONSTRAINT butler_task_progress_once DO NOTHING
      RETURNING (SELECT k.staff_id FROM housekeeper k WHERE k.id = housekeeper_id) AS "staffId"`,
    [id],
  );
  if (rows.length === 0) throw ruleBroken(['范围内没有在岗管家', 'No butler at work is reached']);
  const task = (await runOne<{ title: string; from: string; to: string }>(
    tx,
    'SELECT title, from_on::text AS "from", to_on::text AS "to" FROM butler_task WHERE id = $1',
    [id],
  ))!;
  await notify(tx, {
    kind: 'butler',
    staffIds: rows.map((row) => row.staffId),
    title: [`运营任务：${task.title}`, `Task: ${task.title}`],
    body: [`${task.from} 至 ${task.to}`, `${task.from} to ${task.to}`],
    aboutReceiver: true,
  });
  return rows.length;
}

/**
 * Works the progress of everybody in a task out anew from the rows it rests on: how far, when the target was reached, and the
 * rank, of equal ones who was there earlier first. A repeat changes nothing.
 */
export async function countTask(tx: Tx, id: number): Promise<void> {
  const task = await runOne<{ metric: TaskMetric }>(
    tx,
    'SELECT metric FROM butler_task WHERE id = $1 FOR NO KEY UPDATE',
    [id],
  );
  if (!task) return;
  await run(
    tx,
    `WITH t AS (SELECT * FROM butler_task WHERE id = $1),
          event AS (SELECT e.* FROM t CROSS JOIN LATERAL (${EVENTS[task.metric]}) e),
          run AS (SELECT e.butler, e.at, e.value, sum(e.value) OVER (PARTITION BY e.butler ORDER BY e.at, e.value) AS so_far FROM event e),
          far AS (SELECT r.butler, sum(r.value) AS total, max(r.at) FILTER (WHERE r.value <> 0) AS at, min(r.at) FILTER (WHERE r.so_far >= t.target) AS reached FROM run r CROSS JOIN t GROUP BY r.butler),
          now AS (SELECT p.id, coalesce(f.total, 0)::bigint AS progress, f.at, CASE WHEN coalesce(f.total, 0) >= t.target THEN f.reached END AS reached
                    FROM butler_task_progress p CROSS JOIN t LEFT JOIN far f ON f.butler = p.housekeeper_id WHERE p.task_id = t.id),
          ranked AS (SELECT n.*, row_number() OVER (ORDER BY n.progress DESC, coalesce(n.reached, n.at) NULLS LAST, n.id)::int AS rank FROM now n)
     UPDATE butler_task_progress p SET progress = r.progress, progress_at = r.at, reached_at = r.reached, rank = r.rank FROM ranked r WHERE r.id = p.id`,
    [id],
  );
  await run(tx, 'UPDATE butler_task SET counted_at = now() WHERE id = $1', [id]);
}

/** What came of a task by day, of some projects (null: all). */
export async function taskDays(
  db: Executor,
  id: number,
  projects: readonly number[] | null,
): Promise<readonly { readonly day: string; readonly value: number }[]> {
  const task = (await runOne<{ metric: TaskMetric }>(db, 'SELECT metric FROM butler_task WHERE id = $1', [
    id,
  ]))!;
  return run(
    db,
    `WITH t AS (SELECT * FROM butler_task WHERE id = $1)
     SELECT d::date::text AS day, coalesce((SELECT sum(e.value) FROM (${EVENTS[task.metric]}) e WHERE ${DAY('e.at')} = d::date AND ($2::bigint[] IS NULL OR e.project = ANY($2::bigint[]))
              AND EXISTS (SELECT FROM butler_task_progress p WHERE p.task_id = t.id AND p.housekeeper_id = e.butler)), 0)::bigint AS value
       FROM t CROSS JOIN LATERAL generate_series(t.from_on, least(t.to_on, ${TODAY}), interval '1 day') d ORDER BY d`,
    [id, projects],
  );
}

/** Staff behind the pace of a running task: less than the target's share of the days that have begun. */
export async function behindPace(tx: Tx, id: number): Promise<readonly number[]> {
  const rows = await run<{ staffId: number }>(
    tx,
    `SELECT k.staff_id AS "staffId" FROM butler_task t JOIN butler_task_progress p ON p.task_id = t.id JOIN housekeeper k ON k.id = p.housekeeper_id AND k.left_at IS NULL
      WHERE t.id = $1 AND p.reached_at IS NULL AND p.progress < ${PACE} ORDER BY k.id`,
    [id],
  );
  return rows.map((row) => row.staffId);
}

/** What a participant of the task `t` should have by the end of today. */
export const PACE = `(t.target::numeric * least(greatest(${TODAY} - t.from_on + 1, 0), t.to_on - t.from_on + 1) / (t.to_on - t.from_on + 1))`;

/** A reward that is due and in no live batch. */
export interface DueReward {
  readonly taskId: number;
  readonly housekeeperId: number;
  readonly amount: number;
  readonly title: string;
}

/** Rewards of tasks that were over by the end of a month, for butlers of a centre city. Once per butler and task. */
export async function dueRewards(
  db: Executor,
  centreId: number,
  month: string,
): Promise<readonly DueReward[]> {
  return run(
    db,
    `SELECT t.id AS "taskId", p.housekeeper_id AS "housekeeperId", t.reward_fen AS amount, t.title
       FROM butler_task_progress p JOIN butler_task t ON t.id = p.task_id
      WHERE p.centre_id = $1 AND p.reached_at IS NOT NULL AND t.reward_fen > 0 AND t.state IN ('ended', 'stopped')
        AND coalesce(t.stopped_at, (t.to_on + 1)::timestamp AT TIME ZONE 'Asia/Shanghai') <= $2
        AND NOT EXISTS (SELECT FROM incentive i WHERE i.task_id = t.id AND i.housekeeper_id = p.housekeeper_id AND i.state <> 'cancelled')
      ORDER BY t.id, p.housekeeper_id`,
    [centreId, endOfMonth(month)],
  );
}
