import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'pointsBudget',
  menu: 'pointsSend',
  table: 'points_budget',
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  text: (row) => `${row.code} ${row.name}`.toLowerCase(),
  filters: {
    year: {
      value: (dice) => String(2025 + dice.upTo(3)),
      keeps: (row, value) => String(row.year) === value,
    },
  },
  owner: 'created_by',
  sample: (turn) => ({ year: 2026, warnPercent: 50 + (turn % 40) }),
});
