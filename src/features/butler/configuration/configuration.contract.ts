import {
  boolean,
  choice,
  decimal,
  instant,
  integer,
  lines,
  money,
  ref,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';
import { RULES } from '../butler-choices.rules.ts';

const MENU = 'butler_configuration';
const seen = { readOnly: true } as const;
const BP = ['‱', 'bp'] as const;

/** Where the score of an item comes from. */
export const ITEM_SOURCES = {
  manual: { label: ['人工评分', 'By hand'], tone: 'default' },
  conversion: { label: ['转化率', 'Conversion'], tone: 'processing' },
  complaint: { label: ['投诉率', 'Complaint rate'], tone: 'processing' },
  satisfaction: { label: ['满意度', 'Satisfaction'], tone: 'processing' },
  fee: { label: ['收缴率', 'Fee collection rate'], tone: 'processing' },
  read: { label: ['提醒阅读率', 'Reminders read'], tone: 'processing' },
} as const;

/** A version of what butlers earn; once activated it is never changed. */
export const incentivePlan = defineResource({
  name: 'incentivePlan',
  menu: MENU,
  title: ['激励配置', 'Incentive settings'],
  noun: ['激励方案', 'Incentive plan'],
  purpose: [
    '商品自身的激励优先，其次分类、业务、默认比例；新版本只对生效后的支付起作用',
    'What goods say themselves comes first, then class, business and default; a version counts for payments after it takes effect',
  ],
  titleField: 'name',
  stamps: true,
  copy: true,
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    active: { label: ['生效', 'Active'], tone: 'success' },
    superseded: { label: ['已替代', 'Superseded'], tone: 'paused' },
  },
  fields: {
    name: text(['方案', 'Plan'], { required: true, max: 40, keyword: true, width: 180 }),
    no: integer(['版本', 'Version'], { ...seen, width: 80 }),
    effectiveFrom: instant(['生效时间', 'Takes effect'], { ...seen, sortable: true, width: 160 }),
    defaultBp: integer(['默认比例', 'Default rate'], {
      required: true,
      min: 0,
      max: 3000,
      unit: BP,
      width: 110,
      help: ['万分比，300 即 3%；不超过 3000', 'In ten thousandths: 300 is 3 %; at most 3000'],
    }),
    monthlyCapFen: money(['月封顶', 'Cap a month'], {
      required: true,
      initial: '5000.00',
      min: 100,
      width: 110,
      help: ['每人每批成交激励上限，不含阶梯奖', 'Of sales a batch and butler, the bonus not counted'],
    }),
    freezeDays: integer(['冻结天数', 'Days frozen'], {
      required: true,
      initial: 7,
      min: 0,
      max: 90,
      width: 100,
      help: ['订单完成后再过这些天转为待发放', 'After the order is completed'],
    }),
    rules: lines(
      ['规则', 'Rules'],
      {
        class: treeRef('productClass', ['分类', 'Class']),
        business: ref('business', ['业务', 'Business']),
        rateBp: integer(['比例', 'Rate'], { min: 1, max: 3000, unit: BP }),
        fixedFen: money(['每件', 'A piece'], { min: 1 }),
      },
      {
        max: 50,
        help: [
          '分类与业务选一项，比例与每件定额填一项',
          'A class or a business, and a rate or an amount a piece',
        ],
      },
    ),
    tiers: lines(
      ['阶梯奖', 'Bonus'],
      {
        fromFen: money(['有效金额超过', 'Valid above'], { required: true, min: 1 }),
        extraBp: integer(['加奖', 'Extra'], { required: true, min: 1, max: 3000, unit: BP }),
      },
      { max: 10, help: ['按月累进，各档只对超过部分计', 'Of a month, each on the part above it'] },
    ),
    items: lines(
      ['考核项', 'Appraisal items'],
      {
        name: text(['名称', 'Name'], { required: true, max: 20 }),
        source: choice(['来源', 'Source'], ITEM_SOURCES, { required: true, initial: 'manual' }),
        weight: integer(['权重', 'Weight'], { required: true, min: 1, max: 100 }),
      },
      {
        max: 12,
        help: [
          '权重合计须为 100；投诉率得分 = 100 − 每百户投诉数，其余自动项为百分率',
          'Weights must total 100; complaints score 100 less complaints of a hundred houses, the other automatic ones their percentage',
        ],
      },
    ),
    steps: lines(
      ['系数表', 'Coefficients'],
      {
        fromScore: integer(['得分不低于', 'Score from'], { required: true, min: 0, max: 100 }),
        coefficientBp: integer(['系数', 'Coefficient'], { required: true, min: 0, max: 20_000, unit: BP }),
      },
      {
        max: 10,
        help: [
          '通常：90 分起 11000，80 分起 10000，60 分起 8000，0 分起 5000',
          'Usually 11000 from 90, 10000 from 80, 8000 from 60 and 5000 from 0',
        ],
      },
    ),
  },
  list: {
    columns: [
      'name',
      'no',
      'state',
      'effectiveFrom',
      'defaultBp',
      'monthlyCapFen',
      'freezeDays',
      'creator',
      'updatedAt',
    ],
    filters: ['state'],
    sort: '-updatedAt',
    link: 'name',
    empty: ['还没有激励方案', 'There is no plan yet'],
  },
  form: {
    width: 820,
    sections: [
      { title: ['方案', 'Plan'], fields: ['name', 'defaultBp', 'monthlyCapFen', 'freezeDays'] },
      { title: ['规则与阶梯', 'Rules and bonus'], fields: ['rules', 'tiers'] },
      { title: ['考核', 'Appraisal'], fields: ['items', 'steps'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['方案', 'Plan'],
        fields: ['name', 'no', 'state', 'effectiveFrom', 'defaultBp', 'monthlyCapFen', 'freezeDays'],
      },
      { title: ['规则与阶梯', 'Rules and bonus'], fields: ['rules', 'tiers'] },
      { title: ['考核', 'Appraisal'], fields: ['items', 'steps', 'creator', 'createdAt', 'updatedAt'] },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新建版本', 'New version'],
      element: 'btn_newVersion',
      tone: 'primary',
      to: 'draft',
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_newVersion', from: ['draft'] },
    activate: {
      on: 'row',
      label: ['启用', 'Activate'],
      element: 'btn_activate',
      tone: 'primary',
      from: ['draft'],
      to: 'active',
      confirm: [
        '启用后该版本不能再修改，对生效时间之后的支付起作用。',
        'An activated version is never changed; it counts for payments after it takes effect.',
      ],
      input: { effectiveFrom: instant(['生效时间', 'Takes effect'], { required: true }) },
    },
    supersede: {
      on: 'system',
      label: ['被新版本替代', 'Superseded'],
      element: 'btn_activate',
      from: ['active'],
      to: 'superseded',
    },
  },
});

export interface IncentivePlan extends Row<typeof incentivePlan> {}

/** An amount as it was and as a version would have it. */
export interface TrialTerms {
  readonly before: string;
  readonly after: string;
  readonly difference: string;
}

/** What a version would have given for last month, against what was: sales, bonus and cap together. */
export interface PlanTrial extends TrialTerms {
  readonly month: string;
  readonly sale: TrialTerms;
  readonly bonus: TrialTerms;
  readonly capCut: TrialTerms;
  readonly butlers: readonly (TrialTerms & { readonly id: string; readonly name: string })[];
}

/** What goods would earn by a version, with the rule that decides. */
export interface PlanQuote {
  readonly rule: keyof typeof RULES;
  /** The value of the rule, 5.00% or ¥5.00; empty without one. */
  readonly value: string;
  readonly formula: string;
  readonly incentive: string;
}

/** The score of a butler for a month, and the coefficient it brings. */
export const butlerAppraisal = defineResource({
  name: 'butlerAppraisal',
  menu: MENU,
  title: ['月度考核', 'Appraisals'],
  noun: ['考核', 'Appraisal'],
  titleField: 'butler',
  purpose: [
    '确认后用于当月阶梯奖系数；未确认按 1.0 计；该月批次制作后不能再改',
    'Confirmed it sets the coefficient of the month’s bonus, 1.0 without; fixed once the month’s batch is made',
  ],
  stamps: true,
  states: {
    scored: { label: ['待确认', 'To confirm'], tone: 'warning' },
    confirmed: { label: ['已确认', 'Confirmed'], tone: 'success' },
  },
  fields: {
    butler: ref('butler', ['管家', 'Butler'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 100,
    }),
    month: text(['月份', 'Month'], {
      required: true,
      createOnly: true,
      max: 7,
      search: 'equals',
      sortable: true,
      width: 90,
      placeholder: ['2026-11', '2026-11'],
    }),
    plan: text(['方案版本', 'Version'], { ...seen, width: 96 }),
    scores: lines(
      ['得分', 'Scores'],
      {
        name: text(['考核项', 'Item'], { required: true, max: 20 }),
        score: decimal(['得分（0–100）', 'Score (0–100)'], { required: true, min: 0, max: 100 }),
        auto: boolean(['自动', 'Automatic']),
      },
      {
        max: 12,
        help: [
          '新增时按方案的考核项生成，自动项已填好；未填的人工项计 0',
          'Made from the items of the plan when it is added, automatic ones filled in; what is left out counts 0',
        ],
      },
    ),
    sheet: text(['各项得分', 'By item'], { ...seen, width: 260 }),
    total: decimal(['总分', 'Total'], { ...seen, width: 80 }),
    coefficientBp: integer(['系数', 'Coefficient'], { ...seen, unit: BP, width: 100 }),
    confirmedBy: ref('staff', ['确认人', 'Confirmed by'], { ...seen, width: 100 }),
    confirmedAt: instant(['确认时间', 'Confirmed'], { ...seen, width: 160 }),
  },
  list: {
    columns: [
      'butler',
      'month',
      'sheet',
      'total',
      'coefficientBp',
      'state',
      'plan',
      'confirmedBy',
      'confirmedAt',
      'updatedAt',
    ],
    filters: ['butler', 'month', 'state'],
    sort: '-month',
    link: 'butler',
    empty: ['还没有考核', 'Nobody is appraised yet'],
  },
  form: { width: 640, sections: [{ title: ['考核', 'Appraisal'], fields: ['butler', 'month', 'scores'] }] },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['考核', 'Appraisal'],
        fields: ['butler', 'month', 'plan', 'scores', 'total', 'coefficientBp', 'confirmedBy', 'confirmedAt'],
      },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['评分', 'Score'],
      element: 'btn_score',
      tone: 'primary',
      to: 'scored',
      // eslint-disable-next-line unicorn/no-thenable
      then: 'open',
    },
    prepare: {
      on: 'page',
      label: ['生成月度评分表', 'Scoring sheet'],
      element: 'btn_score',
      input: {
        sheetMonth: text(['月份', 'Month'], {
          required: true,
          max: 7,
          placeholder: ['2026-11', '2026-11'],
          help: [
            '为当月有管辖且尚无考核的管家各建一行，自动项已填好',
            'A row for each butler with houses in the month who has none yet, automatic items filled in',
          ],
        }),
      },
      message: ['已生成 {butlers} 名管家的考核', 'Rows of {butlers} butlers were made'],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_score', from: ['scored'] },
    confirm: {
      on: 'rowAndBulk',
      label: ['确认', 'Confirm'],
      element: 'btn_confirmScore',
      from: ['scored'],
      to: 'confirmed',
      confirm: ['确认后不能再修改。', 'A confirmed score is not changed any more.'],
    },
  },
});

export interface ButlerAppraisal extends Row<typeof butlerAppraisal> {}

/** How results are attributed. */
export const butlerAttribution = defineSettings({
  name: 'butlerAttribution',
  menu: MENU,
  title: ['归因设置', 'Attribution'],
  purpose: [
    '改动对之后结算的支付起作用，已归属的业绩不变',
    'Changes count for payments worked out afterwards, results that stand do not move',
  ],
  fields: {
    butler_attribution_hours: integer(['分享归因时长', 'Window of a share'], {
      required: true,
      min: 1,
      max: 720,
      unit: ['小时', 'hours'],
    }),
    butler_served_share_bp: integer(['服务业绩激励比例', 'Part of served results'], {
      required: true,
      min: 0,
      max: 10_000,
      unit: BP,
    }),
    butler_self_purchase: boolean(['管家本人购买计入业绩', 'Own purchases count']),
  },
  keys: {
    butler_attribution_hours: 'butler.attribution_hours',
    butler_served_share_bp: 'butler.served_share_bp',
    butler_self_purchase: 'butler.self_purchase',
  },
  sections: [
    {
      title: ['归因', 'Attribution'],
      fields: ['butler_attribution_hours', 'butler_served_share_bp', 'butler_self_purchase'],
    },
  ],
});
