import { counted } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const house = (row: Raw, world: World) => by(world, 'house', 'id').get(Number(row.owner))![0]!;

export const oracle = defineOracle({
  name: 'prepaidAccount',
  menu: 'cs_propertyChargingBill',
  table: 'ledger_account',
  where: (row) => row.kind.startsWith('prepaid_') && row.unit === 'fen',
  standing: (row, world) => ({
    tenant: null,
    projects: [house(row, world).project_id],
    owner: null,
    rule: 'places',
  }),
  filters: {
    project: {
      value: (dice, world) => String(dice.pick(world.rows.project!).id),
      keeps: (row, value, world) => value.split(',').includes(String(house(row, world).project_id)),
    },
    house: {
      value: (dice, world) => String(dice.pick(world.rows.house!).id),
      keeps: (row, value) => value.split(',').includes(row.owner),
    },
    kind: {
      value: (dice) => dice.pick(['general', 'property_fee', 'utilities']),
      keeps: (row, value) => value.split(',').includes(row.kind.slice(8)),
    },
  },
  export: counted,
  reads: ['house', 'project'],
});
