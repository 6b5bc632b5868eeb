import { counted, dayRange } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const accountOf = (row: Raw, world: World) => by(world, 'ledger_account', 'id').get(row.account_id)?.[0];
const ownerOf = (row: Raw, world: World) => Number(accountOf(row, world)?.owner ?? 0);

const transferOf = (row: Raw, world: World) => by(world, 'ledger_transfer', 'id').get(row.transfer_id)![0]!;

export const oracle = defineOracle({
  name: 'depositEntry',
  menu: 'maoBossAccount',
  table: 'ledger_entry',
  extra: (row, world) => accountOf(row, world)?.kind === 'merchant_deposit',
  standing: (row, world) => ({
    tenant: ownerOf(row, world),
    projects: (by(world, 'tenant_project', 'tenant_id').get(ownerOf(row, world)) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: by(world, 'tenant', 'id').get(ownerOf(row, world))?.[0]?.created_by ?? null,
    rule: 'places',
  }),
  filters: {
    at: {
      ...dayRange('at'),
      keeps: (row, value, world, held) => dayRange('at').keeps(transferOf(row, world), value, world, held),
    },
    move: {
      value: (dice) => dice.pick(['receive', 'deduct', 'receive,return', 'cover']),
      keeps: (row, value, world) => value.split(',').includes(String(transferOf(row, world).purpose)),
    },
  },
  export: counted,
  reads: ['ledger_account', 'ledger_transfer', 'tenant_project', 'tenant'],
});
