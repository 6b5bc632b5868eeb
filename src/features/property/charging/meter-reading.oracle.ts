import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const meterOf = (row: Raw, world: World) => by(world, 'meter', 'id').get(row.meter_id)![0]!;
const charged = (row: Raw, world: World) =>
  (by(world, 'meter_reading_bill', 'reading_id').get(row.id) ?? []).some(
    (one) => by(world, 'bill', 'id').get(one.bill_id)![0]!.state !== 'void',
  );

export const oracle = defineOracle({
  name: 'meterReading',
  menu: 'cs_propertyChargingBill',
  table: 'meter_reading',
  standing: (row, world) => ({
    tenant: meterOf(row, world).tenant_id,
    projects: [meterOf(row, world).project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    project: {
      value: (dice, world) => String(dice.pick(world.rows.meter!).project_id),
      keeps: (row, value, world) => value.split(',').includes(String(meterOf(row, world).project_id)),
    },
    house: {
      value: (dice, world) => String(dice.pick(world.rows.meter!).house_id ?? 1),
      keeps: (row, value, world) => value.split(',').includes(String(meterOf(row, world).house_id)),
    },
    item: {
      value: (dice, world) => String(dice.pick(world.rows.meter!).fee_item_id),
      keeps: (row, value, world) => value.split(',').includes(String(meterOf(row, world).fee_item_id)),
    },
    charged: {
      value: (dice) => String(dice.chance(0.5)),
      keeps: (row, value, world) => String(charged(row, world)) === value,
    },
  },
  export: counted,
  owner: 'created_by',
  reads: ['meter', 'meter_reading_bill', 'bill'],
  ownSample: 'src/features/property/charging/meter.test.ts',
});
