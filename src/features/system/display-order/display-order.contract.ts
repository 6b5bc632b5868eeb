import { boolean, choice, lines, ref, refs, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { DISPLAY_LISTS } from '../../../domain/display-order/display-lists.rules.ts';

/** The order of one list of the owners' app: the default, or that of a project. */
export const displayOrder = defineResource({
  name: 'displayOrder',
  menu: 'listSort',
  title: ['列表排序', 'List order'],
  noun: ['列表顺序', 'List order'],
  titleField: 'list',
  purpose: [
    '业主 App 各列表的顺序与显示；项目可与默认不同',
    "Order of the lists of the owners' app; a project may differ from the default",
  ],
  stamps: true,
  fields: {
    list: choice(['列表', 'List'], DISPLAY_LISTS, { required: true, createOnly: true, search: 'in' }),
    project: ref('project', ['项目', 'Project'], {
      createOnly: true,
      search: 'in',
      help: ['不选为默认', 'Empty: the default'],
    }),
    items: lines(
      ['顺序', 'Order'],
      {
        title: text(['名称', 'Name'], { max: 60 }),
        shown: boolean(['显示', 'Shown']),
        itemType: text(['类型', 'Kind'], { required: true, max: 40 }),
        itemId: text(['编号', 'Id'], { required: true, max: 40 }),
      },
      { required: true, max: 500 },
    ),
  },
  list: {
    columns: ['list', 'project', 'items', 'updater', 'updatedAt'],
    filters: ['list', 'project'],
    sort: '-updatedAt',
  },
  form: { sections: [{ title: ['顺序', 'Order'], fields: ['list', 'project', 'items'] }] },
  actions: {
    create: { on: 'page', label: ['保存', 'Save'], element: 'btn_save', tone: 'primary' },
    update: { on: 'row', label: ['保存', 'Save'], element: 'btn_save' },
    remove: {
      on: 'row',
      label: ['恢复默认', 'Back to default'],
      element: 'btn_reset',
      confirm: [
        '恢复为默认顺序？该项目自定义的顺序将被删除。',
        'Go back to the default? The own order of the project is removed.',
      ],
    },
    copyTo: {
      on: 'row',
      label: ['复制到项目', 'Copy to projects'],
      element: 'btn_copyTo',
      input: {
        projects: refs('project', ['项目', 'Projects'], {
          required: true,
          help: ['这些项目已有的顺序将被替换', 'Orders these projects have are replaced'],
        }),
      },
      message: ['已复制到 {n} 个项目', 'Copied to {n} projects'],
    },
  },
});

export interface DisplayOrder extends Row<typeof displayOrder> {}
