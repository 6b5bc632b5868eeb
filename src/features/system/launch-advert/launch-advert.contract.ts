import {
  boolean,
  choice,
  image,
  instant,
  integer,
  percent,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';

/** Largest picture. */
export const PICTURE_BYTES = 2 * 1024 * 1024;

/** A picture the owner's app shows while it starts, for some projects and some time. */
export const launchAdvert = defineResource({
  name: 'launchAdvert',
  menu: 'ssm_appAdvertPage',
  title: ['App 启动页', 'Launch pages'],
  noun: ['启动页', 'Launch page'],
  purpose: [
    '业主端启动时展示的图片：按小区与时段，每个小区同时最多展示设定的数量，按排序再按新旧',
    'Pictures of the starting app by project and time; a project shows so many at once, by order, then the newest',
  ],
  titleField: 'title',
  stamps: true,
  copy: true,
  fields: {
    title: text(['标题', 'Title'], { required: true, keyword: true, sortable: true, max: 30, width: 165 }),
    androidImage: image(['Android 图片', 'Android picture'], {
      required: true,
      megabytes: 2,
      width: 130,
      help: ['建议 1080 × 2340', 'Best 1080 × 2340'],
    }),
    iosImage: image(['iOS 图片', 'iOS picture'], {
      required: true,
      megabytes: 2,
      width: 90,
      help: ['建议 1170 × 2532', 'Best 1170 × 2532'],
    }),
    startsAt: instant(['开始时间', 'Starts'], {
      required: true,
      sortable: true,
      search: 'range',
      width: 120,
    }),
    endsAt: instant(['结束时间', 'Ends'], { required: true, sortable: true, width: 120 }),
    stay: integer(['停留秒数', 'Stays'], {
      required: true,
      min: 1,
      max: 10,
      initial: 3,
      unit: ['秒', 's'],
      width: 90,
    }),
    jump: choice(
      ['跳转', 'Opens'],
      {
        none: { label: ['不跳转', 'Nothing'] },
        link: { label: ['跳转链接', 'A link'] },
        module: { label: ['应用模块', 'An app module'] },
      },
      { required: true, search: 'in', initial: 'none', width: 100 },
    ),
    link: ref('jumpLink', ['跳转链接', 'Link'], {
      width: 130,
      help: ['跳转选择“跳转链接”时必填', 'Needed where a link is opened'],
    }),
    module: ref('launchModule', ['应用模块', 'App module'], {
      width: 130,
      help: ['跳转选择“应用模块”时必填', 'Needed where an app module is opened'],
    }),
    projects: refs('project', ['小区', 'Projects'], { required: true, search: 'in', width: 170 }),
    sort: integer(['排序', 'Order'], {
      required: true,
      sortable: true,
      min: 1,
      max: 9999,
      initial: 100,
      width: 80,
      help: ['小的在前', 'The smallest first'],
    }),
    running: boolean(['展示中', 'Running now'], { readOnly: true, search: 'equals', width: 90 }),
    shown: integer(['展示', 'Shown'], { readOnly: true, width: 90 }),
    clicked: integer(['点击', 'Clicked'], { readOnly: true, width: 90 }),
    clickRate: percent(['点击率', 'Click rate'], { readOnly: true, width: 90 }),
  },
  states: {
    draft: { label: ['待发布', 'Draft'], tone: 'default' },
    published: { label: ['已发布', 'Published'], tone: 'success' },
    withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused' },
  },
  list: {
    columns: [
      'title',
      'androidImage',
      'state',
      'running',
      'startsAt',
      'endsAt',
      'projects',
      'jump',
      'link',
      'module',
      'stay',
      'sort',
      'shown',
      'clicked',
      'clickRate',
      'updater',
      'updatedAt',
    ],
    hidden: ['link', 'module', 'updater', 'updatedAt'],
    filters: ['projects', 'state', 'running', 'jump', 'startsAt'],
    sort: '-startsAt',
    link: 'title',
    export: true,
  },
  form: {
    width: 720,
    sections: [
      { title: ['图片', 'Pictures'], fields: ['title', 'androidImage', 'iosImage'] },
      { title: ['展示', 'When and where'], fields: ['startsAt', 'endsAt', 'stay', 'sort', 'projects'] },
      { title: ['点击后', 'When clicked'], fields: ['jump', 'link', 'module'] },
    ],
  },
  elements: { btn_preview: ['手机预览', 'Preview'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'draft' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft', 'withdrawn'] },
    publish: {
      on: 'row',
      label: ['发布', 'Publish'],
      element: 'btn_publish',
      from: ['draft', 'withdrawn'],
      to: 'published',
      tone: 'primary',
      confirm: ['发布「{title}」？', 'Publish "{title}"?'],
    },
    withdraw: {
      on: 'rowAndBulk',
      label: ['撤回', 'Withdraw'],
      element: 'btn_withdraw',
      from: ['published'],
      to: 'withdrawn',
      confirm: [
        '撤回「{title}」？App 立即不再展示。',
        'Withdraw "{title}"? The app stops showing it at once.',
      ],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      from: ['draft', 'withdrawn'],
      tone: 'danger',
      confirm: ['删除「{title}」？', 'Delete "{title}"?'],
    },
    expire: {
      on: 'system',
      label: ['到期撤回', 'Over'],
      element: 'btn_withdraw',
      from: ['published'],
      to: 'withdrawn',
    },
  },
});

export interface LaunchAdvert extends Row<typeof launchAdvert> {}

/** Pages of a project that would not be shown once another is published. */
export interface LeftOutPages {
  readonly project: string;
  readonly titles: readonly string[];
}
