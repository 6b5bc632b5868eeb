import {
  boolean,
  choice,
  code,
  file,
  instant,
  integer,
  longText,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';
import { ADJUST_REASONS, LINE_CHOICES, SKIP_CAPS } from './line-kinds.rules.ts';

/** The menu of points accounts. */
export const ACCOUNT_MENU = 'pointsAccount';

const account = ref('pointsAccount', ['会员', 'Member'], { readOnly: true, search: 'in', width: 100 });
const member = personName(['会员', 'Member'], { readOnly: true, width: 100 });

/** One lot of points of a member. */
export const pointsLot = defineResource({
  name: 'pointsLot',
  menu: ACCOUNT_MENU,
  title: ['积分批次', 'Lots'],
  noun: ['积分批次', 'Lot'],
  titleField: 'number',
  sensitive: true,
  fields: {
    account,
    member,
    number: code(['批次', 'Lot'], { readOnly: true, width: 100 }),
    source: choice(['来源', 'Source'], LINE_CHOICES, { readOnly: true, width: 110 }),
    amount: integer(['积分', 'Amount'], { readOnly: true, width: 90 }),
    remaining: integer(['剩余', 'Remaining'], { readOnly: true, width: 90 }),
    held: integer(['占用', 'Held'], { readOnly: true, width: 80 }),
    grantedAt: instant(['发放时间', 'Granted'], { readOnly: true, sortable: true, width: 150 }),
    expiresAt: instant(['到期时间', 'Expires'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 150,
      help: ['空为永久有效；先到期的先使用', 'Empty: never. What expires first is spent first'],
    }),
    lotState: choice(
      ['状态', 'State'],
      {
        available: { label: ['可用', 'Available'], tone: 'success' },
        used_up: { label: ['已用完', 'Used up'], tone: 'default' },
        expired: { label: ['已过期', 'Expired'], tone: 'paused' },
        recalled: { label: ['已撤回', 'Recalled'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    budget: text(['预算', 'Budget'], { readOnly: true, width: 150 }),
    parentLot: code(['来自批次', 'From lot'], { readOnly: true, width: 100 }),
  },
  list: {
    columns: [
      'number',
      'account',
      'member',
      'source',
      'amount',
      'remaining',
      'held',
      'grantedAt',
      'expiresAt',
      'lotState',
      'budget',
      'parentLot',
    ],
    hidden: ['account', 'member'],
    filters: ['account', 'lotState', 'expiresAt'],
    sort: 'expiresAt',
    empty: ['还没有积分批次', 'No lots yet'],
  },
});

/** One line of a member's statement, as the entries of the ledger say it. */
export const pointsStatement = defineResource({
  name: 'pointsStatement',
  menu: ACCOUNT_MENU,
  title: ['积分流水', 'Statement'],
  noun: ['积分流水', 'Line'],
  titleField: 'businessNo',
  sensitive: true,
  fields: {
    account,
    member,
    at: instant(['时间', 'Time'], { readOnly: true, sortable: true, search: 'range', width: 150 }),
    kind: choice(['流水类型', 'Kind'], LINE_CHOICES, { readOnly: true, search: 'in', width: 110 }),
    direction: choice(
      ['方向', 'Direction'],
      {
        in: { label: ['增加', 'In'], tone: 'success' },
        out: { label: ['减少', 'Out'], tone: 'error' },
        none: { label: ['不变', 'None'], tone: 'default' },
      },
      { readOnly: true, search: 'in', width: 80 },
    ),
    amount: integer(['变动', 'Amount'], {
      readOnly: true,
      width: 90,
      help: ['可用与占用合计的变动，占用与释放为 0', 'Of available and held together: holds move nothing'],
    }),
    heldChange: integer(['占用变动', 'Held'], { readOnly: true, width: 90 }),
    owedChange: integer(['欠分变动', 'Owed'], { readOnly: true, width: 90 }),
    balance: integer(['余额', 'Balance'], {
      readOnly: true,
      width: 90,
      help: ['变动后的可用与占用合计', 'Available and held together, afterwards'],
    }),
    businessNo: text(['业务单号', 'Business no.'], { readOnly: true, search: 'equals', width: 170 }),
    rule: text(['规则', 'Rule'], { readOnly: true, width: 130 }),
    lots: text(['批次明细', 'Lots'], {
      readOnly: true,
      width: 200,
      help: ['批次号 × 积分，按使用顺序', 'Lot × points, in the order of use'],
    }),
    remark: text(['备注', 'Remark'], { readOnly: true, width: 160 }),
    operator: ref('staff', ['操作人', 'Operator'], { readOnly: true, width: 100 }),
  },
  list: {
    columns: [
      'at',
      'account',
      'member',
      'kind',
      'direction',
      'amount',
      'heldChange',
      'owedChange',
      'balance',
      'businessNo',
      'rule',
      'lots',
      'remark',
      'operator',
    ],
    hidden: ['account', 'member', 'direction'],
    filters: ['account', 'kind', 'direction', 'at', 'businessNo'],
    sort: '-at',
    link: 'at',
    export: true,
    empty: ['还没有积分流水', 'No lines yet'],
  },
});

/** Points that are announced to a member and cannot be spent yet. */
export const pointsPending = defineResource({
  name: 'pointsPending',
  menu: ACCOUNT_MENU,
  title: ['待入账', 'Pending'],
  noun: ['待入账积分', 'Pending points'],
  titleField: 'source',
  sensitive: true,
  fields: {
    account,
    member,
    kind: choice(['类型', 'Kind'], LINE_CHOICES, { readOnly: true, width: 110 }),
    source: text(['业务单号', 'Business no.'], { readOnly: true, width: 180 }),
    amount: integer(['积分', 'Amount'], { readOnly: true, width: 90 }),
    reduced: integer(['已扣减', 'Reduced'], { readOnly: true, width: 90 }),
    left: integer(['待入账', 'Pending'], { readOnly: true, width: 90 }),
    releaseAt: instant(['入账时间', 'Released on'], { readOnly: true, sortable: true, width: 150 }),
    createdAt: instant(['产生时间', 'Announced'], { readOnly: true, sortable: true, width: 150 }),
  },
  states: {
    waiting: { label: ['待入账', 'Pending'], tone: 'warning' },
    released: { label: ['已入账', 'Released'], tone: 'success' },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused' },
  },
  list: {
    columns: [
      'kind',
      'account',
      'member',
      'source',
      'amount',
      'reduced',
      'left',
      'releaseAt',
      'createdAt',
      'state',
    ],
    hidden: ['account', 'member'],
    filters: ['account', 'state'],
    sort: '-releaseAt',
    empty: ['没有待入账积分', 'Nothing is pending'],
  },
});

/** Points that stand behind something unpaid. */
export const pointsHold = defineResource({
  name: 'pointsHold',
  menu: ACCOUNT_MENU,
  title: ['占用', 'Holds'],
  noun: ['占用', 'Hold'],
  titleField: 'businessNo',
  sensitive: true,
  fields: {
    account,
    member,
    businessNo: text(['订单', 'Order'], { readOnly: true, width: 180 }),
    amount: integer(['占用积分', 'Held'], { readOnly: true, width: 100 }),
    heldAt: instant(['占用时间', 'Since'], { readOnly: true, sortable: true, width: 150 }),
    until: instant(['保留至', 'Until'], {
      readOnly: true,
      width: 150,
      help: ['订单付款期限，超时释放', 'Time to pay; released afterwards'],
    }),
  },
  list: {
    columns: ['businessNo', 'account', 'member', 'amount', 'heldAt', 'until'],
    hidden: ['account', 'member'],
    filters: ['account'],
    sort: '-heldAt',
    empty: ['没有占用的积分', 'No points are held'],
  },
});

/** Points that were earned and not given. */
export const pointsSkip = defineResource({
  name: 'pointsSkip',
  menu: ACCOUNT_MENU,
  title: ['未发放', 'Skipped'],
  noun: ['未发放记录', 'Skip'],
  titleField: 'rule',
  sensitive: true,
  fields: {
    account,
    member,
    rule: text(['规则', 'Rule'], { readOnly: true, width: 180 }),
    cap: choice(['原因', 'Why'], SKIP_CAPS, { readOnly: true, search: 'in', width: 140 }),
    points: integer(['积分', 'Points'], { readOnly: true, width: 90 }),
    skippedAt: instant(['时间', 'Time'], { readOnly: true, sortable: true, width: 150 }),
  },
  list: {
    columns: ['rule', 'account', 'member', 'cap', 'points', 'skippedAt'],
    hidden: ['account', 'member'],
    filters: ['account', 'cap'],
    sort: '-skippedAt',
    empty: ['没有未发放的积分', 'Nothing was skipped'],
  },
});

/** One freeze of an account. */
export const pointsFreeze = defineResource({
  name: 'pointsFreeze',
  menu: ACCOUNT_MENU,
  title: ['冻结记录', 'Freezes'],
  noun: ['冻结记录', 'Freeze'],
  titleField: 'reason',
  sensitive: true,
  fields: {
    account,
    member,
    reason: text(['冻结原因', 'Reason'], { readOnly: true, width: 200 }),
    fromAt: instant(['开始', 'From'], { readOnly: true, sortable: true, width: 150 }),
    untilAt: instant(['截止', 'Until'], { readOnly: true, width: 150 }),
    by: ref('staff', ['冻结人', 'Frozen by'], { readOnly: true, width: 100 }),
    liftedAt: instant(['解冻时间', 'Lifted'], { readOnly: true, width: 150 }),
    liftedBy: ref('staff', ['解冻人', 'Lifted by'], { readOnly: true, width: 100 }),
    liftReason: text(['解冻原因', 'Reason of lifting'], { readOnly: true, width: 160 }),
  },
  list: {
    columns: ['reason', 'account', 'member', 'fromAt', 'untilAt', 'by', 'liftedAt', 'liftedBy', 'liftReason'],
    hidden: ['account', 'member'],
    filters: ['account'],
    sort: '-fromAt',
    empty: ['没有冻结记录', 'It was never frozen'],
  },
});

/** A correction by staff; above the limit it waits for somebody else. */
export const pointsAdjustment = defineResource({
  name: 'pointsAdjustment',
  menu: ACCOUNT_MENU,
  title: ['人工调整', 'Adjustments'],
  noun: ['积分调整', 'Adjustment'],
  titleField: 'code',
  sensitive: true,
  fields: {
    account,
    member,
    code: code(['编号', 'Code'], { readOnly: true, width: 160 }),
    amount: integer(['调整积分', 'Points'], { readOnly: true, width: 100 }),
    reasonCode: choice(['原因类型', 'Kind of reason'], ADJUST_REASONS, { readOnly: true, width: 110 }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 200 }),
    allowDebt: boolean(['允许形成欠分', 'Debt allowed'], { readOnly: true, width: 120 }),
    attachment: file(['附件', 'Attachment'], { readOnly: true, width: 140 }),
    opinion: text(['审批意见', 'Opinion'], { readOnly: true, width: 160 }),
    creator: ref('staff', ['申请人', 'Applicant'], { readOnly: true, width: 100 }),
    createdAt: instant(['申请时间', 'Applied'], { readOnly: true, sortable: true, width: 150 }),
    bookedAt: instant(['入账时间', 'Booked'], { readOnly: true, width: 150 }),
  },
  states: {
    reviewing: { label: ['待审批', 'In review'], tone: 'warning' },
    booked: { label: ['已入账', 'Booked'], tone: 'success' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  },
  list: {
    columns: [
      'code',
      'account',
      'member',
      'amount',
      'reasonCode',
      'reason',
      'allowDebt',
      'attachment',
      'state',
      'opinion',
      'creator',
      'createdAt',
      'bookedAt',
    ],
    hidden: ['account', 'member', 'bookedAt'],
    filters: ['account', 'state'],
    sort: '-createdAt',
    empty: ['没有人工调整', 'No adjustments'],
  },
  actions: {
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_adjust',
      tone: 'primary',
      from: ['reviewing'],
      to: ['booked', 'reviewing'],
      input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_adjust',
      tone: 'danger',
      from: ['reviewing'],
      to: ['rejected', 'reviewing'],
      input: { opinion: longText(['驳回原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    withdraw: {
      on: 'row',
      label: ['撤回', 'Withdraw'],
      element: 'btn_adjust',
      from: ['reviewing'],
      to: 'withdrawn',
      confirm: ['撤回「{code}」？', 'Withdraw “{code}”?'],
    },
  },
});

/** The points account of one member. */
export const pointsAccount = defineResource({
  name: 'pointsAccount',
  menu: ACCOUNT_MENU,
  title: ['积分账户', 'Points accounts'],
  noun: ['积分账户', 'Points account'],
  purpose: [
    '每位会员的积分：可用、占用、待入账、欠分及其批次与流水；所有数字都由账本分录得出',
    'Points of each member: available, held, pending and owed, with lots and statement; every figure comes from the entries of the ledger',
  ],
  titleField: 'phone',
  sensitive: true,
  fields: {
    name: personName(['会员', 'Member'], { readOnly: true, keyword: true, width: 100 }),
    phone: phone(['手机', 'Phone'], { readOnly: true, keyword: true, width: 130 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 150 }),
    grade: ref('grade', ['等级', 'Grade'], { readOnly: true, search: 'in', width: 100 }),
    available: integer(['可用', 'Available'], {
      readOnly: true,
      search: 'range',
      sortable: true,
      width: 100,
    }),
    held: integer(['占用', 'Held'], { readOnly: true, width: 90 }),
    pending: integer(['待入账', 'Pending'], { readOnly: true, width: 90 }),
    owed: integer(['欠分', 'Owed'], { readOnly: true, width: 80 }),
    expiring30: integer(['30天内过期', 'Expiring in 30 days'], { readOnly: true, width: 120 }),
    earned: integer(['累计获得', 'Earned in all'], {
      readOnly: true,
      width: 110,
      help: ['不含已撤回', 'Without what was recalled'],
    }),
    used: integer(['累计使用', 'Used in all'], {
      readOnly: true,
      width: 110,
      help: ['已减去退回', 'Less what was refunded'],
    }),
    expired: integer(['累计过期', 'Expired in all'], { readOnly: true, width: 110 }),
    frozen: choice(
      ['账户状态', 'Account'],
      {
        normal: { label: ['正常', 'Normal'], tone: 'success' },
        frozen: { label: ['已冻结', 'Frozen'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    lastMovement: instant(['最近变动', 'Last movement'], { readOnly: true, search: 'range', width: 150 }),
    hasDebt: boolean(['有欠分', 'Owes points'], { readOnly: true, search: 'equals' }),
    hasPending: boolean(['有待入账', 'Has pending points'], { readOnly: true, search: 'equals' }),
    expiringDays: integer(['多少天内过期', 'Expiring within days'], {
      readOnly: true,
      search: 'equals',
      min: 1,
      max: 366,
      unit: ['天', 'days'],
    }),
  },
  elements: { btn_export: ['导出', 'Export'] },
  list: {
    columns: [
      'name',
      'phone',
      'project',
      'grade',
      'frozen',
      'available',
      'held',
      'pending',
      'owed',
      'expiring30',
      'earned',
      'used',
      'expired',
      'lastMovement',
    ],
    filters: [
      'project',
      'grade',
      'frozen',
      'available',
      'hasDebt',
      'hasPending',
      'expiringDays',
      'lastMovement',
    ],
    sort: '-available',
    link: 'name',
    export: true,
  },
  detail: {
    mode: 'page',
    route: '/vipAccount/pointsAccount/:id',
    sections: [
      {
        title: ['账户', 'Account'],
        fields: [
          'name',
          'phone',
          'project',
          'grade',
          'frozen',
          'available',
          'held',
          'pending',
          'owed',
          'lastMovement',
        ],
      },
    ],
    parts: [
      part({ key: 'lots', title: ['积分批次', 'Lots'], resource: pointsLot, by: 'account' }),
      part({ key: 'pending', title: ['待入账', 'Pending'], resource: pointsPending, by: 'account' }),
      part({ key: 'holds', title: ['占用', 'Holds'], resource: pointsHold, by: 'account' }),
      part({ key: 'skips', title: ['未发放', 'Skipped'], resource: pointsSkip, by: 'account' }),
      part({ key: 'freezes', title: ['冻结记录', 'Freezes'], resource: pointsFreeze, by: 'account' }),
      part({
        key: 'adjustments',
        title: ['人工调整', 'Adjustments'],
        resource: pointsAdjustment,
        by: 'account',
      }),
    ],
  },
  actions: {
    adjust: {
      on: 'row',
      label: ['调整', 'Adjust'],
      element: 'btn_adjust',
      untouched: true,
      input: {
        amount: integer(['调整积分', 'Points'], {
          required: true,
          min: -10_000_000,
          max: 10_000_000,
          help: [
            '正数增加，负数扣减；超过上限须他人审批',
            'Above zero adds, below takes; above the limit somebody else approves',
          ],
        }),
        reasonCode: choice(['原因类型', 'Kind of reason'], ADJUST_REASONS, { required: true }),
        reason: longText(['原因', 'Reason'], { required: true, min: 5, max: 200 }),
        allowDebt: boolean(['允许形成欠分', 'Allow debt'], {
          help: ['可用不足时，不足部分记为欠分', 'What is missing is owed'],
        }),
        attachment: file(['附件', 'Attachment']),
      },
    },
    freeze: {
      on: 'row',
      label: ['冻结', 'Freeze'],
      element: 'btn_freeze',
      tone: 'danger',
      untouched: true,
      input: {
        reason: longText(['冻结原因', 'Reason'], { required: true, min: 2, max: 200 }),
        until: instant(['截止时间', 'Until'], { help: ['留空：直到解冻', 'Empty: until it is lifted'] }),
      },
    },
    unfreeze: {
      on: 'row',
      label: ['解冻', 'Unfreeze'],
      element: 'btn_unfreeze',
      untouched: true,
      input: { reason: longText(['解冻原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    reconcile: {
      on: 'rowAndBulk',
      label: ['对账', 'Reconcile'],
      element: 'btn_reconcile',
      opens: 'screen',
    },
  },
});

/** An account on the wire. */
export interface PointsAccount extends Row<typeof pointsAccount> {}

/** Figures of all accounts in scope. */
export interface AccountFigures {
  readonly outstanding: number;
  /** In yuan. */
  readonly liability: string;
  readonly pending: number;
  readonly expiring30: number;
  readonly owed: number;
  readonly differences: number;
  readonly accounts: number;
}

/** One difference on the wire. */
export interface AccountDifference {
  readonly rule: string;
  readonly account: string | null;
  readonly subject: string;
  readonly found: number;
  readonly expected: number;
}

/** The numbers of one account. */
export interface AccountOverview {
  readonly available: number;
  readonly held: number;
  readonly owed: number;
  readonly pending: number;
  readonly granted: number;
  readonly used: number;
  readonly expired: number;
  readonly takenBack: number;
  readonly recalled: number;
  /** In yuan. */
  readonly liability: string;
  readonly differences: readonly AccountDifference[];
  readonly months: readonly {
    readonly month: string;
    readonly granted: number;
    readonly used: number;
    readonly expired: number;
  }[];
  readonly upcoming: readonly {
    readonly lot: string;
    readonly expiresAt: string | null;
    readonly points: number;
    readonly running: number;
  }[];
}
