import { counted, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'dunningLevel',
  menu: 'accountsReceivable',
  table: 'dunning_level',
  // A level for all stands wherever somebody of the platform or a centre works, also where that is no project yet.
  standing: (row) => ({
    tenant: null,
    projects: row.project_id === null ? undefined : [row.project_id],
    owner: row.created_by,
    rule: row.project_id === null ? 'everybody' : 'places',
  }),
  extra: (_row, _world, held) => held.kind !== 2,
  filters: { level: words('level', ['1', '2', '3', '4', '5']) },
  export: counted,
  reads: ['project'],
  owner: 'created_by',
  sample: (turn) => ({ level: String(4 + (turn % 2)), afterDays: 500, channels: ['letter'] }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 12).entries())
      await run(
        db,
        `INSERT INTO dunning_level (project_id, level, after_days, channels, template_zh, template_en, created_by)
         SELECT id, 1, $2, '{letter}', '请缴费', 'Please pay', $3 FROM project ORDER BY id OFFSET $1 LIMIT 1 ON CONFLICT DO NOTHING`,
        [index, 1 + dice.upTo(20), id],
      );
  },
});
