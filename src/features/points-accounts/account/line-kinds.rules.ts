import type { Choice } from '../../../kernel/contract/fields.ts';

/** Kinds of lines of a statement, by the number the ledger keeps. Source: group 22, rule 12. */
export const LINE_CHOICES = {
  1: { label: ['签到', 'Sign-in'], tone: 'success' },
  2: { label: ['任务', 'Task'], tone: 'success' },
  3: { label: ['消费返积分', 'Purchase return'], tone: 'success' },
  4: { label: ['缴费返利', 'Payment rebate'], tone: 'success' },
  5: { label: ['后台发放', 'Staff grant'], tone: 'success' },
  6: { label: ['人工调整', 'Adjustment'], tone: 'warning' },
  7: { label: ['兑换', 'Redemption'], tone: 'processing' },
  8: { label: ['订单抵扣', 'Order deduction'], tone: 'processing' },
  9: { label: ['退回', 'Refund'], tone: 'success' },
  10: { label: ['追回', 'Take-back'], tone: 'error' },
  11: { label: ['过期', 'Expiry'], tone: 'paused' },
  12: { label: ['撤回', 'Recall'], tone: 'error' },
  13: { label: ['补签卡', 'Make-up card'], tone: 'processing' },
  14: { label: ['偿还欠分', 'Debt repaid'], tone: 'warning' },
  15: { label: ['冻结/解冻', 'Hold / release'], tone: 'default' },
} as const satisfies Readonly<Record<number, Choice>>;

/** Why points that were earned were not given. */
export const SKIP_CAPS = {
  day: { label: ['已达每日上限', 'Daily limit reached'], tone: 'warning' },
  month: { label: ['已达每月上限', 'Monthly limit reached'], tone: 'warning' },
  total: { label: ['已达总上限', 'Total limit reached'], tone: 'warning' },
  activity_daily: { label: ['已达每日活动上限', 'Daily activity limit reached'], tone: 'warning' },
  budget: { label: ['预算不足', 'Budget used up'], tone: 'error' },
} as const satisfies Readonly<Record<string, Choice>>;

/** Reasons of corrections. */
export const ADJUST_REASONS = {
  error: { label: ['系统差错', 'System error'] },
  cheat: { label: ['违规获取', 'Gained by cheating'] },
  complaint: { label: ['客诉处理', 'Complaint'] },
  merge: { label: ['账户合并', 'Accounts merged'] },
  other: { label: ['其他', 'Other'] },
} as const satisfies Readonly<Record<string, Choice>>;
