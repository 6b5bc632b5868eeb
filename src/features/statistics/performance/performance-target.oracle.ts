import { counted, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const DEPARTMENTS = ids('department_id', 'department');

export const oracle = defineOracle({
  name: 'performanceTarget',
  menu: 'sa_achievement',
  table: 'performance_target',
  standing: (row, world) => ({
    tenant:
      row.staff_id !== null
        ? by(world, 'staff', 'id').get(row.staff_id)![0]!.tenant_id
        : row.department_id !== null
          ? by(world, 'department', 'id').get(row.department_id)![0]!.tenant_id
          : null,
    projects:
      row.project_id !== null
        ? [Number(row.project_id)]
        : (by(world, 'staff_project', 'staff_id').get(row.staff_id) ?? []).map((one) =>
            Number(one.project_id),
          ),
    owner: row.staff_id ?? row.created_by,
    rule: 'places',
  }),
  filters: { department: DEPARTMENTS },
  export: counted,
  reads: ['staff', 'department', 'staff_project'],
  sample: () => ({
    month: '2026-12',
    subjectKind: 'project',
    metric: 'orders',
    staff: undefined,
    department: undefined,
    amount: undefined,
    number: 20,
  }),
});
