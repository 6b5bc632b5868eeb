import {
  choice,
  date,
  instant,
  longText,
  personName,
  ref,
  tags,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource, type Row } from '../../../kernel/contract/resource.ts';
import { GRADES } from '../../../domain/evaluation/evaluation.rules.ts';

const seen = { readOnly: true } as const;

const FIELDS = {
  project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 140 }),
  address: text(['房屋', 'House'], { ...seen, width: 150 }),
  userName: personName(['用户', 'User'], { ...seen, width: 90 }),
  grade: choice(['评价', 'Grade'], GRADES, { ...seen, search: 'in', width: 90 }),
  reasons: tags(['原因', 'Reasons'], { ...seen, width: 180 }),
  content: longText(['内容', 'Content'], { ...seen, keyword: true, width: 220 }),
  ratedAt: instant(['评价时间', 'Rated'], { ...seen, search: 'range', sortable: true, width: 150 }),
  followDue: date(['跟进期限', 'Follow up by'], { ...seen, sortable: true, width: 110 }),
  result: longText(['跟进结果', 'Follow-up result'], { ...seen, width: 180 }),
  followedBy: ref('staff', ['跟进人', 'Followed up by'], { ...seen, width: 90 }),
  followedAt: instant(['跟进时间', 'Followed up'], { ...seen, width: 150 }),
} as const;

const STATES = {
  none: { label: ['无需跟进', 'No follow-up'], tone: 'default' },
  to_follow: { label: ['待跟进', 'To follow up'], tone: 'warning' },
  followed: { label: ['已跟进', 'Followed up'], tone: 'success' },
} as const;

const TABS = [
  { key: 'all', label: ['全部', 'All'] },
  { key: 'to_follow', label: STATES.to_follow.label, filter: { state: 'to_follow' } },
  { key: 'overdue', label: ['跟进超期', 'Follow-up overdue'], named: true },
  { key: 'followed', label: STATES.followed.label, filter: { state: 'followed' } },
] as const;

const ACTIONS = {
  follow: {
    on: 'row',
    label: ['跟进', 'Follow up'],
    element: 'btn_follow',
    remark: 'result',
    tone: 'primary',
    from: ['to_follow'],
    to: 'followed',
    input: { result: longText(['跟进结果', 'Result'], { required: true, min: 2, max: 500 }) },
  },
} as const;

const follow = {
  title: ['跟进', 'Follow-up'],
  fields: ['state', 'followDue', 'result', 'followedBy', 'followedAt'],
} as const;

/** What a resident says of the housekeeper who held the house on that day; never changed. */
export const housekeeperEvaluation = defineResource({
  name: 'housekeeperEvaluation',
  menu: 'cs_housekeeperEvaluate',
  title: ['管家评价', 'Housekeeper ratings'],
  noun: ['评价', 'Rating'],
  purpose: [
    '住户每月对管家评价一次，计入当日负责该房屋的管家；不满意须在2个工作日内跟进',
    'Once a month a resident rates the housekeeper who holds the house that day; the lowest grade is followed up in 2 working days',
  ],
  titleField: 'address',
  sensitive: true,
  fields: {
    housekeeper: {
      ...ref('ratedHousekeeper', ['管家', 'Housekeeper'], { ...seen, search: 'in', width: 110 }),
      within: 'project',
    },
    ...FIELDS,
  },
  states: STATES,
  list: {
    columns: [
      'housekeeper',
      'project',
      'userName',
      'address',
      'grade',
      'state',
      'reasons',
      'content',
      'ratedAt',
      'followDue',
      'result',
    ],
    hidden: ['result'],
    filters: ['project', 'housekeeper', 'grade', 'ratedAt', 'state'],
    tabs: TABS,
    sort: '-ratedAt',
    export: true,
    empty: ['还没有管家评价', 'No ratings of housekeepers yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['评价', 'Rating'],
        fields: ['housekeeper', 'project', 'address', 'userName', 'grade', 'reasons', 'content', 'ratedAt'],
      },
      follow,
    ],
  },
  elements: { btn_view: ['查看', 'View'] },
  actions: ACTIONS,
});

/** What a household says of the property company; never changed. */
export const evaluation = defineResource({
  name: 'evaluation',
  menu: 'cs_propertyEvaluate',
  title: ['物业评价', 'Property ratings'],
  noun: ['评价', 'Rating'],
  purpose: [
    '每户每月对物业评价一次；不满意须在2个工作日内跟进',
    'Once a month a household rates the property company; the lowest grade is followed up in 2 working days',
  ],
  titleField: 'address',
  sensitive: true,
  fields: FIELDS,
  states: STATES,
  list: {
    columns: [
      'project',
      'userName',
      'address',
      'grade',
      'state',
      'reasons',
      'content',
      'ratedAt',
      'followDue',
      'result',
    ],
    hidden: ['result'],
    filters: ['project', 'grade', 'ratedAt', 'state'],
    tabs: TABS,
    sort: '-ratedAt',
    export: true,
    empty: ['还没有物业评价', 'No property ratings yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['评价', 'Rating'],
        fields: ['project', 'address', 'userName', 'grade', 'reasons', 'content', 'ratedAt'],
      },
      follow,
    ],
  },
  elements: { btn_view: ['查看', 'View'] },
  actions: ACTIONS,
});

export interface Evaluation extends Row<typeof evaluation> {}

/** A line of the ranking: a housekeeper, or a project. Rates in percent with one decimal. */
export interface RankedLine {
  readonly id: string;
  readonly name: string;
  readonly projects: string;
  readonly count: number;
  readonly satisfied: string | null;
  readonly average: string | null;
  readonly trend: readonly {
    readonly month: string;
    readonly count: number;
    readonly satisfied: string | null;
  }[];
}

export interface RankingAnswer {
  readonly rows: readonly RankedLine[];
  readonly reasons: readonly { readonly reason: string; readonly count: number; readonly share: string }[];
}
