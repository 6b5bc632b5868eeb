import { dayRange, ids, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Dice, type Raw, type World } from '../../../testing/oracle/world.ts';

const CANCELLED = ['cancelled_by_member', 'cancelled_by_staff'];
const isCancelled = (row: Raw) => CANCELLED.includes(row.status) && row.plan_result !== 'absent';

const clockState = (world: World, row: Raw, target: string) =>
  (by(world, 'sla_clock', 'order_id').get(row.id) ?? []).find(
    (one) => one.target === target && one.round === 1,
  )?.state;

const METRICS: Readonly<Record<string, (row: Raw, world: World) => boolean>> = {
  total: () => true,
  repair: (row) => row.type === 'complaint_repair' && row.class === 'repair',
  complaint: (row) => row.type === 'complaint_repair' && row.class === 'complaint',
  waiting: (row) => ['pending_system', 'to_accept'].includes(row.status),
  doing: (row) => ['accepted', 'processing', 'paused'].includes(row.status),
  finished: (row) => row.status === 'finished',
  cancelled: isCancelled,
  due: (row) => !isCancelled(row),
  responseMet: (row, world) => clockState(world, row, 'response') === 'met',
  overdue: (row, world) =>
    ['response', 'resolution'].some((target) => clockState(world, row, target) === 'failed'),
  reopened: (row) => row.reopen_count > 0,
  rated: (row) => row.score_overall !== null,
};

/** When it was taken in, as the wall clock says. */
const local = (row: Raw) => new Date((row.created_at as Date).getTime() + 8 * 3_600_000);

/** A category or one of those above it. */
function under(world: World, id: number | null, wanted: readonly string[]): boolean {
  for (let at = id; at !== null;) {
    if (wanted.includes(String(at))) return true;
    at = (world.rows.work_category!.find((one) => one.id === at)?.parent_id as number | null) ?? null;
  }
  return false;
}

/** Who sees which orders behind the figures of a family: places as ever, never the complaint about oneself. */
export const reportOrderOracle = (name: string, menu: string, types: readonly string[]) =>
  defineOracle({
    name,
    menu,
    table: 'work_order',
    where: (row) => types.includes(row.type),
    standing: (row) => ({
      tenant: row.tenant_id as number,
      projects: [row.project_id as number],
      owner: (row.handler_id ?? row.created_by) as number | null,
      rule: 'places' as const,
    }),
    extra: (row, _world, held) => row.complained_staff_id !== held.row.id,
    filters: {
      state: words('status', [
        'pending_system',
        'to_accept',
        'accepted',
        'processing',
        'paused',
        'finished',
        ...CANCELLED,
      ]),
      project: ids('project_id', 'project'),
      type: words('type', types),
      source: words('source', ['1', '2', '3', '4']),
      createdAt: dayRange('created_at'),
      finishedAt: dayRange('finished_at'),
      metric: {
        value: (dice) => dice.pick(Object.keys(METRICS)),
        keeps: (row, value, world) => METRICS[value]!(row, world),
      },
      cancelled: {
        value: (dice) => dice.pick(['with', 'without']),
        keeps: (row, value) => value === 'with' || !isCancelled(row),
      },
      category: {
        value: (dice, world) => String(dice.pick(world.rows.work_category!).id),
        keeps: (row, value, world) => under(world, row.category_id as number | null, value.split(',')),
      },
      centre: {
        value: (dice, world) => String(dice.pick(world.rows.project!).centre_id ?? 1),
        keeps: (row, value, world) =>
          value.split(',').includes(String(by(world, 'project', 'id').get(row.project_id)![0]!.centre_id)),
      },
      weekday: {
        value: (dice) => String(1 + dice.upTo(6)),
        keeps: (row, value) => (local(row).getUTCDay() || 7) === Number(value),
      },
      hour: {
        value: (dice) => String(dice.upTo(23)),
        keeps: (row, value) => local(row).getUTCHours() === Number(value),
      },
      departmentId: {
        value: (dice, world) => String(dice.pick(world.rows.staff!).department_id ?? 0),
        keeps: (row, value, world) => {
          const at = world.rows.staff!.find((one) => one.id === row.handler_id)?.department_id ?? null;
          return value === '0' ? at === null : String(at) === value;
        },
      },
      ...(types.includes('goods') && {
        businessId: {
          value: (dice: Dice, world: World) => String(dice.pick(world.rows.work_order!).business_id ?? 0),
          keeps: (row: Raw, value: string) => String(row.business_id ?? 0) === value,
        },
        merchantId: {
          value: (dice: Dice, world: World) => String(dice.pick(world.rows.work_order!).tenant_id),
          keeps: (row: Raw, value: string) => String(row.tenant_id) === value,
        },
      }),
      handlerId: {
        value: (dice, world) => String(dice.pick(world.rows.staff!).id),
        keeps: (row, value) => String(row.handler_id) === value,
      },
      exactCategory: {
        value: (dice, world) => String(dice.pick(world.rows.work_category!).id),
        keeps: (row, value) => String(row.category_id) === value,
      },
    },
    // A page's instant, of which only the report itself knows.
    leftOut: ['asOf'],
    text: (row) => `${row.code} ${row.title}`.toLowerCase(),
    export: { field: 'code', key: (row) => String(row.code) },
    owner: 'created_by',
    reads: ['work_category', 'sla_clock', 'staff', 'project'],
  });

export const oracle = reportOrderOracle('propertyReportOrder', 'or_ProOperDetail', [
  'complaint_repair',
  'plan',
]);
