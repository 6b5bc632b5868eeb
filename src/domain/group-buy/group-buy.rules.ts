import type { Label } from '../../kernel/contract/label.ts';

/** Refusals of group-buying, as members and staff read them. Source: group 16, mk_makeGroup. */
export const REFUSED = {
  notStarted: ['活动未开始', 'The activity has not started'],
  ended: ['活动已结束', 'The activity has ended'],
  soldOut: ['已抢光', 'Sold out'],
  unpaidLeft: [
    '还有人未付款，可稍后再试',
    'All copies are held by unpaid orders; some may come back, please try later',
  ],
  limit: ['超出每人限购', 'Above the limit per person'],
  already: ['您已在该团中', 'Already in this team'],
  full: ['该团已满', 'Team is full'],
  over: ['该团已结束', 'The team is over'],
  newOnly: ['仅限新会员参团', 'Only new members may join'],
  oneLine: ['团购订单只能购买一种商品', 'A group order has exactly one line'],
  forming: ['拼团进行中，成团前不可申请退款', 'No refund while the team is forming'],
} as const satisfies Readonly<Record<string, Label>>;

/** Why orders of a team that did not form were closed; stored in Chinese, shown in both languages. */
export const CLOSED_BECAUSE = {
  failed: ['拼团失败', 'The team did not form'],
  disbanded: ['团已解散', 'The team was disbanded'],
  late: ['付款时该团已结束，自动退款', 'The team was over at payment; refunded automatically'],
  ended: ['活动提前结束', 'The activity was ended early'],
} as const satisfies Readonly<Record<string, Label>>;

/** Modes of an activity. Source: group 16, Entities added. */
export const GROUP_MODES = {
  team: { label: ['满人成团', 'By members'] },
  total: { label: ['满量成团', 'By copies'] },
} as const satisfies Readonly<Record<string, { label: Label }>>;

/** What an activity is at this moment. Source: group 16, status of group_buy. */
export const GROUP_STATUSES = {
  '1': { label: ['未开始', 'Not started'], tone: 'default' },
  '2': { label: ['进行中', 'Running'], tone: 'processing' },
  '3': { label: ['已成团', 'Formed'], tone: 'success' },
  '4': { label: ['已售罄', 'Sold out'], tone: 'warning' },
  '5': { label: ['已结束', 'Ended'], tone: 'default' },
} as const;

/** States of a team. Source: group 16, Entities added. */
export const TEAM_STATES = {
  forming: { label: ['组团中', 'Forming'], tone: 'processing' },
  formed: { label: ['已成团', 'Formed'], tone: 'success' },
  failed: { label: ['已失败', 'Failed'], tone: 'error' },
  disbanded: { label: ['已解散', 'Disbanded'], tone: 'default' },
} as const;

/** States of a seat. Source: group 16, Entities added. */
export const SEAT_STATES = {
  held: { label: ['待支付', 'Unpaid'], tone: 'warning' },
  joined: { label: ['已参团', 'Joined'], tone: 'success' },
  released: { label: ['已释放', 'Released'], tone: 'default' },
  refunded: { label: ['已退款', 'Refunded'], tone: 'default' },
} as const;
