import {
  boolean,
  choice,
  code,
  instant,
  integer,
  json,
  percent,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';
import { jobRun, RUN_STATES } from './job-run.contract.ts';

/** Scheduled work: what runs when, how it is tried again, and who is told when it fails. */
export const job = defineResource({
  name: 'job',
  menu: 'jobManager',
  base: '/admin',
  title: ['定时任务', 'Jobs'],
  noun: ['任务', 'Job'],
  purpose: [
    '所有后台定时任务及其运行情况；时间均为北京时间',
    'All scheduled work of the product and how it goes; times are those of Shanghai',
  ],
  stamps: true,
  fields: {
    code: code(['编码', 'Code'], { readOnly: true, keyword: true, sortable: true, width: 165 }),
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 60, width: 180 }),
    nameEn: text(['英文名称', 'English name'], { keyword: true, max: 120, width: 200 }),
    handler: text(['处理器', 'Handler'], {
      required: true,
      search: 'contains',
      keyword: true,
      max: 64,
      width: 180,
    }),
    cron: text(['执行时间', 'Schedule'], {
      required: true,
      max: 100,
      width: 145,
      help: [
        '五段：分 时 日 月 周，北京时间',
        'Five fields: minute, hour, day, month, weekday, in Shanghai time',
      ],
    }),
    params: json(['参数', 'Parameters']),
    lastState: choice(['上次结果', 'Last result'], RUN_STATES, { readOnly: true, search: 'in', width: 115 }),
    lastStartedAt: instant(['上次运行', 'Last run'], { readOnly: true, sortable: true, width: 120 }),
    lastMs: integer(['上次耗时', 'Last duration'], { readOnly: true, unit: ['毫秒', 'ms'], width: 110 }),
    nextDueAt: instant(['下次运行', 'Next run'], { readOnly: true, sortable: true, width: 120 }),
    successShare: percent(['7 天成功率', 'Succeeded in 7 d'], {
      readOnly: true,
      width: 120,
      help: [
        '近 7 天成功 ÷（成功 + 失败 + 超时）；没有运行显示 —',
        'Of the last 7 days: succeeded ÷ (succeeded + failed + timed out); — without runs',
      ],
    }),
    p95Ms: integer(['P95 耗时', 'P95 duration'], {
      readOnly: true,
      unit: ['毫秒', 'ms'],
      width: 110,
      help: ['近 7 天成功运行', 'Successful runs of the last 7 days'],
    }),
    failures: integer(['连续失败', 'Failed in a row'], { readOnly: true, sortable: true, width: 100 }),
    timeoutSeconds: integer(['超时', 'Time-out'], {
      required: true,
      min: 1,
      max: 86_400,
      unit: ['秒', 's'],
      initial: 300,
      width: 90,
    }),
    retries: integer(['重试次数', 'Retries'], { required: true, min: 0, max: 10, initial: 5, width: 90 }),
    ladder: text(['重试间隔', 'Waits between tries'], {
      required: true,
      max: 80,
      initial: '15,15,30,180,1800',
      width: 150,
      pattern: {
        source: '^[1-9]\\d{0,4}( *, *[1-9]\\d{0,4}){0,9}$',
        message: [
          '请输入 1–10 个秒数，用逗号分隔',
          'Please enter 1–10 numbers of seconds, separated by commas',
        ],
      },
      help: ['秒，用逗号分隔；最后一个一直沿用', 'Seconds, separated by commas; the last one goes on'],
    }),
    allowConcurrent: boolean(['允许并发', 'Beside itself'], {
      required: true,
      initial: false,
      width: 90,
      help: ['上一次未结束时也开始下一次', 'Starts while the run before is not over'],
    }),
    misfire: choice(
      ['错过策略', 'When missed'],
      { run_once: { label: ['补跑一次', 'Run once'] }, skip: { label: ['跳过', 'Skip'] } },
      { required: true, initial: 'run_once', width: 100 },
    ),
    alertAfter: integer(['失败几次告警', 'Alert after'], {
      required: true,
      min: 1,
      max: 100,
      initial: 3,
      width: 110,
      help: ['连续失败次数，含重试', 'Failed tries in a row, those again included'],
    }),
    pauseAfter: integer(['失败几次暂停', 'Pause after'], {
      required: true,
      min: 0,
      max: 100,
      initial: 0,
      width: 110,
      help: ['0 表示不自动暂停', '0: never'],
    }),
    owner: ref('staff', ['负责人', 'Owner'], {
      required: true,
      search: 'in',
      width: 100,
      help: ['告警同时通知平台管理员', 'Platform administrators are told too'],
    }),
    builtIn: boolean(['内置', 'Built in'], { readOnly: true, search: 'equals', width: 80 }),
  },
  states: {
    running: { label: ['运行中', 'Active'], tone: 'success' },
    paused: { label: ['已暂停', 'Paused'], tone: 'paused' },
    retired: { label: ['已下线', 'Retired'], tone: 'default' },
  },
  list: {
    columns: [
      'name',
      'nameEn',
      'code',
      'handler',
      'cron',
      'state',
      'lastStartedAt',
      'lastState',
      'nextDueAt',
      'lastMs',
      'successShare',
      'p95Ms',
      'failures',
      'owner',
      'params',
      'builtIn',
      'updatedAt',
    ],
    hidden: ['nameEn', 'handler', 'failures', 'params', 'builtIn', 'updatedAt'],
    filters: ['state', 'lastState', 'handler', 'owner', 'builtIn'],
    sort: 'code',
    link: 'name',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'failing', label: ['上次失败', 'Failed last'], filter: { lastState: 'failed,timeout' } },
      { key: 'paused', label: ['已暂停', 'Paused'], filter: { state: 'paused' } },
    ],
    export: true,
  },
  form: {
    width: 760,
    sections: [
      { title: ['任务', 'Job'], fields: ['name', 'nameEn', 'handler', 'cron', 'params', 'owner'] },
      {
        title: ['失败与错过', 'Failing and missing'],
        fields: [
          'timeoutSeconds',
          'retries',
          'ladder',
          'allowConcurrent',
          'misfire',
          'alertAfter',
          'pauseAfter',
        ],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['任务', 'Job'],
        fields: [
          'name',
          'nameEn',
          'code',
          'handler',
          'cron',
          'params',
          'owner',
          'builtIn',
          'lastStartedAt',
          'lastState',
          'lastMs',
          'nextDueAt',
          'successShare',
          'p95Ms',
          'failures',
        ],
      },
      {
        title: ['失败与错过', 'Failing and missing'],
        fields: [
          'timeoutSeconds',
          'retries',
          'ladder',
          'allowConcurrent',
          'misfire',
          'alertAfter',
          'pauseAfter',
          'updater',
          'updatedAt',
        ],
      },
    ],
    parts: [
      part({
        key: 'runs',
        title: ['运行记录', 'Run log'],
        resource: jobRun,
        by: 'job',
        columns: ['dueAt', 'startedAt', 'ms', 'attempt', 'trigger', 'state', 'instance', 'error'],
      }),
    ],
  },
  elements: { btn_log: ['运行日志', 'Run log'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'running' },
    runOnce: {
      on: 'row',
      label: ['执行一次', 'Run once'],
      element: 'btn_runOnce',
      from: ['running', 'paused'],
      untouched: true,
      confirm: ['立即执行「{name}」一次？', 'Run "{name}" once, now?'],
      message: ['已排队，见运行记录', 'Queued, see the run log'],
      input: {
        params: json(['参数', 'Parameters']),
        reason: text(['原因', 'Reason'], { required: true, max: 200 }),
      },
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['running', 'paused'] },
    pause: {
      on: 'rowAndBulk',
      label: ['暂停', 'Pause'],
      element: 'btn_pause',
      remark: 'reason',
      from: ['running'],
      to: 'paused',
      tone: 'danger',
      confirm: [
        '暂停「{name}」？到期不再执行，恢复后从下一个时间开始。',
        'Pause "{name}"? It is not run until it is resumed, from its next time on.',
      ],
      input: { reason: text(['原因', 'Reason'], { required: true, max: 200 }) },
    },
    resume: {
      on: 'rowAndBulk',
      label: ['恢复', 'Resume'],
      element: 'btn_resume',
      from: ['paused'],
      to: 'running',
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除任务「{name}」及其运行记录？', 'Delete the job "{name}" with its run log?'],
    },
    autoPause: {
      on: 'system',
      label: ['自动暂停', 'Paused by itself'],
      element: 'btn_pause',
      remark: 'reason',
      from: ['running'],
      to: 'paused',
      input: { reason: text(['原因', 'Reason'], { required: true, max: 200 }) },
    },
  },
});

export interface JobRow extends Row<typeof job> {}

/** A handler jobs may be made of, with the fields of its parameters. */
export interface HandlerChoice {
  readonly name: string;
  readonly title: string;
  readonly params: Readonly<Record<string, unknown>> | null;
}
