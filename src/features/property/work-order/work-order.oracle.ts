import { ids, words, yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import type { Held, Raw, World } from '../../../testing/oracle/world.ts';

const OPEN = ['pending_system', 'to_accept', 'accepted', 'processing', 'paused'];
const STATES = [...OPEN, 'finished', 'cancelled_by_member', 'cancelled_by_staff'];
const inState = (state: string) => (row: Raw) => row.status === state;

const isOverdue = (row: Raw) =>
  OPEN.includes(row.status) &&
  row.sla_state !== 'paused' &&
  row.sla_due_at !== null &&
  (row.sla_due_at as Date).getTime() < Date.now();

/** A category or one of those above it. */
function under(world: World, id: number | null, wanted: readonly string[]): boolean {
  for (let at = id; at !== null;) {
    if (wanted.includes(String(at))) return true;
    at = (world.rows.work_category!.find((one) => one.id === at)?.parent_id as number | null) ?? null;
  }
  return false;
}

/** Nobody sees the complaint about oneself. */
export const notAboutOneself = (row: Raw, _world: World, held: Held) =>
  row.complained_staff_id !== held.row.id;

export const orderStanding = (row: Raw) => ({
  tenant: row.tenant_id as number,
  projects: [row.project_id as number],
  owner: (row.handler_id ?? row.created_by) as number | null,
  rule: 'places' as const,
});

export const oracle = defineOracle({
  name: 'workOrder',
  menu: 'cs_workOrder',
  table: 'work_order',
  where: (row) => ['complaint_repair', 'goods', 'service'].includes(row.type),
  standing: orderStanding,
  extra: notAboutOneself,
  filters: {
    state: words('status', STATES),
    project: ids('project_id', 'project'),
    building: ids('building_id', 'building'),
    source: words('source', ['1', '2', '3', '4']),
    crmSync: words('crm_sync', ['0', '1', '2']),
    type: words('type', ['complaint_repair', 'goods', 'service']),
    overdue: {
      ...yes('overdue'),
      keeps: (row, value) => isOverdue(row) === (value === 'true'),
    },
    category: {
      value: (dice, world) =>
        dice
          .some(world.rows.work_category!, 1 + dice.upTo(2))
          .map((one) => one.id)
          .join(','),
      keeps: (row, value, world) => under(world, row.category_id as number | null, value.split(',')),
    },
  },
  tabs: {
    all: () => true,
    ...Object.fromEntries(STATES.map((state) => [state, inState(state)])),
    overdue: isOverdue,
    mine: (row, _world, held) =>
      OPEN.includes(row.status) &&
      (row.handler_id === held.row.id || (row.helper_ids as unknown[]).map(Number).includes(held.row.id)),
    to_call: (row) => row.status === 'finished' && row.callback_state === 'to_call',
  },
  text: (row) => `${row.code} ${row.title}`.toLowerCase(),
  export: { field: 'code', key: (row) => String(row.code) },
  owner: 'created_by',
  reads: ['work_category', 'building'],
});
