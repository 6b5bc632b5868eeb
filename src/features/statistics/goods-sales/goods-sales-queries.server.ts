import {
  backIn,
  bookedIn,
  saleFilter,
  SALE_BUSINESS,
  SALE_CLASS,
  SALE_FILTERS,
  SALE_SCOPE,
  orderedIn,
  soldIn,
  visitedIn,
  type SaleFilter,
} from '../../../domain/sales-stat/goods-sales.server.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, scopeCondition } from '../../../kernel/server/people/scope.ts';
import { goodsSale, type SaleGroup } from './goods-sales.contract.ts';

/** Sums of some sales; money in fen. */
export interface SaleSums {
  readonly buyers: number;
  readonly orders: number;
  readonly pieces: number;
  readonly goods: number;
  readonly discount: number;
  readonly paid: number;
  /** Pieces and cash that came back in the view asked for. */
  readonly returned: number;
  readonly refund: number;
  /** Pieces that came back, always by the day of payment. */
  readonly returnedPaid: number;
  /** Commission kept; null where no line has an agreement. */
  readonly income: number | null;
  /** Looks, distinct visitors and those who put something into their cart; none where nothing says of looks what is asked for. */
  readonly views: number;
  readonly visitors: number;
  readonly carters: number;
  /** Gross and cash of the lines that have one. */
  readonly earning: number;
  readonly earningPaid: number;
}

/** What is asked for: days as `from~to`. */
export interface SaleQuestion {
  readonly range: string;
  readonly view: 'refundDay' | 'payDay';
  readonly filters: Readonly<Partial<Record<SaleFilter, string>>>;
}

const KEYS: Readonly<Record<SaleGroup | 'all', (at: string) => string>> = {
  all: () => `''`,
  product: () => 's.product_id::text',
  spec: () => 's.spec_id::text',
  class: () => `${SALE_CLASS}::text`,
  business: () => `${SALE_BUSINESS}::text`,
  merchant: () => 's.tenant_id::text',
  project: () => 's.project_id::text',
  day: (at) => `(${at} AT TIME ZONE 'Asia/Shanghai')::date::text`,
};

export const NO_SALES: SaleSums = {
  buyers: 0,
  orders: 0,
  pieces: 0,
  goods: 0,
  discount: 0,
  paid: 0,
  returned: 0,
  refund: 0,
  returnedPaid: 0,
  income: null,
  views: 0,
  visitors: 0,
  carters: 0,
  earning: 0,
  earningPaid: 0,
};

/** Whether looks can answer a question: they know goods and places, but no specification and nothing of an order. */
export const asksOfVisits = (question: SaleQuestion, group: SaleGroup | 'all'): boolean =>
  group !== 'spec' && ['spec', 'type', 'source', 'promotion'].every((name) => !(name in question.filters));

/** A look (`s`) where filters and scope of sales look for it. */
const VISIT = `(SELECT v.*, NULL::bigint AS created_by FROM goods_visit v) s`;
/** Lines of goods orders whatever became of them. */
const ORDERED = `(SELECT l.id, l.product_id, l.spec_id, o.tenant_id, o.project_id, o.created_by, o.member_id, o.type, o.source, o.created_at AS ordered_at
  FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE o.kind = 'goods' AND l.product_id IS NOT NULL) s`;

/** Distinct members who ordered, paid or not. */
export async function orderersOf(db: Executor, caller: Caller, question: SaleQuestion): Promise<number> {
  const parameters = new Parameters();
  const rows = await run<{ n: number }>(
    db,
    `SELECT count(DISTINCT s.member_id)::int AS n FROM ${ORDERED} WHERE ${conditions('s.id', question, caller, parameters, orderedIn)}`,
    parameters.values,
  );
  return rows[0]!.n;
}

/** The filters of a report's parameters; a merchant asks for no other merchant. */
export const filtersOf = (
  caller: Caller,
  parameters: Readonly<Record<string, string>>,
): SaleQuestion['filters'] =>
  Object.fromEntries(
    Object.keys(SALE_FILTERS)
      .filter((name) => parameters[name] && !(caller.tenantKind === 2 && name === 'merchant'))
      .map((name) => [name, parameters[name]!]),
  );

/**
 * Sums by key inside the caller's scope. Distinct counts of a key are its own; `all` counts everybody once. Without `whole`
 * the income stays null, as working it out costs more than all the rest, and looks are not counted.
 */
export async function salesBy(
  db: Executor,
  caller: Caller,
  question: SaleQuestion,
  group: SaleGroup | 'all',
  whole = true,
): Promise<Map<string, SaleSums>> {
  const sums = new Map<string, SaleSums>();
  const add = (key: string, more: Partial<SaleSums>) =>
    sums.set(key, { ...(sums.get(key) ?? NO_SALES), ...more });
  const sold = new Parameters();
  const income = `commission_of(s.cash + CASE WHEN s.commission_base = 'cash' THEN 0 ELSE h.subsidy END,
    coalesce((SELECT l.commission_bp FROM order_line l WHERE l.id = s.id), agreed_commission(s.agreement_id, s.product_id), 0))`;
  const kept = `s.agreement_id IS NOT NULL AND NOT EXISTS (SELECT FROM tenant m WHERE m.id = s.tenant_id AND m.merchant_kind = 'self')`;
  // A merchant is not told what the platform earns; nothing of it is worked out.
  const earns = caller.tenantKind === 2 || !whole ? 'FALSE' : kept;
  for (const row of await run<SaleSums & { key: string | null }>(
    db,
    `SELECT x.key, count(DISTINCT x.member_id)::int AS buyers, count(DISTINCT x.order_id)::int AS orders, sum(x.qty)::bigint AS pieces, sum(x.goods)::bigint AS goods,
            sum(x.discount)::bigint AS discount, sum(x.cash)::bigint AS paid, sum(x.income)::bigint AS income,
            coalesce(sum(x.gross), 0)::bigint AS earning, coalesce(sum(x.cash) FILTER (WHERE x.income IS NOT NULL), 0)::bigint AS "earningPaid"
       FROM (SELECT s.*, ${KEYS[group]('s.sold_at')} AS key, CASE WHEN ${earns} THEN ${income} END AS income,
                    s.cash + h.subsidy AS gross
               FROM goods_sale s LEFT JOIN LATERAL (SELECT sale_subsidy(s.id, s.agreement_id) AS subsidy OFFSET 0) h ON ${earns} WHERE ${conditions('s.id', question, caller, sold, soldIn)}) x GROUP BY x.key`,
    sold.values,
  ))
    add(row.key ?? '0', { ...row });
  if (whole && asksOfVisits(question, group)) {
    const looked = new Parameters();
    for (const row of await run<{ key: string | null; views: number; visitors: number; carters: number }>(
      db,
      `SELECT ${KEYS[group]('s.at')} AS key, count(*) FILTER (WHERE s.kind = 'view')::int AS views,
              count(DISTINCT s.visitor) FILTER (WHERE s.kind = 'view')::int AS visitors, count(DISTINCT s.visitor) FILTER (WHERE s.kind = 'cart')::int AS carters
         FROM ${VISIT} WHERE ${conditions('s.id', question, caller, looked, visitedIn)} GROUP BY 1`,
      looked.values,
    ))
      add(row.key ?? '0', { views: row.views, visitors: row.visitors, carters: row.carters });
  }
  for (const view of ['refundDay', 'payDay'] as const) {
    const back = new Parameters();
    const at = view === 'payDay' ? 's.booked_at' : 's.succeeded_at';
    for (const row of await run<{ key: string | null; pieces: number; cash: number; income: number | null }>(
      db,
      `SELECT x.key, sum(x.qty)::bigint AS pieces, sum(x.cash)::bigint AS cash, sum(x.income)::bigint AS income
         FROM (SELECT s.qty, s.cash, ${KEYS[group](at)} AS key, CASE WHEN ${view === question.view ? earns : 'FALSE'} THEN refund_commission(s.id) END AS income
                 FROM goods_sale_refund s WHERE ${conditions('s.line_id', question, caller, back, view === 'payDay' ? bookedIn : backIn)}) x
        GROUP BY x.key`,
      back.values,
    )) {
      const key = row.key ?? '0';
      const before = sums.get(key) ?? NO_SALES;
      add(key, {
        ...(view === 'payDay' && { returnedPaid: row.pieces }),
        ...(view === question.view && {
          returned: row.pieces,
          refund: row.cash,
          income: row.income === null ? before.income : (before.income ?? 0) - row.income,
        }),
      });
    }
  }
  return sums;
}

function conditions(
  line: 's.id' | 's.line_id',
  question: SaleQuestion,
  caller: Caller,
  parameters: Parameters,
  days: (value: string, parameters: Parameters) => string,
): string {
  return [
    days(question.range, parameters),
    scopeCondition(caller, goodsSale.menu, SALE_SCOPE, parameters),
    ...Object.entries(question.filters).map(([name, value]) =>
      saleFilter(name as SaleFilter, line, value, parameters, caller),
    ),
  ].join(' AND ');
}
