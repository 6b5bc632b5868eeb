import { containing } from '../../../kernel/server/resource/like-text.ts';
import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/people/scope.ts';
import { businessAna } from './sales-analysis.contract.ts';
import { NO_SUMS, addSums, type Sums } from './sales-figures.rules.ts';
import { dayOf } from '../../../kernel/server/today.ts';

/** What is asked for. Days are business days, both included; `products` is a condition on product `p`. */
export interface SalesQuestion {
  /** First day of all figures: of the period before, or of the spark line. */
  readonly first: string;
  /** The period of the table and the charts. */
  readonly from: string;
  readonly to: string;
  readonly refundsBy: 'refundDay' | 'payDay';
  readonly projects: readonly number[] | undefined;
  readonly merchants: readonly number[] | undefined;
  readonly business: readonly number[] | undefined;
  /** Classes with those below them; 0 stands for products without a class. */
  readonly classes: readonly number[] | undefined;
  readonly keyword: string | undefined;
}

/** Sums by day over all days, by product and by project over the period. */
export interface SalesSums {
  readonly days: ReadonlyMap<string, Sums>;
  readonly products: ReadonlyMap<number, Sums>;
  readonly projects: ReadonlyMap<number, Sums>;
  /** Distinct paid orders by day, over all days. */
  readonly orders: ReadonlyMap<string, OrderDay>;
}

/** Paid orders and their freight (fen) by day. */
export interface OrderDay {
  readonly orders: number;
  readonly freight: number;
}

/** Days a team may take to form after a payment, generously: at most 72 hours. Source: group 08, mm_groupManagement. */
const TEAM_DAYS = 7;
const SCOPE: ScopeColumns = { tenant: 'o.tenant_id', project: 'o.project_id', owner: 'o.created_by' };

/**
 * Sums of lines sold and refunded inside the caller's scope, with the paid orders of the same lines. One statement: one
 * pass over the orders paid in the range (paid_at index), one over the refunds that succeeded in it; grouping sets give
 * days, products and projects together.
 */
export async function salesSums(db: Executor, caller: Caller, question: SalesQuestion): Promise<SalesSums> {
  const ids = await productIds(db, question);
  if (ids?.length === 0)
    return { days: new Map(), products: new Map(), projects: new Map(), orders: new Map() };
  const parameters = new Parameters();
  const from = parameters.bind(question.from);
  const wanted = ids === undefined ? '' : ` AND l.product_id = ANY(${parameters.bind(ids)}::bigint[])`;
  const holdsWanted = wanted && ` WHERE EXISTS (SELECT 1 FROM order_line l WHERE l.order_id = s.id${wanted})`;
  const rows = await run<SumRow>(
    db,
    `WITH sold AS MATERIALIZED (${soldOrders(caller, question, parameters)}),
     back AS MATERIALIZED (${refundsSince(question, parameters)}),
     moved AS (
       SELECT s.day, s.project_id, l.product_id, l.qty, l.goods, l.cash AS paid, 0 AS returned, 0::bigint AS refund
         FROM sold s JOIN order_line l ON l.order_id = s.id${wanted}
       UNION ALL ${refundLines(caller, question, parameters, wanted)})
     SELECT x.day::text AS day, x.product_id, x.project_id, x.inside, grouping(x.day, x.product_id, x.project_id) AS by,
            sum(x.qty)::bigint AS qty, sum(x.goods)::bigint AS goods, sum(x.paid)::bigint AS paid,
            sum(x.returned)::bigint AS returned, sum(x.refund)::bigint AS refund, 0 AS orders, 0::bigint AS freight
       FROM (SELECT m.*, m.day >= ${from}::date AS inside FROM moved m) x
      GROUP BY GROUPING SETS ((x.day), (x.inside, x.product_id), (x.inside, x.project_id))
     UNION ALL
     SELECT s.day::text, NULL, NULL, NULL, ${ORDERS}, 0, 0, 0, 0, 0, count(*), sum(s.freight)::bigint FROM sold s${holdsWanted} GROUP BY s.day`,
    parameters.values,
  );
  const days = new Map<string, Sums>();
  const products = new Map<number, Sums>();
  const projects = new Map<number, Sums>();
  const orders = new Map<string, OrderDay>();
  for (const row of rows) {
    const { qty, goods, paid, returned, refund } = row;
    const sums: Sums = { qty, goods, paid, returned, refund };
    if (row.by === ORDERS) orders.set(row.day!, { orders: row.orders, freight: row.freight });
    else if (row.by === 0b011) days.set(row.day!, sums);
    else if (!row.inside) continue;
    else if (row.by === 0b101) products.set(row.product_id!, sums);
    else if (row.by === 0b110) projects.set(row.project_id!, sums);
  }
  return { days, products, projects, orders };
}

/** Sum over days, from and to included. */
export function sumOfDays(days: ReadonlyMap<string, Sums>, from: string, to: string): Sums {
  let sum = NO_SUMS;
  for (const [day, sums] of days) if (day >= from && day <= to) sum = addSums(sum, sums);
  return sum;
}

/** Marks the rows that count orders among those of the grouping sets, whose masks are below 8. */
const ORDERS = 8;

interface SumRow extends Sums, OrderDay {
  readonly day: string | null;
  readonly product_id: number | null;
  readonly project_id: number | null;
  readonly inside: boolean | null;
  /** Which columns the row does not group by, or ORDERS. */
  readonly by: number;
}

/** Products asked for by business, class or keyword; undefined when all are. Found first: there are few of them. */
async function productIds(db: Executor, question: SalesQuestion): Promise<number[] | undefined> {
  const parameters = new Parameters();
  const parts: string[] = [];
  if (question.business) parts.push(`p.business_id = ANY(${parameters.bind(question.business)}::bigint[])`);
  if (question.classes)
    parts.push(`coalesce(${MAIN_CLASS}, 0) = ANY(${parameters.bind(question.classes)}::bigint[])`);
  if (question.keyword)
    parts.push(`p.search LIKE ${parameters.bind(containing(question.keyword.toLowerCase()))}`);
  if (parts.length === 0) return undefined;
  const rows = await run<{ id: number }>(
    db,
    `SELECT p.id FROM product p WHERE ${parts.join(' AND ')}`,
    parameters.values,
  );
  return rows.map((row) => row.id);
}

/** Orders that count as sold, each with its day. A group order counts when its team forms (event 16), never when it fails. */
function soldOrders(caller: Caller, question: SalesQuestion, parameters: Parameters): string {
  const start = `${parameters.bind(startOfBusinessDay(question.first))}::timestamptz`;
  const end = `${parameters.bind(endOfBusinessDay(question.to))}::timestamptz`;
  const place = orderCondition(caller, question, parameters);
  return `SELECT o.id, o.project_id, o.freight, ${dayOf('o.paid_at')} AS day FROM sales_order o
       WHERE o.kind = 'goods' AND o.type <> 'group' AND o.paid_at >= ${start} AND o.paid_at < ${end} AND ${place}
      UNION ALL
      SELECT o.id, o.project_id, o.freight, ${dayOf('team.at')} FROM sales_order o
        CROSS JOIN LATERAL (SELECT e.at FROM order_event e WHERE e.order_id = o.id AND e.code = 16 ORDER BY e.id LIMIT 1) team
       WHERE o.kind = 'goods' AND o.type = 'group' AND o.paid_at >= ${start} - interval '${TEAM_DAYS} days' AND o.paid_at < ${end}
         AND team.at >= ${start} AND team.at < ${end} AND ${place}`;
}

/** Refunds that may count: few beside the orders, so everything else is looked up from them by key. */
function refundsSince(question: SalesQuestion, parameters: Parameters): string {
  const start = parameters.bind(startOfBusinessDay(question.first));
  // A refund follows its sale, so in the pay-date view too none before the first day counts.
  const until =
    question.refundsBy === 'payDay'
      ? ''
      : ` AND r.succeeded_at < ${parameters.bind(endOfBusinessDay(question.to))}`;
  return `SELECT r.id, r.order_id, r.succeeded_at FROM refund r WHERE r.state = 'succeeded' AND r.succeeded_at >= ${start}${until}`;
}

/**
 * Refunds by their own day, or put back on the day the line was sold. What the buyer did not get back (a fee) is none.
 * OFFSET 0 keeps the order a look-up by its key: on tables without statistics the planner scanned a whole project for
 * each refund instead.
 */
function refundLines(
  caller: Caller,
  question: SalesQuestion,
  parameters: Parameters,
  wanted: string,
): string {
  const soldAt = `CASE WHEN o.type = 'group' THEN team.at ELSE o.paid_at END`;
  const byPayDay = question.refundsBy === 'payDay';
  const instant = (value: Date) => `${parameters.bind(value)}::timestamptz`;
  const when = byPayDay
    ? `(${soldAt}) >= ${instant(startOfBusinessDay(question.first))} AND (${soldAt}) < ${instant(endOfBusinessDay(question.to))}`
    : `(${soldAt}) IS NOT NULL`;
  return `SELECT ${dayOf(byPayDay ? `(${soldAt})` : 'b.succeeded_at')} AS day, o.project_id, l.product_id, 0 AS qty, 0::bigint AS goods,
              0::bigint AS paid, rl.qty AS returned, rl.cash - rl.fee AS refund
         FROM back b CROSS JOIN LATERAL (SELECT r.id, r.kind, r.type, r.paid_at, r.tenant_id, r.project_id, r.created_by
           FROM sales_order r WHERE r.id = b.order_id OFFSET 0) o
         LEFT JOIN LATERAL (SELECT e.at FROM order_event e
           WHERE o.type = 'group' AND e.order_id = o.id AND e.code = 16 ORDER BY e.id LIMIT 1) team ON true
         JOIN refund_line rl ON rl.refund_id = b.id JOIN order_line l ON l.id = rl.line_id${wanted}
        WHERE o.kind = 'goods' AND ${when} AND ${orderCondition(caller, question, parameters)}`;
}

/** The scope is part of every query; a merchant's own tenant is forced whatever is asked for. */
function orderCondition(caller: Caller, question: SalesQuestion, parameters: Parameters): string {
  const parts = [scopeCondition(caller, businessAna.menu, SCOPE, parameters)];
  if (question.projects) parts.push(`o.project_id = ANY(${parameters.bind(question.projects)}::bigint[])`);
  if (question.merchants && caller.tenantKind !== 2)
    parts.push(`o.tenant_id = ANY(${parameters.bind(question.merchants)}::bigint[])`);
  return parts.join(' AND ');
}

/** A product counts under its first class only, so that the slices of a ring add up to the table. */
export const MAIN_CLASS = '(SELECT min(pc.class_id) FROM product_class_member pc WHERE pc.product_id = p.id)';
