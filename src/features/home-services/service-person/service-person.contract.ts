import {
  boolean,
  choice,
  date,
  decimal,
  email,
  image,
  images,
  instant,
  integer,
  lines,
  longText,
  phone,
  ref,
  refs,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import type { VisitState } from '../../../domain/home-service/appointment/visit-words.rules.ts';
import { personComment } from '../../mall/order-comment/order-comment.contract.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';

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

/** One visit of a person as its page shows it; instants as ISO 8601. */
export interface PersonVisit {
  readonly id: string;
  readonly code: string;
  readonly service: string;
  readonly project: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly state: VisitState;
  readonly overbooked: boolean;
}

/** Days of a person from today on, with its hours, leave and visits, and its latest visits. */
export interface PersonPlan {
  readonly days: readonly {
    readonly day: string;
    readonly hours: readonly string[];
    readonly leave: readonly string[];
    readonly visits: readonly PersonVisit[];
  }[];
  readonly latest: readonly PersonVisit[];
  /** Comments of the last 180 days; the list shows their average from five on. */
  readonly comments: number;
  readonly score: string | null;
}

/** Leave of a person: no visit is given to it meanwhile. */
export const personStop = defineResource({
  name: 'servicePersonStop',
  menu: 'cs_busServicePerson',
  title: ['请假', 'Leave'],
  noun: ['请假', 'Leave'],
  titleField: 'reason',
  fields: {
    person: ref('servicePerson', ['服务人员', 'Person'], { required: true, createOnly: true, search: 'in' }),
    startsAt: instant(['开始', 'From'], { readOnly: true, sortable: true, width: 150 }),
    endsAt: instant(['结束', 'Until'], { readOnly: true, width: 150 }),
    project: ref('project', ['项目', 'Project'], {
      readOnly: true,
      help: ['空为全部项目', 'Empty: every project'],
    }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 240 }),
  },
  list: { columns: ['startsAt', 'endsAt', 'project', 'reason'], filters: ['person'], sort: '-startsAt' },
  actions: {
    remove: {
      on: 'row',
      label: ['取消请假', 'End the leave'],
      element: 'btn_stop',
      tone: 'danger',
      confirm: ['取消这次请假？', 'Take this leave back?'],
    },
  },
});

/** Somebody of a merchant or company who visits houses: skills, hours, certificates, a sign-in of the service app. */
export const servicePerson = defineResource({
  name: 'servicePerson',
  menu: 'cs_busServicePerson',
  title: ['商业服务人员', 'Service people'],
  noun: ['服务人员', 'Service person'],
  purpose: [
    '上门服务的人员：技能、班次、服务项目与证件决定可以派给谁',
    'People who visit: skills, hours, projects and certificates decide who can be given a visit',
  ],
  titleField: 'name',
  sensitive: true,
  stamps: true,
  fields: {
    photo: image(['照片', 'Photo'], {
      megabytes: 2,
      width: 72,
    }),
    name: text(['姓名', 'Name'], { required: true, keyword: true, sortable: true, max: 20, width: 120 }),
    sex: choice(
      ['性别', 'Sex'],
      { '1': { label: ['男', 'Male'] }, '2': { label: ['女', 'Female'] } },
      { required: true, width: 70 },
    ),
    phone: phone(['电话', 'Phone'], { required: true, search: 'equals', width: 130 }),
    email: email(['邮箱', 'E-mail'], { width: 160 }),
    merchant: ref('merchant', ['商户', 'Merchant'], {
      createOnly: true,
      search: 'in',
      width: 150,
      help: ['商户员工只能为本商户添加', 'Staff of a merchant add their own people'],
    }),
    skills: tags(['技能', 'Skills'], { required: true, max: 10, width: 180 }),
    skill: text(['技能', 'Skill'], { readOnly: true, search: 'contains' }),
    projects: refs('project', ['项目', 'Projects'], { required: true, search: 'in', width: 180 }),
    certificates: lines(['证件', 'Certificates'], {
      name: text(['名称', 'Name'], { required: true, max: 40 }),
      number: text(['证号', 'Number'], { max: 40 }),
      expiresOn: date(['有效期至', 'Valid until']),
      required: boolean(['上岗必需', 'Needed to work'], { initial: true }),
    }),
    certificateImages: images(['证件照片', 'Pictures of certificates'], { max: 9 }),
    certificate: choice(
      ['证件', 'Certificates'],
      {
        none: { label: ['无', 'None'], tone: 'default' },
        valid: { label: ['有效', 'Valid'], tone: 'success' },
        expiring: { label: ['30天内到期', 'Ends in 30 days'], tone: 'warning' },
        expired: { label: ['已过期', 'Expired'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 110 },
    ),
    roster: lines(
      ['班次', 'Hours'],
      {
        weekday: choice(['星期', 'Weekday'], WEEKDAYS, { required: true }),
        from: text(['从', 'From'], { required: true, pattern: CLOCK, placeholder: ['09:00', '09:00'] }),
        to: text(['到', 'To'], { required: true, pattern: CLOCK, placeholder: ['18:00', '18:00'] }),
      },
      {
        help: [
          '新增时不填为周一至周六 09:00–18:00，导入也是',
          'Left empty for somebody new: Monday to Saturday 09:00–18:00, as imports do',
        ],
      },
    ),
    parallel: integer(['同时单数', 'Visits at a time'], {
      required: true,
      min: 1,
      max: 5,
      initial: 1,
      width: 100,
    }),
    today: integer(['今日单量', 'Visits today'], { readOnly: true, width: 90 }),
    monthDone: integer(['本月完成', 'Done this month'], { readOnly: true, width: 100 }),
    score: decimal(['评分', 'Score'], {
      readOnly: true,
      scale: 1,
      width: 80,
      help: ['近180天评价的平均，满5条显示', 'Average of the comments of 180 days, from five on'],
    }),
    activated: boolean(['激活', 'Activated'], {
      readOnly: true,
      width: 80,
      help: ['已在服务端登录过', 'Has signed in to the service app'],
    }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'photo',
      'name',
      'sex',
      'phone',
      'email',
      'merchant',
      'skills',
      'projects',
      'certificate',
      'today',
      'monthDone',
      'score',
      'activated',
      'enabled',
    ],
    hidden: ['email', 'updater', 'updatedAt'],
    filters: ['merchant', 'projects', 'skill', 'certificate', 'enabled', 'phone'],
    sort: 'name',
    link: 'name',
    export: [
      'name',
      'sex',
      'phone',
      'email',
      'merchant',
      'skills',
      'projects',
      'certificate',
      'today',
      'monthDone',
      'score',
      'activated',
      'enabled',
    ],
  },
  form: {
    width: 760,
    sections: [
      { title: ['基本', 'Person'], fields: ['merchant', 'name', 'sex', 'phone', 'email', 'photo'] },
      { title: ['服务', 'Work'], fields: ['skills', 'projects', 'parallel', 'roster'] },
      { title: ['证件', 'Certificates'], fields: ['certificates', 'certificateImages'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基本', 'Person'],
        fields: ['name', 'sex', 'phone', 'email', 'merchant', 'photo', 'activated', 'enabled'],
      },
      {
        title: ['服务', 'Work'],
        fields: ['skills', 'projects', 'parallel', 'roster', 'today', 'monthDone', 'score'],
      },
      { title: ['证件', 'Certificates'], fields: ['certificate', 'certificates', 'certificateImages'] },
    ],
    parts: [
      part({ key: 'stops', title: ['请假', 'Leave'], resource: personStop, by: 'person' }),
      part({ key: 'comments', title: ['评价', 'Comments'], resource: personComment, by: 'person' }),
    ],
  },
  importable: {
    key: 'phone',
    mode: 'insert',
    fields: ['merchant', 'name', 'sex', 'phone', 'email', 'skills', 'projects', 'parallel'],
  },
  elements: { btn_import: ['导入', 'Import'] },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    stop: {
      on: 'row',
      label: ['请假', 'Leave'],
      element: 'btn_stop',
      untouched: true,
      input: {
        startsAt: instant(['开始', 'From'], { required: true }),
        endsAt: instant(['结束', 'Until'], { required: true }),
        project: ref('project', ['项目', 'Project'], { help: ['空为全部项目', 'Empty: every project'] }),
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    resetPassword: {
      on: 'row',
      label: ['重置密码', 'Reset the password'],
      element: 'btn_resetPwd',
      confirm: ['为「{name}」生成新的登录密码？', 'Give “{name}” a new password?'],
    },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_on' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_off',
      tone: 'danger',
      confirm: ['停用后不再派单，服务端退出登录', 'No more visits are given, the service app signs out'],
    },
  },
});
