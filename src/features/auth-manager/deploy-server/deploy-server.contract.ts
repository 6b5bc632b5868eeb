import {
  boolean,
  choice,
  decimal,
  instant,
  integer,
  longText,
  ref,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';
import { deployRecord } from './deploy-record.contract.ts';

/** A machine the product runs on: its row comes with the first instance that registers there. */
export const deployServer = defineResource({
  name: 'deployServer',
  menu: 'deployServerManager',
  base: '/admin',
  title: ['部署管理', 'Deployed servers'],
  noun: ['服务器', 'Server'],
  titleField: 'host',
  purpose: [
    '本系统运行在哪些服务器上、各是什么版本；维护中的服务器不再接收请求与任务',
    'Where the product runs and in which version; a server in maintenance gets no calls and no jobs',
  ],
  fields: {
    host: text(['服务器', 'Server'], {
      required: true,
      createOnly: true,
      keyword: true,
      sortable: true,
      max: 200,
      width: 150,
    }),
    label: text(['标签', 'Label'], { keyword: true, max: 40, width: 120 }),
    environment: choice(
      ['环境', 'Environment'],
      {
        prod: { label: ['生产', 'Production'], tone: 'error' },
        staging: { label: ['预发', 'Staging'], tone: 'warning' },
        test: { label: ['测试', 'Test'], tone: 'processing' },
        dev: { label: ['开发', 'Development'], tone: 'default' },
      },
      { required: true, search: 'in', initial: 'prod', width: 80 },
    ),
    owner: ref('staff', ['负责人', 'Owner'], { search: 'in', width: 100 }),
    addresses: tags(['地址', 'Addresses'], { readOnly: true, width: 150 }),
    os: text(['系统', 'System'], { readOnly: true, width: 140 }),
    cpuCount: integer(['CPU核数', 'CPUs'], { readOnly: true, width: 80 }),
    cpuLoad: decimal(['CPU负载', 'Load'], { readOnly: true, width: 80 }),
    memory: text(['内存', 'Memory'], { readOnly: true, numeric: true, width: 130 }),
    disk: text(['磁盘', 'Disk'], { readOnly: true, numeric: true, width: 130 }),
    runtime: text(['运行时', 'Runtime'], { readOnly: true, width: 110 }),
    services: tags(['服务与版本', 'Services and versions'], { readOnly: true, width: 230 }),
    service: text(['服务', 'Service'], { readOnly: true, search: 'equals' }),
    release: text(['版本', 'Version'], { readOnly: true, search: 'equals' }),
    startedAt: instant(['启动时间', 'Started'], { readOnly: true, sortable: true, width: 150 }),
    lastHeartbeatAt: instant(['最近心跳', 'Last heartbeat'], { readOnly: true, sortable: true, width: 150 }),
    standing: choice(
      ['状态', 'State'],
      {
        online: { label: ['在线', 'Online'], tone: 'success' },
        maintenance: { label: ['维护', 'Maintenance'], tone: 'warning' },
        offline: { label: ['离线', 'Offline'], tone: 'error' },
        missing: { label: ['缺失', 'Missing'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 80 },
    ),
    expected: boolean(['应存在', 'Expected'], { readOnly: true, search: 'equals', width: 80 }),
    maintenanceReason: text(['维护原因', 'Why in maintenance'], { readOnly: true }),
    maintenanceUntil: instant(['维护至', 'In maintenance until'], { readOnly: true }),
    note: longText(['备注', 'Note'], { max: 200 }),
  },
  list: {
    columns: [
      'host',
      'label',
      'environment',
      'standing',
      'services',
      'addresses',
      'os',
      'cpuCount',
      'cpuLoad',
      'memory',
      'disk',
      'runtime',
      'startedAt',
      'lastHeartbeatAt',
    ],
    hidden: ['os', 'cpuCount', 'runtime'],
    filters: ['environment', 'standing', 'service', 'release', 'owner', 'expected'],
    sort: 'host',
    export: true,
    empty: ['还没有服务器登记', 'No server has registered yet'],
  },
  form: {
    sections: [{ title: ['服务器', 'Server'], fields: ['host', 'label', 'environment', 'owner', 'note'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['服务器', 'Server'],
        fields: ['host', 'label', 'environment', 'owner', 'addresses', 'os', 'runtime', 'expected', 'note'],
      },
      {
        title: ['运行', 'Running'],
        fields: [
          'standing',
          'services',
          'cpuCount',
          'cpuLoad',
          'memory',
          'disk',
          'startedAt',
          'lastHeartbeatAt',
          'maintenanceReason',
          'maintenanceUntil',
        ],
      },
    ],
    parts: [
      part({ key: 'records', title: ['部署记录', 'Deploy records'], resource: deployRecord, by: 'server' }),
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['添加应存在的服务器', 'Add an expected server'],
      element: 'btn_expect',
      tone: 'primary',
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    drain: {
      on: 'row',
      label: ['维护', 'Drain'],
      element: 'btn_drain',
      input: {
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
        until: instant(['至', 'Until'], { help: ['不填则直到手动恢复', 'Empty: until it is put back'] }),
      },
    },
    force: {
      on: 'row',
      label: ['强制维护', 'Drain by force'],
      element: 'btn_force',
      tone: 'danger',
      input: {
        host: text(['输入服务器名称以确认', 'Type the name of the server'], { required: true, max: 200 }),
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
        until: instant(['至', 'Until']),
      },
    },
    resume: {
      on: 'row',
      label: ['恢复', 'Resume'],
      element: 'btn_resume',
      confirm: ['结束服务器 {host} 的维护？', 'End the maintenance of server {host}?'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除服务器 {host} 及其部署记录？', 'Delete server {host} with its deploy records?'],
    },
  },
});

/** Head of the screen. */
export interface DeploySummary {
  readonly online: number;
  readonly up: number;
  readonly versions: readonly string[];
  /** Services that run in several versions. */
  readonly mixed: readonly { readonly service: string; readonly versions: readonly string[] }[];
}

/** What runs and ran on a server. */
export interface ServerRunning {
  readonly instances: readonly {
    readonly instanceId: string;
    readonly service: string;
    readonly release: string;
    readonly role: string;
    readonly port: number | null;
    readonly status: string;
    readonly startedAt: string;
    readonly lastHeartbeatAt: string;
  }[];
  /** The last lines of the journal, newest first. */
  readonly events: readonly {
    readonly at: string;
    readonly type: string;
    readonly service: string;
    readonly instanceId: string;
    readonly from: string;
    readonly to: string;
    readonly reason: string;
  }[];
  /** Hours of the last seven days; what was not measured is null. */
  readonly load: readonly {
    readonly at: string;
    readonly cpu: number | null;
    readonly memoryMb: number | null;
    readonly diskFree: number | null;
  }[];
}
