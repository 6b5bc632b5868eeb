import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by } from '../../../testing/oracle/world.ts';

const month = () => new Date(Date.now() + 8 * 3_600_000).toISOString().slice(0, 7) + '-01';

export const oracle = defineOracle({
  name: 'meter',
  menu: 'cs_propertyChargingBill',
  table: 'meter',
  standing: (row) => ({
    tenant: row.tenant_id,
    projects: [row.project_id],
    owner: row.created_by,
    rule: 'places',
  }),
  tabs: {
    all: () => true,
    unread: (row, world) =>
      row.state === 'in_use' &&
      !(by(world, 'meter_reading', 'meter_id').get(row.id) ?? []).some((one) => one.read_on >= month()),
    public: (row) => row.house_id === null,
  },
  filters: {
    item: {
      value: (dice, world) => String(dice.pick(world.rows.meter!).fee_item_id),
      keeps: (row, value) => value.split(',').includes(String(row.fee_item_id)),
    },
  },
  text: (row) => `${row.number} ${row.place}`.toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: ['meter_reading'],
  ownSample: 'src/features/property/charging/meter.test.ts',
});
