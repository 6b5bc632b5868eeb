import {
  choice,
  code,
  image,
  instant,
  integer,
  lines,
  longText,
  percent,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { NOTED_FIELDS } from '../decor-package/decor-package.contract.ts';

const seen = { readOnly: true } as const;

/** The two reviews of a package, one after the other. */
export const LEVELS = {
  '1': { label: ['初审', 'First review'], tone: 'processing' },
  '2': { label: ['复审', 'Second review'], tone: 'warning' },
} as const;

/** What is asked for. */
export const REVIEW_KINDS = {
  publish: { label: ['新发布', 'New'] },
  change: { label: ['修改', 'Change'] },
} as const;

const notes = lines(
  ['字段意见', 'Notes at fields'],
  {
    field: choice(['字段', 'Field'], NOTED_FIELDS, { required: true }),
    note: text(['意见', 'Note'], { required: true, max: 200 }),
  },
  { max: 16, help: ['商户编辑时在对应字段旁显示', 'Shown at the fields when the merchant edits'] },
);

/** One application of a merchant for a package: new or changed, decided by two people one after the other. */
export const decorReview = defineResource({
  name: 'decorReview',
  menu: 'mj_mercureCommodityApprove',
  title: ['美居审核', 'Package review'],
  noun: ['套餐审核', 'Review'],
  purpose: [
    '初审由城市中心进行，复审由平台另一人进行；提交、编辑过的人不能审核自己的内容',
    'The centre city reviews first, somebody else of the platform second; nobody decides about what they wrote or sent in',
  ],
  titleField: 'name',
  fields: {
    code: code(['编号', 'Code'], { ...seen, keyword: true, width: 168 }),
    name: text(['名称', 'Name'], { ...seen, keyword: true, width: 200 }),
    image: image(['图片', 'Image'], { ...seen, width: 76 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 150 }),
    projects: refs('project', ['项目', 'Projects'], { ...seen, width: 180 }),
    kind: choice(['申请类型', 'Application'], REVIEW_KINDS, { ...seen, search: 'in', width: 90 }),
    priceLow: percent(['价格变动', 'Price change'], { ...seen, width: 150 }),
    priceHigh: percent(['最大变动', 'Highest change'], { ...seen, width: 110 }),
    applicant: ref('staff', ['申请人', 'Applicant'], { ...seen, width: 100 }),
    appliedAt: instant(['提交时间', 'Submitted'], { ...seen, sortable: true, search: 'range', width: 150 }),
    waited: integer(['等待时长', 'Waited'], { ...seen, width: 100, unit: ['分钟', 'min'] }),
    level: choice(['节点', 'Node'], LEVELS, { ...seen, search: 'in', width: 90 }),
    firstBy: ref('staff', ['初审人', 'First reviewer'], { ...seen, width: 100 }),
    firstAt: instant(['初审时间', 'First review'], { ...seen, width: 150 }),
    reviewer: ref('staff', ['审核人', 'Reviewer'], { ...seen, width: 100 }),
    reviewedAt: instant(['审核时间', 'Reviewed'], { ...seen, width: 150 }),
    reason: text(['驳回原因', 'Reason'], { ...seen, width: 180 }),
  },
  states: {
    waiting: { label: ['待审核', 'Waiting'], tone: 'warning', code: 2 },
    passed: { label: ['已通过', 'Passed'], tone: 'success', code: 3 },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error', code: 4 },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'default' },
  },
  list: {
    columns: [
      'name',
      'image',
      'kind',
      'state',
      'level',
      'priceLow',
      'merchant',
      'projects',
      'waited',
      'applicant',
      'appliedAt',
      'firstBy',
      'reviewer',
      'reviewedAt',
      'code',
      'reason',
      'priceHigh',
    ],
    hidden: ['reason', 'reviewedAt', 'priceHigh'],
    filters: ['state', 'level', 'kind', 'merchant', 'appliedAt'],
    sort: 'appliedAt',
    link: 'name',
    tabs: [
      { key: 'mine', label: ['待我审核', 'Waiting for me'], named: true },
      { key: 'decided', label: ['已处理', 'Decided'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    export: [
      'code',
      'name',
      'kind',
      'state',
      'level',
      'priceLow',
      'priceHigh',
      'merchant',
      'applicant',
      'appliedAt',
      'waited',
      'firstBy',
      'firstAt',
      'reviewer',
      'reviewedAt',
      'reason',
    ],
    empty: ['没有等待审核的套餐', 'No packages wait for review'],
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
          'projects',
          'level',
          'applicant',
          'appliedAt',
          'waited',
          'firstBy',
          'firstAt',
          'reviewer',
          'reviewedAt',
          'reason',
        ],
      },
    ],
  },
  actions: {
    pass: {
      on: 'row',
      label: ['通过', 'Pass'],
      element: 'btn_pass',
      from: ['waiting'],
      to: ['waiting', 'passed'],
      tone: 'primary',
      confirm: [
        '通过「{name}」的{level}？复审通过后新版本立即生效。',
        'Pass “{name}” ({level})? The second pass puts the new version on sale at once',
      ],
    },
    reject: {
      on: 'row',
      label: ['驳回', 'Reject'],
      element: 'btn_reject',
      from: ['waiting'],
      to: 'rejected',
      tone: 'danger',
      confirm: [
        '驳回「{name}」？已发布套餐的修改被驳回后，在售版本不变。',
        'Reject “{name}”? A package on sale stays as it is',
      ],
      input: { reason: longText(['驳回原因', 'Reason'], { required: true, min: 5, max: 200 }), notes },
    },
    return: {
      on: 'row',
      label: ['退回初审', 'Return to the first review'],
      element: 'btn_return',
      from: ['waiting'],
      to: 'waiting',
      confirm: ['将「{name}」退回初审？', 'Return “{name}” to the first review?'],
      input: { reason: longText(['退回原因', 'Why'], { required: true, min: 5, max: 200 }) },
    },
  },
});

export interface DecorReview extends Row<typeof decorReview> {}

/** A check the reviewer sees beside the content. */
export interface ReviewCheck {
  readonly key: string;
  readonly ok: boolean;
  readonly label: readonly [string, string];
  readonly note: string;
}

/** One field of both versions in words; `changed` where they differ. */
export interface ComparedField {
  readonly field: string;
  readonly label: readonly [string, string];
  readonly live: readonly [string, string] | null;
  readonly proposed: readonly [string, string];
  readonly changed: boolean;
}

/** Prices of both versions for a house type. */
export interface ComparedPrice {
  readonly title: string;
  readonly live: string | null;
  readonly proposed: string | null;
  readonly percent: string | null;
  readonly margin: string | null;
}
