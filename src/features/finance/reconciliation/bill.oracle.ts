import { byCode, idsOfRows, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

/** Bills belong to the platform's finance desk. */
export const oracle = defineOracle({
  name: 'channelBill',
  menu: 'fm_financialReconciliation',
  table: 'channel_bill',
  standing: (row) => ({ tenant: null, projects: undefined, owner: row.created_by, rule: 'platform' }),
  filters: {
    channel: words((row) => String(row.channel), ['1', '2']),
    account: idsOfRows('payee_account_id', 'channel_bill'),
  },
  tabs: { all: () => true, differences: (row) => row.state === 'differences' },
  text: (row) => String(row.code).toLowerCase(),
  export: byCode,
  owner: 'created_by',
});
