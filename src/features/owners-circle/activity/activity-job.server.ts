import { run, transaction } from '../../../kernel/server/database.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import type { BoundResource } from '../../../kernel/server/resource/bind.ts';
import { endActivity, closeWaiting } from '../../../domain/activity/activity.server.ts';
import { promoteWaiting } from '../../../domain/activity/activity-seats.server.ts';

/**
 * Every minute: reminders before the start, free seats to who waits, the waiting list closed at the start, orders completed at the
 * end. Unpaid sign-ups go out with their orders, which close by themselves. Source: group 10, Jobs.
 */
export const activityJob = (bound: () => BoundResource): Job => ({
  name: 'activity.phase',
  title: ['活动阶段', 'Phases of activities'],
  cron: '* * * * *',
  run: async (_payload, platform, context) => {
    const { db } = platform.database;
    const hours = await platform.settings.number('activity.remind_hours');
    const rows = await run<{ id: number; remind: boolean; begun: boolean; waits: boolean; over: boolean }>(
      db,
      `SELECT * FROM (
         SELECT a.id, NOT a.reminded AND $1::integer > 0 AND now() < a.starts_at AND now() >= a.starts_at - make_interval(hours => $1::integer) AS remind,
                now() >= a.starts_at AS begun,
                EXISTS (SELECT FROM activity_signup s WHERE s.activity_id = a.id AND s.state = 'waiting') AS waits,
                now() >= a.ends_at AND EXISTS (SELECT FROM activity_signup s JOIN sales_order o ON o.id = s.order_id
                  WHERE s.activity_id = a.id AND o.state = 'to_receive') AS over
           FROM activity a WHERE a.state = 'published') x
        WHERE remind OR waits OR over ORDER BY id`,
      [hours],
    );
    for (const row of rows) {
      context?.signal.throwIfAborted();
      await transaction(db, async (tx) => {
        if (row.remind) await bound().actAsSystem(tx, platform, 'remind', row.id);
        if (row.waits && !row.begun) await promoteWaiting(tx, platform, row.id);
        if (row.waits && row.begun) await closeWaiting(tx, row.id);
        if (row.over) await endActivity(tx, row.id);
      });
    }
    if (rows.length > 0) for (const entity of ['activity', 'activitySignup']) platform.changed(entity);
    context?.print(`${rows.length} 个活动 / activities`);
  },
});
