import { words, type FilterRule } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const DECIDED = ['approved', 'refused', 'returned', 'transferred'];
const approval = (row: Raw, world: World) => by(world, 'approval_instance', 'id').get(row.instance_id)![0]!;

/** A filter by a word or id of the approval a task belongs to. */
const ofApproval = (rule: FilterRule): FilterRule => ({
  value: rule.value,
  keeps: (row, value, world, held) => rule.keeps(approval(row, world), value, world, held),
});

const RUNNING = ['running', 'passed', 'refused', 'withdrawn', 'cancelled'];

export const oracle = defineOracle({
  name: 'approvalTask',
  menu: 'pr_auditManagement',
  table: 'approval_task',
  standing: () => ({ tenant: null, projects: undefined, owner: null, rule: 'people' }),
  // Asked, decided in person or through a stand-in, or copied.
  extra: (row, _world, held) => {
    const me = held.row.id;
    if (row.assignee_id === me && (row.state === 'pending' || row.kind === 'copy')) return true;
    return (
      DECIDED.includes(row.state) &&
      (row.decided_by === me || (row.first_assignee_id === me && row.via === 'standin'))
    );
  },
  tabs: {
    todo: (row, _world, held) =>
      row.state === 'pending' && row.kind !== 'copy' && row.assignee_id === held.row.id,
    done: (row) => DECIDED.includes(row.state),
    copied: (row, _world, held) => row.kind === 'copy' && row.assignee_id === held.row.id,
  },
  filters: {
    type: ofApproval(words('biz_type', ['overtime', 'leave', 'payee_account', 'contract'])),
    state: ofApproval(words('state', RUNNING)),
    result: words('state', DECIDED),
    overdue: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value) =>
        (row.state === 'pending' && row.due_at !== null && row.due_at < new Date()) === (value === 'true'),
    },
  },
  // What may be searched by project and starter depends on who may decide, which each business type says for itself:
  // approval-centre.test.ts shows it.
  leftOut: ['project', 'starter'],
  export: { field: 'code', key: (row) => String(row.instance_id) },
  reads: ['approval_instance'],
});
