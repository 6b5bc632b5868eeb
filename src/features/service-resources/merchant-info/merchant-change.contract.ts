import { choice, code, images, instant, longText, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const seen = { readOnly: true } as const;

/** Sets of fields a merchant asks to have changed. */
export const CHANGE_KINDS = {
  licence: { label: ['执照信息', 'Licence data'] },
  legal: { label: ['法人', 'Legal person'] },
  contact: { label: ['协议联系人', 'Agreement contact'] },
  certificate: { label: ['资质更新', 'Certificate'] },
  payee: { label: ['收款账户', 'Payee account'] },
} as const;

/** A request of a merchant to have its own data changed, decided by the platform. */
export const merchantChange = defineResource({
  name: 'merchantChange',
  menu: 'mm_merchantInfo',
  title: ['变更申请', 'Change requests'],
  noun: ['变更申请', 'Change request'],
  titleField: 'code',
  sensitive: true,
  fields: {
    code: code(['编号', 'No.'], { ...seen, keyword: true, width: 166 }),
    merchant: ref('merchant', ['商户', 'Merchant'], { ...seen, search: 'in', width: 140 }),
    kind: choice(['变更内容', 'About'], CHANGE_KINDS, { ...seen, search: 'in', width: 110 }),
    before: text(['变更前', 'Before'], { ...seen, width: 180 }),
    after: text(['变更后', 'After'], { ...seen, width: 180 }),
    pictures: images(['证件图片', 'Pictures'], { ...seen, max: 5 }),
    reason: longText(['原因', 'Reason'], { ...seen, width: 150 }),
    proposer: ref('staff', ['申请人', 'Asked by'], { ...seen, width: 90 }),
    createdAt: instant(['申请时间', 'Asked'], { ...seen, sortable: true, search: 'range', width: 120 }),
    decidedAt: instant(['审核时间', 'Decided'], { ...seen, width: 120 }),
    opinion: longText(['审核意见', 'Opinion'], { ...seen, width: 150 }),
  },
  states: {
    in_review: { label: ['待审核', 'In review'], tone: 'processing' },
    approved: { label: ['已通过', 'Approved'], tone: 'success' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  },
  list: {
    columns: [
      'code',
      'merchant',
      'kind',
      'before',
      'after',
      'state',
      'reason',
      'proposer',
      'createdAt',
      'decidedAt',
      'opinion',
    ],
    filters: ['kind', 'state', 'merchant', 'createdAt'],
    sort: '-createdAt',
    link: 'code',
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['变更', 'Change'],
        fields: [
          'code',
          'merchant',
          'kind',
          'before',
          'after',
          'pictures',
          'reason',
          'proposer',
          'createdAt',
        ],
      },
      { title: ['审核', 'Decision'], fields: ['state', 'decidedAt', 'opinion'] },
    ],
  },
  actions: {
    withdraw: {
      on: 'row',
      label: ['撤回', 'Withdraw'],
      element: 'btn_withdrawChange',
      from: ['in_review'],
      to: 'withdrawn',
      confirm: ['撤回变更申请 {code}？', 'Withdraw change request {code}?'],
    },
  },
});
