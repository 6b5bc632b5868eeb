import { PACE } from '../../../domain/butler/task.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { butlerTaskProgress } from './operate.contract.ts';

const BEHIND = `(x.state = 'running' AND t.reached_at IS NULL AND t.progress < (SELECT ${PACE} FROM butler_task t WHERE t.id = x.id))`;

/** Leaderboards of tasks. */
export const registration = bindResource(butlerTaskProgress, {
  table: 'butler_task_progress',
  from: 'butler_task_progress t LEFT JOIN butler_task x ON x.id = t.task_id LEFT JOIN housekeeper k ON k.id = t.housekeeper_id LEFT JOIN staff s ON s.id = k.staff_id',
  columns: {
    task: { id: 't.task_id', title: 'x.title' },
    name: 's.name',
    staffNo: 's.staff_no',
    progress: `(CASE WHEN x.target_fen IS NOT NULL THEN to_char(t.progress / 100.0, 'FM999999999990.00') ELSE t.progress::text END)`,
    percent: `round(100.0 * t.progress / x.target, 1)::text`,
    wasReached: '(t.reached_at IS NOT NULL)',
    behind: BEHIND,
    reward: `(CASE WHEN t.reached_at IS NOT NULL THEN x.reward_fen ELSE 0 END)::bigint`,
    batch: `(SELECT b.code FROM incentive i JOIN incentive_batch b ON b.id = i.batch_id WHERE i.task_id = t.task_id AND i.housekeeper_id = t.housekeeper_id AND i.state <> 'cancelled')`,
  },
  extra: { version: '1' },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) => `t.project_ids && ${ids}::bigint[]`,
    owner: 'k.staff_id',
  },
  search: 'lower(s.name)',
}).registration;
