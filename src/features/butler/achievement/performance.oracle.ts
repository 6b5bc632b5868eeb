import { counted, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const order = (row: Raw, world: World) => by(world, 'sales_order', 'id').get(row.order_id)![0]!;
const project = (row: Raw, world: World) => by(world, 'project', 'id').get(row.project_id)![0]!;
const within = (column: 'centre_id' | 'unit_id') => ({
  value: (dice: { pick<T>(of: readonly T[]): T }, world: World) =>
    String(dice.pick(world.rows.project!)[column]),
  keeps: (row: Raw, value: string, world: World) => String(project(row, world)[column]) === value,
});
const sale = (row: Raw, world: World) =>
  (by(world, 'incentive', 'performance_id').get(row.id) ?? []).find((one) => one.kind === 'sale');

export const oracle = defineOracle({
  name: 'butlerPerformance',
  menu: 'butler_achievement',
  table: 'butler_performance',
  where: (row) => row.housekeeper_id !== null,
  standing: (row, world) => ({
    tenant: null,
    projects: [Number(row.project_id)],
    owner: by(world, 'housekeeper', 'id').get(row.housekeeper_id)![0]!.staff_id,
    rule: 'places',
  }),
  filters: {
    butler: idsOfRows('housekeeper_id', 'butler_performance'),
    centre: within('centre_id'),
    unit: within('unit_id'),
    way: words('way', ['1', '2']),
    incentiveState: {
      value: words('', ['frozen', 'payable', 'paid', 'clawed_back', 'cancelled']).value,
      keeps: (row, value, world) => value.split(',').includes(String(sale(row, world)?.state)),
    },
    completedAt: {
      value: () => '2026-01-01~2099-12-31',
      keeps: (row, _value, world) => {
        const { completed_at: at, state } = order(row, world);
        return (
          state === 'completed' &&
          at !== null &&
          new Date(at).getTime() >= Date.parse('2026-01-01T00:00:00+08:00')
        );
      },
    },
  },
  export: counted,
  reads: ['housekeeper', 'sales_order', 'incentive', 'project'],
});
