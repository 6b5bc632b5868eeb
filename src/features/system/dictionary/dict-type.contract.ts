import { boolean, code, integer, text, treeRef } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A dictionary of the platform: its values stand in dictValue, code reads it by its code. */
export const dictType = defineResource({
  name: 'dictType',
  menu: 'dictManager',
  base: '/admin',
  titleField: 'name',
  title: ['字典类型', 'Dictionary types'],
  noun: ['字典类型', 'Dictionary type'],
  fields: {
    parent: treeRef('dictType', ['上级', 'Above'], { search: 'in', width: 140 }),
    code: code(['编码', 'Code'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 180,
      pattern: {
        source: '[a-zA-Z][a-zA-Z0-9_]*',
        message: [
          '以字母开头，仅限字母、数字、下划线',
          'Starts with a letter; letters, digits and underscores only',
        ],
      },
    }),
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 40, width: 180 }),
    nameEn: text(['英文名称', 'English name'], { required: true, keyword: true, max: 60, width: 180 }),
    values: integer(['字典值', 'Values'], { readOnly: true, width: 80 }),
    system: boolean(['系统', 'System'], { readOnly: true, search: 'equals', width: 80 }),
    position: integer(['排序', 'Order'], { readOnly: true, sortable: true, width: 80 }),
  },
  stamps: true,
  tree: { parent: 'parent', maxDepth: 3 },
  deletable: 'unused',
  list: {
    columns: ['code', 'name', 'nameEn', 'parent', 'values', 'system', 'updater', 'updatedAt'],
    hidden: ['position'],
    filters: ['parent', 'system'],
    sort: 'position',
    link: 'name',
  },
  form: { sections: [{ title: ['字典类型', 'Type'], fields: ['parent', 'code', 'name', 'nameEn'] }] },
  actions: {
    create: { on: 'page', label: ['新增类型', 'Add type'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除字典类型「{name}」？', 'Delete the type "{name}"?'],
    },
  },
});

export interface DictType extends Row<typeof dictType> {}
