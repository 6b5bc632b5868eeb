import {
  boolean,
  choice,
  code,
  image,
  instant,
  integer,
  ref,
  refs,
  text,
  treeRef,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { VERSION } from './app-module.rules.ts';

/** The apps modules belong to. */
export const SYSTEMS = {
  owner: { label: ['业主端', 'Owner app'], code: 1 },
  staff: { label: ['员工端', 'Staff app'], code: 2 },
} as const;

const least = {
  pattern: VERSION,
  max: 14,
  numeric: true,
  placeholder: ['如 3.2.0', 'such as 3.2.0'],
  width: 110,
} as const;

/** A module of an app: an entry residents or staff see, or a group of such entries. */
export const appModule = defineResource({
  name: 'appModule',
  menu: 'sysTreeManager',
  title: ['应用模块树', 'App module tree'],
  noun: ['模块', 'Module'],
  purpose: [
    'App 首页与各页的入口：按小区和 App 版本显示',
    'The entries of the apps, by project and app version',
  ],
  stamps: true,
  deletable: 'unused',
  tree: { parent: 'parent', maxDepth: 3 },
  fields: {
    name: text(['名称', 'Name'], { required: true, keyword: true, max: 20, width: 150 }),
    nameEn: text(['英文名称', 'English name'], { required: true, keyword: true, max: 40, width: 150 }),
    code: code(['编码', 'Code'], {
      required: true,
      createOnly: true,
      search: 'contains',
      max: 40,
      width: 130,
      pattern: {
        source: '[a-zA-Z][a-zA-Z0-9_]{1,39}',
        message: [
          '以字母开头，2至40位字母、数字、下划线',
          'Starts with a letter; 2 to 40 letters, digits and underscores',
        ],
      },
    }),
    system: choice(['系统', 'System'], SYSTEMS, {
      required: true,
      createOnly: true,
      search: 'in',
      width: 90,
      initial: 'owner',
    }),
    parent: treeRef('appModule', ['上级模块', 'Parent'], { search: 'in', width: 130 }),
    logo: image(['图标', 'Icon'], { required: true, width: 70 }),
    showType: choice(
      ['展示方式', 'Shown as'],
      {
        native: { label: ['原生', 'Native'], code: 1 },
        internal: { label: ['内部 H5', 'Internal H5'], code: 2 },
        external: { label: ['外部 H5', 'External H5'], code: 3 },
      },
      { required: true, search: 'in', width: 100, initial: 'native' },
    ),
    pageForm: choice(
      ['页面形式', 'Page form'],
      {
        plain: { label: ['默认', 'Default'], code: 0 },
        recommended: { label: ['推荐', 'Recommended'], code: 1 },
        finds: { label: ['好物探访', 'Good finds'], code: 2 },
        mall: { label: ['优选商城', 'Selected mall'], code: 3 },
        group: { label: ['团购', 'Group buying'], code: 4 },
      },
      { required: true, search: 'in', width: 100, initial: 'plain' },
    ),
    url: text(['链接', 'Address'], {
      max: 500,
      width: 200,
      help: ['H5 页面必填，仅 https', 'Needed for H5 pages, https only'],
    }),
    business: ref('business', ['业务', 'Business'], { search: 'in', width: 110 }),
    iosMin: text(['iOS 最低版本', 'iOS from'], least),
    androidMin: text(['Android 最低版本', 'Android from'], least),
    projects: refs('project', ['小区', 'Projects'], {
      search: 'in',
      width: 180,
      help: ['不选表示全部小区', 'Empty means all projects'],
    }),
    needsLogin: boolean(['需登录', 'Needs sign-in'], { search: 'equals', width: 90 }),
    badge: text(['角标', 'Badge'], { max: 6, width: 80 }),
    badgeUntil: instant(['角标截止', 'Badge until'], { width: 140 }),
    position: integer(['排序', 'Order'], { readOnly: true, sortable: true, width: 70 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: [
      'name',
      'nameEn',
      'code',
      'system',
      'logo',
      'showType',
      'pageForm',
      'url',
      'business',
      'iosMin',
      'androidMin',
      'projects',
      'needsLogin',
      'badge',
      'badgeUntil',
      'position',
      'enabled',
      'updater',
      'updatedAt',
    ],
    hidden: ['nameEn', 'pageForm', 'url', 'business', 'needsLogin', 'badgeUntil', 'position', 'updater'],
    filters: ['system', 'parent', 'showType', 'projects', 'enabled'],
    sort: 'position',
    link: 'name',
    export: true,
  },
  form: {
    sections: [
      { title: ['模块', 'Module'], fields: ['system', 'parent', 'code', 'name', 'nameEn', 'logo'] },
      {
        title: ['打开方式', 'How it opens'],
        fields: ['showType', 'url', 'pageForm', 'business', 'needsLogin'],
      },
      {
        title: ['谁能看到', 'Who sees it'],
        note: ['上级模块不可见时，下级也不可见', 'What stands below a hidden module is hidden too'],
        fields: ['projects', 'iosMin', 'androidMin'],
      },
      { title: ['角标', 'Badge'], fields: ['badge', 'badgeUntil'] },
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
        '停用「{name}」？它和下级模块都不再显示。',
        'Disable "{name}"? It and what stands below it are no longer shown.',
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

export interface AppModule extends Row<typeof appModule> {}
