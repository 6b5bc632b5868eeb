import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

/** Lots lie in projects: merchants see none. */
export const oracle = defineOracle({
  name: 'parkingLot',
  menu: 'mk_parkingPlace',
  table: 'parking_lot',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({ gates: undefined }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO parking_lot (code, name, project_id, kind, spaces, vendor, enabled, created_by)
         SELECT $1, $2, p.id, $3, $4, $5, $6, $7 FROM project p ORDER BY (p.id * 7 + $8) % 11, p.id LIMIT 1`,
        [
          `plot${index}`,
          `随机车场${index}`,
          dice.pick(['ground', 'underground']),
          1 + dice.upTo(300),
          dice.pick(['sandbox', 'hikvision', 'jieshun']),
          dice.chance(0.7),
          id,
          index,
        ],
      );
  },
});
