import { boolean, choice, code, instant, longText, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';
import {
  GATE_DIRECTIONS,
  GATE_EVENTS,
  GATE_VENDORS,
  OPEN_OUTCOMES,
  type GateState,
} from '../../../domain/road-gate/road-gate.rules.ts';

/** Something that happened at a gate: a car, an opening, a fault, the line to it lost or back. */
export const roadGateEvent = defineResource({
  name: 'roadGateEvent',
  menu: 'ssm_roadGate',
  title: ['道闸事件', 'Gate events'],
  noun: ['事件', 'Event'],
  titleField: 'kind',
  sensitive: true,
  fields: {
    at: instant(['时间', 'Time'], { sortable: true, search: 'range', width: 150 }),
    gate: ref('roadGate', ['道闸', 'Gate'], { search: 'in', width: 150 }),
    kind: choice(['事件', 'Event'], GATE_EVENTS, { search: 'in', width: 110 }),
    plate: text(['车牌', 'Plate'], {
      search: 'equals',
      width: 110,
      help: ['列表仅显示首尾，可按完整车牌查找', 'Shown by its ends; found by the whole plate'],
    }),
    operator: ref('staff', ['操作人', 'Operator'], { search: 'in', width: 100 }),
    reason: text(['原因', 'Reason'], { width: 200 }),
    outcome: choice(['结果', 'Result'], OPEN_OUTCOMES, { search: 'in', width: 130 }),
  },
  list: {
    columns: ['at', 'gate', 'kind', 'plate', 'operator', 'reason', 'outcome'],
    filters: ['gate', 'kind', 'at', 'plate', 'operator', 'outcome'],
    sort: '-at',
    empty: ['近 180 天没有事件', 'Nothing happened in the last 180 days'],
  },
});

/** A barrier at an entrance of a project, with the device that moves it. */
export const roadGate = defineResource({
  name: 'roadGate',
  menu: 'ssm_roadGate',
  title: ['道闸管理', 'Road gates'],
  noun: ['道闸', 'Gate'],
  purpose: [
    '小区出入口的道闸：在线状态、远程抬杆与事件；超过设定时间没有心跳即为离线',
    'Barriers of the projects: whether they are online, opening them from afar, what happened; without heartbeat a gate is offline',
  ],
  stamps: true,
  deletable: 'unused',
  importable: {
    key: 'code',
    fields: ['code', 'name', 'project', 'lot', 'direction', 'vendor', 'deviceNo'],
    mode: 'upsert',
  },
  fields: {
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      keyword: true,
      sortable: true,
      max: 32,
      width: 130,
      pattern: {
        source: '[A-Za-z0-9][A-Za-z0-9_-]{1,31}',
        message: ['2至32位字母、数字、_ 或 -', '2 to 32 letters, digits, _ or -'],
      },
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 160,
    }),
    project: ref('project', ['项目', 'Project'], { required: true, search: 'in', width: 130 }),
    lot: text(['停车场', 'Lot'], { keyword: true, max: 40, width: 110 }),
    direction: choice(['方向', 'Direction'], GATE_DIRECTIONS, { required: true, search: 'in', width: 95 }),
    vendor: choice(['厂商', 'Vendor'], GATE_VENDORS, {
      required: true,
      search: 'in',
      width: 100,
      initial: 'sandbox',
      help: [
        '未接入的厂商由沙箱模拟；设备号以 SIM 开头的沙箱设备自动上报心跳',
        'A vendor that is not connected is played by the sandbox; its devices numbered SIM… send heartbeats by themselves',
      ],
    }),
    deviceNo: text(['设备号', 'Device no.'], {
      required: true,
      keyword: true,
      min: 2,
      max: 40,
      width: 130,
      help: ['同一厂商内唯一', 'Unique with its vendor'],
      pattern: {
        source: '[A-Za-z0-9][A-Za-z0-9:._-]{1,39}',
        message: ['2至40位字母、数字或 : . _ -', '2 to 40 letters, digits or : . _ -'],
      },
    }),
    key: text(['设备密钥', 'Device key'], {
      secret: true,
      min: 8,
      max: 200,
      help: ['只写不读，留空表示不修改', 'Never shown again; leave empty to keep it'],
    }),
    keyMark: text(['设备密钥', 'Device key'], { readOnly: true, width: 170 }),
    lastEvent: choice(['最近事件', 'Last event'], GATE_EVENTS, { readOnly: true, width: 100 }),
    lastEventAt: instant(['最近事件时间', 'Last event at'], { readOnly: true, sortable: true, width: 150 }),
    lastHeartbeatAt: instant(['最近心跳', 'Last heartbeat'], { readOnly: true, sortable: true, width: 150 }),
    qr: text(['二维码', 'QR code'], { readOnly: true, width: 120 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  states: {
    online: { label: ['在线', 'Online'], tone: 'success' },
    offline: { label: ['离线', 'Offline'], tone: 'error' },
    fault: { label: ['故障', 'Fault'], tone: 'warning' },
  },
  list: {
    columns: [
      'code',
      'name',
      'state',
      'project',
      'lot',
      'direction',
      'vendor',
      'deviceNo',
      'lastEvent',
      'lastEventAt',
      'lastHeartbeatAt',
      'enabled',
      'updater',
      'updatedAt',
    ],
    hidden: ['lastEventAt', 'updater', 'updatedAt'],
    filters: ['project', 'direction', 'vendor', 'state', 'enabled'],
    sort: 'code',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'online', label: ['在线', 'Online'], filter: { state: 'online' } },
      { key: 'offline', label: ['离线', 'Offline'], filter: { state: 'offline' } },
      { key: 'fault', label: ['故障', 'Fault'], filter: { state: 'fault' } },
    ],
    link: 'name',
    export: true,
  },
  form: {
    sections: [
      { title: ['道闸', 'Gate'], fields: ['code', 'name', 'project', 'lot', 'direction'] },
      { title: ['设备', 'Device'], fields: ['vendor', 'deviceNo', 'key'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      { title: ['道闸', 'Gate'], fields: ['code', 'name', 'project', 'lot', 'direction', 'enabled'] },
      {
        title: ['设备', 'Device'],
        fields: ['vendor', 'deviceNo', 'keyMark', 'state', 'lastHeartbeatAt', 'lastEvent', 'lastEventAt'],
      },
      { title: ['系统', 'System'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
    ],
    parts: [
      part({
        key: 'events',
        title: ['事件', 'Events'],
        resource: roadGateEvent as unknown as Resource,
        by: 'gate',
      }),
    ],
  },
  elements: { btn_import: ['导入', 'Import'], btn_qr: ['打印二维码', 'Print the QR code'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'offline' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    open: {
      on: 'row',
      label: ['远程抬杆', 'Open remotely'],
      element: 'btn_open',
      tone: 'primary',
      untouched: true,
      confirm: [
        '远程打开「{name}」？操作人与原因会被记录。',
        'Open "{name}" remotely? Who did it and why is kept.',
      ],
      input: { reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 100 }) },
      message: ['「{name}」已抬杆', '"{name}" is open'],
    },
    rotate: {
      on: 'row',
      label: ['更换密钥', 'Replace the key'],
      element: 'btn_edit',
      input: { key: text(['新密钥', 'New key'], { required: true, secret: true, min: 8, max: 200 }) },
    },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: [
        '停用「{name}」？不能再远程抬杆，也不再告警。',
        'Disable "{name}"? It can no longer be opened remotely and raises no alerts.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除「{name}」？它的事件也会删除。', 'Delete "{name}"? Its events go too.'],
    },
    lose: {
      on: 'system',
      label: ['离线', 'Offline'],
      element: 'btn_edit',
      from: ['online', 'fault'],
      to: 'offline',
      untouched: true,
    },
    recover: {
      on: 'system',
      label: ['恢复在线', 'Back online'],
      element: 'btn_edit',
      from: ['offline', 'fault'],
      to: 'online',
      untouched: true,
    },
    recoverFaulty: {
      on: 'system',
      label: ['恢复连接，故障未消除', 'Back, still at fault'],
      element: 'btn_edit',
      from: ['offline'],
      to: 'fault',
      untouched: true,
    },
    fail: {
      on: 'system',
      label: ['设备故障', 'Device fault'],
      element: 'btn_edit',
      from: ['online', 'offline'],
      to: 'fault',
      untouched: true,
    },
  },
});

export interface RoadGate extends Row<typeof roadGate> {}

/** A stretch of the state line of a gate. */
export interface StateSpanWire {
  readonly state: GateState | 'none';
  readonly from: string;
  readonly to: string;
}
