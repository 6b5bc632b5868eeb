import { exactly, part } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Platform staff see all errors; who sees own rows only, those assigned to them. */
export const oracle = defineOracle({
  name: 'errorReport',
  grows: true,
  menu: 'ssm_systemLog',
  table: 'error_issue',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.handler_id, rule: 'platform' }),
  text: (row) => `${row.message} ${row.place}`.toLowerCase(),
  filters: {
    path: part('path'),
    place: part('place'),
    release: exactly('release', 'error_issue'),
    traceId: exactly('trace_id', 'error_issue'),
  },
  export: { field: 'message', key: (row) => String(row.message) },
  owner: 'handler_id',
});
