import {
  boolean,
  choice,
  code,
  date,
  integer,
  longText,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { POINTS_EVENTS } from './points-event.rules.ts';

const limit = (zh: string, en: string) =>
  integer([zh, en], {
    required: true,
    min: -1,
    max: 10_000_000,
    initial: -1,
    width: 110,
    help: ['-1 为不限', '-1: no limit'],
  });

/** One rule by which an event of a member gives points, or takes some. */
export const pointsRule = defineResource({
  name: 'pointsRule',
  menu: 'ssm_personIntegralRule',
  title: ['个人积分规则', 'Points rules'],
  noun: ['积分规则', 'Points rule'],
  purpose: [
    '会员事件按规则发放或消耗积分；同一事件同一项目只有一条启用的规则，启用后须先停用才能修改',
    'Events of members give or take points by these rules; of one event one rule is enabled in a project, and an enabled rule is stopped before it is changed',
  ],
  titleField: 'name',
  stamps: true,
  elements: { btn_test: ['试算', 'Try'] },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 80 }),
    name: text(['规则名称', 'Name'], { required: true, max: 30, keyword: true, width: 150 }),
    direction: choice(
      ['获取/消耗', 'Earn / spend'],
      {
        earn: { label: ['获取', 'Earn'], tone: 'success' },
        spend: { label: ['消耗', 'Spend'], tone: 'warning' },
      },
      { required: true, createOnly: true, search: 'in', initial: 'earn', width: 100 },
    ),
    event: choice(['事件', 'Event'], POINTS_EVENTS, { required: true, search: 'in', width: 130 }),
    points: integer(['积分', 'Points'], { required: true, min: 1, max: 100_000, sortable: true, width: 80 }),
    dayLimit: limit('每日上限', 'Day limit'),
    monthLimit: limit('每月上限', 'Month limit'),
    totalLimit: limit('总上限', 'Total limit'),
    dimension: choice(
      ['维度', 'Counted by'],
      {
        person: { label: ['个人', 'Person'], code: 1 },
        group: { label: ['小组', 'Interest group'], code: 2 },
      },
      { required: true, search: 'in', initial: 'person', width: 80 },
    ),
    lotDays: integer(['积分有效天数', 'Lot validity'], {
      min: 1,
      max: 1_825,
      unit: ['天', 'days'],
      width: 110,
      help: ['留空按系统积分有效期', 'Empty: the life of points in the settings'],
    }),
    startsOn: date(['开始日期', 'From'], { width: 110 }),
    endsOn: date(['结束日期', 'To'], { width: 110 }),
    projects: refs('project', ['项目', 'Projects'], {
      max: 200,
      width: 160,
      help: ['留空为全部项目', 'Empty: all projects'],
    }),
    description: longText(['说明', 'Description'], { max: 500, width: 200 }),
    seeded: boolean(['系统', 'System'], { readOnly: true, width: 70 }),
    givenThisMonth: integer(['本月发放', 'Given this month'], { readOnly: true, width: 110 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
    enabled: { label: ['已启用', 'Enabled'], tone: 'success', code: 2 },
    stopped: { label: ['已停用', 'Stopped'], tone: 'paused', code: 3 },
  },
  list: {
    columns: [
      'code',
      'name',
      'state',
      'direction',
      'event',
      'points',
      'dayLimit',
      'monthLimit',
      'totalLimit',
      'dimension',
      'lotDays',
      'seeded',
      'givenThisMonth',
      'description',
      'projects',
      'updater',
      'updatedAt',
    ],
    hidden: ['projects', 'updater', 'updatedAt'],
    filters: ['dimension', 'state', 'direction', 'event'],
    sort: '-createdAt',
    link: 'name',
  },
  form: {
    width: 640,
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: ['name', 'direction', 'event', 'points', 'dimension', 'description'],
      },
      {
        title: ['上限与有效期', 'Limits and validity'],
        note: [
          '每次发放取积分与各上限剩余的最小值；日 ≤ 月 ≤ 总',
          'Given is the least of the points and what each limit leaves; day ≤ month ≤ total',
        ],
        fields: ['dayLimit', 'monthLimit', 'totalLimit', 'lotDays', 'startsOn', 'endsOn', 'projects'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: [
          'code',
          'name',
          'direction',
          'event',
          'points',
          'dimension',
          'dayLimit',
          'monthLimit',
          'totalLimit',
          'lotDays',
          'startsOn',
          'endsOn',
          'projects',
          'description',
          'seeded',
          'givenThisMonth',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft', 'stopped'] },
    enable: {
      on: 'row',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      tone: 'primary',
      from: ['draft', 'stopped'],
      to: 'enabled',
      confirm: ['启用「{name}」？启用后立即按此规则发放', 'Enable “{name}”? It holds at once'],
    },
    stop: {
      on: 'row',
      label: ['停用', 'Stop'],
      element: 'btn_stop',
      tone: 'danger',
      from: ['enabled'],
      to: 'stopped',
      confirm: ['停用「{name}」？已发放的积分不受影响', 'Stop “{name}”? What was given stays'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      from: ['draft', 'stopped'],
      confirm: ['删除「{name}」？', 'Delete “{name}”?'],
    },
  },
});

/** A rule on the wire. */
export interface PointsRule extends Row<typeof pointsRule> {}

/** What a trial answers: nothing is booked. */
export interface RuleTrial {
  readonly rule: { readonly code: string; readonly name: string } | null;
  /** Why no rule applies. */
  readonly why: 'none' | 'period' | null;
  readonly wanted: number;
  readonly granted: number;
  readonly cut: 'day' | 'month' | 'total' | 'activity_daily' | null;
  readonly caps: readonly {
    readonly cap: string;
    readonly limit: number;
    readonly used: number;
    readonly left: number;
  }[];
  readonly frozen: boolean;
  readonly available: number;
}
