import { choice, instant, ref, tags } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { ASSIGNED_BUSINESS, PAYEE_CHANNELS, PAYEE_LEVELS } from '../../../domain/payee/payee.rules.ts';

/** One rule that lets an account take payments: for an object, a business and a time. */
export const payeeAssignment = defineResource({
  name: 'payeeAssignment',
  menu: 'pm_account',
  title: ['适用范围', 'Assignments'],
  noun: ['适用范围', 'Assignment'],
  titleField: 'object',
  stamps: true,
  fields: {
    level: choice(['层级', 'Level'], PAYEE_LEVELS, { readOnly: true, search: 'in', width: 100 }),
    object: ref('payeeObject', ['对象', 'Object'], { required: true, createOnly: true, width: 200 }),
    businessType: choice(['业务', 'Business'], ASSIGNED_BUSINESS, {
      readOnly: true,
      search: 'in',
      width: 100,
    }),
    businesses: tags(['业务', 'Business types'], {
      required: true,
      createOnly: true,
      max: 9,
      help: ['可选多项，或选「全部」', 'Several, or all of them'],
    }),
    channel: choice(['渠道', 'Channel'], PAYEE_CHANNELS, { readOnly: true, search: 'in', width: 90 }),
    account: ref('payeeAccount', ['账户', 'Account'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 180,
    }),
    effectiveFrom: instant(['生效', 'From'], {
      required: true,
      createOnly: true,
      sortable: true,
      search: 'range',
      width: 150,
    }),
    effectiveTo: instant(['失效', 'To'], { sortable: true, search: 'range', width: 150 }),
  },
  states: {
    in_review: { label: ['待审批', 'In review'], tone: 'processing' },
    active: { label: ['有效', 'Valid'], tone: 'success' },
    rejected: { label: ['已驳回', 'Rejected'], tone: 'error' },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  },
  list: {
    columns: [
      'level',
      'object',
      'businessType',
      'channel',
      'account',
      'effectiveFrom',
      'effectiveTo',
      'state',
    ],
    hidden: ['updatedAt', 'updater'],
    filters: ['level', 'businessType', 'channel', 'account', 'state'],
    sort: '-effectiveFrom',
    link: 'object',
    export: true,
  },
  form: {
    sections: [
      {
        title: ['适用范围', 'Assignment'],
        fields: ['object', 'businesses', 'account', 'effectiveFrom', 'effectiveTo'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['适用范围', 'Assignment'],
        fields: [
          'level',
          'object',
          'businessType',
          'channel',
          'account',
          'effectiveFrom',
          'effectiveTo',
          'state',
          'creator',
          'createdAt',
          'updater',
          'updatedAt',
        ],
      },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_assign',
      to: ['active', 'in_review'],
    },
    end: {
      on: 'row',
      label: ['设置失效时间', 'Set the end'],
      element: 'btn_assign',
      from: ['active'],
      input: { effectiveTo: instant(['失效', 'To'], { required: true }) },
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_assign',
      tone: 'danger',
      confirm: ['删除「{object}」的适用范围？', 'Delete the assignment of "{object}"?'],
    },
  },
});
