import {
  boolean,
  choice,
  code,
  instant,
  integer,
  longText,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A post of a tenant; its type decides who can be picked as handler, housekeeper or approver. */
export const station = defineResource({
  name: 'station',
  menu: 'stationManage',
  base: '/admin',
  titleField: 'name',
  title: ['岗位管理', 'Posts'],
  noun: ['岗位', 'Post'],
  purpose: [
    '岗位类型决定谁能被选为处理人、管家或审批人',
    'The type of a post decides who can be picked as handler, housekeeper or approver',
  ],
  fields: {
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
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 20,
      width: 150,
    }),
    departments: refs('department', ['部门', 'Departments'], {
      search: 'in',
      width: 200,
      help: ['不选表示全公司', 'Empty means the whole tenant'],
    }),
    type: choice(
      ['类型', 'Type'],
      {
        manager: { label: ['管理', 'Manager'] },
        housekeeper: { label: ['管家', 'Housekeeper'] },
        repair: { label: ['维修', 'Repair'] },
        security: { label: ['秩序', 'Security'] },
        cleaning: { label: ['保洁', 'Cleaning'] },
        customer_service: { label: ['客服', 'Customer service'] },
        sales: { label: ['商业', 'Commerce'] },
        finance: { label: ['财务', 'Finance'] },
        merchant: { label: ['商户', 'Merchant'] },
        other: { label: ['其他', 'Other'] },
      },
      { required: true, search: 'in', width: 110 },
    ),
    staffCount: integer(['在岗', 'Staff'], { readOnly: true, width: 80 }),
    planned: integer(['编制', 'Planned'], { min: 0, max: 999, width: 80 }),
    sort: integer(['排序', 'Order'], { min: 0, max: 9999, sortable: true, width: 80 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
    description: longText(['描述', 'Description'], { max: 200, width: 200 }),
    updatedAt: instant(['更新时间', 'Updated'], { readOnly: true, sortable: true, width: 120 }),
  },
  list: {
    columns: [
      'code',
      'name',
      'departments',
      'type',
      'staffCount',
      'planned',
      'sort',
      'enabled',
      'description',
      'updatedAt',
    ],
    filters: ['type', 'departments', 'enabled'],
    sort: 'sort',
    link: 'name',
    export: true,
  },
  form: {
    sections: [
      {
        title: ['岗位', 'Post'],
        fields: ['code', 'name', 'type', 'departments', 'planned', 'sort', 'description'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    bindStaff: {
      on: 'row',
      label: ['关联员工', 'Bind staff'],
      element: 'btn_user',
      input: {
        staff: refs('staff', ['员工', 'Staff'], {
          help: ['保存后恰好是所选员工在此岗位', 'Exactly the chosen staff hold the post afterwards'],
        }),
      },
    },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_edit' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_edit',
      confirm: [
        '停用岗位「{name}」？不再可选，已在岗的不变。',
        'Disable the post "{name}"? It can no longer be chosen; staff on it stay.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除岗位「{name}」？', 'Delete the post "{name}"?'],
    },
  },
});

export interface Station extends Row<typeof station> {}
