import { byCode, linked, projectsOf } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, run, type Raw, type World } from '../../../testing/oracle/world.ts';

const JOINS = 'app_module_project';
const everywhere = (world: World) => (row: Raw) =>
  (by(world, JOINS, 'app_module_id').get(row.id) ?? []).length === 0;

/** Of the demonstration set. */
const LOGO = '0a991000-0000-4000-8000-000000000001';

export const oracle = defineOracle({
  name: 'appModule',
  menu: 'sysTreeManager',
  table: 'app_module',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: {
    projects: {
      ...linked(JOINS, 'app_module_id', 'project_id', 'project'),
      keeps: (row, value, world, held) =>
        projectsOf(JOINS, 'app_module_id', everywhere(world)).keeps(row, value, world, held),
    },
  },
  text: (row) => `${row.name} ${row.name_en} ${row.code}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: [JOINS],
  sample: (turn) => ({
    code: `zx_module_${turn}`,
    parent: undefined,
    logo: LOGO,
    showType: 'native',
    url: '',
  }),
  fill: async ({ db, dice, staff }) => {
    await run(
      db,
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES ($1::uuid, 'a.png', 'image/png', 1, '\\x00', $1::uuid::text, 'picture') ON CONFLICT DO NOTHING`,
      [LOGO],
    );
    for (const [index, { id }] of staff.slice(0, 30).entries()) {
      const code = `prnd${index}`;
      await run(
        db,
        `INSERT INTO app_module (system, code, name, name_en, logo_id, show_type, needs_login, enabled, created_by, parent_id)
         VALUES ($1, $2, $3, $4, $5, 'native', $6, $7, $8, (SELECT id FROM app_module WHERE system = $1 AND parent_id IS NULL ORDER BY random() LIMIT 1))`,
        [
          dice.pick(['owner', 'staff']),
          code,
          `随机模块${index}`,
          `Random ${index}`,
          LOGO,
          dice.chance(0.5),
          dice.chance(0.7),
          id,
        ],
      );
      if (dice.chance(0.5))
        await run(
          db,
          `INSERT INTO app_module_project SELECT m.id, p.id FROM app_module m, project p WHERE m.code = $1 AND p.id % 3 = $2`,
          [code, index % 3],
        );
    }
  },
});
