import { boolean, code, instant, integer, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { GROUP_ELEMENTS, groupFields } from './permission-group.contract.ts';

/** A group of type role of the caller's own tenant, in a flat list. */
export const role = defineResource({
  name: 'role',
  menu: 'roleManager',
  base: '/admin',
  title: ['角色管理', 'Roles'],
  noun: ['角色', 'Role'],
  purpose: ['本公司的角色：成员与权限', 'Roles of your company: members and rights'],
  fields: {
    code: code(groupFields.code.label, {
      ...groupFields.code,
      search: 'contains',
      keyword: true,
      sortable: true,
      width: 160,
    }),
    name: text(groupFields.name.label, {
      ...groupFields.name,
      search: 'contains',
      keyword: true,
      sortable: true,
      width: 160,
    }),
    description: text(groupFields.description.label, { ...groupFields.description, width: 220 }),
    enabled: boolean(groupFields.enabled.label, { ...groupFields.enabled, search: 'equals', width: 80 }),
    members: integer(['成员', 'Members'], { readOnly: true, width: 80 }),
    menus: integer(['菜单', 'Menus'], { readOnly: true, width: 80 }),
    elements: integer(['按钮', 'Elements'], { readOnly: true, width: 80 }),
    updatedAt: instant(['最近变更', 'Last change'], { readOnly: true, sortable: true, width: 140 }),
    updater: text(['更新人', 'Updated by'], { readOnly: true, width: 110 }),
    ledBy: integer(['负责人', 'Led by'], { readOnly: true, search: 'equals' }),
  },
  list: {
    columns: ['code', 'name', 'members', 'menus', 'elements', 'updatedAt', 'updater', 'enabled'],
    filters: ['enabled'],
    sort: 'name',
    link: 'code',
  },
  form: { sections: [{ title: ['基本信息', 'Basics'], fields: ['name', 'code', 'description', 'enabled'] }] },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['基本信息', 'Basics'],
        fields: [
          'code',
          'name',
          'description',
          'enabled',
          'members',
          'menus',
          'elements',
          'updatedAt',
          'updater',
        ],
      },
    ],
  },
  elements: { btn_export: GROUP_ELEMENTS.btn_export },
  actions: {
    exportMatrix: {
      on: 'page',
      label: ['导出权限矩阵', 'Export the matrix'],
      element: 'btn_export',
      opens: 'screen',
    },
    create: { on: 'page', label: GROUP_ELEMENTS.btn_add, element: 'btn_add', tone: 'primary' },
    grants: {
      on: 'row',
      label: GROUP_ELEMENTS.btn_resourceManager,
      element: 'btn_resourceManager',
      opens: 'screen',
    },
    members: {
      on: 'row',
      label: GROUP_ELEMENTS.btn_userManager,
      element: 'btn_userManager',
      opens: 'screen',
    },
    history: { on: 'row', label: GROUP_ELEMENTS.btn_history, element: 'btn_history', opens: 'screen' },
    update: { on: 'row', label: GROUP_ELEMENTS.btn_edit, element: 'btn_edit' },
    copy: { on: 'row', label: GROUP_ELEMENTS.btn_copy, element: 'btn_copy', opens: 'screen' },
    remove: {
      on: 'row',
      label: GROUP_ELEMENTS.btn_del,
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '删除角色「{name}」？其权限历史保留。',
        'Delete the role "{name}"? The history of its rights is kept.',
      ],
    },
  },
});

export interface Role extends Row<typeof role> {}
