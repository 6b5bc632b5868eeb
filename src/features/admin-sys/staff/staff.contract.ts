import {
  boolean,
  choice,
  code,
  date,
  email,
  image,
  instant,
  integer,
  longText,
  phone,
  ref,
  refs,
  text,
  treeRef,
  type Fields,
} from '../../../kernel/contract/fields.ts';
import {
  defineResource,
  type ActionSpec,
  type ListSpec,
  type Resource,
  type Row,
} from '../../../kernel/contract/resource.ts';

const fields = {
  name: text(['姓名', 'Name'], {
    required: true,
    keyword: true,
    search: 'contains',
    min: 2,
    max: 20,
    width: 110,
  }),
  account: code(['账号', 'Account'], {
    keyword: true,
    required: true,
    createOnly: true,
    sortable: true,
    min: 3,
    max: 20,
    width: 130,
    pattern: {
      source: '[a-zA-Z][a-zA-Z0-9_.-]{2,19}',
      message: [
        '3–20位，字母开头，可含字母、数字、_ . -',
        '3–20 characters, starts with a letter; letters, digits, _ . -',
      ],
    },
    help: [
      '3–20位，字母开头，可含字母、数字、_ . -；保存后不能修改',
      '3–20 letters, digits, _ . - with a letter first; cannot be changed later',
    ],
  }),
  staffNo: text(['工号', 'Staff no.'], { keyword: true, search: 'equals', max: 20, width: 100 }),
  sex: choice(
    ['性别', 'Sex'],
    {
      female: { label: ['女', 'Female'] },
      male: { label: ['男', 'Male'] },
      unknown: { label: ['未知', 'Unknown'] },
    },
    { width: 70 },
  ),
  mobilePhone: phone(['手机', 'Phone'], {
    required: true,
    search: 'equals',
    width: 130,
    pattern: {
      source: '1\\d{10}',
      message: ['请输入11位手机号', 'Please enter a mobile number of 11 digits'],
    },
  }),
  email: email(['邮箱', 'E-mail'], { width: 170 }),
  tenant: ref('tenant', ['所属公司', 'Company'], { readOnly: true, search: 'in', width: 160 }),
  department: ref('department', ['部门', 'Department'], { required: true, search: 'in', width: 130 }),
  stations: refs('station', ['岗位', 'Posts'], { search: 'in', width: 130 }),
  groups: refs('permissionGroup', ['角色', 'Groups'], {
    search: 'in',
    width: 160,
    help: [
      '只列出权限不超过自己的角色；没有可选的，先在「角色管理」中新增',
      'Only groups whose rights you hold yourself; with none to choose, add one under "Roles" first',
    ],
  }),
  projects: refs('project', ['项目', 'Projects'], {
    search: 'in',
    width: 150,
    help: [
      '只能看到所选项目的数据；平台与公司账号不选且未打开“全部项目”时看不到项目数据',
      'Only data of these projects is seen; with none and without "All projects" no project data is',
    ],
  }),
  allProjects: boolean(['全部项目', 'All projects'], {
    help: ['不再限定到个别项目', 'Not limited to single projects'],
  }),
  employedOn: date(['入职日期', 'Employed on'], { width: 110 }),
  leader: ref('staff', ['直属上级', 'Leader'], { width: 110 }),
  ssoAccount: text(['单点登录账号', 'SSO account'], { max: 60, width: 130 }),
  photo: image(['照片', 'Photo']),
  sendSms: boolean(['短信通知', 'Send by SMS'], {
    createOnly: true,
    help: ['把一次性密码发到该手机', 'Sends the one-time password to the phone'],
  }),
  description: longText(['描述', 'Description'], { max: 200, width: 180 }),
  locked: boolean(['已锁定', 'Locked'], { readOnly: true, search: 'equals', width: 80 }),
  lastLoginAt: instant(['最后登录', 'Last sign-in'], {
    readOnly: true,
    search: 'range',
    sortable: true,
    width: 120,
  }),
  signedInWithin: integer(['登录于（天内）', 'Signed in within (days)'], {
    readOnly: true,
    search: 'equals',
  }),
  notSignedInWithin: integer(['未登录（天）', 'Not signed in for (days)'], {
    readOnly: true,
    search: 'equals',
  }),
  sessions: integer(['在线设备', 'Devices'], { readOnly: true, width: 90 }),
  createdAt: instant(['创建时间', 'Created'], {
    readOnly: true,
    search: 'range',
    sortable: true,
    width: 120,
  }),
  updatedAt: instant(['更新时间', 'Updated'], { readOnly: true, sortable: true, width: 120 }),
  updater: text(['更新人', 'Updated by'], { readOnly: true, width: 100 }),
} satisfies Fields;

const states = {
  normal: { label: ['正常', 'Normal'], tone: 'success', code: 1 },
  disabled: { label: ['停用', 'Disabled'], tone: 'error', code: 0 },
  left: { label: ['离职', 'Left'], tone: 'default', code: 2 },
} as const;

const reason = { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) };

const enable: ActionSpec = {
  on: 'rowAndBulk',
  label: ['启用', 'Enable'],
  element: 'btn_enable',
  from: ['disabled'],
  to: 'normal',
  confirm: ['启用账号「{name}」？', 'Enable the account of "{name}"?'],
};
const disable: ActionSpec = {
  on: 'rowAndBulk',
  label: ['停用', 'Disable'],
  element: 'btn_enable',
  from: ['normal'],
  to: 'disabled',
  tone: 'danger',
  input: reason,
  confirm: [
    '停用「{name}」后，其所有登录立即失效。',
    'Disabling "{name}" ends all of their sessions at once.',
  ],
};
const unlock: ActionSpec = {
  on: 'row',
  label: ['解锁', 'Unlock'],
  element: 'btn_unlock',
  from: ['normal'],
  confirm: ['解除「{name}」的登录锁定？', 'Lift the sign-in lock of "{name}"?'],
};
const resetPassword: ActionSpec = {
  on: 'row',
  label: ['重置密码', 'Reset password'],
  element: 'btn_resetPwd',
  from: ['normal', 'disabled'],
  tone: 'danger',
  input: { sendSms: { ...fields.sendSms, createOnly: false } },
  confirm: [
    '为「{name}」生成新的一次性密码，其所有登录立即失效。',
    'A new one-time password is made for "{name}"; all of their sessions end at once.',
  ],
};
const kick: ActionSpec = {
  on: 'row',
  label: ['强制下线', 'Sign out everywhere'],
  element: 'btn_session',
  from: ['normal'],
  tone: 'danger',
  confirm: ['结束「{name}」的全部登录？', 'End all sessions of "{name}"?'],
};
const assignGroups: ActionSpec = {
  on: 'row',
  label: ['分配角色', 'Assign groups'],
  element: 'btn_group',
  from: ['normal', 'disabled'],
  input: { groups: refs('permissionGroup', ['角色', 'Groups']) },
};
const assignProjects: ActionSpec = {
  on: 'row',
  label: ['分配项目', 'Assign projects'],
  element: 'btn_project',
  from: ['normal', 'disabled'],
  input: {
    projects: refs('project', ['项目', 'Projects']),
    allProjects: boolean(['全部项目', 'All projects']),
  },
};
const changeGroups: ActionSpec = {
  on: 'bulk',
  label: ['增减角色', 'Add or remove a group'],
  element: 'btn_group',
  from: ['normal', 'disabled'],
  input: {
    group: ref('permissionGroup', ['角色', 'Group'], { required: true }),
    remove: boolean(['移除', 'Remove'], { help: ['不勾选为添加', 'Off adds the group'] }),
  },
};
const changeProjects: ActionSpec = {
  on: 'bulk',
  label: ['增减项目', 'Add or remove projects'],
  element: 'btn_project',
  from: ['normal', 'disabled'],
  input: {
    projects: refs('project', ['项目', 'Projects'], { required: true }),
    remove: boolean(['移除', 'Remove'], { help: ['不勾选为添加', 'Off adds the projects'] }),
  },
};
const assignDepartment: ActionSpec = {
  on: 'bulk',
  label: ['调整部门', 'Assign department'],
  element: 'btn_edit',
  from: ['normal', 'disabled'],
  input: { department: treeRef('department', ['部门', 'Department'], { required: true }) },
};
const projectsInput = refs('project', ['项目', 'Projects'], { required: true });
const addToProjects: ActionSpec = {
  on: 'page',
  label: ['加入项目', 'Add to projects'],
  element: 'btn_project',
  input: {
    staff: refs('staff', ['员工', 'Staff'], { required: true, max: 200 }),
    projects: projectsInput,
  },
};
const removeFromProject: ActionSpec = {
  on: 'row',
  label: ['移出项目', 'Remove from projects'],
  element: 'btn_project',
  from: ['normal', 'disabled'],
  tone: 'danger',
  confirm: [
    '「{name}」移出所选项目后，不再看到这些项目的数据。',
    '"{name}" no longer sees the data of the chosen projects.',
  ],
  input: { projects: projectsInput },
};
const archive: ActionSpec = {
  on: 'row',
  label: ['离职归档', 'Archive as left'],
  element: 'btn_del',
  from: ['normal', 'disabled'],
  to: 'left',
  tone: 'danger',
  input: reason,
  confirm: [
    '「{name}」离职后不能登录，姓名保留在历史记录中；30天内可重新入职。',
    '"{name}" can no longer sign in; the name stays on old records. Can be rehired within 30 days.',
  ],
};
const rehire: ActionSpec = {
  on: 'row',
  label: ['重新入职', 'Rehire'],
  element: 'btn_del',
  from: ['left'],
  to: 'normal',
  confirm: [
    '让「{name}」重新入职？需要重置密码后登录。',
    'Rehire "{name}"? A password reset is needed before signing in.',
  ],
};
const create: ActionSpec = {
  on: 'page',
  label: ['新增用户', 'Add user'],
  element: 'btn_add',
  to: 'normal',
  tone: 'primary',
};
const update: ActionSpec = {
  on: 'row',
  label: ['编辑', 'Edit'],
  element: 'btn_edit',
  from: ['normal', 'disabled'],
};

const basics = [
  'name',
  'account',
  'staffNo',
  'sex',
  'mobilePhone',
  'email',
  'employedOn',
  'ssoAccount',
  'photo',
  'description',
] as const;

const formOf = (organisation: readonly string[]) => ({
  sections: [
    { title: ['基本信息', 'Basics'] as const, fields: basics },
    {
      title: ['组织与权限', 'Organisation and rights'] as const,
      note: ['保存后立即在所有设备生效', 'Takes effect on all devices at once'] as const,
      fields: [...organisation, 'sendSms'],
    },
  ],
});
const form = formOf(['department', 'stations', 'leader', 'groups', 'projects', 'allProjects']);

const detail = {
  mode: 'drawer',
  sections: [
    { title: ['基本信息', 'Basics'], fields: basics },
    {
      title: ['组织与权限', 'Organisation and rights'],
      fields: ['tenant', 'department', 'stations', 'leader', 'groups', 'projects', 'allProjects'],
    },
    {
      title: ['登录', 'Sign-in'],
      fields: ['lastLoginAt', 'sessions', 'locked', 'createdAt', 'updatedAt', 'updater'],
    },
  ],
} as const;

const list: ListSpec = {
  columns: [
    'name',
    'account',
    'state',
    'department',
    'stations',
    'mobilePhone',
    'groups',
    'projects',
    'staffNo',
    'sex',
    'lastLoginAt',
    'updatedAt',
    'updater',
  ],
  hidden: ['locked', 'allProjects'],
  filters: [
    'department',
    'stations',
    'groups',
    'projects',
    'state',
    'locked',
    'signedInWithin',
    'notSignedInWithin',
    'createdAt',
  ],
  sort: '-createdAt',
  tabs: [
    { key: 'all', label: ['全部', 'All'] },
    { key: 'normal', label: ['正常', 'Normal'], filter: { state: 'normal' } },
    { key: 'disabled', label: ['停用', 'Disabled'], filter: { state: 'disabled' } },
    { key: 'left', label: ['离职', 'Left'], filter: { state: 'left' } },
  ],
  export: [
    'name',
    'account',
    'staffNo',
    'sex',
    'mobilePhone',
    'email',
    'department',
    'stations',
    'projects',
    'groups',
    'state',
    'lastLoginAt',
  ],
};

/** A person of the caller's own tenant who signs in here. */
export const staff = defineResource({
  name: 'staff',
  menu: 'userManager',
  base: '/admin',
  titleField: 'name',
  sensitive: true,
  title: ['用户管理', 'Users'],
  noun: ['用户', 'User'],
  purpose: [
    '员工账号：所在部门与岗位、能看到什么、能做什么',
    'Staff accounts: department and posts, what each may see and do',
  ],
  fields,
  states,
  list,
  form,
  detail,
  elements: {
    btn_permission: ['有效权限', 'Effective permissions'],
    btn_handover: ['交接', 'Handover'],
    btn_import: ['导入', 'Import'],
  },
  actions: {
    create,
    update,
    assignGroups,
    assignProjects,
    resetPassword,
    unlock,
    kick,
    enable,
    disable,
    assignDepartment,
    changeGroups,
    changeProjects,
    archive,
    rehire,
  },
});

/** The same staff seen from the projects they work in. */
export const projectStaff = defineResource({
  name: 'projectStaff',
  menu: 'userManager1',
  base: '/admin',
  titleField: 'name',
  sensitive: true,
  title: ['项目员工', 'Project staff'],
  noun: ['员工', 'Staff'],
  purpose: ['按项目查看和安排员工', 'Staff by the projects they work in'],
  fields: { ...fields, projects: { ...fields.projects, required: true } },
  states,
  form: formOf(['department', 'stations', 'leader', 'projects']),
  detail,
  list: {
    ...list,
    filters: [
      'projects',
      'department',
      'stations',
      'state',
      'signedInWithin',
      'notSignedInWithin',
      'createdAt',
    ],
  },
  actions: {
    addToProjects,
    create,
    update,
    resetPassword,
    enable,
    disable,
    removeFromProject,
    changeProjects,
  },
});

/** Staff of all tenants, for the platform. */
export const allStaff = defineResource({
  name: 'allStaff',
  menu: 'allUserManager',
  base: '/admin',
  titleField: 'name',
  sensitive: true,
  title: ['全部用户', 'All users'],
  noun: ['用户', 'User'],
  purpose: ['平台查看所有公司的账号', 'Accounts of all companies, for the platform'],
  fields: {
    ...fields,
    // The filters name records of every company, or of the chosen one.
    department: { ...fields.department, target: 'companyDepartment', within: 'tenant' },
    stations: { ...fields.stations, target: 'companyStation', within: 'tenant' },
    groups: { ...fields.groups, target: 'companyGroup', within: 'tenant' },
    tenantType: choice(
      ['租户类型', 'Tenant type'],
      {
        '1': { label: ['公司', 'Company'] },
        '2': { label: ['商户', 'Merchant'] },
        '3': { label: ['平台', 'Platform'] },
        '4': { label: ['中心城市', 'Centre city'] },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    online: boolean(['在线', 'Online'], { readOnly: true, search: 'equals', width: 70 }),
  },
  states,
  detail,
  list: {
    ...list,
    columns: [
      'name',
      'account',
      'tenant',
      'tenantType',
      'department',
      'mobilePhone',
      'groups',
      'state',
      'online',
      'lastLoginAt',
    ],
    hidden: ['staffNo', 'sex', 'stations', 'projects', 'updatedAt', 'updater', 'locked', 'allProjects'],
    filters: [
      'tenant',
      'tenantType',
      'department',
      'stations',
      'groups',
      'projects',
      'state',
      'online',
      'locked',
      'signedInWithin',
      'notSignedInWithin',
      'createdAt',
    ],
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'enabled', label: ['启用', 'Enabled'], filter: { state: 'normal' } },
      { key: 'disabled', label: ['停用', 'Disabled'], filter: { state: 'disabled' } },
      { key: 'lockedNow', label: ['锁定中', 'Locked now'], filter: { locked: 'true' } },
      { key: 'onlineNow', label: ['在线', 'Online now'], filter: { online: 'true' } },
      { key: 'never', label: ['从未登录', 'Never signed in'], named: true },
      { key: 'unused', label: ['90天未用', 'Unused 90 days'], named: true },
    ],
  },
  elements: { btn_view: ['查看', 'View'], btn_permission: ['有效权限', 'Effective permissions'] },
  actions: { resetPassword, unlock, kick: { ...kick, element: 'btn_kick' }, enable, disable },
});

export interface Staff extends Row<typeof staff> {}

/** The three views of staff. */
export const staffViews: readonly Resource[] = [staff, projectStaff, allStaff];
