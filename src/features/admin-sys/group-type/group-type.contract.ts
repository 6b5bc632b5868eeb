import { code, integer, instant, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A kind of permission group: role, depart, free, and further ones. */
export const groupType = defineResource({
  name: 'groupType',
  menu: 'groupTypeManager',
  base: '/admin',
  title: ['角色类型', 'Group types'],
  noun: ['角色类型', 'Group type'],
  purpose: [
    '角色按类型分栏；内置类型只能改名',
    'Groups are kept in tabs by type; built-in types can only be renamed',
  ],
  fields: {
    number: text(['ID', 'ID'], { readOnly: true, width: 70 }),
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      sortable: true,
      min: 3,
      max: 20,
      width: 140,
      pattern: {
        source: '[a-zA-Z][a-zA-Z0-9_]*',
        message: [
          '以字母开头，仅限字母、数字、下划线',
          'Starts with a letter; letters, digits and underscores only',
        ],
      },
    }),
    name: text(['名称', 'Name'], { required: true, search: 'contains', min: 3, max: 20, width: 180 }),
    nameEn: text(['英文名称', 'English name'], {
      max: 40,
      width: 140,
      help: ['不填时英文界面显示名称', 'Empty: the English page shows the name'],
    }),
    description: text(['描述', 'Description'], { required: true, min: 3, max: 20, width: 220 }),
    groups: integer(['角色数', 'Groups'], { readOnly: true, width: 100 }),
    updatedAt: instant(['更新时间', 'Updated'], { readOnly: true, sortable: true, width: 150 }),
    updater: text(['更新人', 'Updated by'], { readOnly: true, width: 120 }),
    updatedAddress: text(['更新地址', 'Address'], { readOnly: true, width: 140 }),
  },
  list: {
    columns: [
      'number',
      'code',
      'name',
      'nameEn',
      'description',
      'groups',
      'updatedAt',
      'updater',
      'updatedAddress',
    ],
    filters: ['name'],
    sort: '-updatedAt',
    link: 'code',
  },
  form: { sections: [{ title: ['基本信息', 'Basics'], fields: ['code', 'name', 'nameEn', 'description'] }] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除类型「{name}」？删除后不可恢复。', 'Delete the type "{name}"? This cannot be undone.'],
    },
  },
});

export interface GroupType extends Row<typeof groupType> {}
