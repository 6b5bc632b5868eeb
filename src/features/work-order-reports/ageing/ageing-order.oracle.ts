import { counted, dayRange, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Raw } from '../../../testing/oracle/world.ts';

const OPEN = ['pending_system', 'to_accept', 'accepted', 'processing', 'paused'];
const minutes = (from: Date | null, to: Date | null) =>
  from === null || to === null ? undefined : (to.getTime() - from.getTime()) / 60_000;

/** Buckets of the measures that no pause touches; the two others are asked for as a whole. */
const BUCKETS: Readonly<Record<string, (row: Raw) => boolean>> = {
  '1:0-5': (row) => (minutes(row.created_at, row.accepted_at) ?? 9) <= 5,
  '1:5-15': (row) => {
    const took = minutes(row.created_at, row.accepted_at);
    return took !== undefined && took > 5 && took <= 15;
  },
  '1:120-999999': (row) => (minutes(row.created_at, row.accepted_at) ?? 0) > 120,
  '1:none': (row) => row.accepted_at === null,
  '2:none': (row) => row.started_at === null || row.accepted_at === null,
  '3:none': (row) => row.finished_at === null,
  '1:all': () => true,
  '4:all': (row) => OPEN.includes(row.status),
};

export const oracle = defineOracle({
  name: 'ageingOrder',
  menu: 'or_agingCount',
  table: 'work_order',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.handler_id ?? row.created_by,
    rule: 'places' as const,
  }),
  extra: (row, _world, held) => row.complained_staff_id !== held.row.id,
  filters: {
    state: words('status', [...OPEN, 'finished', 'cancelled_by_member', 'cancelled_by_staff']),
    project: ids('project_id', 'project'),
    type: words('type', ['complaint_repair', 'plan', 'goods', 'service']),
    createdAt: dayRange('created_at'),
    aging: {
      value: (dice) => dice.pick(Object.keys(BUCKETS)),
      keeps: (row, value) => BUCKETS[value]!(row),
    },
    handlerId: {
      value: (dice, world) => String(dice.pick(world.rows.staff!).id),
      keeps: (row, value) => String(row.handler_id) === value,
    },
    departmentId: {
      value: (dice, world) => String(dice.pick(world.rows.staff!).department_id ?? 0),
      keeps: (row, value, world) => {
        const at = world.rows.staff!.find((one) => one.id === row.handler_id)?.department_id ?? null;
        return value === '0' ? at === null : String(at) === value;
      },
    },
    exactCategory: {
      value: (dice, world) => String(dice.pick(world.rows.work_category!).id),
      keeps: (row, value) => String(row.category_id) === value,
    },
  },
  // A page's instant, of which only the report itself knows.
  leftOut: ['asOf'],
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: ['work_category', 'staff'],
});
