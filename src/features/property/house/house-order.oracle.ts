import { ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'houseOrder',
  menu: 'cs_houseEnquiry',
  table: 'work_order',
  where: (row) => row.house_id !== null,
  standing: (row) => ({
    tenant: null,
    projects: [row.project_id],
    owner: row.handler_id ?? row.created_by,
    rule: 'places',
  }),
  extra: (row, _world, held) => row.complained_staff_id !== held.row.id,
  filters: { house: ids('house_id', 'house') },
  owner: 'created_by',
  reads: ['house'],
});
