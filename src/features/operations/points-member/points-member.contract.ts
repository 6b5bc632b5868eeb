import {
  boolean,
  choice,
  date,
  instant,
  integer,
  longText,
  personName,
  phone,
  ref,
  text,
} from '../../../kernel/contract/fields.ts';
import { defineResource } from '../../../kernel/contract/resource.ts';

/** The menu of points users. */
export const MEMBER_MENU = 'os_integralUser';

const seen = { readOnly: true } as const;

/** A member as the operators see it: points, grade, sign-ins, what it wrote. */
export const pointsMember = defineResource({
  name: 'pointsMember',
  menu: MEMBER_MENU,
  title: ['积分用户', 'Points users'],
  noun: ['积分用户', 'Points user'],
  titleField: 'phone',
  sensitive: true,
  purpose: [
    '会员的积分、等级、签到与内容；点击姓名查看全貌',
    'Points, grade, sign-ins and content of members; the name opens everything about one',
  ],
  fields: {
    name: personName(['会员', 'Member'], { ...seen, keyword: true, width: 100 }),
    phone: phone(['手机', 'Phone'], { ...seen, keyword: true, width: 130 }),
    nickname: text(['昵称', 'Nickname'], { ...seen, keyword: true, width: 110 }),
    project: ref('project', ['项目', 'Project'], { ...seen, search: 'in', width: 150 }),
    grade: ref('grade', ['等级', 'Grade'], { ...seen, search: 'in', width: 100 }),
    basis: integer(['成长积分', 'Points for the grade'], { ...seen, width: 110 }),
    lifetime: integer(['累计积分', 'Earned in all'], { ...seen, width: 100 }),
    available: integer(['可用', 'Available'], { ...seen, search: 'range', sortable: true, width: 90 }),
    used: integer(['已用', 'Used'], { ...seen, width: 90 }),
    pending: integer(['待入账', 'Pending'], { ...seen, width: 90 }),
    expiring30: integer(['30天内过期', 'Expiring in 30 days'], { ...seen, width: 110 }),
    signDays: integer(['本周期签到', 'Signed this cycle'], { ...seen, width: 110 }),
    streak: integer(['连续签到', 'Streak'], { ...seen, width: 90 }),
    posts: integer(['发帖', 'Posts'], { ...seen, width: 80 }),
    lastActive: date(['最近活跃', 'Last active'], { ...seen, search: 'range', sortable: true, width: 120 }),
    registeredAt: instant(['注册时间', 'Registered'], {
      ...seen,
      search: 'range',
      sortable: true,
      width: 150,
    }),
    identity: choice(
      ['房屋身份', 'House identity'],
      {
        owner: { label: ['业主', 'Owner'] },
        family: { label: ['家属', 'Family'] },
        tenant: { label: ['租客', 'Tenant'] },
      },
      { ...seen, search: 'equals' },
    ),
    banned: boolean(['禁言中', 'Muted'], { ...seen, search: 'equals', width: 80 }),
    fixedUntil: date(['等级指定至', 'Grade fixed until'], { ...seen, width: 120 }),
  },
  list: {
    columns: [
      'name',
      'phone',
      'available',
      'grade',
      'nickname',
      'project',
      'lifetime',
      'used',
      'pending',
      'expiring30',
      'signDays',
      'streak',
      'posts',
      'banned',
      'lastActive',
      'registeredAt',
    ],
    hidden: ['nickname', 'banned'],
    filters: ['project', 'grade', 'available', 'registeredAt', 'lastActive', 'identity', 'banned'],
    sort: '-available',
    link: 'name',
    export: [
      'name',
      'phone',
      'project',
      'grade',
      'lifetime',
      'available',
      'used',
      'expiring30',
      'streak',
      'registeredAt',
    ],
    empty: ['没有会员', 'No members'],
  },
  detail: {
    mode: 'page',
    route: '/operService/os_integralUser/:id',
    sections: [
      {
        title: ['概览', 'Overview'],
        fields: [
          'name',
          'phone',
          'nickname',
          'project',
          'grade',
          'fixedUntil',
          'basis',
          'lifetime',
          'available',
          'used',
          'pending',
          'expiring30',
          'signDays',
          'streak',
          'posts',
          'banned',
          'lastActive',
          'registeredAt',
        ],
      },
    ],
  },
  actions: {
    event: { on: 'row', label: ['补录事件', 'Record an event'], element: 'btn_event', opens: 'screen' },
    card: {
      on: 'row',
      label: ['赠送补签卡', 'Give make-up cards'],
      element: 'btn_card',
      untouched: true,
      input: {
        qty: integer(['数量', 'Quantity'], { required: true, min: 1, max: 5, initial: 1 }),
        reason: text(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    grade: {
      on: 'row',
      label: ['指定等级', 'Fix the grade'],
      element: 'btn_grade',
      untouched: true,
      input: {
        grade: ref('grade', ['等级', 'Grade'], { help: ['留空为取消指定', 'Empty: no longer fixed'] }),
        until: date(['有效至', 'Until'], {
          help: ['当日有效，最早为今天', 'Including the day; today at the earliest'],
        }),
        reason: longText(['原因', 'Reason'], { required: true, min: 2, max: 200 }),
      },
    },
    coupon: {
      on: 'bulk',
      label: ['发券', 'Give a coupon'],
      element: 'btn_coupon',
      opens: 'screen',
      bulkMax: 2000,
    },
    send: {
      on: 'bulk',
      label: ['发积分', 'Send points'],
      element: 'btn_send',
      opens: 'screen',
      bulkMax: 2000,
    },
  },
});

/** What the page of a member shows beside its figures. */
export interface MemberOverview {
  readonly grade: { readonly basis: number; readonly next: string | null; readonly missing: number };
  readonly cards: number;
  readonly month: string;
  /** Days of the month until today. */
  readonly days: readonly { readonly day: string; readonly state: 'signed' | 'made_up' | 'missed' }[];
  readonly bonuses: readonly { readonly title: string; readonly points: number; readonly day: string }[];
  readonly tasks: readonly {
    readonly code: string;
    readonly name: readonly [string, string];
    readonly points: number;
    readonly today: number;
    readonly total: number;
    readonly dayTimes: number;
    readonly totalTimes: number;
    readonly skipped: string | null;
  }[];
}

/** Lists of a member that belong to other screens; each is read by who holds that screen. */
export const MEMBER_LISTS = {
  coupon: { menu: 'mm_couponManagement', label: ['优惠券', 'Coupons'] },
  order: { menu: 'mm_businessOrder_wx', label: ['订单', 'Orders'] },
  redemption: { menu: 'os_integralCash', label: ['积分兑换', 'Redemptions'] },
  afterSale: { menu: 'am_orderlist', label: ['售后', 'After-sales'] },
  house: { menu: 'ssm_registerByHouse', label: ['房屋', 'Houses'] },
  family: { menu: 'os_familyPosts', label: ['家人圈', 'Family posts'] },
  chamber: { menu: 'os_conHallManage', label: ['议事厅', 'Council hall'] },
  group: { menu: 'cs_interestGroupPost', label: ['小组帖子', 'Group posts'] },
  familyComment: { menu: 'os_familyPosts', label: ['家人圈评论', 'Comments in the family circle'] },
  chamberComment: { menu: 'os_conHallManage', label: ['议事厅评论', 'Comments in the council hall'] },
  penalty: { menu: 'cs_reportManagement', label: ['处罚', 'Penalties'] },
  case: { menu: 'cs_reportManagement', label: ['被举报', 'Reported'] },
} as const;
export type MemberListName = keyof typeof MEMBER_LISTS;

/** One row of such a list. */
export interface MemberListRow {
  readonly id: string;
  readonly code: string;
  readonly title: string;
  readonly state: string;
  /** In yuan. */
  readonly amount: string | null;
  readonly at: string;
}
