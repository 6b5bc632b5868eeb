import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'incentivePlan',
  menu: 'butler_configuration',
  table: 'incentive_plan',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'everybody' }),
  text: (row) => String(row.name).toLowerCase(),
  owner: 'created_by',
  sample: (turn) => ({
    name: `方案 ${turn}`,
    defaultBp: 300,
    monthlyCapFen: '5000.00',
    rules: [],
    tiers: [],
    items: [],
    steps: [],
  }),
});
