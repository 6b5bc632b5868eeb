import { code, integer, ref, refs, text } from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** A tag that sorts the posts of the council hall in some projects. */
export const topicTag = defineResource({
  name: 'topicTag',
  menu: 'os_topicTags',
  title: ['话题标签', 'Topic tags'],
  noun: ['话题标签', 'Topic tag'],
  titleField: 'name',
  purpose: [
    '议事厅话题的分类；同一项目内名称不重复，使用中的标签可合并到另一个',
    'Sorts the topics of the council hall; a name stands once in a project, a tag in use can be merged into another',
  ],
  stamps: true,
  deletable: 'unused',
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 110 }),
    name: text(['名称', 'Name'], { required: true, min: 2, max: 12, keyword: true, width: 180 }),
    position: integer(['排序', 'Order'], {
      required: true,
      min: 1,
      max: 999,
      initial: 1,
      sortable: true,
      width: 90,
      help: ['1–999，小的在前', '1–999, small numbers first'],
    }),
    projects: refs('project', ['项目', 'Projects'], { required: true, search: 'in', width: 240 }),
    posts: integer(['使用的话题', 'Topics'], {
      readOnly: true,
      width: 110,
      help: ['仅计您有权查看的项目', 'In the projects you work in'],
    }),
  },
  list: {
    columns: ['code', 'name', 'position', 'projects', 'posts', 'creator', 'createdAt', 'updatedAt'],
    hidden: ['creator', 'updatedAt'],
    filters: ['projects'],
    sort: 'position',
    link: 'name',
    empty: ['还没有话题标签', 'No topic tags yet'],
  },
  form: { width: 560, sections: [{ title: ['标签', 'Tag'], fields: ['name', 'position', 'projects'] }] },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['标签', 'Tag'],
        fields: [
          'code',
          'name',
          'position',
          'projects',
          'posts',
          'creator',
          'createdAt',
          'updater',
          'updatedAt',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    merge: {
      on: 'row',
      label: ['合并', 'Merge'],
      element: 'btn_merge',
      confirm: [
        '把「{name}」合并到另一个标签：所有话题改用后者，「{name}」被删除。',
        'Merge “{name}” into another tag: its topics move there and “{name}” is deleted',
      ],
      input: {
        into: ref('topicTag', ['合并到', 'Into'], { required: true }),
      },
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除「{name}」？', 'Delete “{name}”?'],
    },
  },
});

export interface TopicTag extends Row<typeof topicTag> {}
