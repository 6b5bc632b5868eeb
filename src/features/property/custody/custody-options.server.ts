import { run } from '../../../kernel/server/database.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { residentScope } from '../../../domain/residents/residents.server.ts';

/** Forms that name a house and one of its residents. */
const ADD = ['cs_escrow:btn_add', 'cs_decoreteApply:btn_add'];
const PLACE = residentScope('h.project_id');

/** SQL of a name as it is shown to whoever may not read it; the modes of the kernel in the database's words. */
export const maskedName = (name: string): string =>
  `CASE WHEN length(${name}) < 2 THEN '*' WHEN length(${name}) = 2 THEN left(${name}, 1) || '*' ELSE left(${name}, 1) || repeat('*', length(${name}) - 2) || right(${name}, 1) END`;

/** Houses with residents in the caller's projects. */
export const custodyHouses: OptionSource = {
  target: 'custodyHouse',
  anyOf: ADD,
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [
      placeCondition(caller, PLACE, parameters),
      `EXISTS (SELECT FROM household x WHERE x.house_id = h.id AND x.status = 'normal')`,
    ];
    if (query.ids.length > 0) parts.push(`h.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else
      for (const word of query.searchVal.split(/\s+/).filter(Boolean).slice(0, 4))
        parts.push(`(p.name || b.name || u.name || h.number) ILIKE ${parameters.bind(containing(word))}`);
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT h.id, b.name || ' ' || u.name || ' ' || h.number AS title, p.name AS note
         FROM house h JOIN project p ON p.id = h.project_id JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
        WHERE ${parts.join(' AND ')} ORDER BY h.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

/** Residents of houses by their household, names masked; of one house where it is chosen. */
export const custodyApplicants: OptionSource = {
  target: 'custodyApplicant',
  anyOf: ADD,
  find: async ({ caller, platform, facts }, query) => {
    const parameters = new Parameters();
    const parts = [placeCondition(caller, PLACE, parameters), `hh.status = 'normal'`];
    if (query.ids.length > 0) parts.push(`hh.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    else if (query.within && query.within.length > 0)
      parts.push(`h.id = ANY(${parameters.bind(query.within.map(Number))}::bigint[])`);
    if (query.searchVal)
      parts.push(
        `(b.name || ' ' || u.name || ' ' || h.number) ILIKE ${parameters.bind(containing(query.searchVal))}`,
      );
    const rows = await run<{
      id: number;
      title: string;
      house: string;
      identity: 'owner' | 'family' | 'tenant';
    }>(
      platform.database.db,
      `SELECT hh.id, ${maskedName(`coalesce(nullif(m.name, ''), m.nickname)`)} AS title, b.name || ' ' || u.name || ' ' || h.number AS house, hh.identity
         FROM household hh JOIN member m ON m.id = hh.member_id JOIN house h ON h.id = hh.house_id
         JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id
        WHERE ${parts.join(' AND ')} ORDER BY h.id, hh.identity <> 'owner', hh.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    const words = { owner: ['业主', 'Owner'], family: ['家属', 'Family'], tenant: ['租客', 'Tenant'] };
    return rows.map((row) => ({
      id: String(row.id),
      title: row.title,
      note: `${words[row.identity][facts.language === 'en' ? 1 : 0]} · ${row.house}`,
    }));
  },
};
