import { instant, integer, ref, richText, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A sentence members wrote that no published answer fits, the same ones counted together. */
export const assistantUnanswered = defineResource({
  name: 'assistantUnanswered',
  menu: 'cs_question',
  title: ['未命中', 'Unanswered'],
  noun: ['未命中的提问', 'Unanswered sentence'],
  titleField: 'sentence',
  fields: {
    sentence: text(['提问', 'Sentence'], { readOnly: true, keyword: true, width: 250 }),
    times: integer(['次数', 'Times'], { readOnly: true, sortable: true, search: 'range', width: 90 }),
    question: ref('assistantQuestion', ['问题', 'Question'], { readOnly: true, width: 180 }),
    firstAt: instant(['首次', 'First'], { readOnly: true, width: 120 }),
    lastAt: instant(['最近', 'Last'], { readOnly: true, sortable: true, search: 'range', width: 120 }),
  },
  states: {
    open: { label: ['待处理', 'Open'], tone: 'warning' },
    made: { label: ['已处理', 'Handled'], tone: 'success' },
    ignored: { label: ['已忽略', 'Ignored'], tone: 'default' },
  },
  list: {
    columns: ['sentence', 'times', 'state', 'question', 'firstAt', 'lastAt'],
    filters: ['state', 'times', 'lastAt'],
    sort: '-times',
    link: 'sentence',
    empty: ['业主的提问都有答案', 'Whatever members asked had an answer'],
  },
  actions: {
    makeQuestion: {
      on: 'row',
      label: ['新建问题', 'Make a question'],
      element: 'btn_add',
      from: ['open'],
      to: 'made',
      tone: 'primary',
      message: ['已建为草稿，发布后生效', 'Made as a draft; it answers once it is published'],
      input: {
        title: text(['标题', 'Title'], { max: 60, help: ['不填则用这句提问', 'Empty: the sentence'] }),
        class: ref('dict.question_class', ['分类', 'Class'], { required: true }),
        functionPoint: ref('dict.function_point', ['功能点', 'Function point'], { required: true }),
        answer: richText(['答案', 'Answer'], { required: true, max: 20_000 }),
      },
    },
    addTo: {
      on: 'row',
      label: ['并入问题', 'Add to a question'],
      element: 'btn_edit',
      from: ['open'],
      to: 'made',
      input: {
        question: ref('assistantQuestion', ['问题', 'Question'], {
          required: true,
          help: ['作为该问题的相似问法', 'As a similar wording of it'],
        }),
      },
    },
    ignore: {
      on: 'rowAndBulk',
      label: ['忽略', 'Ignore'],
      element: 'btn_unanswered',
      from: ['open'],
      to: 'ignored',
    },
    reopen: {
      on: 'row',
      label: ['重新打开', 'Open again'],
      element: 'btn_unanswered',
      from: ['made', 'ignored'],
      to: 'open',
    },
  },
});

export interface AssistantUnanswered extends Row<typeof assistantUnanswered> {}
