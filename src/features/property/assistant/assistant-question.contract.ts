import {
  boolean,
  images,
  integer,
  percent,
  ref,
  refs,
  richText,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { ENTRY_STATES, entryActions } from './assistant-entry.ts';

/** Most similar wordings of a question, and the longest of them. */
export const MOST_WORDINGS = 20;
export const WORDING_MAX = 100;

/** A question members ask the assistant of the owners' app, with its answer. */
export const assistantQuestion = defineResource({
  name: 'assistantQuestion',
  menu: 'cs_question',
  title: ['智能客服问题', 'Assistant questions'],
  noun: ['问题', 'Question'],
  purpose: [
    '业主提问按标题与相似问法匹配已发布的答案；没有匹配到的进入未命中',
    'What members ask is matched with titles and similar wordings of published answers; what matches none is kept as unanswered',
  ],
  titleField: 'title',
  stamps: true,
  copy: true,
  orderable: { field: 'viewSort' },
  fields: {
    title: text(['标题', 'Title'], { required: true, max: 60, keyword: true, width: 190 }),
    class: ref('dict.question_class', ['分类', 'Class'], { required: true, search: 'in', width: 80 }),
    classText: text(['分类', 'Class'], { readOnly: true }),
    functionPoint: ref('dict.function_point', ['功能点', 'Function point'], {
      required: true,
      search: 'in',
      width: 120,
    }),
    functionPointText: text(['功能点', 'Function point'], { readOnly: true }),
    similarTexts: tags(['相似问法', 'Similar wordings'], {
      max: MOST_WORDINGS,
      width: 150,
      help: [
        '最多 20 条，每条不超过 100 字，回车添加',
        'At most 20, each at most 100 characters; Enter adds one',
      ],
    }),
    answer: richText(['答案', 'Answer'], { required: true, max: 20_000 }),
    images: images(['图片', 'Pictures'], {
      max: 9,
      width: 90,
    }),
    links: refs('jumpLink', ['跳转链接', 'Jump links'], { max: 5, width: 150 }),
    modules: refs('assistantModule', ['跳转模块', 'App modules'], { max: 5, width: 150 }),
    viewSort: integer(['排序', 'Order'], {
      sortable: true,
      min: 1,
      max: 99_999,
      width: 84,
      placeholder: ['小的在前，不填排在最后', 'The smallest first; empty: the last'],
    }),
    pinned: boolean(['底部置顶', 'At the bottom'], { readOnly: true, search: 'equals', width: 96 }),
    hits: integer(['近30天命中', 'Hits in 30 days'], { readOnly: true, width: 110 }),
    helpful: percent(['有帮助', 'Helpful'], {
      readOnly: true,
      width: 90,
      help: ['近 30 天有帮助 ÷ 全部评价', 'Found helpful ÷ all verdicts of 30 days'],
    }),
  },
  states: ENTRY_STATES,
  list: {
    columns: [
      'title',
      'class',
      'functionPoint',
      'similarTexts',
      'viewSort',
      'state',
      'hits',
      'helpful',
      'pinned',
      'links',
      'modules',
      'updater',
      'updatedAt',
    ],
    hidden: ['links', 'modules', 'updater'],
    filters: ['class', 'functionPoint', 'state', 'pinned', 'updatedAt'],
    sort: 'viewSort',
    link: 'title',
    export: [
      'title',
      'classText',
      'functionPointText',
      'similarTexts',
      'viewSort',
      'state',
      'pinned',
      'hits',
      'helpful',
      'links',
      'modules',
      'creator',
      'createdAt',
    ],
  },
  form: {
    width: 840,
    sections: [
      {
        title: ['问题', 'Question'],
        fields: ['title', 'class', 'functionPoint', 'similarTexts', 'viewSort'],
      },
      { title: ['答案', 'Answer'], fields: ['answer', 'images', 'links', 'modules'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['问题', 'Question'],
        fields: ['title', 'class', 'functionPoint', 'similarTexts', 'viewSort', 'pinned', 'hits', 'helpful'],
      },
      { title: ['答案', 'Answer'], fields: ['answer', 'images', 'links', 'modules'] },
    ],
  },
  importable: {
    key: 'title',
    mode: 'insert',
    fields: ['title', 'class', 'functionPoint', 'similarTexts', 'answer', 'viewSort'],
  },
  elements: {
    btn_import: ['导入', 'Import'],
    btn_try: ['试问', 'Try'],
    btn_unanswered: ['未命中', 'Unanswered'],
  },
  actions: {
    ...entryActions('title'),
    addWording: {
      on: 'row',
      label: ['加相似问法', 'Add a wording'],
      element: 'btn_edit',
      input: { wording: text(['相似问法', 'Similar wording'], { required: true, max: WORDING_MAX }) },
    },
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

export interface AssistantQuestion extends Row<typeof assistantQuestion> {}

/** A published answer that fits a sentence; `score` from 0 to 100. */
export interface FoundAnswer {
  readonly id: string;
  readonly title: string;
  readonly answer: string;
  readonly wording: string;
  readonly score: number;
}
