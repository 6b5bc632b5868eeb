import { idsOfRows, inProject } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'workPlan',
  menu: 'cs_PlaneWorkOrder',
  table: 'work_plan',
  standing: inProject,
  owner: 'created_by',
  filters: { category: idsOfRows('category_id', 'work_plan') },
  text: (row) => String(row.name).toLowerCase(),
  sample: () => ({
    days: '1,3',
    cycle: 'week',
    startTime: '09:00',
    validFrom: '2026-01-01',
    validTo: '2030-01-01',
    signIn: 'qr',
  }),
});
