import {
  boolean,
  code,
  images,
  integer,
  longText,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { ENTRY_STATES, entryActions } from './assistant-entry.ts';

/** A function point the assistant of the owners' app explains and leads to. */
export const assistantFunction = defineResource({
  name: 'assistantFunction',
  menu: 'cs_function',
  title: ['智能客服功能点', 'Assistant functions'],
  noun: ['功能点', 'Function'],
  purpose: [
    '智能客服首页展示的功能入口与说明；底部最多置顶 4 个，拖动调整顺序',
    'What the assistant of the owners’ app offers and explains; up to four at the bottom, drag to order them',
  ],
  titleField: 'code',
  stamps: true,
  copy: true,
  orderable: { field: 'viewSort' },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, search: 'contains', width: 96 }),
    functionPoint: ref('dict.function_point', ['功能点', 'Function point'], {
      required: true,
      search: 'in',
      width: 130,
    }),
    functionPointText: text(['功能点', 'Function point'], { readOnly: true }),
    content: longText(['内容', 'Content'], { required: true, max: 500, keyword: true, width: 260 }),
    images: images(['图片', 'Pictures'], {
      max: 3,
      width: 100,
    }),
    links: refs('jumpLink', ['跳转链接', 'Jump links'], { max: 5, width: 150 }),
    modules: refs('assistantModule', ['跳转模块', 'App modules'], { max: 5, width: 150 }),
    pinned: boolean(['底部置顶', 'At the bottom'], { readOnly: true, search: 'equals', width: 96 }),
    hits: integer(['近30天点击', 'Hits in 30 days'], { readOnly: true, width: 110 }),
    viewSort: integer(['排序', 'Order'], { readOnly: true, sortable: true, width: 76 }),
  },
  states: ENTRY_STATES,
  list: {
    columns: [
      'code',
      'functionPoint',
      'content',
      'state',
      'pinned',
      'hits',
      'viewSort',
      'links',
      'modules',
      'images',
      'creator',
      'createdAt',
      'updatedAt',
    ],
    hidden: ['images', 'modules', 'updatedAt'],
    filters: ['functionPoint', 'state', 'pinned', 'createdAt'],
    sort: 'viewSort',
    link: 'code',
    export: [
      'code',
      'functionPointText',
      'content',
      'state',
      'pinned',
      'hits',
      'viewSort',
      'links',
      'modules',
      'creator',
      'createdAt',
    ],
  },
  form: {
    width: 640,
    sections: [
      { title: ['功能点', 'Function point'], fields: ['functionPoint', 'content', 'images'] },
      { title: ['点击后打开', 'Where it leads'], fields: ['links', 'modules'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['功能点', 'Function point'],
        fields: ['code', 'functionPoint', 'content', 'images', 'links', 'modules'],
      },
      {
        title: ['展示', 'Shown'],
        fields: ['pinned', 'viewSort', 'hits', 'creator', 'createdAt', 'updater', 'updatedAt'],
      },
    ],
  },
  actions: {
    ...entryActions('code'),
    order: {
      on: 'row',
      label: ['排序', 'Order'],
      element: 'btn_sort',
      opens: 'drag',
      untouched: true,
      input: { before: text(['放在其前', 'Before'], { max: 15 }) },
    },
  },
});

export interface AssistantFunction extends Row<typeof assistantFunction> {}
