import type { AgingType } from './ageing.rules.ts';
import { RESPONSE_MINUTES, SOLVE_MINUTES } from './figures.server.ts';

const OPEN = `t.status IN ('pending_system', 'to_accept', 'accepted', 'processing', 'paused')`;

/** Minutes of each measure, null where an order has not come so far; pauses do not count from acceptance to the end. */
export const AGING_MINUTES: Readonly<Record<AgingType, string>> = {
  1: RESPONSE_MINUTES,
  2: `(extract(epoch FROM t.started_at - t.accepted_at) / 60)`,
  3: SOLVE_MINUTES,
  4: `(CASE WHEN ${OPEN} THEN extract(epoch FROM now() - t.created_at) / 60 - t.paused_minutes END)`,
};

/** Which orders a measure speaks of: those that are open, or all. */
export const AGING_WHERE: Readonly<Record<AgingType, string>> = {
  1: 'true',
  2: 'true',
  3: 'true',
  4: `(${OPEN})`,
};
