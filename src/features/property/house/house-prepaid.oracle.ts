import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const house = (row: Raw, world: World) => by(world, 'house', 'id').get(Number(row.owner))![0]!;

export const oracle = defineOracle({
  name: 'housePrepaid',
  menu: 'cs_houseEnquiry',
  table: 'ledger_account',
  where: (row) => row.kind.startsWith('prepaid_') && row.unit === 'fen',
  standing: (row, world) => ({
    tenant: null,
    projects: [house(row, world).project_id],
    owner: null,
    rule: 'places',
  }),
  filters: {
    house: {
      value: (dice, world) => String(dice.pick(world.rows.house!).id),
      keeps: (row, value) => value.split(',').includes(row.owner),
    },
    kind: {
      value: (dice) => dice.pick(['general', 'property_fee', 'utilities']),
      keeps: (row, value) => value.split(',').includes(row.kind.slice(8)),
    },
  },
  reads: ['house'],
});
