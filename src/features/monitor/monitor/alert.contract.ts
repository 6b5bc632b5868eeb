import { choice, decimal, instant, integer, longText, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { SEVERITIES } from './alert-rule.contract.ts';

/** A rule that is or was broken by one series: one live row for both together. */
export const alert = defineResource({
  name: 'alert',
  menu: 'serviceMonitorManager',
  base: '/admin',
  title: ['告警', 'Alerts'],
  noun: ['告警', 'Alert'],
  titleField: 'series',
  fields: {
    rule: ref('alertRule', ['规则', 'Rule'], { readOnly: true, search: 'in', width: 140 }),
    series: text(['对象', 'Series'], { readOnly: true, search: 'contains', width: 200 }),
    severity: choice(['级别', 'Severity'], SEVERITIES, { readOnly: true, search: 'in', width: 90 }),
    phase: choice(
      ['状态', 'State'],
      {
        pending: { label: ['待触发', 'Pending'], tone: 'default' },
        firing: { label: ['告警中', 'Firing'], tone: 'error' },
        acknowledged: { label: ['已认领', 'Acknowledged'], tone: 'processing' },
        silenced: { label: ['已静默', 'Silenced'], tone: 'paused' },
        recovered: { label: ['已恢复', 'Recovered'], tone: 'success' },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    value: decimal(['当前值', 'Value'], { readOnly: true, width: 90 }),
    peak: decimal(['峰值', 'Peak'], { readOnly: true, width: 90 }),
    startedAt: instant(['开始', 'Since'], { readOnly: true, sortable: true, search: 'range', width: 160 }),
    seconds: integer(['持续', 'Duration'], { readOnly: true, unit: ['秒', 's'], width: 100 }),
    firedAt: instant(['触发', 'Fired'], { readOnly: true, width: 150 }),
    recoveredAt: instant(['恢复', 'Recovered'], { readOnly: true, width: 150 }),
    ackedBy: ref('staff', ['认领人', 'Acknowledged by'], { readOnly: true, width: 100 }),
    ackedAt: instant(['认领时间', 'Acknowledged'], { readOnly: true, width: 150 }),
    notified: integer(['通知次数', 'Messages'], { readOnly: true, width: 90 }),
    note: longText(['备注', 'Note'], { readOnly: true, width: 160 }),
    runbook: longText(['处置手册', 'Runbook'], { readOnly: true }),
  },
  list: {
    columns: [
      'rule',
      'series',
      'severity',
      'phase',
      'value',
      'peak',
      'startedAt',
      'seconds',
      'ackedBy',
      'notified',
      'recoveredAt',
      'note',
    ],
    hidden: ['recoveredAt', 'note'],
    filters: ['rule', 'phase', 'severity', 'series', 'startedAt'],
    tabs: [
      { key: 'live', label: ['未恢复', 'Live'], named: true },
      { key: 'all', label: ['全部', 'All'], named: true },
    ],
    sort: '-startedAt',
    link: 'rule',
    export: true,
    empty: ['没有告警', 'No alerts'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['告警', 'Alert'],
        fields: ['rule', 'series', 'severity', 'phase', 'value', 'peak', 'startedAt', 'seconds', 'firedAt'],
      },
      {
        title: ['处理', 'Handling'],
        fields: ['ackedBy', 'ackedAt', 'notified', 'recoveredAt', 'note', 'runbook'],
      },
    ],
  },
  actions: {
    ack: {
      on: 'row',
      label: ['认领', 'Acknowledge'],
      element: 'btn_ack',
      remark: 'note',
      tone: 'primary',
      input: { note: longText(['备注', 'Note'], { required: true, min: 2, max: 200 }) },
    },
    silence: {
      on: 'row',
      label: ['静默', 'Silence'],
      element: 'btn_silence',
      untouched: true,
      input: {
        hours: integer(['时长', 'For'], {
          required: true,
          min: 1,
          max: 168,
          unit: ['小时', 'h'],
          initial: 2,
        }),
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
  },
});

/** What an alert watches: its metric with the limits of the rule, and since when. */
export interface WatchedAlert {
  readonly metric: string;
  readonly labels: string;
  readonly fire: number;
  readonly recover: number;
  /** Empty: of the product or a service. */
  readonly instance: string;
  readonly from: string;
  readonly to: string | null;
}
