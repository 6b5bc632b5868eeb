import { run } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';
import type { HOUSE_STATES, PlaceLine, PlaceLines } from './house.contract.ts';
import { HOUSE_MENU } from './house-parts.contract.ts';

/** Most places of one answer; what follows is asked for by the last one. */
const SHOWN = 200;
/** Most places a search finds of each kind. */
const FOUND = 40;
const HOUSES = residentScope('h.project_id', 'h.created_by');
const OWES = `EXISTS (SELECT FROM bill o WHERE o.house_id = h.id AND o.state IN ('unpaid', 'part'))`;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly houses?: number;
  readonly state?: keyof typeof HOUSE_STATES;
  readonly owing?: boolean;
}

/**
 * One level of the tree of places inside the caller's scope: projects, buildings of a project, units, floors, houses of a floor. Each
 * level is read by an index and by part, so that it stays quick however many houses there are. `after` is the last place before.
 */
export async function placesBelow(call: Call, parent: string, after: string): Promise<PlaceLines> {
  const [, kind, id = '', floor = ''] =
    /^(project|building|unit|floor):(\d{1,15})(?:\.(-?\d{1,3}))?$/.exec(parent) ?? [];
  if (parent !== '' && !kind) throw invalid({ parent: ['位置不正确', 'There is no such place'] });
  const parameters = new Parameters();
  const place = (project: string) => placeCondition(call.caller, residentScope(project), parameters);
  const counted = (from: string) =>
    `(SELECT count(*)::integer FROM ${from} AND h.merged_into_id IS NULL AND ${scopeCondition(call.caller, HOUSE_MENU, HOUSES, parameters)})`;
  /** Rows of a level by name, behind the last one told. */
  const level = async (table: string, from: string, where: string, houses: string, child: string) => {
    const name = nameOrder('t.name');
    const behind = after
      ? ` AND (${name}, t.id) > (SELECT ${nameOrder('l.name')}, l.id FROM ${table} l WHERE l.id = ${parameters.bind(Number(after))})`
      : '';
    const rows = await run<Row>(
      call.platform.replica.db,
      `SELECT t.id, t.name, ${houses} AS houses FROM ${from} WHERE ${where}${behind} ORDER BY ${name}, t.id LIMIT ${SHOWN + 1}`,
      parameters.values,
    );
    return part(rows, (row) => ({
      key: `${child}:${row.id}`,
      name: row.name,
      houses: row.houses!,
      leaf: row.houses === 0 && child === 'unit',
    }));
  };
  if (after !== '' && !/^-?\d{1,15}$/.test(after))
    throw invalid({ after: ['位置不正确', 'There is no such place'] });
  switch (kind) {
    case undefined:
      return level(
        'project',
        'project t',
        place('t.id'),
        counted('house h WHERE h.project_id = t.id'),
        'project',
      );
    case 'project':
      return level(
        'building',
        'building t',
        `t.project_id = ${parameters.bind(Number(id))} AND ${place('t.project_id')}`,
        counted('building_unit u JOIN house h ON h.unit_id = u.id WHERE u.building_id = t.id'),
        'building',
      );
    case 'building':
      return level(
        'building_unit',
        'building_unit t JOIN building b ON b.id = t.building_id',
        `t.building_id = ${parameters.bind(Number(id))} AND ${place('b.project_id')}`,
        counted('house h WHERE h.unit_id = t.id'),
        'unit',
      );
    case 'unit': {
      const rows = await run<Row>(
        call.platform.replica.db,
        `SELECT h.floor::integer AS id, '' AS name, count(*)::integer AS houses FROM house h
          WHERE h.unit_id = ${parameters.bind(Number(id))} AND h.merged_into_id IS NULL AND ${scopeCondition(call.caller, HOUSE_MENU, HOUSES, parameters)}
            ${after ? `AND h.floor < ${parameters.bind(Number(after))}` : ''} GROUP BY h.floor ORDER BY h.floor DESC LIMIT ${SHOWN + 1}`,
        parameters.values,
      );
      return part(rows, (row) => ({
        key: `floor:${id}.${row.id}`,
        name: String(row.id),
        houses: row.houses!,
        leaf: false,
      }));
    }
    default: {
      const number = nameOrder('h.number');
      const rows = await run<Row>(
        call.platform.replica.db,
        `SELECT h.id, h.number AS name, h.state, ${OWES} AS owing FROM house h
          WHERE h.unit_id = ${parameters.bind(Number(id))} AND h.floor = ${parameters.bind(Number(floor))} AND h.merged_into_id IS NULL
            AND ${scopeCondition(call.caller, HOUSE_MENU, HOUSES, parameters)}
            ${after ? `AND (${number}, h.id) > (SELECT ${nameOrder('l.number')}, l.id FROM house l WHERE l.id = ${parameters.bind(Number(after))})` : ''}
          ORDER BY ${number}, h.id LIMIT ${SHOWN + 1}`,
        parameters.values,
      );
      return part(rows, houseLine);
    }
  }
}

const houseLine = (row: Row & { readonly path?: string }): PlaceLine => ({
  key: `house:${row.id}`,
  name: row.name,
  leaf: true,
  state: row.state!,
  owing: row.owing === true,
  ...(row.path === undefined ? {} : { path: row.path }),
});

/** Rows as lines; the last one too many says that more follows. */
function part(rows: readonly Row[], line: (row: Row) => PlaceLine): PlaceLines {
  const shown = rows.slice(0, SHOWN);
  return {
    rows: shown.map(line),
    ...(rows.length > SHOWN ? { next: String(shown.at(-1)!.id) } : {}),
  };
}

/**
 * Houses whose number begins with the last word and whose place holds the others ("1号楼 2单元 301", "1号楼2单元301"), and
 * buildings and projects by name.
 */
export async function findPlaces(call: Call, text: string): Promise<PlaceLines> {
  const words = text
    .trim()
    .toLowerCase()
    .split(/[\s\-—_/，,]+/)
    .filter(Boolean);
  const last = words.at(-1) ?? '';
  // A number may stand behind its unit without a blank between them.
  const glued = /^(.*\D)(\d{1,6}[a-z]?)$/.exec(last);
  const parameters = new Parameters();
  const scope = scopeCondition(call.caller, HOUSE_MENU, HOUSES, parameters);
  const named = (number: string, places: readonly string[]) =>
    [
      `lower(h.number) LIKE ${parameters.bind(containing(number).slice(1))}`,
      ...places.map((word) => `strpos(lower(p.name || b.name || u.name), ${parameters.bind(word)}) > 0`),
    ].join(' AND ');
  const ways = [named(last, words.slice(0, -1))];
  if (glued) ways.push(named(glued[2]!, [...words.slice(0, -1), glued[1]!]));
  const houses = await run<Row & { path: string }>(
    call.platform.replica.db,
    `SELECT h.id, h.number AS name, h.state, ${OWES} AS owing, p.name || ' ' || b.name || ' ' || u.name AS path
       FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id
      WHERE (${ways.map((way) => `(${way})`).join(' OR ')}) AND h.merged_into_id IS NULL AND ${scope}
      ORDER BY p.id, ${nameOrder('b.name')}, ${nameOrder('u.name')}, h.floor, ${nameOrder('h.number')}, h.id LIMIT ${FOUND}`,
    parameters.values,
  );
  const values = new Parameters();
  const word = values.bind(text.trim().toLowerCase());
  const inReach = (project: string) => placeCondition(call.caller, residentScope(project), values);
  const above = await run<{ id: number; kind: 'project' | 'building'; name: string; path: string }>(
    call.platform.replica.db,
    `(SELECT p.id, 'project' AS kind, p.name, '' AS path FROM project p WHERE strpos(lower(p.name || ' ' || p.code), ${word}) > 0 AND ${inReach('p.id')} ORDER BY p.id LIMIT ${FOUND})
     UNION ALL
     (SELECT b.id, 'building', b.name, p.name FROM building b JOIN project p ON p.id = b.project_id
       WHERE strpos(lower(p.name || b.name), replace(${word}, ' ', '')) > 0 AND strpos(lower(p.name), ${word}) = 0 AND ${inReach('b.project_id')} ORDER BY p.id, b.id LIMIT ${FOUND})`,
    values.values,
  );
  return {
    rows: [
      ...above.map((row) => ({ key: `${row.kind}:${row.id}`, name: row.name, leaf: false, path: row.path })),
      ...houses.map(houseLine),
    ],
  };
}
