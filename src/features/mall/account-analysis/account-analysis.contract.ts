import {
  choice,
  code,
  date,
  dateRange,
  integer,
  json,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { STATEMENT_STATES } from '../account-statement/statement.contract.ts';

/** Bills of merchants by month and state, with how long what is due has waited. The same rows and sums as the bills. */
export const accountAna = defineReport({
  name: 'accountAna',
  menu: 'mm_accountAna',
  title: ['商家对账分析', 'Account analysis'],
  purpose: [
    '按周期截止日统计账单；账龄为转入待付款至今的天数',
    'Bills by the end of their period; the age is the days since a bill became payable',
  ],
  parameters: {
    range: dateRange(['周期截止', 'Period ends'], { required: true }),
    merchant: ref('merchant', ['商户', 'Merchant'], { search: 'in' }),
    stage: choice(
      ['状态', 'Status'],
      {
        '0': { label: ['待确认', 'To confirm'] },
        '1': { label: ['待付款', 'To pay'] },
        '2': { label: ['已结算', 'Settled'] },
      },
      { search: 'equals' },
    ),
  },
  figures: {
    sum: {
      label: ['结算金额', 'Payable'],
      kind: 'money',
      formula: ['Σ 账单结算金额', 'Σ payable of the bills'],
    },
    due: {
      label: ['待付款', 'To pay'],
      kind: 'money',
      formula: ['Σ 待付款、付款中、付款失败的付款金额', 'Σ pay amount of bills to pay, paying or failed'],
    },
    settled: {
      label: ['已结算', 'Settled'],
      kind: 'money',
      formula: ['Σ 已结算账单的付款金额', 'Σ pay amount of settled bills'],
    },
    bills: { label: ['账单数', 'Bills'], kind: 'integer', formula: ['账单张数', 'Number of bills'] },
    rate: {
      label: ['佣金率', 'Take rate'],
      kind: 'percent',
      formula: ['Σ 佣金 ÷ Σ（营收 + 退款）', 'Σ commission ÷ Σ (gross + refunds)'],
    },
  },
  charts: [
    {
      key: 'merchants',
      title: ['商户月度结算金额', 'Payable by merchant and month'],
      kind: 'bar',
      measures: ['payable', 'payAmount'],
      drillMenu: 'mm_accountStatement',
    },
    {
      key: 'states',
      title: ['状态构成', 'By status'],
      kind: 'ring',
      measures: ['payable', 'bills'],
      drillMenu: 'mm_accountStatement',
    },
    {
      key: 'ageing',
      title: ['待付款账龄', 'Age of what is due'],
      kind: 'column',
      measures: ['payAmount', 'bills'],
    },
  ],
  fields: {
    code: code(['账单号', 'Bill no.'], { sortable: true, width: 170 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { sortable: true }),
    payable: money(['结算金额', 'Payable'], { sortable: true }),
    payAmount: money(['付款金额', 'Pay amount'], { sortable: true }),
    period: text(['结算周期', 'Period'], { width: 190 }),
    periodTo: date(['周期截止', 'Period ends'], { sortable: true }),
    payee: text(['收款账户', 'Payee'], { width: 180 }),
    paidOn: date(['支付日', 'Paid on'], { sortable: true }),
    state: choice(['状态', 'Status'], STATEMENT_STATES),
    age: integer(['账龄（天）', 'Age (days)'], {
      sortable: true,
      help: ['转入待付款至今的天数', 'Days since it became payable'],
    }),
    bills: integer(['账单数', 'Bills']),
    drill: json(['下钻条件', 'Drill']),
  },
  columns: ['code', 'merchant', 'payable', 'payAmount', 'period', 'payee', 'paidOn', 'state', 'age'],
  sort: '-payable',
  drills: [
    { column: 'payable', menu: 'mm_accountStatement' },
    { column: 'payAmount', menu: 'mm_accountStatement' },
  ],
  maxDays: 731,
  export: true,
});
