import {
  boolean,
  choice,
  code,
  instant,
  integer,
  longText,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource } from '../../../kernel/contract/resource.ts';
import {
  ABNORMAL_KINDS,
  ORDER_KINDS,
  PARKING_STATES,
  PARKING_WAYS,
  RELEASE_KINDS,
  VEHICLE_CLASSES,
} from '../../../domain/parking/parking.rules.ts';

/** Menu of stays. */
export const PARKING_MENU = 'mk_parkOrder';

const seen = { readOnly: true } as const;
const reason = longText(['原因', 'Reason'], { required: true, min: 2, max: 200 });
const MOST = 999_999_999;

/** Money that came in for a stay or went back. */
export const parkingPayment = defineResource({
  name: 'parkingPayment',
  menu: PARKING_MENU,
  title: ['支付与退款', 'Payments and refunds'],
  noun: ['收支', 'Payment'],
  titleField: 'number',
  fields: {
    order: ref('parkingOrder', ['停车订单', 'Parking order'], { ...seen, search: 'in', width: 170 }),
    kind: choice(
      ['类型', 'Kind'],
      { payment: { label: ['支付', 'Payment'] }, refund: { label: ['退款', 'Refund'] } },
      { ...seen, width: 80 },
    ),
    way: choice(['方式', 'Way'], PARKING_WAYS, { ...seen, width: 90 }),
    amount: money(['金额', 'Amount'], { ...seen, width: 110 }),
    number: text(['流水号', 'Number'], { ...seen, width: 190 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 180 }),
    message: text(['渠道答复', 'Answer of the channel'], { ...seen, width: 180 }),
    operator: ref('staff', ['操作人', 'By'], { ...seen, width: 100 }),
    at: instant(['时间', 'At'], { ...seen, sortable: true, width: 150 }),
  },
  states: {
    pending: { label: ['处理中', 'Pending'], tone: 'processing' },
    succeeded: { label: ['成功', 'Succeeded'], tone: 'success' },
    failed: { label: ['失败', 'Failed'], tone: 'error' },
  },
  list: {
    columns: ['kind', 'way', 'amount', 'state', 'number', 'reason', 'message', 'operator', 'at', 'order'],
    filters: ['order'],
    sort: '-at',
    empty: ['没有收支', 'No money moved'],
  },
});

/** What gates were told about a stay. */
export const parkingCommand = defineResource({
  name: 'parkingCommand',
  menu: PARKING_MENU,
  title: ['道闸指令', 'Gate commands'],
  noun: ['指令', 'Command'],
  titleField: 'origin',
  fields: {
    order: ref('parkingOrder', ['停车订单', 'Parking order'], { ...seen, search: 'in', width: 170 }),
    gate: text(['道闸', 'Gate'], { ...seen, width: 180 }),
    origin: choice(
      ['来源', 'Because of'],
      {
        entry: { label: ['入场', 'Entry'] },
        exit: { label: ['出场', 'Exit'] },
        payment: { label: ['缴费', 'Payment'] },
        release: { label: ['人工放行', 'Release by hand'] },
      },
      { ...seen, width: 120 },
    ),
    opens: boolean(['抬杆', 'Opens'], { ...seen, width: 80 }),
    due: money(['应收', 'Due'], { ...seen, width: 100 }),
    outcome: choice(
      ['结果', 'Result'],
      {
        answered: { label: ['已答复设备', 'Told the device'] },
        sent: { label: ['已下发', 'Sent'], tone: 'processing' },
        opened: { label: ['已抬杆', 'Opened'], tone: 'success' },
        refused: { label: ['设备拒绝', 'Refused'], tone: 'error' },
        silent: { label: ['设备未响应', 'No answer'], tone: 'error' },
      },
      { ...seen, width: 120 },
    ),
    at: instant(['时间', 'At'], { ...seen, sortable: true, width: 150 }),
  },
  list: {
    columns: ['at', 'gate', 'origin', 'opens', 'due', 'outcome', 'order'],
    filters: ['order'],
    sort: '-at',
    empty: ['没有指令', 'No commands'],
  },
});

/** A stay of a car in a lot, or a further payment for one. */
export const parkingOrder = defineResource({
  name: 'parkingOrder',
  menu: PARKING_MENU,
  title: ['停车订单', 'Parking orders'],
  noun: ['停车订单', 'Parking order'],
  titleField: 'code',
  prefix: 'TC',
  sensitive: true,
  stamps: true,
  purpose: [
    '车辆从入场到离场：计费、缴费、放行与欠费；超过缴费宽限后离场的差额为单独的订单',
    'Stays of cars from entry to exit: fee, payment, release and debts; what is due beyond the grace is an order of its own',
  ],
  modes: { detail: 'mk_parkOrderDetails' },
  elements: { btn_view: ['查看', 'View'], btn_audit: ['审批减免', 'Decide on waivers'] },
  fields: {
    code: code(['订单号', 'Number'], { ...seen, keyword: true, sortable: true, width: 170 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 150 }),
    lot: ref('parkedLot', ['停车场', 'Lot'], { ...seen, search: 'in', width: 140 }),
    plate: text(['车牌', 'Plate'], {
      ...seen,
      keyword: true,
      search: 'contains',
      width: 110,
      help: ['按开头查找', 'Found by its beginning'],
    }),
    colour: text(['车牌颜色', 'Plate colour'], { ...seen, width: 90 }),
    vehicleClass: choice(['车型', 'Class'], VEHICLE_CLASSES, { ...seen, search: 'in', width: 90 }),
    entryAt: instant(['入场', 'Entry'], { ...seen, sortable: true, search: 'range', width: 150 }),
    exitAt: instant(['离场', 'Exit'], { ...seen, sortable: true, search: 'range', width: 150 }),
    stay: text(['停放时长', 'Stay'], { ...seen, width: 110 }),
    entryGate: text(['入口', 'Entrance'], { ...seen, width: 160 }),
    exitGate: text(['出口', 'Exit gate'], { ...seen, width: 160 }),
    entryImage: text(['入场照片', 'Photo at the entry'], { ...seen, width: 120 }),
    exitImage: text(['离场照片', 'Photo at the exit'], { ...seen, width: 120 }),
    visitMinutes: integer(['访客免费分钟', 'Free minutes of a visitor'], { ...seen, unit: ['分钟', 'min'] }),
    gross: money(['停车费', 'Fee'], { ...seen, sortable: true, width: 100 }),
    discount: money(['停车券', 'Coupon'], { ...seen, width: 100 }),
    carried: money(['补缴欠费', 'Earlier debts'], {
      ...seen,
      width: 110,
      help: [
        '同一车牌以前的欠费，与本次一起支付',
        'What the plate owed for earlier stays, paid with this one',
      ],
    }),
    paid: money(['实付', 'Paid'], { ...seen, sortable: true, width: 100 }),
    refunded: money(['已退', 'Refunded'], { ...seen, width: 100 }),
    owed: money(['欠费', 'Owed'], { ...seen, sortable: true, width: 100 }),
    waived: money(['已减免', 'Waived'], { ...seen, width: 100 }),
    moved: money(['已转入后续订单', 'Paid with a later stay'], { ...seen, width: 120 }),
    owes: boolean(['有欠费', 'Owes'], { ...seen, search: 'equals', width: 80 }),
    coveredUntil: instant(['已缴至', 'Paid until'], { ...seen, width: 150 }),
    quoteUntil: instant(['报价有效至', 'Price holds until'], { ...seen, width: 150 }),
    payWay: choice(['支付方式', 'Pay way'], PARKING_WAYS, { ...seen, search: 'in', width: 100 }),
    kind: choice(['类型', 'Kind'], ORDER_KINDS, { ...seen, search: 'in', width: 130 }),
    release: choice(['放行', 'Release'], RELEASE_KINDS, { ...seen, search: 'in', width: 100 }),
    abnormal: choice(['异常原因', 'What is wrong'], ABNORMAL_KINDS, { ...seen, search: 'in', width: 130 }),
    parent: text(['主订单', 'Stay'], { ...seen, width: 170 }),
  },
  states: PARKING_STATES,
  list: {
    columns: [
      'code',
      'plate',
      'lot',
      'state',
      'entryAt',
      'exitAt',
      'stay',
      'gross',
      'discount',
      'paid',
      'owed',
      'kind',
      'payWay',
      'release',
      'project',
      'vehicleClass',
      'carried',
      'refunded',
      'abnormal',
      'parent',
      'createdAt',
    ],
    hidden: ['carried', 'refunded', 'abnormal', 'parent', 'createdAt', 'vehicleClass'],
    filters: [
      'project',
      'lot',
      'plate',
      'state',
      'kind',
      'payWay',
      'release',
      'vehicleClass',
      'entryAt',
      'exitAt',
      'owes',
      'abnormal',
    ],
    sort: '-createdAt',
    link: 'code',
    sums: ['gross', 'discount', 'paid', 'refunded', 'owed'],
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'inside', label: ['在场', 'Inside'], named: true },
      { key: 'waiting', label: ['出口待缴', 'Waiting at the exit'], named: true },
      { key: 'owing', label: ['欠费', 'Owing'], named: true },
      { key: 'abnormal', label: ['异常', 'Abnormal'], filter: { state: 'abnormal' } },
    ],
    export: true,
    empty: ['没有停车订单', 'No parking orders'],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['停放', 'Stay'],
        fields: [
          'project',
          'lot',
          'plate',
          'colour',
          'vehicleClass',
          'entryAt',
          'entryGate',
          'entryImage',
          'exitAt',
          'exitGate',
          'exitImage',
          'stay',
          'visitMinutes',
        ],
      },
      {
        title: ['金额', 'Amounts'],
        fields: ['gross', 'discount', 'carried', 'paid', 'refunded', 'owed', 'waived', 'moved', 'payWay'],
      },
      {
        title: ['放行', 'Release'],
        fields: ['kind', 'release', 'coveredUntil', 'quoteUntil', 'abnormal', 'parent'],
      },
      { title: ['系统', 'System'], fields: ['createdAt', 'updater', 'updatedAt'] },
    ],
    parts: [
      part({
        key: 'payments',
        title: ['支付与退款', 'Payments and refunds'],
        resource: parkingPayment as unknown as Resource,
        by: 'order',
      }),
      part({
        key: 'commands',
        title: ['道闸指令', 'Gate commands'],
        resource: parkingCommand as unknown as Resource,
        by: 'order',
      }),
    ],
  },
  actions: {
    collect: {
      on: 'row',
      label: ['现场收费', 'Take cash'],
      element: 'btn_collect',
      tone: 'primary',
      from: ['parked', 'to_pay'],
      to: ['paid', 'left'],
      input: {
        amount: money(['收取金额', 'Taken'], {
          required: true,
          min: 1,
          max: MOST,
          help: ['须与当前应收一致', 'Exactly what is due now'],
        }),
      },
      message: ['已收费', 'Paid'],
    },
    fixPlate: {
      on: 'row',
      label: ['更正车牌', 'Correct the plate'],
      element: 'btn_fixPlate',
      from: ['parked', 'to_pay', 'paid', 'abnormal'],
      to: ['parked', 'paid', 'abnormal'],
      input: {
        newPlate: text(['正确车牌', 'Right plate'], {
          required: true,
          min: 5,
          max: 10,
          pattern: {
            source: '[\\p{L}\\p{N}]{5,10}',
            message: ['5至10位汉字、字母或数字', '5 to 10 letters or digits'],
          },
        }),
      },
    },
    fixEntry: {
      on: 'row',
      label: ['更正入场时间', 'Correct the entry'],
      element: 'btn_fixEntry',
      from: ['parked', 'to_pay', 'abnormal'],
      to: 'parked',
      input: { entry: instant(['入场时间', 'Entry'], { required: true }), reason },
    },
    release: {
      on: 'row',
      label: ['人工放行', 'Release by hand'],
      element: 'btn_release',
      from: ['parked', 'to_pay', 'paid', 'abnormal'],
      to: 'left',
      tone: 'danger',
      input: { reason },
      message: ['已放行，未付 {owed} 元记为欠费', 'Released; {owed} yuan are owed'],
    },
    waive: {
      on: 'row',
      label: ['减免欠费', 'Waive'],
      element: 'btn_waive',
      from: ['left'],
      input: { amount: money(['减免金额', 'Amount'], { required: true, min: 1, max: MOST }), reason },
      message: ['已受理，超过限额的减免需审批', 'Taken; a waiver above the limit waits for approval'],
    },
    refund: {
      on: 'row',
      label: ['退款', 'Refund'],
      element: 'btn_refund',
      from: ['paid', 'left'],
      to: ['paid', 'left', 'refunded'],
      tone: 'danger',
      input: { amount: money(['退款金额', 'Amount'], { required: true, min: 1, max: MOST }), reason },
    },
    close: {
      on: 'row',
      label: ['关闭', 'Close'],
      element: 'btn_close',
      remark: 'reason',
      from: ['abnormal'],
      to: 'closed',
      input: { reason },
    },
    quote: {
      on: 'system',
      label: ['锁定报价', 'Price held'],
      element: 'btn_collect',
      from: ['parked', 'to_pay'],
      to: 'to_pay',
      input: { at: instant(['时间', 'At']), gate: integer(['道闸', 'Gate']) },
    },
    unquote: {
      on: 'system',
      label: ['报价过期', 'Price no longer held'],
      element: 'btn_collect',
      from: ['to_pay'],
      to: 'parked',
    },
    pay: {
      on: 'system',
      label: ['支付', 'Paid'],
      element: 'btn_collect',
      from: ['to_pay'],
      to: ['paid', 'left'],
      input: {
        amount: money(['金额', 'Amount'], { required: true, min: 1, max: MOST }),
        way: choice(['方式', 'Way'], PARKING_WAYS, { required: true }),
        number: text(['流水号', 'Number'], { required: true, max: 64 }),
        at: instant(['时间', 'At'], { required: true }),
      },
    },
    leave: {
      on: 'system',
      label: ['离场', 'Left'],
      element: 'btn_release',
      from: ['parked', 'to_pay', 'paid', 'refunded'],
      to: ['left', 'refunded'],
      input: {
        at: instant(['时间', 'At'], { required: true }),
        gate: integer(['道闸', 'Gate']),
        image: text(['照片', 'Photo'], { max: 500 }),
      },
    },
    suspect: {
      on: 'system',
      label: ['标记异常', 'Abnormal'],
      element: 'btn_release',
      from: ['parked', 'to_pay', 'paid', 'refunded'],
      to: 'abnormal',
      input: { why: choice(['原因', 'Reason'], ABNORMAL_KINDS, { required: true }) },
    },
    heal: {
      on: 'system',
      label: ['补报事件', 'A late event came in'],
      element: 'btn_release',
      from: ['abnormal', 'left'],
      to: ['parked', 'left'],
      input: {
        entry: instant(['入场时间', 'Entry']),
        exit: instant(['离场时间', 'Exit']),
        gate: integer(['道闸', 'Gate']),
      },
    },
    drop: {
      on: 'system',
      label: ['作废待付', 'No longer asked for'],
      element: 'btn_release',
      from: ['to_pay'],
      to: 'closed',
    },
    refundFailed: {
      on: 'system',
      label: ['退款失败', 'Refund failed'],
      element: 'btn_refund',
      // Whatever became of the stay meanwhile: the answer of the channel comes later.
      from: ['paid', 'left', 'refunded', 'abnormal', 'closed'],
      to: ['paid', 'left', 'abnormal', 'closed'],
      input: { amount: money(['金额', 'Amount'], { required: true, min: 1, max: MOST }) },
    },
    waived: {
      on: 'system',
      label: ['欠费减免通过', 'Waived'],
      element: 'btn_waive',
      from: ['left'],
      input: { amount: money(['金额', 'Amount'], { required: true, min: 1, max: MOST }) },
    },
  },
});

/** How the fee of a stay is made up; amounts in yuan. */
export interface FeeWire {
  /** When it was reckoned for. */
  readonly at?: string;
  readonly minutes?: number;
  readonly windows: readonly {
    readonly no: number;
    readonly minutes: number;
    readonly units: number;
    readonly raw: string;
    readonly fee: string;
  }[];
  /** Further payments of the stay. */
  readonly children: readonly {
    readonly id: string;
    readonly code: string;
    readonly gross: string;
    readonly state: string;
  }[];
  /** What would have to be paid now, while it is not. */
  readonly due?: {
    readonly charged: string;
    readonly discount: string;
    readonly carried: string;
    readonly due: string;
  };
}
