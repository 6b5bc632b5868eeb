import { counted, ids } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'payCourtesyGrant',
  menu: 'cs_payCourtesy',
  table: 'payment_gift_grant',
  standing: (row) => ({ tenant: null, projects: [row.project_id], owner: row.created_by, rule: 'places' }),
  filters: { activity: ids('gift_id', 'payment_gift'), house: ids('house_id', 'house') },
  tabs: {
    all: () => true,
    to_recover: (row) => row.state === 'to_recover',
    failed: (row) => row.state === 'failed',
  },
  text: (row) => String(row.receipt_no).toLowerCase(),
  export: counted,
  owner: 'created_by',
  reads: ['payment_gift', 'house'],
});
