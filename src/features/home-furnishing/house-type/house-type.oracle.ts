import { byCode, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run, type Raw } from '../../../testing/oracle/world.ts';

const IMAGE = '0a992000-0000-4000-8000-0000000000f7';
const rooms = [
  { kind: 'living', name: '客厅', area: '20.00' },
  { kind: 'master', name: '主卧', area: '12.00' },
];

export const oracle = defineOracle({
  name: 'houseType',
  menu: 'mj_houseTypeMana',
  table: 'house_type',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    bedrooms: words((row: Raw) => String(Math.min(5, row.bedrooms)), ['1', '2', '3', '4', '5']),
    builtArea: {
      value: (dice) =>
        `${dice.chance(0.8) ? 40 + dice.upTo(60) : ''}~${dice.chance(0.8) ? 110 + dice.upTo(60) : ''}`,
      keeps: (row, value) => {
        const [low = '', high = ''] = value.split('~');
        const own = Number(row.built_area);
        return (low === '' || own >= Number(low)) && (high === '' || own <= Number(high));
      },
    },
  },
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  sample: () => ({ builtArea: '89.36', innerArea: '72.10', rooms }),
  fill: async ({ db, dice, staff }) => {
    await run(
      db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES ($1::uuid, 'a.png', 'image/png', 1, '\\x00', $1::uuid::text, 'picture') ON CONFLICT DO NOTHING`,
      [IMAGE],
    );
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO house_type (code, project_id, name, rooms, built_area, inner_area, layout_id, enabled, created_by)
         SELECT 'HT20200101' || lpad($1::text, 6, '0'), p.id, '随机户型' || $1::text, $2::jsonb, $3, 40, $4::uuid, $5, $6 FROM project p ORDER BY (p.id * 31) % (7 + $1::int), p.id LIMIT 1`,
        [
          index,
          JSON.stringify(
            Array.from({ length: 1 + dice.upTo(4) }, () => ({ kind: 'bedroom', name: '次卧', area: '6.00' })),
          ),
          50 + dice.upTo(100),
          IMAGE,
          dice.chance(0.7),
          id,
        ],
      );
  },
});
