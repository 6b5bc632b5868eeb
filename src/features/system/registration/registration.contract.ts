import {
  choice,
  boolean,
  date,
  instant,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import {
  APP_SOURCES,
  CHANNELS,
  HOUSEHOLD_STATUSES,
  IDENTITIES,
} from '../../../domain/residents/registration.rules.ts';

/** A member of the owner's app: how and when it registered, and the household that stands for it in its project. */
export const registration = defineResource({
  name: 'registration',
  menu: 'ssm_registrationDetails',
  title: ['注册明细', 'Registration details'],
  noun: ['注册会员', 'Registered member'],
  purpose: [
    '每个注册会员一行；房屋、身份取其所在项目中优先级最高的住户关系（正常优先）',
    'One row per member; house and identity are those of its household in its own project, normal ones first',
  ],
  titleField: 'name',
  sensitive: true,
  fields: {
    name: personName(['姓名', 'Name'], { width: 100 }),
    phone: phone(['手机号', 'Phone'], { search: 'equals', width: 130 }),
    project: ref('project', ['项目', 'Project'], { search: 'in', width: 150 }),
    building: { ...ref('building', ['楼栋', 'Building'], { search: 'in', width: 90 }), within: 'project' },
    unit: ref('buildingUnit', ['单元', 'Unit'], { width: 80 }),
    house: text(['房屋', 'House'], { width: 80 }),
    identity: choice(['身份', 'Identity'], IDENTITIES, { search: 'in', width: 90 }),
    status: choice(['住户状态', 'Household status'], HOUSEHOLD_STATUSES, { search: 'in', width: 110 }),
    bound: boolean(['已绑定', 'Bound'], { search: 'equals', width: 90 }),
    registeredAt: instant(['注册时间', 'Registered at'], { search: 'range', sortable: true, width: 150 }),
    boundAt: instant(['绑定时间', 'Bound at'], { width: 150 }),
    channel: choice(['注册渠道', 'Channel'], CHANNELS, { search: 'in', width: 110 }),
    appSource: choice(['应用来源', 'App source'], APP_SOURCES, { search: 'in', width: 120 }),
    inviter: personName(['邀请人', 'Inviter'], { width: 100 }),
    lastActiveOn: date(['最近活跃', 'Last active'], { sortable: true, width: 120 }),
    /** Asked by figures of activity only: days, and the app behind an @. */
    activity: text(['活跃期间', 'Active in'], { readOnly: true, search: 'equals' }),
  },
  list: {
    columns: [
      'name',
      'phone',
      'project',
      'building',
      'unit',
      'house',
      'identity',
      'status',
      'registeredAt',
      'boundAt',
      'channel',
      'appSource',
      'inviter',
      'lastActiveOn',
    ],
    filters: ['project', 'building', 'identity', 'channel', 'appSource', 'registeredAt', 'bound', 'phone'],
    sort: '-registeredAt',
    export: true,
    empty: ['还没有会员注册', 'No member has registered yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      { title: ['会员', 'Member'], fields: ['name', 'phone', 'lastActiveOn'] },
      {
        title: ['房屋', 'House'],
        fields: ['project', 'building', 'unit', 'house', 'identity', 'status', 'bound', 'boundAt'],
      },
      { title: ['注册', 'Registration'], fields: ['registeredAt', 'channel', 'appSource', 'inviter'] },
    ],
  },
});

export interface RegistrationRow extends Row<typeof registration> {}
