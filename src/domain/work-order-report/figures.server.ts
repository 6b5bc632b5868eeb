import { METRICS, type Metric } from './figures.rules.ts';

/*
 * The one definition of every figure over work orders: a condition on a row `t` of the view work_order_report, which holds an
 * order with its first-round clocks and the minutes it was paused. Cards, charts, tables and the lists behind them are all made
 * from it.
 */

/** What the conditions read. Orders stand in it as they are now, as they were, and as they were frozen: see as-of.server.ts. */
export const REPORT_FROM = `work_order_report t LEFT JOIN staff h ON h.id = t.handler_id`;

/** Orders as they are now. */
export const NOW = `(t.seen = 'now')`;

/** Types of work orders of the two families. */
export const FAMILY_WHERE = {
  property: `t.type IN ('complaint_repair', 'plan')`,
  operations: `t.type IN ('goods', 'service')`,
} as const;
export type Family = keyof typeof FAMILY_WHERE;

const CANCELLED = `(t.status IN ('cancelled_by_member', 'cancelled_by_staff') AND t.plan_result IS DISTINCT FROM 'absent')`;

/** Minutes from taking in to the first acceptance, as they pass on the wall. */
export const RESPONSE_MINUTES = `(date_part('epoch', t.accepted_at - t.created_at) / 60)`;
/** Minutes from taking in to finishing without the pauses. */
export const SOLVE_MINUTES = `(date_part('epoch', t.finished_at - t.created_at) / 60 - t.paused_minutes)`;

/** Minutes the first-round clock of an order has used in its calendar, else as they pass on the wall. */
const used = (target: 'response' | 'resolution', wall: string, reached: string) =>
  `(CASE WHEN ${reached} IS NOT NULL THEN coalesce((SELECT u.used_minutes FROM sla_clock u WHERE u.order_id = t.id AND u.target = '${target}' AND u.round = 1 AND u.stopped_at IS NOT NULL)::double precision, ${wall}) END)`;

/** Minutes to acceptance and to the end, by the time they are counted in. Source: group 11, Shared rules (time). */
export const MINUTES_BY = {
  clock: { response: RESPONSE_MINUTES, solve: SOLVE_MINUTES },
  business: {
    response: used('response', RESPONSE_MINUTES, 't.accepted_at'),
    solve: used('resolution', SOLVE_MINUTES, 't.finished_at'),
  },
} as const;
export type ReportTime = keyof typeof MINUTES_BY;

/** Condition of each figure that counts orders. */
export const METRIC_WHERE: Readonly<Record<Metric, string>> = {
  total: 'true',
  repair: `(t.type = 'complaint_repair' AND t.class = 'repair')`,
  complaint: `(t.type = 'complaint_repair' AND t.class = 'complaint')`,
  plan: `(t.type = 'plan')`,
  goods: `(t.type = 'goods')`,
  service: `(t.type = 'service')`,
  waiting: `(t.status IN ('pending_system', 'to_accept'))`,
  doing: `(t.status IN ('accepted', 'processing', 'paused'))`,
  finished: `(t.status = 'finished')`,
  cancelled: CANCELLED,
  absent: `(t.type = 'plan' AND t.plan_result IS NOT DISTINCT FROM 'absent')`,
  due: `(NOT ${CANCELLED})`,
  responseMet: `(t.response_state IS NOT DISTINCT FROM 'met')`,
  responseJudged: `(t.response_state IS NOT NULL AND t.response_state IN ('met', 'failed'))`,
  solveMet: `(t.solve_state IS NOT DISTINCT FROM 'met')`,
  solveJudged: `(t.solve_state IS NOT NULL AND t.solve_state IN ('met', 'failed'))`,
  overdue: `(coalesce(t.response_state = 'failed', false) OR coalesce(t.solve_state = 'failed', false))`,
  accepted: `(t.accepted_at IS NOT NULL)`,
  solved: `(t.finished_at IS NOT NULL)`,
  returned: `(t.returned_count > 0)`,
  transferred: `(t.transfer_count > 0)`,
  reopened: `(t.reopen_count > 0)`,
  rated: `(t.score_overall IS NOT NULL)`,
};

/**
 * The figures an order counts for, as bits of its column `marks`: the database works them out from {@link METRIC_WHERE} when it is
 * written. A figure that is new or counted otherwise needs a migration of the column; a test compares the two.
 */
export const MARKED = (Object.keys(METRICS) as Metric[]).filter((key) => key !== 'total');
