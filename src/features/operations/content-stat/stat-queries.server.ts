import { MEMBER_PLACE } from '../../../domain/points-ledger/points-members.server.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { STAT_MENU } from './content-stat.contract.ts';

/** Rows (`t`) that lie in one project: looks, sign-ins, events. */
export const PLACED = { tenant: 'NULL::bigint', project: 't.project_id', owner: 'NULL::bigint' } as const;

/** Ids of a filter by projects. */
export const projectIds = (value: string | undefined): number[] | null =>
  value ? value.split(',').map(Number) : null;

/** SQL: business day of an instant. */
export const DAY = (at: string) => `(${at} AT TIME ZONE 'Asia/Shanghai')::date`;

/** Members active and signed in, by day. */
export interface ActiveDay {
  readonly day: string;
  readonly active: number;
  readonly signed: number;
}

/** SQL of who was active on which day: any event but adverts shown, or a sign-in. */
function activity(
  caller: Caller,
  from: string,
  to: string,
  projects: number[] | null,
  values: Parameters,
): string {
  const range = (at: string) =>
    `${at} >= ${values.bind(startOfBusinessDay(from))} AND ${at} < ${values.bind(endOfBusinessDay(to))}`;
  const scope = scopeCondition(caller, STAT_MENU, PLACED, values);
  const inside = `(${values.bind(projects)}::bigint[] IS NULL OR t.project_id = ANY(${values.bind(projects)}::bigint[]))`;
  return `SELECT ${DAY('t.occurred_at')} AS day, t.member_id, false AS signed FROM member_event t
           WHERE t.accepted AND t.type <> 'ad.show' AND ${range('t.occurred_at')} AND ${scope} AND ${inside}
          UNION ALL
          SELECT t.day, t.member_id, NOT t.made_up FROM sign_in t
           WHERE t.day BETWEEN ${values.bind(from)}::date AND ${values.bind(to)}::date AND ${scope} AND ${inside}`;
}

/** Active and signed-in members of each day of a period inside the caller's scope, official accounts left out. */
export async function activeDays(
  db: Executor,
  caller: Caller,
  from: string,
  to: string,
  projects: number[] | null,
): Promise<ActiveDay[]> {
  const values = new Parameters();
  return run<ActiveDay>(
    db,
    `SELECT a.day::text AS day, count(DISTINCT a.member_id)::int AS active, count(DISTINCT a.member_id) FILTER (WHERE a.signed)::int AS signed
       FROM (${activity(caller, from, to, projects, values)}) a JOIN member m ON m.id = a.member_id AND NOT m.official GROUP BY a.day`,
    values.values,
  );
}

/** Active and signed-in members of a whole period, each once. */
export async function activeInAll(
  db: Executor,
  caller: Caller,
  from: string,
  to: string,
  projects: number[] | null,
): Promise<{ active: number; signed: number }> {
  const values = new Parameters();
  return (await runOne<{ active: number; signed: number }>(
    db,
    `SELECT count(DISTINCT a.member_id)::int AS active, count(DISTINCT a.member_id) FILTER (WHERE a.signed)::int AS signed
       FROM (${activity(caller, from, to, projects, values)}) a JOIN member m ON m.id = a.member_id AND NOT m.official`,
    values.values,
  ))!;
}

/** Condition on member `t` for the caller's scope and the chosen projects. */
export function memberCondition(caller: Caller, projects: number[] | null, values: Parameters): string {
  const scope = scopeCondition(caller, STAT_MENU, MEMBER_PLACE, values);
  if (projects === null) return scope;
  const ids = values.bind(projects);
  return `${scope} AND (t.project_id = ANY(${ids}::bigint[]) OR EXISTS (SELECT FROM household hh JOIN house ho ON ho.id = hh.house_id
    WHERE hh.member_id = t.id AND hh.status IN ('normal', 'reviewing') AND ho.project_id = ANY(${ids}::bigint[])))`;
}

/** Percent of signed among active days of members; null without any. */
export const signRate = (days: readonly ActiveDay[]): number | null => {
  const active = days.reduce((sum, day) => sum + day.active, 0);
  return active === 0 ? null : (100 * days.reduce((sum, day) => sum + day.signed, 0)) / active;
};
