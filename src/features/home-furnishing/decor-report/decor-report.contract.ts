import { dateRange, integer, money, percent, ref, text } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { DECOR_MENU } from '../decor-order/decor-order.contract.ts';

const WORDS = {
  contract: ['合同额', 'Contract amount'],
  received: ['已收', 'Received'],
  owed: ['欠款', 'Owed'],
  overdue: ['逾期', 'Overdue'],
  conversion: ['报价转化率', 'Quote conversion'],
  onTime: ['节点准时率', 'Nodes on time'],
  firstPass: ['一次验收通过率', 'Accepted at first'],
  repair: ['报修率', 'Repair rate'],
} as const satisfies Readonly<Record<string, Label>>;

const FORMULAS = {
  contract: [
    '期间签约订单的价格 + 期间生效的变更',
    'Price of orders signed in the period + changes in force in it',
  ],
  received: ['期间确认的收款 − 成功的退款', 'Receipts confirmed in the period − refunds that succeeded'],
  owed: ['当前应收余额', 'Balances at this moment'],
  overdue: ['当前已过到期日的余额', 'Of these what is past its due day'],
  conversion: ['已付定金的报价 ÷ 期间发送的报价', 'Quotes with a deposit ÷ quotes sent in the period'],
  onTime: [
    '按计划日期前通过的节点 ÷ 期间通过的节点',
    'Nodes passed by their planned end ÷ nodes passed in the period',
  ],
  firstPass: ['首轮通过的订单 ÷ 期间验收的订单', 'Orders passed in round 1 ÷ orders accepted in the period'],
  repair: [
    '验收后 90 天内报修的订单 ÷ 期间验收的订单',
    'Orders with a repair case within 90 days ÷ orders accepted in the period',
  ],
} as const satisfies Readonly<Record<keyof typeof WORDS, Label>>;

const sum = (name: 'contract' | 'received' | 'owed' | 'overdue') =>
  money(WORDS[name], { sortable: true, help: FORMULAS[name] });
const share = (name: 'conversion' | 'onTime' | 'firstPass' | 'repair') =>
  percent(WORDS[name], { scale: 1, sortable: true, width: 130, help: FORMULAS[name] });
const figure = (name: keyof typeof WORDS, kind: 'money' | 'percent') => ({
  label: WORDS[name],
  kind,
  formula: FORMULAS[name],
});

/** What decor orders brought, how far they have come and how well they were built. Source: group 14, reports. */
export const decorReport = defineReport({
  name: 'decorReport',
  menu: DECOR_MENU,
  title: ['美居数据', 'Decor figures'],
  purpose: [
    '合同额按签约日与变更生效日，已收按收款日与退款成功日；欠款与逾期为当前值',
    'Contracts by the day of signing and of changes, money by the day it came or went back; what is owed is of this moment',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    merchant: ref('merchant', ['商户', 'Merchant'], { search: 'in' }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
  },
  figures: {
    contract: figure('contract', 'money'),
    received: figure('received', 'money'),
    owed: figure('owed', 'money'),
    overdue: figure('overdue', 'money'),
    conversion: figure('conversion', 'percent'),
    onTime: figure('onTime', 'percent'),
    firstPass: figure('firstPass', 'percent'),
    repair: figure('repair', 'percent'),
  },
  charts: [
    {
      key: 'stages',
      title: ['期间新增订单的阶段', 'Stages of the orders made in the period'],
      kind: 'bar',
      measures: ['orders'],
      drillMenu: DECOR_MENU,
    },
    {
      key: 'months',
      title: ['合同额与已收', 'Contracts and money received'],
      kind: 'line',
      measures: ['contract', 'received'],
    },
    {
      key: 'merchants',
      title: ['按商户', 'By merchant'],
      kind: 'bar',
      measures: ['contract', 'received'],
      drillFilter: 'merchant',
    },
  ],
  fields: {
    merchant: text(['商户', 'Merchant'], { sortable: true, width: 180 }),
    orders: integer(['订单', 'Orders'], { sortable: true, width: 90 }),
    contract: sum('contract'),
    received: sum('received'),
    owed: sum('owed'),
    overdue: sum('overdue'),
    conversion: share('conversion'),
    onTime: share('onTime'),
    firstPass: share('firstPass'),
    repair: share('repair'),
  },
  columns: [
    'merchant',
    'orders',
    'contract',
    'received',
    'owed',
    'overdue',
    'conversion',
    'onTime',
    'firstPass',
    'repair',
  ],
  sort: '-contract',
  maxDays: 1_100,
  export: true,
  exportSums: true,
});
