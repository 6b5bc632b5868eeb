import { inProject } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'workPoint',
  menu: 'cs_PlaneWorkOrder',
  table: 'work_point',
  standing: inProject,
  owner: 'created_by',
  text: (row) => `${row.name} ${row.place}`.toLowerCase(),
  sample: () => ({ longitude: '121.473700', latitude: '31.230400' }),
});
