/** Prepaid accounts of a house. Source: group 06, Rules of charging 13. */
export const PREPAID = {
  general: { label: ['通用', 'General'] },
  property_fee: { label: ['物业费', 'Property fee'] },
  utilities: { label: ['水电', 'Utilities'] },
} as const;

/** How money comes to the counter. */
export const CHANNELS = {
  cash: ['现金', 'Cash'],
  pos: ['刷卡', 'Card'],
  transfer: ['银行转账', 'Bank transfer'],
  prepaid: ['预存', 'Prepaid'],
} as const;

/** How a payer pays a code. */
export const ONLINE_CHANNELS = {
  wechat: ['微信', 'WeChat'],
  alipay: ['支付宝', 'Alipay'],
} as const;

/** All ways money comes. */
export const ALL_CHANNELS = { ...CHANNELS, ...ONLINE_CHANNELS } as const;

/** Why a house gets no bill of an item in a run. Source: group 06, Billing runs. */
export const SKIPPED = {
  billed: ['已出账', 'Already billed'],
  price: ['没有生效的单价', 'No price in force'],
  innerArea: ['没有套内面积', 'No inner area'],
  assignment: ['不在收费期内', 'Not charged in this period'],
  formula: ['公式无法计算', 'The formula cannot be worked out'],
  zero: ['金额为0', 'The amount is 0'],
  reading: ['没有未出账的读数', 'No reading to charge'],
  imported: ['金额由导入产生', 'Its amounts are imported'],
} as const;
