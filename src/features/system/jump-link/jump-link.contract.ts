import { boolean, code, integer, lines, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

const template = { required: true, max: 500, width: 220 } as const;

/** A link into a page of the owner's app: one template per platform, with the parameters that fill it. */
export const jumpLink = defineResource({
  name: 'jumpLink',
  menu: 'jumpUrlManager',
  title: ['跳转链接', 'Jump links'],
  noun: ['跳转链接', 'Jump link'],
  purpose: [
    '广告、启动页与消息从这里选择要打开的页面',
    'Adverts, launch pages and messages choose here which page they open',
  ],
  stamps: true,
  deletable: 'unused',
  copy: true,
  fields: {
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      sortable: true,
      search: 'contains',
      max: 40,
      width: 150,
      pattern: {
        source: '[a-z][a-z0-9_]{1,39}',
        message: [
          '以小写字母开头，2至40位小写字母、数字、下划线',
          'Starts with a letter; 2 to 40 lower-case letters, digits and underscores',
        ],
      },
    }),
    name: text(['名称', 'Name'], {
      required: true,
      keyword: true,
      sortable: true,
      min: 2,
      max: 40,
      width: 160,
    }),
    ios: text(['iOS 链接', 'iOS link'], template),
    android: text(['Android 链接', 'Android link'], template),
    h5: text(['H5 链接', 'H5 link'], { ...template, help: ['仅 https', 'https only'] }),
    miniProgram: text(['小程序路径', 'Mini-program path'], template),
    parameters: lines(
      ['参数', 'Parameters'],
      {
        name: text(['参数名', 'Name'], {
          required: true,
          max: 30,
          pattern: {
            source: '[a-zA-Z][a-zA-Z0-9_]*',
            message: [
              '以字母开头，仅限字母、数字、下划线',
              'Starts with a letter; letters, digits and _ only',
            ],
          },
        }),
        required: boolean(['必填', 'Required']),
        sample: text(['示例值', 'Sample'], { max: 100 }),
      },
      { max: 20, width: 180 },
    ),
    used: integer(['使用', 'Used by'], { readOnly: true, width: 80 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'code',
      'name',
      'ios',
      'android',
      'h5',
      'miniProgram',
      'parameters',
      'used',
      'enabled',
      'updater',
      'updatedAt',
    ],
    hidden: ['android', 'miniProgram'],
    filters: ['code', 'enabled'],
    sort: 'code',
    link: 'name',
    export: true,
  },
  form: {
    width: 720,
    sections: [
      { title: ['基本信息', 'Basics'], fields: ['code', 'name'] },
      {
        title: ['链接模板', 'Templates'],
        note: ['用 {参数名} 标出要填写的位置', 'Mark the places to fill with {name}'],
        fields: ['ios', 'android', 'h5', 'miniProgram'],
      },
      { title: ['参数', 'Parameters'], fields: ['parameters'] },
    ],
  },
  elements: { btn_test: ['测试链接', 'Test'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_edit' },
    disable: {
      on: 'rowAndBulk',
      label: ['停用', 'Disable'],
      element: 'btn_edit',
      confirm: [
        '停用「{name}」？不再可选，已引用的不再跳转。',
        'Disable "{name}"? It can no longer be chosen, and what uses it no longer opens it.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除「{name}」？', 'Delete "{name}"?'],
    },
  },
});

export interface JumpLink extends Row<typeof jumpLink> {}

/** Who leads to a link. */
export interface LinkUse {
  readonly noun: string;
  readonly count: number;
}
