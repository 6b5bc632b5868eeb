import {
  choice,
  date,
  dateRange,
  instant,
  integer,
  json,
  percent,
  personName,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineReport } from '../../../kernel/contract/report.ts';

export const STAT_MENU = 'os_statData';

/** Kinds of content whose looks are counted. */
export const CONTENT_KINDS = {
  family: { label: ['家人圈', 'Family posts'], code: 1 },
  chamber: { label: ['议事厅', 'Council hall'], code: 2 },
  topic: { label: ['社区话题', 'Community topics'], code: 3 },
  group_post: { label: ['业主圈帖子', 'Group posts'], code: 4 },
} as const;
export type ContentKind = keyof typeof CONTENT_KINDS;

/** Widths of the buckets, with the longest range each is read over in days. */
export const GRANULARITIES = {
  minute: { label: ['分钟', 'Minute'], code: 0 },
  hour: { label: ['小时', 'Hour'], code: 1 },
  day: { label: ['天', 'Day'], code: 2 },
  week: { label: ['周（周一起）', 'Week (from Monday)'], code: 3 },
  month: { label: ['月', 'Month'], code: 4 },
} as const;
export type Granularity = keyof typeof GRANULARITIES;
export const MOST_DAYS: Readonly<Record<Granularity, number>> = {
  minute: 1,
  hour: 31,
  day: 366,
  week: 728,
  month: 1_830,
};

const project = ref('project', ['项目', 'Project'], { search: 'in' });
const count = (label: Label, formula: Label) => ({ label, kind: 'integer' as const, formula });
const number = (zh: string, en: string) => integer([zh, en], { sortable: true, width: 100 });

/** Looks at content by time. Source: group 01, os_statData (a). */
export const contentTraffic = defineReport({
  name: 'contentTraffic',
  menu: STAT_MENU,
  title: ['数据统计', 'Content statistics'],
  purpose: [
    '内容的浏览次数与人数；同一人 5 秒内重复浏览计一次，合计人数按整段去重',
    'How often and by how many content was looked at. The same viewer within 5 s counts once, people of a total are counted over the whole range',
  ],
  parameters: {
    range: dateRange(['期间', 'Period'], { required: true }),
    granularity: choice(['粒度', 'By'], GRANULARITIES, { search: 'equals', placeholder: ['天', 'Day'] }),
    kind: choice(['内容类型', 'Content'], CONTENT_KINDS, { search: 'in' }),
    project,
  },
  figures: {
    pv: count(['浏览次数', 'Views'], ['所选期间的浏览次数', 'Looks in the period']),
    uv: count(['浏览人数', 'Viewers'], ['所选期间去重的浏览人数', 'People who looked, each once']),
  },
  charts: [{ key: 'views', title: ['浏览趋势', 'Views'], kind: 'line', measures: ['pv', 'uv'] }],
  fields: {
    kind: choice(['内容类型', 'Content'], CONTENT_KINDS, { sortable: true, width: 120 }),
    projects: text(['项目', 'Projects'], { width: 180 }),
    fromAt: instant(['开始', 'From'], { sortable: true, width: 150 }),
    toAt: instant(['结束', 'To'], { width: 150 }),
    pv: number('浏览次数', 'Views'),
    uv: number('浏览人数', 'Viewers'),
    drill: json(['下钻条件', 'Drill']),
  },
  columns: ['kind', 'projects', 'fromAt', 'toAt', 'pv', 'uv'],
  sort: '-fromAt',
  maxDays: MOST_DAYS.month,
  export: true,
});

/** Content by how it was received. Source: group 01, os_statData (b). */
export const contentRanking = defineReport({
  name: 'contentRanking',
  menu: STAT_MENU,
  title: ['内容排行', 'Ranking'],
  purpose: [
    '期间发布的可见内容，不含官方账号；浏览按发布至今统计',
    'What was published in the period and is visible, without official accounts; views since then',
  ],
  parameters: {
    range: dateRange(['发布', 'Published'], { required: true }),
    kind: choice(['内容类型', 'Content'], CONTENT_KINDS, { search: 'in' }),
    project,
  },
  figures: {
    contents: count(['内容', 'Contents'], ['期间发布的可见内容', 'Visible contents of the period']),
    likes: count(['点赞', 'Likes'], ['Σ 点赞', 'Σ likes']),
    comments: count(['评论', 'Comments'], ['Σ 评论', 'Σ comments']),
  },
  charts: [
    { key: 'top', title: ['点赞前十', 'Most liked'], kind: 'bar', measures: ['likes', 'comments', 'pv'] },
  ],
  fields: {
    kind: choice(['内容类型', 'Content'], CONTENT_KINDS, { sortable: true, width: 110 }),
    author: personName(['作者', 'Author'], { width: 100 }),
    content: text(['内容', 'Content'], { width: 260 }),
    project: text(['项目', 'Project'], { width: 140 }),
    publishedAt: instant(['发布时间', 'Published'], { sortable: true, width: 150 }),
    likes: number('点赞', 'Likes'),
    comments: number('评论', 'Comments'),
    grade: text(['等级', 'Grade'], { width: 100 }),
    tag: text(['标签/小组', 'Tag or group'], { width: 120 }),
    pv: number('浏览次数', 'Views'),
    uv: number('浏览人数', 'Viewers'),
  },
  columns: [
    'kind',
    'author',
    'content',
    'project',
    'publishedAt',
    'likes',
    'comments',
    'grade',
    'tag',
    'pv',
    'uv',
  ],
  sort: '-likes',
  maxDays: 366,
  export: true,
});

/** Points given and used, day by day. Source: group 01, os_statData (c). */
export const pointsStat = defineReport({
  name: 'pointsStat',
  menu: STAT_MENU,
  title: ['积分统计', 'Points'],
  purpose: [
    '按积分流水统计，含义同积分账户',
    'From the statement lines, with the meanings of points accounts',
  ],
  parameters: { range: dateRange(['期间', 'Period'], { required: true }), project },
  figures: {
    granted: count(['发放', 'Granted'], ['Σ 发放', 'Σ granted']),
    used: count(['使用', 'Used'], ['Σ 使用 − 退回', 'Σ used less what was refunded']),
    expired: count(['过期', 'Expired'], ['Σ 过期', 'Σ expired']),
    takenBack: count(['追回', 'Taken back'], ['Σ 追回', 'Σ taken back']),
    outstanding: count(['未使用', 'Outstanding'], ['当前可用与占用', 'Available and held now']),
    liability: {
      label: ['负债', 'Liability'],
      kind: 'money',
      formula: ['未使用积分 × 每积分价值', 'Outstanding × worth of a point'],
    },
    signRate: {
      label: ['签到率', 'Sign-in rate'],
      kind: 'percent',
      formula: ['签到人次 ÷ 活跃人次', 'Members signed in ÷ members active, by day'],
    },
  },
  charts: [
    {
      key: 'days',
      title: ['收支', 'Granted and used'],
      kind: 'column',
      measures: ['granted', 'used', 'expired'],
    },
    { key: 'kinds', title: ['发放构成', 'Granted by kind'], kind: 'ring', measures: ['granted'] },
  ],
  fields: {
    day: date(['日期', 'Day'], { sortable: true, width: 120 }),
    signIn: number('签到', 'Sign-in'),
    task: number('任务', 'Tasks'),
    purchase: number('消费返积分', 'Purchase return'),
    rebate: number('缴费返利', 'Rebate'),
    staff: number('后台发放', 'Staff'),
    other: number('其他发放', 'Other'),
    granted: number('发放合计', 'Granted'),
    used: number('使用', 'Used'),
    expired: number('过期', 'Expired'),
    takenBack: number('追回', 'Taken back'),
  },
  columns: [
    'day',
    'signIn',
    'task',
    'purchase',
    'rebate',
    'staff',
    'other',
    'granted',
    'used',
    'expired',
    'takenBack',
  ],
  sort: '-day',
  maxDays: 366,
  export: true,
});

/** New, active and signed-in members, day by day. Source: group 01, os_statData (d). */
export const memberStat = defineReport({
  name: 'memberStat',
  menu: STAT_MENU,
  title: ['用户统计', 'Members'],
  purpose: [
    '活跃为当日有任意会员事件（不含广告曝光）的会员',
    'Active: any event of the member on the day but adverts shown',
  ],
  parameters: { range: dateRange(['期间', 'Period'], { required: true }), project },
  figures: {
    fresh: count(['新增用户', 'New members'], ['期间注册的会员', 'Registered in the period']),
    active: count(
      ['活跃用户', 'Active members'],
      ['期间活跃的会员，去重', 'Active in the period, each once'],
    ),
    signed: count(['签到用户', 'Signed in'], ['期间签到的会员，去重', 'Signed in in the period, each once']),
    signRate: {
      label: ['签到率', 'Sign-in rate'],
      kind: 'percent',
      formula: ['签到人次 ÷ 活跃人次', 'Members signed in ÷ members active, by day'],
    },
  },
  charts: [
    { key: 'days', title: ['用户趋势', 'Members'], kind: 'line', measures: ['active', 'signed', 'fresh'] },
  ],
  fields: {
    day: date(['日期', 'Day'], { sortable: true, width: 120 }),
    fresh: number('新增', 'New'),
    active: number('活跃', 'Active'),
    signed: number('签到', 'Signed in'),
    signRate: percent(['签到率', 'Sign-in rate'], { sortable: true, width: 110 }),
  },
  columns: ['day', 'fresh', 'active', 'signed', 'signRate'],
  sort: '-day',
  maxDays: 366,
  export: true,
});

/** What stands behind a figure of the traffic: contents with their views, or members. */
export interface Behind {
  readonly total: number;
  readonly rows: readonly {
    readonly id: string;
    readonly title: string;
    readonly note: string;
    readonly pv: number;
  }[];
}
