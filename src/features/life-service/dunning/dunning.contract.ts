import {
  boolean,
  choice,
  choices,
  date,
  instant,
  integer,
  longText,
  money,
  personName,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const MENU = 'accountsReceivable';
const seen = { readOnly: true } as const;

const CHANNELS = {
  sms: { label: ['短信', 'SMS'] },
  phone: { label: ['电话任务', 'Phone task'] },
  letter: { label: ['催款函', 'Letter'] },
} as const;

const LEVELS = {
  '1': { label: ['1 级', 'Level 1'] },
  '2': { label: ['2 级', 'Level 2'] },
  '3': { label: ['3 级', 'Level 3'] },
  '4': { label: ['4 级', 'Level 4'] },
  '5': { label: ['5 级', 'Level 5'] },
} as const;

/** What payers are asked for, level by level: proposed, sent, answered. */
export const receivableDunning = defineResource({
  name: 'receivableDunning',
  menu: MENU,
  title: ['催收', 'Dunning'],
  noun: ['催收', 'Dunning'],
  titleField: 'payer',
  sensitive: true,
  purpose: [
    '每天按催收策略为有逾期的付款方生成一条建议：发送后记录费用与滞纳金，电话任务须登记结果',
    'One proposal a day for each late payer: sending books fee and interest, a phone task needs its result',
  ],
  fields: {
    payer: personName(['付款方', 'Payer'], { ...seen, width: 120 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 150 }),
    level: choice(['级别', 'Level'], LEVELS, { ...seen, search: 'in', width: 90 }),
    day: date(['日期', 'Day'], { ...seen, sortable: true, search: 'range', width: 110 }),
    count: integer(['笔数', 'Lines'], { ...seen, width: 70 }),
    sum: money(['金额', 'Sum'], { ...seen, sortable: true, width: 120 }),
    channels: choices(['渠道', 'Channels'], CHANNELS, { ...seen, width: 150 }),
    textZh: text(['短信/函件内容', 'Text'], { ...seen, width: 320 }),
    textEn: text(['英文内容', 'Text in English'], { ...seen, width: 320 }),
    lines: text(['应收', 'Receivables'], { ...seen, width: 220 }),
    result: text(['结果', 'Result'], { ...seen, width: 180 }),
    promisedOn: date(['承诺付款', 'Promised'], { ...seen, width: 110 }),
    skipReason: text(['跳过原因', 'Why skipped'], { ...seen, width: 160 }),
    owner: ref('staff', ['负责人', 'Owner'], { ...seen, search: 'in', width: 100 }),
    sentAt: instant(['发送时间', 'Sent'], { ...seen, sortable: true, width: 150 }),
  },
  states: {
    waiting: { label: ['待发送', 'To send'], tone: 'warning' },
    calling: { label: ['待回访', 'To call'], tone: 'processing' },
    done: { label: ['已完成', 'Done'], tone: 'success' },
    skipped: { label: ['已跳过', 'Skipped'], tone: 'paused' },
  },
  list: {
    columns: [
      'day',
      'payer',
      'project',
      'level',
      'count',
      'sum',
      'channels',
      'textZh',
      'state',
      'result',
      'promisedOn',
      'owner',
      'sentAt',
      'lines',
      'skipReason',
      'textEn',
    ],
    hidden: ['textEn', 'lines', 'skipReason'],
    filters: ['state', 'level', 'project', 'owner', 'day'],
    sort: '-day',
    sums: ['sum'],
    tabs: [
      { key: 'waiting', label: ['待发送', 'To send'], named: true },
      { key: 'calling', label: ['待回访', 'To call'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    export: true,
    empty: ['没有催收建议', 'Nothing is proposed'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['催收', 'Dunning'],
        fields: ['payer', 'project', 'level', 'day', 'count', 'sum', 'channels', 'lines', 'textZh', 'textEn'],
      },
      { title: ['结果', 'Result'], fields: ['owner', 'sentAt', 'result', 'promisedOn', 'skipReason'] },
    ],
  },
  actions: {
    send: {
      on: 'rowAndBulk',
      label: ['发送', 'Send'],
      element: 'btn_dunSend',
      tone: 'primary',
      from: ['waiting'],
      to: ['calling', 'done'],
      bulkMax: 100,
      confirm: [
        '向 {payer} 发送 {level} 催收？按策略记录费用与滞纳金',
        'Send {level} to {payer}? Fee and interest are booked',
      ],
      message: ['已发送', 'Sent'],
    },
    skip: {
      on: 'rowAndBulk',
      label: ['跳过', 'Skip'],
      element: 'btn_dunSend',
      remark: 'reason',
      from: ['waiting'],
      to: 'skipped',
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    answer: {
      on: 'row',
      label: ['登记结果', 'Result'],
      element: 'btn_dunSend',
      tone: 'primary',
      from: ['calling'],
      to: 'done',
      input: {
        answer: longText(['结果', 'Result'], { required: true, min: 2, max: 200 }),
        promised: date(['承诺付款', 'Promised'], {}),
      },
    },
  },
});

/** Levels of dunning of a project, or for all that have none of their own. */
export const dunningLevel = defineResource({
  name: 'dunningLevel',
  menu: MENU,
  title: ['催收策略', 'Levels of dunning'],
  noun: ['催收级别', 'Level'],
  titleField: 'level',
  stamps: true,
  purpose: [
    '逾期多少天升到哪一级、通过什么渠道、是否收取费用与滞纳金；项目没有自己的策略时使用通用策略',
    'After how many days which level is due, how it is sent and what it costs; projects without levels of their own follow those for all',
  ],
  fields: {
    level: choice(['级别', 'Level'], LEVELS, { required: true, createOnly: true, search: 'in', width: 90 }),
    project: ref('project', ['项目', 'Project'], {
      createOnly: true,
      search: 'in',
      width: 160,
      help: ['留空为通用策略', 'Empty: for all projects'],
    }),
    afterDays: integer(['逾期天数', 'Days late'], {
      required: true,
      min: 0,
      max: 999,
      sortable: true,
      width: 100,
      unit: ['天', 'days'],
    }),
    channels: choices(['渠道', 'Channels'], CHANNELS, { required: true, width: 180 }),
    templateZh: longText(['中文内容', 'Chinese text'], {
      required: true,
      max: 300,
      width: 300,
      help: ['可用 {payer} {count} {sum} {days}', '{payer} {count} {sum} {days} are filled in'],
    }),
    templateEn: longText(['英文内容', 'English text'], { required: true, max: 300, width: 300 }),
    fee: money(['催收费', 'Fee'], { required: true, min: 0, max: 1_000_000, initial: '0.00', width: 110 }),
    yearlyBp: integer(['年化滞纳金（bp）', 'Yearly interest (bp)'], {
      required: true,
      min: 0,
      max: 10_000,
      initial: 0,
      width: 130,
      help: ['1825 即每日万分之五', '1825 is 0.05 % a day'],
    }),
    autoSend: boolean(['自动发送', 'Sent by itself'], { initial: false, width: 100 }),
    escalateTo: ref('staff', ['升级给', 'Escalates to'], { width: 110 }),
  },
  list: {
    columns: [
      'level',
      'project',
      'afterDays',
      'channels',
      'fee',
      'yearlyBp',
      'autoSend',
      'escalateTo',
      'templateZh',
      'updatedAt',
    ],
    filters: ['level', 'project'],
    sort: 'afterDays',
    export: true,
    exportElement: 'btn_dunSetting',
    empty: ['还没有催收策略', 'There are no levels'],
  },
  form: {
    width: 640,
    sections: [
      { title: ['何时', 'When'], fields: ['level', 'project', 'afterDays', 'autoSend', 'escalateTo'] },
      {
        title: ['内容与费用', 'Text and cost'],
        fields: ['channels', 'templateZh', 'templateEn', 'fee', 'yearlyBp'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增级别', 'Add a level'], element: 'btn_dunSetting', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_dunSetting' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_dunSetting',
      tone: 'danger',
      confirm: ['删除「{level}」？', 'Delete “{level}”?'],
    },
  },
});
