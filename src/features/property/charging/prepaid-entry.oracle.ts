import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const account = (row: Raw, world: World) => by(world, 'ledger_account', 'id').get(row.account_id)![0]!;
const isPrepaid = (row: Raw, world: World) =>
  String(account(row, world).kind).startsWith('prepaid_') && account(row, world).unit === 'fen';

export const oracle = defineOracle({
  name: 'prepaidEntry',
  menu: 'cs_propertyChargingBill',
  table: 'ledger_entry',
  extra: isPrepaid,
  standing: (row, world) => ({
    tenant: null,
    projects: isPrepaid(row, world)
      ? [by(world, 'house', 'id').get(Number(account(row, world).owner))![0]!.project_id]
      : [],
    owner: null,
    rule: 'places',
  }),
  reads: ['ledger_account', 'house'],
});
