import { lines, ref, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** The service numbers of a project as its residents see them in the app; one list a project. */
export const hotline = defineResource({
  name: 'hotline',
  menu: 'cs_hotline',
  title: ['服务热线', 'Service hotlines'],
  noun: ['服务热线', 'Hotline'],
  purpose: [
    '每个项目一份热线，业主在 App 按此顺序查看并拨打',
    'One list a project; residents see and call the numbers in this order in the app',
  ],
  titleField: 'title',
  stamps: true,
  fields: {
    title: text(['标题', 'Title'], { required: true, max: 30, keyword: true, sortable: true, width: 180 }),
    project: ref('project', ['项目', 'Project'], { required: true, search: 'in', width: 160 }),
    numbers: lines(
      ['热线号码', 'Numbers'],
      {
        name: text(['名称', 'Name'], { required: true, max: 20, placeholder: ['客服前台', 'Front desk'] }),
        phone: text(['电话', 'Phone'], {
          required: true,
          max: 20,
          placeholder: ['座机、手机或 400', 'Landline, mobile or 400'],
          pattern: {
            source:
              '^(1[3-9]\\d{9}|0\\d{2,3}-?[2-9]\\d{6,7}(-\\d{1,6})?|400-?\\d{3}-?\\d{4}|400-?\\d{4}-?\\d{3})$',
            message: ['请填写正确的座机、手机或 400 号码', 'Write a landline, mobile or 400 number'],
          },
        }),
        hours: text(['值班时间', 'Duty hours'], { max: 40, placeholder: ['08:30–18:00', '08:30–18:00'] }),
      },
      {
        required: true,
        min: 1,
        max: 20,
        help: ['1–20 行，按此顺序显示', '1 to 20 rows, shown in this order'],
      },
    ),
    phones: text(['号码', 'Numbers'], { readOnly: true, width: 320 }),
    hours: text(['值班时间', 'Duty hours'], { readOnly: true, width: 180 }),
  },
  list: {
    columns: ['title', 'project', 'phones', 'hours', 'updater', 'updatedAt'],
    hidden: ['updater'],
    filters: ['project'],
    sort: '-updatedAt',
    link: 'title',
    empty: ['还没有服务热线', 'There are no hotlines yet'],
  },
  form: {
    width: 760,
    sections: [{ title: ['热线', 'Hotline'], fields: ['project', 'title', 'numbers'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['热线', 'Hotline'],
        fields: ['title', 'project', 'numbers', 'creator', 'createdAt', 'updater', 'updatedAt'],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: [
        '删除「{title}」？业主在 App 中不再看到这些号码。',
        'Delete “{title}”? Residents no longer see these numbers in the app.',
      ],
    },
  },
});

export interface Hotline extends Row<typeof hotline> {}
