import { byCode, inProject, stateTabs, words } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'receipt',
  menu: 'accountsConfirm',
  table: 'receipt',
  standing: (row) => ({ ...inProject(row), owner: row.recorder_id }),
  filters: { match: words('match', ['exact', 'likely', 'none']) },
  tabs: { all: () => true, ...stateTabs('to_confirm', 'confirmed', 'rejected') },
  text: (row) => `${row.code} ${row.slip_no} ${row.payer_name}`.toLowerCase(),
  export: byCode,
  sample: (turn) => ({
    member: undefined,
    payerTitle: `付款方${turn % 7}`,
    method: 'cash',
    receivedOn: '2026-01-01',
    slipNo: undefined,
    vouchers: undefined,
    allocations: [],
  }),
});
