import {
  choice,
  images,
  instant,
  longText,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { ADVICE_TYPES } from '../../../domain/advice/advice.rules.ts';

/** What users of the apps tell about them. Never edited or deleted; handled, or made an advice once. */
export const feedback = defineResource({
  name: 'feedback',
  menu: 'cs_feedBack',
  title: ['意见反馈', 'App feedback'],
  noun: ['意见反馈', 'Feedback'],
  purpose: [
    'App 用户提交的反馈；原文不可修改或删除，可处理或转为投诉建议',
    'What users of the apps wrote; kept as it is, handled or made an advice',
  ],
  titleField: 'content',
  sensitive: true,
  fields: {
    name: personName(['用户', 'User'], { readOnly: true, width: 90 }),
    phone: phone(['手机号', 'Phone'], { readOnly: true, search: 'equals', width: 130 }),
    content: longText(['内容', 'Content'], { readOnly: true, keyword: true, max: 1000, width: 300 }),
    images: images(['图片', 'Pictures'], { readOnly: true, width: 110 }),
    source: choice(
      ['来源', 'Source'],
      {
        ios_owner: { label: ['iOS业主端', 'iOS owner app'], code: 1 },
        ios_staff: { label: ['iOS员工端', 'iOS staff app'], code: 2 },
        android_owner: { label: ['安卓业主端', 'Android owner app'], code: 3 },
        android_staff: { label: ['安卓员工端', 'Android staff app'], code: 4 },
      },
      { readOnly: true, search: 'in', width: 110 },
    ),
    appVersion: text(['App 版本', 'App version'], { readOnly: true, width: 90 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 150 }),
    createdAt: instant(['反馈时间', 'Time'], { readOnly: true, search: 'range', sortable: true, width: 150 }),
    note: text(['处理说明', 'Note'], { readOnly: true, max: 500, width: 200 }),
    handledBy: ref('staff', ['处理人', 'Handled by'], { readOnly: true, width: 100 }),
    handledAt: instant(['处理时间', 'Handled at'], { readOnly: true, width: 150 }),
    advice: text(['投诉建议', 'Advice'], { readOnly: true, width: 160 }),
  },
  states: {
    open: { label: ['未处理', 'Not handled'], tone: 'warning' },
    handled: { label: ['已处理', 'Handled'], tone: 'success' },
  },
  list: {
    columns: [
      'name',
      'phone',
      'content',
      'images',
      'source',
      'appVersion',
      'project',
      'createdAt',
      'state',
      'advice',
      'note',
      'handledBy',
      'handledAt',
    ],
    hidden: ['note', 'handledAt'],
    filters: ['state', 'project', 'source', 'createdAt', 'phone'],
    sort: '-createdAt',
    link: 'content',
    tabs: [{ key: 'open', label: ['未处理', 'Not handled'], filter: { state: 'open' } }],
    export: [
      'name',
      'phone',
      'content',
      'source',
      'appVersion',
      'project',
      'createdAt',
      'state',
      'note',
      'handledBy',
      'handledAt',
      'advice',
    ],
    empty: ['还没有意见反馈', 'Nobody has written yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['反馈', 'Feedback'],
        fields: ['name', 'phone', 'project', 'source', 'appVersion', 'createdAt', 'content', 'images'],
      },
      { title: ['处理', 'Handling'], fields: ['state', 'note', 'handledBy', 'handledAt', 'advice'] },
    ],
  },
  actions: {
    handle: {
      on: 'row',
      label: ['处理', 'Handle'],
      element: 'btn_handle',
      remark: 'note',
      from: ['open'],
      to: 'handled',
      tone: 'primary',
      input: { note: longText(['处理说明', 'Note'], { required: true, max: 500 }) },
    },
    toAdvice: {
      on: 'row',
      label: ['转投诉建议', 'Make an advice'],
      element: 'btn_toAdvice',
      from: ['open', 'handled'],
      to: 'handled',
      input: {
        type: choice(['类型', 'Type'], ADVICE_TYPES, { required: true, initial: 'suggestion' }),
      },
      message: ['已生成 {code}', '{code} was made'],
    },
  },
});

export interface Feedback extends Row<typeof feedback> {}
