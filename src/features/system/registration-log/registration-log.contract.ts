import { boolean, choice, instant, personName, phone, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import {
  APP_SOURCES,
  CHANNELS,
  IDENTITIES,
  LOG_ACTIONS,
} from '../../../domain/residents/registration.rules.ts';

/** An attempt to register in the owner's app, to be bound to a house or to leave; lines are only added. */
export const registrationLog = defineResource({
  name: 'registrationLog',
  menu: 'ssm_registerLog',
  title: ['注册日志', 'Registration log'],
  noun: ['注册记录', 'Log line'],
  purpose: [
    '注册、绑定、审核、解绑、注销的每一次尝试；同一地址一小时内尝试过多会被标记',
    'Every attempt to register, be bound or leave; too many attempts of one address within an hour are marked',
  ],
  titleField: 'action',
  sensitive: true,
  fields: {
    at: instant(['时间', 'Time'], { search: 'range', sortable: true, width: 120 }),
    phone: phone(['手机号', 'Phone'], { search: 'equals', width: 130 }),
    member: personName(['会员', 'Member'], { width: 100 }),
    action: choice(['动作', 'Action'], LOG_ACTIONS, { search: 'in', width: 110 }),
    project: ref('project', ['项目', 'Project'], { search: 'in', width: 150 }),
    house: text(['房屋', 'House'], { width: 150 }),
    identity: choice(['身份', 'Identity'], IDENTITIES, { width: 90 }),
    channel: choice(['注册渠道', 'Channel'], CHANNELS, { width: 110 }),
    appSource: choice(['应用来源', 'App source'], APP_SOURCES, { width: 120 }),
    device: text(['设备', 'Device'], { width: 150 }),
    ip: text(['IP', 'IP'], { search: 'equals', max: 45, width: 130 }),
    result: choice(
      ['结果', 'Result'],
      {
        succeeded: { label: ['成功', 'Succeeded'], tone: 'success' },
        failed: { label: ['失败', 'Failed'], tone: 'error' },
      },
      { search: 'in', width: 115 },
    ),
    reason: text(['原因', 'Reason'], { width: 180 }),
    crowded: boolean(['频繁', 'Too many'], {
      search: 'equals',
      width: 90,
      help: [
        '该地址此前一小时内的注册次数已达 register.ip_limit',
        'The address had reached register.ip_limit registrations within the hour before',
      ],
    }),
  },
  list: {
    columns: [
      'at',
      'phone',
      'member',
      'action',
      'result',
      'reason',
      'project',
      'house',
      'identity',
      'channel',
      'appSource',
      'device',
      'ip',
      'crowded',
    ],
    filters: ['action', 'result', 'project', 'at', 'phone', 'ip', 'crowded'],
    sort: '-at',
    export: true,
    empty: ['还没有注册记录', 'Nobody has tried to register yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      { title: ['记录', 'Line'], fields: ['at', 'action', 'result', 'reason', 'phone', 'member'] },
      { title: ['房屋', 'House'], fields: ['project', 'house', 'identity'] },
      { title: ['来源', 'Origin'], fields: ['channel', 'appSource', 'device', 'ip', 'crowded'] },
    ],
  },
});

export interface RegistrationLogRow extends Row<typeof registrationLog> {}
