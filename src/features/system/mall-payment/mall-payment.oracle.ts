import { yes } from '../../../testing/oracle/filters.ts';
import { defineOracle } from '../../../testing/oracle/oracle.ts';

export const oracle = defineOracle({
  name: 'mallPayment',
  menu: 'ssm_mallPayment',
  table: 'payee_account',
  where: (row) => row.purpose === 'collect' && ['alipay', 'wechat'].includes(row.channel),
  standing: (row) => ({ tenant: row.tenant_id, projects: undefined, owner: row.created_by, rule: 'places' }),
  filters: { isPayInMall: yes('is_pay_in_mall'), mallEnabled: yes('mall_enabled') },
  tabs: {
    alipay: (row) => row.channel === 'alipay',
    wechat: (row) => row.channel === 'wechat',
  },
  text: (row) => `${row.code} ${row.name} ${row.account_name} ${row.bank}`.toLowerCase(),
});
