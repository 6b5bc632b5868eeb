import {
  boolean,
  choice,
  code,
  image,
  instant,
  integer,
  json,
  longText,
  money,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { productStates, reviewKinds, reviewStates } from '../product/product.contract.ts';

const { draft: _draft, ...reviewedStates } = productStates;

const SPEC = {
  name: 'productReview',
  menu: 'mm_commodityApprove',
  title: ['商品审核', 'Goods review'],
  noun: ['商品审核', 'Review'],
  titleField: 'name',
  purpose: [
    '审核商户提交的新商品与在售商品的修改；先提交的在前，提交、编辑过的人不能审核自己的内容',
    'Decide about new goods and changes of goods on sale, the oldest first; nobody decides about what they wrote or sent in',
  ],
  fields: {
    image: image(['图片', 'Image'], { readOnly: true, width: 72 }),
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 168 }),
    name: text(['名称', 'Name'], { readOnly: true, keyword: true, width: 180 }),
    kind: choice(['申请类型', 'Application'], reviewKinds, { readOnly: true, search: 'in', width: 90 }),
    changes: json(['修改内容', 'What changes'], { readOnly: true, width: 230 }),
    productState: choice(['商品状态', 'Goods state'], reviewedStates, {
      readOnly: true,
      search: 'in',
      width: 100,
    }),
    business: ref('business', ['业务', 'Business'], { readOnly: true, width: 120 }),
    classes: refs('productClass', ['分类', 'Class'], { readOnly: true, search: 'in', width: 140 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { readOnly: true, search: 'in', width: 150 }),
    projects: refs('project', ['项目', 'Projects'], { readOnly: true, search: 'in', width: 160 }),
    price: money(['价格', 'Price'], { readOnly: true, width: 120 }),
    priceMax: money(['最高价', 'Highest price'], { readOnly: true, width: 120 }),
    stock: integer(['库存', 'Stock'], { readOnly: true, width: 90 }),
    sold: integer(['销量', 'Sold'], { readOnly: true, width: 90 }),
    applicant: ref('staff', ['申请人', 'Applicant'], { readOnly: true, width: 100 }),
    appliedAt: instant(['申请时间', 'Applied'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 150,
    }),
    waited: integer(['等待时长', 'Waited'], {
      readOnly: true,
      width: 110,
      unit: ['分钟', 'min'],
      help: [
        '待审核的从申请到现在，已审核的从申请到审核',
        'From the application until now, or until it was decided',
      ],
    }),
    publishedAt: instant(['发布时间', 'Published at'], { readOnly: true, width: 150 }),
    reviewer: ref('staff', ['审核人', 'Reviewer'], { readOnly: true, width: 100 }),
    reviewedAt: instant(['审核时间', 'Reviewed'], { readOnly: true, width: 150 }),
    reason: text(['驳回原因', 'Reason'], { readOnly: true, width: 180 }),
    automatic: boolean(['自动通过', 'Passed by itself'], { readOnly: true, width: 100 }),
    trusted: boolean(['可信商户', 'Trusted merchant'], {
      readOnly: true,
      width: 100,
      help: [
        '开启自动通过后，可信商户只改价且幅度在设定内时自动通过',
        'While passing by itself is switched on, small price changes of trusted merchants pass by themselves',
      ],
    }),
  },
  states: {
    waiting: { ...reviewStates.waiting, code: 2 },
    passed: { ...reviewStates.passed, code: 3 },
    rejected: { ...reviewStates.rejected, code: 4 },
    withdrawn: reviewStates.withdrawn,
  },
  list: {
    columns: [
      'name',
      'image',
      'kind',
      'changes',
      'waited',
      'merchant',
      'price',
      'state',
      'classes',
      'business',
      'projects',
      'stock',
      'sold',
      'code',
      'productState',
      'applicant',
      'appliedAt',
      'publishedAt',
      'reviewer',
      'reviewedAt',
      'reason',
      'trusted',
      'automatic',
      'priceMax',
    ],
    hidden: ['sold', 'publishedAt', 'trusted', 'automatic', 'reason', 'priceMax'],
    filters: ['state', 'productState', 'kind', 'merchant', 'projects', 'classes', 'appliedAt'],
    sort: 'appliedAt',
    link: 'name',
    tabs: [
      { key: 'waiting', label: ['待审核', 'Waiting'], named: true },
      { key: 'decided', label: ['已审核', 'Decided'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    export: [
      'code',
      'name',
      'kind',
      'changes',
      'state',
      'productState',
      'merchant',
      'business',
      'classes',
      'projects',
      'price',
      'priceMax',
      'stock',
      'sold',
      'applicant',
      'appliedAt',
      'waited',
      'reviewer',
      'reviewedAt',
      'reason',
    ],
    empty: ['没有等待审核的商品', 'No goods wait for review'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['申请', 'Application'],
        fields: [
          'code',
          'kind',
          'merchant',
          'trusted',
          'business',
          'classes',
          'projects',
          'productState',
          'price',
          'stock',
          'sold',
          'applicant',
          'appliedAt',
          'waited',
          'reviewer',
          'reviewedAt',
          'automatic',
          'reason',
        ],
      },
    ],
  },
  actions: {
    pass: {
      on: 'rowAndBulk',
      label: ['通过', 'Pass'],
      element: 'btn_pass',
      from: ['waiting'],
      to: 'passed',
      tone: 'primary',
      bulkMax: 50,
      confirm: [
        '通过「{name}」？新商品立即上架，修改立即生效。',
        'Pass “{name}”? New goods go on sale and changes take effect at once',
      ],
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_reject',
      from: ['waiting'],
      to: 'rejected',
      confirm: [
        '驳回「{name}」？在售商品的修改被驳回后，在售版本不变。',
        'Reject “{name}”? Goods on sale stay as they are',
      ],
      input: {
        reason: longText(['驳回原因', 'Reason'], { required: true, min: 5, max: 200 }),
      },
    },
    trust: {
      on: 'row',
      label: ['设为可信商户', 'Trust the merchant'],
      element: 'btn_trust',
      untouched: true,
      confirm: [
        '将「{merchant}」设为可信商户？开启自动通过后，其小幅调价不再等待审核。',
        'Trust “{merchant}”? While passing by itself is switched on, its small price changes wait for nobody',
      ],
    },
    distrust: {
      on: 'row',
      label: ['取消可信商户', 'Trust it no more'],
      element: 'btn_trust',
      untouched: true,
      confirm: ['取消「{merchant}」的可信商户？', 'Let every change of “{merchant}” wait for review again?'],
    },
  },
} as const;

/** One application of a merchant: a new product, or a change of one that is on sale, with who decided about it. */
export const productReview = defineResource(SPEC);

const { trust: _trust, distrust: _distrust, ...decisions } = SPEC.actions;
const withoutTrust = (names: readonly string[]) =>
  names.filter((name) => !['trusted', 'automatic', 'stock', 'sold'].includes(name));

/** The same of services: published ones change price, name, text and duration by review. */
export const serviceReview = defineResource({
  ...SPEC,
  name: 'serviceReview',
  menu: 'mm_reservationApprove',
  title: ['服务审核', 'Service review'],
  noun: ['服务审核', 'Review'],
  purpose: [
    '审核商户提交的新服务与在售服务的修改；先提交的在前，提交、编辑过的人不能审核自己的内容',
    'Decide about new services and changes of published ones, the oldest first; nobody decides about what they wrote or sent in',
  ],
  fields: {
    ...SPEC.fields,
    productState: choice(['服务状态', 'Service state'], reviewedStates, {
      readOnly: true,
      search: 'in',
      width: 100,
    }),
  },
  list: {
    ...SPEC.list,
    columns: withoutTrust(SPEC.list.columns),
    hidden: ['publishedAt', 'reason', 'priceMax'],
    export: withoutTrust(SPEC.list.export),
    empty: ['没有等待审核的服务', 'No services wait for review'],
  },
  detail: {
    ...SPEC.detail,
    sections: SPEC.detail.sections.map((section) => ({ ...section, fields: withoutTrust(section.fields) })),
  },
  actions: decisions,
});

export interface ProductReview extends Row<typeof productReview> {}
