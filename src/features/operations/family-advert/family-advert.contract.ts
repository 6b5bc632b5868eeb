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
import { defineResource } from '../../../kernel/contract/resource.ts';

/** An advert above the posts of families. */
export const familyAdvert = defineResource({
  name: 'familyAdvert',
  menu: 'os_familyAdvert',
  title: ['家人圈广告位', 'Family adverts'],
  noun: ['广告', 'Advert'],
  titleField: 'title',
  purpose: [
    'App 家人圈顶部的广告：按项目与时段展示，每个项目最多同时展示设定的数量，按排序取前几条',
    'Adverts above the family posts by project and time; a project shows so many at a time, the first by their order',
  ],
  stamps: true,
  copy: true,
  fields: {
    image: image(['图片', 'Picture'], {
      required: true,
      megabytes: 2,
      width: 90,
      help: ['建议 750 × 320', 'Best 750 × 320'],
    }),
    title: text(['标题', 'Title'], { required: true, keyword: true, sortable: true, max: 30, width: 180 }),
    projects: refs('project', ['项目', 'Projects'], { required: true, search: 'in', width: 160 }),
    jump: choice(
      ['跳转类型', 'Opens'],
      {
        none: { label: ['无', 'Nothing'], code: 0 },
        inner: { label: ['应用内', 'Inside the app'], code: 1 },
        url: { label: ['外部链接', 'A web address'], code: 2 },
      },
      { required: true, search: 'in', initial: 'none', width: 100 },
    ),
    innerClass: choice(
      ['内容类型', 'Inside'],
      {
        family: { label: ['家人圈', 'Family post'], code: 1 },
        chamber: { label: ['议事厅', 'Council hall'], code: 2 },
        activity: { label: ['邻里活动', 'Activity'], code: 3 },
        topic: { label: ['社区话题', 'Community topic'], code: 4 },
        group_post: { label: ['业主圈帖子', 'Group post'], code: 5 },
      },
      { width: 100, help: ['跳转应用内时必填', 'Needed where it opens inside the app'] },
    ),
    familyPost: ref('advertFamilyPost', ['家人圈帖子', 'Family post'], {
      help: ['内容类型为家人圈时必填', 'Needed for a family post'],
    }),
    chamberPost: ref('advertChamberPost', ['议事厅话题', 'Council topic'], {
      help: ['内容类型为议事厅时必填', 'Needed for the council hall'],
    }),
    activity: ref('advertActivity', ['邻里活动', 'Activity'], {
      help: ['内容类型为邻里活动时必填', 'Needed for an activity'],
    }),
    groupPost: ref('advertGroupPost', ['业主圈帖子', 'Group post'], {
      help: ['内容类型为业主圈帖子时必填', 'Needed for a group post'],
    }),
    topic: ref('advertTopic', ['社区话题', 'Community topic'], {
      help: ['内容类型为社区话题时必填', 'Needed for a community topic'],
    }),
    url: text(['外部地址', 'Web address'], {
      max: 500,
      placeholder: ['https://', 'https://'],
      pattern: { source: 'https://[^\\s<>"]+', message: ['须以 https:// 开头', 'Must begin with https://'] },
      help: ['跳转外部链接时必填', 'Needed where a web address is opened'],
    }),
    target: text(['跳转内容', 'Target'], { readOnly: true, width: 180 }),
    dead: boolean(['对象已失效', 'Target is gone'], { readOnly: true, search: 'equals', width: 100 }),
    startsAt: instant(['开始时间', 'Starts'], {
      required: true,
      sortable: true,
      search: 'range',
      width: 150,
    }),
    endsAt: instant(['结束时间', 'Ends'], { required: true, sortable: true, width: 150 }),
    sort: integer(['排序', 'Order'], {
      required: true,
      sortable: true,
      min: 1,
      max: 999,
      initial: 100,
      width: 80,
      help: ['小的在前', 'The smallest first'],
    }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, width: 80 }),
    phase: choice(
      ['状态', 'State'],
      {
        future: { label: ['未开始', 'Not begun'], tone: 'default' },
        running: { label: ['展示中', 'Shown'], tone: 'success' },
        over: { label: ['已结束', 'Over'], tone: 'paused' },
        off: { label: ['已停用', 'Disabled'], tone: 'error' },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    shown: integer(['曝光', 'Exposures'], { readOnly: true, width: 90 }),
    clicked: integer(['点击', 'Clicks'], { readOnly: true, width: 90 }),
    clickRate: percent(['点击率', 'Click rate'], { readOnly: true, width: 90 }),
  },
  list: {
    columns: [
      'title',
      'image',
      'phase',
      'jump',
      'innerClass',
      'target',
      'projects',
      'startsAt',
      'endsAt',
      'sort',
      'shown',
      'clicked',
      'clickRate',
      'dead',
      'updater',
      'updatedAt',
    ],
    hidden: ['updater', 'updatedAt'],
    filters: ['projects', 'phase', 'jump', 'dead', 'startsAt'],
    sort: '-startsAt',
    link: 'title',
    export: true,
    empty: ['还没有广告', 'No adverts yet'],
  },
  form: {
    width: 640,
    sections: [
      { title: ['广告', 'Advert'], fields: ['title', 'image', 'projects', 'startsAt', 'endsAt', 'sort'] },
      {
        title: ['跳转', 'What it opens'],
        note: ['跳转内容须在所选全部项目可见', 'What it opens must be visible in every chosen project'],
        fields: ['jump', 'innerClass', 'familyPost', 'chamberPost', 'activity', 'topic', 'groupPost', 'url'],
      },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['广告', 'Advert'],
        fields: [
          'title',
          'image',
          'phase',
          'projects',
          'jump',
          'innerClass',
          'target',
          'dead',
          'startsAt',
          'endsAt',
          'sort',
          'enabled',
          'shown',
          'clicked',
          'clickRate',
        ],
      },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'rowAndBulk', label: ['启用', 'Enable'], element: 'btn_enable', tone: 'primary' },
    disable: { on: 'rowAndBulk', label: ['停用', 'Disable'], element: 'btn_enable', tone: 'danger' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除广告「{title}」？', 'Delete “{title}”?'],
    },
  },
});

/** One day of an advert. */
export interface AdvertDay {
  readonly day: string;
  readonly exposures: number;
  readonly clicks: number;
  readonly viewers: number;
  readonly clickers: number;
}
