import { choice, code, instant, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

const statuses = {
  STARTING: { label: ['启动中', 'STARTING'] },
  UP: { label: ['正常', 'UP'], tone: 'success' },
  DOWN: { label: ['失联', 'DOWN'], tone: 'error' },
  OUT_OF_SERVICE: { label: ['停用', 'OUT_OF_SERVICE'], tone: 'warning' },
} as const;

/** A line of the registry's journal: an instance came, changed, went, or eviction was stopped. */
export const instanceEvent = defineResource({
  name: 'instanceEvent',
  menu: 'serviceEurekaManager',
  base: '/admin',
  title: ['注册事件', 'Journal of the registry'],
  noun: ['事件', 'Event'],
  titleField: 'instance',
  fields: {
    at: instant(['时间', 'Time'], { readOnly: true, sortable: true, search: 'range', width: 170 }),
    type: choice(
      ['类型', 'Type'],
      {
        REGISTERED: { label: ['注册', 'REGISTERED'], tone: 'success' },
        REGISTRATION_UPDATED: { label: ['变更', 'REGISTRATION_UPDATED'] },
        STATUS_CHANGED: { label: ['状态变化', 'STATUS_CHANGED'], tone: 'processing' },
        EVICTED: { label: ['剔除', 'EVICTED'], tone: 'error' },
        DEREGISTERED: { label: ['下线', 'DEREGISTERED'], tone: 'default' },
        PROTECTION_ON: { label: ['保护开启', 'PROTECTION_ON'], tone: 'warning' },
        PROTECTION_OFF: { label: ['保护关闭', 'PROTECTION_OFF'], tone: 'success' },
      },
      { readOnly: true, search: 'in', width: 120 },
    ),
    service: text(['服务', 'Service'], { readOnly: true, search: 'equals', width: 150 }),
    instance: code(['实例', 'Instance'], { readOnly: true, search: 'equals', width: 160 }),
    host: text(['主机', 'Host'], { readOnly: true, search: 'equals', width: 140 }),
    fromStatus: choice(['原状态', 'From'], statuses, { readOnly: true, width: 120 }),
    toStatus: choice(['新状态', 'To'], statuses, { readOnly: true, width: 120 }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 200 }),
    staff: ref('staff', ['操作人', 'By'], { readOnly: true, search: 'in', width: 100 }),
  },
  list: {
    columns: ['at', 'type', 'service', 'instance', 'host', 'fromStatus', 'toStatus', 'reason', 'staff'],
    filters: ['at', 'type', 'service', 'instance', 'host', 'staff'],
    sort: '-at',
    link: 'at',
    export: true,
    empty: ['没有事件', 'No events'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['事件', 'Event'],
        fields: ['at', 'type', 'service', 'instance', 'host', 'fromStatus', 'toStatus', 'reason', 'staff'],
      },
    ],
  },
});
