import { counted, exactly } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'channelCall',
  menu: 'ssm_mallPayment',
  table: 'channel_call',
  standing: (row, world) => {
    const account = world.rows.payee_account!.find((one) => one.id === row.account_id);
    return {
      tenant: account?.tenant_id ?? null,
      projects: undefined,
      owner: account?.created_by ?? null,
      rule: 'places',
    };
  },
  filters: { number: exactly('number', 'channel_call') },
  text: (row) => String(row.number).toLowerCase(),
  export: counted,
  reads: ['payee_account'],
});
