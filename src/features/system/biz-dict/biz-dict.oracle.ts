import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'bizDict',
  menu: 'ssm_bizDict',
  table: 'biz_dict',
  offered: 'everybody',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  text: (row) => `${row.name} ${row.name_en} ${row.val} ${row.code}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    const roots = await run<{ id: number }>(
      db,
      'SELECT id FROM biz_dict WHERE parent_id IS NULL ORDER BY id',
    );
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO biz_dict (parent_id, code, val, name, name_en, enabled, view_sort, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
        [
          dice.pick(roots).id,
          `random.b${index}`,
          `b${index}`,
          `随机${index}`,
          `Random ${index}`,
          dice.chance(0.8),
          index,
          id,
        ],
      );
  },
});
