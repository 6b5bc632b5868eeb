import { z } from 'zod';
import {
  firstRegisteredAt,
  isActiveHouse,
  isOccupied,
  isOwnerRegistered,
  isRegistered,
  membersOfHouse,
  residentScope,
} from '../../../domain/residents/residents.server.ts';
import { isBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import { notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { isBilled, isPaidOnline } from '../coverage/paying.server.ts';
import { keeperToday, remindHouses } from './remind.server.ts';
import { houseRegistration, type PlaceCount, type PlanHouse } from './house-registration.contract.ts';

const SCOPE = residentScope('t.project_id', 't.created_by');
const idText = z.string().regex(/^\d{1,15}$/);

const bound = bindResource(houseRegistration, {
  table: 'house',
  from: `house t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN building_unit u ON u.id = t.unit_id
    LEFT JOIN building b ON b.id = u.building_id LEFT JOIN housekeeper k ON k.id = ${keeperToday('t.id')} LEFT JOIN staff s ON s.id = k.staff_id`,
  columns: {
    project: { id: 't.project_id', title: 'p.name' },
    building: { id: 'u.building_id', title: 'b.name' },
    unit: { id: 't.unit_id', title: 'u.name' },
    registered: isRegistered('t.id'),
    ownerRegistered: isOwnerRegistered('t.id'),
    occupied: isOccupied('t.state'),
    active: isActiveHouse('t.id'),
    members: membersOfHouse('t.id'),
    firstRegisteredAt: firstRegisteredAt('t.id'),
    housekeeper: { id: 'k.id', title: 's.name' },
    billed: 'NULL::text',
    paidOnline: 'NULL::text',
  },
  // What was joined to another house is a part of that one.
  where: 't.merged_into_id IS NULL',
  extra: { version: '1' },
  scope: SCOPE,
  search: 'lower(t.number)',
  filters: {
    billed: ofPeriod(isBilled),
    paidOnline: ofPeriod(isPaidOnline),
  },
  handlers: {
    remind: async ({ tx, id, caller, input }) => ({
      result: await remindHouses(tx, caller, [id], String(input.note ?? '')),
    }),
  },
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/jinmao/web/houseRegistration/remind',
      title: ['提醒管家', 'Ask the housekeepers'],
      access: { code: `${houseRegistration.menu}:btn_remind` },
      body: z.strictObject({
        houses: z.array(idText).min(1).max(500),
        note: z.string().trim().max(200).default(''),
      }),
      handle: remind,
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/houseRegistration/places',
      title: ['房屋树', 'Tree of places'],
      access: { code: houseRegistration.menu },
      handle: places,
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/houseRegistration/plan',
      title: ['楼盘图', 'Plan of a building'],
      access: { code: houseRegistration.menu },
      query: z.strictObject({ building: idText.optional(), unit: idText.optional() }),
      handle: (call) => plan(call, call.query.building, call.query.unit),
    }),
  ],
  also: {
    options: [
      {
        target: 'houseKeeper',
        anyOf: [houseRegistration.menu],
        find: async ({ caller, platform }, query) => {
          const parameters = new Parameters();
          const parts = [
            query.ids.length > 0
              ? `k.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`
              : `k.left_at IS NULL AND s.name ILIKE ${parameters.bind(containing(query.searchVal))}`,
            // Those who hold a house the caller sees.
            `EXISTS (SELECT FROM housekeeper_house hk JOIN house t ON t.id = hk.house_id WHERE hk.housekeeper_id = k.id AND ${scopeCondition(caller, houseRegistration.menu, SCOPE, parameters)})`,
          ];
          const rows = await run<{ id: number; title: string }>(
            platform.database.db,
            `SELECT k.id, s.name AS title FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE ${parts.join(' AND ')}
              ORDER BY ${nameOrder('s.name')}, k.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
            parameters.values,
          );
          return rows.map((row) => ({ ...row, id: String(row.id) }));
        },
      },
    ],
  },
});

export const registration = bound.registration;

type Period = (house: string, from: string, to: string) => string;

/** A filter by two days, `2026-11-01~2026-11-30`, as figures of coverage send it. */
function ofPeriod(condition: Period): NonNullable<Binding['filters']>[string] {
  return (value, parameters) => {
    const [from = '', to = '', ...rest] = value.split('~');
    if (rest.length > 0 || !isBusinessDay(from) || !isBusinessDay(to))
      return ['日期范围不正确', 'The date range is not valid'];
    return condition('t.id', parameters.bind(from), parameters.bind(to));
  };
}

/** One task for each housekeeper of the chosen houses. Houses beyond the caller's reach are not told apart from none. */
async function remind(call: Call<unknown, { houses: string[]; note: string }>) {
  const { caller, facts, platform, body } = call;
  const ids = [...new Set(body.houses.map(Number))];
  const result = await transaction(platform.database.db, async (tx) => {
    const parameters = new Parameters();
    const place = parameters.bind(ids);
    const rows = await run<{ id: number }>(
      tx,
      `SELECT t.id FROM house t WHERE t.id = ANY(${place}::bigint[]) AND ${scopeCondition(caller, houseRegistration.menu, SCOPE, parameters)}`,
      parameters.values,
    );
    if (rows.length < ids.length) throw notFound();
    const made = await remindHouses(tx, caller, ids, body.note);
    await writeAudit(tx, {
      caller,
      facts,
      menu: houseRegistration.menu,
      action: 'remind',
      entity: houseRegistration.name,
      entityId: '',
      after: { chosen: ids, ...made },
    });
    return made;
  });
  platform.changed('butlerTask');
  return result;
}

/** Projects, buildings and units of the scope with their houses and how many of them are registered. */
async function places(call: Call): Promise<PlaceCount[]> {
  const parameters = new Parameters();
  const scope = scopeCondition(call.caller, houseRegistration.menu, SCOPE, parameters);
  const rows = await run<{
    project: number;
    projectName: string;
    building: number;
    buildingName: string;
    unit: number;
    unitName: string;
    houses: number;
    registered: number;
  }>(
    call.platform.replica.db,
    `SELECT p.id AS project, p.name AS "projectName", b.id AS building, b.name AS "buildingName", u.id AS unit, u.name AS "unitName",
            n.houses, n.registered
       FROM (SELECT t.project_id, t.unit_id, count(*) AS houses, count(*) FILTER (WHERE ${isRegistered('t.id')}) AS registered
               FROM house t WHERE t.merged_into_id IS NULL AND ${scope} GROUP BY t.project_id, t.unit_id) n
       JOIN project p ON p.id = n.project_id JOIN building_unit u ON u.id = n.unit_id JOIN building b ON b.id = u.building_id
      ORDER BY p.id, ${nameOrder('b.name')}, b.id, ${nameOrder('u.name')}, u.id`,
    parameters.values,
  );
  type Open = PlaceCount & { houses: number; registered: number; children: Open[] };
  const tops: Open[] = [];
  const under = (
    list: Open[],
    id: number,
    name: string,
    row: { houses: number; registered: number },
  ): Open => {
    let node = list.find((one) => one.id === String(id));
    if (!node) list.push((node = { id: String(id), name, houses: 0, registered: 0, children: [] }));
    node.houses += row.houses;
    node.registered += row.registered;
    return node;
  };
  for (const row of rows) {
    const project = under(tops, row.project, row.projectName, row);
    const building = under(project.children, row.building, row.buildingName, row);
    under(building.children, row.unit, row.unitName, row);
  }
  return tops;
}

/** Houses of one building or unit, top floor first; of none where nothing is chosen or out of sight. */
async function plan(call: Call, building?: string, unit?: string): Promise<PlanHouse[]> {
  if (!building && !unit) return [];
  const parameters = new Parameters();
  const parts = [
    't.merged_into_id IS NULL',
    scopeCondition(call.caller, houseRegistration.menu, SCOPE, parameters),
  ];
  if (building) parts.push(`u.building_id = ${parameters.bind(Number(building))}`);
  if (unit) parts.push(`t.unit_id = ${parameters.bind(Number(unit))}`);
  const rows = await run<Omit<PlanHouse, 'id' | 'unit'> & { id: number; unit: number }>(
    call.platform.replica.db,
    `SELECT t.id, t.unit_id AS unit, u.name AS "unitName", t.floor, t.number, ${isRegistered('t.id')} AS registered,
            ${membersOfHouse('t.id')} AS members
       FROM house t JOIN building_unit u ON u.id = t.unit_id WHERE ${parts.join(' AND ')}
      ORDER BY ${nameOrder('u.name')}, u.id, t.floor DESC, ${nameOrder('t.number')}, t.id`,
    parameters.values,
  );
  return rows.map((row) => ({ ...row, id: String(row.id), unit: String(row.unit) }));
}
