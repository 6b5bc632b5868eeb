import { choice, code, instant, longText, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, viewOf } from '../../../kernel/contract/resource.ts';

const seen = { readOnly: true } as const;
const sum = { readOnly: true, width: 112 } as const;
const reason = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });

/** Where an application comes from. */
export const WITHDRAWAL_VIA = {
  staff: { label: ['后台', 'Back office'] },
  app: { label: ['商户端', 'Merchants’ app'] },
} as const;

/** What a merchant takes out of its wallet: reviewed by one, paid by another. */
const whole = defineResource({
  name: 'withdrawal',
  menu: 'fm_financialSettlement',
  title: ['提现', 'Withdrawals'],
  noun: ['提现', 'Withdrawal'],
  titleField: 'code',
  prefix: 'WD',
  sensitive: true,
  purpose: [
    '商户从钱包提现：申请即冻结，审核通过后打款；申请、审核、打款为三个人，驳回、撤销或放弃后退回钱包',
    'Money merchants take out of their wallets: frozen at once, paid after a review. Applicant, reviewer and payer are three people; what is refused, cancelled or given up goes back',
  ],
  fields: {
    code: code(['提现单号', 'Withdrawal no.'], { ...seen, keyword: true, sortable: true, width: 170 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 150 }),
    amount: money(['提现金额', 'Amount'], { ...sum, sortable: true, search: 'range' }),
    fee: money(['手续费', 'Fee'], sum),
    net: money(['到账金额', 'Arrives'], sum),
    payee: text(['收款账户', 'Payee'], { ...seen, width: 200 }),
    via: choice(['来源', 'From'], WITHDRAWAL_VIA, { ...seen, search: 'in', width: 100 }),
    applicant: ref('staff', ['申请人', 'Applicant'], { ...seen, width: 100 }),
    createdAt: instant(['申请时间', 'Asked'], { ...seen, sortable: true, search: 'range', width: 150 }),
    reviewer: ref('staff', ['审核人', 'Reviewer'], { ...seen, width: 100 }),
    reviewedAt: instant(['审核时间', 'Reviewed'], { ...seen, width: 150 }),
    opinion: text(['审核意见', 'Opinion'], { ...seen, width: 160 }),
    payer: ref('staff', ['打款人', 'Payer'], { ...seen, width: 100 }),
    paidAt: instant(['到账时间', 'Arrived'], { ...seen, width: 150 }),
    payoutNo: text(['付款单', 'Payout'], { ...seen, width: 170 }),
    failure: text(['失败原因', 'Why it failed'], { ...seen, width: 180 }),
  },
  states: {
    reviewing: { label: ['审核中', 'In review'], tone: 'warning', code: 0 },
    to_pay: { label: ['待打款', 'To pay'], tone: 'processing', code: 1 },
    paying: { label: ['打款中', 'Being paid'], tone: 'processing', code: 2 },
    paid: { label: ['已到账', 'Arrived'], tone: 'success', code: 3 },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error', code: 4 },
    failed: { label: ['打款失败', 'Failed'], tone: 'error', code: 5 },
    cancelled: { label: ['已撤销', 'Cancelled'], tone: 'default', code: 6 },
  },
  list: {
    columns: [
      'code',
      'state',
      'merchant',
      'amount',
      'fee',
      'net',
      'payee',
      'via',
      'applicant',
      'createdAt',
      'reviewer',
      'payer',
      'paidAt',
      'failure',
    ],
    filters: ['merchant', 'state', 'via', 'createdAt', 'amount'],
    tabs: [
      { key: 'reviewing', label: ['审核中', 'In review'], filter: { state: 'reviewing' } },
      { key: 'toPay', label: ['待打款', 'To pay'], filter: { state: 'to_pay' } },
      { key: 'paying', label: ['打款中', 'Being paid'], filter: { state: 'paying' } },
      { key: 'failed', label: ['打款失败', 'Failed'], filter: { state: 'failed' } },
      { key: 'paid', label: ['已到账', 'Arrived'], filter: { state: 'paid' } },
      { key: 'all', label: ['全部', 'All'] },
    ],
    sort: '-createdAt',
    link: 'code',
    sums: ['amount', 'net'],
    export: true,
    empty: ['没有提现', 'No withdrawals'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['提现', 'Withdrawal'],
        fields: ['code', 'merchant', 'amount', 'fee', 'net', 'payee', 'via', 'applicant', 'createdAt'],
      },
      {
        title: ['审核与打款', 'Review and payment'],
        fields: ['reviewer', 'reviewedAt', 'opinion', 'payer', 'payoutNo', 'paidAt', 'failure'],
      },
    ],
  },
  actions: {
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_withdrawAudit',
      tone: 'primary',
      from: ['reviewing'],
      to: ['to_pay', 'reviewing', 'rejected'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_withdrawAudit',
      tone: 'danger',
      from: ['reviewing'],
      to: ['rejected', 'reviewing', 'to_pay'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    withdraw: {
      on: 'row',
      label: ['撤销', 'Cancel'],
      element: 'btn_withdraw',
      from: ['reviewing'],
      to: 'cancelled',
      confirm: ['撤销提现 {code}？{amount} 退回钱包。', 'Cancel {code}? {amount} goes back to the wallet.'],
    },
    pay: {
      on: 'row',
      label: ['打款', 'Pay'],
      element: 'btn_withdrawPay',
      tone: 'primary',
      from: ['to_pay', 'failed'],
      untouched: true,
      confirm: [
        '为提现 {code} 新建付款批次（{net}）？由另一人授权后发出。',
        'Make a batch for {code} ({net})? It leaves once another person authorises it.',
      ],
      message: ['已新建付款批次 {batch}，待授权', 'Batch {batch} was made and waits for its authorisation'],
    },
    giveUp: {
      on: 'row',
      label: ['放弃打款', 'Give up'],
      element: 'btn_withdrawPay',
      tone: 'danger',
      from: ['failed'],
      to: 'cancelled',
      input: { reason },
    },
    send: {
      on: 'system',
      label: ['授权打款', 'Payment authorised'],
      element: 'btn_authorise',
      from: ['to_pay', 'failed'],
      to: 'paying',
    },
    paid: { on: 'system', label: ['到账', 'Arrived'], element: 'btn_query', from: ['paying'], to: 'paid' },
    payFailed: {
      on: 'system',
      label: ['打款失败', 'Payment failed'],
      element: 'btn_query',
      from: ['paying'],
      to: 'failed',
    },
  },
});

/** Withdrawals at the finance desk, which reviews and pays. */
export const withdrawal = viewOf(whole, {
  name: 'withdrawal',
  menu: 'fm_financialSettlement',
  title: whole.title,
  noun: whole.noun,
  fixed: {},
  actions: ['approve', 'reject', 'pay', 'giveUp', 'send', 'paid', 'payFailed'],
});

/** The same beside the accounts of the merchants' app, for those who review there. */
export const bossWithdrawal = viewOf(whole, {
  name: 'bossWithdrawal',
  menu: 'maoBossAccount',
  title: whole.title,
  noun: whole.noun,
  fixed: {},
  actions: ['approve', 'reject'],
});

/** A merchant's own: it sees what becomes of them, and takes back what waits. */
export const infoWithdrawal = viewOf(whole, {
  name: 'infoWithdrawal',
  menu: 'mm_merchantInfo',
  title: ['提现记录', 'Withdrawals'],
  noun: whole.noun,
  fixed: {},
  without: ['reviewer', 'payer', 'payoutNo'],
  targets: { merchant: 'merchantInfo' },
  actions: ['withdraw'],
});
