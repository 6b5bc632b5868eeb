import {
  boolean,
  choice,
  choices,
  code,
  decimal,
  integer,
  longText,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { RULE_METRICS } from '../../../domain/monitoring/metric-names.rules.ts';

export const SEVERITIES = {
  critical: { label: ['严重', 'Critical'], tone: 'error' },
  warning: { label: ['警告', 'Warning'], tone: 'warning' },
  info: { label: ['提示', 'Info'], tone: 'processing' },
} as const;

/** When a measured value becomes an alert, when it is over, and who is told. */
export const alertRule = defineResource({
  name: 'alertRule',
  menu: 'serviceMonitorManager',
  base: '/admin',
  title: ['告警规则', 'Alert rules'],
  noun: ['告警规则', 'Alert rule'],
  purpose: [
    '数值超过触发值并持续一段时间才告警，低于恢复值并持续一段时间才恢复',
    'Fires when a value is over the fire value for a while, recovers when it is under the recover value for a while',
  ],
  stamps: true,
  titleField: 'name',
  fields: {
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      keyword: true,
      sortable: true,
      max: 40,
      width: 150,
      pattern: {
        source: '[a-z][a-z0-9_]{2,39}',
        message: [
          '以小写字母开头，3至40位小写字母、数字、下划线',
          '3 to 40 lower-case letters, digits and _',
        ],
      },
    }),
    name: text(['名称', 'Name'], { required: true, keyword: true, min: 2, max: 40, width: 130 }),
    nameEn: text(['英文名称', 'English name'], {
      required: true,
      keyword: true,
      min: 2,
      max: 60,
      width: 150,
    }),
    metric: choice(['指标', 'Metric'], RULE_METRICS, { required: true, search: 'in', width: 140 }),
    labels: text(['标签', 'Labels'], { max: 100, width: 100 }),
    scope: choice(
      ['范围', 'Scope'],
      {
        instance: { label: ['每个实例', 'Each instance'] },
        service: { label: ['每个服务', 'Each service'] },
        product: { label: ['整个系统', 'The whole product'] },
      },
      { required: true, initial: 'instance', width: 110 },
    ),
    aggregate: choice(
      ['合并方式', 'Aggregate'],
      {
        avg: { label: ['平均', 'Average'] },
        max: { label: ['最大', 'Maximum'] },
        min: { label: ['最小', 'Minimum'] },
        sum: { label: ['合计', 'Sum'] },
      },
      { required: true, initial: 'max', width: 90 },
    ),
    operator: choice(
      ['比较', 'Operator'],
      {
        above: { label: ['大于', 'Above'] },
        below: { label: ['小于', 'Below'] },
        absAbove: { label: ['绝对值大于', 'Absolute above'] },
      },
      { required: true, initial: 'above', width: 100 },
    ),
    fireValue: decimal(['触发值', 'Fire value'], { required: true, width: 90 }),
    recoverValue: decimal(['恢复值', 'Recover value'], {
      required: true,
      width: 90,
      help: ['必须优于触发值', 'Must be on the good side of the fire value'],
    }),
    fireForS: integer(['触发持续', 'Fires after'], {
      required: true,
      min: 0,
      max: 86_400,
      unit: ['秒', 's'],
      initial: 60,
      width: 100,
    }),
    recoverForS: integer(['恢复持续', 'Recovers after'], {
      required: true,
      min: 0,
      max: 86_400,
      unit: ['秒', 's'],
      initial: 120,
      width: 100,
    }),
    severity: choice(['级别', 'Severity'], SEVERITIES, { required: true, search: 'in', width: 90 }),
    repeatMinutes: integer(['重复间隔', 'Repeat'], {
      required: true,
      min: 0,
      max: 1440,
      unit: ['分钟', 'min'],
      initial: 30,
      width: 100,
      help: ['0为不重复', '0: never'],
    }),
    receivers: refs('staff', ['接收人', 'Receivers'], {
      help: ['不填则为持有本菜单的平台员工', 'Empty: platform staff who hold this menu'],
    }),
    channels: choices(
      ['渠道', 'Channels'],
      {
        notification: { label: ['站内', 'Notification'] },
        sms: { label: ['短信', 'SMS'] },
        email: { label: ['邮件', 'E-mail'] },
        webhook: { label: ['回调', 'Webhook'] },
      },
      { required: true },
    ),
    webhook: text(['回调地址', 'Webhook'], { max: 300 }),
    noData: choice(
      ['无数据时', 'Without data'],
      {
        keep: { label: ['保持', 'Keep'] },
        fire: { label: ['触发', 'Fire'] },
        ignore: { label: ['视为正常', 'Ignore'] },
      },
      { required: true, initial: 'keep', width: 100 },
    ),
    runbook: longText(['处置手册', 'Runbook'], { max: 2000 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
    builtin: boolean(['内置', 'Built in'], { readOnly: true, width: 80 }),
  },
  list: {
    columns: [
      'code',
      'name',
      'nameEn',
      'metric',
      'scope',
      'operator',
      'fireValue',
      'fireForS',
      'recoverValue',
      'recoverForS',
      'severity',
      'repeatMinutes',
      'noData',
      'enabled',
      'builtin',
      'updatedAt',
    ],
    hidden: ['nameEn', 'scope', 'noData', 'builtin', 'updatedAt'],
    filters: ['metric', 'severity', 'enabled'],
    sort: 'code',
    link: 'code',
    export: true,
  },
  form: {
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: ['code', 'name', 'nameEn', 'metric', 'labels', 'scope', 'aggregate'],
      },
      {
        title: ['条件', 'Condition'],
        fields: ['operator', 'fireValue', 'recoverValue', 'fireForS', 'recoverForS', 'noData'],
      },
      {
        title: ['通知', 'Messages'],
        fields: ['severity', 'repeatMinutes', 'receivers', 'channels', 'webhook', 'runbook'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['规则', 'Rule'],
        fields: ['code', 'name', 'nameEn', 'metric', 'labels', 'scope', 'aggregate', 'enabled', 'builtin'],
      },
      {
        title: ['条件', 'Condition'],
        fields: ['operator', 'fireValue', 'recoverValue', 'fireForS', 'recoverForS', 'noData'],
      },
      {
        title: ['通知', 'Messages'],
        fields: ['severity', 'repeatMinutes', 'receivers', 'channels', 'webhook', 'runbook'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_rule_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_rule_edit' },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_rule_enable' },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_rule_enable',
      confirm: ['停用规则「{name}」？其告警随之结束。', 'Disable rule "{name}"? Its alerts end with it.'],
    },
    test: {
      on: 'row',
      label: ['试算', 'Test'],
      element: 'btn_rule_test',
      untouched: true,
      message: ['近7天会触发 {count} 次 {when}', 'Would have fired {count} times in 7 days {when}'],
    },
  },
});
