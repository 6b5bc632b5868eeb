import { code, instant, json, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** A payment of a cent that shows whether an account works; it goes back by itself. */
export const payeeTest = defineResource({
  name: 'payeeTest',
  menu: 'pm_account',
  title: ['账户测试', 'Tests of accounts'],
  noun: ['测试', 'Test'],
  titleField: 'code',
  fields: {
    code: code(['编号', 'No.'], { readOnly: true, width: 170 }),
    account: ref('payeeAccount', ['账户', 'Account'], { readOnly: true, search: 'in', width: 160 }),
    amount: money(['金额', 'Amount'], { readOnly: true, width: 90 }),
    createdAt: instant(['时间', 'Time'], { readOnly: true, sortable: true, width: 150 }),
    steps: json(['步骤', 'Steps'], { readOnly: true, width: 260 }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 180 }),
    receiptNo: text(['回单号', 'Receipt no.'], { readOnly: true, width: 130 }),
    creator: ref('staff', ['测试人', 'Tested by'], { readOnly: true, width: 100 }),
  },
  states: {
    waiting: { label: ['待支付', 'Waiting'], tone: 'processing' },
    paid: { label: ['已支付', 'Paid'], tone: 'success' },
    refunding: { label: ['退款中', 'Refunding'], tone: 'processing' },
    refunded: { label: ['已支付并退回', 'Paid and refunded'], tone: 'success' },
    failed: { label: ['失败', 'Failed'], tone: 'error' },
    closed: { label: ['超时关闭', 'Closed'], tone: 'paused' },
    confirmed: { label: ['已确认到账', 'Confirmed'], tone: 'success' },
  },
  list: {
    columns: ['code', 'account', 'amount', 'createdAt', 'steps', 'reason', 'receiptNo', 'creator', 'state'],
    filters: ['account', 'state'],
    sort: '-createdAt',
  },
});
