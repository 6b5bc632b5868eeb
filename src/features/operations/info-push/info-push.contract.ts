import {
  boolean,
  choice,
  code,
  instant,
  longText,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Row } from '../../../kernel/contract/resource.ts';
import {
  phonesField,
  recipientsOf,
  SEND_ACTIONS,
  SEND_FIGURES,
  SEND_STATES,
} from '../../marketing/message-send/message-send.contract.ts';

/** The menu of pushes. */
export const PUSH_MENU = 'os_infoPush';

/** What became of a push for one member on one channel. */
export const pushRecipient = recipientsOf('pushRecipient', PUSH_MENU, false);

const { planned, sent, delivered, read, clicked, failed, skipped, readRate } = SEND_FIGURES;

/** A short message of the operators to members' phones and mailboxes. */
export const infoPush = defineResource({
  name: 'push',
  menu: PUSH_MENU,
  title: ['消息推送', 'Message push'],
  noun: ['推送', 'Push'],
  purpose: [
    '向小区会员推送一条消息并留在站内信；22:00–08:00 免打扰，每人每天受频次限制，紧急推送除外；与「消息发送」为同一条记录',
    'Push a message to members, kept in their mailbox; quiet from 22:00 to 08:00 and capped per member unless it is urgent. The same row stands under message sending',
  ],
  prefix: 'MS',
  titleField: 'name',
  stamps: true,
  sensitive: true,
  copy: true,
  elements: { btn_urgent: ['紧急推送', 'Urgent pushes'] },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 150 }),
    name: text(['标题', 'Title'], { required: true, max: 30, keyword: true, width: 200 }),
    body: longText(['内容', 'Content'], { required: true, max: 100, width: 220 }),
    audience: choice(
      ['对象方式', 'Audience'],
      {
        conditions: { label: ['项目会员', 'Members of projects'] },
        phones: { label: ['手机号名单', 'List of phones'] },
      },
      { required: true, initial: 'conditions', width: 110 },
    ),
    projects: refs('project', ['项目', 'Projects'], {
      max: 200,
      search: 'in',
      width: 180,
      help: ['按项目发送时必选', 'Needed unless it goes to a list'],
    }),
    identities: refs('messageIdentity', ['住户身份', 'Identities'], {
      max: 3,
      width: 120,
      help: ['不选为项目全部会员', 'Empty: all members of the projects'],
    }),
    grades: refs('grade', ['等级', 'Grades'], {
      max: 50,
      width: 120,
      help: ['不选为所有等级', 'Empty: every grade'],
    }),
    groups: refs('pushGroup', ['兴趣小组', 'Interest groups'], {
      max: 50,
      width: 120,
      help: ['只发给所选小组的成员', 'Members of the chosen groups only'],
    }),
    phones: phonesField(['手机号', 'Phones']),
    excludedPhones: phonesField(['排除手机号', 'Excluded phones']),
    audienceText: text(['对象', 'Audience'], { readOnly: true, width: 180 }),
    jump: choice(
      ['跳转', 'Jump'],
      {
        none: { label: ['无', 'None'], code: 0 },
        family: { label: ['家人圈', 'Family post'], code: 1 },
        chamber: { label: ['议事厅', 'Council hall'], code: 1 },
        activity: { label: ['邻里活动', 'Activity'], code: 1 },
        topic: { label: ['社区话题', 'Community topic'], code: 1 },
        group_post: { label: ['业主圈帖子', 'Group post'], code: 1 },
        notice: { label: ['物业公告', 'Property notice'], code: 1 },
        product: { label: ['商品', 'Product'], code: 1 },
        url: { label: ['外部链接', 'URL'], code: 2 },
      },
      { required: true, initial: 'none', width: 100 },
    ),
    jumpFamilyPost: ref('advertFamilyPost', ['家人圈帖子', 'Family post']),
    jumpChamberPost: ref('advertChamberPost', ['议事厅话题', 'Council topic']),
    jumpActivity: ref('advertActivity', ['邻里活动', 'Activity']),
    jumpGroupPost: ref('advertGroupPost', ['业主圈帖子', 'Group post']),
    jumpTopic: ref('advertTopic', ['社区话题', 'Community topic']),
    jumpNotice: ref('pushNotice', ['物业公告', 'Property notice']),
    jumpProduct: ref('pushProduct', ['商品', 'Product']),
    jumpUrl: text(['链接', 'URL'], {
      max: 300,
      help: [
        'https 开头，域名须在允许跳转的外部域名内',
        'https, of a host that is allowed as outside target',
      ],
    }),
    schedule: choice(
      ['发送时间', 'When'],
      { now: { label: ['立即', 'At once'] }, at: { label: ['定时', 'At a time'] } },
      { required: true, initial: 'now', width: 90 },
    ),
    sendAt: instant(['定时时间', 'Time'], { width: 150 }),
    urgent: boolean(['紧急', 'Urgent'], {
      width: 70,
      help: [
        '不受免打扰与频次限制，需「紧急推送」权限',
        'Passes quiet hours and caps; needs the right to it',
      ],
    }),
    urgentReason: text(['紧急原因', 'Why urgent'], { max: 100, width: 150 }),
    nextAt: instant(['计划时间', 'Planned for'], { readOnly: true, sortable: true, width: 150 }),
    startedAt: instant(['发送时间', 'Sent'], {
      readOnly: true,
      sortable: true,
      search: 'range',
      width: 150,
    }),
    finishedAt: instant(['完成时间', 'Finished'], { readOnly: true, width: 150 }),
    planned: { ...planned, label: ['目标', 'Targets'] },
    sent,
    delivered,
    read: { ...read, label: ['打开', 'Opened'] },
    readRate: { ...readRate, label: ['打开率', 'Opened %'] },
    clicked,
    failed,
    skipped,
    rejectReason: text(['驳回原因', 'Why rejected'], { readOnly: true, width: 160 }),
    resentOf: ref('push', ['补发自', 'Resent of'], { readOnly: true, width: 160 }),
  },
  states: SEND_STATES,
  list: {
    columns: [
      'code',
      'name',
      'state',
      'audienceText',
      'jump',
      'planned',
      'delivered',
      'read',
      'readRate',
      'failed',
      'skipped',
      'nextAt',
      'startedAt',
      'urgent',
      'creator',
      'createdAt',
    ],
    hidden: ['failed', 'skipped'],
    filters: ['state', 'projects', 'startedAt'],
    sort: '-createdAt',
    link: 'name',
    export: true,
    empty: ['还没有推送过消息', 'Nothing has been pushed yet'],
  },
  form: {
    width: 760,
    sections: [
      { title: ['内容', 'Content'], fields: ['name', 'body'] },
      {
        title: ['跳转', 'Jump'],
        fields: [
          'jump',
          'jumpFamilyPost',
          'jumpChamberPost',
          'jumpActivity',
          'jumpTopic',
          'jumpGroupPost',
          'jumpNotice',
          'jumpProduct',
          'jumpUrl',
        ],
      },
      {
        title: ['对象', 'Audience'],
        fields: ['audience', 'projects', 'identities', 'grades', 'groups', 'phones', 'excludedPhones'],
      },
      { title: ['时间', 'When'], fields: ['schedule', 'sendAt', 'urgent', 'urgentReason'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['推送', 'Push'],
        fields: [
          'code',
          'body',
          'audienceText',
          'identities',
          'grades',
          'groups',
          'jump',
          'jumpFamilyPost',
          'jumpChamberPost',
          'jumpActivity',
          'jumpGroupPost',
          'jumpTopic',
          'jumpNotice',
          'jumpProduct',
          'jumpUrl',
          'schedule',
          'nextAt',
          'startedAt',
          'finishedAt',
          'urgent',
          'urgentReason',
          'rejectReason',
          'resentOf',
        ],
      },
      {
        title: ['结果', 'Result'],
        fields: ['planned', 'sent', 'delivered', 'read', 'readRate', 'clicked', 'failed', 'skipped'],
      },
    ],
    parts: [
      part({ key: 'recipients', title: ['接收人', 'Recipients'], resource: pushRecipient, by: 'send' }),
    ],
  },
  actions: {
    create: {
      on: 'page',
      label: ['新增', 'Add'],
      element: 'btn_add',
      tone: 'primary',
      to: 'draft',
      // eslint-disable-next-line unicorn/no-thenable
      then: 'open',
    },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['draft'] },
    ...SEND_ACTIONS,
    test: {
      on: 'row',
      label: ['测试', 'Test'],
      element: 'btn_test',
      from: ['draft', 'scheduled', 'reviewing'],
      untouched: true,
      confirm: [
        '把「{name}」作为测试发给您关联的会员？',
        'Send “{name}” to your own linked member as a test?',
      ],
    },
  },
});

/** A push on the wire. */
export interface InfoPush extends Row<typeof infoPush> {}
