import { boolean, choice, code, integer, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A province, city or district of China by its national code. */
export const region = defineResource({
  name: 'region',
  menu: 'areaNew',
  title: ['区域管理', 'Regions'],
  noun: ['区域', 'Region'],
  purpose: [
    '全国省、市、区县，用于地址、不配送区域与机构；国家名录的区域只停用，不删除',
    'Provinces, cities and districts of addresses, delivery and organisations; those of the national list are stopped, never deleted',
  ],
  stamps: true,
  tree: { parent: 'parent', maxDepth: 3 },
  deletable: 'unused',
  fields: {
    parent: ref('regionAbove', ['上级', 'Parent'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
      help: ['按名称、编码或拼音搜索省、市', 'Provinces and cities by name, code or pinyin'],
    }),
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      keyword: true,
      sortable: true,
      search: 'equals',
      max: 6,
      width: 110,
      pattern: { source: '[1-9]\\d{5}', message: ['须为 6 位数字', 'Must have 6 digits'] },
      help: ['以上级编码开头的 6 位数字', 'Six digits that begin like the code of the parent'],
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 30,
      width: 160,
    }),
    fullName: text(['全称', 'Full name'], { readOnly: true, width: 240 }),
    pinyin: text(['拼音', 'Pinyin'], { readOnly: true, keyword: true, width: 150 }),
    level: choice(
      ['级别', 'Level'],
      {
        '1': { label: ['省', 'Province'] },
        '2': { label: ['市', 'City'] },
        '3': { label: ['区县', 'District'] },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    source: choice(
      ['来源', 'Source'],
      {
        national: { label: ['国家名录', 'National list'] },
        own: { label: ['自建', 'Own'], tone: 'processing' },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    projects: integer(['项目数', 'Projects'], {
      readOnly: true,
      width: 90,
      help: ['含下级区域的项目', 'With those of the regions below'],
    }),
    hasProjects: boolean(['有项目', 'Has projects'], { readOnly: true, search: 'equals' }),
    noDelivery: integer(['不配送商户', 'No delivery by'], {
      readOnly: true,
      width: 120,
      help: [
        '整店不向本区域（或其上级）配送的商户数',
        'Merchants that deliver nothing here or to a region above',
      ],
    }),
    below: integer(['下级区域数', 'Regions below'], { readOnly: true, width: 110 }),
    sort: integer(['排序', 'Order'], { min: 0, max: 9999, sortable: true, width: 80 }),
    replacedBy: ref('region', ['替代为', 'Replaced by'], { readOnly: true, width: 140 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'code',
      'name',
      'fullName',
      'pinyin',
      'level',
      'source',
      'projects',
      'noDelivery',
      'sort',
      'enabled',
    ],
    hidden: ['parent', 'below', 'replacedBy', 'updatedAt', 'updater'],
    filters: ['level', 'enabled', 'hasProjects', 'source'],
    sort: 'code',
    link: 'name',
    export: true,
  },
  form: {
    sections: [{ title: ['区域', 'Region'], fields: ['parent', 'code', 'name', 'sort'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['区域', 'Region'],
        fields: ['code', 'name', 'fullName', 'pinyin', 'level', 'parent', 'source', 'sort', 'enabled'],
      },
      { title: ['使用情况', 'Used by'], fields: ['projects', 'noDelivery', 'below', 'replacedBy'] },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: {
      on: 'row',
      label: ['启用', 'Enable'],
      element: 'btn_enable',
      confirm: [
        '启用「{fullName}」及其下 {below} 个区域？已被替代的区域保持停用。',
        'Enable "{fullName}" with {below} regions below it? Replaced ones stay stopped.',
      ],
    },
    disable: {
      on: 'row',
      label: ['停用', 'Stop'],
      element: 'btn_enable',
      confirm: [
        '停用「{fullName}」及其下 {below} 个区域？不再可选，已填写的地址不变。',
        'Stop "{fullName}" with {below} regions below it? They can no longer be chosen; addresses stay as they are.',
      ],
    },
    replace: {
      on: 'row',
      label: ['替代', 'Replace'],
      element: 'btn_replace',
      input: {
        to: ref('region', ['新区域', 'New region'], {
          required: true,
          help: [
            '项目、机构与不配送设置改为新区域，原区域停用并指向新区域',
            'Projects, organisations and delivery rules follow; this region is stopped and points to the new one',
          ],
        }),
      },
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除区域「{fullName}」？', 'Delete the region "{fullName}"?'],
    },
    // A code says where its region stands: regions are not dragged.
    move: { on: 'system', label: ['移动', 'Move'], element: 'btn_edit' },
  },
  elements: { btn_import: ['导入国家名录', 'Import the national list'] },
});

export interface Region extends Row<typeof region> {}
