import { run, transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { defineRegistration } from '../../kernel/server/registration.ts';
import { grantTask, type TaskDone } from './points-task.server.ts';

/** Facts of so many days are looked at: a task that is switched on again does not reward what is long past. */
const DAYS = 3;
const since = (at: string) => `${at} > clock_timestamp() - interval '${DAYS} days'`;

/**
 * What proves a task outside of the door of member events: rows of households, payments and work orders. They are read where
 * they are kept, so that no way to write them can be forgotten. Source: group 01, os_taskIntegral.
 */
const FACTS: Readonly<Record<string, string>> = {
  // A house is bound, after approval; again with the same house is the same proof.
  T02: `SELECT h.member_id, x.project_id, 'house:' || h.house_id AS subject, h.bound_at AS at
          FROM household h JOIN house x ON x.id = h.house_id WHERE h.status = 'normal' AND ${since('h.bound_at')}`,
  // Property bills are paid for the first time.
  T03: `SELECT b.debtor_id AS member_id, p.project_id, 'bill:first' AS subject, p.created_at AS at
          FROM bill_payment p JOIN bill_allocation a ON a.payment_id = p.id JOIN bill b ON b.id = a.bill_id
         WHERE ${since('p.created_at')} GROUP BY b.debtor_id, p.id`,
  T12: `SELECT w.member_id, w.project_id, 'work_order:' || w.id AS subject, w.rated_at AS at FROM work_order w WHERE ${since('w.rated_at')}`,
  // Somebody the member invited has bound a house, whichever comes first.
  T13: `SELECT m.inviter_id AS member_id, x.project_id, 'invite:' || m.id AS subject, h.bound_at AS at
          FROM household h JOIN house x ON x.id = h.house_id JOIN member m ON m.id = h.member_id
         WHERE h.status = 'normal' AND ${since('h.bound_at')}`,
};

/** Gives the tasks whose proof is new; returns how many were given. A broken one does not keep the others waiting. */
export async function giveProvenTasks(platform: Platform): Promise<number> {
  let given = 0;
  for (const [task, facts] of Object.entries(FACTS)) {
    const rows = await run<Omit<TaskDone, 'task'>>(
      platform.database.db,
      `SELECT DISTINCT ON (f.member_id, f.subject) f.member_id AS "memberId", f.project_id AS "projectId", f.subject, f.at
         FROM (${facts}) f JOIN member m ON m.id = f.member_id AND NOT m.official
         JOIN points_task t ON t.code = $1 AND t.enabled AND t.points > 0
              AND f.at > greatest(t.proven_since, (SELECT max(seeded_at) FROM demo_set))
        WHERE NOT EXISTS (SELECT FROM points_task_done d WHERE d.task_id = t.id AND d.member_id = f.member_id AND d.subject = f.subject)
        ORDER BY f.member_id, f.subject, f.at LIMIT 500`,
      [task],
    );
    for (const row of rows)
      await transaction(platform.database.db, (tx) =>
        grantTask(tx, platform.settings, { task, ...row }),
      ).then(
        (effect) => (given += (effect.points ?? 0) > 0 ? 1 : 0),
        (error: unknown) => platform.log.error({ error, task, ...row }, 'a proven task was not given'),
      );
  }
  if (given > 0)
    for (const entity of ['pointsTask', 'pointsAccount', 'pointsMember']) platform.changed(entity);
  return given;
}

/** The job that looks for proofs. */
export const registration = defineRegistration({
  endpoints: [],
  jobs: [
    {
      name: 'points.tasks',
      title: ['按业务事实发放任务积分', 'Tasks that are proven by what happened'],
      cron: '* * * * *',
      run: async (_payload, platform) => {
        await giveProvenTasks(platform);
      },
    },
  ],
});
