import { choice, instant, json, longText, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** What happened to the system itself; never changed or removed. */
export const systemEvent = defineResource({
  name: 'systemEvent',
  menu: 'ssm_systemLog',
  base: '/admin',
  title: ['事件', 'Events'],
  noun: ['事件', 'Event'],
  purpose: [
    '启动、停止、升级、参数、备份、检查、任务告警与证书；不可修改或删除',
    'Starts, stops, migrations, settings, backups, checks, alerts of jobs and certificates; never changed',
  ],
  titleField: 'text',
  fields: {
    at: instant(['时间', 'Time'], { readOnly: true, sortable: true, search: 'range', width: 170 }),
    kind: choice(
      ['类型', 'Kind'],
      {
        start: { label: ['启动', 'Start'] },
        stop: { label: ['停止', 'Stop'] },
        migration: { label: ['升级', 'Migration'] },
        setting: { label: ['参数', 'Setting'] },
        backup: { label: ['备份', 'Backup'] },
        doctor: { label: ['检查', 'Check'] },
        job_dead: { label: ['任务告警', 'Job alert'], tone: 'error' },
        cert: { label: ['证书', 'Certificate'] },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    level: choice(
      ['级别', 'Level'],
      {
        info: { label: ['信息', 'Info'] },
        warning: { label: ['警告', 'Warning'], tone: 'warning' },
        error: { label: ['错误', 'Error'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    text: longText(['内容', 'What happened'], { readOnly: true, keyword: true, width: 420 }),
    textEn: longText(['英文内容', 'In English'], { readOnly: true, keyword: true, width: 420 }),
    instance: text(['实例', 'Instance'], { readOnly: true, search: 'contains', width: 150 }),
    detail: json(['详情', 'Detail'], { readOnly: true }),
  },
  list: {
    columns: ['at', 'kind', 'level', 'text', 'textEn', 'instance'],
    hidden: ['textEn'],
    filters: ['kind', 'level', 'at', 'instance'],
    sort: '-at',
    link: 'text',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'alerts', label: ['警告与错误', 'Warnings and errors'], filter: { level: 'warning,error' } },
    ],
    export: true,
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['事件', 'Event'],
        fields: ['at', 'kind', 'level', 'text', 'textEn', 'instance', 'detail'],
      },
    ],
  },
});

export interface SystemEventRow extends Row<typeof systemEvent> {}
