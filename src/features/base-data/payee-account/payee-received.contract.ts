import { choice, integer, money, ref, text } from '../../../kernel/contract/fields.ts';
import { dateRange } from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { PAYEE_CHANNELS } from '../../../domain/payee/payee.rules.ts';

/** What came into each account by month: payments less refunds, by the account frozen on the payment. */
export const payeeReceived = defineReport({
  name: 'payeeReceived',
  menu: 'pm_account',
  title: ['收款统计', 'Received by account'],
  purpose: [
    '按付款时冻结的账户统计：收款减退款',
    'Payments less refunds, by the account each payment was frozen to',
  ],
  parameters: {
    range: dateRange(['日期', 'Days'], { required: true }),
    account: ref('payeeAccount', ['账户', 'Account']),
    channel: choice(['渠道', 'Channel'], PAYEE_CHANNELS),
  },
  figures: {
    count: {
      label: ['笔数', 'Entries'],
      kind: 'integer',
      formula: ['收款笔数 + 退款笔数', 'payments + refunds'],
    },
    amount: { label: ['金额', 'Amount'], kind: 'money', formula: ['收款 − 退款', 'payments − refunds'] },
    fee: {
      label: ['手续费', 'Fee'],
      kind: 'money',
      formula: ['收款手续费 − 退回手续费', 'fees of payments − fees returned'],
    },
    net: { label: ['净额', 'Net'], kind: 'money', formula: ['金额 − 手续费', 'amount − fee'] },
  },
  charts: [
    {
      key: 'accounts',
      title: ['各账户', 'By account'],
      kind: 'bar',
      measures: ['amount', 'fee', 'net'],
      drillFilter: 'account',
    },
  ],
  fields: {
    month: text(['月份', 'Month'], { sortable: true, width: 100 }),
    account: ref('payeeAccount', ['账户', 'Account'], { width: 220 }),
    channel: choice(['渠道', 'Channel'], PAYEE_CHANNELS, { width: 90 }),
    count: integer(['笔数', 'Entries'], { sortable: true, width: 90 }),
    amount: money(['金额', 'Amount'], { sortable: true, width: 130 }),
    fee: money(['手续费', 'Fee'], { sortable: true, width: 110 }),
    net: money(['净额', 'Net'], { sortable: true, width: 130 }),
  },
  columns: ['month', 'account', 'channel', 'count', 'amount', 'fee', 'net'],
  sort: '-month',
  maxDays: 400,
  export: true,
});
