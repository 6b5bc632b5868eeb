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
import { run } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type Call } from '../../../kernel/server/registration.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { houseRegistration, type PlaceCount, type PlanHouse } from './house-registration.contract.ts';

const SCOPE = residentScope('t.project_id', 't.created_by');
const idText = z.string().regex(/^\d{1,15}$/);

const bound = bindResource(houseRegistration, {
  table: 'house',
  from: `house t LEFT JOIN project p ON p.id = t.project_id LEFT JOIN building_unit u ON u.id = t.unit_id
    LEFT JOIN building b ON b.id = u.building_id`,
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
  },
  // What was joined to another house is a part of that one.
  where: 't.merged_into_id IS NULL',
  extra: { version: '1' },
  scope: SCOPE,
  search: 'lower(t.number)',
  endpoints: [
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
});

export const registration = bound.registration;

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
