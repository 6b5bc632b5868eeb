import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';
import { yes } from '../../../testing/oracle/filters.ts';

/** Of the merchant's newest payout account; a transfer nobody answered within a day has failed. */
const payeeState = (row: Raw, world: World): string => {
  const [account] = (by(world, 'payee_account', 'tenant_id').get(row.id) ?? [])
    .filter((one) => one.purpose === 'payout' && ['draft', 'active'].includes(one.state))
    .sort((a, b) => b.id - a.id);
  if (!account) return 'none';
  const late =
    account.verify_sent_at !== null && Date.now() - new Date(account.verify_sent_at).getTime() >= 86_400_000;
  return account.verify_state === 'verifying' && late ? 'failed' : account.verify_state;
};

export const oracle = defineOracle({
  name: 'merchantFund',
  menu: 'maoBossAccount',
  table: 'tenant',
  where: (row) => row.kind === 2,
  standing: (row, world) => ({
    tenant: row.id,
    projects: (by(world, 'tenant_project', 'tenant_id').get(row.id) ?? []).map((one) =>
      Number(one.project_id),
    ),
    owner: row.created_by,
    rule: 'places',
  }),
  filters: {
    frozen: yes('settlement_frozen'),
    payeeState: {
      value: (dice) => dice.pick(['none', 'verified', 'unverified,verifying', 'failed']),
      keeps: (row, value, world) => value.split(',').includes(payeeState(row, world)),
    },
  },
  text: (row) => `${row.account} ${row.name}`.toLowerCase(),
  export: { field: 'account', key: (row) => String(row.account) },
  owner: 'created_by',
  reads: ['tenant_project', 'payee_account'],
});
