import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'job',
  menu: 'jobManager',
  table: 'job',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.owner_id, rule: 'platform' }),
  text: (row) => `${row.code} ${row.name} ${row.name_en} ${row.handler}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'owner_id',
  sample: (turn) => ({
    name: `样本任务${turn}`,
    handler: 'log.retention',
    cron: `${turn % 60} 3 * * *`,
    params: {},
    ladder: '15,30',
  }),
});
