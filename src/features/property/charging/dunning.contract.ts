import {
  choice,
  date,
  instant,
  integer,
  longText,
  money,
  personName,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineResource, part } from '../../../kernel/contract/resource.ts';
import { CHARGING_MENU } from './fee-item.contract.ts';

const seen = { readOnly: true } as const;

/** How long the oldest bill is overdue, in days. */
export const AGES = {
  d30: { label: ['1–30 天', '1–30 days'] },
  d60: { label: ['31–60 天', '31–60 days'] },
  d90: { label: ['61–90 天', '61–90 days'] },
  d180: { label: ['91–180 天', '91–180 days'] },
  more: { label: ['180 天以上', 'Over 180 days'] },
} as const;

const DUN_CHANNELS = {
  sms: { label: ['短信', 'SMS'] },
  phone: { label: ['电话', 'Call'] },
  visit: { label: ['上门', 'Visit'] },
} as const;

/** A reminder of what a house owes: a message, a call or a visit; never changed. */
export const dunningRecord = defineResource({
  name: 'dunningRecord',
  menu: CHARGING_MENU,
  title: ['催缴记录', 'Reminders'],
  noun: ['催缴记录', 'Reminder'],
  titleField: 'content',
  fields: {
    house: ref('chargedHouse', ['房屋', 'House'], { ...seen, search: 'in', width: 150 }),
    at: instant(['时间', 'At'], { ...seen, sortable: true, width: 150 }),
    channel: choice(['方式', 'By'], DUN_CHANNELS, { ...seen, search: 'in', width: 80 }),
    owed: money(['当时欠费', 'Owed then'], { ...seen, width: 110 }),
    content: text(['内容', 'Content'], { ...seen, width: 260 }),
    sending: choice(
      ['发送', 'Sending'],
      {
        none: { label: ['无需发送', 'Not sent'] },
        waiting: { label: ['待发送', 'Waiting'] },
        done: { label: ['已发送', 'Sent'], tone: 'success' },
        failed: { label: ['失败', 'Failed'], tone: 'error' },
      },
      { ...seen, width: 80 },
    ),
    promisedOn: date(['承诺缴费日', 'Promised for'], { ...seen, width: 110 }),
    staff: ref('staff', ['经办', 'By'], { ...seen, width: 90 }),
  },
  list: {
    columns: ['at', 'channel', 'owed', 'content', 'sending', 'promisedOn', 'staff'],
    filters: ['house', 'channel'],
    sort: '-at',
    empty: ['还没有催缴', 'Nobody was reminded yet'],
  },
});

/** The text of a reminder, or nothing for the standard one. */
export const dunningTemplate = longText(['短信内容', 'Text'], {
  max: 200,
  help: [
    '留空用：您的房屋{房屋}有{笔数}笔费用逾期未缴，共{金额}元，请尽快缴纳。',
    'Empty: the standard text with house, number of bills and amount; {房屋} {笔数} {金额} are filled in',
  ],
});

/** What a reminder to some houses would come to now. */
export interface DunningPreview {
  /** Houses that get it, the messages to their owners, and what they owe together. */
  readonly houses: number;
  readonly messages: number;
  readonly owed: string;
  /** Houses that had as many this week as they may. */
  readonly full: number;
  /** Houses without an owner who can be reached. */
  readonly unreachable: number;
  /** Why nothing can be sent at this hour. */
  readonly outOfHours: Label | null;
  /** The message of the first house that gets it. */
  readonly sample: string | null;
}

/** A house with bills that are overdue and not in dispute. */
export const owingHouse = defineResource({
  name: 'owingHouse',
  menu: CHARGING_MENU,
  title: ['催缴', 'Dunning'],
  noun: ['欠费房屋', 'Owing house'],
  titleField: 'place',
  sensitive: true,
  fields: {
    place: text(['房屋', 'House'], { ...seen, width: 150 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 130 }),
    building: ref('building', ['楼栋', 'Building'], { ...seen, search: 'in', width: 90 }),
    debtor: personName(['业主', 'Debtor'], { ...seen, width: 100 }),
    items: text(['收费项目', 'Fee items'], { ...seen, width: 170 }),
    item: ref('feeItem', ['收费项目', 'Fee item'], { ...seen, search: 'in' }),
    months: integer(['账期数', 'Periods'], { ...seen, sortable: true, search: 'range', width: 90 }),
    owed: money(['欠费', 'Owed'], { ...seen, sortable: true, search: 'range', width: 120 }),
    days: integer(['最长逾期（天）', 'Days overdue'], { ...seen, sortable: true, width: 110 }),
    age: choice(['账龄', 'Age'], AGES, { ...seen, search: 'in', width: 100 }),
    week: integer(['本周短信', 'SMS this week'], { ...seen, width: 90 }),
    lastAt: instant(['最近催缴', 'Last reminder'], { ...seen, width: 150 }),
    promisedOn: date(['承诺缴费日', 'Promised for'], { ...seen, search: 'range', width: 110 }),
  },
  list: {
    columns: [
      'place',
      'project',
      'debtor',
      'items',
      'months',
      'owed',
      'days',
      'age',
      'week',
      'lastAt',
      'promisedOn',
      'building',
    ],
    hidden: ['building'],
    filters: ['project', 'building', 'item', 'months', 'owed', 'age', 'promisedOn'],
    sort: '-owed',
    sums: ['owed'],
    export: true,
    empty: ['没有逾期欠费的房屋', 'No house has overdue bills'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['欠费', 'What it owes'],
        fields: [
          'project',
          'place',
          'debtor',
          'items',
          'months',
          'owed',
          'days',
          'age',
          'week',
          'lastAt',
          'promisedOn',
        ],
      },
    ],
    parts: [part({ key: 'records', title: ['催缴记录', 'Reminders'], resource: dunningRecord, by: 'house' })],
  },
  actions: {
    sms: {
      label: ['短信催缴', 'Send SMS'],
      on: 'rowAndBulk',
      element: 'btn_dun',
      tone: 'primary',
      untouched: true,
      input: {
        template: dunningTemplate,
      },
    },
    note: {
      label: ['登记电话/上门', 'Note a call or visit'],
      on: 'row',
      element: 'btn_dunRecord',
      untouched: true,
      input: {
        channel: choice(
          ['方式', 'By'],
          { phone: DUN_CHANNELS.phone, visit: DUN_CHANNELS.visit },
          {
            required: true,
            initial: 'phone',
          },
        ),
        content: longText(['结果', 'Result'], { required: true, min: 2, max: 500 }),
        promisedOn: date(['承诺缴费日', 'Promised for']),
      },
    },
  },
});
