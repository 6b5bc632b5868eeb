import type { Label } from '../../kernel/contract/label.ts';

/** What a measured value is called and counted in. */
export interface MetricSpec {
  readonly label: Label;
  readonly unit: string;
  readonly group:
    'http' | 'process' | 'database' | 'jobs' | 'auth' | 'channel' | 'host' | 'checks' | 'business';
  /** Of the product as a whole, sampled by one instance at a time. */
  readonly product?: true;
  /** Measured apart by this: channel, route; a chart has a line for each. */
  readonly by?: 'channel' | 'route';
  /** How values of several instances become one. */
  readonly sum?: true;
}

/** Every measured value by name. */
export const METRICS = {
  http_rps: { label: ['每秒请求', 'Requests per second'], unit: '1/s', group: 'http', sum: true },
  http_error_rate: { label: ['错误率', 'Error rate'], unit: '%', group: 'http' },
  http_p50: { label: ['响应 p50', 'Answer p50'], unit: 'ms', group: 'http' },
  http_p95: { label: ['响应 p95', 'Answer p95'], unit: 'ms', group: 'http' },
  http_p99: { label: ['响应 p99', 'Answer p99'], unit: 'ms', group: 'http' },
  http_inflight: { label: ['处理中请求', 'Requests in flight'], unit: '', group: 'http', sum: true },
  cpu: { label: ['CPU', 'CPU'], unit: '%', group: 'process' },
  rss: { label: ['内存', 'Resident memory'], unit: 'MB', group: 'process', sum: true },
  heap_used: { label: ['堆已用', 'Heap used'], unit: 'MB', group: 'process', sum: true },
  heap_limit_share: { label: ['堆占上限', 'Heap of its limit'], unit: '%', group: 'process' },
  gc_pause_ms: { label: ['垃圾回收停顿', 'GC pauses'], unit: 'ms', group: 'process' },
  loop_lag_p99: { label: ['事件循环延迟 p99', 'Event loop lag p99'], unit: 'ms', group: 'process' },
  open_handles: { label: ['打开句柄', 'Open handles'], unit: '', group: 'process', sum: true },
  uptime: { label: ['运行时长', 'Uptime'], unit: 's', group: 'process' },
  monitor_cost: { label: ['监控自身CPU', 'CPU of the monitoring itself'], unit: '%', group: 'process' },
  spans_dropped: { label: ['丢弃的跨度', 'Dropped spans'], unit: '', group: 'process', sum: true },
  db_used: { label: ['使用中连接', 'Connections in use'], unit: '', group: 'database', sum: true },
  db_waiting: { label: ['等待连接', 'Waiting for a connection'], unit: '', group: 'database', sum: true },
  db_wait_p95: { label: ['等待连接 p95', 'Wait for a connection p95'], unit: 'ms', group: 'database' },
  db_query_p95: { label: ['语句 p95', 'Statements p95'], unit: 'ms', group: 'database' },
  db_errors: { label: ['语句错误', 'Failed statements'], unit: '', group: 'database', sum: true },
  db_size: { label: ['数据库大小', 'Size of the database'], unit: 'MB', group: 'database', product: true },
  db_connections: { label: ['数据库连接', 'Connections'], unit: '', group: 'database', product: true },
  db_longest_tx: { label: ['最长事务', 'Longest transaction'], unit: 's', group: 'database', product: true },
  db_deadlocks: { label: ['死锁', 'Deadlocks'], unit: '', group: 'database', product: true },
  job_due: { label: ['到期任务', 'Jobs due'], unit: '', group: 'jobs', product: true },
  job_late: { label: ['延迟任务', 'Jobs late'], unit: '', group: 'jobs', product: true },
  job_failed: { label: ['失败任务', 'Jobs failed'], unit: '', group: 'jobs', product: true },
  job_oldest_s: { label: ['最久到期任务', 'Oldest job due'], unit: 's', group: 'jobs', product: true },
  export_running: { label: ['导出中', 'Exports running'], unit: '', group: 'jobs', product: true },
  export_waiting: { label: ['排队导出', 'Exports waiting'], unit: '', group: 'jobs', product: true },
  outbox_backlog: { label: ['外发积压', 'Outbox backlog'], unit: '', group: 'jobs', product: true },
  outbox_oldest_s: { label: ['最久外发', 'Oldest effect'], unit: 's', group: 'jobs', product: true },
  login_failed: { label: ['登录失败', 'Failed sign-ins'], unit: '/min', group: 'auth', sum: true },
  refused_403: { label: ['无权限拒绝', 'Refused with 403'], unit: '/min', group: 'auth', sum: true },
  limited_429: { label: ['限流拒绝', 'Refused with 429'], unit: '/min', group: 'auth', sum: true },
  sessions_live: { label: ['在线员工', 'Staff online'], unit: '', group: 'auth', product: true },
  channel_success: {
    label: ['渠道成功率', 'Channel success'],
    unit: '%',
    group: 'channel',
    product: true,
    by: 'channel',
  },
  channel_calls: {
    label: ['渠道调用', 'Channel calls'],
    unit: '',
    group: 'channel',
    product: true,
    by: 'channel',
  },
  channel_p95: {
    label: ['渠道响应 p95', 'Channel answer p95'],
    unit: 'ms',
    group: 'channel',
    product: true,
    by: 'channel',
  },
  gateway_error_rate: {
    label: ['网关路由错误率', 'Gateway error rate'],
    unit: '%',
    group: 'channel',
    product: true,
    by: 'route',
  },
  gateway_upstream_down: {
    label: ['网关上游异常', 'Gateway upstreams down'],
    unit: '',
    group: 'channel',
    product: true,
  },
  disk_free_share: { label: ['磁盘可用率', 'Disk free, share'], unit: '%', group: 'host' },
  disk_free: { label: ['磁盘剩余', 'Disk free'], unit: 'GB', group: 'host' },
  tmp_size: { label: ['临时文件', 'Temporary files'], unit: 'MB', group: 'host' },
  clock_skew_ms: { label: ['时钟偏差', 'Clock skew'], unit: 'ms', group: 'host' },
  ledger_mismatch: { label: ['账目不平', 'Ledger mismatches'], unit: '', group: 'checks', product: true },
  audit_chain_broken: {
    label: ['审计链断点', 'Breaks of the audit chain'],
    unit: '',
    group: 'checks',
    product: true,
  },
  backup_age_h: { label: ['备份年龄', 'Age of the backup'], unit: 'h', group: 'checks', product: true },
  business_orders_paid: {
    label: ['支付订单（10分钟）', 'Orders paid (10 min)'],
    unit: '',
    group: 'business',
    product: true,
  },
  business_wo_new: {
    label: ['新工单（10分钟）', 'New work orders (10 min)'],
    unit: '',
    group: 'business',
    product: true,
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;

/** Name of a measured value. */
export type MetricName = keyof typeof METRICS;

/** A measured value's declaration by any name; undefined for what is not measured. */
export function metricSpec(name: string): MetricSpec | undefined {
  return Object.hasOwn(METRICS, name) ? METRICS[name as MetricName] : undefined;
}

/** What rules can look at: measured values, and whether an instance is down. */
export const RULE_METRICS: Readonly<Record<string, { readonly label: Label }>> = {
  instance_down: { label: ['实例失联', 'Instance down'] },
  ...METRICS,
};
