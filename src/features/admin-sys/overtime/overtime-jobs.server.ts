import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { leadersAbove } from '../../../domain/approval/approvers.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { expireLots, lockBalances } from './lots.server.ts';

import { balanceSight } from './overtime-sights.server.ts';
import { hoursText } from './overtime.rules.ts';

// Days before the end at which staff and leader are told.
const REMINDERS = [30, 7];

/** Jobs of overtime; times are 00:10 and 09:00 in Shanghai. */
export const overtimeJobs: readonly Job[] = [
  {
    name: 'overtimeLot.expire',
    title: ['调休到期', 'Expire time-off lots'],
    cron: '10 16 * * *',
    run: (_payload, platform) => expireAll(platform),
  },
  {
    name: 'overtimeLot.remind',
    title: ['调休到期提醒', 'Remind of expiring time off'],
    cron: '0 1 * * *',
    run: (_payload, platform) => remindAll(platform),
  },
];

/** Expires the lots of every staff whose last day has passed; each staff on its own, so that one failure stops nobody else. */
export async function expireAll(platform: Platform): Promise<void> {
  const staff = await run<{ staff_id: number }>(
    platform.database.db,
    'SELECT DISTINCT staff_id FROM leave_balance_lot WHERE NOT voided AND used + expired < minutes AND expires_on < $1 ORDER BY staff_id',
    [businessDayOf(new Date())],
  );
  for (const { staff_id } of staff)
    await transaction(platform.database.db, async (tx) => {
      await lockBalances(tx, [staff_id]);
      await expireLots(tx, staff_id);
    });
  if (staff.length > 0) platform.changed('leaveRecord');
}

/** Tells staff and leader 30 and 7 days before time off expires; each of the two once per lot. */
export async function remindAll(platform: Platform): Promise<void> {
  const today = businessDayOf(new Date());
  const due = await run<{
    staff_id: number;
    name: string;
    number: string;
    left: number;
    first: string;
    lots: number[];
    days: number;
  }>(
    platform.database.db,
    `SELECT s.id AS staff_id, s.name, coalesce(s.staff_no, s.account) AS number, sum(l.minutes - l.used - l.expired) AS "left", min(l.expires_on) AS first, array_agg(l.id) AS lots, x.days
       FROM leave_balance_lot l JOIN staff s ON s.id = l.staff_id
       CROSS JOIN LATERAL (SELECT min(r) AS days FROM unnest($2::int[]) AS r WHERE l.expires_on - $1::date <= r) x
      WHERE NOT l.voided AND l.used + l.expired < l.minutes AND l.expires_on >= $1 AND x.days IS NOT NULL AND (l.reminded IS NULL OR l.reminded > x.days) AND s.state <> 'left'
      GROUP BY s.id, x.days ORDER BY s.id, x.days`,
    [today, REMINDERS],
  );
  for (const one of due)
    await transaction(platform.database.db, async (tx) => {
      // Marked first: a second run finds the mark and stays silent.
      const marked = await run(
        tx,
        'UPDATE leave_balance_lot SET reminded = $2 WHERE id = ANY($1::bigint[]) AND (reminded IS NULL OR reminded > $2) RETURNING id',
        [one.lots, one.days],
      );
      if (marked.length === 0) return;
      const route = `/adminSys/leaveTimeDetail/${encodeURIComponent(one.number)}/${encodeURIComponent(one.name)}`;
      const leaders = await leadersAbove(tx, one.staff_id, [one.staff_id]);
      const hours = hoursText(one.left);
      await notify(tx, {
        staffIds: [one.staff_id],
        kind: 'overtimeExpiry',
        aboutReceiver: true,
        route,
        title: [
          `${hours} 小时调休将于 ${one.first} 起到期`,
          `${hours} h of time off expire from ${one.first}`,
        ],
      });
      await notify(tx, {
        staffIds: leaders,
        kind: 'overtimeExpiry',
        rows: { sight: balanceSight, ids: [one.staff_id] },
        route,
        title: [
          `${one.name} 有 ${hours} 小时调休将于 ${one.first} 起到期`,
          `${one.name}: ${hours} h of time off expire from ${one.first}`,
        ],
      });
    });
}
