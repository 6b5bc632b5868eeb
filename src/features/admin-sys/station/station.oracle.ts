import { linked, ownTenant, byCode } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { run } from '../../../testing/oracle/world.ts';

export const oracle = defineOracle({
  name: 'station',
  menu: 'stationManage',
  table: 'station',
  standing: ownTenant('created_by'),
  filters: {
    departments: linked('station_department', 'station_id', 'department_id', 'department'),
  },
  text: (row) => `${row.name} ${row.code}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
  reads: ['station_department'],
  fill: async ({ db, dice, staff }) => {
    for (const [index, { id, tenantId }] of staff.slice(0, 60).entries())
      await run(
        db,
        `INSERT INTO station (tenant_id, code, name, type, enabled, created_by) VALUES ($1, $2, $3, $4, $5, $6)`,
        [
          tenantId,
          `ps${index}`,
          `岗位${index}`,
          dice.pick(['manager', 'repair', 'finance']),
          dice.chance(0.8),
          id,
        ],
      );
  },
});
