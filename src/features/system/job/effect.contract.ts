import { choice, code, instant, integer, longText, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** States of what is on its way out of the database. */
export const OUTBOX_STATES = {
  pending: { label: ['待发送', 'Waiting'], tone: 'processing' },
  done: { label: ['已发送', 'Sent'], tone: 'success' },
  dead: { label: ['失败', 'Failed'], tone: 'error' },
  dropped: { label: ['放弃', 'Dropped'], tone: 'paused' },
} as const;

/** What carries a message or a piece of work out. */
export const CHANNELS = {
  sms: { label: ['短信', 'SMS'] },
  mail: { label: ['邮件', 'E-mail'] },
  push: { label: ['推送', 'Push'] },
  wechat: { label: ['微信', 'WeChat'] },
  payment: { label: ['支付', 'Payment'] },
  internal: { label: ['内部', 'Internal'] },
} as const;

/** Fields every list of the outbox shows. */
export const outboxFields = {
  kind: code(['类型', 'Kind'], { readOnly: true, search: 'contains', keyword: true, width: 170 }),
  channel: choice(['渠道', 'Channel'], CHANNELS, { readOnly: true, search: 'in', width: 80 }),
  attempts: integer(['次数', 'Tries'], { readOnly: true, sortable: true, width: 80 }),
  lastError: longText(['原因', 'Reason'], { readOnly: true, keyword: true, width: 280 }),
  createdAt: instant(['创建时间', 'Created'], {
    readOnly: true,
    sortable: true,
    search: 'range',
    width: 160,
  }),
  availableAt: instant(['下次尝试', 'Next try'], { readOnly: true, width: 160 }),
  doneAt: instant(['完成时间', 'Done'], { readOnly: true, width: 160 }),
} as const;

/** Tabs of every list of the outbox. */
export const outboxTabs = [
  { key: 'all', label: ['全部', 'All'] },
  { key: 'waiting', label: ['待发送', 'Waiting'], named: true },
  { key: 'failing', label: ['重试中', 'Failing'], named: true },
  { key: 'dead', label: ['失败', 'Failed'], filter: { state: 'dead' } },
  { key: 'dropped', label: ['放弃', 'Dropped'], filter: { state: 'dropped' } },
] as const;

/** Actions of every list of the outbox. */
export const outboxActions = {
  retry: {
    on: 'rowAndBulk',
    label: ['重试', 'Try again'],
    element: 'btn_retry',
    from: ['pending', 'dead', 'dropped'],
    to: 'pending',
    tone: 'primary',
    confirm: ['重新发送 {kind}？', 'Try {kind} again?'],
  },
  drop: {
    on: 'rowAndBulk',
    label: ['放弃', 'Drop'],
    element: 'btn_drop',
    remark: 'reason',
    from: ['pending', 'dead'],
    to: 'dropped',
    tone: 'danger',
    confirm: [
      '放弃 {kind}？它不会再被发送；涉及支付、退款的请先核实对方结果。',
      'Drop {kind}? It will not be sent any more; where money is concerned, check the other side first.',
    ],
    input: { reason: text(['原因', 'Reason'], { required: true, max: 200 }) },
  },
} as const;

/** Work after commit that waits, fails or was given up: effects of the outbox, whatever they carry. */
export const effect = defineResource({
  name: 'effect',
  menu: 'jobManager',
  base: '/admin',
  title: ['发件箱', 'Outbox'],
  noun: ['外发', 'Effect'],
  purpose: [
    '提交后才执行的外发工作；失败后按 1、2、5、10、30 分钟及每小时重试，20 次后停止',
    'Work that leaves after commit; tried again after 1, 2, 5, 10, 30 minutes and hourly, 20 times',
  ],
  titleField: 'kind',
  fields: outboxFields,
  states: OUTBOX_STATES,
  list: {
    columns: ['kind', 'channel', 'state', 'attempts', 'lastError', 'availableAt', 'createdAt', 'doneAt'],
    hidden: ['doneAt'],
    filters: ['state', 'channel', 'kind', 'createdAt'],
    sort: '-createdAt',
    tabs: outboxTabs,
    export: true,
    empty: ['没有外发工作', 'Nothing on its way out'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['外发', 'Effect'],
        fields: ['kind', 'channel', 'attempts', 'lastError', 'availableAt', 'createdAt', 'doneAt'],
      },
    ],
  },
  actions: outboxActions,
});

export interface EffectRow extends Row<typeof effect> {}
