import { choice, instant, longText, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** A time in which alerts of a rule, service or instance are looked at, but nobody is told. */
export const alertSilence = defineResource({
  name: 'alertSilence',
  menu: 'serviceMonitorManager',
  base: '/admin',
  title: ['静默', 'Silences'],
  noun: ['静默', 'Silence'],
  titleField: 'reason',
  stamps: true,
  fields: {
    scope: choice(
      ['范围', 'Scope'],
      {
        rule: { label: ['规则', 'Rule'] },
        service: { label: ['服务', 'Service'] },
        instance: { label: ['实例', 'Instance'] },
        all: { label: ['全部', 'All'] },
      },
      { required: true, search: 'in', width: 90 },
    ),
    rule: ref('alertRule', ['规则', 'Rule'], { search: 'in', width: 140 }),
    service: text(['服务', 'Service'], { max: 40, width: 140 }),
    instance: text(['实例', 'Instance'], { max: 64, width: 160 }),
    live: choice(
      ['状态', 'State'],
      {
        live: { label: ['生效', 'Live'], tone: 'processing' },
        ended: { label: ['已结束', 'Ended'], tone: 'default' },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    startsAt: instant(['开始', 'From'], { readOnly: true, sortable: true, width: 150 }),
    until: instant(['至', 'Until'], {
      required: true,
      sortable: true,
      width: 150,
      help: ['最长7天，全局最长4小时', 'At most 7 days, 4 hours for all'],
    }),
    reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200, width: 200 }),
  },
  list: {
    columns: ['scope', 'rule', 'service', 'instance', 'live', 'startsAt', 'until', 'reason', 'creator'],
    filters: ['scope', 'rule', 'live'],
    sort: '-until',
    link: 'scope',
    export: true,
    empty: ['没有静默', 'No silences'],
  },
  form: {
    sections: [
      { title: ['静默', 'Silence'], fields: ['scope', 'rule', 'service', 'instance', 'until', 'reason'] },
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增静默', 'Add a silence'],
      element: 'btn_silence',
      tone: 'primary',
      message: ['静默已生效', 'The silence holds'],
    },
    end: {
      on: 'row',
      label: ['结束', 'End'],
      element: 'btn_silence',
      confirm: ['现在结束这条静默？', 'End this silence now?'],
      message: ['静默已结束', 'The silence has ended'],
    },
  },
});
