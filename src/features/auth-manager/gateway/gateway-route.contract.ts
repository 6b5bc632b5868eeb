import {
  boolean,
  choice,
  code,
  instant,
  integer,
  lines,
  longText,
  ref,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

const anyway = boolean(['样例失败仍发布', 'Publish although samples fail'], {
  help: [
    '发布前先发送样例请求，失败时需再次确认',
    'Samples are sent first; where one fails this confirms once more',
  ],
});
const reason = text(['原因', 'Reason'], { required: true, min: 2, max: 200 });

/** A path of this product that leads to another system. What runs is the published version, not what is being edited. */
export const gatewayRoute = defineResource({
  name: 'gatewayRoute',
  menu: 'gatewayManager',
  base: '/admin',
  title: ['网关路由', 'Gateway routes'],
  noun: ['路由', 'Route'],
  purpose: [
    '把路径转发到其他系统；编辑只改草稿，发布后 1 秒内对所有实例生效',
    'Paths that lead to other systems; editing changes a draft, publishing acts on all servers within a second',
  ],
  stamps: true,
  copy: true,
  fields: {
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      sortable: true,
      keyword: true,
      max: 40,
      width: 130,
      pattern: {
        source: '[a-z][a-z0-9-]{1,39}',
        message: ['2至40位小写字母、数字、连字符', '2 to 40 small letters, digits and hyphens'],
      },
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 140,
    }),
    prefix: text(['路径前缀', 'Prefix'], {
      required: true,
      keyword: true,
      sortable: true,
      max: 120,
      width: 160,
      pattern: {
        source: '/api/[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*',
        message: [
          '以 /api/ 开头，至少两段，结尾不带 /',
          'Begins with /api/, two segments or more, no slash at the end',
        ],
      },
    }),
    methods: tags(['方法', 'Methods'], { max: 7, width: 110, help: ['留空为全部', 'Empty: all'] }),
    targetKind: choice(
      ['目标类型', 'Target kind'],
      { url: { label: ['地址', 'URL'] }, service: { label: ['服务', 'Service'] } },
      { required: true, initial: 'url', search: 'in', width: 90 },
    ),
    service: ref('serviceClient', ['目标服务', 'Service'], { width: 110 }),
    url: text(['目标地址', 'URL'], {
      max: 300,
      width: 200,
      help: [
        'http(s)://主机[:端口][/路径]，主机须在上游主机列表',
        'http(s)://host[:port][/path]; the host must be listed',
      ],
    }),
    strip: integer(['去前缀', 'Strip'], { required: true, min: 0, max: 5, initial: 2, width: 80 }),
    preserveHost: boolean(['保留 Host', 'Preserve host']),
    timeoutMs: integer(['超时', 'Timeout'], {
      required: true,
      min: 100,
      max: 30_000,
      initial: 10_000,
      unit: ['毫秒', 'ms'],
      width: 100,
    }),
    retries: integer(['重试', 'Retries'], {
      required: true,
      min: 0,
      max: 2,
      initial: 0,
      width: 80,
      help: ['仅 GET、HEAD、PUT、DELETE', 'GET, HEAD, PUT and DELETE only'],
    }),
    ratePerMinute: integer(['限流', 'Rate per minute'], {
      required: true,
      min: 1,
      max: 60_000,
      initial: 600,
      width: 90,
    }),
    rateBy: choice(
      ['限流依据', 'Rate by'],
      { caller: { label: ['调用方', 'Caller'] }, address: { label: ['地址', 'Address'] } },
      { required: true, initial: 'caller' },
    ),
    bodyLimitMb: integer(['请求上限', 'Body limit'], {
      required: true,
      min: 1,
      max: 50,
      initial: 10,
      unit: ['MB', 'MB'],
    }),
    auth: choice(
      ['鉴权', 'Auth'],
      {
        permission: { label: ['需要权限', 'Permission'], tone: 'success' },
        service: { label: ['仅服务', 'Service'], tone: 'processing' },
        public: { label: ['公开', 'Public'], tone: 'warning' },
      },
      { required: true, initial: 'permission', search: 'in', width: 100 },
    ),
    permissionCode: text(['权限编码', 'Permission code'], {
      max: 80,
      help: ['菜单或按钮编码', 'Code of a menu or element'],
    }),
    allowAddresses: tags(['允许地址', 'Allowed addresses'], { max: 50 }),
    denyAddresses: tags(['拒绝地址', 'Denied addresses'], { max: 50 }),
    forwardIdentity: boolean(['转发身份', 'Forward identity'], {
      help: ['加上 X-Staff-Id 与 X-Tenant-Id', 'Adds X-Staff-Id and X-Tenant-Id'],
    }),
    headers: longText(['附加请求头', 'Extra headers'], {
      secret: true,
      max: 4000,
      help: [
        '每行“名称: 值”，加密保存，不再显示；留空不变',
        'One "Name: value" a line; kept encrypted and never shown; empty: unchanged',
      ],
    }),
    headerNames: tags(['附加请求头', 'Extra headers'], { readOnly: true }),
    samples: lines(
      ['样例请求', 'Sample requests'],
      {
        method: choice(
          ['方法', 'Method'],
          { GET: { label: ['GET', 'GET'] }, HEAD: { label: ['HEAD', 'HEAD'] } },
          { required: true, initial: 'GET' },
        ),
        path: text(['路径', 'Path'], {
          required: true,
          max: 300,
          placeholder: ['/api/parking/lots?x=1', '/api/parking/lots?x=1'],
        }),
        expect: integer(['期望状态', 'Expected status'], { min: 100, max: 599 }),
      },
      {
        max: 5,
        help: [
          '发布前先发送；不填期望状态则小于 400 为通过',
          'Sent before it is published; without a status anything below 400 will do',
        ],
      },
    ),
    position: integer(['顺序', 'Order'], {
      required: true,
      min: 0,
      max: 9999,
      initial: 100,
      sortable: true,
      width: 80,
    }),
    publishedVersion: integer(['版本', 'Version'], { readOnly: true, width: 80 }),
    dirty: boolean(['有未发布修改', 'Unpublished changes'], { readOnly: true, width: 110 }),
    circuit: choice(
      ['熔断', 'Circuit'],
      {
        closed: { label: ['关闭', 'Closed'], tone: 'success' },
        open: { label: ['打开', 'Open'], tone: 'error' },
        half_open: { label: ['半开', 'Half-open'], tone: 'warning' },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    calls: integer(['24小时调用', 'Calls in 24 h'], { readOnly: true, width: 100 }),
    errors: integer(['24小时错误', 'Errors in 24 h'], { readOnly: true, width: 100 }),
    p95: integer(['p95', 'p95'], { readOnly: true, unit: ['毫秒', 'ms'], width: 80 }),
    upstream: choice(
      ['上游', 'Upstream'],
      {
        up: { label: ['正常', 'Up'], tone: 'success' },
        down: { label: ['上游异常', 'Upstream down'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    certificateDays: integer(['证书剩余', 'Certificate'], {
      readOnly: true,
      unit: ['天', 'days'],
      width: 100,
    }),
    hasErrors: boolean(['有错误', 'Has errors'], { readOnly: true, search: 'equals' }),
    publishedAt: instant(['发布时间', 'Published'], { readOnly: true, width: 150 }),
  },
  states: {
    draft: { label: ['草稿', 'Draft'], tone: 'default' },
    published: { label: ['已发布', 'Published'], tone: 'success' },
    disabled: { label: ['已停用', 'Disabled'], tone: 'paused' },
  },
  list: {
    columns: [
      'code',
      'name',
      'prefix',
      'state',
      'circuit',
      'upstream',
      'methods',
      'targetKind',
      'service',
      'url',
      'strip',
      'auth',
      'ratePerMinute',
      'timeoutMs',
      'retries',
      'position',
      'publishedVersion',
      'dirty',
      'certificateDays',
      'calls',
      'errors',
      'p95',
      'updater',
      'updatedAt',
    ],
    hidden: [
      'methods',
      'targetKind',
      'strip',
      'timeoutMs',
      'retries',
      'position',
      'certificateDays',
      'updater',
    ],
    filters: ['state', 'targetKind', 'auth', 'circuit', 'upstream', 'hasErrors'],
    sort: 'code',
    link: 'code',
    export: true,
  },
  form: {
    width: 720,
    sections: [
      { title: ['路径', 'Path'], fields: ['code', 'name', 'prefix', 'methods', 'position'] },
      { title: ['目标', 'Target'], fields: ['targetKind', 'service', 'url', 'strip', 'preserveHost'] },
      {
        title: ['鉴权与限制', 'Rights and limits'],
        fields: [
          'auth',
          'permissionCode',
          'allowAddresses',
          'denyAddresses',
          'ratePerMinute',
          'rateBy',
          'bodyLimitMb',
        ],
      },
      {
        title: ['转发', 'Forwarding'],
        fields: ['timeoutMs', 'retries', 'forwardIdentity', 'headers', 'samples'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['路由（草稿）', 'Route (draft)'],
        fields: [
          'code',
          'name',
          'prefix',
          'methods',
          'targetKind',
          'service',
          'url',
          'strip',
          'preserveHost',
          'position',
        ],
      },
      {
        title: ['鉴权与限制', 'Rights and limits'],
        fields: [
          'auth',
          'permissionCode',
          'allowAddresses',
          'denyAddresses',
          'ratePerMinute',
          'rateBy',
          'bodyLimitMb',
        ],
      },
      {
        title: ['转发', 'Forwarding'],
        fields: ['timeoutMs', 'retries', 'forwardIdentity', 'headerNames', 'samples'],
      },
      {
        title: ['运行', 'Running'],
        fields: [
          'state',
          'publishedVersion',
          'publishedAt',
          'dirty',
          'circuit',
          'upstream',
          'certificateDays',
          'calls',
          'errors',
          'p95',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    publish: {
      on: 'row',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      tone: 'primary',
      from: ['draft', 'published', 'disabled'],
      to: 'published',
      input: { reason, anyway },
      message: ['已发布', 'Published'],
    },
    publishPublic: {
      on: 'row',
      label: ['公开发布', 'Publish to everybody'],
      element: 'btn_public',
      tone: 'danger',
      from: ['draft', 'published', 'disabled'],
      to: 'published',
      confirm: [
        '「{prefix}」将无需登录即可访问，确认发布？',
        '"{prefix}" can then be called without a token. Publish it?',
      ],
      input: { reason, anyway },
    },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_disable',
      tone: 'danger',
      from: ['published'],
      to: 'disabled',
      confirm: ['停用「{name}」？该路径立即返回 404。', 'Disable "{name}"? The path answers 404 at once.'],
    },
    rollback: {
      on: 'row',
      label: ['回滚', 'Roll back'],
      element: 'btn_rollback',
      from: ['published', 'disabled'],
      to: 'published',
      input: { no: integer(['版本', 'Version'], { required: true, min: 1 }), reason },
    },
    reset: {
      on: 'row',
      label: ['重置熔断', 'Reset the circuit'],
      element: 'btn_reset',
      from: ['published'],
      untouched: true,
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      from: ['draft', 'disabled'],
      confirm: ['删除「{name}」及其全部版本？', 'Delete "{name}" with all its versions?'],
    },
  },
  importable: {
    key: 'code',
    fields: [
      'code',
      'name',
      'prefix',
      'methods',
      'position',
      'targetKind',
      'service',
      'url',
      'strip',
      'preserveHost',
      'timeoutMs',
      'retries',
      'ratePerMinute',
      'rateBy',
      'bodyLimitMb',
      'auth',
      'permissionCode',
      'allowAddresses',
      'denyAddresses',
      'forwardIdentity',
    ],
    mode: 'upsert',
  },
  elements: { btn_try: ['试路由', 'Try a route'], btn_import: ['导入', 'Import'] },
});

export interface GatewayRouteRow extends Row<typeof gatewayRoute> {}

/** A published version of a route. */
export interface RouteVersion {
  readonly no: number;
  readonly at: string;
  readonly author: string;
  readonly reason: string;
  readonly rolledBackFrom: number | null;
  readonly current: boolean;
  readonly snapshot: Readonly<Record<string, unknown>>;
}

/** A request a route is tried with before it is published. */
export interface RouteSample {
  readonly method: 'GET' | 'HEAD';
  readonly path: string;
  readonly expect?: number | null;
}

/** Where a call would go now, and what it must pass. */
export interface TriedRoute {
  readonly matched: {
    readonly id: string;
    readonly code: string;
    readonly prefix: string;
    /** 0: its draft. */
    readonly version: number;
  } | null;
  readonly outgoing?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly allowed?: boolean;
  readonly refused?: readonly [string, string] | null;
  readonly auth?: 'permission' | 'service' | 'public';
  readonly permissionCode?: string;
  readonly ratePerMinute?: number;
  readonly rateBy?: 'caller' | 'address';
  readonly timeoutMs?: number;
  readonly retries?: number;
}

/** What came back of a call that was sent for real. */
export interface TriedSend {
  readonly status: number | null;
  readonly ms: number;
  readonly body: string;
  readonly problem: 'refused' | 'unreachable' | 'timeout' | 'tooLarge' | null;
}

/** One minute of a route. */
export interface RouteMinute {
  readonly at: string;
  readonly calls: number;
  readonly errors: number;
  readonly averageMs: number;
}
