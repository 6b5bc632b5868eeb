import type { Metric } from './figures.rules.ts';

/*
 * The one definition of every figure over work orders: a condition on `t` and its first-round clocks `r` (response) and
 * `s` (resolution). Cards, charts, tables and the lists behind them are all made from it.
 */

/** What the conditions read: an order with its first-round clocks and the minutes it was paused. */
export const REPORT_FROM = `work_order t LEFT JOIN sla_clock r ON r.order_id = t.id AND r.target = 'response' AND r.round = 1
    LEFT JOIN sla_clock s ON s.order_id = t.id AND s.target = 'resolution' AND s.round = 1
    LEFT JOIN staff h ON h.id = t.handler_id LEFT JOIN LATERAL (
      SELECT sum(extract(epoch FROM coalesce(e.until, t.finished_at, now()) - e.at)) / 60 AS minutes
        FROM (SELECT x.action, x.at, lead(x.at) OVER (ORDER BY x.id) AS until FROM work_order_event x
               WHERE x.order_id = t.id AND x.action IN ('pause', 'resume')) e WHERE e.action = 'pause') pause ON true`;

/** Types of work orders of the two families. */
export const FAMILY_WHERE = {
  property: `t.type IN ('complaint_repair', 'plan')`,
  operations: `t.type IN ('goods', 'service')`,
} as const;
export type Family = keyof typeof FAMILY_WHERE;

const CANCELLED = `(t.status IN ('cancelled_by_member', 'cancelled_by_staff') AND t.plan_result IS DISTINCT FROM 'absent')`;

/** Minutes from taking in to the first acceptance, as they pass on the wall. */
export const RESPONSE_MINUTES = `(extract(epoch FROM t.accepted_at - t.created_at) / 60)`;
/** Minutes from taking in to finishing without the pauses. */
export const SOLVE_MINUTES = `(extract(epoch FROM t.finished_at - t.created_at) / 60 - coalesce(pause.minutes, 0))`;

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
  responseMet: `(r.state IS NOT DISTINCT FROM 'met')`,
  responseJudged: `(r.state IS NOT NULL AND r.state IN ('met', 'failed'))`,
  solveMet: `(s.state IS NOT DISTINCT FROM 'met')`,
  solveJudged: `(s.state IS NOT NULL AND s.state IN ('met', 'failed'))`,
  overdue: `(coalesce(r.state = 'failed', false) OR coalesce(s.state = 'failed', false))`,
  accepted: `(t.accepted_at IS NOT NULL)`,
  solved: `(t.finished_at IS NOT NULL)`,
  returned: `(t.returned_count > 0)`,
  transferred: `(t.transfer_count > 0)`,
  reopened: `(t.reopen_count > 0)`,
  rated: `(t.score_overall IS NOT NULL)`,
};
