import { words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, maySee } from '../../../testing/oracle/world.ts';

const MENU = 'pr_auditManagement';

export const oracle = defineOracle({
  name: 'approvalInstance',
  menu: MENU,
  table: 'approval_instance',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  // Started, administered by name, or looked after within the data scope.
  extra: (row, world, held) => {
    if (row.starter_id === held.row.id) return true;
    const process =
      row.process_id === null ? [] : (by(world, 'approval_process', 'id').get(row.process_id) ?? []);
    if (process.some((one) => one.admin_id === held.row.id)) return true;
    if (!held.elements.has(`${MENU}:btn_cancel`) && !held.elements.has(`${MENU}:btn_reassign`)) return false;
    return maySee(world, held, MENU, {
      tenant: row.tenant_id,
      projects: row.project_id === null ? undefined : [row.project_id],
      owner: row.starter_id,
      rule: 'places',
    });
  },
  tabs: {
    started: (row, _world, held) => row.starter_id === held.row.id,
    all: () => true,
  },
  filters: {
    type: words('biz_type', ['overtime', 'leave', 'payee_account', 'contract']),
    overdue: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value, world) => {
        const open = (by(world, 'approval_task', 'instance_id').get(row.id) ?? []).filter(
          (task) => task.state === 'pending' && task.due_at !== null,
        );
        return open.some((task) => task.due_at < new Date()) === (value === 'true');
      },
    },
  },
  text: (row) => `${row.code} ${row.title_zh} ${row.title_en}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  reads: ['approval_process', 'approval_task'],
  owner: 'starter_id',
});
