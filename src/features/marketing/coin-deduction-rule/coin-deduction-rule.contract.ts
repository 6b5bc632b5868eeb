import { boolean, code, date, instant, integer, money, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';
import { periodFields, ruleActions, ruleStates, scopeFields } from '../order-rule/order-rule-fields.ts';

/** Menu of the rules. */
export const COIN_MENU = 'mk_coinDeductionRule';

const MOST = 100_000_000_000;

/** The terms of a rule from a moment on. */
export const coinVersion = defineResource({
  name: 'coinDeductionVersion',
  menu: COIN_MENU,
  title: ['版本', 'Versions'],
  noun: ['版本', 'Version'],
  titleField: 'no',
  fields: {
    rule: ref('coinDeductionRule', ['规则', 'Rule'], { readOnly: true, search: 'in', width: 150 }),
    no: integer(['版本', 'Version'], { readOnly: true, sortable: true, width: 70 }),
    coinsPerYuan: integer(['1元代币数', 'Coins per yuan'], { readOnly: true, width: 110 }),
    maxPercent: integer(['最高比例', 'Most'], { readOnly: true, unit: ['%', '%'], width: 90 }),
    period: text(['有效期', 'Period'], { readOnly: true, width: 190 }),
    difference: text(['与上一版本的差异', 'Difference to the one before'], { readOnly: true, width: 320 }),
    madeBy: ref('staff', ['操作人', 'By'], { readOnly: true, width: 100 }),
    madeAt: instant(['生效时间', 'From'], { readOnly: true, sortable: true, width: 150 }),
  },
  list: {
    columns: ['no', 'rule', 'coinsPerYuan', 'maxPercent', 'period', 'difference', 'madeBy', 'madeAt'],
    filters: ['rule'],
    sort: '-no',
    empty: ['启用后产生第一个版本', 'The first version stands here once it is enabled'],
  },
});

/** What an order used by a rule. */
export const coinUse = defineResource({
  name: 'coinDeductionUse',
  menu: COIN_MENU,
  title: ['抵扣订单', 'Orders'],
  noun: ['抵扣记录', 'Use'],
  titleField: 'orderCode',
  sensitive: true,
  fields: {
    rule: ref('coinDeductionRule', ['规则', 'Rule'], { readOnly: true, search: 'in', width: 150 }),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 70 }),
    orderCode: text(['订单号', 'Order'], { readOnly: true, keyword: true, width: 170 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 140 }),
    merchant: text(['商户', 'Merchant'], { readOnly: true, width: 140 }),
    member: text(['会员', 'Member'], { readOnly: true, width: 90 }),
    usedOn: date(['下单日期', 'Ordered on'], { readOnly: true, search: 'range', sortable: true, width: 110 }),
    coins: integer(['使用代币', 'Coins'], { readOnly: true, sortable: true, width: 100 }),
    amount: money(['抵扣金额', 'Deducted'], { readOnly: true, sortable: true, width: 100 }),
    coinsBack: integer(['退回代币', 'Coins back'], { readOnly: true, width: 100 }),
    amountBack: money(['退回金额', 'Given back'], { readOnly: true, width: 100 }),
    explain: text(['计算说明', 'How it was worked out'], { readOnly: true, width: 320 }),
    createdAt: instant(['时间', 'At'], { readOnly: true, width: 150 }),
  },
  states: {
    held: { label: ['待支付', 'Held'], tone: 'processing' },
    captured: { label: ['已抵扣', 'Used'], tone: 'success' },
    released: { label: ['已释放', 'Released'], tone: 'default' },
    returned: { label: ['已退回', 'Given back'], tone: 'paused' },
  },
  list: {
    columns: [
      'orderCode',
      'rule',
      'state',
      'usedOn',
      'member',
      'coins',
      'amount',
      'coinsBack',
      'amountBack',
      'explain',
      'versionNo',
      'project',
      'merchant',
      'createdAt',
    ],
    hidden: ['createdAt'],
    filters: ['rule', 'project', 'state', 'usedOn'],
    sort: '-usedOn',
    sums: ['coins', 'amount', 'amountBack'],
    export: true,
    empty: ['还没有订单使用代币', 'No order has used coins yet'],
  },
});

/** A rule by which coins pay a part of an order. */
export const coinRule = defineResource({
  name: 'coinDeductionRule',
  menu: COIN_MENU,
  title: ['代币抵扣规则', 'Coin-deduction rules'],
  noun: ['代币抵扣规则', 'Coin-deduction rule'],
  titleField: 'code',
  purpose: [
    '下单时用代币抵扣部分金额；每单只用对会员最优的一条规则，启用后的修改产生新版本，已提交的订单按原版本',
    'Coins pay a part of an order; of each order only the rule that is best for the member holds. Changes of an enabled rule make a new version, placed orders keep theirs',
  ],
  stamps: true,
  copy: true,
  modes: {
    add: 'mk_coinDeductionRule_add',
    edit: 'mk_coinDeductionRule_edit',
    detail: 'mk_coinDeductionRule_detail',
  },
  elements: { btn_simulate: ['试算', 'Simulate'] },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 90 }),
    name: text(['规则名称', 'Name'], { required: true, max: 40, keyword: true, width: 170 }),
    ...scopeFields,
    coinsPerYuan: integer(['1元代币数', 'Coins per yuan'], {
      required: true,
      min: 1,
      max: 10_000,
      initial: 100,
      width: 110,
    }),
    step: integer(['使用步长', 'Used in multiples of'], {
      required: true,
      min: 1,
      max: 1_000_000,
      initial: 100,
      width: 100,
      help: ['代币按步长的整数倍使用', 'Coins are used in multiples of it'],
    }),
    maxPercent: integer(['最高比例', 'Most of an order'], {
      required: true,
      min: 1,
      max: 100,
      initial: 20,
      unit: ['%', '%'],
      width: 100,
      help: ['100% 时订单可为零元', 'With 100% an order may cost nothing'],
    }),
    maxPerOrder: money(['每单最高', 'Most per order'], {
      min: 1,
      max: MOST,
      width: 100,
      help: ['留空不限', 'Empty: no limit'],
    }),
    minOrder: money(['最低订单额', 'Order at least'], {
      min: 0,
      max: MOST,
      initial: '0.00',
      width: 120,
      help: ['范围内商品优惠后的金额', 'What goods in scope cost after discounts'],
    }),
    capDay: money(['会员日上限', 'Member and day'], {
      min: 1,
      max: MOST,
      width: 110,
      help: ['留空不限', 'Empty: no limit'],
    }),
    capMonth: money(['会员月上限', 'Member and month'], {
      min: 1,
      max: MOST,
      width: 110,
      help: ['留空不限', 'Empty: no limit'],
    }),
    withCoupon: boolean(['可与优惠券同用', 'With coupons'], { initial: true, width: 110 }),
    withPoints: boolean(['可与积分同用', 'With points'], {
      initial: false,
      width: 110,
      help: ['还须商城设置允许同用', 'The settings of the mall have to allow it, too'],
    }),
    withSeckill: boolean(['秒杀可用', 'In seckill'], { initial: false, width: 90 }),
    withGroup: boolean(['拼团可用', 'In group-making'], {
      initial: false,
      width: 90,
      help: ['还须活动允许使用代币', 'The activity has to allow coins, too'],
    }),
    stacks: text(['可叠加', 'Stacks with'], { readOnly: true, width: 150 }),
    budget: money(['预算', 'Budget'], {
      min: 1,
      max: MOST,
      width: 110,
      help: [
        '下单计入，关闭与退款返还；到 80% 通知，用完停用；留空不限',
        'Booked by orders, given back on closing and refunds; notice at 80 %, stopped when used up; empty: none',
      ],
    }),
    booked: money(['预算已用', 'Budget used'], { readOnly: true, width: 110 }),
    ...periodFields,
    priority: integer(['优先级', 'Priority'], {
      required: true,
      min: 1,
      max: 999,
      initial: 100,
      sortable: true,
      width: 90,
      help: ['抵扣相同时，大的先用', 'Of equal ones the greater holds'],
    }),
    stopReason: text(['停用原因', 'Why it was stopped'], { readOnly: true, width: 160 }),
    versionNo: integer(['版本', 'Version'], { readOnly: true, width: 70 }),
    deducted: money(['已抵扣', 'Deducted'], { readOnly: true, width: 110 }),
  },
  states: ruleStates,
  list: {
    columns: [
      'code',
      'name',
      'state',
      'coinsPerYuan',
      'maxPercent',
      'maxPerOrder',
      'minOrder',
      'projects',
      'stacks',
      'startsOn',
      'endsOn',
      'phase',
      'priority',
      'deducted',
      'booked',
      'budget',
      'businesses',
      'merchants',
      'classes',
      'products',
      'excluded',
      'updatedAt',
    ],
    hidden: ['phase', 'budget', 'businesses', 'merchants', 'classes', 'products', 'excluded', 'updatedAt'],
    filters: ['state', 'projects', 'businesses', 'period'],
    sort: '-priority',
    link: 'name',
    export: true,
    empty: ['还没有代币抵扣规则', 'There are no coin-deduction rules yet'],
  },
  form: {
    as: 'page',
    sections: [
      { title: ['规则', 'Rule'], fields: ['name', 'startsOn', 'endsOn', 'priority'] },
      {
        title: ['适用范围', 'Scope'],
        note: [
          '项目必选；商户、业务、分类、商品留空为不限，多项同时填写时须同时满足',
          'Projects are needed; an empty list does not narrow, several narrow together',
        ],
        fields: ['projects', 'merchants', 'businesses', 'classes', 'products', 'excluded'],
      },
      {
        title: ['抵扣', 'Deduction'],
        note: [
          '可抵 = min（范围内商品优惠后金额 × 最高比例，每单最高，剩余上限与预算），不含运费；代币按步长取整',
          'min(goods in scope after discounts × most, most per order, what caps and budget leave), freight left out; coins in multiples',
        ],
        fields: ['coinsPerYuan', 'step', 'maxPercent', 'maxPerOrder', 'minOrder'],
      },
      {
        title: ['叠加与上限', 'Stacking and caps'],
        fields: ['withCoupon', 'withPoints', 'withSeckill', 'withGroup', 'capDay', 'capMonth', 'budget'],
      },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: ['code', 'versionNo', 'startsOn', 'endsOn', 'phase', 'priority', 'stopReason'],
      },
      {
        title: ['适用范围', 'Scope'],
        fields: ['projects', 'merchants', 'businesses', 'classes', 'products', 'excluded'],
      },
      {
        title: ['抵扣与上限', 'Deduction and caps'],
        fields: [
          'coinsPerYuan',
          'step',
          'maxPercent',
          'maxPerOrder',
          'minOrder',
          'stacks',
          'capDay',
          'capMonth',
          'budget',
          'booked',
          'deducted',
        ],
      },
    ],
    parts: [
      part({ key: 'uses', title: ['抵扣订单', 'Orders'], resource: coinUse, by: 'rule' }),
      part({ key: 'versions', title: ['版本', 'Versions'], resource: coinVersion, by: 'rule' }),
    ],
  },
  actions: {
    ...ruleActions,
    exhaust: {
      on: 'system',
      label: ['预算用完停用', 'Its budget is used up'],
      element: 'btn_stop',
      from: ['enabled'],
      to: 'stopped',
    },
  },
});

export type CoinRuleRow = Row<typeof coinRule>;

/** What a simulation answers: every rule that holds for some goods, the one that is used first. Money is yuan text. */
export interface CoinTrial {
  readonly order: string | null;
  /** Coins it was worked out with. */
  readonly coins: number;
  readonly results: readonly {
    readonly code: string;
    readonly name: string;
    readonly version: number;
    readonly own: boolean;
    readonly used: boolean;
    readonly coins: number;
    readonly amount: string;
    /** Both languages by `saidTwice`: the formula, or why it gives nothing. */
    readonly explain: string;
    readonly lines: readonly {
      readonly product: string;
      readonly left: string;
      readonly amount: string;
      readonly coins: number;
    }[];
  }[];
}

/** What a rule took off by day; yuan as numbers. */
export interface CoinDays {
  readonly days: readonly { readonly day: string; readonly amount: number; readonly back: number }[];
}

/** What stands against one step of coins; yuan text. */
export interface CoinStep {
  readonly step: string;
  readonly most: string | null;
  readonly needs: string;
}
