import { boolean, code, integer, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const times = (zh: string, en: string, max: number) =>
  integer([zh, en], {
    required: true,
    min: -1,
    max,
    width: 100,
    help: ['-1 为不限', '-1: no limit'],
  });

/** Something members are rewarded for; the tasks are the system's own, only what they give is set. */
export const pointsTask = defineResource({
  name: 'pointsTask',
  menu: 'os_taskIntegral',
  title: ['任务积分', 'Task points'],
  noun: ['任务', 'Task'],
  titleField: 'code',
  purpose: [
    '会员完成任务即得积分，以事件为凭，不接受自报；每日活动积分上限与积分规则的上限同时有效',
    'Members get points for tasks, proven by what they did and never by a claim; the daily limit of activities and the caps of points rules hold as well',
  ],
  stamps: true,
  fields: {
    code: code(['任务编码', 'Code'], { readOnly: true, keyword: true, width: 90 }),
    name: text(['任务', 'Task'], { readOnly: true, keyword: true, width: 150 }),
    proof: text(['凭据', 'Proven by'], { readOnly: true, width: 260 }),
    points: integer(['积分', 'Points'], {
      required: true,
      min: 0,
      max: 10_000,
      sortable: true,
      width: 110,
      help: ['0 为不奖励', '0: no reward'],
    }),
    dayTimes: times('每日次数', 'Times a day', 9_999),
    totalTimes: times('总次数', 'Times in all', 999_999),
    position: integer(['排序', 'Order'], { required: true, min: 1, max: 999, sortable: true, width: 80 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
    doneToday: integer(['今日完成', 'Done today'], { readOnly: true, width: 90 }),
    doneMonth: integer(['30天完成', 'Done in 30 days'], { readOnly: true, width: 100 }),
    pointsMonth: integer(['30天积分', 'Points in 30 days'], { readOnly: true, width: 100 }),
  },
  list: {
    columns: [
      'code',
      'name',
      'proof',
      'points',
      'dayTimes',
      'totalTimes',
      'position',
      'enabled',
      'doneToday',
      'doneMonth',
      'pointsMonth',
      'updater',
      'updatedAt',
    ],
    hidden: ['updater', 'updatedAt'],
    filters: ['enabled'],
    sort: 'position',
    link: 'code',
    export: true,
  },
  form: {
    width: 520,
    sections: [
      {
        title: ['奖励', 'Reward'],
        note: ['修改从现在起生效，已发放的不变', 'Changes hold from now on, what was given stays'],
        fields: ['points', 'dayTimes', 'totalTimes', 'position'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['任务', 'Task'],
        fields: [
          'code',
          'name',
          'proof',
          'points',
          'dayTimes',
          'totalTimes',
          'enabled',
          'doneToday',
          'doneMonth',
          'pointsMonth',
        ],
      },
    ],
  },
  actions: {
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable', tone: 'primary' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      tone: 'danger',
      confirm: ['停用任务 {code}？完成后不再得积分', 'Disable {code}? It gives no more points'],
    },
  },
});
