import {
  boolean,
  choice,
  code,
  date,
  instant,
  integer,
  lines,
  money,
  personName,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';

/** Menu of the rules. */
export const REBATE_MENU = 'mk_propertyPaymentRebateRules';

const cap = (zh: string, en: string) =>
  integer([zh, en], {
    required: true,
    min: -1,
    max: 100_000_000,
    initial: -1,
    width: 110,
    help: ['-1 为不限', '-1: no limit'],
  });

const BASIS = {
  amount: { label: ['按金额', 'By amount'], code: 1 },
  months: { label: ['按预缴月数', 'By months paid ahead'], code: 2 },
} as const;
const REWARDS = {
  points: { label: ['积分', 'Points'] },
  coupon: { label: ['优惠券', 'Coupon'] },
} as const;
const RECEIVER = {
  payer: { label: ['付款人', 'Payer'] },
  owner: { label: ['房屋业主', 'Owner of the house'] },
} as const;

/** The terms of a rule from a moment on. */
export const rebateVersion = defineResource({
  name: 'paymentRebateVersion',
  menu: REBATE_MENU,
  title: ['版本', 'Versions'],
  noun: ['版本', 'Version'],
  titleField: 'no',
  fields: {
    rule: ref('paymentRebateRule', ['规则', 'Rule'], { readOnly: true, search: 'in', width: 150 }),
    no: integer(['版本', 'Version'], { readOnly: true, sortable: true, width: 80 }),
    reward: text(['返利', 'Reward'], { readOnly: true, width: 260 }),
    period: text(['有效期', 'Period'], { readOnly: true, width: 200 }),
    caps: text(['单笔/户年/总上限', 'Caps: payment / house-year / total'], { readOnly: true, width: 200 }),
    priority: integer(['优先级', 'Priority'], { readOnly: true, width: 80 }),
    finalDays: integer(['确认天数', 'Final after (days)'], { readOnly: true, width: 100 }),
    projects: integer(['项目数', 'Projects'], { readOnly: true, width: 80 }),
    items: integer(['收费项目数', 'Fee items'], { readOnly: true, width: 100 }),
    madeBy: ref('staff', ['操作人', 'By'], { readOnly: true, width: 100 }),
    madeAt: instant(['生效时间', 'From'], { readOnly: true, sortable: true, width: 150 }),
  },
  list: {
    columns: [
      'no',
      'rule',
      'reward',
      'period',
      'caps',
      'priority',
      'finalDays',
      'projects',
      'items',
      'madeBy',
      'madeAt',
    ],
    filters: ['rule'],
    sort: '-no',
    empty: ['启用后产生第一个版本', 'The first version stands here once it is enabled'],
  },
});

/** What a payment earned by a rule. */
export const rebateGrant = defineResource({
  name: 'paymentRebateGrant',
  menu: REBATE_MENU,
  title: ['返利记录', 'Grants'],
  noun: ['返利记录', 'Grant'],
  titleField: 'receiptNo',
  sensitive: true,
  fields: {
    rule: ref('paymentRebateRule', ['规则', 'Rule'], { readOnly: true, search: 'in', width: 150 }),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 70 }),
    receiptNo: text(['缴费票据号', 'Receipt'], { readOnly: true, keyword: true, width: 170 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 140 }),
    house: text(['房屋', 'House'], { readOnly: true, width: 150 }),
    member: personName(['会员', 'Member'], { readOnly: true, width: 100 }),
    valueDate: date(['缴费日期', 'Paid on'], {
      readOnly: true,
      search: 'range',
      sortable: true,
      width: 120,
    }),
    eligible: money(['计入金额', 'Eligible'], { readOnly: true, width: 110 }),
    granted: integer(['发放', 'Granted'], { readOnly: true, sortable: true, width: 80 }),
    takenBack: integer(['追回', 'Taken back'], { readOnly: true, width: 80 }),
    why: choice(
      ['原因', 'Why'],
      {
        house_year: { label: ['房屋年度上限', 'Cap of the house and year'] },
        total: { label: ['规则总上限', 'Total cap of the rule'] },
        nobody: { label: ['没有可入账的会员', 'No member to give to'] },
      },
      { readOnly: true, search: 'in', width: 130 },
    ),
    coupon: text(['优惠券', 'Coupon'], { readOnly: true, width: 140 }),
    toHandle: money(['待处理面值', 'Face value to handle'], { readOnly: true, width: 120 }),
    handling: choice(
      ['处理', 'Handling'],
      { open: { label: ['待处理', 'To handle'], tone: 'warning' } },
      { readOnly: true, search: 'in', width: 90 },
    ),
    failure: text(['失败说明', 'Failure'], { readOnly: true, width: 180 }),
    releaseAt: instant(['入账时间', 'Released at'], { readOnly: true, width: 150 }),
  },
  states: {
    waiting: { label: ['待入账', 'Pending'], tone: 'processing' },
    released: { label: ['已入账', 'Released'], tone: 'success' },
    taken_back: { label: ['已追回', 'Taken back'], tone: 'paused' },
    none: { label: ['未发放', 'Nothing given'], tone: 'default' },
    failed: { label: ['失败', 'Failed'], tone: 'error' },
  },
  list: {
    columns: [
      'receiptNo',
      'rule',
      'member',
      'valueDate',
      'eligible',
      'granted',
      'state',
      'takenBack',
      'why',
      'house',
      'project',
      'versionNo',
      'coupon',
      'toHandle',
      'handling',
      'failure',
      'releaseAt',
    ],
    hidden: ['failure', 'coupon', 'toHandle'],
    filters: ['rule', 'project', 'state', 'handling', 'why', 'valueDate'],
    sort: '-valueDate',
    export: true,
    empty: ['还没有缴费命中该规则', 'No payment has matched yet'],
  },
  actions: {
    retry: {
      on: 'row',
      label: ['重试', 'Try again'],
      element: 'btn_retry',
      from: ['failed'],
      to: ['waiting', 'released', 'failed'],
      message: ['已重试', 'Tried again'],
    },
  },
});

/** A rule by which payments of property fees give points back. */
export const rebateRule = defineResource({
  name: 'paymentRebateRule',
  menu: REBATE_MENU,
  title: ['物业缴费返利规则', 'Property payment rebate rules'],
  noun: ['返利规则', 'Rebate rule'],
  titleField: 'code',
  purpose: [
    '物业缴费成功后按规则返积分；每笔缴费只用优先级最小的一条规则，启用后的修改产生新版本，之前的缴费按原版本',
    'Property payments give points back; of each payment only the rule with the smallest priority holds. Changes of an enabled rule make a new version, earlier payments keep theirs',
  ],
  stamps: true,
  copy: true,
  modes: {
    add: 'mk_propertyPaymentRebateRules_add',
    edit: 'mk_propertyPaymentRebateRules_edit',
    detail: 'mk_propertyPaymentRebateRules_detail',
  },
  elements: { btn_simulate: ['试算', 'Simulate'] },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 90 }),
    name: text(['规则名称', 'Name'], { required: true, max: 40, keyword: true, width: 180 }),
    projects: refs('project', ['项目', 'Projects'], {
      required: true,
      max: 200,
      search: 'in',
      width: 180,
    }),
    items: refs('rebateFeeItem', ['收费项目', 'Fee items'], {
      required: true,
      max: 50,
      search: 'in',
      width: 160,
    }),
    receiver: choice(['返给', 'Given to'], RECEIVER, { required: true, initial: 'payer', width: 100 }),
    basis: choice(['计算方式', 'Basis'], BASIS, {
      required: true,
      search: 'in',
      initial: 'amount',
      width: 110,
    }),
    rewardKind: choice(['返利类型', 'Reward kind'], REWARDS, {
      search: 'in',
      initial: 'points',
      width: 110,
    }),
    coupon: ref('rebateCoupon', ['优惠券', 'Coupon'], {
      width: 160,
      help: [
        '返利类型为优惠券时必填；已发布且有效期覆盖规则，括号内为剩余张数；各积分数均按张数计',
        'For rewards in coupons: published, valid to the end of the rule; the note is what is left. All numbers of points count pieces then',
      ],
    }),
    perYuan: integer(['每满（元）', 'For every (yuan)'], { min: 1, max: 100_000, width: 100 }),
    givePoints: integer(['返积分/张数', 'Points or pieces'], { min: 1, max: 100_000, width: 90 }),
    tiers: lines(
      ['阶梯', 'Steps'],
      {
        fromYuan: integer(['满（元）', 'From (yuan)'], {
          required: true,
          min: 0,
          max: 10_000_000,
          width: 150,
        }),
        points: integer(['每满一档返积分/张数', 'Points or pieces for every full step'], {
          required: true,
          min: 1,
          max: 100_000,
          width: 170,
        }),
      },
      {
        max: 10,
        help: [
          '填写后按所达最高档计算整笔金额，代替“返积分”',
          'Where given, the highest step reached holds for the whole amount instead of “Points”',
        ],
      },
    ),
    monthPoints: integer(['每月返积分/张数', 'Points or pieces a month'], {
      min: 1,
      max: 100_000,
      width: 100,
    }),
    minMonths: integer(['最少月数', 'Months at least'], { min: 1, max: 24, width: 90 }),
    rounding: choice(
      ['取整', 'Rounding'],
      { down: { label: ['向下', 'Down'] }, up: { label: ['向上', 'Up'] } },
      { required: true, initial: 'down', width: 80 },
    ),
    minPayment: money(['单笔最低', 'Payment at least'], { min: 0, initial: '0.00', width: 110 }),
    noArrears: boolean(['仅无欠费房屋', 'Only without arrears'], { initial: true, width: 110 }),
    onTime: boolean(['仅按时缴费', 'Only on time'], { initial: false, width: 110 }),
    payCash: boolean(['现金', 'Cash'], { initial: true, width: 80 }),
    payPos: boolean(['刷卡', 'Card'], { initial: true, width: 80 }),
    payTransfer: boolean(['转账', 'Transfer'], { initial: true, width: 80 }),
    payPrepaid: boolean(['预存抵扣', 'Prepaid'], { initial: true, width: 90 }),
    capPayment: cap('单笔上限', 'Cap of a payment'),
    capHouseYear: cap('每户每年上限', 'Cap of a house and year'),
    capTotal: cap('规则总上限', 'Total cap'),
    finalDays: integer(['确认天数', 'Final after'], {
      required: true,
      min: 0,
      max: 60,
      initial: { setting: 'rebate.final_days' },
      unit: ['天', 'days'],
      width: 100,
    }),
    validDays: integer(['积分有效天数', 'Points valid'], {
      min: 1,
      max: 1_825,
      unit: ['天', 'days'],
      width: 110,
      help: ['留空按系统积分有效期', 'Empty: the life of points in the settings'],
    }),
    startsOn: date(['开始日期', 'From'], { required: true, sortable: true, width: 110 }),
    endsOn: date(['结束日期', 'To'], { required: true, width: 110 }),
    priority: integer(['优先级', 'Priority'], {
      required: true,
      min: 1,
      max: 999,
      initial: 100,
      sortable: true,
      width: 80,
      help: ['小的先用', 'The smaller one holds'],
    }),
    budget: ref('rebateBudget', ['积分预算', 'Points budget'], {
      width: 150,
      help: ['留空用默认预算', 'Empty: the default budget'],
    }),
    period: date(['有效期重叠', 'Period overlaps'], { readOnly: true, search: 'range' }),
    reward: text(['返利', 'Reward'], { readOnly: true, width: 200 }),
    phase: choice(
      ['时段', 'Phase'],
      {
        before: { label: ['未开始', 'Not started'], tone: 'default' },
        running: { label: ['进行中', 'Running'], tone: 'success' },
        ended: { label: ['已结束', 'Ended'], tone: 'paused' },
      },
      { readOnly: true, search: 'in', width: 120 },
    ),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 70 }),
    granted: integer(['累计发放', 'Granted'], { readOnly: true, width: 100 }),
    takenBack: integer(['累计追回', 'Taken back'], { readOnly: true, width: 100 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
    enabled: { label: ['启用', 'Enabled'], tone: 'success', code: 2 },
    stopped: { label: ['停用', 'Stopped'], tone: 'paused', code: 3 },
  },
  list: {
    columns: [
      'code',
      'name',
      'state',
      'phase',
      'reward',
      'projects',
      'items',
      'basis',
      'rewardKind',
      'capPayment',
      'capHouseYear',
      'capTotal',
      'startsOn',
      'endsOn',
      'priority',
      'granted',
      'takenBack',
      'updatedAt',
    ],
    hidden: ['capPayment', 'capHouseYear'],
    filters: ['projects', 'items', 'state', 'rewardKind', 'basis', 'phase', 'period'],
    sort: 'priority',
    link: 'name',
    export: true,
    empty: ['还没有返利规则', 'There are no rebate rules yet'],
  },
  form: {
    as: 'page',
    sections: [
      {
        title: ['适用', 'Where'],
        fields: ['name', 'projects', 'items', 'receiver', 'startsOn', 'endsOn', 'priority'],
      },
      {
        title: ['返利', 'Reward'],
        note: [
          '按金额：每满若干元返若干积分，或按阶梯；按预缴月数：缴清的未来整月数 × 每月积分',
          'By amount: points for every full step, or by steps. By months: whole months paid ahead × points a month',
        ],
        fields: [
          'rewardKind',
          'coupon',
          'basis',
          'perYuan',
          'givePoints',
          'tiers',
          'monthPoints',
          'minMonths',
          'rounding',
        ],
      },
      {
        title: ['条件', 'Conditions'],
        note: ['所选缴费方式的缴费才返利', 'Only payments in the chosen ways earn'],
        fields: ['minPayment', 'noArrears', 'onTime', 'payCash', 'payPos', 'payTransfer', 'payPrepaid'],
      },
      {
        title: ['上限与入账', 'Caps and release'],
        fields: ['capPayment', 'capHouseYear', 'capTotal', 'finalDays', 'validDays', 'budget'],
      },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: [
          'code',
          'versionNo',
          'projects',
          'items',
          'receiver',
          'startsOn',
          'endsOn',
          'phase',
          'priority',
        ],
      },
      {
        title: ['返利', 'Reward'],
        fields: [
          'reward',
          'rewardKind',
          'coupon',
          'basis',
          'tiers',
          'rounding',
          'minPayment',
          'noArrears',
          'onTime',
          'payCash',
          'payPos',
          'payTransfer',
          'payPrepaid',
        ],
      },
      {
        title: ['上限与入账', 'Caps and release'],
        fields: [
          'capPayment',
          'capHouseYear',
          'capTotal',
          'finalDays',
          'validDays',
          'budget',
          'granted',
          'takenBack',
        ],
      },
    ],
    parts: [
      part({ key: 'versions', title: ['版本', 'Versions'], resource: rebateVersion, by: 'rule' }),
      part({ key: 'grants', title: ['返利记录', 'Grants'], resource: rebateGrant, by: 'rule' }),
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: {
      on: 'row',
      label: ['编辑', 'Edit'],
      element: 'btn_edit',
      from: ['draft', 'enabled', 'stopped'],
    },
    enable: {
      on: 'row',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      tone: 'primary',
      from: ['draft', 'stopped'],
      to: 'enabled',
      confirm: ['启用「{name}」？之后的缴费按此规则返利', 'Enable “{name}”? Payments from now on earn by it'],
    },
    stop: {
      on: 'row',
      label: ['停用', 'Stop'],
      element: 'btn_stop',
      tone: 'danger',
      from: ['enabled'],
      to: 'stopped',
      confirm: ['停用「{name}」？已发放的不受影响', 'Stop “{name}”? What was given stays'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      from: ['draft'],
      confirm: ['删除「{name}」？', 'Delete “{name}”?'],
    },
  },
});

export type RebateRule = Row<typeof rebateRule>;

/** What a trial of a rule over a month answers; points are whole points, money is yuan text. */
export interface RebateTrial {
  readonly month: string;
  readonly payments: number;
  readonly points: number;
  readonly cost: string;
  readonly projects: readonly { readonly name: string; readonly payments: number; readonly points: number }[];
  readonly top: readonly {
    readonly receiptNo: string;
    readonly house: string;
    readonly day: string;
    readonly eligible: string;
    readonly months: number;
    readonly points: number;
  }[];
  readonly collisions: readonly { readonly code: string; readonly name: string; readonly priority: number }[];
}
