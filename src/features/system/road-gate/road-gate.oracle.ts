import { byCode, stateTabs } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'roadGate',
  menu: 'ssm_roadGate',
  table: 'road_gate',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  tabs: { all: () => true, ...stateTabs('online', 'offline', 'fault') },
  text: (row) => `${row.code} ${row.name} ${row.lot} ${row.device_no}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  // The key is never read back.
  sample: (turn) => ({ deviceNo: `ZX${turn}`, key: undefined }),
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id }] of staff.slice(0, 40).entries())
      await run(
        db,
        `INSERT INTO road_gate (code, name, project_id, direction, vendor, device_no, state, enabled, created_by)
         SELECT $1, $2, p.id, $3, $4, $1, $5, $6, $7 FROM project p ORDER BY (p.id * 7 + $8) % 11 LIMIT 1`,
        [
          `pgate${index}`,
          `随机道闸${index}`,
          dice.pick(['in', 'out', 'both']),
          dice.pick(['sandbox', 'hikvision', 'jieshun']),
          dice.pick(['online', 'offline', 'fault']),
          dice.chance(0.8),
          id,
          index,
        ],
      );
  },
});
