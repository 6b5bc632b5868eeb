import { boolean, choice, code, integer, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

const word = {
  source: '[a-zA-Z0-9_.-]+',
  message: ['仅限字母、数字、_ . 和 -', 'Letters, digits, _ . and - only'],
} as const;

/** A value of a platform dictionary: what rows hold, with its label in both languages. */
export const dictValue = defineResource({
  name: 'dictValue',
  menu: 'dictManager',
  base: '/admin',
  titleField: 'name',
  title: ['数据字典与参数', 'Dictionary and settings'],
  noun: ['字典值', 'Dictionary value'],
  purpose: [
    '全平台共用的选项：修改标签、颜色、顺序后，已打开的页面 5 秒内更新；停用后不再可选，历史数据仍显示名称',
    'Choices used all over the platform: labels, colours and order reach open pages within 5 seconds; a disabled value is no longer offered, old rows keep its label',
  ],
  fields: {
    type: ref('dictType', ['字典类型', 'Type'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 140,
    }),
    code: code(['编码', 'Code'], {
      keyword: true,
      sortable: true,
      max: 90,
      width: 200,
      pattern: word,
      help: ['不填时为 类型编码.值', 'Empty: the code of the type, a dot and the value'],
    }),
    value: text(['值', 'Value'], {
      required: true,
      keyword: true,
      sortable: true,
      max: 40,
      width: 110,
      pattern: word,
      help: ['业务数据保存的内容', 'What business rows hold'],
    }),
    name: text(['中文', 'Chinese'], { required: true, keyword: true, sortable: true, max: 60, width: 130 }),
    nameEn: text(['英文', 'English'], { required: true, keyword: true, max: 100, width: 150 }),
    tone: choice(
      ['颜色', 'Colour'],
      {
        default: { label: ['灰色', 'Grey'], tone: 'default' },
        processing: { label: ['蓝色', 'Blue'], tone: 'processing' },
        success: { label: ['绿色', 'Green'], tone: 'success' },
        warning: { label: ['橙色', 'Orange'], tone: 'warning' },
        error: { label: ['红色', 'Red'], tone: 'error' },
        paused: { label: ['暗色', 'Dim'], tone: 'paused' },
      },
      { search: 'in', width: 90, initial: 'default' },
    ),
    attr1: text(['属性1', 'Attribute 1'], { max: 100, width: 100 }),
    attr2: text(['属性2', 'Attribute 2'], { max: 100, width: 100 }),
    attr3: text(['属性3', 'Attribute 3'], { max: 100, width: 100 }),
    position: integer(['排序', 'Order'], { readOnly: true, sortable: true, width: 80 }),
    tenant: ref('settingTenant', ['租户', 'Tenant'], {
      search: 'in',
      width: 140,
      help: ['不选表示全部租户', 'Empty means every tenant'],
    }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 70 }),
    used: integer(['使用', 'Used'], { readOnly: true, width: 70 }),
    system: boolean(['系统', 'System'], { readOnly: true, search: 'equals', width: 70 }),
  },
  stamps: true,
  orderable: { field: 'position', within: 'type' },
  importable: {
    key: 'code',
    fields: ['type', 'code', 'value', 'name', 'nameEn', 'tone', 'attr1', 'attr2', 'attr3'],
    mode: 'upsert',
  },
  list: {
    columns: [
      'name',
      'nameEn',
      'value',
      'tone',
      'enabled',
      'used',
      'code',
      'position',
      'attr1',
      'attr2',
      'attr3',
      'tenant',
      'system',
      'type',
      'updater',
      'updatedAt',
    ],
    hidden: ['attr1', 'attr2', 'attr3', 'type', 'updater', 'updatedAt'],
    filters: ['enabled', 'system', 'tone', 'tenant', 'updatedAt'],
    sort: 'position',
    link: 'name',
    export: true,
  },
  form: {
    sections: [
      { title: ['字典值', 'Value'], fields: ['type', 'value', 'code', 'name', 'nameEn', 'tone', 'tenant'] },
      { title: ['扩展属性', 'Attributes'], fields: ['attr1', 'attr2', 'attr3'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['字典值', 'Value'],
        fields: ['type', 'code', 'value', 'name', 'nameEn', 'tone', 'tenant', 'enabled', 'used', 'system'],
      },
      { title: ['扩展属性', 'Attributes'], fields: ['attr1', 'attr2', 'attr3'] },
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
        '停用「{name}」？表单中不再可选，已使用的数据仍显示名称。',
        'Disable "{name}"? Forms no longer offer it; rows that hold it keep its label.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '删除字典值「{name}」？删除后不可恢复。',
        'Delete the value "{name}"? This cannot be undone.',
      ],
    },
  },
  elements: { btn_import: ['导入', 'Import'], btn_usage: ['查看使用', 'Usage'] },
});

export interface DictValue extends Row<typeof dictValue> {}
