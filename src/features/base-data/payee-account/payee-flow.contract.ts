import { choice, code, instant, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** A payment that came into an account, or a refund that left it; refunds are negative. */
export const payeeFlow = defineResource({
  name: 'payeeFlow',
  menu: 'pm_account',
  title: ['收款流水', 'Payments and refunds'],
  noun: ['流水', 'Entry'],
  titleField: 'code',
  fields: {
    at: instant(['时间', 'Time'], { readOnly: true, sortable: true, search: 'range', width: 150 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        pay: { label: ['收款', 'Payment'], tone: 'success' },
        refund: { label: ['退款', 'Refund'], tone: 'warning' },
      },
      { readOnly: true, search: 'in', width: 80 },
    ),
    code: code(['单号', 'No.'], { readOnly: true, search: 'contains', width: 180 }),
    tradeNo: text(['渠道流水', 'Trade no.'], { readOnly: true, search: 'equals', width: 240 }),
    account: ref('payeeAccount', ['账户', 'Account'], { readOnly: true, search: 'in', width: 170 }),
    amount: money(['金额', 'Amount'], { readOnly: true, sortable: true, width: 110 }),
    fee: money(['手续费', 'Fee'], { readOnly: true, width: 90 }),
    net: money(['净额', 'Net'], { readOnly: true, width: 110 }),
  },
  list: {
    columns: ['at', 'kind', 'code', 'tradeNo', 'account', 'amount', 'fee', 'net'],
    filters: ['account', 'kind', 'at'],
    sort: '-at',
    export: true,
  },
});
