/** What tasks of butlers count. */
export const TASK_METRICS = {
  shares: { label: ['分享次数', 'Shares'], tone: 'default' },
  visits: { label: ['访问人次', 'Visits'], tone: 'default' },
  orders: { label: ['订单数', 'Orders'], tone: 'default' },
  valid: { label: ['有效金额', 'Valid amount'], tone: 'processing' },
  visited_houses: { label: ['走访户数', 'Houses visited'], tone: 'default' },
  fee_collected: { label: ['收缴金额', 'Fees collected'], tone: 'warning' },
} as const;
export type TaskMetric = keyof typeof TASK_METRICS;

/** Metrics whose target is money. */
export const MONEY_METRICS: readonly string[] = ['valid', 'fee_collected'];
