import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw } from '../../../testing/oracle/world.ts';

const list = (row: Raw, key: string) =>
  `[${(row.numbers as Record<string, string>[]).map((one) => JSON.stringify(one[key])).join(', ')}]`;

export const oracle = defineOracle({
  name: 'hotline',
  menu: 'cs_hotline',
  table: 'hotline',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  text: (row) => `${row.title} ${list(row, 'name')} ${list(row, 'phone')}`.toLowerCase(),
  owner: 'created_by',
  sample: () => ({ numbers: [{ name: '客服前台', phone: '021-61230001', hours: '08:30–18:00' }] }),
});
