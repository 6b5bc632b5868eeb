import type { Runner } from './insert-rows.ts';
import { readSeedFile } from './seed-file.ts';
import type { StaffData } from './staff.ts';

/** How many grants the demonstration groups hold now, and how many named ones the release does not bring yet. */
export interface GrantCount {
  menus: number;
  elements: number;
  missing: number;
}

/**
 * Gives the demonstration groups the menus and elements of the data file that this release brings, with the menus
 * above them. Safe to repeat after a release added screens; never takes anything away.
 */
export async function grantDemoGroups(client: Runner): Promise<GrantCount> {
  const { grants } = readSeedFile<StaffData>('demo-staff');
  const wanted = Object.entries(grants).flatMap(([group, entries]) =>
    entries.map((entry) => {
      const [menu, elements] = entry.split(':') as [string, string];
      return {
        group,
        menu,
        elements: elements === '*' ? null : elements.split(',').map((name) => `${menu}:${name}`),
      };
    }),
  );
  const values = [JSON.stringify(wanted)];
  await client.query(
    `WITH RECURSIVE wanted AS (
       SELECT g.id AS group_id, m.code
         FROM jsonb_to_recordset($1::jsonb) AS w ("group" text, menu text)
         JOIN permission_group g ON g.code = w."group"
         JOIN menu m ON m.code = w.menu AND m.built AND NOT m.retired
       UNION
       SELECT wanted.group_id, p.parent_code
         FROM wanted JOIN menu_place p ON p.menu_code = wanted.code
        WHERE p.parent_code IS NOT NULL)
     INSERT INTO menu_grant (group_id, menu_code) SELECT group_id, code FROM wanted ON CONFLICT DO NOTHING`,
    values,
  );
  await client.query(
    `INSERT INTO element_grant (group_id, element_code)
     SELECT g.id, e.code
       FROM jsonb_to_recordset($1::jsonb) AS w ("group" text, menu text, elements text[])
       JOIN permission_group g ON g.code = w."group"
       JOIN element e ON e.menu_code = w.menu AND NOT e.retired AND (w.elements IS NULL OR e.code = ANY (w.elements))
       JOIN menu m ON m.code = e.menu_code AND m.built AND NOT m.retired
     ON CONFLICT DO NOTHING`,
    values,
  );
  const { rows } = await client.query<Record<keyof GrantCount, number>>(
    `WITH named AS (SELECT w.menu, e.code FROM jsonb_to_recordset($1::jsonb) AS w (menu text, elements text[])
                    LEFT JOIN LATERAL unnest(w.elements) AS e (code) ON true)
     SELECT (SELECT count(*)::int FROM menu_grant g JOIN permission_group p ON p.id = g.group_id WHERE p.code = ANY ($2)) AS menus,
            (SELECT count(*)::int FROM element_grant g JOIN permission_group p ON p.id = g.group_id WHERE p.code = ANY ($2)) AS elements,
            (SELECT count(*)::int FROM named n
              WHERE NOT EXISTS (SELECT FROM menu m WHERE m.code = n.menu AND m.built AND NOT m.retired)
                 OR (n.code IS NOT NULL AND NOT EXISTS (SELECT FROM element e WHERE e.code = n.code AND NOT e.retired))) AS missing`,
    [values[0], Object.keys(grants)],
  );
  return rows[0]!;
}
