import {
  choice,
  code,
  instant,
  integer,
  json,
  longText,
  money,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { TEAM_STATES } from '../../../domain/group-buy/group-buy.rules.ts';
import { LIABLE, REFUND_REASONS } from '../../after-sales/refund/refund.contract.ts';
import {
  COMMENT_STATUSES,
  INVOICE_TYPES,
  ORDER_SOURCES,
  ORDER_STATE_SPECS,
  ORDER_TYPES,
  PAY_CHANNELS,
  PSEUDO_STATE_SPECS,
  REFUND_STATUS_SPECS,
  TRACKING_PATTERN,
} from './order-words.rules.ts';

const seen = { readOnly: true } as const;
const tracking = text(['快递单号', 'Tracking no.'], {
  max: 32,
  pattern: {
    source: TRACKING_PATTERN,
    message: ['请输入6–32位字母、数字或-', 'Please enter 6–32 letters, digits or -'],
  },
});
const parcel = {
  company: text(['快递公司', 'Express company'], { max: 40 }),
  trackingNo: tracking,
  courier: text(['配送员', 'Courier'], { max: 20 }),
  courierPhone: phone(['配送员电话', 'Courier phone']),
} as const;
// 系统退款 and 强制退款 are no reasons a person may name.
const { system: _system, force: _force, ...STAFF_REASONS } = REFUND_REASONS;
const refundInput = {
  lines: json(['退款商品', 'Goods to refund'], { required: true }),
  cash: money(['同意退现金', 'Cash agreed'], {
    unit: ['元', 'yuan'],
    help: ['可低于建议金额', 'May be below the suggested amount'],
  }),
  cashReason: text(['少退原因', 'Why less'], { max: 200 }),
  freight: money(['退运费', 'Freight back'], { unit: ['元', 'yuan'] }),
  reasonCode: choice(['退款原因', 'Reason'], STAFF_REASONS, { required: true }),
  reason: longText(['说明', 'Explanation'], { required: true, min: 2, max: 200 }),
  liable: choice(['责任方', 'Borne by'], LIABLE, {
    help: [
      '仅平台可选择；平台承担时不从商户结算中扣减',
      'Platform staff only. What the platform bears is not taken from the merchant’s settlement',
    ],
  }),
} as const;

/** An order of one merchant for goods, from the checkout to the last refund. */
export const goodsOrder = defineResource({
  name: 'goodsOrder',
  menu: 'mm_businessOrder_wx',
  title: ['商品订单', 'Goods orders'],
  purpose: [
    '一个商户的一笔商品订单：支付、发货、签收、退款',
    'Orders of goods, one per merchant: payment, parcels, receipt, refunds',
  ],
  fields: {
    code: code(['订单号', 'Order no.'], { ...seen, keyword: true, sortable: true, width: 166 }),
    title: text(['标题', 'Title'], { ...seen, keyword: true, width: 150 }),
    contactName: personName(['客户', 'Customer'], { ...seen, keyword: true, search: 'equals', width: 92 }),
    contactPhone: phone(['电话', 'Phone'], { ...seen, search: 'equals' }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 120 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 96 }),
    centre: ref('centreCity', ['中心城市', 'Centre city'], { ...seen, search: 'in' }),
    type: choice(['类型', 'Type'], ORDER_TYPES, { ...seen, search: 'in', width: 64 }),
    payable: money(['实付', 'Paid'], {
      ...seen,
      width: 100,
      sortable: true,
      search: 'range',
      help: ['待支付订单为应付金额', 'Of an unpaid order: what is to be paid'],
    }),
    itemCount: integer(['总件数', 'Pieces'], seen),
    createdAt: instant(['下单时间', 'Ordered'], { ...seen, width: 116, sortable: true, search: 'range' }),
    paidAt: instant(['支付时间', 'Paid at'], { ...seen, search: 'range' }),
    refundStatus: choice(['退款状态', 'Refund status'], REFUND_STATUS_SPECS, {
      ...seen,
      search: 'in',
      width: 100,
    }),
    commentStatus: choice(['评价状态', 'Comment'], COMMENT_STATUSES, seen),
    payChannel: choice(['支付方式', 'Pay way'], PAY_CHANNELS, { ...seen, search: 'in' }),
    source: choice(['来源', 'Source'], ORDER_SOURCES, { ...seen, search: 'in', width: 110 }),
    deadline: instant(['剩余时间', 'Time left'], {
      ...seen,
      width: 110,
      help: ['支付或自动签收的截止时间', 'Until the time to pay or to receive ends'],
    }),
    address: text(['收货地址', 'Address'], { ...seen, max: 200 }),
    remark: text(['备注', 'Remark'], seen),
    staffRemark: longText(['客服备注', 'Staff remark'], { ...seen, max: 500 }),
    // The title of a company is public, that of a person is a name like the receiver's.
    invoicePerson: personName(['发票抬头（个人）', 'Invoice title (person)'], seen),
    // Of group orders, shown under their own menu.
    teamCode: text(['团号', 'Team no.'], { ...seen, width: 166 }),
    teamState: choice(['团状态', 'Team'], TEAM_STATES, { ...seen, search: 'in', width: 90 }),
    formedAt: instant(['成团时间', 'Formed at'], { ...seen, width: 130 }),
    missing: integer(['还差人数', 'Missing'], {
      ...seen,
      width: 112,
      help: [
        '组团中还差的人数；满量成团为还差的份数',
        'People a forming team lacks; copies where copies count',
      ],
    }),
    // Filters of the sales analysis: a figure opens exactly its orders.
    product: ref('product', ['含商品', 'With product'], { ...seen, search: 'in' }),
    soldAt: instant(['销售日', 'Sold on'], { ...seen, search: 'range' }),
  },
  states: ORDER_STATE_SPECS,
  titleField: 'code',
  prefix: 'SO',
  sensitive: true,
  list: {
    columns: [
      'code',
      'title',
      'payable',
      'state',
      'contactName',
      'merchant',
      'createdAt',
      'refundStatus',
      'project',
      'type',
      'source',
      'deadline',
      'contactPhone',
      'centre',
      'itemCount',
      'payChannel',
      'commentStatus',
      'staffRemark',
    ],
    hidden: ['contactPhone', 'centre', 'itemCount', 'payChannel', 'commentStatus', 'staffRemark'],
    filters: [
      'type',
      'merchant',
      'project',
      'centre',
      'createdAt',
      'payChannel',
      'source',
      'contactPhone',
      'contactName',
      'payable',
    ],
    sort: '-createdAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      ...(['pending_payment', 'grouping', 'to_ship', 'part_shipped', 'to_receive'] as const).map((state) => ({
        key: state as string,
        label: ORDER_STATE_SPECS[state]!.label,
        filter: { state: state as string },
      })),
      { key: 'to_comment', label: PSEUDO_STATE_SPECS.to_comment.label, named: true },
      { key: 'completed', label: ORDER_STATE_SPECS.completed!.label, filter: { state: 'completed' } },
      { key: 'refunding', label: PSEUDO_STATE_SPECS.refunding.label, filter: { refundStatus: 'refunding' } },
      { key: 'refunded', label: PSEUDO_STATE_SPECS.refunded.label, filter: { refundStatus: 'full' } },
      { key: 'closed', label: ORDER_STATE_SPECS.closed!.label, filter: { state: 'closed' } },
    ],
    // The columns of the file are order-export.server.ts: one row per line.
    export: true,
  },
  detail: {
    mode: 'page',
    route: '/merchantManager/mm_businessOrder_wx/:id',
    sections: [
      { title: ['订单', 'Order'], fields: ['code', 'state', 'type', 'merchant', 'project', 'createdAt'] },
    ],
  },
  elements: {
    btn_importShip: ['导入发货', 'Import shipments'],
  },
  actions: {
    create: {
      label: ['代客下单', 'Order for a member'],
      on: 'page',
      element: 'btn_create',
      tone: 'primary',
      opens: 'screen',
      to: ['pending_payment', 'to_ship'],
      input: {
        member: ref('orderMember', ['会员', 'Member'], { required: true }),
        memberTicket: text(['会员查找凭证', 'Proof of the member look-up'], {
          max: 80,
          help: ['按手机号查找会员时返回', 'Comes with a member found by phone'],
        }),
        house: ref('memberHouse', ['房屋', 'House']),
        project: ref('project', ['项目', 'Project'], { help: ['没有房屋时填写', 'Where there is no house'] }),
        address: text(['收货地址', 'Address'], {
          min: 5,
          max: 100,
          help: ['没有房屋时填写', 'Where there is no house'],
        }),
        contactName: personName(['收货人', 'Receiver'], { max: 20 }),
        contactPhone: phone(['收货电话', 'Receiver phone']),
        lines: json(['商品', 'Goods'], { required: true }),
        coupons: json(['优惠券', 'Coupons'], { help: ['不传则自动选最优', 'The best ones when left out'] }),
        points: integer(['使用积分', 'Points'], { min: 0, max: 100_000_000 }),
        coins: integer(['使用代币', 'Coins'], { min: 0, max: 100_000_000 }),
        remark: text(['备注', 'Remark'], { max: 200 }),
        invoiceType: choice(['发票', 'Invoice'], INVOICE_TYPES),
        invoiceName: text(['发票抬头', 'Invoice title'], { max: 60 }),
        dutyCode: text(['税号', 'Tax no.'], {
          max: 20,
          pattern: {
            source: '[0-9A-Z]{15,20}',
            message: ['请输入15–20位数字或大写字母', 'Please enter 15–20 digits or capital letters'],
          },
          help: ['公司抬头必填', 'Required for a company'],
        }),
        shownTotal: money(['页面显示应付', 'Total shown'], { required: true }),
      },
    },
    pay: {
      label: ['发起支付', 'Ask for payment'],
      on: 'row',
      element: 'btn_pay',
      tone: 'primary',
      opens: 'screen',
      from: ['pending_payment'],
      input: {
        channel: choice(
          ['支付方式', 'Pay way'],
          { '1': PAY_CHANNELS['1'], '2': PAY_CHANNELS['2'] },
          { required: true },
        ),
      },
    },
    ship: {
      label: ['发货', 'Ship'],
      on: 'rowAndBulk',
      element: 'btn_ship',
      tone: 'primary',
      opens: 'screen',
      to: ['part_shipped', 'to_receive'],
      bulkMax: 50,
      input: {
        way: choice(
          ['配送方式', 'Way'],
          { express: { label: ['快递', 'Express'] }, own: { label: ['自营配送', 'Own delivery'] } },
          { required: true },
        ),
        ...parcel,
        lines: json(['发货商品', 'Goods'], { help: ['不传则发完剩余全部', 'Everything left when absent'] }),
      },
    },
    sign: {
      label: ['签收', 'Sign'],
      on: 'row',
      element: 'btn_sign',
      to: 'completed',
      confirm: [
        '确认订单 {code} 已由客户签收？签收后订单完成。',
        'Order {code} was received by the customer? It is completed then.',
      ],
    },
    refund: {
      label: ['申请退款', 'Refund'],
      on: 'row',
      element: 'btn_refund',
      tone: 'danger',
      opens: 'screen',
      from: ['to_ship', 'part_shipped', 'to_receive'],
      input: refundInput,
    },
    returnAudit: {
      label: ['售后退款', 'After-sale refund'],
      on: 'row',
      element: 'btn_returnAudit',
      tone: 'danger',
      opens: 'screen',
      from: ['completed'],
      input: refundInput,
    },
    withdrawRefund: {
      label: ['撤回退款', 'Withdraw refund'],
      on: 'row',
      element: 'btn_refund',
      confirm: [
        '撤回您为订单 {code} 发起的退款申请？订单恢复原状',
        'Withdraw the refund you applied for on order {code}? The order is as before',
      ],
    },
    price: {
      label: ['改价', 'Change price'],
      on: 'row',
      element: 'btn_price',
      opens: 'screen',
      from: ['pending_payment'],
      to: ['pending_payment', 'to_ship'],
      input: {
        off: money(['优惠金额', 'Reduction'], {
          required: true,
          unit: ['元', 'yuan'],
          help: [
            '整单减少的金额，替换之前的改价',
            'Taken off the whole order; replaces an earlier reduction',
          ],
        }),
        reason: text(['原因', 'Reason'], { max: 100 }),
      },
    },
    address: {
      label: ['改地址', 'Change address'],
      on: 'row',
      element: 'btn_address',
      from: ['pending_payment'],
      to: ['pending_payment', 'to_ship'],
      input: {
        contactName: text(['收货人', 'Receiver'], { max: 20, help: ['不填则不变', 'Empty: as it is'] }),
        contactPhone: phone(['收货电话', 'Receiver phone'], { help: ['不填则不变', 'Empty: as it is'] }),
        address: text(['收货地址', 'Address'], { required: true, min: 5, max: 100 }),
      },
    },
    logistics: {
      label: ['改物流', 'Change logistics'],
      on: 'row',
      element: 'btn_logistics',
      opens: 'screen',
      from: ['part_shipped', 'to_receive'],
      input: {
        shipment: ref('shipment', ['包裹', 'Parcel'], { required: true }),
        ...parcel,
        reason: text(['原因', 'Reason'], { required: true, min: 2, max: 100 }),
      },
    },
    remark: {
      label: ['备注', 'Remark'],
      on: 'row',
      element: 'btn_remark',
      input: { staffRemark: longText(['客服备注', 'Staff remark'], { max: 500 }) },
    },
    print: {
      label: ['打印拣货单', 'Print packing slip'],
      on: 'rowAndBulk',
      element: 'btn_print',
      opens: 'screen',
      bulkMax: 50,
      from: ['to_ship', 'part_shipped', 'to_receive', 'completed'],
    },
    close: {
      label: ['关闭订单', 'Close'],
      on: 'row',
      element: 'btn_close',
      tone: 'danger',
      from: ['pending_payment'],
      to: 'closed',
      confirm: [
        '关闭订单 {code}？库存、优惠券和积分将立即释放，不能恢复。',
        'Close order {code}? Stock, coupons and points are set free at once; this cannot be undone.',
      ],
      input: { reason: text(['关闭原因', 'Reason'], { required: true, min: 2, max: 100 }) },
    },
  },
});

/** A goods order on the wire. */
export interface GoodsOrder extends Row<typeof goodsOrder> {}
