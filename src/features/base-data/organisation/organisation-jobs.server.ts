import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job, TodoKind } from '../../../kernel/server/registration.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { listSight } from '../../../domain/notification/row-sight.server.ts';
import { NODE_SCOPE } from '../../../domain/places/node-scope.server.ts';
import { spellingOf } from '../../../domain/places/spelling.server.ts';
import { organisation } from './organisation.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const MENU = organisation.menu;

/** Organisations as their list shows them. */
export const licenceSight = listSight({
  entity: organisation.name,
  menu: MENU,
  table: 'organisation',
  scope: NODE_SCOPE,
});

/** Days before the end of a licence on which its keepers are told, the first first. */
async function noticeDays(platform: Platform): Promise<number[]> {
  const days = (await platform.settings.list('payee.cert_notice_days')).map(Number);
  return days.filter((day) => Number.isInteger(day) && day > 0).sort((a, b) => b - a);
}

/**
 * Tells who leads an organisation, and who last edited it, that its licence ends in so many days; once a day and licence. Runs daily
 * at 08:30 in Shanghai.
 */
export const licenceJob: Job = {
  name: 'organisation.licenceNotice',
  title: ['机构执照到期提醒', 'Notices of ending licences'],
  cron: '30 0 * * *',
  run: async (_payload, platform) => {
    const today = businessDayOf(new Date());
    for (const days of await noticeDays(platform))
      await transaction(platform.database.db, async (tx) => {
        const ending = await run<{ id: number; name: string; keepers: number[] }>(
          tx,
          `SELECT t.id, t.name, ARRAY(SELECT DISTINCT k FROM unnest(ARRAY[t.leader_id, t.updated_by]) k WHERE k IS NOT NULL) AS keepers
             FROM organisation t WHERE t.state = 'enabled' AND t.licence_until = $1::date ORDER BY t.id`,
          [addDays(today, days)],
        );
        for (const one of ending) {
          const route = `/baseData/mechanism?detail=${one.id}`;
          const told = await run<{ staff: number }>(
            tx,
            `SELECT staff_id AS staff FROM notification WHERE kind = 'licenceExpiry' AND route = $1 AND created_at > now() - interval '20 hours'`,
            [route],
          );
          const staffIds = one.keepers.filter((id) => !told.some((row) => row.staff === id));
          if (staffIds.length === 0) continue;
          await notify(tx, {
            staffIds,
            kind: 'licenceExpiry',
            level: days <= 3 ? 'important' : 'normal',
            rows: { sight: licenceSight, ids: [one.id] },
            route,
            title: [
              `「${one.name}」的执照将在 ${days} 天后到期`,
              `The licence of "${one.name}" ends in ${days} days`,
            ],
          });
        }
      });
  },
};

/** Licences that end within the longest notice, or have ended: overdue when they have. */
export const licenceTodo: TodoKind = {
  kind: 'organisation_licence',
  label: ['机构执照即将到期', 'Organisation licences about to end'],
  menu: MENU,
  route: '/baseData/mechanism?tab=licence',
  order: 61,
  count: async ({ caller, platform }) => {
    const parameters = new Parameters();
    const scope = scopeCondition(caller, MENU, NODE_SCOPE, parameters);
    const row = await runOne<{ count: number; oldest: Date | null; overdue: number }>(
      platform.database.db,
      `SELECT count(*)::int AS count, min(t.licence_until)::timestamptz AS oldest, count(*) FILTER (WHERE t.licence_until < ${TODAY})::int AS overdue
         FROM organisation t WHERE ${LICENCE_ENDS} AND ${scope}`,
      parameters.values,
    );
    return row!;
  },
};

/** SQL of the rows that wait for a new licence. */
export const LICENCE_ENDS = `t.state = 'enabled' AND t.licence_until <= ${TODAY} + 30`;

/** Gives nodes that came another way than by the form the spelling they are found by. Runs hourly. */
export const spellingJob: Job = {
  name: 'organisation.spell',
  title: ['补全机构拼音', 'Spell names of organisations'],
  cron: '25 * * * *',
  run: async (_payload, platform) => {
    const { db } = platform.database;
    const rows = await run<{ id: number; name: string }>(
      db,
      `SELECT id, name FROM organisation WHERE pinyin = '' ORDER BY id LIMIT 5000`,
    );
    if (rows.length === 0) return;
    await run(
      db,
      `UPDATE organisation o SET pinyin = n.pinyin FROM unnest($1::bigint[], $2::text[], $3::text[]) AS n (id, name, pinyin) WHERE o.id = n.id AND o.name = n.name`,
      [rows.map((row) => row.id), rows.map((row) => row.name), rows.map((row) => spellingOf(row.name))],
    );
  },
};
