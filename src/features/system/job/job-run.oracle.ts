import { counted, idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Platform staff see all runs; who sees own rows only, those started by the own hand. */
export const oracle = defineOracle({
  name: 'jobRun',
  menu: 'jobManager',
  table: 'job_run',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.asked_by, rule: 'platform' }),
  filters: { askedBy: idsOfRows('asked_by', 'job_run') },
  export: counted,
  owner: 'asked_by',
});
