import { choice, choices, integer, text } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { defineSettings } from '../../../kernel/contract/settings.ts';

/** Kinds of points that can count for the grade, as `grade.count_kinds` names them. */
const COUNTED_KINDS = {
  'sign-in': { label: ['签到', 'Sign-in'] },
  task: { label: ['任务', 'Tasks'] },
  'purchase return': { label: ['消费返积分', 'Purchase return'] },
  rebate: { label: ['缴费返利', 'Payment rebate'] },
} as const;

const whole = (zh: string, en: string, min: number, max: number, unit: Label) =>
  integer([zh, en], { required: true, min, max, unit });

/** What points are worth, how long they live, and what earns them. */
export const pointsConfig = defineSettings({
  name: 'pointsConfig',
  menu: 'os_integralConfigure',
  title: ['积分配置', 'Points configuration'],
  purpose: [
    '积分的价值、有效期与发放；修改须填写原因，可在变更记录中恢复',
    'Worth, life and earning of points. A change asks for a reason and can be set back from the history',
  ],
  reasoned: true,
  fields: {
    points_fen_per_point: whole('每积分价值', 'Worth of a point', 1, 1_000, ['分', 'fen']),
    points_expiry_months: whole('有效期（0 为永久）', 'Life (0: never ends)', 0, 60, ['月', 'months']),
    points_refund_expired_lot_policy: choice(
      ['退回已过期积分', 'Refund into an expired lot'],
      { extend: { label: ['延长有效期', 'Extend'] }, forfeit: { label: ['作废', 'Forfeit'] } },
      { required: true },
    ),
    points_refund_extend_days: whole('退回积分延长', 'Extension', 1, 90, ['天', 'days']),
    points_release_days: whole('待入账积分入账', 'Pending points are released after', 0, 60, ['天', 'days']),
    points_budget_default: text(['默认预算编号', 'Default budget (code)'], {
      required: true,
      max: 100,
      help: ['签到、任务与返积分从该预算发放', 'Sign-ins, tasks and returns are given from it'],
    }),
    points_cap_activity_daily: whole('每会员每日活动积分上限', 'Points a day from activities', 0, 10_000, [
      '积分',
      'points',
    ]),
    post_reward_keep_days: whole(
      '隐藏或删除后收回任务积分',
      'Hidden or deleted posts lose their points within',
      0,
      90,
      ['天内', 'days'],
    ),
    grade_count_kinds: choices(['计入成长等级的积分', 'Points that count for the grade'], COUNTED_KINDS, {
      required: true,
    }),
  },
  keys: {
    points_fen_per_point: 'points.fen_per_point',
    points_expiry_months: 'points.expiry_months',
    points_refund_expired_lot_policy: 'points.refund.expired_lot_policy',
    points_refund_extend_days: 'points.refund.extend_days',
    points_release_days: 'points.release_days',
    points_budget_default: 'points.budget.default',
    points_cap_activity_daily: 'points.cap.activity_daily',
    post_reward_keep_days: 'post.reward.keep_days',
    grade_count_kinds: 'grade.count_kinds',
  },
  sections: [
    {
      title: ['基础', 'Basics'],
      fields: [
        'points_fen_per_point',
        'points_expiry_months',
        'points_refund_expired_lot_policy',
        'points_refund_extend_days',
        'points_release_days',
      ],
    },
    {
      title: ['发放', 'Earning'],
      fields: [
        'points_budget_default',
        'points_cap_activity_daily',
        'post_reward_keep_days',
        'grade_count_kinds',
      ],
    },
  ],
});

/** What a change touches, by field. */
export const TOUCHES: Readonly<Record<string, Label>> = {
  points_fen_per_point: [
    '未使用积分的折合金额与之后的抵扣按新价值计算，已成交的订单不变',
    'What is unused and what is deducted from now on counts with it; orders that are made stay',
  ],
  points_expiry_months: [
    '从现在起发放的积分按新有效期，已发放的批次不变',
    'Holds for points granted from now on; lots that exist never change',
  ],
  points_refund_expired_lot_policy: ['从现在起的退回按新规则处理', 'Holds for refunds from now on'],
  points_refund_extend_days: ['从现在起退回的积分按新天数延长', 'Holds for points refunded from now on'],
  points_release_days: [
    '从现在起产生的待入账积分按新天数，已有的入账时间不变',
    'Holds for points announced from now on; dates that were told stay',
  ],
  points_budget_default: [
    '从现在起的签到、任务与返积分从该预算发放',
    'Sign-ins, tasks and returns are given from it from now on',
  ],
  points_cap_activity_daily: ['今日已发放的计入新上限', 'What was given today counts under the new limit'],
  post_reward_keep_days: [
    '从现在起的隐藏与删除按新期限收回',
    'Holds for what is hidden or deleted from now on',
  ],
  grade_count_kinds: [
    '从现在起发放的积分按新范围计入成长，已计入的不变',
    'Holds for points granted from now on; what counted stays counted',
  ],
};
