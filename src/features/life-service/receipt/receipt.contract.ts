import {
  boolean,
  choice,
  code,
  date,
  images,
  instant,
  lines,
  longText,
  money,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { METHODS } from '../../../domain/receivable/receivable.rules.ts';

/** Menu of receipts. */
export const RECEIPT_MENU = 'accountsConfirm';

const seen = { readOnly: true } as const;
const { prepaid: _prepaid, ...RECORDED } = METHODS;

/** Money that came in: recorded by one, confirmed by another, allocated over receivables. */
export const receipt = defineResource({
  name: 'receipt',
  menu: RECEIPT_MENU,
  title: ['收款确认', 'Receipts'],
  noun: ['收款', 'Receipt'],
  titleField: 'code',
  prefix: 'RC',
  sensitive: true,
  stamps: true,
  purpose: [
    '登记收款并分配到应收，由另一人确认后入账；多出的部分转入付款方预存；错账用冲销，不删除',
    'Receipts are recorded, allocated over receivables and confirmed by somebody else; the rest goes to the prepaid account. Mistakes are reversed, never deleted',
  ],
  modes: {
    add: 'accountsConfirmEdit/0/list',
    edit: 'accountsConfirmEdit/:id/list',
    detail: 'accountsConfirmDetails/:id/list',
  },
  elements: {
    btn_import: ['导入银行流水', 'Import a bank file'],
  },
  fields: {
    code: code(['编号', 'Code'], { ...seen, keyword: true, sortable: true, width: 170 }),
    receivedOn: date(['收款日期', 'Received'], {
      required: true,
      sortable: true,
      search: 'range',
      width: 110,
    }),
    member: ref('memberInReach', ['会员', 'Member'], {
      createOnly: true,
      help: [
        '按完整姓名或手机号查找；付款方不是会员时填写名称',
        'Found by the whole name or phone; for anybody else write the name',
      ],
    }),
    payerTitle: text(['付款方名称', 'Name of the payer'], { createOnly: true, max: 60 }),
    payer: personName(['付款方', 'Payer'], { ...seen, width: 110 }),
    phone: phone(['手机', 'Phone'], { ...seen, width: 130 }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 150,
    }),
    method: choice(['方式', 'Method'], METHODS, { required: true, search: 'in', width: 110 }),
    amount: money(['金额', 'Amount'], {
      required: true,
      min: 1,
      max: 99_999_999_999,
      search: 'range',
      sortable: true,
      width: 120,
    }),
    payerName: text(['付款户名', 'Account name'], { max: 60, keyword: true, width: 130 }),
    bank: text(['银行', 'Bank'], { max: 60, help: ['转账、支票必填', 'For transfers and cheques'] }),
    slipNo: text(['流水号', 'Slip number'], {
      max: 60,
      keyword: true,
      width: 150,
      help: ['转账、支票必填，不能重复', 'For transfers and cheques, never twice'],
    }),
    vouchers: images(['凭证', 'Vouchers'], { max: 9, help: ['转账必填', 'For transfers'] }),
    note: text(['备注', 'Note'], { max: 200 }),
    allocations: lines(
      ['分配', 'Allocation'],
      {
        receivable: ref('openReceivable', ['应收', 'Receivable'], { required: true, width: 200 }),
        amount: money(['金额', 'Amount'], { required: true, min: 1, max: 99_999_999_999, width: 140 }),
      },
      {
        max: 100,
        help: [
          '每笔不超过应收余额，合计不超过收款金额；未分配的部分确认后转入预存',
          'Each at most what is owed, together at most the amount; the rest goes to the prepaid account',
        ],
      },
    ),
    allocated: money(['已分配', 'Allocated'], { ...seen, width: 120 }),
    toPrepaid: money(['转预存', 'To prepaid'], { ...seen, width: 110 }),
    match: choice(
      ['自动匹配', 'Match'],
      {
        exact: { label: ['精确', 'Exact'], tone: 'success' },
        likely: { label: ['疑似', 'Likely'], tone: 'warning' },
        none: { label: ['未匹配', 'None'] },
      },
      { ...seen, search: 'in', width: 100 },
    ),
    matchNote: text(['匹配依据', 'Why it matches'], { ...seen, width: 200 }),
    recorder: ref('staff', ['登记人', 'Recorder'], { ...seen, search: 'in', width: 100 }),
    confirmer: ref('staff', ['确认人', 'Confirmer'], { ...seen, width: 100 }),
    confirmedAt: instant(['确认时间', 'Confirmed'], { ...seen, width: 150 }),
    rejectReason: text(['驳回原因', 'Why rejected'], { ...seen, width: 160 }),
    reverses: text(['冲销收款', 'Reverses'], { ...seen, width: 170 }),
    reversed: boolean(['已冲销', 'Reversed'], { ...seen, width: 90 }),
  },
  states: {
    to_confirm: { label: ['待确认', 'To confirm'], tone: 'warning' },
    confirmed: { label: ['已确认', 'Confirmed'], tone: 'success' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
  },
  list: {
    columns: [
      'code',
      'receivedOn',
      'method',
      'payer',
      'payerName',
      'slipNo',
      'amount',
      'allocated',
      'toPrepaid',
      'project',
      'match',
      'state',
      'recorder',
      'confirmer',
      'reversed',
      'phone',
      'bank',
      'confirmedAt',
      'createdAt',
    ],
    hidden: ['phone', 'bank', 'confirmedAt', 'createdAt', 'reversed'],
    filters: ['method', 'project', 'state', 'amount', 'receivedOn', 'recorder', 'match'],
    sort: '-createdAt',
    link: 'code',
    sums: ['amount', 'toPrepaid'],
    tabs: [
      { key: 'to_confirm', label: ['待确认', 'To confirm'], named: true },
      { key: 'confirmed', label: ['已确认', 'Confirmed'], named: true },
      { key: 'rejected', label: ['已驳回', 'Rejected'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    export: true,
    empty: ['没有收款', 'There are no receipts'],
  },
  form: {
    as: 'page',
    sections: [
      { title: ['付款方', 'Payer'], fields: ['member', 'payerTitle', 'project'] },
      {
        title: ['收款', 'Receipt'],
        fields: ['method', 'amount', 'receivedOn', 'payerName', 'bank', 'slipNo', 'vouchers', 'note'],
      },
      { title: ['分配', 'Allocation'], fields: ['allocations'] },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['收款', 'Receipt'],
        fields: [
          'payer',
          'phone',
          'project',
          'method',
          'amount',
          'receivedOn',
          'payerName',
          'bank',
          'slipNo',
          'note',
        ],
      },
      { title: ['凭证', 'Vouchers'], fields: ['vouchers'] },
      {
        title: ['分配', 'Allocation'],
        fields: ['allocated', 'toPrepaid', 'match', 'matchNote', 'allocations'],
      },
      {
        title: ['确认', 'Confirmation'],
        fields: ['recorder', 'confirmer', 'confirmedAt', 'rejectReason', 'reverses', 'reversed'],
      },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['登记收款', 'Record a receipt'],
      element: 'btn_add',
      tone: 'primary',
      to: 'to_confirm',
    },
    update: {
      on: 'row',
      label: ['编辑', 'Edit'],
      element: 'btn_edit',
      from: ['to_confirm', 'rejected'],
      to: 'to_confirm',
    },
    confirm: {
      on: 'rowAndBulk',
      label: ['确认', 'Confirm'],
      element: 'btn_confirm',
      tone: 'primary',
      from: ['to_confirm'],
      to: 'confirmed',
      bulkMax: 100,
      confirm: ['确认收款「{code}」{amount}？确认后入账', 'Confirm “{code}”, {amount}? It is booked then'],
      message: ['已确认', 'Confirmed'],
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_reject',
      remark: 'reason',
      tone: 'danger',
      from: ['to_confirm'],
      to: 'rejected',
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    match: {
      on: 'rowAndBulk',
      label: ['自动匹配', 'Match'],
      element: 'btn_match',
      from: ['to_confirm'],
      bulkMax: 100,
      message: ['已匹配', 'Matched'],
    },
    print: {
      on: 'row',
      label: ['打印收据', 'Print'],
      event: ['打印收据', 'A receipt was printed'],
      element: 'btn_print',
      from: ['confirmed'],
      opens: 'screen',
      untouched: true,
    },
    reverse: {
      on: 'row',
      label: ['冲销', 'Reverse'],
      element: 'btn_reverse',
      tone: 'danger',
      from: ['confirmed'],
      confirm: [
        '冲销「{code}」？将生成一笔负数收款，收回分配与预存',
        'Reverse “{code}”? A negative receipt takes allocations and prepaid money back',
      ],
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
      message: ['已冲销', 'Reversed'],
    },
  },
});

/** Ways that are typed in; the prepaid account is used from the receivable. */
export const RECORDED_METHODS: readonly string[] = Object.keys(RECORDED);

/** A line of a payer that takes money, as the allocation table reads it; amounts are texts in yuan. */
export interface OpenReceivable {
  readonly id: string;
  readonly code: string;
  readonly source: string;
  readonly dueOn: string;
  readonly balance: string;
}
