import type { Label } from '../../kernel/contract/label.ts';
import { run, type Executor } from '../../kernel/server/database.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../kernel/server/people/scope.ts';
import type { ImportColumn } from '../../kernel/server/tables/import-target.ts';
import { residentScope } from './residents.server.ts';

/** The column of a house in an imported table. */
export const HOUSE_COLUMN: ImportColumn = {
  name: 'house',
  title: ['房号', 'House'],
  required: true,
  max: 100,
  example: '金茂府 1号楼 1单元 301',
  note: [
    '楼栋、单元、房号；多个项目同名时在前面加项目',
    'Building, unit, number; the project before it where several match',
  ],
};

/** What a place is called without blanks: how it is written in lists differs. */
const bare = (text: string) => text.replace(/[\s\-_/]+/g, '').toLowerCase();

/** Houses in the caller's reach by how a table names them: the house, or what is wrong with the name. */
export async function namedHouses(
  db: Executor,
  caller: Caller,
  names: readonly string[],
): Promise<(name: string) => { readonly house?: number | undefined; readonly message?: Label }> {
  const parameters = new Parameters();
  const wanted = parameters.bind([...new Set(names.map(bare))]);
  const bareSql = (text: string) => `lower(regexp_replace(${text}, '[[:space:]_/-]+', '', 'g'))`;
  const houses = await run<{ id: number; short: string; whole: string }>(
    db,
    `SELECT * FROM (SELECT h.id, ${bareSql('b.name || u.name || h.number')} AS short, ${bareSql('p.name || b.name || u.name || h.number')} AS whole
       FROM house h JOIN building_unit u ON u.id = h.unit_id JOIN building b ON b.id = u.building_id JOIN project p ON p.id = h.project_id
      WHERE h.merged_into_id IS NULL AND ${placeCondition(caller, residentScope('h.project_id'), parameters)}) x
      WHERE x.short = ANY(${wanted}::text[]) OR x.whole = ANY(${wanted}::text[])`,
    parameters.values,
  );
  const byWhole = new Map(houses.map((one) => [one.whole, one.id]));
  const byShort = new Map<string, number[]>();
  for (const one of houses) byShort.set(one.short, [...(byShort.get(one.short) ?? []), one.id]);
  return (name) => {
    const text = bare(name);
    const short = byShort.get(text) ?? [];
    const house = byWhole.get(text) ?? (short.length === 1 ? short[0] : undefined);
    if (house !== undefined) return { house };
    return short.length > 1
      ? {
          message: [
            '多个项目有此房屋，请在前面加项目',
            'Several projects have this house: write the project before it',
          ],
        }
      : { message: ['没有此房屋', 'There is no such house'] };
  };
}
