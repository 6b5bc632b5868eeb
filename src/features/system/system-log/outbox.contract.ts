import { choice, longText, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { OUTBOX_STATES, outboxActions, outboxFields, outboxTabs } from '../job/effect.contract.ts';

/** Messages and channel calls on their way out, with receiver and content as far as anybody may read them. */
export const outbox = defineResource({
  name: 'outbox',
  menu: 'ssm_systemLog',
  base: '/admin',
  title: ['发件箱', 'Outbox'],
  noun: ['外发消息', 'Message'],
  purpose: [
    '短信、邮件、推送、微信与支付渠道的外发；验证码和密码不显示，正文一天后清理',
    'SMS, e-mail, push, WeChat and payment channels; codes and passwords are never shown and gone after a day',
  ],
  sensitive: true,
  titleField: 'template',
  fields: {
    ...outboxFields,
    receiver: text(['接收人', 'Receiver'], { readOnly: true, width: 150 }),
    template: choice(
      ['模板', 'Template'],
      {
        password: { label: ['找回密码', 'Password code'] },
        phone: { label: ['手机验证', 'Phone code'] },
        initialPassword: { label: ['初始密码', 'First password'] },
        notification: { label: ['站内通知', 'Notification'] },
        phoneChanged: { label: ['手机号变更', 'Phone changed'] },
        ssoChanged: { label: ['单点登录变更', 'Single sign-on changed'] },
        emailChanged: { label: ['邮箱变更', 'E-mail changed'] },
        payment: { label: ['渠道调用', 'Channel call'] },
        other: { label: ['其他', 'Other'] },
      },
      { readOnly: true, search: 'in', width: 120 },
    ),
    content: longText(['内容', 'Content'], { readOnly: true, width: 300 }),
  },
  states: OUTBOX_STATES,
  list: {
    columns: [
      'template',
      'channel',
      'receiver',
      'content',
      'state',
      'attempts',
      'availableAt',
      'lastError',
      'createdAt',
      'doneAt',
      'kind',
    ],
    hidden: ['doneAt', 'kind'],
    filters: ['state', 'channel', 'template', 'createdAt', 'kind'],
    sort: '-createdAt',
    tabs: outboxTabs,
    export: true,
    empty: ['没有外发消息', 'No messages'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['消息', 'Message'],
        fields: [
          'template',
          'channel',
          'receiver',
          'content',
          'attempts',
          'lastError',
          'availableAt',
          'createdAt',
          'doneAt',
          'kind',
        ],
      },
    ],
  },
  actions: outboxActions,
});

export interface OutboxRow extends Row<typeof outbox> {}
