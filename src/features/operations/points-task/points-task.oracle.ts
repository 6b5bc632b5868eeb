import { yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'pointsTask',
  menu: 'os_taskIntegral',
  table: 'points_task',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: { enabled: yes('enabled') },
  text: (row) => `${row.code} ${row.name} ${row.name_en}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'created_by',
  sample: () => ({ dayTimes: -1, totalTimes: -1 }),
});
