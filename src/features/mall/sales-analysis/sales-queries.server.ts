import { endOfBusinessDay, startOfBusinessDay } from '../../../kernel/contract/time.rules.ts';
import type { Caller } from '../../../kernel/server/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { Parameters, scopeCondition, type ScopeColumns } from '../../../kernel/server/scope.ts';
import { businessAna } from './sales-analysis.contract.ts';
import { NO_SUMS, addSums, type Sums } from './sales-figures.rules.ts';

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
 * Sums of lines sold and refunded inside the caller's scope: one pass over the orders paid in the range (paid_at
 * index), one over the refunds that succeeded in it; grouping sets give days, products and projects together.
 */
export async function salesSums(db: Executor, caller: Caller, question: SalesQuestion): Promise<SalesSums> {
  const parameters = new Parameters();
  const lines = [soldLines(caller, question, parameters), ...refundLines(caller, question, parameters)].join(
    '\n UNION ALL\n',
  );
  const rows = await run<
    {
      day: string | null;
      product_id: number | null;
      project_id: number | null;
      by: number;
      inside: boolean | null;
    } & Sums
  >(
    db,
    `SELECT x.day::text AS day, x.product_id, x.project_id, x.inside, grouping(x.day, x.product_id, x.project_id) AS by,
            coalesce(sum(x.qty), 0)::bigint AS qty, coalesce(sum(x.goods), 0)::bigint AS goods, coalesce(sum(x.paid), 0)::bigint AS paid,
            coalesce(sum(x.returned), 0)::bigint AS returned, coalesce(sum(x.refund), 0)::bigint AS refund
       FROM (SELECT u.day, u.qty, u.goods, u.paid, u.returned, u.refund, u.day >= ${parameters.bind(question.from)}::date AS inside,
                    u.product_id, u.project_id
               FROM (${lines}) u) x
      GROUP BY GROUPING SETS ((x.day), (x.inside, x.product_id), (x.inside, x.project_id))`,
    parameters.values,
  );
  const days = new Map<string, Sums>();
  const products = new Map<number, Sums>();
  const projects = new Map<number, Sums>();
  for (const row of rows) {
    const sums: Sums = {
      qty: row.qty,
      goods: row.goods,
      paid: row.paid,
      returned: row.returned,
      refund: row.refund,
    };
    if (row.by === 0b011) days.set(row.day!, sums);
    else if (!row.inside) continue;
    else if (row.by === 0b101) products.set(row.product_id!, sums);
    else if (row.by === 0b110) projects.set(row.project_id!, sums);
  }
  return { days, products, projects };
}

/** Distinct paid orders and their freight by day, of the same lines as {@link salesSums}. */
export async function orderDays(
  db: Executor,
  caller: Caller,
  question: SalesQuestion,
): Promise<ReadonlyMap<string, OrderDay>> {
  const parameters = new Parameters();
  const wanted = productCondition(question, parameters);
  const holds =
    wanted === 'TRUE'
      ? ''
      : ` AND EXISTS (SELECT 1 FROM order_line l JOIN product p ON p.id = l.product_id WHERE l.order_id = o.id AND ${wanted})`;
  const rows = await run<{ day: string; orders: number; freight: number }>(
    db,
    `SELECT x.day::text AS day, count(*) AS orders, coalesce(sum(x.freight), 0)::bigint AS freight FROM (
       SELECT o.id, o.freight, ${DAY_SOLD} AS day
         FROM ${SOLD} WHERE ${soldIn(question, parameters)} AND ${orderCondition(caller, question, parameters)}${holds}) x
      GROUP BY x.day`,
    parameters.values,
  );
  return new Map(rows.map((row) => [row.day, { orders: row.orders, freight: row.freight }]));
}

/** Sum over days, from and to included. */
export function sumOfDays(days: ReadonlyMap<string, Sums>, from: string, to: string): Sums {
  let sum = NO_SUMS;
  for (const [day, sums] of days) if (day >= from && day <= to) sum = addSums(sum, sums);
  return sum;
}

// A group order counts when its team forms (event 16) and never when it fails.
const SOLD = `sales_order o LEFT JOIN LATERAL (
      SELECT e.at FROM order_event e WHERE o.type = 'group' AND e.order_id = o.id AND e.code = 16 ORDER BY e.id LIMIT 1) team ON true`;
const SOLD_AT = `CASE WHEN o.type = 'group' THEN team.at ELSE o.paid_at END`;
const DAY_SOLD = `((${SOLD_AT}) AT TIME ZONE 'Asia/Shanghai')::date`;

function soldIn(question: SalesQuestion, parameters: Parameters): string {
  const start = parameters.bind(startOfBusinessDay(question.first));
  const end = parameters.bind(endOfBusinessDay(question.to));
  return `o.kind = 'goods' AND o.paid_at < ${end}::timestamptz AND o.paid_at >= ${start}::timestamptz - interval '${TEAM_DAYS} days'
      AND (${SOLD_AT}) >= ${start}::timestamptz AND (${SOLD_AT}) < ${end}::timestamptz`;
}

function soldLines(caller: Caller, question: SalesQuestion, parameters: Parameters): string {
  return `SELECT ${DAY_SOLD} AS day, o.project_id, l.product_id, l.qty, l.goods, l.cash AS paid, 0 AS returned, 0::bigint AS refund
       FROM ${SOLD} JOIN order_line l ON l.order_id = o.id${productJoin(question)}
      WHERE ${soldIn(question, parameters)} AND ${orderCondition(caller, question, parameters)} AND ${productCondition(question, parameters)}`;
}

/** Refunds by their own day, or put back on the day the line was sold. What the buyer did not get back (a fee) is none. */
function refundLines(caller: Caller, question: SalesQuestion, parameters: Parameters): string[] {
  const byPayDay = question.refundsBy === 'payDay';
  const when = byPayDay
    ? soldIn(question, parameters)
    : `o.kind = 'goods' AND r.succeeded_at >= ${parameters.bind(startOfBusinessDay(question.first))} AND r.succeeded_at < ${parameters.bind(endOfBusinessDay(question.to))}
      AND o.paid_at IS NOT NULL AND (o.type <> 'group' OR team.at IS NOT NULL)`;
  const day = byPayDay ? DAY_SOLD : `(r.succeeded_at AT TIME ZONE 'Asia/Shanghai')::date`;
  return [
    `SELECT ${day} AS day, o.project_id, l.product_id, 0 AS qty, 0::bigint AS goods, 0::bigint AS paid, rl.qty AS returned, rl.cash - rl.fee AS refund
       FROM ${SOLD} JOIN refund r ON r.order_id = o.id AND r.state = 'succeeded'
       JOIN refund_line rl ON rl.refund_id = r.id JOIN order_line l ON l.id = rl.line_id${productJoin(question)}
      WHERE ${when} AND ${orderCondition(caller, question, parameters)} AND ${productCondition(question, parameters)}`,
  ];
}

/** The scope is part of every query; a merchant's own tenant is forced whatever is asked for. */
function orderCondition(caller: Caller, question: SalesQuestion, parameters: Parameters): string {
  const parts = [scopeCondition(caller, businessAna.menu, SCOPE, parameters)];
  if (question.projects) parts.push(`o.project_id = ANY(${parameters.bind(question.projects)}::bigint[])`);
  if (question.merchants && caller.tenantKind !== 2)
    parts.push(`o.tenant_id = ANY(${parameters.bind(question.merchants)}::bigint[])`);
  return parts.join(' AND ');
}

function isAboutProducts(question: SalesQuestion): boolean {
  return question.business !== undefined || question.classes !== undefined || question.keyword !== undefined;
}

function productJoin(question: SalesQuestion): string {
  return isAboutProducts(question) ? ' JOIN product p ON p.id = l.product_id' : '';
}

/** A product counts under its first class only, so that the slices of a ring add up to the table. */
export const MAIN_CLASS = '(SELECT min(pc.class_id) FROM product_class_member pc WHERE pc.product_id = p.id)';

function productCondition(question: SalesQuestion, parameters: Parameters): string {
  const parts: string[] = [];
  if (question.business) parts.push(`p.business_id = ANY(${parameters.bind(question.business)}::bigint[])`);
  if (question.classes)
    parts.push(`coalesce(${MAIN_CLASS}, 0) = ANY(${parameters.bind(question.classes)}::bigint[])`);
  if (question.keyword)
    parts.push(
      `p.search LIKE ${parameters.bind(`%${question.keyword.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`)}`,
    );
  return parts.length === 0 ? 'TRUE' : parts.join(' AND ');
}
