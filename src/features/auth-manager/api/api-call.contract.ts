import {
  choice,
  code,
  date,
  instant,
  integer,
  percent,
  tags,
  text,
  boolean,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A call of the product as its own route table names it; nobody types one in. */
export const apiCall = defineResource({
  name: 'apiCall',
  menu: 'apiManager',
  base: '/admin',
  title: ['API管理', 'API list'],
  noun: ['接口', 'API call'],
  purpose: [
    '本系统的全部接口，启动时按路由表写入；限流、弃用、停用立即对所有实例生效',
    'Every call of this product, written from its route table at start; limits and switches act on all servers at once',
  ],
  titleField: 'path',
  fields: {
    method: choice(
      ['方法', 'Method'],
      {
        GET: { label: ['GET', 'GET'] },
        POST: { label: ['POST', 'POST'], tone: 'processing' },
        PUT: { label: ['PUT', 'PUT'], tone: 'warning' },
        DELETE: { label: ['DELETE', 'DELETE'], tone: 'error' },
        ANY: { label: ['全部', 'Any'] },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    path: code(['路径', 'Path'], { readOnly: true, sortable: true, keyword: true, width: 300 }),
    title: text(['名称', 'Title'], { readOnly: true, keyword: true, width: 130 }),
    titleEn: text(['英文名称', 'English title'], { readOnly: true, width: 180 }),
    group: text(['分组', 'Group'], { readOnly: true, search: 'contains', width: 110 }),
    codes: tags(['权限', 'Permission'], { readOnly: true, width: 220 }),
    menu: text(['菜单', 'Menu'], { readOnly: true, search: 'equals', width: 130 }),
    noElement: boolean(['没有按钮权限', 'No element'], { readOnly: true, search: 'equals' }),
    level: choice(
      ['级别', 'Level'],
      {
        public: { label: ['公开', 'Public'], tone: 'warning' },
        token: { label: ['登录', 'Token'] },
        permission: { label: ['授权', 'Permission'], tone: 'success' },
        service: { label: ['服务', 'Service'], tone: 'processing' },
      },
      { readOnly: true, search: 'in', width: 115 },
    ),
    calls: integer(['24小时调用', 'Calls in 24 h'], { readOnly: true, sortable: true, width: 110 }),
    errors: integer(['24小时错误', 'Errors in 24 h'], { readOnly: true }),
    errorRate: percent(['错误率', 'Error rate'], {
      readOnly: true,
      width: 90,
      help: ['24小时内 HTTP 400 及以上的比例', 'Share of answers of 400 and above in 24 hours'],
    }),
    averageMs: integer(['平均', 'Average'], { readOnly: true, unit: ['毫秒', 'ms'], width: 90 }),
    p95: integer(['p95', 'p95'], { readOnly: true, unit: ['毫秒', 'ms'], search: 'range', width: 90 }),
    lastCalledAt: instant(['最近调用', 'Last called'], { readOnly: true, sortable: true, width: 150 }),
    totalCalls: integer(['累计调用', 'Calls ever'], { readOnly: true, sortable: true, width: 100 }),
    totalErrors: integer(['累计错误', 'Errors ever'], { readOnly: true, width: 100 }),
    limitPerMinute: integer(['限流', 'Limit per minute'], {
      readOnly: true,
      width: 100,
      help: ['每个调用方每分钟；空为默认 600', 'Per caller and minute; empty: 600'],
    }),
    sunsetOn: date(['下线日期', 'Sunset'], { readOnly: true, width: 110 }),
    replacement: text(['替代接口', 'Replacement'], { readOnly: true, width: 180 }),
    source: choice(
      ['来源', 'Source'],
      { own: { label: ['自有', 'Own'] }, gateway: { label: ['网关', 'Gateway'] } },
      { readOnly: true, search: 'in', width: 80 },
    ),
    neverCalled: boolean(['30天未调用', 'Not called for 30 days'], { readOnly: true, search: 'equals' }),
    hasErrors: boolean(['有错误', 'Has errors'], { readOnly: true, search: 'equals' }),
  },
  states: {
    active: { label: ['正常', 'Active'], tone: 'success' },
    deprecated: { label: ['弃用', 'Deprecated'], tone: 'warning' },
    off: { label: ['停用', 'Off'], tone: 'error' },
    removed: { label: ['已下线', 'Removed'], tone: 'default' },
  },
  list: {
    columns: [
      'method',
      'path',
      'title',
      'titleEn',
      'group',
      'codes',
      'level',
      'calls',
      'errorRate',
      'averageMs',
      'p95',
      'lastCalledAt',
      'limitPerMinute',
      'state',
      'source',
      'totalCalls',
      'sunsetOn',
    ],
    hidden: ['titleEn', 'group', 'averageMs', 'source', 'totalCalls', 'sunsetOn'],
    filters: [
      'method',
      'group',
      'level',
      'menu',
      'state',
      'noElement',
      'neverCalled',
      'p95',
      'hasErrors',
      'source',
    ],
    tabs: [
      { key: 'live', label: ['在用', 'Live'], named: true },
      { key: 'public', label: ['公开', 'Public'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    sort: 'path',
    link: 'path',
    export: [
      'method',
      'path',
      'title',
      'group',
      'codes',
      'level',
      'calls',
      'errorRate',
      'averageMs',
      'p95',
      'lastCalledAt',
      'limitPerMinute',
      'state',
      'source',
      'totalCalls',
      'totalErrors',
      'sunsetOn',
      'replacement',
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['接口', 'Call'],
        fields: ['method', 'path', 'title', 'titleEn', 'group', 'codes', 'level', 'state', 'source'],
      },
      {
        title: ['规则', 'Rules'],
        fields: ['limitPerMinute', 'sunsetOn', 'replacement'],
      },
      {
        title: ['调用', 'Use'],
        fields: [
          'calls',
          'errors',
          'errorRate',
          'averageMs',
          'p95',
          'lastCalledAt',
          'totalCalls',
          'totalErrors',
        ],
      },
    ],
  },
  elements: {
    btn_diff: ['版本对比', 'Compare releases'],
    btn_tryWrite: ['试调写接口', 'Try calls that write'],
  },
  actions: {
    deprecate: {
      on: 'row',
      label: ['弃用', 'Deprecate'],
      element: 'btn_deprecate',
      from: ['active', 'deprecated'],
      to: 'deprecated',
      input: {
        sunsetOn: date(['下线日期', 'Sunset'], { required: true }),
        replacement: text(['替代接口', 'Replacement'], { max: 200 }),
      },
    },
    restore: {
      on: 'row',
      label: ['取消弃用', 'Undo deprecation'],
      element: 'btn_deprecate',
      from: ['deprecated'],
      to: 'active',
      confirm: ['取消「{path}」的弃用？', 'Undo the deprecation of "{path}"?'],
    },
    limit: {
      on: 'rowAndBulk',
      label: ['限流', 'Limit'],
      element: 'btn_limit',
      message: ['限流已设置', 'The limit is set'],
      from: ['active', 'deprecated', 'off'],
      input: {
        limitPerMinute: integer(['每分钟上限', 'Calls a minute'], {
          min: 1,
          max: 6000,
          help: ['每个调用方；留空恢复默认 600', 'Per caller; empty: back to 600'],
        }),
      },
    },
    off: {
      on: 'row',
      label: ['停用', 'Switch off'],
      element: 'btn_off',
      tone: 'danger',
      from: ['active', 'deprecated'],
      to: 'off',
      confirm: [
        '停用「{path}」？所有调用立即得到 503。',
        'Switch "{path}" off? Every call gets 503 at once.',
      ],
    },
    on: {
      on: 'row',
      label: ['启用', 'Switch on'],
      element: 'btn_on',
      from: ['off'],
      to: ['active', 'deprecated'],
    },
  },
});

export interface ApiCallRow extends Row<typeof apiCall> {}

/** Who may make a call: groups that hold a right for it, with the staff in them. */
export interface ApiCaller {
  readonly id: string;
  readonly name: string;
  readonly staff: number;
}

/** One hour of a call. */
export interface ApiHour {
  readonly at: string;
  readonly calls: number;
  readonly errors: number;
  readonly p95: number | null;
}

/** A call that was refused or failed. */
export interface ApiFailure {
  readonly id: string;
  readonly at: string;
  readonly http: number;
  readonly durationMs: number;
  readonly staff: string;
  readonly traceId: string;
}

/** What two releases do not have in common. */
export interface ReleaseDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}
