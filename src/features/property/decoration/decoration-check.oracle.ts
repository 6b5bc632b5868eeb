import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw, World } from '../../../testing/oracle/world.ts';

const of = (row: Raw, world: World) =>
  world.rows.decoration_application!.find((one) => one.id === row.application_id)!;

export const oracle = defineOracle({
  name: 'decorationCheck',
  menu: 'cs_decoreteApply',
  table: 'decoration_check',
  standing: (row, world) => ({
    tenant: null,
    projects: [of(row, world).project_id],
    owner: of(row, world).created_by,
    rule: 'places',
  }),
  reads: ['decoration_application'],
});
