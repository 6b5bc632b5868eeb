import {
  boolean,
  choice,
  decimal,
  email,
  image,
  integer,
  lines,
  phone,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

const CLOCK = {
  source: '^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$',
  message: ['请填写 09:00 这样的时间', 'Write a time like 09:00'],
} as const;

const WEEKDAYS = {
  '1': { label: ['周一', 'Mon'] },
  '2': { label: ['周二', 'Tue'] },
  '3': { label: ['周三', 'Wed'] },
  '4': { label: ['周四', 'Thu'] },
  '5': { label: ['周五', 'Fri'] },
  '6': { label: ['周六', 'Sat'] },
  '7': { label: ['周日', 'Sun'] },
} as const;

/** Staff of customer service: what they answer and when they are on duty decides who gets new advice. */
export const customerStaff = defineResource({
  name: 'customerStaff',
  menu: 'cs_customer',
  title: ['客服人员', 'Customer-service staff'],
  noun: ['客服人员', 'Customer-service person'],
  purpose: [
    '新的投诉建议分给当班、受理该类型且待办最少的客服；表扬归受理建议的客服',
    'New advice goes to who is on duty, answers its type and has the fewest open items; praise goes with suggestions',
  ],
  titleField: 'name',
  sensitive: true,
  stamps: true,
  fields: {
    staff: ref('customerCandidate', ['员工', 'Staff'], {
      createOnly: true,
      width: 120,
      help: [
        '从本公司在职员工中选择；新人留空',
        'Somebody who works for the company; empty for a new person',
      ],
    }),
    newName: text(['新人姓名', 'Name of a new person'], { createOnly: true, min: 2, max: 20, width: 110 }),
    mobilePhone: phone(['新人手机', 'Phone of a new person'], {
      createOnly: true,
      width: 130,
      pattern: {
        source: '1\\d{10}',
        message: ['请输入11位手机号', 'Please enter a mobile number of 11 digits'],
      },
      help: ['即账号，一次性密码发到此号码', 'The account; the one-time password is sent to it'],
    }),
    department: treeRef('department', ['新人分组', 'Group of a new person'], {
      createOnly: true,
      width: 110,
    }),
    name: text(['姓名', 'Name'], { readOnly: true, keyword: true, width: 100 }),
    photo: image(['照片', 'Photo'], { readOnly: true, width: 72 }),
    sex: choice(
      ['性别', 'Sex'],
      {
        '1': { label: ['男', 'Male'] },
        '0': { label: ['女', 'Female'] },
        '2': { label: ['未知', 'Unknown'] },
      },
      { readOnly: true, width: 70 },
    ),
    phone: phone(['电话', 'Phone'], { readOnly: true, search: 'equals', width: 130 }),
    email: email(['邮箱', 'E-mail'], { readOnly: true, width: 170 }),
    projects: refs('project', ['项目', 'Projects'], { readOnly: true, width: 180 }),
    complaint: boolean(['受理投诉', 'Complaints'], { search: 'equals', initial: true, width: 100 }),
    suggestion: boolean(['受理建议', 'Suggestions'], { search: 'equals', initial: true, width: 100 }),
    enquiry: boolean(['受理咨询', 'Enquiries'], { search: 'equals', initial: true, width: 100 }),
    duty: lines(
      ['值班表', 'Duty table'],
      {
        weekday: choice(['星期', 'Weekday'], WEEKDAYS, { required: true }),
        fromTime: text(['从', 'From'], { required: true, pattern: CLOCK, placeholder: ['09:00', '09:00'] }),
        toTime: text(['到', 'To'], { required: true, pattern: CLOCK, placeholder: ['18:00', '18:00'] }),
      },
      { max: 42, help: ['没有值班时间则不会自动分到投诉建议', 'Without hours nothing is given by itself'] },
    ),
    onDuty: boolean(['当班', 'On duty'], { readOnly: true, width: 80 }),
    openItems: integer(['待回复', 'Open items'], { readOnly: true, width: 90 }),
    firstReply: decimal(['平均首次回复', 'Average first reply'], {
      readOnly: true,
      scale: 1,
      unit: ['小时', 'h'],
      width: 130,
      help: ['近 90 天，自提交起的小时数', 'Of the last 90 days, hours since it was handed in'],
    }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'name',
      'photo',
      'sex',
      'phone',
      'email',
      'projects',
      'complaint',
      'suggestion',
      'enquiry',
      'onDuty',
      'openItems',
      'firstReply',
      'enabled',
    ],
    hidden: ['email'],
    filters: ['complaint', 'suggestion', 'enquiry', 'enabled', 'phone'],
    sort: '-createdAt',
    link: 'name',
    empty: ['还没有客服人员', 'There is no customer-service staff yet'],
  },
  form: {
    width: 680,
    sections: [
      { title: ['员工', 'Person'], fields: ['staff', 'newName', 'mobilePhone', 'department'] },
      { title: ['受理', 'Answers'], fields: ['complaint', 'suggestion', 'enquiry'] },
      { title: ['值班', 'Duty'], fields: ['duty'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['客服', 'Person'],
        fields: ['name', 'photo', 'sex', 'phone', 'email', 'projects', 'complaint', 'suggestion', 'enquiry'],
      },
      { title: ['值班', 'Duty'], fields: ['duty', 'onDuty', 'openItems', 'firstReply', 'enabled'] },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      confirm: [
        '停用「{name}」？不再自动分到新的投诉建议，已有的仍由其处理。',
        'Disable “{name}”? Nothing new is given by itself; what is open stays.',
      ],
    },
    remove: {
      on: 'row',
      label: ['移除', 'Remove'],
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '将「{name}」移出客服？员工账号保留。',
        'Take “{name}” out of customer service? The staff account stays.',
      ],
    },
  },
});

export interface CustomerStaff extends Row<typeof customerStaff> {}
