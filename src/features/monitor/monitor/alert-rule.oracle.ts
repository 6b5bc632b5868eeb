import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'alertRule',
  menu: 'serviceMonitorManager',
  table: 'alert_rule',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  text: (row) => `${row.code} ${row.name} ${row.name_en}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  sample: (turn) => ({
    code: `random_rule_${turn}`,
    metric: 'cpu',
    operator: 'above',
    fireValue: '90',
    recoverValue: '70',
    channels: ['notification'],
    webhook: null,
    receivers: [],
  }),
});
