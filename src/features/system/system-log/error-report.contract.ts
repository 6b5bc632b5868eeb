import { choice, code, instant, integer, longText, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** Faults of one kind, from browsers and the server: who looks after them, and whether they came back. */
export const errorReport = defineResource({
  name: 'errorReport',
  menu: 'ssm_systemLog',
  base: '/admin',
  title: ['错误', 'Errors'],
  noun: ['错误', 'Error'],
  purpose: [
    '相同的错误归为一条；已解决的在新版本中再次出现时自动重新打开',
    'Equal faults are one row; a resolved one that returns in a newer release opens again',
  ],
  titleField: 'message',
  fields: {
    message: longText(['信息', 'Message'], { readOnly: true, keyword: true, width: 270 }),
    origin: choice(
      ['位置', 'Place'],
      { browser: { label: ['浏览器', 'Browser'] }, server: { label: ['服务端', 'Server'], tone: 'warning' } },
      { readOnly: true, search: 'in', width: 90 },
    ),
    place: text(['出处', 'Where'], { readOnly: true, keyword: true, search: 'contains', width: 180 }),
    path: text(['页面或路径', 'Page or path'], { readOnly: true, search: 'contains', width: 190 }),
    firstAt: instant(['首次出现', 'First seen'], { readOnly: true, sortable: true, width: 160 }),
    lastAt: instant(['最近出现', 'Last seen'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 160,
    }),
    times: integer(['次数', 'Count'], { readOnly: true, sortable: true, width: 85 }),
    affected: integer(['影响员工', 'Affected staff'], {
      readOnly: true,
      width: 120,
      help: ['近 30 天内遇到它的员工数', 'Staff who met it within the last 30 days'],
    }),
    release: code(['版本', 'Release'], { readOnly: true, search: 'equals', width: 120 }),
    handler: ref('staff', ['处理人', 'Handler'], { readOnly: true, search: 'in', width: 100 }),
    resolvedAt: instant(['解决时间', 'Resolved'], { readOnly: true, width: 160 }),
    userAgent: text(['浏览器信息', 'Browser'], { readOnly: true, max: 300 }),
    traceId: code(['链路号', 'Trace'], { readOnly: true, search: 'equals', width: 130 }),
    stack: longText(['堆栈', 'Stack'], { readOnly: true, max: 8_000 }),
  },
  states: {
    open: { label: ['待处理', 'Open'], tone: 'error' },
    handling: { label: ['处理中', 'In hand'], tone: 'processing' },
    resolved: { label: ['已解决', 'Resolved'], tone: 'success' },
    ignored: { label: ['已忽略', 'Ignored'], tone: 'paused' },
  },
  list: {
    columns: [
      'message',
      'origin',
      'place',
      'path',
      'state',
      'times',
      'affected',
      'lastAt',
      'firstAt',
      'release',
      'handler',
      'resolvedAt',
      'traceId',
    ],
    hidden: ['place', 'resolvedAt', 'traceId'],
    filters: ['state', 'origin', 'path', 'lastAt', 'release', 'handler', 'place', 'traceId'],
    sort: '-lastAt',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'open', label: ['待处理', 'Open'], filter: { state: 'open' } },
      { key: 'handling', label: ['处理中', 'In hand'], filter: { state: 'handling' } },
      { key: 'resolved', label: ['已解决', 'Resolved'], filter: { state: 'resolved' } },
      { key: 'ignored', label: ['已忽略', 'Ignored'], filter: { state: 'ignored' } },
    ],
    export: true,
    empty: ['没有错误', 'No errors'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['错误', 'Error'],
        fields: [
          'message',
          'origin',
          'place',
          'path',
          'times',
          'affected',
          'firstAt',
          'lastAt',
          'release',
          'handler',
          'resolvedAt',
          'userAgent',
          'traceId',
        ],
      },
    ],
  },
  actions: {
    assign: {
      on: 'rowAndBulk',
      label: ['指派', 'Assign'],
      element: 'btn_assign',
      to: 'handling',
      input: { handler: ref('staff', ['处理人', 'Handler'], { required: true }) },
    },
    resolve: {
      on: 'rowAndBulk',
      label: ['标为已解决', 'Resolve'],
      element: 'btn_resolve',
      from: ['open', 'handling'],
      to: 'resolved',
      tone: 'primary',
      confirm: [
        '标为已解决？之后在更新的版本中再次出现会自动重新打开。',
        'Mark as resolved? It opens again when it returns in a newer release.',
      ],
      input: { note: text(['说明', 'Note'], { max: 200 }) },
    },
    ignore: {
      on: 'rowAndBulk',
      label: ['忽略', 'Ignore'],
      element: 'btn_ignore',
      remark: 'note',
      from: ['open', 'handling'],
      to: 'ignored',
      input: { note: text(['原因', 'Reason'], { required: true, max: 200 }) },
    },
    reopen: {
      on: 'system',
      label: ['重新打开', 'Open again'],
      element: 'btn_resolve',
      from: ['resolved'],
      to: 'open',
      event: ['在新版本中再次出现', 'Returned in a newer release'],
    },
  },
});

export interface ErrorReportRow extends Row<typeof errorReport> {}

/** What the detail of an error shows besides its fields. */
export interface ErrorDetail {
  readonly reports: readonly {
    readonly id: string;
    readonly at: string;
    readonly staff: string | null;
    readonly release: string;
    readonly page: string;
    readonly times: number;
    readonly traceId: string;
  }[];
  /** Calls of the staff of the newest report right before it; null without the right to read the gate log. */
  readonly calls:
    | readonly {
        readonly at: string;
        readonly method: string;
        readonly path: string;
        readonly http: number;
        readonly ms: number;
        readonly sameTrace: boolean;
      }[]
    | null;
}
