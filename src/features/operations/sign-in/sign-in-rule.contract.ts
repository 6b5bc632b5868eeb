import { boolean, choice, code, integer } from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';

const MENU = 'os_userSign';

/** What signing in gives: every day, for days in a row, for days in all. */
export const signInRule = defineResource({
  name: 'signInRule',
  menu: MENU,
  title: ['签到配置', 'Sign-in rules'],
  noun: ['签到规则', 'Sign-in rule'],
  titleField: 'code',
  purpose: [
    '每日、连续与累计签到的积分；修改次日生效，已发放的不变',
    'Points for each day, for days in a row and for days in all. Changes act from the next day, what was given stays',
  ],
  stamps: true,
  deletable: 'unused',
  fields: {
    code: code(['编号', 'Code'], { readOnly: true, keyword: true, width: 90 }),
    type: choice(
      ['类型', 'Type'],
      {
        daily: { label: ['每日', 'Daily'], code: 1 },
        consecutive: { label: ['连续', 'In a row'], code: 2 },
        cumulative: { label: ['累计', 'In all'], code: 3 },
      },
      { required: true, createOnly: true, search: 'in', sortable: true, initial: 'consecutive', width: 100 },
    ),
    days: integer(['天数', 'Days'], {
      required: true,
      min: 1,
      max: 31,
      sortable: true,
      width: 110,
      help: [
        '每日填1；连续与累计2–31，按周循环时不超过7',
        'Daily: 1; the others 2–31, at most 7 in weekly cycles',
      ],
    }),
    points: integer(['积分', 'Points'], { required: true, min: 1, max: 10_000, width: 90 }),
    given: integer(['30天发放', 'Given in 30 days'], { readOnly: true, width: 110 }),
    enabled: boolean(['启用', 'Enabled'], { readOnly: true, search: 'equals', width: 80 }),
  },
  list: {
    columns: ['code', 'type', 'days', 'points', 'given', 'enabled', 'updater', 'updatedAt'],
    filters: ['type', 'enabled'],
    sort: 'days',
    link: 'code',
    export: true,
    empty: ['还没有签到规则', 'No sign-in rules yet'],
  },
  form: { width: 480, sections: [{ title: ['签到规则', 'Rule'], fields: ['type', 'days', 'points'] }] },
  detail: {
    mode: 'drawer',
    sections: [
      { title: ['签到规则', 'Rule'], fields: ['code', 'type', 'days', 'points', 'given', 'enabled'] },
    ],
  },
  actions: {
    create: { on: 'page', label: ['新增', 'Add'], element: 'btn_add', tone: 'primary' },
    update: { on: 'row', label: ['编辑', 'Edit'], element: 'btn_edit' },
    enable: { on: 'row', label: ['启用', 'Enable'], element: 'btn_enable' },
    disable: { on: 'row', label: ['停用', 'Disable'], element: 'btn_enable', tone: 'danger' },
    remove: {
      on: 'row',
      label: ['删除', 'Delete'],
      element: 'btn_del',
      tone: 'danger',
      confirm: ['删除规则 {code}？', 'Delete rule {code}?'],
    },
  },
});

/** How streaks begin anew. */
export const signInSettings = defineSettings({
  name: 'signIn',
  menu: MENU,
  title: ['签到周期与提醒', 'Sign-in cycle and reminder'],
  purpose: [
    '连续与累计签到在一个周期内计算，换周期后重新开始',
    'Days in a row and in all count inside a cycle and begin anew with the next one',
  ],
  fields: {
    signin_cycle: choice(
      ['周期', 'Cycle'],
      {
        month: { label: ['自然月', 'Month'] },
        week: { label: ['自然周（周一至周日）', 'Week (Monday to Sunday)'] },
        none: { label: ['不重置', 'Never reset'] },
      },
      { required: true },
    ),
    signin_reminder_hour: integer(['提醒时刻', 'Hour of the reminder'], {
      required: true,
      min: 0,
      max: 23,
      unit: ['点', "o'clock"],
      help: [
        '提醒当天未签到、近 14 天签到过且未关闭提醒的会员',
        'Members who signed in within 14 days, not today, and want to be reminded',
      ],
    }),
  },
  keys: { signin_cycle: 'signin.cycle', signin_reminder_hour: 'signin.reminder_hour' },
  sections: [
    { title: ['周期', 'Cycle'], fields: ['signin_cycle'] },
    { title: ['提醒', 'Reminder'], fields: ['signin_reminder_hour'] },
  ],
});

/** Figures above the rules. */
export interface SignInFigures {
  readonly today: number;
  readonly yesterday: number;
  readonly points: number;
  readonly days: readonly { readonly day: string; readonly signed: number; readonly points: number }[];
  readonly streaks: readonly { readonly streak: string; readonly members: number }[];
}
