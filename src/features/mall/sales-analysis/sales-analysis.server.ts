import { classesOfSql } from '../../../domain/order-rule/product-classes.server.ts';
import { textOf, type Language } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { addDays } from '../../../kernel/contract/time.rules.ts';
import type { ChartPoint } from '../../../kernel/contract/report.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { bindReport, type ReportRequest, type ReportResult } from '../../../kernel/server/report/bind.ts';
import { projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { businessAna } from './sales-analysis.contract.ts';
import {
  addSums,
  averageOf,
  classesBelow,
  daysOf,
  NO_SUMS,
  pointOf,
  sliceOf,
  type ClassNode,
  type Sums,
} from './sales-figures.rules.ts';
import {
  MAIN_CLASS,
  salesSums,
  sumOfDays,
  type OrderDay,
  type SalesQuestion,
} from './sales-queries.server.ts';

const TOP_PROJECTS = 10;
const SPARK_DAYS = 7;

/** Report of goods sales by product. */
export const registration = bindReport(businessAna, {
  compute: async ({ caller, platform, language }, request) => {
    const db = platform.replica.db;
    const tree = await classTree(db, language);
    const question = questionOf(request, tree);
    const sums = await salesSums(db, caller, question);
    const products = await productsOf(db, [...sums.products.keys()]);
    const projectNames = await namesOf(db, 'project', [...sums.projects.keys()]);
    const chosen = idsOf(request.parameters.class);
    const zh = language === 'zh';
    const byBusiness = new Map<string, Slice>();
    const byClass = new Map<string, Slice>();
    const rows: Record<string, unknown>[] = [];
    for (const product of products) {
      const one = sums.products.get(product.id)!;
      add(
        byBusiness,
        String(product.business_id),
        textOf([product.business, product.business_en], language),
        one,
      );
      const slice = sliceOf(product.main_class, chosen?.length === 1 ? chosen[0] : undefined, tree);
      add(byClass, String(slice), tree.get(slice)?.name ?? NO_CLASS_NAME[zh ? 0 : 1], one);
      rows.push(rowOf(product, one, request, caller));
    }
    const total = [...sums.products.values()].reduce(addSums, NO_SUMS);
    return {
      figures: figuresOf(request, sums.days, sums.orders),
      charts: {
        business: pointsOf(byBusiness),
        class: pointsOf(byClass),
        project: [...sums.projects]
          .map(([id, one]) => pointOf(String(id), projectNames.get(id) ?? String(id), one))
          .sort((a, b) => b.values.net! - a.values.net! || Number(a.key) - Number(b.key))
          .slice(0, TOP_PROJECTS),
        day: daysOf(request.from, request.to).map((day) =>
          pointOf(`${day}~${day}`, day.slice(5), sums.days.get(day) ?? NO_SUMS),
        ),
      },
      rows,
      sums: { ...total, net: total.paid - total.refund },
    };
  },
});

interface ProductRow {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly published_at: Date | null;
  readonly status: string;
  readonly tenant_id: number;
  readonly merchant: string;
  readonly business_id: number;
  readonly business: string;
  readonly business_en: string;
  readonly main_class: number | null;
  readonly classes: readonly { id: string; title: string }[];
  readonly projects: readonly { id: string; title: string }[];
  readonly price_min: number;
  readonly price_max: number;
}

interface Slice {
  readonly label: string;
  readonly sums: Sums;
}

const NO_CLASS_NAME = ['未分类', 'No class'] as const;

function questionOf(request: ReportRequest, tree: ReadonlyMap<number, ClassNode>): SalesQuestion {
  const { parameters } = request;
  const spark = addDays(request.to, 1 - SPARK_DAYS);
  const classes = idsOf(parameters.class);
  return {
    first: request.previousFrom < spark ? request.previousFrom : spark,
    from: request.from,
    to: request.to,
    refundsBy: parameters.view === 'payDay' ? 'payDay' : 'refundDay',
    projects: idsOf(parameters.project),
    merchants: idsOf(parameters.merchant),
    business: idsOf(parameters.business),
    classes: classes && classesBelow(classes, tree),
    keyword: parameters.keyword?.trim() || undefined,
  };
}

function rowOf(
  product: ProductRow,
  sums: Sums,
  request: ReportRequest,
  caller: Caller,
): Record<string, unknown> {
  const { parameters } = request;
  const range = `${request.from}~${request.to}`;
  const place = {
    product: String(product.id),
    ...(parameters.project ? { project: parameters.project } : {}),
    ...(parameters.merchant && caller.tenantKind !== 2 ? { merchant: parameters.merchant } : {}),
  };
  const orders = { ...place, soldAt: range };
  const refunds = {
    ...place,
    state: 'succeeded',
    ...(parameters.view === 'payDay' ? { soldAt: range } : { backAt: range }),
  };
  return {
    id: product.id,
    code: product.code,
    name: product.name,
    publishedAt: product.published_at,
    state: product.status,
    classes: product.classes,
    merchant: { id: String(product.tenant_id), title: product.merchant },
    projects: projectsInReach(caller, product.projects),
    unitPrice:
      product.price_min === product.price_max
        ? yuanFromFen(product.price_min)
        : `${yuanFromFen(product.price_min)}–${yuanFromFen(product.price_max)}`,
    ...sums,
    net: sums.paid - sums.refund,
    drill: { qty: orders, goods: orders, paid: orders, returned: refunds, refund: refunds },
  };
}

function figuresOf(
  request: ReportRequest,
  days: ReadonlyMap<string, Sums>,
  orders: ReadonlyMap<string, OrderDay>,
): ReportResult['figures'] {
  const sparkDays = daysOf(addDays(request.to, 1 - SPARK_DAYS), request.to);
  const orderSum = (from: string, to: string): OrderDay => {
    let sum = { orders: 0, freight: 0 };
    for (const [day, one] of orders)
      if (day >= from && day <= to)
        sum = { orders: sum.orders + one.orders, freight: sum.freight + one.freight };
    return sum;
  };
  const figure = (value: (sums: Sums, orders: OrderDay) => number | null, isMoney: boolean) => {
    const of = (from: string, to: string) => value(sumOfDays(days, from, to), orderSum(from, to));
    return {
      value: of(request.from, request.to),
      previous: of(request.previousFrom, request.previousTo),
      spark: sparkDays.map((day) => (of(day, day) ?? 0) / (isMoney ? 100 : 1)),
    };
  };
  return {
    pieces: figure((sums) => sums.qty, false),
    amount: figure((sums) => sums.goods, true),
    received: figure((sums) => sums.paid, true),
    refunded: figure((sums) => sums.refund, true),
    netted: figure((sums) => sums.paid - sums.refund, true),
    average: figure((sums, order) => averageOf(sums.paid, order.orders), true),
    freight: figure((_, order) => order.freight, true),
  };
}

function add(slices: Map<string, Slice>, key: string, label: string, sums: Sums): void {
  const old = slices.get(key);
  slices.set(key, { label, sums: old ? addSums(old.sums, sums) : sums });
}

function pointsOf(slices: ReadonlyMap<string, Slice>): ChartPoint[] {
  return [...slices]
    .map(([key, { label, sums }]) => pointOf(key, label, sums))
    .sort((a, b) => b.values.net! - a.values.net!);
}

function idsOf(text: string | undefined): number[] | undefined {
  return text === undefined ? undefined : text.split(',').map(Number);
}

async function classTree(db: Executor, language: Language): Promise<Map<number, ClassNode>> {
  const name = language === 'en' ? `coalesce(nullif(name_en, ''), name)` : 'name';
  const rows = await run<{ id: number; name: string; parent_id: number | null }>(
    db,
    `SELECT id, ${name} AS name, parent_id FROM product_class`,
  );
  return new Map(rows.map((row) => [row.id, { id: row.id, name: row.name, parentId: row.parent_id }]));
}

async function namesOf(db: Executor, table: 'project', ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await run<{ id: number; name: string }>(
    db,
    `SELECT id, name FROM ${table} WHERE id = ANY($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.name]));
}

async function productsOf(db: Executor, ids: readonly number[]): Promise<ProductRow[]> {
  return run<ProductRow>(
    db,
    `SELECT p.id, p.code, p.name, p.published_at, p.status, p.tenant_id, m.name AS merchant, p.business_id, b.name AS business, coalesce(nullif(b.name_en, ''), b.name) AS business_en,
            ${MAIN_CLASS} AS main_class, p.price_min, p.price_max,
            ${classesOfSql('p.id')} AS classes,
            (SELECT coalesce(json_agg(json_build_object('id', j.id::text, 'title', j.name) ORDER BY j.id), '[]')
               FROM product_project pp JOIN project j ON j.id = pp.project_id WHERE pp.product_id = p.id) AS projects
       FROM product p JOIN tenant m ON m.id = p.tenant_id JOIN business b ON b.id = p.business_id
      WHERE p.id = ANY($1::bigint[]) ORDER BY p.id`,
    [ids],
  );
}
