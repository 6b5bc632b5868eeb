import { ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'dunningRecord',
  menu: 'cs_propertyChargingBill',
  table: 'dunning_record',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { house: ids('house_id', 'house'), channel: words('channel', ['sms', 'phone', 'visit']) },
  owner: 'created_by',
  reads: ['house'],
});
