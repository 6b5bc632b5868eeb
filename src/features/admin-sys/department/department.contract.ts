import {
  boolean,
  choice,
  code,
  instant,
  integer,
  longText,
  percent,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

const fields = {
  name: text(['名称', 'Name'], { required: true, keyword: true, min: 2, max: 30, width: 220 }),
  code: code(['编码', 'Code'], {
    required: true,
    createOnly: true,
    sortable: true,
    max: 30,
    width: 120,
    pattern: {
      source: '[a-zA-Z0-9_-]+',
      message: ['仅限字母、数字、_ 和 -', 'Letters, digits, _ and - only'],
    },
  }),
  tenant: ref('tenant', ['公司', 'Company'], { readOnly: true, search: 'in', width: 160 }),
  parent: treeRef('department', ['上级部门', 'Parent'], { search: 'in', width: 150 }),
  path: text(['路径', 'Path'], { readOnly: true, sortable: true, width: 260 }),
  type: choice(
    ['类型', 'Type'],
    {
      function: { label: ['职能', 'Function'] },
      project: { label: ['项目', 'Project'] },
      region: { label: ['区域', 'Region'] },
    },
    { required: true, initial: 'function', search: 'in', width: 90 },
  ),
  leader: ref('staff', ['负责人', 'Leader'], { width: 110 }),
  phone: text(['电话', 'Phone'], { max: 20, width: 120 }),
  sort: integer(['排序', 'Order'], { min: 0, max: 9999, width: 70 }),
  planned: integer(['计划编制', 'Planned heads'], { min: 0, max: 99_999, width: 100 }),
  actual: integer(['在职', 'Actual'], { readOnly: true, width: 80 }),
  secondary: integer(['兼任', 'Secondary'], {
    readOnly: true,
    width: 80,
    help: [
      '主部门在别处的成员，不计入编制',
      'Members whose main department is another one; not counted as heads',
    ],
  }),
  filled: percent(['到岗率', 'Filled'], {
    readOnly: true,
    width: 90,
    help: ['在职 ÷ 计划编制', 'Actual ÷ planned'],
  }),
  vacant: integer(['空缺', 'Vacant'], { readOnly: true, width: 80 }),
  enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  updatedAt: instant(['更新时间', 'Updated'], { readOnly: true, sortable: true, width: 120 }),
} as const;

const form = {
  sections: [
    {
      title: ['部门', 'Department'],
      fields: ['name', 'code', 'parent', 'type', 'leader', 'phone', 'sort', 'planned'],
    },
  ],
} as const;

/** Where a department moves to. */
export const placeInput = {
  parent: treeRef('department', ['上级部门', 'Parent']),
  before: treeRef('department', ['排在此部门之前', 'In front of'], {
    help: ['不选表示排在最后', 'Empty means last'],
  }),
} as const;

/** How staff belong to a department they are added to. */
export const memberKind = choice(
  ['归属', 'Belongs as'],
  {
    main: { label: ['主部门（调入）', 'Main department (they move)'] },
    secondary: { label: ['兼任部门', 'Secondary department'] },
  },
  {
    required: true,
    help: [
      '权限、数据范围和编制只随主部门',
      'Rights, data scope and head count follow the main department only',
    ],
  },
);

/** A department of the caller's own tenant; at most eight levels deep. */
export const department = defineResource({
  name: 'department',
  menu: 'departManager',
  base: '/admin',
  titleField: 'name',
  title: ['部门管理', 'Departments'],
  noun: ['部门', 'Department'],
  purpose: [
    '组织结构：数据范围「本部门」按这里的上下级计算',
    'The structure that the data scope "own department" follows',
  ],
  fields,
  form,
  elements: { btn_import: ['导入', 'Import'] },
  list: {
    columns: [
      'name',
      'code',
      'path',
      'type',
      'leader',
      'phone',
      'planned',
      'actual',
      'vacant',
      'filled',
      'secondary',
      'enabled',
      'updatedAt',
    ],
    hidden: ['secondary'],
    filters: ['parent', 'type', 'enabled'],
    sort: 'path',
    link: 'name',
    export: true,
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    addMembers: {
      on: 'row',
      label: ['添加成员', 'Add members'],
      element: 'btn_member_add',
      input: {
        staff: refs('staff', ['员工', 'Staff'], {
          required: true,
          max: 200,
        }),
        kind: memberKind,
      },
    },
    removeMembers: {
      on: 'row',
      label: ['移出成员', 'Remove members'],
      element: 'btn_member_remove',
      tone: 'danger',
      input: { staff: refs('staff', ['员工', 'Staff'], { required: true, max: 200 }) },
      confirm: [
        '只移出兼任成员；主部门成员请用「调出成员」。',
        'Takes out secondary members only; those of the main department are moved.',
      ],
    },
    moveMembers: {
      on: 'row',
      label: ['调出成员', 'Move members'],
      element: 'btn_move',
      input: {
        staff: refs('staff', ['员工', 'Staff'], { required: true }),
        into: treeRef('department', ['调入部门', 'Into'], { required: true }),
      },
    },
    place: {
      on: 'row',
      label: ['移动', 'Move'],
      element: 'btn_edit',
      input: placeInput,
    },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_edit' },
    disable: {
      on: 'row',
      label: ['停用', 'Disable'],
      element: 'btn_edit',
      tone: 'danger',
      confirm: ['停用部门「{name}」？', 'Disable the department "{name}"?'],
    },
    merge: {
      on: 'row',
      label: ['合并到其他部门', 'Merge into another'],
      element: 'btn_merge',
      tone: 'danger',
      confirm: [
        '「{name}」的员工、岗位、部门角色和下级部门都转到目标部门，原部门停用。',
        'Staff, posts, department group and sub-departments of "{name}" move to the target; the department is disabled.',
      ],
      input: {
        into: treeRef('department', ['目标部门', 'Into'], { required: true }),
        reason: longText(['原因', 'Reason'], { required: true, max: 200 }),
      },
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除部门「{name}」？', 'Delete the department "{name}"?'],
    },
  },
});

/** Departments of all companies with planned and actual heads, for platform and centre cities. */
export const allDepartments = defineResource({
  name: 'allDepartment',
  menu: 'departManager1',
  base: '/admin',
  titleField: 'name',
  title: ['公司部门总览', 'Departments of all companies'],
  noun: ['部门', 'Department'],
  purpose: [
    '各公司的部门与编制：计划、在职、空缺',
    'Departments and heads of every company: planned, actual, vacant',
  ],
  fields,
  form: {
    sections: [{ title: ['部门', 'Department'], fields: ['name', 'type', 'phone', 'sort', 'planned'] }],
  },
  actions: { update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' } },
  list: {
    columns: ['name', 'tenant', 'path', 'type', 'leader', 'planned', 'actual', 'vacant', 'filled', 'enabled'],
    hidden: ['secondary'],
    filters: ['tenant', 'type', 'enabled'],
    sort: 'path',
    link: 'name',
    export: true,
  },
});

export interface Department extends Row<typeof department> {}
