import {
  boolean,
  choice,
  email,
  image,
  images,
  instant,
  integer,
  longText,
  personName,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';

const MENU = 'os_operationUser';
const KINDS = {
  family: { label: ['家人圈', 'Family circle'] },
  chamber: { label: ['议事厅', 'Council hall'] },
} as const;
const seen = { readOnly: true } as const;

/** A post of an operation user that appears at its time. */
export const plannedPost = defineResource({
  name: 'plannedPost',
  menu: MENU,
  title: ['定时帖子', 'Planned posts'],
  noun: ['定时帖子', 'Planned post'],
  titleField: 'content',
  stamps: true,
  fields: {
    user: ref('operationUser', ['运营用户', 'Operation user'], { ...seen, search: 'in', width: 120 }),
    content: text(['内容', 'Content'], { ...seen, width: 260 }),
    kind: choice(['发布到', 'Where'], KINDS, { ...seen, width: 100 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 150 }),
    publishAt: instant(['发布时间', 'Publish at'], { ...seen, sortable: true, width: 150 }),
    failure: text(['未发布原因', 'Why it was not published'], { ...seen, width: 200 }),
  },
  states: {
    waiting: { label: ['待发布', 'Waiting'], tone: 'processing' },
    published: { label: ['已发布', 'Published'], tone: 'success' },
    failed: { label: ['发布失败', 'Not published'], tone: 'error' },
    cancelled: { label: ['已取消', 'Cancelled'], tone: 'default' },
  },
  list: {
    columns: ['content', 'kind', 'project', 'publishAt', 'state', 'failure', 'creator', 'createdAt'],
    filters: ['user', 'project', 'state'],
    sort: '-publishAt',
    empty: ['没有定时帖子', 'No post is planned'],
  },
  actions: {
    cancel: {
      on: 'row',
      label: ['取消发布', 'Cancel'],
      element: 'btn_postAs',
      tone: 'danger',
      from: ['waiting'],
      to: 'cancelled',
      confirm: ['取消这条定时帖子？', 'Cancel this planned post?'],
    },
    appear: {
      on: 'system',
      label: ['定时发布', 'Published at its time'],
      element: 'btn_postAs',
      from: ['waiting'],
      to: ['published', 'failed'],
    },
  },
});

/** A member in whose name staff write officially. */
export const operationUser = defineResource({
  name: 'operationUser',
  menu: MENU,
  title: ['运营用户', 'Operation users'],
  noun: ['运营用户', 'Operation user'],
  titleField: 'name',
  purpose: [
    '以官方身份发帖的会员账号；不参与积分与活跃统计，内容无需审核',
    'Members in whose name staff write officially: they earn no points, count in no figure, and their posts need no review',
  ],
  stamps: true,
  sensitive: true,
  fields: {
    name: personName(['姓名', 'Name'], { readOnly: true, width: 100 }),
    phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
    memberPhone: text(['会员手机号', 'Phone of the member'], {
      secret: true,
      createOnly: true,
      required: true,
      max: 11,
      pattern: { source: '1\\d{10}', message: ['请输入11位手机号', 'A phone number has 11 digits'] },
      help: ['完整手机号，须是已注册会员', 'The whole number of a registered member'],
    }),
    sex: choice(
      ['性别', 'Sex'],
      {
        '0': { label: ['女', 'Female'] },
        '1': { label: ['男', 'Male'] },
        '2': { label: ['未知', 'Unknown'] },
      },
      { readOnly: true, width: 80 },
    ),
    email: email(['邮箱', 'E-mail'], { readOnly: true, width: 150 }),
    photo: image(['头像', 'Photo'], { readOnly: true, width: 70 }),
    projects: refs('project', ['项目', 'Projects'], { required: true, max: 200, search: 'in', width: 200 }),
    posts: integer(['帖子', 'Posts'], { readOnly: true, width: 80 }),
    note: text(['备注', 'Note'], { max: 200, width: 200 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'photo',
      'name',
      'phone',
      'sex',
      'email',
      'projects',
      'posts',
      'note',
      'enabled',
      'creator',
      'createdAt',
    ],
    filters: ['projects', 'enabled'],
    sort: '-createdAt',
    link: 'name',
    empty: ['还没有运营用户', 'No operation users yet'],
  },
  form: {
    width: 520,
    sections: [{ title: ['运营用户', 'Operation user'], fields: ['memberPhone', 'projects', 'note'] }],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['运营用户', 'Operation user'],
        fields: ['photo', 'name', 'phone', 'sex', 'email', 'projects', 'posts', 'note', 'enabled'],
      },
    ],
    parts: [
      part({ key: 'planned', title: ['定时帖子', 'Planned posts'], resource: plannedPost, by: 'user' }),
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_add' },
    postAs: {
      on: 'row',
      label: ['以此身份发帖', 'Publish as'],
      element: 'btn_postAs',
      tone: 'primary',
      input: {
        kind: choice(['发布到', 'Where'], KINDS, { required: true, initial: 'family' }),
        project: ref('project', ['项目', 'Project'], { required: true }),
        content: longText(['内容', 'Content'], { required: true, max: 2_000 }),
        pictures: images(['图片', 'Pictures'], { max: 9 }),
        tag: ref('officialTag', ['标签', 'Tag'], { help: ['仅议事厅', 'Council hall only'] }),
        options: longText(['投票选项', 'Options of a vote'], {
          max: 500,
          help: ['仅议事厅；每行一个，2–10 个', 'Council hall only; one a line, 2–10'],
        }),
        multiple: boolean(['可多选', 'Several choices'], { initial: false }),
        voteDays: integer(['投票天数', 'Days of the vote'], { min: 1, max: 60, initial: 7 }),
        publishAt: instant(['定时发布', 'Publish at'], {
          help: ['留空则立即发布', 'Empty: at once'],
        }),
      },
      message: ['已发布', 'Published'],
    },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: { on: 'row', label: ['停用', 'Disable'], element: 'btn_enable', tone: 'danger' },
    remove: {
      on: 'row',
      label: ['取消标记', 'Remove the flag'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['取消该会员的运营身份？已发的帖子保留', 'Remove the flag? The posts stay'],
    },
  },
});
