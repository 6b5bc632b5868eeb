import { words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'clientRule',
  menu: 'customerList',
  table: 'client_rule',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  extra: (_row, _world, held) => held.kind !== 2 && held.menus.has('customerList'),
  filters: { scopeKind: words('scope_kind', ['tenant', 'department', 'person']) },
  reads: [],
  fill: async ({ db, staff }) => {
    for (const { id } of staff.slice(0, 6))
      await run(
        db,
        `INSERT INTO client_rule (scope_kind, staff_id, max_locked) VALUES ('person', $1, 5) ON CONFLICT DO NOTHING`,
        [id],
      );
    await run(
      db,
      `INSERT INTO client_rule (scope_kind, warn_days) VALUES ('tenant', 3) ON CONFLICT DO NOTHING`,
      [],
    );
  },
  sample: () => ({ scopeKind: 'person', department: undefined }),
});
