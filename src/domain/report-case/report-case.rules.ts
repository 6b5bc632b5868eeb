import type { Label } from '../../kernel/contract/label.ts';

export const TARGETS = {
  post: { label: ['帖子', 'Post'], code: 1 },
  comment: { label: ['帖子评论', 'Comment'], code: 2 },
  activity_comment: { label: ['活动评论', 'Activity comment'], code: 3 },
} as const;

export const CASE_STATES = {
  open: { label: ['待处理', 'Open'], tone: 'warning', code: 0 },
  handling: { label: ['处理中', 'Handling'], tone: 'processing', code: 1 },
  upheld: { label: ['举报属实', 'Upheld'], tone: 'error', code: 2 },
  dismissed: { label: ['不属实', 'Dismissed'], tone: 'default', code: 3 },
  appealed: { label: ['申诉中', 'Appealed'], tone: 'warning', code: 4 },
} as const;

/** Reasons of reports, as in the dictionary report_reason. */
export const REPORT_REASONS = {
  advert: { label: ['广告', 'Advertising'] },
  abuse: { label: ['辱骂', 'Abuse'] },
  porn: { label: ['色情', 'Pornography'] },
  politics: { label: ['政治', 'Politics'] },
  privacy: { label: ['侵犯隐私', 'Invasion of privacy'] },
  false: { label: ['不实信息', 'False information'] },
  fraud: { label: ['诈骗', 'Fraud'] },
  other: { label: ['其他', 'Other'] },
} as const;

export const PENALTY_KINDS = {
  no_comment: { label: ['禁言', 'Muted'], tone: 'error' },
  no_group: { label: ['禁入小组', 'No groups'], tone: 'warning' },
} as const;

export const PENALTY_STATES = {
  waiting: { label: ['审批中', 'In approval'], tone: 'warning' },
  running: { label: ['生效中', 'In force'], tone: 'error' },
  ended: { label: ['已结束', 'Ended'], tone: 'default' },
  lifted: { label: ['已解除', 'Lifted'], tone: 'success' },
} as const;

/** How long a penalty may be. */
export const PENALTY_DAYS = {
  d1: { label: ['1 天', '1 day'] },
  d3: { label: ['3 天', '3 days'] },
  d7: { label: ['7 天', '7 days'] },
  d30: { label: ['30 天', '30 days'] },
  forever: { label: ['永久', 'For good'], tone: 'error' },
} as const;

/** Days of one of {@link PENALTY_DAYS}; null is for good. */
export const daysOf = (word: string): number | null => (word === 'forever' ? null : Number(word.slice(1)));

/** Longest penalty, in days, one person decides alone. */
export const ALONE_DAYS = 7;

/** Houses the reporters must live in at least before content hides by itself. */
export const HIDING_HOUSES = 3;

/** Business hours until somebody has to look at urgent cases. */
export const URGENT_HOURS = 4;

/** Grade from which on an author without upheld cases is trusted, and the days that are looked back. */
export const TRUSTED_GRADE = 3;
export const RECORD_DAYS = 180;

/** Days the author may appeal in. */
export const APPEAL_DAYS = 7;

/** Of so many last decided reports of a person so many dismissed: they count no more for hiding. */
export const LAST_REPORTS = 10;
export const DISMISSED_REPORTS = 5;

export const OWN_CONTENT: Label = ['不能举报自己的内容', 'You cannot report your own content'];
export const NO_CONTENT: Label = ['内容不存在', 'There is no such content'];
export const APPEAL_OVER: Label = ['申诉期已过', 'The time to appeal is over'];
export const APPEALED_ONCE: Label = ['只能申诉一次', 'You may appeal once'];
