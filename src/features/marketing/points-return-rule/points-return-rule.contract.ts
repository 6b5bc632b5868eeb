import {
  choice,
  code,
  date,
  decimal,
  instant,
  integer,
  lines,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';
import { periodFields, ruleActions, ruleStates, scopeFields } from '../order-rule/order-rule-fields.ts';

/** Menu of the rules. */
export const RETURN_MENU = 'mk_returnIntegralRule';

const cap = (zh: string, en: string) =>
  integer([zh, en], {
    required: true,
    min: -1,
    max: 100_000_000,
    initial: -1,
    width: 110,
    help: ['-1 为不限', '-1: no limit'],
  });

const ASSET = {
  points: { label: ['积分', 'Points'], code: 1 },
  coin: { label: ['代币', 'Coins'], code: 2 },
} as const;

/** The terms of a rule from a moment on. */
export const returnVersion = defineResource({
  name: 'pointsReturnVersion',
  menu: RETURN_MENU,
  title: ['版本', 'Versions'],
  noun: ['版本', 'Version'],
  titleField: 'no',
  fields: {
    rule: ref('pointsReturnRule', ['规则', 'Rule'], { readOnly: true, search: 'in', width: 150 }),
    no: integer(['版本', 'Version'], { readOnly: true, sortable: true, width: 70 }),
    rate: text(['返还', 'Rate'], { readOnly: true, width: 150 }),
    period: text(['有效期', 'Period'], { readOnly: true, width: 190 }),
    difference: text(['与上一版本的差异', 'Difference to the one before'], { readOnly: true, width: 320 }),
    madeBy: ref('staff', ['操作人', 'By'], { readOnly: true, width: 100 }),
    madeAt: instant(['生效时间', 'From'], { readOnly: true, sortable: true, width: 150 }),
  },
  list: {
    columns: ['no', 'rule', 'rate', 'period', 'difference', 'madeBy', 'madeAt'],
    filters: ['rule'],
    sort: '-no',
    empty: ['启用后产生第一个版本', 'The first version stands here once it is enabled'],
  },
});

/** What an order earned by a rule. */
export const returnGrant = defineResource({
  name: 'pointsReturnGrant',
  menu: RETURN_MENU,
  title: ['返还订单', 'Orders'],
  noun: ['返还记录', 'Grant'],
  titleField: 'orderCode',
  sensitive: true,
  fields: {
    rule: ref('pointsReturnRule', ['规则', 'Rule'], { readOnly: true, search: 'in', width: 150 }),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 70 }),
    orderCode: text(['订单号', 'Order'], { readOnly: true, keyword: true, width: 170 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 140 }),
    merchant: text(['商户', 'Merchant'], { readOnly: true, width: 140 }),
    member: text(['会员', 'Member'], { readOnly: true, width: 90 }),
    paidOn: date(['支付日期', 'Paid on'], { readOnly: true, search: 'range', sortable: true, width: 110 }),
    base: money(['计入金额', 'Base'], { readOnly: true, width: 100 }),
    granted: integer(['返还', 'Granted'], { readOnly: true, sortable: true, width: 80 }),
    takenBack: integer(['追回', 'Taken back'], { readOnly: true, width: 80 }),
    explain: text(['计算说明', 'How it was worked out'], { readOnly: true, width: 300 }),
    why: choice(
      ['少返原因', 'Why less'],
      {
        minimum: { label: ['未达最低实付', 'Below the least payment'] },
        order: { label: ['单笔上限', 'Cap of an order'] },
        day: { label: ['日上限', 'Cap of a day'] },
        month: { label: ['月上限', 'Cap of a month'] },
        total: { label: ['规则总上限', 'Total cap of the rule'] },
      },
      { readOnly: true, search: 'in', width: 110 },
    ),
    failure: text(['失败说明', 'Failure'], { readOnly: true, width: 180 }),
    releaseAt: instant(['入账时间', 'Released at'], {
      readOnly: true,
      width: 150,
      help: ['空：订单完成后确定', 'Empty: known once the order is completed'],
    }),
  },
  states: {
    waiting: { label: ['待入账', 'Pending'], tone: 'processing' },
    released: { label: ['已入账', 'Released'], tone: 'success' },
    taken_back: { label: ['已追回', 'Taken back'], tone: 'paused' },
    none: { label: ['未返还', 'Nothing given'], tone: 'default' },
    failed: { label: ['失败', 'Failed'], tone: 'error' },
  },
  list: {
    columns: [
      'orderCode',
      'rule',
      'state',
      'paidOn',
      'member',
      'base',
      'granted',
      'takenBack',
      'why',
      'explain',
      'releaseAt',
      'versionNo',
      'project',
      'merchant',
      'failure',
    ],
    hidden: ['failure'],
    filters: ['rule', 'project', 'state', 'why', 'paidOn'],
    sort: '-paidOn',
    sums: ['granted', 'takenBack'],
    export: true,
    empty: ['还没有订单命中该规则', 'No order has matched yet'],
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

/** A rule by which paid orders give points or coins back. */
export const returnRule = defineResource({
  name: 'pointsReturnRule',
  menu: RETURN_MENU,
  title: ['返积分规则', 'Points-return rules'],
  noun: ['返积分规则', 'Points-return rule'],
  titleField: 'code',
  purpose: [
    '商城与服务订单实付后返积分或代币；每个商品行每种资产只用优先级最高的一条规则，启用后的修改产生新版本，已提交的订单按原版本',
    'Paid orders give points or coins back; of each line and asset only the rule of the highest priority holds. Changes of an enabled rule make a new version, placed orders keep theirs',
  ],
  stamps: true,
  copy: true,
  modes: {
    add: 'mk_returnIntegralRule_add',
    edit: 'mk_returnIntegralRule_edit',
    detail: 'mk_returnIntegralRule_detail',
  },
  elements: { btn_simulate: ['试算', 'Simulate'] },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 90 }),
    name: text(['规则名称', 'Name'], { required: true, max: 40, keyword: true, width: 170 }),
    asset: choice(['资产', 'Asset'], ASSET, { required: true, initial: 'points', search: 'in', width: 80 }),
    ...scopeFields,
    give: integer(['返还数量', 'Gives'], { required: true, min: 1, max: 100_000, width: 90 }),
    per: money(['每满（元）', 'For every (yuan)'], { required: true, min: 1, max: 100_000_000, width: 100 }),
    rate: text(['返还比例', 'Rate'], { readOnly: true, width: 180 }),
    grades: lines(
      ['等级倍数', 'Multipliers of grades'],
      {
        grade: ref('returnGrade', ['等级', 'Grade'], { required: true, width: 160 }),
        multiplier: decimal(['倍数', 'Multiplier'], {
          required: true,
          scale: 1,
          min: 1,
          max: 5,
          width: 120,
          help: ['1.0–5.0，一位小数', '1.0–5.0, one decimal'],
        }),
      },
      { max: 20, help: ['未列出的等级为 1.0', 'Grades not named here have 1.0'] },
    ),
    minPaid: money(['最低实付', 'Paid at least'], {
      min: 0,
      max: 10_000_000_000,
      initial: '0.00',
      width: 100,
      help: ['范围内商品的实付合计', 'What is paid for goods in scope'],
    }),
    capOrder: cap('单笔上限', 'Cap of an order'),
    capDay: cap('会员日上限', 'Cap of a member and day'),
    capMonth: cap('会员月上限', 'Cap of a member and month'),
    capTotal: cap('规则总上限', 'Total cap'),
    caps: text(['上限 单/日/月/总', 'Caps: order / day / month / total'], { readOnly: true, width: 170 }),
    budget: ref('returnBudget', ['积分预算', 'Points budget'], {
      width: 150,
      help: [
        '积分必选，留空用默认预算；代币不占预算',
        'For points; empty: the default budget. Coins have none',
      ],
    }),
    grantAt: choice(
      ['返还时点', 'Given'],
      {
        payment: { label: ['支付后', 'At payment'] },
        completion: { label: ['订单完成时', 'At completion'] },
        after: { label: ['完成后 N 天', 'Days after completion'] },
      },
      { required: true, initial: 'after', width: 110 },
    ),
    afterDays: integer(['完成后天数', 'Days after completion'], {
      min: 0,
      max: 90,
      initial: 7,
      unit: ['天', 'days'],
      width: 100,
      help: ['入账前为待入账', 'Pending until then'],
    }),
    validDays: integer(['有效天数', 'Valid'], {
      min: 1,
      max: 1_825,
      unit: ['天', 'days'],
      width: 100,
      help: ['留空按系统积分有效期', 'Empty: the life of points in the settings'],
    }),
    ...periodFields,
    stopReason: text(['停用原因', 'Why it was stopped'], { readOnly: true, width: 160 }),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 70 }),
    granted: integer(['已返还', 'Granted'], { readOnly: true, width: 100 }),
    takenBack: integer(['已追回', 'Taken back'], { readOnly: true, width: 100 }),
    budgetUsed: integer(['预算已用', 'Budget used'], {
      readOnly: true,
      width: 100,
      help: ['已入账部分，待入账不占预算', 'What was released; pending points take nothing yet'],
    }),
  },
  states: ruleStates,
  list: {
    columns: [
      'code',
      'name',
      'state',
      'asset',
      'rate',
      'projects',
      'businesses',
      'caps',
      'grantAt',
      'startsOn',
      'endsOn',
      'phase',
      'priority',
      'granted',
      'takenBack',
      'budgetUsed',
      'merchants',
      'classes',
      'products',
      'excluded',
      'updatedAt',
    ],
    hidden: ['businesses', 'merchants', 'classes', 'products', 'excluded', 'updatedAt'],
    filters: ['state', 'asset', 'projects', 'businesses', 'period'],
    sort: '-priority',
    link: 'name',
    export: true,
    empty: ['还没有返积分规则', 'There are no points-return rules yet'],
  },
  form: {
    as: 'page',
    sections: [
      { title: ['规则', 'Rule'], fields: ['name', 'asset', 'startsOn', 'endsOn', 'priority'] },
      {
        title: ['适用范围', 'Scope'],
        note: [
          '项目必选；商户、业务、分类、商品留空为不限，多项同时填写时须同时满足；物业费订单不在此列',
          'Projects are needed; an empty list does not narrow, several narrow together. Orders of property fees have rules of their own',
        ],
        fields: ['projects', 'merchants', 'businesses', 'classes', 'products', 'excluded'],
      },
      {
        title: ['返还', 'Return'],
        note: [
          '返还 = 向下取整（范围内商品的现金实付 × 返还数量 × 等级倍数 ÷ 每满金额），不含运费，再按上限裁减',
          'floor(cash paid for goods in scope × gives × multiplier ÷ for every), freight left out, then the caps',
        ],
        fields: ['give', 'per', 'grades', 'minPaid'],
      },
      {
        title: ['上限与入账', 'Caps and release'],
        fields: ['capOrder', 'capDay', 'capMonth', 'capTotal', 'budget', 'grantAt', 'afterDays', 'validDays'],
      },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: ['code', 'asset', 'versionNo', 'startsOn', 'endsOn', 'phase', 'priority', 'stopReason'],
      },
      {
        title: ['适用范围', 'Scope'],
        fields: ['projects', 'merchants', 'businesses', 'classes', 'products', 'excluded'],
      },
      {
        title: ['返还与上限', 'Return and caps'],
        fields: [
          'rate',
          'grades',
          'minPaid',
          'capOrder',
          'capDay',
          'capMonth',
          'capTotal',
          'budget',
          'grantAt',
          'afterDays',
          'validDays',
          'granted',
          'takenBack',
          'budgetUsed',
        ],
      },
    ],
    parts: [
      part({ key: 'grants', title: ['返还订单', 'Orders'], resource: returnGrant, by: 'rule' }),
      part({ key: 'versions', title: ['版本', 'Versions'], resource: returnVersion, by: 'rule' }),
    ],
  },
  actions: ruleActions,
});

export type ReturnRuleRow = Row<typeof returnRule>;

/** What a simulation answers: every rule that gives something, and the rules that lost. Money is yuan text. */
export interface ReturnTrial {
  readonly order: string | null;
  readonly base: string;
  readonly results: readonly {
    readonly code: string;
    readonly name: string;
    readonly version: number;
    readonly own: boolean;
    readonly asset: 'points' | 'coin';
    readonly base: string;
    /** Both languages by `saidTwice`. */
    readonly explain: string;
    readonly granted: number;
    readonly lines: readonly { readonly product: string; readonly paid: string; readonly points: number }[];
  }[];
}

/** What a rule gave by day. */
export interface ReturnDays {
  readonly days: readonly { readonly day: string; readonly granted: number; readonly takenBack: number }[];
}
