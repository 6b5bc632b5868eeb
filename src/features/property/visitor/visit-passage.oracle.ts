import { idsOfRows } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Passages of visitors stand where they happened and belong to who entered the visit. */
export const oracle = defineOracle({
  name: 'visitPassage',
  menu: 'cs_visitRegistration',
  table: 'pass_log',
  where: (row) => row.visit_id !== null,
  standing: (row, world) => ({
    tenant: null,
    projects: [row.project_id],
    owner: world.rows.visitor_registration!.find((one) => one.id === row.visit_id)!.created_by,
    rule: 'places',
  }),
  filters: { visit: idsOfRows('visit_id', 'pass_log') },
  reads: ['visitor_registration'],
});
