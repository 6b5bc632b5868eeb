import { choice, date, dateRange, integer, json, percent, ref } from '../../../kernel/contract/fields.ts';
import { defineReport } from '../../../kernel/contract/report.ts';
import { APP_SOURCES } from '../../../domain/residents/registration.rules.ts';

/** Members who open the app: by day, how sticky it is, and how many of the new ones come back. Source: group 09, Reports and drill. */
export const userLive = defineReport({
  name: 'userLive',
  menu: 'userLive',
  title: ['用户活跃', 'Active users'],
  purpose: [
    '打开过 App 的会员，按当日所在项目统计；今日实时计数',
    'Members who opened the app, in the project they lived in that day; today is counted live',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    centreCity: ref('centreCity', ['中心城市', 'Centre city'], { search: 'in' }),
    project: ref('project', ['项目', 'Project'], { search: 'in' }),
    appSource: choice(['应用来源', 'App source'], APP_SOURCES, { search: 'equals' }),
  },
  figures: {
    lastDau: {
      label: ['日活 DAU', 'DAU'],
      kind: 'integer',
      formula: ['期间最后一日活跃的会员', 'Members active on the last day of the period'],
    },
    lastWau: {
      label: ['周活 WAU', 'WAU'],
      kind: 'integer',
      formula: [
        '截至期间最后一日的 7 天内活跃的会员，去重',
        'Distinct members active in the 7 days that end with the period',
      ],
    },
    lastMau: {
      label: ['月活 MAU', 'MAU'],
      kind: 'integer',
      formula: [
        '截至期间最后一日的 30 天内活跃的会员，去重',
        'Distinct members active in the 30 days that end with the period',
      ],
    },
    lastStickiness: {
      label: ['粘性', 'Stickiness'],
      kind: 'percent',
      formula: ['DAU ÷ MAU', 'DAU ÷ MAU'],
    },
    lastReturning: {
      label: ['回访', 'Returning'],
      kind: 'integer',
      formula: ['期间最后一日活跃、此前已注册的会员', 'Active on the last day and registered before it'],
    },
    kept1: {
      label: ['次日留存', 'Next-day retention'],
      kind: 'percent',
      formula: [
        '期间内注册且次日活跃 ÷ 期间内注册，次日已结束的才计入',
        'Registered in the period and active the next day ÷ registered, of days whose next day is over',
      ],
    },
    kept7: {
      label: ['7 日留存', '7-day retention'],
      kind: 'percent',
      formula: [
        '期间内注册且第 7 日活跃 ÷ 期间内注册',
        'Registered in the period and active on day 7 ÷ registered',
      ],
    },
    kept30: {
      label: ['30 日留存', '30-day retention'],
      kind: 'percent',
      formula: [
        '期间内注册且第 30 日活跃 ÷ 期间内注册',
        'Registered in the period and active on day 30 ÷ registered',
      ],
    },
  },
  charts: [
    {
      key: 'trend',
      title: ['活跃走势', 'Activity'],
      kind: 'line',
      measures: ['dau', 'wau', 'mau'],
      drillFilter: 'range',
    },
    {
      key: 'source',
      title: ['期间活跃会员的应用', 'Apps of the active members'],
      kind: 'ring',
      measures: ['dau'],
      drillFilter: 'appSource',
    },
  ],
  fields: {
    day: date(['日期', 'Day'], { sortable: true, width: 120 }),
    dau: integer(['日活', 'DAU'], { sortable: true, width: 90 }),
    wau: integer(['周活', 'WAU'], { sortable: true, width: 90 }),
    mau: integer(['月活', 'MAU'], { sortable: true, width: 90 }),
    stickiness: percent(['粘性', 'Stickiness'], { sortable: true, width: 100 }),
    returning: integer(['回访', 'Returning'], { sortable: true, width: 100 }),
    fresh: integer(['新注册', 'Registered'], { sortable: true, width: 100 }),
    day1: percent(['次日留存', 'Next day'], { sortable: true, width: 110 }),
    day7: percent(['7 日留存', 'Day 7'], { sortable: true, width: 110 }),
    day30: percent(['30 日留存', 'Day 30'], { sortable: true, width: 110 }),
    /** Filters of the list a figure opens, by column. */
    drill: json(['下钻条件', 'Drill']),
  },
  columns: ['day', 'dau', 'wau', 'mau', 'stickiness', 'returning', 'fresh', 'day1', 'day7', 'day30'],
  sort: '-day',
  drills: ['dau', 'wau', 'mau', 'returning', 'fresh', 'day1', 'day7', 'day30'].map((column) => ({
    column,
    menu: 'ssm_registrationDetails',
  })),
  maxDays: 366,
  export: true,
});
