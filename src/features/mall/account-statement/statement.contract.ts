import {
  boolean,
  choice,
  code,
  date,
  images,
  instant,
  integer,
  longText,
  money,
  percent,
  personName,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { PAY_CHANNELS } from '../goods-order/order-words.rules.ts';

/** What a row of a statement stands for. */
export const ROW_KINDS = {
  sale: { label: ['销售', 'Sale'] },
  freight: { label: ['运费', 'Freight'] },
  refund: { label: ['追回', 'Claw-back'], tone: 'error' },
  refund_freight: { label: ['运费追回', 'Freight claw-back'], tone: 'error' },
  adjustment: { label: ['调整', 'Adjustment'], tone: 'warning' },
  carry_in: { label: ['上期结转', 'Carried in'], tone: 'processing' },
  deposit_cover: { label: ['保证金抵欠', 'Covered by deposit'], tone: 'processing' },
} as const;

/** Why a merchant does not agree with a row. */
export const DISPUTE_REASONS = {
  qty: { label: ['数量', 'Quantity'] },
  amount: { label: ['金额', 'Amount'] },
  commission: { label: ['佣金', 'Commission'] },
  refund: { label: ['退款', 'Refund'] },
  missing: { label: ['漏单', 'Missing order'] },
  other: { label: ['其他', 'Other'] },
} as const;

/** How a dispute was answered. */
export const DISPUTE_ANSWERS = {
  accepted: { label: ['采纳', 'Accepted'], tone: 'success' },
  rejected: { label: ['不采纳', 'Rejected'], tone: 'error' },
  released: { label: ['移出', 'Taken out'], tone: 'warning' },
} as const;

/** Who confirmed a statement. */
export const CONFIRMERS = {
  merchant: { label: ['商户', 'Merchant'] },
  system: { label: ['到期自动', 'Window ended'] },
  platform: { label: ['平台代确认', 'Platform on behalf'] },
} as const;

/** States a merchant sees; `code` is the statementStatus of the paths of the specification. */
export const STATEMENT_STATES = {
  to_confirm: { label: ['待确认', 'To confirm'], tone: 'warning', code: 0 },
  disputed: { label: ['有异议', 'Disputed'], tone: 'error', code: 0 },
  to_pay: { label: ['待付款', 'To pay'], tone: 'processing', code: 1 },
  paying: { label: ['付款中', 'Paying'], tone: 'processing', code: 1 },
  failed: { label: ['付款失败', 'Payment failed'], tone: 'error', code: 1 },
  settled: { label: ['已结算', 'Settled'], tone: 'success', code: 2 },
} as const;

const seen = { readOnly: true } as const;
const sum = { readOnly: true, width: 118 } as const;

/** A row of a statement: what one sale gives the merchant, or one refund takes back. */
export const statementLine = defineResource({
  name: 'statementLine',
  menu: 'mm_accountStatement',
  title: ['账单明细', 'Rows of bills'],
  noun: ['明细', 'Row'],
  titleField: 'title',
  sensitive: true,
  fields: {
    statement: ref('statement', ['账单号', 'Bill no.'], { ...seen, search: 'in', width: 170 }),
    rowNo: integer(['行', 'Row'], { ...seen, sortable: true, width: 64 }),
    rowKind: choice(['类别', 'Kind'], ROW_KINDS, { ...seen, search: 'in', width: 84 }),
    orderCode: text(['订单号', 'Order no.'], { ...seen, search: 'equals', width: 166 }),
    order: ref('goodsOrder', ['订单', 'Order'], seen),
    orderKind: text(['订单类型', 'Kind of order'], seen),
    title: text(['标题', 'Title'], { ...seen, width: 150 }),
    contactName: personName(['客户', 'Customer'], { ...seen, width: 84 }),
    contactPhone: phone(['电话', 'Phone'], { ...seen, width: 140 }),
    payChannel: choice(['支付方式', 'Pay way'], PAY_CHANNELS, { ...seen, width: 90 }),
    qty: integer(['数量', 'Quantity'], { ...seen, width: 84 }),
    unitPrice: money(['单价', 'Unit price'], { ...seen, width: 96 }),
    happenedAt: instant(['完成时间', 'Completed'], { ...seen, search: 'range', width: 140 }),
    cash: money(['金额', 'Cash'], { ...seen, width: 96 }),
    subsidy: money(['平台补贴', 'Subsidy'], { ...seen, width: 88 }),
    commissionRate: percent(['佣金率', 'Rate'], { ...seen, width: 84, unit: ['%', '%'] }),
    commission: money(['佣金', 'Commission'], { ...seen, width: 104 }),
    channelFee: money(['通道费', 'Channel fee'], { ...seen, width: 104 }),
    net: money(['应结', 'Net'], { ...seen, width: 116 }),
    lineState: choice(['状态', 'Status'], STATEMENT_STATES, { ...seen, width: 90 }),
    first: ref('statement', ['原账单', 'First bill'], { ...seen, width: 170 }),
    settled: boolean(['已结算', 'Settled'], { ...seen, search: 'equals' }),
  },
  list: {
    // What the row gives stands where it is seen without scrolling.
    columns: [
      'rowNo',
      'rowKind',
      'orderCode',
      'title',
      'net',
      'cash',
      'subsidy',
      'commission',
      'channelFee',
      'qty',
      'unitPrice',
      'commissionRate',
      'happenedAt',
      'payChannel',
      'contactName',
      'contactPhone',
      'lineState',
      'first',
      'order',
      'orderKind',
    ],
    // Where the number leads; not shown unless chosen.
    hidden: ['order', 'orderKind'],
    filters: ['statement', 'rowKind', 'orderCode', 'happenedAt', 'settled'],
    sort: 'rowNo',
    export: [
      'statement',
      'rowKind',
      'orderCode',
      'title',
      'contactName',
      'contactPhone',
      'payChannel',
      'qty',
      'unitPrice',
      'happenedAt',
      'cash',
      'subsidy',
      'commissionRate',
      'commission',
      'channelFee',
      'net',
      'lineState',
      'first',
    ],
    exportElement: 'btn_exportLines',
  },
});

/** A merchant's bill of one period: what its sales give, what refunds take back, what is paid. */
export const statement = defineResource({
  name: 'statement',
  menu: 'mm_accountStatement',
  title: ['对账单', 'Merchant bills'],
  noun: ['账单', 'Bill'],
  titleField: 'code',
  purpose: [
    '商户每个结算周期的账单：核对、提出异议、确认，平台付款后附凭证；本页不计算也不修改任何明细',
    'The bill of a merchant and a period: checked, disputed, confirmed, paid with vouchers. Nothing is calculated or edited here',
  ],
  sensitive: true,
  prefix: 'ST',
  fields: {
    code: code(['账单号', 'Bill no.'], { ...seen, keyword: true, sortable: true, width: 170 }),
    period: text(['结算周期', 'Period'], { ...seen, width: 190 }),
    periodTo: date(['周期截止', 'Period ends'], { ...seen, search: 'range', sortable: true }),
    payee: text(['收款账户', 'Payee'], { ...seen, width: 180 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 130 }),
    contactName: personName(['联系人', 'Contact'], seen),
    contactPhone: phone(['联系电话', 'Contact phone'], seen),
    projects: refs('project', ['项目范围', 'Projects'], { ...seen, search: 'in', width: 150 }),
    orders: integer(['订单数', 'Orders'], { ...seen, width: 84 }),
    rowCount: integer(['明细行数', 'Rows'], seen),
    gross: money(['营收', 'Gross'], {
      ...sum,
      help: ['商品与运费的实付现金 + 平台补贴', 'Cash of goods and freight + subsidies of the platform'],
    }),
    subsidy: money(['平台补贴', 'Subsidy'], {
      ...sum,
      help: ['平台承担的优惠，已含在营收与退款中', 'Discounts the platform bears; part of gross and refunds'],
    }),
    refunds: money(['退款', 'Refunds'], sum),
    commission: money(['佣金', 'Commission'], sum),
    channelFee: money(['通道费', 'Channel fee'], sum),
    adjustments: money(['调整', 'Adjustments'], { ...sum, width: 96 }),
    carryIn: money(['上期结转', 'Carried in'], { ...sum, width: 104 }),
    cover: money(['保证金抵欠', 'Covered by deposit'], seen),
    payable: money(['结算金额', 'Payable'], { ...sum, search: 'range', sortable: true }),
    payAmount: money(['付款金额', 'Pay amount'], {
      ...sum,
      width: 138,
      help: [
        '低于起付额或为负时不付款，结转下期',
        'Below the smallest payout or negative: carried over, nothing is paid',
      ],
    }),
    carryOut: money(['结转下期', 'Carried over'], seen),
    noPayment: boolean(['无需付款', 'Nothing to pay'], { ...seen, width: 90 }),
    round: integer(['轮次', 'Round'], seen),
    windowEndsAt: instant(['确认截止', 'Window ends'], { ...seen, sortable: true, width: 140 }),
    rowsHash: text(['明细指纹', 'Hash of the rows'], seen),
    submittedAt: instant(['提交时间', 'Submitted'], seen),
    confirmer: choice(['确认方', 'Confirmed by'], CONFIRMERS, seen),
    confirmedAt: instant(['确认时间', 'Confirmed'], seen),
    paidTo: text(['实际收款方', 'Paid to'], seen),
    receiptNo: text(['回单号', 'Receipt no.'], { ...seen, search: 'equals' }),
    paidOn: date(['付款日期', 'Paid on'], seen),
    vouchers: images(['付款凭证', 'Vouchers'], { ...seen, max: 30 }),
  },
  states: STATEMENT_STATES,
  list: {
    columns: [
      'code',
      'state',
      'payable',
      'period',
      'merchant',
      'payAmount',
      'gross',
      'subsidy',
      'refunds',
      'commission',
      'channelFee',
      'adjustments',
      'carryIn',
      'noPayment',
      'windowEndsAt',
      'payee',
      'projects',
      'periodTo',
      'orders',
      'rowsHash',
    ],
    hidden: ['periodTo', 'orders', 'rowsHash'],
    filters: ['state', 'merchant', 'projects', 'periodTo', 'payable', 'receiptNo'],
    sort: '-periodTo',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'toConfirm', label: ['待确认', 'To confirm'], filter: { state: 'to_confirm,disputed' } },
      { key: 'toPay', label: ['待付款', 'To pay'], filter: { state: 'to_pay,paying,failed' } },
      { key: 'settled', label: ['已结算', 'Settled'], filter: { state: 'settled' } },
    ],
    export: [
      'code',
      'period',
      'payee',
      'merchant',
      'projects',
      'orders',
      'gross',
      'subsidy',
      'refunds',
      'commission',
      'channelFee',
      'adjustments',
      'carryIn',
      'payable',
      'payAmount',
      'state',
      'windowEndsAt',
      'receiptNo',
      'paidOn',
    ],
    exportElement: 'btn_exportList',
    empty: [
      '还没有账单；每个结算周期结束后自动生成',
      'No bills yet; one is made when a settlement period is over',
    ],
  },
  detail: {
    mode: 'page',
    route: '/merchantManager/mm_accountStatement/:id',
    sections: [
      {
        title: ['账单', 'Bill'],
        fields: [
          'code',
          'period',
          'merchant',
          'contactName',
          'contactPhone',
          'projects',
          'orders',
          'rowCount',
          'round',
          'submittedAt',
          'windowEndsAt',
          'confirmer',
          'confirmedAt',
          'rowsHash',
        ],
      },
      {
        title: ['付款', 'Payment'],
        fields: ['payee', 'payAmount', 'carryOut', 'noPayment', 'paidTo', 'receiptNo', 'paidOn', 'vouchers'],
      },
    ],
  },
  actions: {
    confirm: {
      label: ['确认', 'Confirm'],
      on: 'row',
      element: 'btn_confirm',
      tone: 'primary',
      to: ['to_pay', 'settled'],
      input: { rowsHash: text(['明细指纹', 'Hash of the rows'], { required: true, max: 64 }) },
    },
    dispute: {
      label: ['异议', 'Dispute'],
      on: 'row',
      element: 'btn_dispute',
      tone: 'danger',
      to: 'disputed',
      input: {
        lines: refs('statementLine', ['有异议的明细', 'Rows'], { required: true, max: 100 }),
        reasonType: choice(['异议类型', 'Type'], DISPUTE_REASONS, { required: true }),
        claimed: money(['主张金额', 'Claimed amount'], {
          min: 0,
          unit: ['元', 'yuan'],
          help: ['认为每行应结的金额', 'What each of the rows should give'],
        }),
        text: longText(['说明', 'Explanation'], { required: true, min: 2, max: 500 }),
        evidence: images(['证明图片', 'Evidence'], { max: 9 }),
      },
    },
    withdrawDispute: {
      label: ['撤回异议', 'Withdraw dispute'],
      on: 'row',
      element: 'btn_withdrawDispute',
      from: ['disputed'],
      to: 'to_confirm',
      confirm: [
        '撤回账单 {code} 的全部异议？确认期从剩余时间继续计算。',
        'Withdraw all disputes of {code}? The window goes on with the time that was left.',
      ],
    },
    pay: {
      label: ['付款', 'Pay'],
      on: 'row',
      element: 'btn_pay',
      tone: 'primary',
      from: ['to_pay', 'failed'],
      to: 'settled',
      input: {
        vouchers: images(['付款凭证', 'Vouchers'], { required: true, min: 1, max: 9 }),
        receiptNo: text(['银行回单号', 'Bank receipt no.'], { required: true, min: 4, max: 60 }),
        payee: text(['收款方', 'Paid to'], {
          max: 80,
          help: ['不填则为账单上的收款账户', 'Empty: the payee of the bill'],
        }),
        paidOn: date(['付款日期', 'Paid on'], { required: true }),
        amount: money(['付款金额', 'Amount'], {
          required: true,
          min: 1,
          unit: ['元', 'yuan'],
          help: ['须与应付金额一致', 'Exactly the amount due'],
        }),
      },
    },
    voucher: {
      label: ['补充凭证', 'Add vouchers'],
      on: 'row',
      element: 'btn_voucher',
      from: ['settled'],
      input: { vouchers: images(['付款凭证', 'Vouchers'], { required: true, min: 1, max: 9 }) },
    },
    pdf: { label: ['打印 / PDF', 'Print / PDF'], on: 'row', element: 'btn_pdf', opens: 'screen' },
    exportLines: {
      label: ['导出明细', 'Export rows'],
      on: 'page',
      element: 'btn_exportLines',
      input: {
        which: choice(
          ['范围', 'Which'],
          {
            settled: { label: ['已结算', 'Settled'] },
            unsettled: { label: ['未结算', 'Not settled'] },
          },
          { required: true, initial: 'settled' },
        ),
        period: date(['完成时间起', 'Completed from'], { help: ['不填则全部', 'Empty: all'] }),
      },
      message: ['导出已开始，请到下载中心查看', 'The export has started, see the download centre'],
    },
    autoConfirm: {
      label: ['到期自动确认', 'Confirmed when the window ended'],
      on: 'system',
      element: 'btn_confirm',
      from: ['to_confirm'],
      to: ['to_pay', 'settled'],
    },
  },
});

/** A statement on the wire. */
export interface Statement extends Row<typeof statement> {}

/** A dispute as the detail sends it. */
export interface DisputeWire {
  readonly id: string;
  readonly rowNo: number;
  readonly title: string;
  readonly round: number;
  readonly reasonType: keyof typeof DISPUTE_REASONS;
  readonly claimed: string | null;
  readonly net: string;
  readonly text: string;
  readonly evidence: readonly { readonly id: string; readonly name: string; readonly url: string }[];
  readonly at: string;
  readonly who: string;
  readonly withdrawn: boolean;
  readonly answer: keyof typeof DISPUTE_ANSWERS | null;
  readonly answerText: string;
  readonly answeredAt: string | null;
}
