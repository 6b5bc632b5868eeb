import { byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'dictValue',
  menu: 'dictManager',
  table: 'dictionary_value',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  text: (row) => `${row.name} ${row.name_en} ${row.code} ${row.value}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  fill: async ({ db, dice, staff }) => {
    const types = await run<{ id: number }>(db, 'SELECT id FROM dictionary_type ORDER BY id');
    for (const [index, { id, tenantId }] of staff.slice(0, 60).entries())
      await run(
        db,
        `INSERT INTO dictionary_value (type_id, code, value, name, name_en, tone, tenant_id, enabled, position, created_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          dice.pick(types).id,
          `random.v${index}`,
          `v${index}`,
          `随机${index}`,
          `Random ${index}`,
          dice.pick(['default', 'warning', 'success']),
          dice.chance(0.3) ? tenantId : null,
          dice.chance(0.8),
          index,
          id,
        ],
      );
  },
});
