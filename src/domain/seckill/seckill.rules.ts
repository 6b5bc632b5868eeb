import type { Label } from '../../kernel/contract/label.ts';

/** Why a claim is refused, by the word programs are told. Source: group 16, mk_seckillActivityManagement, API. */
export const CLAIM_REFUSALS = {
  NOT_STARTED: ['活动未开始', 'The activity has not started'],
  ENDED: ['活动已结束', 'The activity has ended'],
  PAUSED: ['活动暂停中', 'The activity is paused'],
  SOLD_OUT: ['已抢光', 'Sold out'],
  OVER_ORDER_LIMIT: ['超出单笔限购', 'Above the limit per order'],
  OVER_MEMBER_LIMIT: ['超出每人限购', 'Above the limit per member'],
  NOT_ELIGIBLE: ['不符合参与条件', 'Not eligible for this activity'],
  NO_DELIVERY: ['不在配送范围', 'Outside of the delivery area'],
} as const satisfies Readonly<Record<string, Label>>;

/** Word of a refusal. */
export type ClaimRefusal = keyof typeof CLAIM_REFUSALS;

/** Sold out while unpaid orders hold copies. */
export const UNPAID_LEFT: Label = [
  '还有人未付款，可稍后再试',
  'Sold out for now; unpaid orders may come back, please try later',
];

/** Who may buy. Source: group 16, Entities added. */
export const AUDIENCES = {
  all: { label: ['全部会员', 'All members'] },
  household: { label: ['已认证住户', 'Verified households'] },
  grade: { label: ['指定等级及以上', 'A grade or higher'] },
  new: { label: ['新会员', 'New members'] },
} as const satisfies Readonly<Record<string, { label: Label }>>;

/** States of an activity. Source: group 16, Entities added. */
export const SECKILL_STATES = {
  draft: { label: ['草稿', 'Draft'], tone: 'default', code: 1 },
  reviewing: { label: ['待审核', 'In review'], tone: 'warning', code: 2 },
  rejected: { label: ['已驳回', 'Rejected'], tone: 'error', code: 3 },
  scheduled: { label: ['待开始', 'Scheduled'], tone: 'processing', code: 4 },
  running: { label: ['进行中', 'Running'], tone: 'success', code: 5 },
  paused: { label: ['已暂停', 'Paused'], tone: 'paused', code: 6 },
  ended: { label: ['已结束', 'Ended'], tone: 'default', code: 7 },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'default', code: 8 },
} as const;

/** States of a claim. Source: group 16, Entities added. */
export const CLAIM_STATES = {
  held: { label: ['待支付', 'Unpaid'], tone: 'warning' },
  paid: { label: ['已支付', 'Paid'], tone: 'success' },
  released: { label: ['已释放', 'Released'], tone: 'default' },
} as const;

/** Order closed because its activity was cancelled; stored in Chinese. */
export const CANCELLED: Label = ['秒杀活动已取消', 'The seckill activity was cancelled'];

/** A check of an activity: what must hold before it is reviewed and published. */
export interface SeckillCheck {
  readonly key: string;
  readonly label: Label;
  /** `warning` lets it pass. */
  readonly result: 'ok' | 'failed' | 'warning';
  /** What is wrong, one line each. */
  readonly problems: readonly Label[];
}

/** An equation of the verification. */
export interface SeckillEquation {
  readonly name: Label;
  readonly left: number;
  readonly right: number;
  readonly ok: boolean;
}

/** What the live board is sent every two seconds. Instants are ISO text. */
export interface SeckillLive {
  readonly serverTime: string;
  readonly state: keyof typeof SECKILL_STATES;
  readonly sessions: readonly {
    readonly sessionId: string;
    readonly no: number;
    readonly startsAt: string;
    readonly endsAt: string;
    readonly open: boolean;
  }[];
  readonly items: readonly {
    readonly itemId: string;
    readonly sessionId: string;
    readonly name: string;
    readonly reserved: number;
    readonly remaining: number;
    readonly held: number;
    readonly sold: number;
    readonly returned: number;
    readonly refused: Readonly<Record<string, number>>;
  }[];
  readonly perSecond: readonly {
    readonly second: string;
    readonly accepted: number;
    readonly refused: number;
  }[];
  readonly unpaid: readonly {
    readonly orderId: string;
    readonly orderCode: string;
    readonly qty: number;
    readonly payDeadline: string;
  }[];
}
