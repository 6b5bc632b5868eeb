import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { instancePlace } from '../approval-centre/centre-rows.server.ts';
import { workMinutesBetween } from '../../../domain/business-calendar/business-hours.rules.ts';
import { dayTypesOf } from '../../../domain/business-calendar/day-type.server.ts';
import { allNodes, asks, type ProcessNode } from '../../../domain/approval/process.rules.ts';
import { middleOf, shareOf } from './figures.rules.ts';

/** Days the figures look back. */
const DAYS = 90;
/** Decisions looked at most, the newest first. */
const MOST = 20_000;
const BUSIEST = 5;

interface Decision {
  readonly node: string;
  readonly staff: number;
  readonly name: string;
  readonly state: string;
  readonly arrivedAt: Date;
  readonly decidedAt: Date;
}

/** Figures of one node of a process. Times are business hours. */
export interface NodeFigures {
  readonly node: string;
  readonly name: string;
  /** It is no part of the version shown. */
  readonly former: boolean;
  readonly decided: number;
  readonly open: number;
  readonly medianHours: string | null;
  readonly p90Hours: string | null;
  readonly refusalRate: string | null;
  readonly busiest: readonly { readonly name: string; readonly count: number }[];
}

/**
 * How the versions of a process were handled in the last 90 days: approvals by result, and each node's figures. A process of
 * the platform is used by many companies: somebody is told of those approvals only that lie in the own data scope.
 */
export async function statisticsOf(db: Executor, caller: Caller, id: number) {
  const versions = await run<{ id: number; nodes: readonly ProcessNode[] }>(
    db,
    'SELECT id, nodes FROM approval_process WHERE family_id = (SELECT family_id FROM approval_process WHERE id = $1) ORDER BY process_version',
    [id],
  );
  const ids = versions.map((one) => one.id);
  const parameters = new Parameters();
  parameters.bind(ids);
  parameters.bind(DAYS);
  const mine = scopeCondition(caller, 'approvalProcess', instancePlace(caller), parameters);
  const results = await run<{ state: string; count: number }>(
    db,
    `SELECT t.state, count(*)::int AS count FROM approval_instance t
      WHERE t.process_id = ANY($1::bigint[]) AND (t.state = 'running' OR t.ended_at > now() - make_interval(days => $2)) AND ${mine} GROUP BY t.state`,
    parameters.values,
  );
  const decisions = await run<Decision>(
    db,
    `SELECT k.node, s.id AS staff, s.name, k.state, k.arrived_at AS "arrivedAt", k.decided_at AS "decidedAt"
       FROM approval_task k JOIN approval_instance t ON t.id = k.instance_id JOIN staff s ON s.id = k.decided_by
      WHERE t.process_id = ANY($1::bigint[]) AND ${mine} AND k.kind IN ('approve', 'handle') AND k.state IN ('approved', 'refused', 'returned')
        AND k.decided_at > now() - make_interval(days => $2) ORDER BY k.decided_at DESC LIMIT ${MOST}`,
    parameters.values,
  );
  const waits = new Parameters();
  const among = waits.bind(ids);
  const open = await run<{ node: string; count: number }>(
    db,
    `SELECT k.node, count(*)::int AS count FROM approval_task k JOIN approval_instance t ON t.id = k.instance_id
      WHERE t.process_id = ANY(${among}::bigint[]) AND k.kind <> 'copy' AND k.state = 'pending'
        AND ${scopeCondition(caller, 'approvalProcess', instancePlace(caller), waits)} GROUP BY k.node`,
    waits.values,
  );
  const works = await workdaysOf(db, decisions);
  const shown = versions.find((one) => one.id === id)!;
  const current = allNodes(shown.nodes).filter(asks);
  const names = new Map(
    [...versions, shown].flatMap((one) =>
      allNodes(one.nodes)
        .filter(asks)
        .map((node) => [node.key, node.name] as const),
    ),
  );
  const former = [...names.keys()].filter(
    (key) =>
      !current.some((node) => node.key === key) && [...decisions, ...open].some((one) => one.node === key),
  );
  return {
    days: DAYS,
    results: Object.fromEntries(results.map((one) => [one.state, one.count])),
    nodes: [...current.map((node) => node.key), ...former].map((key): NodeFigures => {
      const own = decisions.filter((one) => one.node === key);
      const minutes = own.map((one) => workMinutesBetween(one.arrivedAt, one.decidedAt, works));
      const refused = own.filter((one) => one.state !== 'approved').length;
      return {
        node: key,
        name: names.get(key)!,
        former: former.includes(key),
        decided: own.length,
        open: open.find((one) => one.node === key)?.count ?? 0,
        medianHours: hours(middleOf(minutes, 50)),
        p90Hours: hours(middleOf(minutes, 90)),
        refusalRate: shareOf(refused, own.length),
        busiest: busiestOf(own),
      };
    }),
  };
}

const hours = (minutes: number | undefined) => (minutes === undefined ? null : (minutes / 60).toFixed(1));

function busiestOf(decisions: readonly Decision[]): NodeFigures['busiest'] {
  const counts = new Map<number, { readonly name: string; count: number }>();
  for (const { staff, name } of decisions) {
    const own = counts.get(staff) ?? { name, count: 0 };
    own.count += 1;
    counts.set(staff, own);
  }
  return [...counts.entries()]
    .sort(([a, one], [b, other]) => other.count - one.count || a - b)
    .slice(0, BUSIEST)
    .map(([, one]) => one);
}

/** Which days of some spans are worked on. */
export async function workdaysOf(
  db: Executor,
  decisions: readonly Pick<Decision, 'arrivedAt' | 'decidedAt'>[],
): Promise<(day: string) => boolean> {
  if (decisions.length === 0) return () => true;
  const from = Math.min(...decisions.map((one) => one.arrivedAt.getTime()));
  const to = Math.max(...decisions.map((one) => one.decidedAt.getTime()));
  const count = Math.ceil((to - from) / 86_400_000) + 1;
  const days = Array.from({ length: count + 1 }, (_, n) => businessDayOf(new Date(from + n * 86_400_000)));
  const types = await dayTypesOf(db, days);
  return (day) => types.get(day) === 'workday';
}
