import type { AgingType } from './ageing.rules.ts';
import { MINUTES_BY, type ReportTime } from './figures.server.ts';

const OPEN = `t.status IN ('pending_system', 'to_accept', 'accepted', 'processing', 'paused')`;

/** A figure of the first-round clock of an order, that of the resolution where it has both. */
const byClock = (figure: string) =>
  `(SELECT ${figure} FROM sla_clock k WHERE k.order_id = t.id AND k.round = 1 ORDER BY k.target LIMIT 1)`;

/**
 * SQL: minutes of a measure, null where an order has not come so far; pauses do not count from taking in to the end. Business time is
 * that of the clocks' calendar; an order without a clock is counted on the wall. `at`: until when open orders are counted.
 */
export function agingMinutes(type: AgingType, time: ReportTime = 'clock', at = 'now()'): string {
  const wall = {
    1: MINUTES_BY.clock.response,
    2: '(extract(epoch FROM t.started_at - t.accepted_at) / 60)',
    3: MINUTES_BY.clock.solve,
    4: `(CASE WHEN ${OPEN} THEN extract(epoch FROM ${at} - t.created_at) / 60 - t.paused_minutes END)`,
  };
  if (time === 'clock') return wall[type];
  const business = {
    1: MINUTES_BY.business.response,
    2: `coalesce(${byClock('work_calendar_minutes(k.calendar_id, t.accepted_at, t.started_at)')}, ${wall[2]})`,
    3: MINUTES_BY.business.solve,
    4: `(CASE WHEN ${OPEN} THEN coalesce(${byClock(
      `greatest(0, work_calendar_minutes(k.calendar_id, t.created_at, ${at}) - k.paused_minutes - coalesce(work_calendar_minutes(k.calendar_id, k.paused_since, ${at}), 0))`,
    )}, ${wall[4]}) END)`,
  };
  return business[type];
}

/** Which orders a measure speaks of: those that are open, or all. */
export const AGING_WHERE: Readonly<Record<AgingType, string>> = {
  1: 'true',
  2: 'true',
  3: 'true',
  4: `(${OPEN})`,
};
