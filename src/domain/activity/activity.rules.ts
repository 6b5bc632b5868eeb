import type { Label } from '../../kernel/contract/label.ts';

export const ACTIVITY_STATES = {
  draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
  published: { label: ['已发布', 'Published'], tone: 'success', code: 2 },
  withdrawn: { label: ['已撤回', 'Withdrawn'], tone: 'paused', code: 3 },
} as const;

export const AUDIENCES = {
  group: { label: ['小组', 'Groups'], code: 1 },
  property: { label: ['物业', 'Property'], code: 2 },
} as const;

/** Where an activity stands by the clock; a draft has not begun, a withdrawn one has none. */
export const PHASES = {
  not_started: { label: ['未开始', 'Not started'], tone: 'default' },
  open: { label: ['报名中', 'Sign-up open'], tone: 'success' },
  closed: { label: ['报名截止', 'Sign-up closed'], tone: 'warning' },
  running: { label: ['进行中', 'Under way'], tone: 'processing' },
  over: { label: ['已结束', 'Over'], tone: 'default' },
} as const;

export const SIGNUP_STATES = {
  pending_payment: { label: ['待支付', 'To pay'], tone: 'warning' },
  signed: { label: ['已报名', 'Signed up'], tone: 'success' },
  waiting: { label: ['候补', 'Waiting'], tone: 'processing' },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'default' },
} as const;

export const CHECK_INS = {
  no: { label: ['未签到', 'Not checked in'], tone: 'default', code: 1 },
  yes: { label: ['已签到', 'Checked in'], tone: 'success', code: 2 },
} as const;

export const CHECK_IN_WAYS = {
  qr: { label: ['扫码', 'QR code'] },
  code: { label: ['签到码', 'Code'] },
  staff: { label: ['工作人员', 'Staff'] },
} as const;

/** A question of an activity, and how it was answered. */
export interface Question {
  readonly question: string;
  readonly required: boolean;
}
export interface Answer {
  readonly question: string;
  readonly answer: string;
}

export const CLOSED: Label = ['报名已截止', 'Sign-up is closed'];
export const NOT_INVITED: Label = ['不在活动范围', 'Not in the audience'];
export const NO_SEATS: Label = ['名额已满', 'No seats left'];
export const TOO_EARLY: Label = ['签到未开始', 'Check-in has not started'];
export const OVER: Label = ['活动已结束', 'The activity is over'];
export const BAD_CODE: Label = ['签到码无效', 'This code is not valid'];
export const OUT_OF_REACH: Label = ['包含您无权管理的项目', 'Includes projects outside your scope'];

/** Hours in which a sign-up is cancelled free after time or place was changed. */
export const FREE_HOURS = 48;
/** Wrong codes after which only the QR code or staff check a member in. */
export const MOST_TRIES = 5;

/** The refusal of a limit below the seats that are taken. */
export const belowTaken = (taken: number): Label => [
  `不能小于已报名人数${taken}`,
  `Not below the ${taken} signed up`,
];
