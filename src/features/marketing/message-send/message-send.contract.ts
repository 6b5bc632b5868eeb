import { CATEGORIES, CHANNELS, REASONS } from '../../../domain/message-send/message.rules.ts';
import {
  choice,
  code,
  date,
  instant,
  integer,
  lines,
  longText,
  percent,
  personName,
  phone,
  ref,
  refs,
  text,
  type Choice,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineResource, part, type ActionSpec, type Row } from '../../../kernel/contract/resource.ts';

/** The menu of sends. */
export const SEND_MENU = 'mm_sendMessage';

/** States of a send, wherever it is shown. */
export const SEND_STATES = {
  draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
  reviewing: { label: ['待审核', 'In review'], tone: 'warning', code: 2 },
  scheduled: { label: ['待发送', 'Scheduled'], tone: 'warning', code: 3 },
  sending: { label: ['发送中', 'Sending'], tone: 'processing', code: 4 },
  paused: { label: ['已暂停', 'Paused'], tone: 'paused', code: 5 },
  done: { label: ['已完成', 'Done'], tone: 'success', code: 6 },
  failed: { label: ['发送失败', 'Failed'], tone: 'error', code: 7 },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'paused', code: 8 },
} as const;

const CHANNEL_CHOICES: Readonly<Record<string, Choice>> = Object.fromEntries(
  Object.entries(CHANNELS).map(([value, label]) => [value, { label, code: Number(value) }]),
);

/** States of a recipient. */
const RECIPIENT_STATES = {
  pending: { label: ['待发送', 'Waiting'], tone: 'default', code: 0 },
  submitted: { label: ['已提交', 'Submitted'], tone: 'processing', code: 1 },
  delivered: { label: ['已送达', 'Delivered'], tone: 'success', code: 2 },
  read: { label: ['已读', 'Read'], tone: 'success', code: 3 },
  failed: { label: ['失败', 'Failed'], tone: 'error', code: 4 },
  skipped: { label: ['已忽略', 'Skipped'], tone: 'paused', code: 5 },
} as const;

/** A list of recipients under a menu that shows sends. */
export const recipientsOf = (name: string, menu: string, retry: boolean) =>
  defineResource({
    name,
    menu,
    title: ['接收人', 'Recipients'],
    noun: ['接收人', 'Recipient'],
    titleField: 'member',
    sensitive: true,
    fields: {
      send: ref(retry ? 'messageSend' : 'push', ['消息', 'Message'], {
        readOnly: true,
        search: 'in',
        width: 180,
      }),
      member: personName(['会员', 'Member'], { readOnly: true, width: 110 }),
      phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
      channel: choice(['渠道', 'Channel'], CHANNEL_CHOICES, { readOnly: true, search: 'in', width: 90 }),
      reason: choice(['原因', 'Reason'], REASONS, { readOnly: true, search: 'in', width: 130 }),
      runOn: date(['批次', 'Run'], { readOnly: true, width: 110 }),
      submittedAt: instant(['发送时间', 'Sent'], { readOnly: true, width: 150 }),
      deliveredAt: instant(['送达时间', 'Delivered'], { readOnly: true, width: 150 }),
      readAt: instant(['已读时间', 'Read'], { readOnly: true, width: 150 }),
      clickedAt: instant(['点击时间', 'Clicked'], { readOnly: true, width: 150 }),
      sequence: integer(['序号', 'No.'], { readOnly: true, sortable: true, width: 90 }),
    },
    states: RECIPIENT_STATES,
    list: {
      columns: [
        'sequence',
        'send',
        'member',
        'phone',
        'channel',
        'state',
        'reason',
        'submittedAt',
        'deliveredAt',
        'readAt',
        'clickedAt',
        'runOn',
      ],
      hidden: ['runOn', 'clickedAt'],
      filters: ['send', 'state', 'reason', 'channel'],
      sort: '-sequence',
      export: true,
      empty: ['开始发送后显示每位接收人', 'Recipients stand here once it is being sent'],
    },
    ...(retry
      ? {
          actions: {
            retry: {
              on: 'row',
              label: ['重试', 'Try again'],
              element: 'btn_resend',
              from: ['failed'],
              to: 'pending',
              message: ['已重新排队', 'Queued again'],
            } satisfies ActionSpec,
          },
        }
      : {}),
  });

/** What became of a message for one member on one channel. */
export const messageRecipient = recipientsOf('messageRecipient', SEND_MENU, true);

const REJECTED: Label = ['驳回原因', 'Reason'];

/** Actions of sends that both menus offer. */
export const SEND_ACTIONS = {
  submit: {
    on: 'row',
    label: ['提交', 'Submit'],
    element: 'btn_submit',
    tone: 'primary',
    from: ['draft'],
    to: ['scheduled', 'reviewing'],
    confirm: [
      '提交「{name}」？超过审核人数或营销短信须先审核，审核通过后按计划发送',
      'Submit “{name}”? A larger audience and marketing SMS are reviewed first, then it is sent as planned',
    ],
  },
  approve: {
    on: 'row',
    label: ['通过', 'Approve'],
    element: 'btn_audit',
    tone: 'primary',
    from: ['reviewing'],
    to: ['scheduled', 'reviewing'],
    input: { opinion: longText(['意见', 'Opinion'], { max: 200 }) },
  },
  reject: {
    on: 'row',
    label: ['驳回', 'Reject'],
    element: 'btn_audit',
    tone: 'danger',
    from: ['reviewing'],
    to: ['draft', 'reviewing'],
    input: { opinion: longText(REJECTED, { required: true, min: 2, max: 200 }) },
  },
  withdraw: {
    on: 'row',
    label: ['撤回审核', 'Withdraw'],
    element: 'btn_submit',
    from: ['reviewing'],
    to: 'draft',
    confirm: ['撤回「{name}」的审核？', 'Withdraw “{name}” from review?'],
  },
  pause: {
    on: 'row',
    label: ['暂停', 'Pause'],
    element: 'btn_pause',
    from: ['sending', 'scheduled'],
    to: 'paused',
    confirm: ['暂停「{name}」？未发出的先不发', 'Pause “{name}”? What has not left waits'],
  },
  resume: {
    on: 'row',
    label: ['继续', 'Resume'],
    element: 'btn_pause',
    tone: 'primary',
    from: ['paused'],
    to: ['sending', 'scheduled'],
  },
  cancel: {
    on: 'row',
    label: ['取消发送', 'Cancel sending'],
    element: 'btn_cancel',
    tone: 'danger',
    from: ['draft', 'scheduled', 'sending', 'paused'],
    to: 'cancelled',
    confirm: [
      '取消「{name}」？未发出的不再发送，已发出的不能收回',
      'Cancel “{name}”? What has not left stays, what left cannot be called back',
    ],
  },
  resend: {
    on: 'row',
    label: ['补发失败', 'Resend failed'],
    element: 'btn_resend',
    from: ['done', 'failed'],
    confirm: [
      '只向「{name}」中失败的接收人再发一次？',
      'Send once more to the failed recipients of “{name}” only?',
    ],
    message: ['已生成补发消息 {code}', 'Made the message {code}'],
  },
  startDue: {
    on: 'system',
    label: ['开始发送', 'Sending'],
    element: 'btn_submit',
    from: ['scheduled'],
    to: 'sending',
  },
  runDue: {
    on: 'system',
    label: ['本期开始发送', 'A run started'],
    element: 'btn_submit',
    from: ['scheduled'],
    to: 'scheduled',
    input: { due: instant(['计划时间', 'Planned for'], { required: true }) },
  },
  reopen: {
    on: 'system',
    label: ['重试失败的接收人', 'Failed recipients are tried again'],
    element: 'btn_resend',
    from: ['scheduled', 'sending', 'done', 'failed'],
    to: ['sending', 'scheduled'],
  },
  finish: {
    on: 'system',
    label: ['发送完成', 'Sent'],
    element: 'btn_submit',
    from: ['sending', 'scheduled'],
    to: ['done', 'failed'],
  },
} as const satisfies Readonly<Record<string, ActionSpec>>;

const number = (label: Label) => integer(label, { readOnly: true, width: 80 });

/** Figures of a send, wherever it is shown. */
export const SEND_FIGURES = {
  planned: number(['计划', 'Planned']),
  sent: number(['已发', 'Sent']),
  delivered: number(['送达', 'Delivered']),
  read: number(['已读', 'Read']),
  clicked: number(['点击', 'Clicked']),
  failed: number(['失败', 'Failed']),
  skipped: number(['忽略', 'Skipped']),
  deliveryRate: percent(['送达率', 'Delivered %'], { readOnly: true, width: 90 }),
  readRate: percent(['已读率', 'Read %'], { readOnly: true, width: 90 }),
};

const PHONES_HELP: Label = [
  '每行一个，最多 10,000 个；保存后不再显示，编辑时留空保持原名单',
  'One a line, at most 10,000; not shown once saved, left empty it stays as it is',
];

/** Numbers that were taken over into an audience. */
export const phonesField = (label: Label) => longText(label, { max: 150_000, help: PHONES_HELP });

/** One message to members: who gets it, when, on which channels. */
export const messageSend = defineResource({
  name: 'messageSend',
  menu: SEND_MENU,
  title: ['消息发送', 'Message sending'],
  noun: ['消息', 'Message'],
  purpose: [
    '按模板向会员群发站内信、短信、推送；人数较多或营销短信先审核，营销消息受频次与免打扰时段限制',
    'Send messages to members by a template; large audiences and marketing SMS are reviewed first, marketing obeys frequency caps and quiet hours',
  ],
  prefix: 'MS',
  titleField: 'code',
  stamps: true,
  sensitive: true,
  copy: true,
  modes: {
    add: 'mm_sendMessageDetails_create',
    edit: 'mm_sendMessage_edit',
    detail: 'mm_sendMessage_view',
  },
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 150 }),
    name: text(['消息名称', 'Name'], { required: true, max: 40, keyword: true, width: 190 }),
    template: ref('sendTemplate', ['模板', 'Template'], { required: true, search: 'in', width: 160 }),
    values: lines(
      ['变量取值', 'Values of variables'],
      {
        name: text(['变量', 'Variable'], { required: true, max: 30, width: 180 }),
        value: text(['取值', 'Value'], { required: true, max: 200, width: 320 }),
      },
      {
        max: 20,
        help: ['不填的变量用模板的默认值', 'Variables that are left out take the default of the template'],
      },
    ),
    category: choice(['类别', 'Category'], CATEGORIES, { readOnly: true, search: 'in', width: 100 }),
    origin: choice(
      ['来源', 'Origin'],
      {
        staff: { label: ['群发', 'Sent by staff'] },
        ops_push: { label: ['消息推送', 'Message push'] },
        event: { label: ['业务触发', 'By an event'] },
      },
      { readOnly: true, search: 'in', width: 100 },
    ),
    channels: refs('messageChannel', ['渠道', 'Channels'], {
      required: true,
      max: 4,
      search: 'in',
      width: 150,
      help: ['须为模板已有的渠道，按选择顺序', 'Channels of the template, in the order they are chosen'],
    }),
    channelMode: choice(
      ['发送方式', 'Channels are used'],
      {
        all: { label: ['同时发送', 'All at once'] },
        fallback: { label: ['10 分钟未送达换下一渠道', 'Next one if not delivered in 10 min'] },
      },
      { required: true, initial: 'all', width: 150 },
    ),
    audience: choice(
      ['对象方式', 'Audience'],
      {
        conditions: { label: ['按条件', 'By conditions'] },
        phones: { label: ['手机号名单', 'List of phones'] },
      },
      { required: true, initial: 'conditions', width: 110 },
    ),
    joinBy: choice(
      ['条件关系', 'Conditions'],
      { all: { label: ['全部满足', 'All hold'] }, any: { label: ['满足任一', 'Any holds'] } },
      { required: true, initial: 'all', width: 100 },
    ),
    projects: refs('project', ['项目', 'Projects'], { max: 200, search: 'in', width: 180 }),
    buildings: refs('sendBuilding', ['楼栋', 'Buildings'], { max: 200, width: 150 }),
    identities: refs('messageIdentity', ['住户身份', 'Identities'], { max: 3, width: 120 }),
    grades: refs('grade', ['等级', 'Grades'], { max: 50, width: 120 }),
    registeredFrom: date(['注册从', 'Registered from'], { width: 110 }),
    registeredTo: date(['注册至', 'Registered to'], { width: 110 }),
    activeFrom: date(['最近活跃从', 'Last active from'], { width: 110 }),
    activeTo: date(['最近活跃至', 'Last active to'], { width: 110 }),
    classes: refs('sendClass', ['购买过品类', 'Bought a class'], { max: 50, width: 150 }),
    withinDays: integer(['最近天数', 'Within days'], {
      min: 1,
      max: 365,
      unit: ['天', 'days'],
      help: ['不填按 365 天', 'Empty: 365 days'],
    }),
    coupon: ref('sendCoupon', ['持有未用优惠券', 'Holds an unused coupon'], { width: 160 }),
    minPoints: integer(['积分不少于', 'Points at least'], { min: 1, max: 100_000_000 }),
    phones: phonesField(['手机号', 'Phones']),
    excludedProjects: refs('project', ['排除项目', 'Excluded projects'], { max: 200 }),
    excludedIdentities: refs('messageIdentity', ['排除身份', 'Excluded identities'], { max: 3 }),
    excludedPhones: phonesField(['排除手机号', 'Excluded phones']),
    schedule: choice(
      ['发送时间', 'When'],
      {
        now: { label: ['立即', 'At once'] },
        at: { label: ['定时', 'At a time'] },
        recurring: { label: ['周期', 'Recurring'] },
      },
      { required: true, initial: 'now', width: 90 },
    ),
    sendAt: instant(['定时时间', 'Time'], { width: 150 }),
    repeats: choice(
      ['周期', 'Repeats'],
      {
        daily: { label: ['每天', 'Daily'] },
        weekly: { label: ['每周', 'Weekly'] },
        monthly: { label: ['每月', 'Monthly'] },
      },
      { width: 90 },
    ),
    weekDays: refs('messageWeekDay', ['星期', 'Days of the week'], { max: 7 }),
    monthDay: integer(['每月几号', 'Day of the month'], {
      min: 1,
      max: 31,
      help: ['没有该日的月份在月末发送', 'Months without it: their last day'],
    }),
    atTime: text(['周期时间', 'Time of day'], {
      max: 5,
      placeholder: ['09:00', '09:00'],
      pattern: {
        source: '^([01]\\d|2[0-3]):[0-5]\\d$',
        message: ['请按 09:00 的格式填写', 'Write it like 09:00'],
      },
    }),
    untilOn: date(['截止日期', 'Until'], {}),
    batchPerDay: integer(['每日人数上限', 'People a day'], {
      min: 1,
      max: 10_000_000,
      help: ['不填不限；超出的次日继续', 'Empty: no limit; the rest goes on the next day'],
    }),
    ...SEND_FIGURES,
    nextAt: instant(['计划时间', 'Planned for'], { readOnly: true, sortable: true, width: 150 }),
    startedAt: instant(['开始时间', 'Started'], { readOnly: true, width: 150 }),
    finishedAt: instant(['完成时间', 'Finished'], { readOnly: true, width: 150 }),
    rejectReason: text(['驳回原因', 'Why rejected'], { readOnly: true, width: 160 }),
    resentOf: ref('messageSend', ['补发自', 'Resent of'], { readOnly: true, width: 160 }),
  },
  states: SEND_STATES,
  list: {
    columns: [
      'code',
      'name',
      'state',
      'template',
      'channels',
      'audience',
      'projects',
      'planned',
      'sent',
      'delivered',
      'read',
      'failed',
      'skipped',
      'nextAt',
      'schedule',
      'category',
      'origin',
      'creator',
      'createdAt',
    ],
    hidden: ['category', 'origin'],
    filters: ['state', 'category', 'channels', 'template', 'projects', 'origin', 'createdAt'],
    sort: '-createdAt',
    link: 'name',
    export: true,
    empty: ['还没有发送过消息', 'No message has been sent yet'],
  },
  form: {
    as: 'steps',
    sections: [
      {
        title: ['模板与变量', 'Template and values'],
        fields: ['name', 'template', 'values', 'channels', 'channelMode'],
      },
      {
        title: ['对象', 'Audience'],
        note: [
          '按条件：填写的条件按「条件关系」组合，都不填为范围内全部会员；名单：只发给名单内的会员',
          'By conditions: those filled in are joined, none means every member in your scope; list: only members of the list',
        ],
        fields: [
          'audience',
          'joinBy',
          'projects',
          'buildings',
          'identities',
          'grades',
          'registeredFrom',
          'registeredTo',
          'activeFrom',
          'activeTo',
          'classes',
          'withinDays',
          'coupon',
          'minPoints',
          'phones',
        ],
      },
      {
        title: ['排除', 'Left out'],
        fields: ['excludedProjects', 'excludedIdentities', 'excludedPhones'],
      },
      {
        title: ['时间', 'When'],
        fields: ['schedule', 'sendAt', 'repeats', 'weekDays', 'monthDay', 'atTime', 'untilOn', 'batchPerDay'],
      },
    ],
  },
  detail: {
    mode: 'page',
    sections: [
      {
        title: ['消息', 'Message'],
        fields: [
          'code',
          'template',
          'values',
          'category',
          'origin',
          'channels',
          'channelMode',
          'resentOf',
          'rejectReason',
        ],
      },
      {
        title: ['对象', 'Audience'],
        fields: [
          'audience',
          'joinBy',
          'projects',
          'buildings',
          'identities',
          'grades',
          'registeredFrom',
          'registeredTo',
          'activeFrom',
          'activeTo',
          'classes',
          'withinDays',
          'coupon',
          'minPoints',
          'excludedProjects',
          'excludedIdentities',
        ],
      },
      {
        title: ['时间', 'When'],
        fields: [
          'schedule',
          'nextAt',
          'repeats',
          'weekDays',
          'monthDay',
          'atTime',
          'untilOn',
          'batchPerDay',
          'startedAt',
          'finishedAt',
        ],
      },
      {
        title: ['结果', 'Result'],
        fields: [
          'planned',
          'sent',
          'delivered',
          'read',
          'clicked',
          'failed',
          'skipped',
          'deliveryRate',
          'readRate',
        ],
      },
    ],
    parts: [
      part({ key: 'recipients', title: ['接收人', 'Recipients'], resource: messageRecipient, by: 'send' }),
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
  },
});

/** A send on the wire. */
export interface MessageSend extends Row<typeof messageSend> {}

/** Progress, funnel and channels of a send. */
export interface SendProgress {
  readonly planned: number;
  readonly left: number;
  readonly submitted: number;
  readonly delivered: number;
  readonly read: number;
  readonly clicked: number;
  readonly failed: number;
  readonly skipped: number;
  /** Messages of the last minute. */
  readonly rate: number;
  readonly channels: readonly {
    readonly channel: number;
    readonly planned: number;
    readonly sent: number;
    readonly delivered: number;
    readonly read: number;
    readonly failed: number;
    readonly skipped: number;
  }[];
  readonly reasons: readonly { readonly reason: string; readonly people: number }[];
  readonly runs: readonly {
    readonly day: string;
    readonly planned: number;
    readonly sent: number;
    readonly finishedAt: string | null;
  }[];
}
