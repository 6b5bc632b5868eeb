import { enlist } from '../../../domain/butler/task.server.ts';
import { housekeeperOn } from '../../../domain/property-staff/housekeeper.server.ts';
import { isRegistered } from '../../../domain/residents/residents.server.ts';
import { writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import { staffIdOf, type Caller } from '../../../kernel/server/people/caller.ts';
import { TODAY } from '../../../kernel/server/today.ts';

/** Days a housekeeper has for it, today included. */
const DAYS = 7;
/** Houses named in the text of a task, which holds 500 characters. */
const NAMED = 30;

/** SQL of the housekeeper of a house today: whoever stands in, else the main one. */
export const keeperToday = (house: string): string => housekeeperOn(house, TODAY, true);

/**
 * Gives the housekeepers of some houses a task each: to visit those of theirs that are not registered yet. Houses that are
 * registered, or have no housekeeper, are left out; refused when none is left. Returns tasks and houses.
 */
export async function remindHouses(
  tx: Tx,
  caller: Caller,
  houseIds: readonly number[],
  note: string,
): Promise<{ readonly tasks: number; readonly houses: number; readonly left: number }> {
  const groups = await run<{ keeper: number; projects: number[]; names: string[] }>(
    tx,
    `SELECT x.keeper, array_agg(DISTINCT x.project_id) AS projects, array_agg(x.name ORDER BY x.name) AS names
       FROM (SELECT ${keeperToday('h.id')} AS keeper, h.project_id, concat(b.name, u.name, h.number) AS name
               FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
              WHERE h.id = ANY($1::bigint[]) AND h.merged_into_id IS NULL AND NOT ${isRegistered('h.id')}) x
       JOIN housekeeper k ON k.id = x.keeper AND k.left_at IS NULL GROUP BY x.keeper ORDER BY x.keeper`,
    [houseIds],
  );
  const houses = groups.reduce((sum, one) => sum + one.names.length, 0);
  if (houses === 0)
    throw ruleBroken([
      '所选房屋均已注册或没有管家',
      'The chosen houses are registered already or have no housekeeper',
    ]);
  for (const { keeper, projects, names } of groups) {
    const told = `${note === '' ? '' : `${note}\n`}${names.slice(0, NAMED).join('、')}${names.length > NAMED ? ` 等 ${names.length} 户` : ''}`;
    const { id } = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO butler_task (title, metric, target_count, from_on, to_on, copy_text, state, created_by, updated_by)
       VALUES ($1, 'visited_houses', $2, ${TODAY}, ${TODAY} + ${DAYS - 1}, $3, 'running', $4, $4) RETURNING id`,
      [`住户注册提醒：${names.length} 户`, names.length, told.slice(0, 500), staffIdOf(caller)],
    ))!;
    await run(tx, 'INSERT INTO butler_task_project (task_id, project_id) SELECT $1, unnest($2::bigint[])', [
      id,
      projects,
    ]);
    await run(tx, 'INSERT INTO butler_task_butler (task_id, housekeeper_id) VALUES ($1, $2)', [id, keeper]);
    await enlist(tx, id);
    await writeTimeline(tx, {
      entity: 'butlerTask',
      entityId: id,
      caller,
      action: 'create',
      label: ['由房屋注册提醒生成', 'Made from registration by house'],
      to: 'running',
    });
  }
  return { tasks: groups.length, houses, left: houseIds.length - houses };
}
