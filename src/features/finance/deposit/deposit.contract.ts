import {
  choice,
  code,
  images,
  instant,
  integer,
  longText,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { SETTLEMENT_MENU } from '../settlement/settlement.contract.ts';

const seen = { readOnly: true } as const;
const sum = { readOnly: true, width: 120 } as const;
const amount = money(['金额', 'Amount'], {
  required: true,
  min: 1,
  max: 1_000_000_000,
  unit: ['元', 'yuan'],
});
const reason = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });
const evidence = images(['凭证', 'Evidence'], { required: true, min: 1, max: 9 });
const receiptNo = text(['银行回单号', 'Bank receipt no.'], { required: true, min: 2, max: 60 });

/** Said after an entry that somebody else has to check. */
const WAITS = ['已录入，复核后入账', 'Entered; it is booked once another person has checked it'] as const;

export const DEPOSIT_TYPES = {
  receive: { label: ['缴纳', 'Received'], tone: 'success' },
  top_up: { label: ['补缴', 'Topped up'], tone: 'success' },
  deduct: { label: ['扣罚', 'Deducted'], tone: 'error' },
  cover: { label: ['抵欠', 'Covers a debt'], tone: 'warning' },
  return: { label: ['退还', 'Given back'], tone: 'processing' },
} as const;

const COLUMNS = [
  'account',
  'name',
  'asked',
  'held',
  'short',
  'waiting',
  'owed',
  'negatives',
  'lastType',
  'lastAt',
] as const;

/** The deposit of one merchant: what it should be, what is there, what could be covered from it. */
export const depositAccount = defineResource({
  name: 'depositAccount',
  menu: SETTLEMENT_MENU,
  title: ['保证金', 'Deposits'],
  noun: ['商户保证金', 'Deposit'],
  titleField: 'name',
  sensitive: true,
  purpose: [
    '商户保证金：除 1,000.00 元及以下的收款外，每笔须由另一人复核后入账；扣罚先告知商户 3 个工作日',
    'Deposits of merchants: all but receipts of up to 1,000.00 yuan are checked by a second person; a merchant is told 3 working days before a deduction',
  ],
  fields: {
    account: code(['账号', 'Account'], { ...seen, keyword: true, sortable: true, width: 110 }),
    name: text(['商户', 'Merchant'], { ...seen, keyword: true, width: 180 }),
    asked: money(['应缴', 'Required'], sum),
    held: money(['余额', 'Balance'], sum),
    short: money(['差额', 'Shortfall'], sum),
    waiting: integer(['待复核', 'To check'], { ...seen, width: 90 }),
    owed: money(['结算欠款', 'Owed'], {
      ...sum,
      help: ['负结算单未清的金额', 'Left of statements that ended below zero'],
    }),
    negatives: integer(['连续负结算', 'Below zero in a row'], { ...seen, width: 100 }),
    lastType: choice(['最近流水', 'Last entry'], DEPOSIT_TYPES, { ...seen, width: 100 }),
    lastAt: instant(['最近入账', 'Last booked'], { ...seen, width: 150 }),
  },
  list: {
    columns: COLUMNS,
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'short', label: ['不足', 'Short'], named: true },
      { key: 'owing', label: ['可抵欠', 'Owing'], named: true },
    ],
    sort: 'account',
    link: 'name',
    export: true,
    empty: ['没有商户', 'No merchants'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['保证金', 'Deposit'],
        fields: COLUMNS,
      },
    ],
  },
  actions: {
    receive: {
      on: 'row',
      label: ['收款', 'Receive'],
      element: 'btn_depositReceive',
      tone: 'primary',
      untouched: true,
      input: { amount, receiptNo, evidence },
      message: ['已录入 {code}', '{code} was entered'],
    },
    deduct: {
      on: 'row',
      label: ['扣罚', 'Deduct'],
      element: 'btn_depositDeduct',
      tone: 'danger',
      untouched: true,
      input: { amount, reason, evidence },
      message: WAITS,
    },
    cover: {
      on: 'row',
      label: ['保证金抵欠', 'Cover the debt'],
      element: 'btn_depositCover',
      untouched: true,
      input: { amount, reason },
      message: WAITS,
    },
    giveBack: {
      on: 'row',
      label: ['退还', 'Give back'],
      element: 'btn_depositReturn',
      untouched: true,
      input: { amount, receiptNo, reason },
      message: WAITS,
    },
  },
});

/** One entry of a deposit: made by one, checked by another. */
export const depositRecord = defineResource({
  name: 'depositRecord',
  menu: SETTLEMENT_MENU,
  title: ['保证金流水', 'Deposit entries'],
  noun: ['保证金流水', 'Entry'],
  titleField: 'code',
  prefix: 'DP',
  sensitive: true,
  fields: {
    code: code(['流水号', 'Entry no.'], { ...seen, keyword: true, sortable: true, width: 170 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 160 }),
    type: choice(['类型', 'Type'], DEPOSIT_TYPES, { ...seen, search: 'in', width: 100 }),
    amount: money(['金额', 'Amount'], { ...sum, sortable: true, search: 'range' }),
    receiptNo: text(['银行回单号', 'Bank receipt no.'], { ...seen, keyword: true, width: 160 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 200 }),
    evidence: images(['凭证', 'Evidence'], { ...seen, max: 9 }),
    notBefore: instant(['可入账时间', 'Not before'], { ...seen, width: 150 }),
    maker: ref('staff', ['录入人', 'Maker'], { ...seen, width: 100 }),
    createdAt: instant(['录入时间', 'Entered'], { ...seen, sortable: true, search: 'range', width: 150 }),
    checker: ref('staff', ['复核人', 'Checker'], { ...seen, width: 100 }),
    bookedAt: instant(['入账时间', 'Booked'], { ...seen, width: 150 }),
    refusal: text(['驳回原因', 'Why refused'], { ...seen, width: 180 }),
    statement: code(['抵入结算单', 'On statement'], { ...seen, width: 170 }),
  },
  states: {
    to_check: { label: ['待复核', 'To check'], tone: 'warning' },
    booked: { label: ['已入账', 'Booked'], tone: 'success' },
    refused: { label: ['已驳回', 'Refused'], tone: 'error' },
  },
  list: {
    columns: [
      'code',
      'state',
      'merchant',
      'type',
      'amount',
      'receiptNo',
      'reason',
      'notBefore',
      'maker',
      'createdAt',
      'checker',
      'bookedAt',
      'refusal',
      'statement',
    ],
    filters: ['merchant', 'type', 'state', 'amount', 'createdAt'],
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'toCheck', label: ['待复核', 'To check'], filter: { state: 'to_check' } },
      { key: 'booked', label: ['已入账', 'Booked'], filter: { state: 'booked' } },
    ],
    sort: '-createdAt',
    link: 'code',
    export: true,
    empty: ['没有保证金流水', 'No entries yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['流水', 'Entry'],
        fields: [
          'code',
          'merchant',
          'type',
          'amount',
          'receiptNo',
          'reason',
          'evidence',
          'notBefore',
          'statement',
        ],
      },
      {
        title: ['复核', 'Check'],
        fields: ['maker', 'createdAt', 'checker', 'bookedAt', 'refusal'],
      },
    ],
  },
  actions: {
    check: {
      on: 'row',
      label: ['复核入账', 'Check and book'],
      element: 'btn_depositCheck',
      tone: 'primary',
      from: ['to_check'],
      to: 'booked',
      confirm: [
        '复核 {code}：{amount}，入账后不能更改？',
        'Book {code} of {amount}? It cannot be changed afterwards.',
      ],
      message: ['已入账', 'Booked'],
    },
    refuse: {
      on: 'row',
      label: ['驳回', 'Refuse'],
      element: 'btn_depositCheck',
      tone: 'danger',
      remark: 'reason',
      from: ['to_check'],
      to: 'refused',
      input: { reason },
    },
  },
});
