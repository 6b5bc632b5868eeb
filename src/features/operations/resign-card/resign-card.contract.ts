import {
  boolean,
  choice,
  code,
  date,
  instant,
  integer,
  personName,
  phone,
  ref,
  refs,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';

const MENU = 'os_resignCard';

/** Make-up cards a member got at once. */
export const resignCard = defineResource({
  name: 'resignCard',
  menu: MENU,
  title: ['补签卡', 'Make-up cards'],
  noun: ['补签卡', 'Make-up card'],
  titleField: 'code',
  sensitive: true,
  purpose: [
    '会员获得与使用补签卡的记录；先失效的先用，补签后重新计算连续天数并补发奖励',
    'Cards members got and used: the one that lapses first is used, then the streak is built anew and bonuses reached are given',
  ],
  fields: {
    code: code(['编号', 'Number'], { readOnly: true, keyword: true, width: 110 }),
    member: personName(['会员', 'Member'], { readOnly: true, width: 100 }),
    phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 150 }),
    source: choice(
      ['来源', 'Source'],
      {
        shop: { label: ['兑换', 'Shop'] },
        given: { label: ['赠送', 'Given'] },
        task: { label: ['任务', 'Task'] },
      },
      { readOnly: true, search: 'in', width: 90 },
    ),
    qty: integer(['数量', 'Quantity'], { readOnly: true, width: 80 }),
    remaining: integer(['剩余', 'Left'], { readOnly: true, width: 80 }),
    points: integer(['积分', 'Points'], { readOnly: true, width: 80 }),
    reason: text(['原因', 'Reason'], { readOnly: true, width: 180 }),
    lapsesOn: date(['失效日期', 'Lapses on'], { readOnly: true, sortable: true, width: 120 }),
    createdAt: instant(['获得时间', 'Received'], {
      readOnly: true,
      search: 'range',
      sortable: true,
      width: 150,
    }),
  },
  states: {
    held: { label: ['可用', 'Usable'], tone: 'success' },
    used: { label: ['已用完', 'Used up'], tone: 'default' },
    lapsed: { label: ['已失效', 'Lapsed'], tone: 'paused' },
    revoked: { label: ['已收回', 'Revoked'], tone: 'error' },
  },
  list: {
    columns: [
      'code',
      'source',
      'member',
      'phone',
      'project',
      'qty',
      'points',
      'createdAt',
      'remaining',
      'lapsesOn',
      'state',
      'reason',
    ],
    filters: ['createdAt', 'project', 'source', 'state'],
    sort: '-createdAt',
    link: 'code',
    export: true,
    empty: ['还没有补签卡', 'No make-up cards yet'],
  },
  detail: {
    mode: 'drawer',
    sections: [
      {
        title: ['补签卡', 'Make-up card'],
        fields: [
          'code',
          'source',
          'member',
          'phone',
          'project',
          'qty',
          'remaining',
          'points',
          'createdAt',
          'lapsesOn',
          'reason',
        ],
      },
    ],
  },
  actions: {
    give: {
      on: 'page',
      label: ['赠送', 'Give'],
      element: 'btn_give',
      tone: 'primary',
      input: {
        members: refs('memberInReach', ['会员', 'Members'], {
          required: true,
          max: 200,
          help: ['按完整姓名或手机号查找', 'Found by the whole name or phone'],
        }),
        qty: integer(['数量', 'Quantity'], { required: true, min: 1, max: 5, initial: 1 }),
        reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
      message: ['已赠送 {n} 人', 'Given to {n} {n|member|members}'],
    },
    revoke: {
      on: 'row',
      label: ['收回', 'Revoke'],
      element: 'btn_revoke',
      remark: 'reason',
      tone: 'danger',
      from: ['held'],
      to: 'revoked',
      input: { reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }) },
    },
  },
});

/** A day a member made up for. */
export const resignCardUse = defineResource({
  name: 'resignCardUse',
  menu: MENU,
  title: ['使用记录', 'Uses'],
  noun: ['使用记录', 'Use'],
  titleField: 'card',
  sensitive: true,
  fields: {
    card: code(['编号', 'Number'], { readOnly: true, keyword: true, width: 110 }),
    member: personName(['会员', 'Member'], { readOnly: true, width: 100 }),
    phone: phone(['手机', 'Phone'], { readOnly: true, width: 130 }),
    project: ref('project', ['项目', 'Project'], { readOnly: true, search: 'in', width: 150 }),
    day: date(['补签日期', 'Repaired day'], { readOnly: true, sortable: true, width: 120 }),
    usedAt: instant(['使用时间', 'Used at'], {
      readOnly: true,
      search: 'range',
      sortable: true,
      width: 150,
    }),
    streakBefore: integer(['补签前连续', 'Streak before'], { readOnly: true, width: 110 }),
    streakAfter: integer(['补签后连续', 'Streak after'], { readOnly: true, width: 110 }),
    bonus: integer(['发放积分', 'Points given'], { readOnly: true, width: 100 }),
  },
  list: {
    columns: ['card', 'member', 'phone', 'project', 'day', 'usedAt', 'streakBefore', 'streakAfter', 'bonus'],
    filters: ['usedAt', 'project'],
    sort: '-usedAt',
    export: true,
    empty: ['还没有人使用补签卡', 'Nobody has used a card yet'],
  },
});

const count = (zh: string, en: string, min: number, max: number) =>
  integer([zh, en], { required: true, min, max });

/** What cards cost, how many are held and used, and how far back they reach. */
export const resignCardSettings = defineSettings({
  name: 'resignCards',
  menu: MENU,
  title: ['补签卡设置', 'Settings of make-up cards'],
  fields: {
    signin_card_price_points: count('价格（积分）', 'Price (points)', 1, 100_000),
    signin_card_buy_per_month: count('每月可购买', 'Bought a month', 0, 31),
    signin_card_use_per_month: count('每月可使用', 'Used a month', 0, 31),
    signin_card_max_held: count('最多持有', 'Held at most', 1, 99),
    signin_card_max_days_back: count('最早可补（天前）', 'Oldest day (days back)', 1, 30),
    signin_card_valid_days: count('有效期（天）', 'Valid (days)', 1, 730),
    signin_card_grant_daily: boolean([
      '补签当日同时发放日常积分',
      'Repaired days also give the daily points',
    ]),
  },
  keys: {
    signin_card_price_points: 'signin.card.price_points',
    signin_card_buy_per_month: 'signin.card.buy_per_month',
    signin_card_use_per_month: 'signin.card.use_per_month',
    signin_card_max_held: 'signin.card.max_held',
    signin_card_max_days_back: 'signin.card.max_days_back',
    signin_card_valid_days: 'signin.card.valid_days',
    signin_card_grant_daily: 'signin.card.grant_daily',
  },
  sections: [
    {
      title: ['获得', 'Getting'],
      fields: [
        'signin_card_price_points',
        'signin_card_buy_per_month',
        'signin_card_max_held',
        'signin_card_valid_days',
      ],
    },
    {
      title: ['使用', 'Using'],
      fields: ['signin_card_use_per_month', 'signin_card_max_days_back', 'signin_card_grant_daily'],
    },
  ],
});
