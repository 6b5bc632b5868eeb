import {
  choice,
  instant,
  integer,
  longText,
  money,
  percent,
  date,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, viewOf, type Resource } from '../../../kernel/contract/resource.ts';
import { coupon, couponUsage } from './coupon.contract.ts';

/** The menu of coupons of both issuers, in marketing. */
export const ISSUED_MENU = 'mk_coupon';

/** Held by whoever answers for a merchant. */
export const CONSENT_ELEMENT = `${ISSUED_MENU}:btn_consent`;

const seen = { readOnly: true } as const;

/** What members hold of a coupon, as marketing reads it. */
export const issuedUsage = viewOf(couponUsage, {
  name: 'issuedCouponUsage',
  menu: ISSUED_MENU,
  title: ['领用明细', 'Claims and uses'],
  noun: ['领用记录', 'Claim'],
  fixed: {},
});

/** Every issue of further pieces of a coupon. */
export const couponBatch = defineResource({
  name: 'couponBatch',
  menu: ISSUED_MENU,
  title: ['发行批次', 'Batches'],
  noun: ['批次', 'Batch'],
  fields: {
    coupon: ref('coupon', ['优惠券', 'Coupon'], { ...seen, search: 'in', width: 180 }),
    qty: integer(['数量', 'Pieces'], { ...seen, width: 100 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 240 }),
    madeAt: instant(['时间', 'At'], { ...seen, sortable: true, width: 150 }),
    madeBy: text(['发行人', 'By'], { ...seen, width: 110 }),
  },
  list: {
    columns: ['qty', 'reason', 'madeBy', 'madeAt', 'coupon'],
    filters: ['coupon'],
    sort: '-madeAt',
    export: true,
    empty: ['尚未发行', 'Nothing was issued yet'],
  },
});

/** A merchant asked to bear a part of a platform coupon. */
export const couponConsent = defineResource({
  name: 'couponConsent',
  menu: ISSUED_MENU,
  title: ['商户承担确认', 'Merchants’ consent'],
  noun: ['承担确认', 'Consent'],
  titleField: 'merchant',
  fields: {
    coupon: ref('coupon', ['优惠券', 'Coupon'], { ...seen, search: 'in', width: 190 }),
    value: text(['面值', 'Value'], { ...seen, width: 150 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 150 }),
    bears: percent(['商户承担', 'Merchant bears'], { ...seen, unit: ['%', '%'], width: 100 }),
    endsAt: instant(['券结束时间', 'Coupon ends'], { ...seen, width: 150 }),
    reason: text(['不同意原因', 'Why not'], { ...seen, width: 200 }),
    answeredAt: instant(['答复时间', 'Answered'], { ...seen, sortable: true, width: 150 }),
    answerer: text(['答复人', 'By'], { ...seen, width: 110 }),
    askedAt: instant(['征询时间', 'Asked'], { ...seen, sortable: true, width: 150 }),
  },
  states: {
    waiting: { label: ['待确认', 'Waiting'], tone: 'warning' },
    yes: { label: ['已同意', 'Agreed'], tone: 'success' },
    no: { label: ['不同意', 'Declined'], tone: 'error' },
  },
  list: {
    columns: [
      'coupon',
      'value',
      'merchant',
      'bears',
      'state',
      'endsAt',
      'answerer',
      'answeredAt',
      'reason',
      'askedAt',
    ],
    filters: ['coupon', 'merchant', 'state'],
    sort: '-askedAt',
    export: true,
    empty: ['没有征询商户', 'No merchant was asked'],
  },
  actions: {
    agree: {
      on: 'row',
      label: ['同意承担', 'Agree'],
      element: 'btn_consent',
      tone: 'primary',
      from: ['waiting', 'no'],
      to: 'yes',
      confirm: [
        '同意承担「{coupon}」优惠金额的 {bears}%？同意后本商户商品可用此券',
        'Bear {bears} % of “{coupon}”? Your goods are covered from then on',
      ],
    },
    decline: {
      on: 'row',
      label: ['不同意', 'Decline'],
      element: 'btn_consent',
      from: ['waiting'],
      to: 'no',
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  },
});

/** What marketing shows and asks beside the mall's list of coupons. */
const more = {
  role: text(['发行方编号', 'Issuer code'], seen),
  bearerPercent: integer(['平台承担比例', 'Borne by the platform'], {
    min: 0,
    max: 100,
    initial: 100,
    unit: ['%', '%'],
    width: 110,
    help: [
      '仅平台券；低于 100% 时逐个征询商户，未同意商户的商品不可用此券',
      'Platform coupons only; below 100 % each merchant is asked, and goods of those who did not agree are left out',
    ],
  }),
  excluded: refs('product', ['排除商品', 'Left out'], { max: 200 }),
  period: date(['有效期', 'Period'], { ...seen, search: 'range' }),
  refunded: integer(['已退款', 'Refunded'], { ...seen, width: 90 }),
  expired: integer(['已过期', 'Expired'], { ...seen, width: 90 }),
  claimRate: percent(['领取率', 'Claim rate'], { ...seen, unit: ['%', '%'], width: 90 }),
  cost: money(['优惠成本', 'Cost'], {
    ...seen,
    width: 110,
    help: ['已支付与待支付订单的优惠，扣除退款', 'Discounts of orders paid or to be paid, less refunds'],
  }),
  platformCost: money(['平台承担', 'Platform bears'], { ...seen, width: 110 }),
  codesMade: integer(['已生成兑换码', 'Codes made'], {
    ...seen,
    help: ['领取方式为兑换码时，每张券一个', 'One for each piece where it is claimed by code'],
  }),
  worst: money(['最坏情况', 'Worst case'], {
    ...seen,
    help: [
      '总量 × 面值（或最高优惠）；有预算时以预算为限',
      'Total × face or greatest discount, within the budget',
    ],
  }),
} as const;

const { offReason, reviewState, issuer, merchant, ...basics } = coupon.fields;
const full = {
  ...coupon,
  fields: {
    ...basics,
    issuer: choice(
      issuer.label,
      { platform: { label: ['平台', 'Platform'] }, merchant: { label: ['商户', 'Merchant'] } },
      { required: true, createOnly: true, initial: 'platform', search: 'in', width: 90 },
    ),
    merchant: {
      ...merchant,
      help: ['商户券必填，平台券留空', 'Needed for a merchant coupon, empty for one of the platform'],
    },
    reviewState,
    offReason,
    ...more,
  },
  actions: {
    ...coupon.actions!,
    update: { ...coupon.actions!.update!, from: ['draft'] },
    submit: {
      on: 'row',
      label: ['提交审批', 'Submit'],
      element: 'btn_submit',
      tone: 'primary',
      from: ['draft'],
      confirm: ['提交「{name}」审批？通过后自动发布', 'Submit “{name}”? It is published when approved'],
    },
    raise: {
      on: 'row',
      label: ['追加发行', 'Issue more'],
      element: 'btn_batch',
      from: ['published', 'in_use'],
      input: {
        qty: integer(['追加数量', 'Pieces more'], { required: true, min: 1, max: 1_000_000 }),
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    codes: {
      on: 'row',
      label: ['生成兑换码', 'Make codes'],
      element: 'btn_batch',
      from: ['published', 'in_use'],
      untouched: true,
      confirm: [
        '为「{name}」尚无兑换码的券各生成一个？兑换码只写入这次的文件，系统不保存原文，请妥善保管',
        'Make a code for each piece of “{name}” that has none? They stand in the file of this time alone, the product keeps hashes',
      ],
      message: ['正在生成，完成后在下载中心下载', 'They are being made; find the file in the downloads'],
    },
    takeDown: { ...coupon.actions!.takeDown!, element: 'btn_takedown' },
    expire: { ...coupon.actions!.expire!, element: 'btn_takedown' },
  },
} as Resource;

/** Coupons of the platform and of merchants: issue, cost, consent and use. */
export const issuedCoupon = viewOf(full, {
  name: 'issuedCoupon',
  menu: ISSUED_MENU,
  title: ['优惠券', 'Coupons'],
  noun: ['优惠券', 'Coupon'],
  purpose: [
    '平台券与商户券的发行、承担、领取与核销：平台承担低于 100% 时须商户同意',
    'Issue, cost, claims and uses of platform and merchant coupons; merchants agree where they bear a part',
  ],
  fixed: {},
  modes: {
    add: 'mk_couponDetail/add/0/1',
    edit: 'mk_couponDetail/edit/:id/:role',
    detail: 'mk_couponDetail/view/:id/:role',
  },
  elements: { btn_usage: ['领用明细', 'Claims and uses'] },
  form: {
    as: 'page',
    sections: [
      { title: ['基础', 'Basics'], fields: ['issuer', 'merchant', 'name', 'type', 'cover'] },
      {
        title: ['优惠', 'Value'],
        fields: ['face', 'rate', 'maxDiscount', 'threshold', 'noThreshold'],
      },
      {
        title: ['适用', 'Covers'],
        fields: ['projects', 'classes', 'products', 'excluded', 'scope'],
      },
      {
        title: ['发放与有效期', 'Issue and validity'],
        fields: [
          'total',
          'perLimit',
          'claimWay',
          'claimFrom',
          'claimTo',
          'validKind',
          'startsAt',
          'endsAt',
          'validDays',
        ],
      },
      {
        title: ['成本与退款', 'Cost and refunds'],
        fields: ['bearerPercent', 'budget', 'returnable', 'refundRule'],
      },
    ],
  },
  list: {
    columns: [
      'name',
      'issuer',
      'value',
      'state',
      'total',
      'claimed',
      'used',
      'claimRate',
      'useRate',
      'cost',
      'startsAt',
      'endsAt',
      'merchant',
      'projects',
      'type',
      'threshold',
      'scope',
      'claimWay',
      'refunded',
      'expired',
      'budgetUsed',
      'reviewState',
      'bearerPercent',
      'code',
      'createdAt',
    ],
    hidden: [
      'refunded',
      'expired',
      'bearerPercent',
      'code',
      'createdAt',
      'budgetUsed',
      'reviewState',
      'claimWay',
      'threshold',
      'scope',
    ],
    filters: ['issuer', 'merchant', 'type', 'state', 'projects', 'claimWay', 'period'],
    tabs: [
      { key: 'all', label: ['全部', 'All'], named: true },
      { key: 'platform', label: ['平台券', 'Platform'], named: true },
      { key: 'merchant', label: ['商户券', 'Merchants'], named: true },
      { key: 'review', label: ['待审核', 'To review'], named: true },
    ],
    export: [
      'code',
      'name',
      'issuer',
      'merchant',
      'type',
      'value',
      'total',
      'claimed',
      'used',
      'refunded',
      'expired',
      'claimRate',
      'useRate',
      'cost',
      'budget',
      'budgetUsed',
      'startsAt',
      'endsAt',
      'state',
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['基础', 'Basics'],
        fields: ['code', 'type', 'value', 'issuer', 'merchant', 'cover', 'reviewState', 'offReason'],
      },
      {
        title: ['适用', 'Covers'],
        fields: ['projects', 'scope', 'classes', 'products', 'excluded', 'threshold'],
      },
      {
        title: ['发放与有效期', 'Issue and validity'],
        fields: [
          'total',
          'perLimit',
          'claimWay',
          'codesMade',
          'claimFrom',
          'claimTo',
          'validKind',
          'validDays',
          'startsAt',
          'endsAt',
        ],
      },
      {
        title: ['成本', 'Cost'],
        fields: [
          'bearerPercent',
          'cost',
          'platformCost',
          'budget',
          'budgetUsed',
          'worst',
          'returnable',
          'refundRule',
        ],
      },
    ],
    parts: [
      part({ key: 'usage', title: ['领用明细', 'Claims and uses'], resource: issuedUsage, by: 'coupon' }),
      part({ key: 'batches', title: ['发行批次', 'Batches'], resource: couponBatch, by: 'coupon' }),
      part({
        key: 'consents',
        title: ['商户确认', 'Merchants’ consent'],
        resource: couponConsent,
        by: 'coupon',
      }),
    ],
  },
});

/** How many goods and merchants the scope of a form covers, and the most the coupon can cost in fen. */
export interface CouponReach {
  readonly products: number;
  readonly merchants: number;
}
