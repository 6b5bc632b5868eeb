import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Platform staff see all events; they have no owner. */
export const oracle = defineOracle({
  name: 'systemEvent',
  grows: true,
  menu: 'ssm_systemLog',
  table: 'system_event',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'platform' }),
  text: (row) => `${row.text} ${row.text_en}`.toLowerCase(),
  export: counted,
});
