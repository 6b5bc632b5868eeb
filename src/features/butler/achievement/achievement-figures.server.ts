import { maskValue } from '../../../kernel/contract/mask.rules.ts';
import { conversionRate } from '../../../domain/butler/butler.rules.ts';
import { projectIdsInReach } from '../../../domain/permission/project-reach.server.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { butlerAchievement } from './achievement.contract.ts';

/** What is asked for; days are business days, both included. */
export interface ResultQuestion {
  readonly from: string;
  readonly to: string;
  readonly timeKind: 'paid' | 'completed';
  readonly groupBy: 'butler' | 'project' | 'centre' | 'month';
  readonly centres: readonly number[];
  readonly units: readonly number[];
  readonly projects: readonly number[];
  readonly butlers: readonly number[];
  readonly businesses: readonly number[];
  readonly way: number | undefined;
  readonly keyword: string;
}

/** Figures of a row or of all; amounts in fen. */
export interface ResultFigures {
  readonly shareCount: number;
  readonly visitCount: number;
  readonly visitorCount: number;
  readonly orderCount: number;
  readonly orderAmount: number;
  readonly refundAmount: number;
  readonly validAmount: number;
  readonly shareOrderAmount: number;
  readonly servedOrderAmount: number;
  readonly incentiveAmount: number;
  readonly frozenAmount: number;
  readonly payableAmount: number;
  readonly paidAmount: number;
  readonly clawbackAmount: number;
  /** One decimal percent; null without visitors. */
  readonly conversionRate: number | null;
}

/** A row: a butler, or a project, city or month. */
export interface ResultRow extends ResultFigures {
  readonly key: string;
  readonly name: string;
  readonly staffNo: string | null;
  readonly phone: string | null;
  readonly projectNames: string;
  readonly houseCount: number;
  readonly rank: number;
}

/** Where a line stands, for every query over results. */
const LINE_SCOPE = {
  tenant: 'NULL::bigint',
  project: 'p.project_id',
  owner: '(SELECT sk.staff_id FROM housekeeper sk WHERE sk.id = p.housekeeper_id)',
} as const;

/** True for who sees own rows only: such a butler asks for nobody else. */
export const seesOwnOnly = (caller: Caller): boolean => {
  const scopes = caller.menus.get(butlerAchievement.menu) ?? [];
  return scopes.length > 0 && scopes.every((scope) => scope.kind === 'self');
};

/** The question as the caller may ask it: a butler of own rows only for the own ones. */
export async function ownQuestion(
  db: Executor,
  caller: Caller,
  question: ResultQuestion,
): Promise<ResultQuestion> {
  if (!seesOwnOnly(caller)) return question;
  const own = await runOne<{ id: number }>(db, 'SELECT id FROM housekeeper WHERE staff_id = $1', [
    caller.staffId,
  ]);
  return { ...question, butlers: [own?.id ?? 0] };
}

/** Butlers whose name or number has a keyword in it; `$n` is its pattern. */
const NAMED = (pattern: string) =>
  `SELECT nk.id FROM housekeeper nk JOIN staff ns ON ns.id = nk.staff_id WHERE lower(ns.name || ' ' || coalesce(ns.staff_no, '')) LIKE ${pattern}`;

/** Their ids. */
export async function butlersNamed(db: Executor, keyword: string): Promise<readonly number[]> {
  const rows = await run<{ id: number }>(db, `${NAMED('$1')} ORDER BY nk.id`, [
    containing(keyword.toLowerCase()),
  ]);
  return rows.map((row) => row.id);
}

interface Places {
  readonly project: (column: string) => string;
}

/** Conditions on a project's column that filters and reach ask for. */
function placesOf(caller: Caller, question: ResultQuestion, parameters: Parameters): Places {
  const projects = question.projects.length > 0 ? projectIdsInReach(caller, question.projects) : undefined;
  const parts: ((column: string) => string)[] = [];
  if (projects) {
    const ids = parameters.bind(projects);
    parts.push((column) => `${column} = ANY(${ids}::bigint[])`);
  }
  for (const [column, ids] of [
    ['centre_id', question.centres],
    ['unit_id', question.units],
  ] as const)
    if (ids.length > 0) {
      const bound = parameters.bind(ids);
      parts.push(
        (project) => `${project} IN (SELECT id FROM project WHERE ${column} = ANY(${bound}::bigint[]))`,
      );
    }
  return {
    project: (column) => parts.map((part) => part(column)).join(' AND ') || 'TRUE',
  };
}

interface Parts {
  readonly lines: string;
  readonly shares: string;
  readonly visits: string;
  readonly butlers: string;
}

const KEYS = {
  butler: (row: string) => `${row}.housekeeper_id::text`,
  project: (row: string) => `${row}.project_id::text`,
  centre: (row: string) => `(SELECT x.centre_id FROM project x WHERE x.id = ${row}.project_id)::text`,
  month: (row: string, at: string) => `to_char(${row}.${at} AT TIME ZONE 'Asia/Shanghai', 'YYYY-MM')`,
} as const;

function partsOf(caller: Caller, question: ResultQuestion, parameters: Parameters): Parts {
  const from = parameters.bind(startOfBusinessDay(question.from));
  const to = parameters.bind(endOfBusinessDay(question.to));
  const places = placesOf(caller, question, parameters);
  const inside = (column: string) => `${column} >= ${from}::timestamptz AND ${column} < ${to}::timestamptz`;
  const scope = (project: string, butler: string) =>
    scopeCondition(
      caller,
      butlerAchievement.menu,
      {
        tenant: 'NULL::bigint',
        project,
        owner: `(SELECT sk.staff_id FROM housekeeper sk WHERE sk.id = ${butler})`,
      },
      parameters,
    );
  const who: string[] = [];
  if (question.butlers.length > 0) who.push(`= ANY(${parameters.bind(question.butlers)}::bigint[])`);
  if (question.keyword)
    who.push(`IN (${NAMED(parameters.bind(containing(question.keyword.toLowerCase())))})`);
  const butler = (column: string) => who.map((one) => `${column} ${one}`).join(' AND ') || 'TRUE';
  const business = question.businesses.length > 0 ? parameters.bind(question.businesses) : undefined;
  const key = KEYS[question.groupBy];
  const at = question.timeKind === 'paid' ? 'p.paid_at' : 'o.completed_at';
  const lineKey =
    question.groupBy === 'month' && question.timeKind === 'completed'
      ? KEYS.month('o', 'completed_at')
      : key('p', 'paid_at');
  const lines = `SELECT p.*, o.completed_at, ${lineKey} AS key FROM butler_performance p JOIN sales_order o ON o.id = p.order_id
    WHERE p.housekeeper_id IS NOT NULL AND ${inside(at)}${question.timeKind === 'completed' ? ` AND o.state = 'completed'` : ''}
      AND ${scope('p.project_id', 'p.housekeeper_id')} AND ${places.project('p.project_id')} AND ${butler('p.housekeeper_id')}
      ${business ? `AND p.business_id = ANY(${business}::bigint[])` : ''} ${question.way ? `AND p.way = ${parameters.bind(question.way)}` : ''}`;
  const sold = business
    ? `AND (s.product_id IS NULL OR s.product_id IN (SELECT id FROM product WHERE business_id = ANY(${business}::bigint[])))`
    : '';
  const seen = `${scope('s.project_id', 's.housekeeper_id')} AND ${places.project('s.project_id')} AND ${butler('s.housekeeper_id')} ${sold}`;
  return {
    lines,
    shares: `SELECT s.*, ${key('s', 'shared_at')} AS key FROM butler_share s WHERE ${inside('s.shared_at')} AND ${seen}`,
    visits: `SELECT v.visitor_key, ${question.groupBy === 'month' ? KEYS.month('v', 'at') : key('s', '')} AS key
       FROM butler_share_visit v JOIN butler_share s ON s.id = v.share_id WHERE v.counted AND ${inside('v.at')} AND ${seen}`,
    butlers: `SELECT k.id::text AS key FROM housekeeper k WHERE k.left_at IS NULL AND ${butler('k.id')}
       AND EXISTS (SELECT FROM housekeeper_building a WHERE a.housekeeper_id = k.id AND (a.valid_to IS NULL OR a.valid_to >= ${parameters.bind(question.from)}::date)
             AND ${scope('a.project_id', 'k.id')} AND ${places.project('a.project_id')})`,
  };
}

const SUMS = `count(DISTINCT p.order_id)::int AS "orderCount", coalesce(sum(p.cash), 0)::bigint AS "orderAmount", coalesce(sum(p.refunded), 0)::bigint AS "refundAmount",
  coalesce(sum(p.valid), 0)::bigint AS "validAmount", coalesce(sum(p.valid) FILTER (WHERE p.way = 1), 0)::bigint AS "shareOrderAmount",
  coalesce(sum(p.valid) FILTER (WHERE p.way = 2), 0)::bigint AS "servedOrderAmount", count(DISTINCT p.member_id) FILTER (WHERE p.way = 1)::int AS buyers,
  coalesce(sum(i.frozen), 0)::bigint AS "frozenAmount", coalesce(sum(i.payable), 0)::bigint AS "payableAmount", coalesce(sum(i.paid), 0)::bigint AS "paidAmount",
  coalesce(sum(i.clawed), 0)::bigint AS "clawbackAmount"`;
const EARNED = `LEFT JOIN LATERAL (SELECT sum(e.amount) FILTER (WHERE e.state = 'frozen') AS frozen, sum(e.amount) FILTER (WHERE e.state = 'payable') AS payable,
    sum(e.amount) FILTER (WHERE e.state IN ('paid', 'clawed_back')) AS paid, -sum(e.amount) FILTER (WHERE e.kind = 'clawback' AND e.state <> 'cancelled') AS clawed
    FROM incentive e WHERE e.performance_id = p.id) i ON true`;

type Summed = Omit<ResultFigures, 'incentiveAmount' | 'conversionRate'> & { readonly buyers: number };

const whole = <T extends Summed>({ buyers, ...row }: T): Omit<T, 'buyers'> & ResultFigures => ({
  ...row,
  incentiveAmount: row.frozenAmount + row.payableAmount + row.paidAmount,
  conversionRate: conversionRate(buyers, row.visitorCount),
});

/** All rows of a question by rank: who has most first. */
export async function resultRows(
  db: Executor,
  caller: Caller,
  asked: ResultQuestion,
): Promise<readonly ResultRow[]> {
  const question = await ownQuestion(db, caller, asked);
  const parameters = new Parameters();
  const parts = partsOf(caller, question, parameters);
  const isButler = question.groupBy === 'butler';
  // Bound only where it is read: the database refuses parameters no part of a statement uses.
  const reach = isButler || question.groupBy === 'centre' ? parameters.bind(caller.projectIds) : 'NULL';
  const names = {
    butler: `SELECT s.name, s.staff_no AS "staffNo", coalesce(nullif(k.contact_phone, ''), s.phone) AS phone,
        (SELECT coalesce(string_agg(DISTINCT j.name, '、'), '') FROM housekeeper_building a JOIN project j ON j.id = a.project_id
          WHERE a.housekeeper_id = k.id AND a.kind = 'main' AND (a.valid_to IS NULL OR a.valid_to >= (now() AT TIME ZONE 'Asia/Shanghai')::date)
            AND (${reach}::bigint[] IS NULL OR a.project_id = ANY(${reach}::bigint[]))) AS "projectNames",
        (SELECT count(*)::int FROM housekeeper_house x JOIN house h ON h.id = x.house_id WHERE x.housekeeper_id = k.id AND x.kind = 'main'
            AND x.days @> (now() AT TIME ZONE 'Asia/Shanghai')::date AND (${reach}::bigint[] IS NULL OR h.project_id = ANY(${reach}::bigint[]))) AS "houseCount"
       FROM housekeeper k JOIN staff s ON s.id = k.staff_id WHERE k.id::text = g.key`,
    project: `SELECT j.name, NULL AS "staffNo", NULL AS phone, j.name AS "projectNames", (SELECT count(*)::int FROM house h WHERE h.project_id = j.id) AS "houseCount" FROM project j WHERE j.id::text = g.key`,
    centre: `SELECT j.name, NULL AS "staffNo", NULL AS phone, '' AS "projectNames", (SELECT count(*)::int FROM house h JOIN project q ON q.id = h.project_id
        WHERE q.centre_id = j.id AND (${reach}::bigint[] IS NULL OR q.id = ANY(${reach}::bigint[]))) AS "houseCount" FROM organisation j WHERE j.id::text = g.key`,
    month: `SELECT g.key AS name, NULL AS "staffNo", NULL AS phone, '' AS "projectNames", 0 AS "houseCount"`,
  }[question.groupBy];
  const rows = await run<Summed & Omit<ResultRow, keyof ResultFigures | 'rank'>>(
    db,
    `WITH line AS MATERIALIZED (${parts.lines}), share AS MATERIALIZED (${parts.shares}), visit AS MATERIALIZED (${parts.visits}), worker AS MATERIALIZED (${parts.butlers}),
      g AS (SELECT key FROM line UNION SELECT key FROM share UNION SELECT key FROM visit${isButler ? ' UNION SELECT key FROM worker' : ''})
     SELECT g.key, n.*, coalesce(s.count, 0) AS "shareCount", coalesce(v.visits, 0) AS "visitCount", coalesce(v.visitors, 0) AS "visitorCount", l.*
       FROM g JOIN LATERAL (${names}) n ON true
       LEFT JOIN (SELECT key, count(*)::int AS count FROM share GROUP BY 1) s ON s.key = g.key
       LEFT JOIN (SELECT key, count(*)::int AS visits, count(DISTINCT visitor_key)::int AS visitors FROM visit GROUP BY 1) v ON v.key = g.key
       JOIN LATERAL (SELECT ${SUMS} FROM line p ${EARNED} WHERE p.key = g.key) l ON true`,
    parameters.values,
  );
  return rows
    .map(whole)
    .sort(
      (a, b) =>
        b.validAmount - a.validAmount ||
        a.name.localeCompare(b.name, 'zh-CN') ||
        Number(a.key) - Number(b.key),
    )
    .map((row, index) => ({
      ...row,
      // In the clear it is asked for as everywhere, with the row's token.
      phone: row.phone === null ? null : maskValue('phone', row.phone),
      rank: index + 1,
    }));
}

/** The sum of all rows; visitors and conversion are counted anew, as a visitor may have come to several butlers. */
export async function resultSum(
  db: Executor,
  caller: Caller,
  asked: ResultQuestion,
  rows: readonly ResultRow[],
): Promise<ResultFigures> {
  const question = await ownQuestion(db, caller, asked);
  const parameters = new Parameters();
  const parts = partsOf(caller, question, parameters);
  const counted = (await runOne<{ visitors: number; buyers: number; used: number }>(
    db,
    `WITH line AS (${parts.lines}), share AS (${parts.shares}), visit AS (${parts.visits}), worker AS (${parts.butlers})
     SELECT (SELECT count(DISTINCT visitor_key)::int FROM visit) AS visitors, (SELECT count(DISTINCT member_id)::int FROM line WHERE way = 1) AS buyers,
            (SELECT count(*) FROM share) + (SELECT count(*) FROM worker) AS used`,
    parameters.values,
  ))!;
  const sum = (name: Exclude<keyof ResultFigures, 'conversionRate'>) =>
    rows.reduce((total, row) => total + row[name], 0);
  return {
    shareCount: sum('shareCount'),
    visitCount: sum('visitCount'),
    visitorCount: counted.visitors,
    orderCount: sum('orderCount'),
    orderAmount: sum('orderAmount'),
    refundAmount: sum('refundAmount'),
    validAmount: sum('validAmount'),
    shareOrderAmount: sum('shareOrderAmount'),
    servedOrderAmount: sum('servedOrderAmount'),
    incentiveAmount: sum('incentiveAmount'),
    frozenAmount: sum('frozenAmount'),
    payableAmount: sum('payableAmount'),
    paidAmount: sum('paidAmount'),
    clawbackAmount: sum('clawbackAmount'),
    conversionRate: conversionRate(counted.buyers, counted.visitors),
  };
}

/** Valid amounts by day and way. */
export async function resultDays(
  db: Executor,
  caller: Caller,
  asked: ResultQuestion,
): Promise<ReadonlyMap<string, { readonly share: number; readonly served: number }>> {
  const question = await ownQuestion(db, caller, asked);
  const parameters = new Parameters();
  const { lines, ...others } = partsOf(caller, question, parameters);
  const rows = await run<{ day: string; share: number; served: number }>(
    db,
    // Parameters of the parts that are not read are bound all the same; reading nothing of them keeps their types known.
    `WITH line AS (${lines}), share AS (${others.shares}), visit AS (${others.visits}), worker AS (${others.butlers})
     SELECT (${question.timeKind === 'paid' ? 'paid_at' : 'completed_at'} AT TIME ZONE 'Asia/Shanghai')::date::text AS day,
            coalesce(sum(valid) FILTER (WHERE way = 1), 0)::bigint AS share, coalesce(sum(valid) FILTER (WHERE way = 2), 0)::bigint AS served
       FROM line GROUP BY 1`,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.day, row]));
}

/** Orders of a question by way and by where they stand; an order shared and served counts under each way. */
export async function orderCounts(db: Executor, caller: Caller, asked: ResultQuestion) {
  const question = await ownQuestion(db, caller, asked);
  const parameters = new Parameters();
  const { lines, ...others } = partsOf(caller, question, parameters);
  const of = (condition: string) => `count(*) FILTER (WHERE ${condition})::int`;
  const row = await runOne<Record<string, number>>(
    db,
    `WITH line AS (${lines}), share AS (${others.shares}), visit AS (${others.visits}), worker AS (${others.butlers}),
      o AS (SELECT x.order_id, min(x.way) AS way FROM line x GROUP BY 1)
     SELECT count(*)::int AS total, ${of('o.way = 1')} AS share, ${of('o.way = 2')} AS served,
            ${of(`s.state IN ('to_ship', 'part_shipped', 'to_accept')`)} AS "toShip", ${of(`s.state IN ('to_receive', 'to_visit')`)} AS "toReceive",
            ${of(`s.state = 'completed'`)} AS completed, ${of(`s.state = 'closed'`)} AS closed,
            ${of(`s.refund_status = 'refunding'`)} AS refunding, ${of(`s.refund_status IN ('part', 'full')`)} AS refunded
       FROM o JOIN sales_order s ON s.id = o.order_id`,
    parameters.values,
  );
  return row!;
}

export { LINE_SCOPE };
