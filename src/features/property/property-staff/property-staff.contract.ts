import {
  boolean,
  choice,
  code,
  date,
  email,
  image,
  images,
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

const reason = { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) };

/** Somebody of the own company as the property work needs it: skills, certificates, area, shift and open orders. */
export const propertyStaff = defineResource({
  name: 'propertyStaff',
  menu: 'cs_promanager',
  titleField: 'name',
  sensitive: true,
  stamps: true,
  title: ['物业人员管理', 'Property staff'],
  noun: ['人员', 'Person'],
  purpose: [
    '本公司人员的技能、证件、负责区域与班次，决定谁能被派单；账号密码以短信发送，首次登录须修改',
    'Skills, certificates, areas and shifts of the company’s people decide who can be given orders; the password comes by SMS and is changed at the first sign-in',
  ],
  fields: {
    name: text(['姓名', 'Name'], { required: true, keyword: true, min: 2, max: 20, width: 90 }),
    account: code(['账号', 'Account'], { readOnly: true, keyword: true, width: 130 }),
    sex: choice(
      ['性别', 'Sex'],
      {
        female: { label: ['女', 'Female'] },
        male: { label: ['男', 'Male'] },
        unknown: { label: ['未知', 'Unknown'] },
      },
      { width: 64 },
    ),
    mobilePhone: phone(['电话', 'Phone'], {
      required: true,
      search: 'equals',
      width: 126,
      pattern: {
        source: '1\\d{10}',
        message: ['请输入11位手机号', 'Please enter a mobile number of 11 digits'],
      },
      help: ['公司内唯一，一次性密码发到此号码', 'Unique; the one-time password is sent to it'],
    }),
    email: email(['邮箱', 'E-mail'], { width: 160 }),
    photo: image(['照片', 'Photo'], { width: 72 }),
    department: treeRef('department', ['人员分组', 'Group'], { required: true, search: 'in', width: 110 }),
    skills: refs('workSkill', ['技能', 'Skills'], { search: 'in', max: 20, width: 150 }),
    certificates: lines(
      ['证件', 'Certificates'],
      {
        kind: text(['类型', 'Kind'], { required: true, max: 40, placeholder: ['电工证', 'Electrician'] }),
        number: text(['证号', 'Number'], { required: true, max: 40 }),
        expiresOn: date(['有效期至', 'Valid until']),
      },
      {
        max: 20,
        help: [
          '类型与报修分类所需证件一致；过期后不再派给需要该证件的分类',
          'The kind as categories call it; once expired, categories that need it are not given',
        ],
      },
    ),
    certificateImages: images(['证件照片', 'Pictures of certificates'], { max: 9 }),
    serviceStaff: boolean(['服务人员', 'Service staff'], { search: 'equals', initial: true, width: 86 }),
    housekeeper: boolean(['管家', 'Housekeeper'], { readOnly: true, search: 'equals', width: 70 }),
    customerService: boolean(['客服', 'Customer service'], { readOnly: true, search: 'equals', width: 70 }),
    projects: refs('project', ['负责项目', 'Projects'], { search: 'in', width: 150 }),
    buildings: {
      ...refs('building', ['负责楼栋', 'Buildings'], {
        max: 200,
        width: 150,
        help: ['不选即负责项目全部楼栋', 'None: every building of the projects'],
      }),
      within: 'projects',
    },
    shift: lines(
      ['班次', 'Shifts'],
      {
        weekday: choice(['星期', 'Weekday'], WEEKDAYS, { required: true }),
        fromTime: text(['从', 'From'], { required: true, pattern: CLOCK, placeholder: ['08:30', '08:30'] }),
        toTime: text(['到', 'To'], { required: true, pattern: CLOCK, placeholder: ['17:30', '17:30'] }),
      },
      { max: 42, help: ['不填则轮派时不看班次', 'Without any, rotation does not look at shifts'] },
    ),
    openOrders: integer(['未完成工单', 'Open orders'], { readOnly: true, width: 96 }),
    activated: boolean(['已激活', 'Activated'], { readOnly: true, width: 76 }),
  },
  states: {
    normal: { label: ['启用', 'Enabled'], tone: 'success', code: 1 },
    disabled: { label: ['停用', 'Disabled'], tone: 'error', code: 0 },
    left: { label: ['离职', 'Left'], tone: 'default', code: 2 },
  },
  list: {
    columns: [
      'name',
      'sex',
      'mobilePhone',
      'email',
      'department',
      'skills',
      'serviceStaff',
      'housekeeper',
      'customerService',
      'projects',
      'buildings',
      'openOrders',
      'activated',
      'state',
    ],
    hidden: ['email', 'buildings'],
    filters: [
      'department',
      'skills',
      'serviceStaff',
      'housekeeper',
      'customerService',
      'projects',
      'state',
      'mobilePhone',
    ],
    sort: '-createdAt',
    tabs: [
      { key: 'atWork', label: ['在职', 'At work'], named: true },
      { key: 'service', label: ['服务人员', 'Service staff'], filter: { serviceStaff: 'true' } },
      { key: 'housekeepers', label: ['管家', 'Housekeepers'], filter: { housekeeper: 'true' } },
      { key: 'customerService', label: ['客服', 'Customer service'], filter: { customerService: 'true' } },
      { key: 'left', label: ['离职', 'Left'], filter: { state: 'left' } },
    ],
    export: [
      'name',
      'account',
      'sex',
      'mobilePhone',
      'email',
      'department',
      'skills',
      'serviceStaff',
      'housekeeper',
      'customerService',
      'projects',
      'buildings',
      'openOrders',
      'activated',
      'state',
    ],
    link: 'name',
    empty: ['还没有人员', 'There is nobody yet'],
  },
  form: {
    width: 720,
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: ['name', 'sex', 'mobilePhone', 'email', 'photo', 'department'],
      },
      {
        title: ['工作', 'Work'],
        note: [
          '管家与客服标记在「管家管理」「客服人员」中设置',
          'Housekeepers and customer service are named under their own menus',
        ],
        fields: [
          'serviceStaff',
          'skills',
          'projects',
          'buildings',
          'certificates',
          'certificateImages',
          'shift',
        ],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: ['name', 'account', 'sex', 'mobilePhone', 'email', 'photo', 'department', 'activated'],
      },
      {
        title: ['工作', 'Work'],
        fields: [
          'serviceStaff',
          'housekeeper',
          'customerService',
          'skills',
          'projects',
          'buildings',
          'openOrders',
          'certificates',
          'certificateImages',
          'shift',
        ],
      },
    ],
  },
  importable: {
    key: 'mobilePhone',
    mode: 'insert',
    fields: ['name', 'sex', 'mobilePhone', 'email', 'department', 'skills', 'serviceStaff', 'projects'],
  },
  elements: { btn_import: ['导入', 'Import'] },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      to: 'normal',
      tone: 'primary',
      message: [
        '已新增，账号 {account} 的一次性密码已短信发送',
        'Added; the one-time password of {account} goes out by SMS',
      ],
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['normal', 'disabled'] },
    enable: {
      on: 'rowAndBulk',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      from: ['disabled'],
      to: 'normal',
      confirm: ['启用「{name}」的账号？', 'Enable the account of “{name}”?'],
    },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_enable',
      from: ['normal'],
      to: 'disabled',
      tone: 'danger',
      input: reason,
      confirm: [
        '停用「{name}」后，其所有登录立即失效，不再被派单。',
        'Disabling “{name}” ends all of their sessions; they are given no more orders.',
      ],
    },
    handover: {
      on: 'row',
      label: ['交接', 'Hand over'],
      element: 'btn_handover',
      from: ['normal', 'disabled'],
      input: {
        to: ref('propertyColleague', ['接收人', 'To'], { required: true }),
        orders: boolean(['未完成工单', 'Open orders'], { initial: true }),
        houses: boolean(['管辖的楼栋房屋', 'Buildings and houses'], {
          initial: true,
          help: ['接收人须为管家', 'The receiver has to be a housekeeper'],
        }),
        date: date(['房屋移交日期', 'Houses from'], {
          help: ['不填为今天，不能早于今天', 'Empty: today; not before today'],
        }),
        ...reason,
      },
      message: ['已移交 {orders} 张工单、{houses} 户房屋', 'Handed over: {orders} orders, {houses} houses'],
    },
    archive: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['normal', 'disabled'],
      to: 'left',
      tone: 'danger',
      input: reason,
      confirm: [
        '删除「{name}」？账号按离职归档，姓名保留在历史记录中。',
        'Delete “{name}”? The account is archived; the name stays on old records.',
      ],
    },
  },
});

export interface PropertyStaff extends Row<typeof propertyStaff> {}
