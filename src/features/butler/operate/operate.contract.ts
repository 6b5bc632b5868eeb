import { TASK_METRICS } from '../../../domain/butler/task.rules.ts';
import {
  boolean,
  choice,
  date,
  images,
  instant,
  integer,
  longText,
  money,
  percent,
  ref,
  refs,
  richText,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';

export const OPERATE_MENU = 'butler_operate';
const seen = { readOnly: true } as const;

/** How far a butler is in a task. */
export const butlerTaskProgress = defineResource({
  name: 'butlerTaskProgress',
  menu: OPERATE_MENU,
  title: ['排行榜', 'Leaderboard'],
  noun: ['参与管家', 'Participant'],
  titleField: 'name',
  fields: {
    task: ref('butlerTask', ['任务', 'Task'], { search: 'in', width: 160 }),
    rank: integer(['排名', 'Rank'], { sortable: true, width: 76 }),
    name: text(['管家', 'Butler'], { keyword: true, width: 110 }),
    staffNo: text(['工号', 'Staff no.'], { width: 100 }),
    progress: text(['进度', 'Progress'], { width: 110 }),
    percent: percent(['完成度', 'Done'], { scale: 1, width: 90 }),
    wasReached: boolean(['达成', 'Reached'], { search: 'equals', width: 84 }),
    reachedAt: instant(['达成时间', 'Reached at'], { width: 160 }),
    behind: boolean(['落后进度', 'Behind'], { search: 'equals', width: 90 }),
    reward: money(['奖励', 'Reward'], { width: 96 }),
    batch: text(['批次', 'Batch'], { width: 140 }),
  },
  list: {
    columns: [
      'rank',
      'name',
      'staffNo',
      'progress',
      'percent',
      'wasReached',
      'reachedAt',
      'behind',
      'reward',
      'batch',
    ],
    filters: ['task', 'wasReached', 'behind'],
    sort: 'rank',
    export: true,
    empty: ['任务开始后显示参与管家', 'Participants stand here once the task has begun'],
  },
});

/** What butlers are to reach in a period. */
export const butlerTask = defineResource({
  name: 'butlerTask',
  menu: OPERATE_MENU,
  title: ['运营任务', 'Operating tasks'],
  noun: ['任务', 'Task'],
  titleField: 'title',
  purpose: [
    '开始日确定参与管家；进度由分享、访问、业绩、工单与缴费数据计算，每 10 分钟更新；奖励随结束当月的激励批次发放',
    'Who takes part is settled on the first day; progress is counted every 10 minutes; rewards come with the batch of the month it ended in',
  ],
  stamps: true,
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    waiting: { label: ['待开始', 'To begin'], tone: 'warning' },
    running: { label: ['进行中', 'Running'], tone: 'processing' },
    ended: { label: ['已结束', 'Ended'], tone: 'success' },
    stopped: { label: ['已停止', 'Stopped'], tone: 'paused' },
  },
  fields: {
    title: text(['标题', 'Title'], { required: true, max: 40, keyword: true, width: 200 }),
    metric: choice(['指标', 'Metric'], TASK_METRICS, {
      required: true,
      initial: 'shares',
      search: 'in',
      width: 100,
    }),
    count: integer(['目标数量', 'Target'], {
      min: 1,
      max: 1_000_000,
      help: ['分享、访问、订单与走访填写', 'For shares, visits, orders and houses'],
    }),
    sum: money(['目标金额', 'Target amount'], {
      min: 1,
      max: 9_999_999_999,
      help: ['有效金额与收缴金额填写', 'For amounts'],
    }),
    goal: text(['目标', 'Target'], { ...seen, width: 110 }),
    projects: refs('project', ['项目', 'Projects'], { required: true, search: 'in', max: 200, width: 180 }),
    butlers: refs('butler', ['指定管家', 'Only these'], {
      max: 200,
      width: 160,
      help: ['不选则为项目内全部在岗管家', 'None: every butler at work in the projects'],
    }),
    fromOn: date(['开始日期', 'From'], { required: true, sortable: true, search: 'range', width: 116 }),
    toOn: date(['结束日期', 'Until'], {
      required: true,
      sortable: true,
      width: 116,
      help: ['最长 92 天', 'At most 92 days'],
    }),
    reward: money(['奖励', 'Reward'], {
      min: 0,
      max: 100_000,
      initial: '0.00',
      width: 96,
      help: [
        '达成后随批次发放，每人一次，最高 1000.00',
        'Paid with the batch once reached, at most 1,000.00',
      ],
    }),
    body: richText(['任务说明', 'Instructions'], { max: 20_000 }),
    copyText: longText(['分享文案', 'Text to share'], { max: 500 }),
    pictures: images(['素材图片', 'Pictures'], { max: 9 }),
    participants: integer(['参与管家', 'Butlers'], { ...seen, width: 90 }),
    reached: integer(['达成数', 'Reached'], { ...seen, width: 80 }),
    rate: percent(['完成率', 'Completion'], { ...seen, scale: 1, width: 90 }),
    countedAt: instant(['统计时间', 'As of'], { ...seen, width: 160 }),
    stopReason: text(['停止原因', 'Why stopped'], { ...seen }),
  },
  list: {
    columns: [
      'title',
      'metric',
      'goal',
      'state',
      'participants',
      'reached',
      'rate',
      'fromOn',
      'toOn',
      'reward',
      'projects',
      'countedAt',
    ],
    hidden: ['countedAt'],
    filters: ['metric', 'state', 'projects', 'fromOn'],
    sort: '-createdAt',
    link: 'title',
    export: true,
    empty: ['还没有运营任务', 'No task yet'],
  },
  form: {
    width: 720,
    sections: [
      { title: ['任务', 'Task'], fields: ['title', 'metric', 'count', 'sum', 'fromOn', 'toOn', 'reward'] },
      { title: ['范围', 'To whom'], fields: ['projects', 'butlers'] },
      { title: ['说明与素材', 'Instructions'], fields: ['body', 'copyText', 'pictures'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['任务', 'Task'],
        fields: [
          'title',
          'metric',
          'goal',
          'projects',
          'butlers',
          'fromOn',
          'toOn',
          'reward',
          'body',
          'copyText',
          'pictures',
        ],
      },
      {
        title: ['结果', 'Results'],
        fields: [
          'state',
          'participants',
          'reached',
          'rate',
          'countedAt',
          'stopReason',
          'creator',
          'createdAt',
        ],
      },
    ],
    parts: [
      part({
        key: 'leaderboard',
        title: butlerTaskProgress.title,
        resource: butlerTaskProgress as unknown as Resource,
        by: 'task',
      }),
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: {
      on: 'row',
      label: ['编辑', 'Edit'],
      element: 'btn_edit',
      from: ['draft', 'waiting', 'running'],
    },
    publish: {
      on: 'row',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      tone: 'primary',
      from: ['draft'],
      to: ['running', 'waiting'],
      confirm: [
        '发布「{title}」？开始后指标与目标不可修改。',
        'Publish “{title}”? Metric and target are fixed once it runs.',
      ],
      message: ['已发布', 'Published'],
    },
    start: {
      on: 'system',
      label: ['开始', 'Begun'],
      element: 'btn_publish',
      from: ['waiting'],
      to: 'running',
    },
    end: {
      on: 'system',
      label: ['结束', 'Ended'],
      element: 'btn_publish',
      from: ['running'],
      to: 'ended',
    },
    remind: {
      on: 'row',
      label: ['提醒落后管家', 'Remind those behind'],
      element: 'btn_remind',
      from: ['running'],
      untouched: true,
      confirm: ['提醒进度落后的管家？', 'Remind the butlers who are behind?'],
      message: ['已提醒 {butlers} 名管家', '{butlers} butlers were reminded'],
    },
    stop: {
      on: 'row',
      label: ['停止', 'Stop'],
      element: 'btn_stop',
      tone: 'danger',
      from: ['running', 'waiting'],
      to: 'stopped',
      input: { reason: text(['原因', 'Reason'], { required: true, max: 200 }) },
    },
  },
});

export interface ButlerTask extends Row<typeof butlerTask> {}

/** Progress of a task by day. */
export interface TaskDays {
  readonly days: readonly { readonly day: string; readonly value: string }[];
}
