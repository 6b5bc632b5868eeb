import { defineOracle } from '../../../testing/oracle/oracle.ts';
import { by, type Raw, type World } from '../../../testing/oracle/world.ts';

const CONFIRMED = ['to_pay', 'paying', 'failed', 'settled'];

/** Less in the ledger than the agreement in force asks for. */
const isShort = (row: Raw, world: World): boolean => {
  const now = Date.now();
  const asked = (by(world, 'merchant_agreement', 'tenant_id').get(row.id) ?? []).find(
    (one) =>
      ['active', 'superseded', 'expired'].includes(one.state) &&
      new Date(one.effective_from).getTime() <= now &&
      (one.effective_to === null || new Date(one.effective_to).getTime() > now),
  );
  const account = (by(world, 'ledger_account', 'owner').get(row.id) ?? []).find(
    (one) => one.kind === 'merchant_deposit' && one.unit === 'fen',
  );
  return Number(account?.balance ?? 0) < Number(asked?.deposit ?? 0);
};

/** A source that stands on a confirmed statement. */
const settled = (type: string, id: unknown, world: World): boolean =>
  world.rows.statement_line!.some(
    (line) =>
      line.active &&
      line.source_type === type &&
      Number(line.source_id) === Number(id) &&
      CONFIRMED.includes(by(world, 'statement', 'id').get(line.statement_id)![0]!.state),
  );

/** Something is left of statements that ended below zero. */
const owes = (row: Raw, world: World): boolean => {
  const below = (by(world, 'statement', 'tenant_id').get(row.id) ?? [])
    .filter((one) => CONFIRMED.includes(one.state) && Number(one.carry_out) < 0)
    .filter((one) => !settled('statement', one.id, world))
    .reduce((sum, one) => sum - Number(one.carry_out), 0);
  const covered = (by(world, 'deposit_entry', 'tenant_id').get(row.id) ?? [])
    .filter((one) => one.type === 'cover' && one.state === 'booked')
    .filter((one) => !settled('deposit_entry', one.id, world))
    .reduce((sum, one) => sum + Number(one.amount), 0);
  return below > covered;
};

export const oracle = defineOracle({
  name: 'depositAccount',
  menu: 'fm_financialSettlement',
  table: 'tenant',
  where: (row) => row.kind === 2 && row.merchant_kind !== 'self',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  tabs: { all: () => true, short: isShort, owing: owes },
  text: (row) => `${row.account} ${row.name}`.toLowerCase(),
  export: { field: 'account', key: (row) => String(row.account) },
  owner: 'created_by',
  reads: ['ledger_account', 'merchant_agreement', 'statement', 'statement_line', 'deposit_entry'],
});
