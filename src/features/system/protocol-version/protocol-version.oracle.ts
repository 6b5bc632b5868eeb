import { counted, dayRange, stateTabs } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

const TYPES = ['user', 'privacy', 'payment', 'merchant', 'decoration'];

export const oracle = defineOracle({
  name: 'protocolVersion',
  menu: 'applicationProtocolManager',
  table: 'protocol_version',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: { effectiveAt: dayRange('effective_at') },
  tabs: { all: () => true, ...stateTabs('published', 'scheduled', 'draft', 'archived') },
  text: (row) => `${row.title} ${row.title_en}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  // An agreement has one draft at a time.
  sample: (turn) => ({ type: TYPES[turn % 5], app: turn % 10 < 5 ? 'owner' : 'staff' }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 24).entries())
      await run(
        db,
        `INSERT INTO protocol_version (type, app, edition, title, title_en, body, effective_at, change_note, state, created_by)
         VALUES ($1, $2, $3, $4, $5, '<p>x</p>', now() - make_interval(days => $6), 'x', 'archived', $7)`,
        [
          dice.pick(['user', 'privacy', 'payment']),
          dice.pick(['owner', 'staff']),
          100 + index,
          `随机协议${index}`,
          `Random ${index}`,
          dice.upTo(60),
          id,
        ],
      );
  },
});
