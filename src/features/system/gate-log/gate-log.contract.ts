import {
  boolean,
  choice,
  code,
  instant,
  integer,
  longText,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** One call of the API as it was answered: who, from where, what, how long; written after the answer. */
export const gateLog = defineResource({
  name: 'gateLog',
  menu: 'gateLogManager',
  base: '/admin',
  title: ['网关日志', 'Gate log'],
  noun: ['网关日志', 'Call'],
  purpose: [
    '每一次接口调用；密码、令牌、验证码不记录，个人信息脱敏，保留天数见参数 log.gate_days。一次最多查看31天，未选时间时为近31天',
    'Every call of the API; passwords, tokens and codes are not kept, personal data is masked; kept for log.gate_days. At most 31 days at a time, without a range the last 31',
  ],
  sensitive: true,
  titleField: 'traceId',
  fields: {
    at: instant(['时间', 'Time'], { readOnly: true, sortable: true, search: 'range', width: 190 }),
    ms: integer(['毫秒', 'Ms of the second'], { readOnly: true, width: 80 }),
    traceId: code(['链路号', 'Trace'], { readOnly: true, search: 'equals', width: 110 }),
    staff: ref('staff', ['员工', 'Staff'], { readOnly: true, search: 'in', width: 100 }),
    tenant: ref('tenant', ['租户', 'Tenant'], { readOnly: true, search: 'in', width: 150 }),
    address: text(['IP', 'IP'], { readOnly: true, search: 'equals', width: 115 }),
    method: choice(
      ['方法', 'Method'],
      {
        GET: { label: ['GET', 'GET'] },
        POST: { label: ['POST', 'POST'], tone: 'processing' },
        PUT: { label: ['PUT', 'PUT'], tone: 'warning' },
        DELETE: { label: ['DELETE', 'DELETE'], tone: 'error' },
        HEAD: { label: ['HEAD', 'HEAD'] },
        OPTIONS: { label: ['OPTIONS', 'OPTIONS'] },
        PATCH: { label: ['PATCH', 'PATCH'] },
      },
      { readOnly: true, search: 'in', width: 85 },
    ),
    path: text(['路径', 'Path'], {
      readOnly: true,
      search: 'contains',
      width: 230,
      help: ['按开头筛选', 'Filtered by its beginning'],
    }),
    menu: text(['菜单', 'Menu'], { readOnly: true, search: 'contains', width: 115 }),
    element: text(['操作', 'Element'], { readOnly: true, width: 190 }),
    http: integer(['HTTP', 'HTTP'], { readOnly: true, search: 'equals', width: 65 }),
    statusClass: choice(
      ['状态类', 'Status class'],
      {
        '2': { label: ['2xx 成功', '2xx success'], tone: 'success' },
        '3': { label: ['3xx 跳转', '3xx redirect'], tone: 'default' },
        '4': { label: ['4xx 拒绝', '4xx refused'], tone: 'warning' },
        '5': { label: ['5xx 故障', '5xx fault'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 110 },
    ),
    status: integer(['业务状态', 'Body status'], { readOnly: true, width: 95 }),
    durationMs: integer(['耗时', 'Duration'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      unit: ['毫秒', 'ms'],
      width: 95,
    }),
    size: integer(['大小', 'Size'], { readOnly: true, unit: ['字节', 'bytes'], width: 100 }),
    client: text(['客户端', 'Client'], { readOnly: true, search: 'equals', width: 90 }),
    instance: text(['实例', 'Instance'], { readOnly: true, width: 140 }),
    failed: boolean(['仅失败', 'Only failed'], { readOnly: true, search: 'equals' }),
    slow: boolean(['仅慢调用', 'Only slow'], { readOnly: true, search: 'equals' }),
    agent: longText(['浏览器', 'Agent'], { readOnly: true }),
    query: longText(['查询参数', 'Query'], { readOnly: true }),
    body: longText(['请求内容', 'Body'], { readOnly: true }),
  },
  list: {
    columns: [
      'at',
      'ms',
      'traceId',
      'staff',
      'tenant',
      'address',
      'method',
      'path',
      'menu',
      'element',
      'http',
      'status',
      'durationMs',
      'size',
      'client',
      'instance',
    ],
    hidden: ['ms', 'tenant', 'element', 'size', 'instance'],
    filters: [
      'at',
      'staff',
      'path',
      'menu',
      'method',
      'statusClass',
      'durationMs',
      'failed',
      'slow',
      'address',
      'client',
      'traceId',
      'http',
      'tenant',
    ],
    tabs: [
      { key: 'today', label: ['今天', 'Today'], named: true },
      { key: 'all', label: ['近期', 'Recent'], named: true },
    ],
    sort: '-at',
    link: 'at',
    export: true,
    empty: ['没有调用记录', 'No calls'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['调用', 'Call'],
        fields: ['at', 'traceId', 'staff', 'tenant', 'address', 'method', 'path', 'menu', 'element'],
      },
      {
        title: ['结果', 'Answer'],
        fields: ['http', 'status', 'durationMs', 'size', 'client', 'instance', 'agent'],
      },
      {
        title: ['请求', 'Request'],
        note: [
          '密码、令牌、验证码为 ******，个人信息脱敏，最多 4 KB',
          'Passwords, tokens and codes are ******, personal data is masked; 4 KB at most',
        ],
        fields: ['query', 'body'],
      },
    ],
  },
});

export interface GateCall extends Row<typeof gateLog> {}

/** What happened under the trace of a call, as far as the caller may read it; null where it holds no right for it. */
export interface CallTrace {
  readonly changes:
    | readonly {
        readonly id: string;
        readonly at: string;
        readonly action: string;
        readonly entity: string;
      }[]
    | null;
  readonly errors:
    | readonly {
        readonly id: string;
        readonly at: string;
        readonly message: string;
        readonly origin: string;
      }[]
    | null;
}
