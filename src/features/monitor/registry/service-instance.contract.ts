import { choice, code, instant, integer, json, longText, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A running process of a service: it keeps its row alive by heartbeats and loses it when they stop. */
export const serviceInstance = defineResource({
  name: 'serviceInstance',
  menu: 'serviceEurekaManager',
  base: '/admin',
  title: ['服务注册中心', 'Service registry'],
  noun: ['实例', 'Instance'],
  titleField: 'instanceId',
  purpose: [
    '哪些服务实例在运行；失去心跳的实例自动下线并移除',
    'Which instances of the services run; those without heartbeat go down and are removed',
  ],
  fields: {
    service: text(['服务', 'Service'], {
      readOnly: true,
      keyword: true,
      sortable: true,
      search: 'equals',
      width: 150,
    }),
    instanceId: code(['实例', 'Instance id'], {
      readOnly: true,
      keyword: true,
      search: 'equals',
      width: 150,
    }),
    address: text(['地址', 'Address'], { readOnly: true, width: 170 }),
    zone: text(['区域', 'Zone'], { readOnly: true, search: 'equals', width: 90 }),
    release: text(['版本', 'Release'], { readOnly: true, keyword: true, search: 'equals', width: 130 }),
    role: choice(
      ['角色', 'Role'],
      {
        web: { label: ['网站', 'Web'] },
        worker: { label: ['任务', 'Worker'] },
        external: { label: ['外部', 'External'] },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    downReason: text(['失败的检查', 'Failing check'], { readOnly: true, width: 140 }),
    weight: integer(['权重', 'Weight'], { readOnly: true, min: 0, max: 100, width: 70 }),
    startedAt: instant(['启动时间', 'Started'], { readOnly: true, sortable: true, width: 150 }),
    uptime: integer(['运行时长', 'Uptime'], { readOnly: true, unit: ['秒', 's'], width: 110 }),
    silentSeconds: integer(['最近心跳', 'Last heartbeat'], {
      readOnly: true,
      unit: ['秒前', 's ago'],
      width: 110,
    }),
    leaseSeconds: integer(['租约', 'Lease'], { readOnly: true, unit: ['秒', 's'], width: 80 }),
    metadata: json(['元数据', 'Metadata'], { readOnly: true, width: 180 }),
    checks: json(['检查', 'Checks'], { readOnly: true }),
    pid: integer(['进程号', 'Pid'], { readOnly: true }),
    runtime: text(['运行时', 'Runtime'], { readOnly: true }),
    overrideReason: text(['停用原因', 'Why out of service'], { readOnly: true }),
    overrideUntil: instant(['停用至', 'Out of service until'], { readOnly: true }),
  },
  states: {
    STARTING: { label: ['启动中', 'STARTING'], tone: 'default' },
    UP: { label: ['正常', 'UP'], tone: 'success' },
    DOWN: { label: ['失联', 'DOWN'], tone: 'error' },
    OUT_OF_SERVICE: { label: ['停用', 'OUT_OF_SERVICE'], tone: 'warning' },
  },
  list: {
    columns: [
      'service',
      'instanceId',
      'address',
      'zone',
      'release',
      'role',
      'state',
      'downReason',
      'weight',
      'startedAt',
      'uptime',
      'silentSeconds',
      'leaseSeconds',
      'metadata',
    ],
    hidden: ['zone', 'leaseSeconds', 'metadata'],
    filters: ['service', 'state', 'zone', 'release', 'role', 'instanceId'],
    sort: 'service',
    link: 'instanceId',
    export: true,
    empty: ['没有已注册的实例', 'No instance is registered'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['实例', 'Instance'],
        fields: [
          'service',
          'instanceId',
          'role',
          'address',
          'pid',
          'zone',
          'release',
          'runtime',
          'weight',
          'metadata',
        ],
      },
      {
        title: ['状态', 'Status'],
        fields: [
          'state',
          'downReason',
          'checks',
          'overrideReason',
          'overrideUntil',
          'startedAt',
          'uptime',
          'silentSeconds',
          'leaseSeconds',
        ],
      },
    ],
  },
  elements: { btn_external: ['外部地址', 'Outside addresses'] },
  actions: {
    out: {
      on: 'row',
      label: ['停用', 'Take out'],
      element: 'btn_out',
      from: ['UP'],
      to: 'OUT_OF_SERVICE',
      input: {
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
        until: instant(['至', 'Until'], { help: ['不填则直到手动恢复', 'Empty: until it is put back'] }),
      },
    },
    in: {
      on: 'row',
      label: ['恢复', 'Put back'],
      element: 'btn_in',
      from: ['OUT_OF_SERVICE'],
      to: ['UP', 'STARTING', 'DOWN', 'OUT_OF_SERVICE'],
      confirm: ['恢复实例 {instanceId}？', 'Put instance {instanceId} back?'],
    },
    weight: {
      on: 'row',
      label: ['权重', 'Weight'],
      element: 'btn_weight',
      message: ['权重已设置', 'The weight is set'],
      input: { weight: integer(['权重', 'Weight'], { required: true, min: 0, max: 100 }) },
    },
    metadata: {
      on: 'row',
      label: ['元数据', 'Metadata'],
      element: 'btn_metadata',
      message: ['元数据已保存', 'The metadata is saved'],
      input: {
        metadata: longText(['元数据', 'Metadata'], {
          required: true,
          max: 2000,
          help: ['JSON 对象，值为文本、数字或布尔', 'A JSON object of texts, numbers and booleans'],
        }),
      },
    },
    remove: {
      on: 'row',
      label: ['移除', 'Remove'],
      element: 'btn_remove',
      tone: 'danger',
      from: ['DOWN'],
      confirm: ['移除实例 {instanceId}？注册日志保留。', 'Remove instance {instanceId}? Its journal stays.'],
    },
  },
});

export interface ServiceInstance extends Row<typeof serviceInstance> {}

/** Head of the registry. */
export interface RegistrySummary {
  readonly services: number;
  readonly up: number;
  readonly expectedPerMinute: number;
  readonly renewalsLastMinute: number;
  readonly protected: boolean;
  readonly since: string;
}
