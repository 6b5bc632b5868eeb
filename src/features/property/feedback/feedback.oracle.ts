import { exactly, dayRange, counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'feedback',
  menu: 'cs_feedBack',
  table: 'feedback',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.handled_by, rule: 'places' }),
  filters: { phone: exactly('phone', 'feedback'), createdAt: dayRange('created_at') },
  tabs: { open: (row) => row.state === 'open' },
  text: (row) => String(row.content).toLowerCase(),
  export: counted,
});
