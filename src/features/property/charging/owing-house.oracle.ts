import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const today = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 10);
const bills = (row: Raw, world: World) =>
  (by(world, 'bill', 'house_id').get(row.id) ?? []).filter(
    (one) =>
      (one.state === 'unpaid' || one.state === 'part') &&
      String(one.due_date) < today() &&
      one.disputed === false,
  );
const days = (row: Raw, world: World) =>
  Math.max(
    ...bills(row, world).map((one) =>
      Math.round((Date.parse(today()) - Date.parse(String(one.due_date))) / 86_400_000),
    ),
  );
const ageOf = (n: number) =>
  n <= 30 ? 'd30' : n <= 60 ? 'd60' : n <= 90 ? 'd90' : n <= 180 ? 'd180' : 'more';
const inside = (n: number, value: string) => {
  const [least, most] = value.split('~').map(Number);
  return n >= least! && n <= most!;
};

export const oracle = defineOracle({
  name: 'owingHouse',
  menu: 'cs_propertyChargingBill',
  table: 'house',
  extra: (row, world) => bills(row, world).length > 0,
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: {
    building: {
      value: (dice, world) => String(dice.pick(world.rows.building!).id),
      keeps: (row, value, world) =>
        value.split(',').includes(String(by(world, 'building_unit', 'id').get(row.unit_id)![0]!.building_id)),
    },
    item: {
      value: (dice, world) => String(dice.pick(world.rows.fee_item!).id),
      keeps: (row, value, world) =>
        bills(row, world).some((one) => value.split(',').includes(String(one.fee_item_id))),
    },
    months: {
      value: (dice) => `${dice.upTo(3)}~${3 + dice.upTo(9)}`,
      keeps: (row, value, world) =>
        inside(new Set(bills(row, world).map((one) => String(one.period_from))).size, value),
    },
    age: {
      value: (dice) => dice.pick(['d30', 'd60', 'd90', 'd180', 'more']),
      keeps: (row, value, world) => value.split(',').includes(ageOf(days(row, world))),
    },
  },
  leftOut: ['owed', 'promisedOn'],
  export: counted,
  owner: 'created_by',
  reads: ['bill', 'building', 'building_unit', 'fee_item'],
});
