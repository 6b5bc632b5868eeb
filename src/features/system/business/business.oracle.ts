import { byCode, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'business',
  menu: 'Busmanagement',
  table: 'business',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  offered: 'everybody',
  filters: {
    createType: words((row) => String(row.create_type), ['1', '2']),
    type: words((row) => String(row.type), ['1', '2', '3', '4']),
  },
  text: (row) => `${row.name} ${row.name_en}`.toLowerCase(),
  export: byCode,
  owner: 'created_by',
});
