import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const JOINS = 'service_package_project';

export const oracle = defineOracle({
  name: 'packageVersion',
  menu: 'pack',
  table: 'service_package_version',
  standing: (row, world) => {
    const held = by(world, 'service_package', 'id').get(row.package_id)?.[0];
    return {
      tenant: held?.tenant_id ?? null,
      projects: (by(world, JOINS, 'package_id').get(row.package_id) ?? []).map((one) =>
        Number(one.project_id),
      ),
      owner: held?.created_by ?? null,
      rule: 'places',
    };
  },
  reads: [JOINS, 'service_package'],
});
