import { BALLOT_CHOICES } from '../../../domain/decision/decision.rules.ts';
import {
  boolean,
  choice,
  decimal,
  files,
  images,
  instant,
  integer,
  percent,
  personName,
  ref,
  richText,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, part, type Resource, type Row } from '../../../kernel/contract/resource.ts';

const seen = { readOnly: true } as const;
const BALLOT_WAYS = {
  app: { label: ['App', 'App'] },
  paper: { label: ['纸质票', 'Paper'], tone: 'processing' },
} as const;

/** A house on the roll of a decision, and whether it voted. */
export const decisionHouse = defineResource({
  name: 'decisionHouse',
  menu: 'cs_policyDecision',
  title: ['表决名册', 'Roll'],
  noun: ['房屋', 'House'],
  titleField: 'house',
  sensitive: true,
  fields: {
    decision: ref('decision', ['业主决策', 'Decision'], { ...seen, search: 'in' }),
    building: text(['楼栋', 'Building'], { ...seen, search: 'equals', width: 100 }),
    house: text(['房屋', 'House'], { ...seen, sortable: true, width: 150 }),
    area: decimal(['面积 m²', 'Area m²'], { ...seen, sortable: true, width: 100 }),
    owners: personName(['业主', 'Owners'], { ...seen, width: 130 }),
    voted: choice(
      ['投票', 'Vote'],
      {
        voted: { label: ['已投', 'Voted'], tone: 'success' },
        open: { label: ['未投', 'Not voted'], tone: 'warning' },
      },
      { ...seen, search: 'in', width: 80 },
    ),
    way: choice(['方式', 'Way'], BALLOT_WAYS, { ...seen, width: 80 }),
    castAt: instant(['时间', 'Time'], { ...seen, sortable: true, width: 140 }),
    choice: choice(['意见', 'Choice'], BALLOT_CHOICES, {
      ...seen,
      width: 80,
      help: ['不记名表决不显示', 'Not shown for secret ballots'],
    }),
  },
  list: {
    columns: ['decision', 'building', 'house', 'area', 'owners', 'voted', 'way', 'castAt', 'choice'],
    filters: ['decision', 'voted', 'building'],
    sort: 'house',
    export: true,
    empty: ['名册为空', 'The roll is empty'],
  },
});

/** A ballot of a house, with those that count no more. */
export const ballot = defineResource({
  name: 'ballot',
  menu: 'cs_policyDecision',
  title: ['选票', 'Ballots'],
  noun: ['选票', 'Ballot'],
  titleField: 'house',
  sensitive: true,
  fields: {
    decision: ref('decision', ['业主决策', 'Decision'], { ...seen, search: 'in' }),
    house: text(['房屋', 'House'], { ...seen, width: 150 }),
    way: choice(['方式', 'Way'], BALLOT_WAYS, { ...seen, search: 'in', width: 80 }),
    castAt: instant(['时间', 'Time'], { ...seen, sortable: true, width: 140 }),
    choice: choice(['意见', 'Choice'], BALLOT_CHOICES, { ...seen, width: 80 }),
    evidence: images(['签字照片', 'Signed sheet'], { ...seen, width: 100 }),
    proxyName: personName(['代理人', 'Proxy'], { ...seen, width: 90 }),
    proxyDocument: text(['委托书', 'Proxy document'], { ...seen, width: 120 }),
    enteredBy: ref('staff', ['录入人', 'Entered by'], { ...seen, width: 90 }),
    confirmer: ref('staff', ['确认人', 'Confirmed by'], { ...seen, width: 90 }),
  },
  states: {
    waiting: { label: ['待确认', 'To confirm'], tone: 'warning' },
    live: { label: ['有效', 'Counts'], tone: 'success' },
    superseded: { label: ['已被替代', 'Superseded'], tone: 'default' },
    refused: { label: ['不予确认', 'Refused'], tone: 'error' },
  },
  list: {
    columns: [
      'decision',
      'house',
      'way',
      'castAt',
      'choice',
      'state',
      'evidence',
      'proxyName',
      'proxyDocument',
      'enteredBy',
      'confirmer',
    ],
    filters: ['decision', 'state', 'way'],
    sort: '-castAt',
    empty: ['还没有选票', 'No ballots yet'],
  },
  actions: {
    confirm: {
      on: 'row',
      label: ['确认', 'Confirm'],
      element: 'btn_paperConfirm',
      from: ['waiting'],
      to: ['live', 'superseded'],
      tone: 'primary',
      confirm: ['已核对 {house} 的签字表决票？', 'Have you checked the signed sheet of {house}?'],
    },
    refuse: {
      on: 'row',
      label: ['不予确认', 'Refuse'],
      element: 'btn_paperConfirm',
      remark: 'reason',
      from: ['waiting'],
      to: 'refused',
      tone: 'danger',
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  },
});

/** A vote of the owners of a project, one ballot a house. */
export const decision = defineResource({
  name: 'decision',
  menu: 'cs_policyDecision',
  title: ['业主决策', "Owners' decisions"],
  noun: ['决策', 'Decision'],
  purpose: [
    '一户一票；名册与通过规则在新增时固定，到期自动计算结果',
    'One vote a house; roll and rules are fixed when it is added, the result is written at its end',
  ],
  titleField: 'title',
  stamps: true,
  fields: {
    code: text(['编号', 'Code'], { ...seen, keyword: true, width: 165 }),
    title: text(['标题', 'Title'], { required: true, max: 60, keyword: true, width: 210 }),
    project: ref('project', ['项目', 'Project'], {
      required: true,
      createOnly: true,
      search: 'in',
      width: 130,
      help: ['新增后名册固定为该项目的全部房屋', 'All houses of the project become the roll'],
    }),
    kind: choice(
      ['事件类型', 'Event type'],
      {
        ordinary: { label: ['一般事件', 'Ordinary'], code: 1 },
        special: { label: ['特殊事件', 'Special'], tone: 'warning', code: 2 },
      },
      { required: true, createOnly: true, search: 'in', initial: 'ordinary', width: 100 },
    ),
    content: richText(['内容', 'Content'], { required: true, max: 20_000 }),
    startsAt: instant(['开始时间', 'Start'], { required: true, sortable: true, search: 'range', width: 140 }),
    endsAt: instant(['结束时间', 'End'], {
      required: true,
      sortable: true,
      width: 140,
      help: ['1 至 60 天；开始后只能延后', '1 to 60 days; later only once it has begun'],
    }),
    abstain: boolean(['允许弃权', 'Abstaining allowed'], { createOnly: true, initial: true, width: 90 }),
    changeable: boolean(['结束前可改票', 'Vote may be changed'], {
      createOnly: true,
      initial: true,
      width: 110,
    }),
    secret: boolean(['不记名', 'Secret ballot'], { createOnly: true, search: 'equals', width: 80 }),
    who: choice(
      ['投票人', 'Who may vote'],
      { owners: { label: ['仅业主', 'Owners'] } },
      { required: true, createOnly: true, initial: 'owners', width: 90 },
    ),
    remark: text(['备注', 'Remark'], { max: 200 }),
    attachments: files(['附件', 'Attachments'], { max: 10 }),
    houses: integer(['房屋数', 'Houses'], { ...seen, width: 80 }),
    area: decimal(['总面积 m²', 'Area m²'], { ...seen, width: 110 }),
    voted: integer(['已投户数', 'Houses voted'], { ...seen, width: 90 }),
    turnout: percent(['参与率', 'Turnout'], { ...seen, width: 84 }),
    rate: percent(['进度', 'Progress rate'], {
      ...seen,
      width: 84,
      help: ['同意户数 ÷ 全部户数', 'Agreeing houses ÷ all houses'],
    }),
    perHouse: decimal(['每户比重', 'Share of a house'], { ...seen, scale: 4 }),
    result: choice(
      ['结果', 'Result'],
      {
        deciding: { label: ['决策中', 'Deciding'], tone: 'processing', code: 0 },
        passed: { label: ['通过', 'Passed'], tone: 'success', code: 1 },
        failed: { label: ['未通过', 'Not passed'], tone: 'error', code: 2 },
        voided: { label: ['已作废', 'Voided'], tone: 'default' },
      },
      { ...seen, search: 'in', width: 90 },
    ),
    why: choice(
      ['原因', 'Why'],
      {
        quorum: { label: ['参与未达法定比例', 'Quorum not reached'] },
        pass: { label: ['同意未达法定比例', 'Agreement not reached'] },
      },
      { ...seen, width: 150 },
    ),
    remindedAt: instant(['上次催办', 'Last reminder'], { ...seen, width: 140 }),
    voidReason: text(['作废原因', 'Why voided'], { ...seen, width: 140 }),
  },
  states: {
    pending: { label: ['未开始', 'Not started'], tone: 'default', code: 0 },
    running: { label: ['进行中', 'Running'], tone: 'processing', code: 1 },
    ended: { label: ['已结束', 'Ended'], tone: 'success', code: 2 },
  },
  list: {
    columns: [
      'title',
      'state',
      'result',
      'turnout',
      'rate',
      'endsAt',
      'startsAt',
      'project',
      'kind',
      'code',
      'why',
      'secret',
      'houses',
      'voted',
    ],
    hidden: ['why', 'secret', 'houses', 'voted'],
    filters: ['project', 'kind', 'state', 'result', 'startsAt', 'secret'],
    sort: '-startsAt',
    link: 'title',
    tabs: [
      { key: 'all', label: ['全部', 'All'] },
      { key: 'running', label: ['进行中', 'Running'], filter: { state: 'running' } },
      { key: 'pending', label: ['未开始', 'Not started'], filter: { state: 'pending' } },
      { key: 'ended', label: ['已结束', 'Ended'], filter: { state: 'ended' } },
    ],
    export: [
      'code',
      'title',
      'project',
      'kind',
      'startsAt',
      'endsAt',
      'state',
      'houses',
      'voted',
      'turnout',
      'rate',
      'result',
      'why',
      'secret',
    ],
    empty: ['还没有业主决策', 'There are no decisions yet'],
  },
  form: {
    width: 860,
    sections: [
      { title: ['决策', 'Decision'], fields: ['project', 'kind', 'title', 'content'] },
      {
        title: ['投票', 'Voting'],
        fields: ['startsAt', 'endsAt', 'who', 'abstain', 'changeable', 'secret'],
      },
      { title: ['其他', 'More'], fields: ['remark', 'attachments'] },
    ],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['决策', 'Decision'],
        fields: [
          'code',
          'title',
          'project',
          'kind',
          'startsAt',
          'endsAt',
          'state',
          'result',
          'why',
          'abstain',
          'changeable',
          'secret',
          'content',
          'remark',
          'attachments',
        ],
      },
      {
        title: ['进展', 'Progress'],
        fields: [
          'houses',
          'area',
          'voted',
          'turnout',
          'rate',
          'perHouse',
          'remindedAt',
          'voidReason',
          'creator',
          'createdAt',
        ],
      },
    ],
    parts: [
      part({
        key: 'roll',
        title: ['表决名册', 'Roll'],
        resource: decisionHouse as unknown as Resource,
        by: 'decision',
        columns: ['house', 'area', 'owners', 'voted', 'way', 'castAt', 'choice'],
      }),
      part({
        key: 'ballots',
        title: ['选票', 'Ballots'],
        resource: ballot as unknown as Resource,
        by: 'decision',
        columns: [
          'house',
          'way',
          'castAt',
          'choice',
          'state',
          'evidence',
          'proxyName',
          'enteredBy',
          'confirmer',
        ],
      }),
    ],
  },
  elements: { btn_paperConfirm: ['纸质票确认', 'Confirm paper ballots'] },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary', to: 'pending' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit', from: ['pending', 'running'] },
    sheet: { on: 'row', label: ['结果表', 'Result sheet'], element: 'btn_sheet', opens: 'screen' },
    paper: {
      on: 'row',
      label: ['录入纸质票', 'Enter a paper ballot'],
      element: 'btn_paper',
      from: ['pending', 'running'],
      untouched: true,
      input: {
        house: ref('decisionRollHouse', ['房屋', 'House'], { required: true }),
        // Kept in no timeline and no audit record: ballots may be secret.
        choice: choice(['意见', 'Choice'], BALLOT_CHOICES, { required: true, secret: true }),
        photo: images(['签字表决票照片', 'Photo of the signed sheet'], {
          required: true,
          max: 5,
          secret: true,
        }),
        proxyName: personName(['代理人', 'Proxy'], { help: ['委托投票时填写', 'When voted by proxy'] }),
        proxyDocument: text(['委托书编号', 'Proxy document'], { max: 60 }),
      },
      message: ['已录入，待另一人确认', 'Entered; a second person has to confirm it'],
    },
    remind: {
      on: 'row',
      label: ['催办', 'Remind'],
      element: 'btn_remind',
      from: ['running'],
      untouched: true,
      confirm: [
        '给未投票的业主发短信？24 小时内只能一次',
        'Send an SMS to owners who have not voted? Once in 24 hours',
      ],
      message: ['已提醒 {n} 位业主', '{n} {n|owner|owners} reminded'],
    },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      remark: 'why',
      from: ['pending', 'running'],
      tone: 'danger',
      confirm: ['删除「{title}」？已投的票一并失效。', 'Delete “{title}”? Its ballots lapse, too'],
      input: { why: text(['备注', 'Remark'], { required: true, min: 2, max: 200 }) },
    },
    void: {
      on: 'row',
      label: ['作废', 'Void'],
      element: 'btn_void',
      remark: 'reason',
      from: ['ended'],
      tone: 'danger',
      confirm: ['作废「{title}」的结果？', 'Void the result of “{title}”?'],
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
    begin: {
      on: 'system',
      label: ['开始投票', 'Voting begins'],
      element: 'btn_add',
      from: ['pending'],
      to: 'running',
    },
    finish: {
      on: 'system',
      label: ['投票结束', 'Voting ends'],
      element: 'btn_add',
      from: ['pending', 'running'],
      to: 'ended',
    },
    nudge: {
      on: 'system',
      label: ['自动提醒', 'Reminded'],
      element: 'btn_remind',
      from: ['running'],
      untouched: true,
    },
  },
});

export interface Decision extends Row<typeof decision> {}

/** Where a decision stands, as its detail and result sheet show it; areas in m². */
export interface DecisionStanding {
  readonly sides: Readonly<
    Record<
      'all' | 'participating' | 'agree' | 'disagree' | 'abstain',
      { readonly houses: number; readonly area: string }
    >
  >;
  /** Percent by houses and by area, and the rule in words. */
  readonly bars: readonly {
    readonly key: 'quorum' | 'pass';
    readonly houses: string;
    readonly area: string;
    readonly needHouses: readonly [string, string];
    readonly needArea: readonly [string, string];
    readonly lineHouses: number;
    readonly lineArea: number;
    readonly met: boolean;
  }[];
  readonly base: 'participating' | 'all';
  /** Houses that have voted by the end of each day. */
  readonly days: readonly { readonly day: string; readonly voted: number }[];
  readonly buildings: readonly { readonly name: string; readonly houses: number; readonly voted: number }[];
}
