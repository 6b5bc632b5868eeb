import { addDays } from '../../../kernel/contract/time.rules.ts';
import type { ChartPoint } from '../../../kernel/contract/report.ts';
import { closedMonths } from '../../../domain/sales-stat/month-close.server.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { bindReport, type ReportRequest } from '../../../kernel/server/report/bind.ts';
import { goodsSale, type SaleGroup } from './goods-sales.contract.ts';
import {
  asksOfVisits,
  filtersOf,
  NO_SALES,
  orderersOf,
  salesBy,
  type SaleQuestion,
  type SaleSums,
} from './goods-sales-queries.server.ts';
import { lastDayOf, steps, type Step } from './goods-sales.rules.ts';

const TOP = 20;
const SPARK_DAYS = 7;
/** Columns a merchant is not told of. */
const PLATFORM_COLUMNS = ['income', 'margin', 'uncosted'] as const;
/** Columns of looks, which specifications and sides of an order have none of. */
const VISIT_COLUMNS = ['views', 'visitors', 'carters', 'conversion'] as const;

/** Report of goods sales. */
export const registration = bindReport(goodsSale, {
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/goodsSale/closedMonths',
      title: ['已关账月份', 'Closed months'],
      access: { code: goodsSale.menu },
      handle: async ({ platform }) => ({ months: await closedMonths(platform.database.db) }),
    }),
  ],
  titles: (_platform, parameters, caller) =>
    Promise.resolve({
      ...(caller.tenantKind === 2 && Object.fromEntries(PLATFORM_COLUMNS.map((name) => [name, null]))),
      ...(!asksOfVisits(
        { range: '', view: 'refundDay', filters: filtersOf(caller, parameters) },
        (parameters.group ?? 'product') as SaleGroup,
      ) && Object.fromEntries(VISIT_COLUMNS.map((name) => [name, null]))),
      ...(parameters.compare === 'none' && { change: null }),
      ...((parameters.group ?? 'product') !== 'product' &&
        parameters.group !== 'spec' && { merchant: null, business: null, className: null, code: null }),
    }),
  compute: async ({ caller, platform, language }, request) => {
    const { db } = platform.replica;
    const { parameters } = request;
    const group = (parameters.group ?? 'product') as SaleGroup;
    const question: SaleQuestion = {
      range: `${request.from}~${request.to}`,
      view: parameters.view === 'payDay' ? 'payDay' : 'refundDay',
      filters: filtersOf(caller, parameters),
    };
    const before = comparedWith(request);
    const earlier = before === undefined ? undefined : { ...question, range: before };
    const by = (asked: SaleQuestion | undefined, key: SaleGroup | 'all', whole = true) =>
      asked ? salesBy(db, caller, asked, key, whole) : Promise.resolve(new Map<string, SaleSums>());
    const rows = await by(question, group);
    const rowsBefore = await by(earlier, group, false);
    const total = (await by(question, 'all')).get('') ?? NO_SALES;
    const totalBefore = earlier && ((await by(earlier, 'all')).get('') ?? NO_SALES);
    const days = group === 'day' ? rows : await by(question, 'day');
    const products = group === 'product' ? rows : await by(question, 'product', false);
    const classes = group === 'class' ? rows : await by(question, 'class', false);
    const names = await namesOf(db, group, [...rows.keys()]);
    const productNames = await namesOf(db, 'product', [...products.keys()]);
    const classNames = await namesOf(db, 'class', [...classes.keys()]);
    const figure = (of: (sums: SaleSums) => number | null, scale = 1) => ({
      value: of(total),
      previous: totalBefore ? of(totalBefore) : null,
      spark: Array.from({ length: SPARK_DAYS }, (_, n) => addDays(request.to, n + 1 - SPARK_DAYS)).map(
        (day) => (of(days.get(day) ?? NO_SALES) ?? 0) / scale,
      ),
    });
    const looks = asksOfVisits(question, 'all');
    const rowsLook = asksOfVisits(question, group);
    const noClass = language === 'en' ? 'No class' : '未分类';
    return {
      figures: {
        paid: figure((sums) => sums.paid, 100),
        net: figure((sums) => sums.paid - sums.refund, 100),
        pieces: figure((sums) => sums.pieces),
        orders: figure((sums) => sums.orders),
        buyers: figure((sums) => sums.buyers),
        visitors: looks ? figure((sums) => sums.visitors) : null,
        conversion: looks
          ? {
              ...figure((sums) => ratio(sums.buyers, sums.visitors)),
              working: `${total.buyers} ÷ ${total.visitors}`,
            }
          : null,
        backRate: {
          ...figure((sums) => ratio(sums.returnedPaid, sums.pieces)),
          working: `${total.returnedPaid} ÷ ${total.pieces}`,
        },
        average: figure((sums) => perOrder(sums), 100),
        income: caller.tenantKind === 2 ? null : figure((sums) => sums.income, 100),
      },
      charts: {
        funnel: looks
          ? [
              { key: 'visitors', label: language === 'en' ? 'Visitors' : '访客', people: total.visitors },
              { key: 'carters', label: language === 'en' ? 'Cart' : '加购', people: total.carters },
              {
                key: 'ordered',
                label: language === 'en' ? 'Ordered' : '下单',
                people: await orderersOf(db, caller, question),
              },
              { key: 'buyers', label: language === 'en' ? 'Paid' : '支付', people: total.buyers },
            ].map(({ people, ...one }) => ({ ...one, values: { people } }))
          : [],
        time: steps(request.from, request.to, parameters.grain).map((step) => timePoint(step, days)),
        class: [...classes]
          .map(([key, sums]) => point(key, classNames.get(key)?.name ?? noClass, sums))
          .sort((a, b) => b.values.paid! - a.values.paid!),
        top: [...products]
          .sort(([a, one], [b, other]) => other.paid - one.paid || Number(a) - Number(b))
          .slice(0, TOP)
          .map(([key, sums]) => point(key, productNames.get(key)?.name ?? key, sums)),
      },
      rows: [...rows]
        .sort(([a, one], [b, other]) =>
          group === 'day' ? (a < b ? -1 : 1) : other.paid - one.paid || Number(a) - Number(b),
        )
        .map(([key, sums], index) => ({
          id: key,
          rank: index + 1,
          ...(names.get(key) ?? { name: group === 'class' ? noClass : key }),
          ...cells(caller, sums, rowsBefore.get(key), earlier !== undefined),
          ...(rowsLook && visitCells(sums)),
          drill: drillOf(question, { group, key }),
        })),
      sums: {
        ...cells(caller, total, totalBefore, earlier !== undefined),
        ...(rowsLook && visitCells(total)),
        drill: drillOf(question),
      },
    };
  },
});

/** Days the figures are compared with: the same number of days before, or the same days a year ago. */
function comparedWith(request: ReportRequest): string | undefined {
  switch (request.parameters.compare) {
    case 'none':
      return undefined;
    case 'year':
      return `${yearBefore(request.from)}~${yearBefore(request.to)}`;
    default:
      return `${request.previousFrom}~${request.previousTo}`;
  }
}

function yearBefore(day: string): string {
  const [year, month, date] = day.split('-').map(Number) as [number, number, number];
  // 29 February meets the 28th.
  const last = Number(lastDayOf(`${year - 1}-${String(month).padStart(2, '0')}`).slice(8));
  return `${year - 1}-${day.slice(5, 7)}-${String(Math.min(date, last)).padStart(2, '0')}`;
}

/** Percent with one decimal, half up; null where there is nothing to divide by. */
const ratio = (part: number, whole: number) =>
  whole === 0 ? null : Math.sign(part) * (Math.round((1_000 * Math.abs(part)) / Math.abs(whole)) / 10);
const perOrder = (sums: SaleSums) =>
  sums.orders === 0 ? null : Math.floor((2 * sums.paid + sums.orders) / (2 * sums.orders));

function cells(caller: Caller, sums: SaleSums, before: SaleSums | undefined, compared: boolean) {
  return {
    buyers: sums.buyers,
    orders: sums.orders,
    pieces: sums.pieces,
    goods: sums.goods,
    discount: sums.discount,
    paid: sums.paid,
    returned: sums.returned,
    refund: sums.refund,
    net: sums.paid - sums.refund,
    backRate: ratio(sums.returnedPaid, sums.pieces),
    ...(compared && { change: before ? ratio(sums.paid - before.paid, before.paid) : null }),
    ...(caller.tenantKind !== 2 && {
      income: sums.income,
      margin: sums.income === null ? null : ratio(sums.income, sums.earning),
      uncosted: ratio(sums.paid - sums.earningPaid, sums.paid),
    }),
  };
}

const visitCells = (sums: SaleSums) => ({
  views: sums.views,
  visitors: sums.visitors,
  carters: sums.carters,
  conversion: ratio(sums.buyers, sums.visitors),
});

const ROW_FILTER: Readonly<Record<Exclude<SaleGroup, 'day'>, string>> = {
  product: 'product',
  spec: 'spec',
  class: 'ownClass',
  business: 'business',
  merchant: 'merchant',
  project: 'project',
};

/** Filters of exactly the lines and refunds that were added up; `as` says which list they are for. */
function drillOf(question: SaleQuestion, row?: { readonly group: SaleGroup; readonly key: string }) {
  const { keyword, ...filters } = question.filters;
  const days = row?.group === 'day' ? `${row.key}~${row.key}` : question.range;
  const base: Record<string, string> = {
    ...filters,
    ...(keyword && { searchVal: keyword }),
    ...(row && row.group !== 'day' && { [ROW_FILTER[row.group]]: row.key }),
  };
  const lines = { as: 'lines', ...base, soldAt: days };
  const booked = { as: 'refunds', ...base, bookedAt: days };
  const refunds = question.view === 'payDay' ? booked : { as: 'refunds', ...base, backAt: days };
  const looks = (kind: string) => ({ as: 'visits', ...base, kind, at: days });
  return {
    ...(asksOfVisits(question, row?.group ?? 'all') && {
      views: looks('view'),
      visitors: looks('view'),
      carters: looks('cart'),
    }),
    ...Object.fromEntries(
      ['buyers', 'orders', 'pieces', 'goods', 'discount', 'paid'].map((name) => [name, lines]),
    ),
    returned: refunds,
    refund: refunds,
    backRate: booked,
  };
}

function point(key: string, label: string, sums: SaleSums): ChartPoint {
  return {
    key,
    label,
    values: { paid: sums.paid / 100, net: (sums.paid - sums.refund) / 100, pieces: sums.pieces },
  };
}

function timePoint(step: Step, days: ReadonlyMap<string, SaleSums>): ChartPoint {
  let [paid, refund, pieces] = [0, 0, 0];
  for (const [day, sums] of days)
    if (day >= step.from && day <= step.to) {
      paid += sums.paid;
      refund += sums.refund;
      pieces += sums.pieces;
    }
  return point(`${step.from}~${step.to}`, step.label, { ...NO_SALES, paid, refund, pieces });
}

interface Named {
  readonly name: string;
  readonly code?: string;
  readonly merchant?: string;
  readonly business?: string;
  readonly className?: string;
}

async function namesOf(db: Executor, group: SaleGroup, keys: readonly string[]): Promise<Map<string, Named>> {
  if (group === 'day') return new Map(keys.map((key) => [key, { name: key }]));
  const product = `m.name AS merchant, b.name AS business,
    (SELECT k.name FROM product_class k WHERE k.id = (SELECT min(x.class_id) FROM product_class_member x WHERE x.product_id = p.id)) AS "className"
    FROM product p JOIN tenant m ON m.id = p.tenant_id JOIN business b ON b.id = p.business_id`;
  const sql = {
    product: `SELECT p.id::text AS key, p.code, p.name, ${product} WHERE p.id = ANY($1::bigint[])`,
    spec: `SELECT c.id::text AS key, p.code || '-' || c.code AS code, p.name || ' ' || c.name AS name, ${product} JOIN product_spec c ON c.product_id = p.id WHERE c.id = ANY($1::bigint[])`,
    class: 'SELECT id::text AS key, name FROM product_class WHERE id = ANY($1::bigint[])',
    business: 'SELECT id::text AS key, name FROM business WHERE id = ANY($1::bigint[])',
    merchant: 'SELECT id::text AS key, name FROM tenant WHERE id = ANY($1::bigint[])',
    project: 'SELECT id::text AS key, name FROM project WHERE id = ANY($1::bigint[])',
  }[group];
  const rows = await run<Named & { key: string }>(db, sql, [keys]);
  return new Map(rows.map(({ key, ...named }) => [key, named]));
}
