import {
  boolean,
  choice,
  images,
  instant,
  integer,
  json,
  longText,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';
import { HIDE_CODES } from '../../../domain/content/content.rules.ts';
import {
  CASE_STATES,
  PENALTY_DAYS,
  PENALTY_KINDS,
  PENALTY_STATES,
  REPORT_REASONS,
  TARGETS,
} from '../../../domain/report-case/report-case.rules.ts';

const MENU = 'cs_reportManagement';
const seen = { readOnly: true } as const;
const note = text(['处理说明', 'Note'], { max: 200 });

/** A report of a member inside a case. */
export const postReport = defineResource({
  name: 'postReport',
  menu: MENU,
  title: ['举报人', 'Reporters'],
  noun: ['举报', 'Report'],
  titleField: 'reporter',
  sensitive: true,
  elements: { btn_reporters: ['举报人', 'Reporters'] },
  fields: {
    case: ref('reportCase', ['举报单', 'Case'], { ...seen, search: 'in', width: 150 }),
    reporter: personName(['举报人', 'Reporter'], { ...seen, width: 100 }),
    phone: phone(['手机', 'Phone'], { ...seen, width: 130 }),
    at: instant(['时间', 'Time'], { ...seen, sortable: true, width: 150 }),
    reason: choice(['原因', 'Reason'], REPORT_REASONS, { ...seen, search: 'in', width: 100 }),
    text: text(['说明', 'Text'], { ...seen, width: 220 }),
    pictures: images(['图片', 'Pictures'], { ...seen, width: 110 }),
    revision: integer(['内容版本', 'Version'], { ...seen, width: 84 }),
    counts: boolean(['计入自动隐藏', 'Counts for hiding'], {
      ...seen,
      width: 116,
      help: ['近10次举报有5次不属实的不计入', 'Not of people whose last 10 reports were dismissed 5 times'],
    }),
  },
  list: {
    columns: ['case', 'reporter', 'phone', 'at', 'reason', 'text', 'pictures', 'revision', 'counts'],
    filters: ['case', 'reason'],
    sort: '-at',
    empty: ['还没有举报', 'No reports yet'],
  },
});

/** A penalty of a member; over seven days a second person approves. */
export const memberPenalty = defineResource({
  name: 'memberPenalty',
  menu: MENU,
  title: ['处罚', 'Penalties'],
  noun: ['处罚', 'Penalty'],
  titleField: 'member',
  sensitive: true,
  fields: {
    case: ref('reportCase', ['举报单', 'Case'], { ...seen, search: 'in', width: 150 }),
    member: personName(['会员', 'Member'], { ...seen, width: 100 }),
    kind: choice(['处罚', 'Penalty'], PENALTY_KINDS, { ...seen, search: 'in', width: 90 }),
    days: integer(['天数', 'Days'], {
      ...seen,
      width: 80,
      help: [
        '空为永久；超过7天须他人审批，审批前生效7天',
        'Empty: for good. Over 7 days a second person approves; 7 days hold until then',
      ],
    }),
    fromAt: instant(['开始', 'From'], { ...seen, sortable: true, width: 150 }),
    untilAt: instant(['结束', 'Until'], { ...seen, sortable: true, width: 150 }),
    reason: text(['原因', 'Reason'], { ...seen, width: 180 }),
    creator: ref('staff', ['处理人', 'By'], { ...seen, width: 90 }),
    approver: ref('staff', ['审批人', 'Approved by'], { ...seen, width: 90 }),
    liftReason: text(['解除原因', 'Lifted for'], { ...seen, width: 140 }),
  },
  states: PENALTY_STATES,
  list: {
    columns: [
      'case',
      'member',
      'kind',
      'days',
      'state',
      'fromAt',
      'untilAt',
      'reason',
      'creator',
      'approver',
      'liftReason',
    ],
    filters: ['case', 'kind', 'state'],
    sort: '-fromAt',
    empty: ['没有处罚', 'No penalties'],
  },
  actions: {
    approve: {
      on: 'row',
      label: ['通过', 'Approve'],
      element: 'btn_penalty',
      tone: 'primary',
      from: ['waiting'],
      to: ['running', 'waiting'],
      input: { opinion: text(['意见', 'Opinion'], { max: 200 }) },
    },
    reject: {
      on: 'row',
      label: ['不通过', 'Refuse'],
      element: 'btn_penalty',
      tone: 'danger',
      from: ['waiting'],
      to: ['running', 'waiting'],
      input: { opinion: text(['意见', 'Opinion'], { required: true, min: 2, max: 200 }) },
    },
    lift: {
      on: 'row',
      label: ['解除', 'Lift'],
      element: 'btn_penalty',
      from: ['waiting', 'running'],
      to: 'lifted',
      input: { reason: text(['解除原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    end: {
      on: 'system',
      label: ['到期解除', 'Over'],
      element: 'btn_penalty',
      from: ['waiting', 'running'],
      to: 'ended',
    },
  },
});

/** Reports against one content, from the first to the verdict and its appeal. */
export const reportCase = defineResource({
  name: 'reportCase',
  menu: MENU,
  title: ['举报管理', 'Reports'],
  noun: ['举报单', 'Case'],
  purpose: [
    '认领后处理：属实可隐藏、删除或警告并处罚，不属实恢复显示；5 人且来自 3 户举报的内容先自动隐藏',
    'Claim a case, then decide. Content reported by 5 people of 3 houses is hidden by itself until then',
  ],
  titleField: 'code',
  prefix: 'RP',
  sensitive: true,
  fields: {
    code: text(['编号', 'Code'], { ...seen, width: 165 }),
    target: choice(['对象', 'Target'], TARGETS, { ...seen, search: 'in', width: 96 }),
    excerpt: text(['内容', 'Content'], { ...seen, keyword: true, width: 220 }),
    content: longText(['举报时内容', 'Content when reported'], { ...seen }),
    pictures: images(['图片', 'Pictures'], seen),
    author: personName(['被举报人', 'Reported'], { ...seen, width: 96 }),
    phone: phone(['手机', 'Phone'], { ...seen, width: 130 }),
    record: integer(['属实记录', 'Record'], {
      ...seen,
      width: 112,
      help: ['180 天内属实的举报', 'Upheld within 180 days'],
    }),
    reports: integer(['举报次数', 'Reports'], { ...seen, sortable: true, width: 90 }),
    houses: integer(['举报户数', 'Houses'], { ...seen, width: 90 }),
    topReasons: json(['原因', 'Reasons'], { ...seen, width: 160 }),
    reason: choice(['举报原因', 'Reason'], REPORT_REASONS, { ...seen, search: 'in', width: 100 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 140 }),
    group: ref('interestGroup', ['小组', 'Group'], { ...seen, search: 'in', width: 120 }),
    firstAt: instant(['首次举报', 'First report'], { ...seen, sortable: true, width: 140 }),
    lastAt: instant(['最近举报', 'Last report'], { ...seen, sortable: true, search: 'range', width: 140 }),
    contentState: choice(
      ['内容状态', 'Content'],
      {
        visible: { label: ['显示', 'Visible'], tone: 'success' },
        hidden: { label: ['已隐藏', 'Hidden'], tone: 'paused' },
        deleted: { label: ['已删除', 'Deleted'] },
      },
      { ...seen, width: 92 },
    ),
    commentsAllowed: boolean(['允许评论', 'Comments allowed'], { ...seen, width: 90 }),
    urgent: boolean(['优先', 'Urgent'], { ...seen, search: 'equals', width: 76 }),
    autoHidden: boolean(['自动隐藏', 'Hidden by itself'], { ...seen, search: 'equals', width: 90 }),
    assignee: ref('staff', ['处理人', 'Assignee'], { ...seen, width: 90 }),
    dueAt: instant(['时限', 'Due'], { ...seen, sortable: true, width: 150 }),
    queue: integer(['排序', 'Queue'], { ...seen, sortable: true }),
    contentAction: choice(
      ['内容处理', 'Content action'],
      {
        hide: { label: ['隐藏', 'Hide'], tone: 'paused' },
        delete: { label: ['删除', 'Delete'], tone: 'error' },
        keep: { label: ['保留并警告', 'Keep with a warning'] },
      },
      { ...seen, width: 100 },
    ),
    verdictNote: text(['处理说明', 'Note'], { ...seen, width: 180 }),
    decidedBy: ref('staff', ['裁定人', 'Decided by'], { ...seen, width: 90 }),
    decidedAt: instant(['裁定时间', 'Decided'], { ...seen, sortable: true, width: 140 }),
    appealText: longText(['申诉', 'Appeal'], { ...seen }),
    appealedAt: instant(['申诉时间', 'Appealed'], { ...seen }),
    appealAnswer: text(['申诉答复', 'Answer'], { ...seen }),
  },
  states: CASE_STATES,
  list: {
    columns: [
      'code',
      'excerpt',
      'dueAt',
      'reports',
      'topReasons',
      'state',
      'target',
      'author',
      'phone',
      'record',
      'contentState',
      'assignee',
      'lastAt',
      'firstAt',
      'project',
      'group',
      'houses',
      'urgent',
      'decidedBy',
      'decidedAt',
    ],
    hidden: ['phone', 'firstAt', 'group', 'houses', 'urgent', 'decidedBy', 'decidedAt'],
    filters: ['project', 'group', 'target', 'reason', 'state', 'lastAt', 'autoHidden', 'urgent'],
    sort: 'queue',
    link: 'code',
    tabs: [
      { key: 'todo', label: ['待处理', 'To decide'], named: true },
      { key: 'mine', label: ['我的', 'Mine'], named: true },
      { key: 'done', label: ['已处理', 'Decided'], named: true },
      { key: 'all', label: ['全部', 'All'], filter: {} },
    ],
    export: [
      'code',
      'target',
      'content',
      'state',
      'author',
      'phone',
      'reports',
      'houses',
      'reason',
      'project',
      'group',
      'firstAt',
      'lastAt',
      'contentState',
      'assignee',
      'dueAt',
      'contentAction',
      'verdictNote',
      'decidedBy',
      'decidedAt',
    ],
    empty: ['没有举报', 'No reports'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['举报', 'Reports'],
        fields: [
          'target',
          'project',
          'group',
          'reports',
          'houses',
          'topReasons',
          'firstAt',
          'lastAt',
          'autoHidden',
          'urgent',
        ],
      },
      {
        title: ['内容与作者', 'Content and author'],
        fields: ['pictures', 'contentState', 'commentsAllowed', 'author', 'phone', 'record'],
      },
      {
        title: ['处理', 'Handling'],
        fields: [
          'assignee',
          'dueAt',
          'contentAction',
          'verdictNote',
          'decidedBy',
          'decidedAt',
          'appealText',
          'appealedAt',
          'appealAnswer',
        ],
      },
    ],
    parts: [part({ key: 'penalties', title: ['处罚', 'Penalties'], resource: memberPenalty, by: 'case' })],
  },
  actions: {
    claim: {
      on: 'rowAndBulk',
      label: ['认领', 'Claim'],
      element: 'btn_claim',
      tone: 'primary',
      from: ['open'],
      to: 'handling',
    },
    // Beside 不属实, not behind 更多: a verdict is one of both.
    uphold: {
      on: 'row',
      label: ['属实', 'Uphold'],
      element: 'btn_uphold',
      tone: 'primary',
      from: ['handling'],
      to: 'upheld',
      input: {
        contentAction: choice(
          ['内容处理', 'Content'],
          {
            hide: { label: ['隐藏', 'Hide'] },
            delete: { label: ['删除', 'Delete'] },
            keep: { label: ['保留并警告', 'Keep with a warning'] },
          },
          { required: true, initial: 'hide' },
        ),
        code: choice(['违规类型', 'Violation'], HIDE_CODES, { required: true }),
        penalty: choice(
          ['禁言', 'Mute the author'],
          { none: { label: ['不处罚', 'No penalty'] }, ...PENALTY_DAYS },
          {
            required: true,
            initial: 'none',
            help: [
              '超过7天须他人审批，审批前生效7天',
              'Over 7 days a second person approves; 7 days hold until then',
            ],
          },
        ),
        note,
        messageText: text(['告知作者', 'Told to the author'], {
          max: 200,
          help: ['处理结果自动告知双方，可补充说明', 'Both sides are told; words of your own for the author'],
        }),
      },
    },
    dismiss: {
      on: 'row',
      label: ['不属实', 'Dismiss'],
      element: 'btn_dismiss',
      from: ['handling'],
      to: 'dismissed',
      input: { note },
      confirm: ['因举报隐藏的内容会恢复显示', 'Content that was hidden for the reports is shown again'],
    },
    acceptAppeal: {
      on: 'row',
      label: ['申诉成立', 'Accept appeal'],
      element: 'btn_dismiss',
      tone: 'primary',
      from: ['appealed'],
      to: 'dismissed',
      input: { answer: text(['答复', 'Answer'], { required: true, min: 2, max: 200 }) },
      confirm: ['处罚解除，内容与积分恢复', 'Penalties are lifted, the content and its points come back'],
    },
    refuseAppeal: {
      on: 'row',
      label: ['维持原判', 'Refuse appeal'],
      element: 'btn_uphold',
      from: ['appealed'],
      to: 'upheld',
      input: { answer: text(['答复', 'Answer'], { required: true, min: 2, max: 200 }) },
    },
    reporters: {
      on: 'row',
      label: ['举报人', 'Reporters'],
      element: 'btn_reporters',
      opens: 'screen',
    },
    hide: {
      on: 'row',
      label: ['隐藏内容', 'Hide content'],
      element: 'btn_hide',
      from: ['open', 'handling'],
      to: ['open', 'handling'],
      confirm: ['先隐藏，裁定后再决定去留', 'Hidden until the case is decided'],
    },
    closeComments: {
      on: 'row',
      label: ['禁止评论', 'Close comments'],
      element: 'btn_comment',
    },
    openComments: {
      on: 'row',
      label: ['允许评论', 'Open comments'],
      element: 'btn_comment',
    },
    penalty: {
      on: 'row',
      label: ['处罚', 'Penalty'],
      element: 'btn_penalty',
      tone: 'danger',
      from: ['handling', 'upheld'],
      to: ['handling', 'upheld'],
      input: {
        kind: choice(['处罚', 'Penalty'], PENALTY_KINDS, { required: true, initial: 'no_comment' }),
        length: choice(['时长', 'How long'], PENALTY_DAYS, { required: true, initial: 'd1' }),
        reason: ref('dict.penalty_reason', ['原因', 'Reason'], { required: true }),
        text: text(['说明', 'Text'], { max: 150 }),
      },
    },
    overdue: {
      on: 'system',
      label: ['已超时，告知负责人', 'Overdue: the leader was told'],
      element: 'btn_claim',
      from: ['open', 'handling', 'appealed'],
      untouched: true,
    },
    reopen: {
      on: 'row',
      label: ['重新处理', 'Reopen'],
      element: 'btn_reopen',
      remark: 'reason',
      from: ['upheld', 'dismissed'],
      to: 'open',
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  },
});

/** How reports went in the last 30 days, in the projects one works in. */
export interface ReportFigures {
  readonly opened: number;
  readonly decided: number;
  readonly upheld: number;
  /** Business hours from the first report to the verdict, of the newest verdicts; null without any. */
  readonly medianHours: number | null;
  readonly autoHidden: number;
  readonly autoDismissed: number;
  readonly days: readonly { readonly day: string; readonly opened: number; readonly decided: number }[];
}

/** What the detail of a case brings besides its row. */
export interface CaseExtras {
  readonly now: { readonly content: string; readonly revision: number } | null;
  readonly was: { readonly content: string; readonly revision: number };
  readonly around: readonly {
    readonly id: string;
    readonly content: string;
    readonly at: string;
    readonly own: boolean;
  }[];
  readonly history: readonly {
    readonly id: string;
    readonly code: string;
    readonly state: keyof typeof CASE_STATES;
    readonly at: string;
    readonly excerpt: string;
  }[];
  readonly moderation: readonly {
    readonly at: string;
    readonly who: string;
    readonly label: readonly [string, string];
    readonly remark: string;
  }[];
}
