/** Whose result a line is. */
export const WAYS = {
  '1': { label: ['分享成交', 'Shared'], tone: 'processing' },
  '2': { label: ['服务业绩', 'Served'], tone: 'default' },
} as const;

/** States of incentives. */
export const INCENTIVE_STATES = {
  frozen: { label: ['冻结中', 'Frozen'], tone: 'warning' },
  payable: { label: ['待发放', 'Payable'], tone: 'processing' },
  paid: { label: ['已发放', 'Paid'], tone: 'success' },
  clawed_back: { label: ['已追回', 'Clawed back'], tone: 'error' },
  cancelled: { label: ['已取消', 'Cancelled'], tone: 'default' },
} as const;

/** Which rule decided what a line earns. */
export const RULES = {
  goods_fixed: { label: ['商品每件定额', 'Goods, per piece'], tone: 'processing' },
  goods_rate: { label: ['商品比例', 'Goods, rate'], tone: 'processing' },
  class: { label: ['方案·分类', 'Plan, class'], tone: 'default' },
  business: { label: ['方案·业务', 'Plan, business'], tone: 'default' },
  default: { label: ['方案·默认', 'Plan, default'], tone: 'default' },
  none: { label: ['不计激励', 'None'], tone: 'default' },
} as const;

/** How a link went out. */
export const SHARE_CHANNELS = {
  link: { label: ['链接', 'Link'], tone: 'default' },
  poster: { label: ['海报', 'Poster'], tone: 'processing' },
  qr: { label: ['二维码', 'QR code'], tone: 'default' },
} as const;
