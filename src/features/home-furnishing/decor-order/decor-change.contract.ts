import {
  code,
  images,
  instant,
  integer,
  lines,
  longText,
  money,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const seen = { readOnly: true } as const;

/** What a change adds or takes away; a negative amount lowers the price. */
export const changeLines = lines(
  ['变更项目', 'What changes'],
  {
    name: text(['项目', 'Item'], { required: true, max: 60 }),
    amount: money(['金额', 'Amount'], { required: true, min: -99_999_999_99, max: 99_999_999_99 }),
  },
  { required: true, min: 1, max: 20 },
);

/** A change of a running order: it counts once the customer confirmed it. */
export const decorChange = defineResource({
  name: 'decorChange',
  menu: 'mj_mercureCommodityOrder',
  title: ['变更单', 'Changes'],
  noun: ['变更单', 'Change'],
  titleField: 'code',
  prefix: 'DG',
  stamps: true,
  fields: {
    code: code(['编号', 'Code'], { ...seen, width: 170 }),
    order: ref('decorOrder', ['美居订单', 'Decor order'], { ...seen, search: 'in', width: 170 }),
    title: text(['内容', 'What changes'], { ...seen, width: 200 }),
    amount: money(['金额', 'Amount'], { ...seen, width: 120 }),
    days: integer(['工期增减', 'Days'], { ...seen, unit: ['天', 'days'], width: 100 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 200 }),
    proofs: images(['客户确认凭证', 'Proof of the confirmation'], { ...seen }),
    refund: money(['应退', 'To pay back'], { ...seen, width: 110 }),
    refuseReason: text(['拒绝原因', 'Why refused'], { ...seen, width: 160 }),
    confirmedAt: instant(['生效时间', 'In force since'], { ...seen, width: 150 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    to_confirm: { label: ['待客户确认', 'For the customer'], tone: 'warning' },
    confirmed: { label: ['已生效', 'In force'], tone: 'success' },
    refused: { label: ['已拒绝', 'Refused'], tone: 'error' },
    void: { label: ['已作废', 'Void'], tone: 'paused' },
  },
  list: {
    columns: [
      'code',
      'title',
      'amount',
      'days',
      'state',
      'reason',
      'refund',
      'refuseReason',
      'confirmedAt',
      'order',
      'createdAt',
    ],
    filters: ['order', 'state'],
    sort: '-createdAt',
    export: true,
    empty: ['没有变更', 'Nothing was changed'],
  },
  actions: {
    send: {
      on: 'row',
      label: ['提交客户确认', 'Ask the customer'],
      element: 'btn_change',
      tone: 'primary',
      from: ['draft'],
      to: 'to_confirm',
    },
    confirm: {
      on: 'row',
      label: ['客户已确认', 'Customer confirmed'],
      element: 'btn_change',
      tone: 'primary',
      from: ['to_confirm'],
      to: 'confirmed',
      input: {
        proofs: images(['客户确认凭证', 'Proof of the confirmation'], { required: true, min: 1, max: 9 }),
      },
      message: ['{said}', '{saidEn}'],
    },
    refuse: {
      on: 'row',
      label: ['客户拒绝', 'Customer refused'],
      element: 'btn_change',
      remark: 'reason',
      from: ['to_confirm'],
      to: 'refused',
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    void: {
      on: 'row',
      label: ['作废', 'Void'],
      element: 'btn_change',
      tone: 'danger',
      from: ['draft', 'to_confirm'],
      to: 'void',
      confirm: ['作废变更单「{code}」？', 'Void the change “{code}”?'],
    },
  },
});
