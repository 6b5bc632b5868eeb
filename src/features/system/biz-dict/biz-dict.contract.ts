import { boolean, code, integer, text, treeRef } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

const word = {
  source: '[a-zA-Z0-9_.-]+',
  message: ['仅限字母、数字、_ . 和 -', 'Letters, digits, _ . and - only'],
} as const;

/** A business dictionary (at the top), one of its values, or a value below a value. */
export const bizDict = defineResource({
  name: 'bizDict',
  menu: 'ssm_bizDict',
  titleField: 'name',
  title: ['业务字典', 'Business dictionary'],
  noun: ['字典值', 'Dictionary value'],
  purpose: [
    '各业务表单的选项，最多三级；停用后不再可选，历史数据仍显示名称',
    'Choices of business forms, three levels at most; a disabled value is no longer offered, old rows keep its label',
  ],
  fields: {
    parent: treeRef('bizDict', ['上级', 'Above'], {
      createOnly: true,
      search: 'in',
      width: 140,
      help: ['不选为新的字典', 'Empty makes a new dictionary'],
    }),
    name: text(['名称', 'Name'], { required: true, keyword: true, sortable: true, max: 60, width: 130 }),
    nameEn: text(['英文名称', 'English name'], { required: true, keyword: true, max: 100, width: 150 }),
    val: text(['值', 'Value'], {
      keyword: true,
      sortable: true,
      max: 40,
      width: 110,
      pattern: word,
      help: ['业务数据保存的内容；字典本身没有值', 'What business rows hold; a dictionary itself has none'],
    }),
    code: code(['编码', 'Code'], {
      keyword: true,
      sortable: true,
      max: 90,
      width: 190,
      pattern: word,
      help: [
        '值的编码不填时为 字典编码.值',
        'Empty for a value: the code of its dictionary, a dot and the value',
      ],
    }),
    viewSort: integer(['排序', 'Order'], { readOnly: true, sortable: true, width: 70 }),
    below: integer(['下级', 'Below'], { readOnly: true, width: 70 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 70 }),
    used: integer(['使用', 'Used'], { readOnly: true, width: 70 }),
    system: boolean(['系统', 'System'], { readOnly: true, search: 'equals', width: 70 }),
  },
  stamps: true,
  tree: { parent: 'parent', maxDepth: 3 },
  orderable: { field: 'viewSort', within: 'parent' },
  importable: { key: 'code', fields: ['parent', 'code', 'val', 'name', 'nameEn'], mode: 'upsert' },
  list: {
    columns: [
      'name',
      'nameEn',
      'val',
      'enabled',
      'used',
      'below',
      'code',
      'viewSort',
      'parent',
      'system',
      'updater',
      'updatedAt',
    ],
    hidden: ['parent', 'system', 'updater', 'updatedAt'],
    filters: ['parent', 'enabled', 'system', 'updatedAt'],
    sort: 'viewSort',
    link: 'name',
    export: true,
  },
  form: {
    sections: [{ title: ['字典值', 'Value'], fields: ['parent', 'name', 'nameEn', 'val', 'code'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['字典值', 'Value'],
        fields: ['parent', 'name', 'nameEn', 'val', 'code', 'enabled', 'used', 'below', 'system'],
      },
      { title: ['记录', 'Record'], fields: ['creator', 'createdAt', 'updater', 'updatedAt'] },
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
        '停用「{name}」？它和下级在表单中不再可选，已使用的数据仍显示名称。',
        'Disable "{name}"? Forms no longer offer it and what stands below it; rows that hold it keep its label.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除「{name}」？删除后不可恢复。', 'Delete "{name}"? This cannot be undone.'],
    },
  },
  elements: { btn_import: ['导入', 'Import'] },
});

export interface BizDict extends Row<typeof bizDict> {}
