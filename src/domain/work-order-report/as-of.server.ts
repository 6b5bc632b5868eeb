import { runOne, type Executor } from '../../kernel/server/database.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import type { Parameters } from '../../kernel/server/people/scope.ts';
import { FAMILY_WHERE, type Family } from './figures.server.ts';

/** Hours the versions of orders are kept that a page works on. Older pages are asked to refresh. */
export const KEPT_HOURS = 24;
const HOUR = 3_600_000;
/** Days of orders by which a period is cut. */
export type Basis = 'created' | 'finished';

/** What the reader of a page sees: orders as they stood at one instant, frozen months by their snapshots or not. */
export interface Seen {
  /** Milliseconds and the database's snapshot: whatever commits later is not seen. */
  readonly token: string;
  /** By which day the frozen months are cut; absent: everything as it stands. */
  readonly frozen?: Basis | undefined;
}

/** The present instant, to be read again and again. */
export async function presentInstant(db: Executor): Promise<string> {
  const row = await runOne<{ token: string }>(
    db,
    `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint || '.' || pg_current_snapshot() AS token`,
  );
  return row!.token;
}

/** How it is carried in an address: `<milliseconds>.100:105:101` or with `.created` behind it. */
export const seenText = ({ token, frozen }: Seen): string => (frozen ? `${token}.${frozen}` : token);

/** Reads what {@link seenText} wrote. Throws 422 where it is none, or so old that what has changed since is not kept. */
export function readSeen(value: string): Seen {
  const match =
    /^(\d{13})\.(\d{1,18}):(\d{1,18}):((?:\d{1,18}(?:,\d{1,18}){0,999})?)(?:\.(created|finished))?$/.exec(
      value,
    );
  if (!match) throw invalid({ asOf: ['没有此时点', 'There is no such instant'] });
  const [, at, first, end, running, frozen] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
    Basis?,
  ];
  const numbers = [BigInt(first), ...(running === '' ? [] : running.split(',').map(BigInt))];
  const rising = numbers.every(
    (one, index) => one >= (numbers[index - 1] ?? 1n) && (index < 2 || one > numbers[index - 1]!),
  );
  if (!rising || numbers.at(-1)! > BigInt(end) || (running !== '' && numbers.at(-1)! >= BigInt(end)))
    throw invalid({ asOf: ['没有此时点', 'There is no such instant'] });
  if (Date.now() - Number(at) > (KEPT_HOURS - 1) * HOUR || Number(at) > Date.now() + HOUR)
    throw invalid({
      asOf: ['该页数据已过期，请刷新统计', 'These figures are out of date; please refresh the report'],
    });
  return { token: `${at}.${first}:${end}:${running}`, frozen };
}

/** SQL: the month of an instant in the business's calendar. */
export const monthSql = (column: string): string =>
  `date_trunc('month', ${column} AT TIME ZONE 'Asia/Shanghai')::date`;

const columnOf = (basis: Basis) => (basis === 'finished' ? 't.finished_at' : 't.created_at');

/** SQL: a month of a project is frozen. */
const isFrozen = (family: Family, basis: Basis) =>
  `EXISTS (SELECT FROM report_snapshot x WHERE x.family = '${family}' AND x.project_id = t.project_id AND x.month = ${monthSql(columnOf(basis))})`;

/** Condition on rows `t` of work_order_report: exactly one version of each order, as the page sees it. */
export function seenCondition({ token, frozen }: Seen, family: Family, parameters: Parameters): string {
  const at = asOf(token, parameters);
  if (!frozen) return at;
  return `((t.seen = 'frozen' AND t.month = ${monthSql(columnOf(frozen))}) OR (${at} AND NOT ${isFrozen(family, frozen)}))`;
}

/** {@link seenCondition} over the orders of both families. */
export function seenOfAll(seen: Seen, parameters: Parameters): string {
  const families = Object.keys(FAMILY_WHERE) as Family[];
  if (!seen.frozen) return seenCondition(seen, families[0]!, parameters);
  return `(${families.map((family) => `(${FAMILY_WHERE[family]} AND ${seenCondition(seen, family, parameters)})`).join(' OR ')})`;
}

/** Condition on rows `t`: orders of frozen months only, as they were frozen or as they stand at the instant. */
export function frozenCondition(
  seen: Required<Seen>,
  family: Family,
  side: 'frozen' | 'current',
  parameters: Parameters,
): string {
  if (side === 'frozen') return `(t.seen = 'frozen' AND t.month = ${monthSql(columnOf(seen.frozen))})`;
  return `(${asOf(seen.token, parameters)} AND ${isFrozen(family, seen.frozen)})`;
}

/**
 * The version of each order that a snapshot of the database saw: the first one that ended behind it, else the present one. An order
 * that came into being behind it was not there.
 */
function asOf(token: string, parameters: Parameters): string {
  const [at, snapshot] = [token.slice(0, 13), token.slice(14)];
  // A transaction may run for a while between its change and its end.
  const since = parameters.bind(new Date(Number(at) - HOUR));
  const later = `p.seen = 'past' AND p.ended_at >= ${since} AND NOT pg_visible_in_snapshot(p.ended_by, ${parameters.bind(snapshot)}::text::pg_snapshot)`;
  return `((t.seen = 'now' AND t.id NOT IN (SELECT p.id FROM work_order_seen p WHERE ${later})) OR (t.seen = 'past' AND NOT t.born AND t.row_id IN (SELECT min(p.row_id) FROM work_order_seen p WHERE ${later} GROUP BY p.id)))`;
}
