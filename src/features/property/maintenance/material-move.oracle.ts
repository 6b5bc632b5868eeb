import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'materialMove',
  menu: 'cs_maintenance',
  table: 'material_move',
  standing: (row, world) => {
    const material = world.rows.material!.find((one) => one.id === row.material_id)!;
    return {
      tenant: material.tenant_id as number,
      projects: [material.project_id as number],
      owner: material.created_by as number | null,
      rule: 'places',
    };
  },
  reads: ['material'],
});
