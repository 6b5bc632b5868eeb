import type { Choice } from '../../../kernel/contract/fields.ts';

/** Events a rule may be about: those of members (group 1) and of trade and property. */
export const POINTS_EVENTS = {
  sign_in: { label: ['签到', 'Sign-in'] },
  'task.profile': { label: ['完善资料', 'Profile completed'] },
  'post.create': { label: ['发布家人圈', 'Family post'] },
  'comment.create': { label: ['发表评论', 'Comment'] },
  'post.essence': { label: ['帖子被评精华', 'Post marked as essence'] },
  like: { label: ['获赞', 'Like received'] },
  'vote.cast': { label: ['参与投票', 'Vote'] },
  'activity.check_in': { label: ['活动签到', 'Activity check-in'] },
  'ballot.cast': { label: ['业主表决', 'Ballot'] },
  'ad.click': { label: ['点击广告', 'Advert clicked'] },
  'bill.paid': { label: ['缴纳账单', 'Bill paid'] },
  'order.completed': { label: ['订单完成', 'Order completed'] },
  'order.rated': { label: ['评价订单', 'Order rated'] },
  'work_order.rated': { label: ['评价工单', 'Work order rated'] },
  'task.invite': { label: ['邀请注册', 'Invitation'] },
  'task.share': { label: ['分享内容', 'Share'] },
  'household.bound': { label: ['绑定房屋', 'House bound'] },
} as const satisfies Readonly<Record<string, Choice>>;
