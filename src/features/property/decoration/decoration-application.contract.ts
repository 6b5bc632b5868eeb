import {
  boolean,
  choice,
  code,
  date,
  decimal,
  images,
  instant,
  integer,
  longText,
  money,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import { STAGES, type DecorationDepositMove } from '../../../domain/decoration/decoration.rules.ts';

const seen = { readOnly: true } as const;

const CHANNELS = {
  cash: { label: ['现金', 'Cash'] },
  pos: { label: ['刷卡', 'POS'] },
  transfer: { label: ['银行转账', 'Transfer'] },
} as const;
const RESULTS = {
  pass: { label: ['通过', 'Pass'], tone: 'success' },
  fail: { label: ['不通过', 'Fail'], tone: 'error' },
} as const;
const REFUNDS = {
  none: { label: ['无', 'None'], tone: 'default' },
  waiting: { label: ['待退款审核', 'Refund to confirm'], tone: 'warning' },
  refunded: { label: ['已退款', 'Refunded'], tone: 'default' },
} as const;

/** What a supervisor saw of a stage, in the detail of the application. */
export const decorationCheck = defineResource({
  name: 'decorationCheck',
  menu: 'cs_decoreteApply',
  title: ['验收记录', 'Checks'],
  noun: ['验收', 'Check'],
  titleField: 'violation',
  fields: {
    application: ref('decorationApplication', ['申请', 'Application'], { ...seen, search: 'in' }),
    at: instant(['时间', 'At'], { ...seen, sortable: true, width: 140 }),
    stage: choice(['阶段', 'Stage'], STAGES, { ...seen, search: 'in', width: 80 }),
    result: choice(['结果', 'Result'], RESULTS, { ...seen, search: 'in', width: 80 }),
    note: text(['说明', 'Note'], { ...seen, width: 160 }),
    photos: images(['照片', 'Photos'], { ...seen, width: 110 }),
    violation: text(['违规', 'Violation'], { ...seen, width: 180 }),
    fixBy: date(['整改期限', 'Fix by'], { ...seen, width: 106 }),
    fixedAt: instant(['整改时间', 'Fixed'], { ...seen, width: 140 }),
    fixNote: text(['整改说明', 'How it was fixed'], { ...seen, width: 160 }),
    staff: ref('staff', ['监理', 'By'], { ...seen, width: 90 }),
  },
  list: {
    columns: ['at', 'stage', 'result', 'note', 'photos', 'violation', 'fixBy', 'fixedAt', 'fixNote', 'staff'],
    filters: ['application', 'stage', 'result'],
    sort: '-at',
    empty: ['还没有验收', 'No checks yet'],
  },
});

const amount = money(['金额', 'Amount'], { required: true, min: 1, max: 99_999_999 });
const channel = choice(['收款方式', 'Received by'], CHANNELS, { required: true, initial: 'cash' });
const tradeNo = text(['凭证号', 'Voucher no.'], {
  max: 64,
  help: ['刷卡与转账必填', 'Needed for POS and transfers'],
});
const photos = images(['照片', 'Photos'], { required: true, min: 1, max: 9 });
const violation = ref('decorationCheck', ['违规', 'Violation'], { required: true });

/** Decoration works of a house under the supervision of the property company. */
export const decorationApplication = defineResource({
  name: 'decorationApplication',
  menu: 'cs_decoreteApply',
  title: ['装修监理申请', 'Supervision applications'],
  noun: ['监理申请', 'Application'],
  purpose: [
    '按项目发布的监理服务申请；六个阶段全部验收通过且无未整改违规方可完工，押金完工满期后审批退还',
    'Applications for the offer of a project: every stage passes and no violation is open before it is done; the deposit goes back after approval',
  ],
  prefix: 'DC',
  titleField: 'code',
  sensitive: true,
  fields: {
    code: code(['申请单号', 'Application no.'], { ...seen, keyword: true, width: 166 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 120 }),
    house: ref('custodyHouse', ['房屋', 'Address'], { required: true, createOnly: true, width: 160 }),
    applicant: ref('custodyApplicant', ['申请人', 'Applicant'], {
      required: true,
      createOnly: true,
      help: ['该房屋的住户', 'A resident of the house'],
    }),
    name: personName(['姓名', 'Name'], { ...seen, search: 'equals', width: 90 }),
    phone: phone(['电话', 'Phone'], { ...seen, search: 'equals', width: 126 }),
    stage: choice(['阶段', 'Stage'], STAGES, { ...seen, search: 'in', width: 80 }),
    stagesPassed: integer(['已通过阶段', 'Stages passed'], { ...seen, width: 96, unit: ['/ 6', '/ 6'] }),
    area: decimal(['面积', 'Area'], {
      required: true,
      createOnly: true,
      scale: 2,
      min: 1,
      max: 99_999,
      unit: ['m²', 'm²'],
      width: 100,
    }),
    price: money(['服务价', 'Price'], { ...seen, width: 110 }),
    deposit: money(['应收押金', 'Deposit due'], {
      required: true,
      createOnly: true,
      min: 0,
      max: 99_999_999,
      width: 110,
    }),
    depositHeld: money(['押金余额', 'Deposit held'], { ...seen, width: 110 }),
    company: text(['装修公司', 'Company'], {
      required: true,
      createOnly: true,
      keyword: true,
      max: 60,
      width: 150,
    }),
    startsOn: date(['开工日期', 'From'], { required: true, createOnly: true, width: 106 }),
    endsOn: date(['完工期限', 'Until'], { required: true, createOnly: true, sortable: true, width: 106 }),
    violations: integer(['未整改违规', 'Open violations'], { ...seen, width: 100 }),
    overdue: boolean(['超期', 'Overdue'], { ...seen, search: 'equals', width: 76 }),
    supervisor: ref('workHandler', ['监理员', 'Supervisor'], { ...seen, search: 'in', width: 90 }),
    remark: longText(['备注', 'Remark'], { max: 500, createOnly: true }),
    channel: choice(['收款方式', 'Received by'], CHANNELS, seen),
    tradeNo: text(['凭证号', 'Voucher no.'], seen),
    paidAt: instant(['缴费时间', 'Paid'], seen),
    takenAt: instant(['接单时间', 'Taken'], seen),
    doneAt: instant(['完工时间', 'Done'], { ...seen, width: 140 }),
    score: integer(['评分', 'Score'], { ...seen, width: 70 }),
    comment: longText(['评价', 'Comment'], seen),
    cancelReason: text(['取消原因', 'Why cancelled'], seen),
    refundState: choice(['退款', 'Refund'], REFUNDS, { ...seen, search: 'in', width: 100 }),
    refundedAt: instant(['退款时间', 'Refunded'], seen),
    creator: ref('staff', ['登记人', 'Entered by'], { ...seen, width: 90 }),
    createdAt: instant(['申请时间', 'Created'], { ...seen, sortable: true, search: 'range', width: 140 }),
  },
  states: {
    to_pay: { label: ['待支付', 'To pay'], tone: 'warning', code: 0 },
    to_take: { label: ['待接单', 'To take'], tone: 'warning', code: 1 },
    supervising: { label: ['监理中', 'Supervising'], tone: 'processing', code: 2 },
    done: { label: ['已完成', 'Done'], tone: 'success', code: 3 },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'default', code: 4 },
    rated: { label: ['已评价', 'Rated'], tone: 'success', code: 5 },
  },
  list: {
    columns: [
      'code',
      'house',
      'state',
      'stage',
      'violations',
      'endsOn',
      'overdue',
      'name',
      'phone',
      'depositHeld',
      'price',
      'company',
      'supervisor',
      'project',
      'startsOn',
      'createdAt',
      'deposit',
      'area',
      'refundState',
    ],
    hidden: ['deposit', 'area', 'refundState'],
    filters: ['project', 'state', 'stage', 'overdue', 'supervisor', 'refundState', 'createdAt', 'phone'],
    sort: '-createdAt',
    link: 'code',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'to_pay', label: ['待支付', 'To pay'], filter: { state: 'to_pay' } },
      { key: 'to_take', label: ['待接单', 'To take'], filter: { state: 'to_take' } },
      { key: 'supervising', label: ['监理中', 'Supervising'], filter: { state: 'supervising' } },
      { key: 'overdue', label: ['超期', 'Overdue'], filter: { overdue: 'true' } },
      { key: 'refund', label: ['待退款', 'To refund'], filter: { refundState: 'waiting' } },
      { key: 'ended', label: ['已结束', 'Ended'], named: true },
    ],
    export: [
      'code',
      'project',
      'house',
      'name',
      'phone',
      'stage',
      'area',
      'price',
      'deposit',
      'depositHeld',
      'company',
      'startsOn',
      'endsOn',
      'violations',
      'supervisor',
      'state',
      'refundState',
      'createdAt',
    ],
    empty: ['还没有监理申请', 'No applications yet'],
  },
  form: {
    width: 680,
    sections: [
      { title: ['申请人（代录）', 'Applicant (entered)'], fields: ['house', 'applicant'] },
      {
        title: ['装修', 'Works'],
        fields: ['company', 'area', 'startsOn', 'endsOn', 'deposit', 'remark'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['申请', 'Application'],
        fields: [
          'project',
          'house',
          'name',
          'phone',
          'company',
          'area',
          'startsOn',
          'endsOn',
          'stage',
          'stagesPassed',
          'violations',
          'supervisor',
          'takenAt',
          'doneAt',
          'creator',
          'createdAt',
          'remark',
        ],
      },
      {
        title: ['费用与押金', 'Money'],
        fields: [
          'price',
          'channel',
          'tradeNo',
          'paidAt',
          'deposit',
          'depositHeld',
          'cancelReason',
          'refundState',
          'refundedAt',
        ],
      },
      { title: ['评价', 'Rating'], fields: ['score', 'comment'] },
    ],
    parts: [
      part({
        key: 'checks',
        title: ['验收与违规', 'Checks and violations'],
        resource: decorationCheck as unknown as Resource,
        by: 'application',
      }),
    ],
  },
  elements: { btn_depositAudit: ['审批押金退还', 'Decide about deposits'] },
  actions: {
    create: {
      on: 'page',
      label: ['代录申请', 'Enter an application'],
      element: 'btn_add',
      tone: 'primary',
      to: 'to_pay',
    },
    pay: {
      on: 'row',
      label: ['登记缴费', 'Payment'],
      element: 'btn_pay',
      tone: 'primary',
      from: ['to_pay'],
      to: 'to_take',
      confirm: ['收取服务费 {price}？', 'Take {price} for the service?'],
      input: { channel, tradeNo },
    },
    take: {
      on: 'row',
      label: ['接单', 'Take'],
      element: 'btn_take',
      tone: 'primary',
      from: ['to_take'],
      to: 'supervising',
      confirm: ['接单后由您担任监理员？', 'You become the supervisor'],
    },
    check: {
      on: 'row',
      label: ['阶段验收', 'Check'],
      element: 'btn_check',
      tone: 'primary',
      from: ['supervising'],
      input: {
        stage: choice(['阶段', 'Stage'], STAGES, { required: true }),
        result: choice(['结果', 'Result'], RESULTS, { required: true }),
        photos,
        note: text(['说明', 'Note'], { max: 300 }),
        violation: text(['违规内容', 'Violation'], {
          max: 300,
          help: ['不通过时填写，整改后方可完工', 'Where it fails; to be fixed before the works are done'],
        }),
        fixBy: date(['整改期限', 'Fix by']),
      },
    },
    fix: {
      on: 'row',
      label: ['登记整改', 'Fixed'],
      element: 'btn_fix',
      from: ['supervising'],
      input: { check: violation, note: text(['整改说明', 'How'], { required: true, max: 300 }), photos },
    },
    finish: {
      on: 'row',
      label: ['完工', 'Finish'],
      element: 'btn_finish',
      tone: 'primary',
      from: ['supervising'],
      to: 'done',
      confirm: ['六个阶段均已通过，确认完工？', 'Every stage passed: are the works done?'],
    },
    assign: {
      on: 'row',
      label: ['指派', 'Assign'],
      element: 'btn_assign',
      from: ['to_take', 'supervising'],
      to: 'supervising',
      input: { supervisor: ref('workHandler', ['监理员', 'Supervisor'], { required: true }) },
    },
    extend: {
      on: 'row',
      label: ['延期', 'Extend'],
      element: 'btn_extend',
      from: ['to_take', 'supervising'],
      input: {
        endsOn: date(['新完工期限', 'New end'], { required: true }),
        reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    receive: {
      on: 'row',
      label: ['收押金', 'Receive deposit'],
      element: 'btn_deposit',
      from: ['to_take', 'supervising'],
      input: { amount, channel, tradeNo },
    },
    deduct: {
      on: 'row',
      label: ['扣押金', 'Deduct'],
      element: 'btn_deposit',
      from: ['supervising', 'done', 'rated'],
      input: {
        check: violation,
        amount,
        reason: text(['扣款原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    depositReturn: {
      on: 'row',
      label: ['退押金', 'Return deposit'],
      element: 'btn_depositReturn',
      from: ['done', 'rated', 'cancelled'],
      input: {
        payee: text(['收款人及账号', 'Payee and account'], { required: true, max: 60 }),
        reason: text(['说明', 'Note'], { max: 200 }),
      },
    },
    rate: {
      on: 'row',
      label: ['代录评价', 'Enter a rating'],
      element: 'btn_rate',
      from: ['done'],
      to: 'rated',
      input: {
        score: integer(['评分', 'Score'], { required: true, min: 1, max: 5 }),
        comment: longText(['评价', 'Comment'], { max: 500 }),
      },
    },
    refund: {
      on: 'row',
      label: ['确认退款', 'Refund'],
      element: 'btn_refund',
      remark: 'tradeNo',
      tone: 'primary',
      from: ['cancelled'],
      confirm: ['将服务费 {price} 全额退还？', 'Give back all {price}?'],
      input: { tradeNo: text(['退款凭证', 'Voucher of the refund'], { required: true, max: 64 }) },
    },
    cancel: {
      on: 'row',
      label: ['取消申请', 'Cancel'],
      element: 'btn_cancel',
      tone: 'danger',
      from: ['to_pay', 'to_take'],
      to: 'cancelled',
      confirm: ['取消 {code}？已缴服务费将全额退款。', 'Cancel {code}? What was paid is given back in full'],
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    expire: {
      on: 'system',
      label: ['24小时未支付，自动取消', 'Not paid within 24 hours'],
      element: 'btn_cancel',
      from: ['to_pay'],
      to: 'cancelled',
    },
  },
});

export interface DecorationApplication extends Row<typeof decorationApplication> {}

/** A line of the deposit's statement; yuan. */
export interface DepositPart {
  readonly id: string;
  readonly at: string;
  readonly move: DecorationDepositMove;
  readonly amount: string;
  readonly balance: string;
  readonly note: string;
  readonly by: string | null;
}
