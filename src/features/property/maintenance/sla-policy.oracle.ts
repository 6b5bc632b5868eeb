import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { isStandard, people, standardOrOwn } from './work-category.oracle.ts';

export const oracle = defineOracle({
  name: 'slaPolicy',
  menu: 'cs_maintenance',
  table: 'sla_policy',
  standing: people,
  extra: standardOrOwn,
  filters: { standard: isStandard },
  text: (row) => String(row.name).toLowerCase(),
});
