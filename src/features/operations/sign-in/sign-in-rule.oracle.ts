import { words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'signInRule',
  menu: 'os_userSign',
  table: 'sign_in_rule',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  filters: { enabled: yes('enabled'), type: words('type', ['daily', 'consecutive', 'cumulative']) },
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'created_by',
  sample: (turn) => ({
    type: turn % 2 ? 'consecutive' : 'cumulative',
    days: 2 + ((turn * 3 + 1) % 29),
    points: 8,
  }),
});
