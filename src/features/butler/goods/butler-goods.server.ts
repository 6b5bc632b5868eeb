import type { RefValue } from '../../../kernel/contract/fields.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import type { OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import {
  filteredProjects,
  inReach,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import { classesOfSql } from '../../../domain/order-rule/product-classes.server.ts';
import { ON_SALE, PRODUCT_SCOPE } from '../../mall/product/product-scope.server.ts';
import { putFigures } from '../figures.server.ts';
import { butlerGoods } from './butler-goods.contract.ts';
import { TODAY } from '../../../kernel/server/today.ts';

const among = (ids: string) =>
  `EXISTS (SELECT FROM butler_goods_project p WHERE p.goods_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`;

const offers: OptionSource = {
  target: 'butlerGoodsOffer',
  anyOf: [butlerGoods.menu],
  find: async ({ caller, platform }, query) => {
    const parameters = new Parameters();
    const parts = [ON_SALE, placeCondition(caller, PRODUCT_SCOPE, parameters)];
    if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
    const keyword = query.searchVal.trim().toLowerCase();
    if (keyword) {
      const like = parameters.bind(containing(keyword));
      parts.push(`(t.search LIKE ${like} OR lower(b.name) LIKE ${like})`);
    }
    const rows = await run<{ id: number; title: string; note: string }>(
      platform.database.db,
      `SELECT t.id, t.name AS title, concat_ws(' · ', t.code, b.name, '¥' || to_char(t.price_min / 100.0, 'FM999999990.00')) AS note
         FROM product t LEFT JOIN business b ON b.id = t.business_id WHERE ${parts.join(' AND ')}
        ORDER BY ${nameOrder('t.name')}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
      parameters.values,
    );
    return rows.map((row) => ({ ...row, id: String(row.id) }));
  },
};

const bound: BoundResource = bindResource(butlerGoods, {
  table: 'butler_goods',
  from: `butler_goods t JOIN product g ON g.id = t.product_id LEFT JOIN tenant m ON m.id = g.tenant_id LEFT JOIN business b ON b.id = g.business_id`,
  links: {
    projects: { table: 'butler_goods_project', own: 'goods_id', other: 'project_id', to: 'project' },
  },
  columns: {
    rate: 't.rate::text',
    products: `json_build_array(json_build_object('id', g.id::text, 'title', g.name))`,
    product: { id: 't.product_id', title: 'g.code' },
    productName: 'g.name',
    image: 'g.logo_ids[1]',
    merchant: { id: 'g.tenant_id', title: 'm.name' },
    business: 'b.name',
    classes: classesOfSql('t.product_id'),
    price: 'g.price_min',
    stock: 'g.stock_total',
    fixed: 't.fixed_fen',
    // What a caller sees of them follows from the projects in reach; see `figures`.
    shares: '0',
    orders: '0',
    valid: '0::bigint',
    productState: 'g.status',
    standing: `(CASE WHEN NOT t.enabled THEN 'disabled' WHEN g.status <> 'published' OR g.recycled_at IS NOT NULL THEN 'resting'
      WHEN t.valid_from > ${TODAY} THEN 'waiting' WHEN t.valid_to < ${TODAY} THEN 'over' ELSE 'open' END)`,
  },
  writes: { products: false, fixed: 'fixed_fen' },
  filters: {
    projects: (value, parameters, caller) =>
      among(parameters.bind(filteredProjects(caller, 'projects', value))),
  },
  scope: { tenant: 'NULL::bigint', project: among, owner: 't.created_by' },
  search: 'g.search',
  unique: { butler_goods_once: ['该商品在此期间已配置', 'Already configured'] },
  extra: { projectIds: 'ARRAY(SELECT p.project_id FROM butler_goods_project p WHERE p.goods_id = t.id)' },
  ruleReads: ['projectIds'],
  rowRules: { update: inReach, enable: inReach, disable: inReach, setIncentive: inReach },
  before: [check],
  handlers: { create, setIncentive },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'image');
    await figures(rows, db, caller);
    for (const row of rows)
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
  },
  also: { options: [offers] },
});

/** Goods that butlers may share. */
export const registration = bound.registration;

/** Links of the goods in their days and results under their rules, of the projects the caller works in. */
async function figures(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  const found = await run<{ id: number; shares: number; orders: number; valid: number }>(
    db,
    `SELECT t.id, (SELECT count(*)::int FROM butler_share s WHERE s.product_id = t.product_id AND ($2::bigint[] IS NULL OR s.project_id = ANY($2::bigint[]))
               AND (s.shared_at AT TIME ZONE 'Asia/Shanghai')::date >= t.valid_from AND (t.valid_to IS NULL OR (s.shared_at AT TIME ZONE 'Asia/Shanghai')::date <= t.valid_to)) AS shares,
            count(DISTINCT p.order_id)::int AS orders, coalesce(sum(p.valid), 0)::bigint AS valid
       FROM butler_goods t LEFT JOIN butler_performance p ON p.goods_id = t.id AND p.housekeeper_id IS NOT NULL AND ($2::bigint[] IS NULL OR p.project_id = ANY($2::bigint[]))
      WHERE t.id = ANY($1::bigint[]) GROUP BY t.id`,
    [rows.map((row) => Number(row.id)), caller.projectIds],
  );
  putFigures(rows, found);
}

/** Goods on sale the caller sees, projects where all of them are sold, a period and an incentive that fit. */
async function check({ tx, action, input, row, caller, columns }: ActionContext): Promise<void> {
  if (action !== 'create' && action !== 'update') return;
  const [from, to] = [input.validFrom ?? row.valid_from, 'validTo' in input ? input.validTo : row.valid_to];
  if (to && String(to) < String(from))
    throw invalid({ validTo: ['不能早于生效日期', 'Not before the first day'] });
  const ids =
    action === 'create' ? [...new Set((input.products as number[]).map(Number))] : [Number(row.product_id)];
  if (action === 'create') {
    const parameters = new Parameters();
    const seen = await run(
      tx,
      `SELECT t.id FROM product t WHERE t.id = ANY(${parameters.bind(ids)}::bigint[]) AND ${ON_SALE} AND ${placeCondition(caller, PRODUCT_SCOPE, parameters)}`,
      parameters.values,
    );
    if (seen.length < ids.length)
      throw invalid({ products: ['商品不存在或未在售', 'The goods do not exist or are not on sale'] });
    columns.product_id = ids[0];
  }
  if (Array.isArray(input.projects)) {
    const projects = [...new Set((input.projects as number[]).map(Number))];
    requireProjectsInReach(caller, projects);
    const elsewhere = await runOne<{ goods: string; project: string }>(
      tx,
      `SELECT g.name AS goods, o.name AS project FROM product g, project o WHERE g.id = ANY($1::bigint[]) AND o.id = ANY($2::bigint[])
          AND NOT EXISTS (SELECT FROM product_project s WHERE s.product_id = g.id AND s.project_id = o.id) ORDER BY g.id, o.id LIMIT 1`,
      [ids, projects],
    );
    if (elsewhere)
      throw invalid({
        projects: [
          `“${elsewhere.goods}”未在项目“${elsewhere.project}”销售`,
          `${elsewhere.goods} is not sold in the project ${elsewhere.project}`,
        ],
      });
  }
  Object.assign(columns, await incentiveOf(tx, ids, input, row));
}

/** The incentive as the row keeps it: the value of its kind, the other one empty. */
async function incentiveOf(
  tx: ActionContext['tx'],
  products: readonly number[],
  input: ActionContext['input'],
  row: ActionContext['row'],
): Promise<{ incentive: string; fixed_fen: number | null; rate: unknown }> {
  const kind = String(input.incentive ?? row.incentive ?? 'plan');
  const fixed = kind === 'fixed' ? (input.fixed ?? row.fixed_fen ?? null) : null;
  const rate = kind === 'rate' ? (input.rate ?? row.rate ?? null) : null;
  if (kind === 'fixed') {
    if (fixed === null) throw invalid({ fixed: ['请填写每件激励', 'Say how much per piece'] });
    const low = await runOne<{ name: string }>(
      tx,
      'SELECT name FROM product WHERE id = ANY($1::bigint[]) AND $2::bigint * 10 > coalesce(price_min, 0)::bigint * 3 ORDER BY id LIMIT 1',
      [products, fixed],
    );
    if (low)
      throw invalid({
        fixed: [`不能超过“${low.name}”售价的 30%`, `More than 30 % of the price of ${low.name}`],
      });
  }
  if (kind === 'rate' && rate === null) throw invalid({ rate: ['请填写激励比例', 'Say the rate'] });
  return { incentive: kind, fixed_fen: fixed === null ? null : Number(fixed), rate };
}

/** A row for each of the chosen goods, all or none. */
async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, input } = context;
  const [, ...others] = [...new Set((input.products as number[]).map(String))];
  for (const other of others)
    await bound.actIn(tx, context, 'create', undefined, {
      ...Object.fromEntries(
        Object.entries(input).filter(([, value]) => value !== null && value !== undefined),
      ),
      projects: (input.projects as number[]).map(String),
      products: [other],
      ...(typeof input.fixed === 'number' && { fixed: yuanFromFen(input.fixed) }),
    });
  return {};
}

/** Another incentive; payments before it keep what held for them, which is why old and new are written down. */
async function setIncentive({ tx, id, input, row }: ActionContext): Promise<ActionResult> {
  const next = await incentiveOf(tx, [Number(row.product_id)], input, {});
  await run(tx, 'UPDATE butler_goods SET incentive = $2, fixed_fen = $3, rate = $4 WHERE id = $1', [
    id,
    next.incentive,
    next.fixed_fen,
    next.rate,
  ]);
  return { remark: `${told(row)} → ${told(next)}` };
}

function told(row: Readonly<Record<string, unknown>>): string {
  if (row.incentive === 'fixed') return `¥${(Number(row.fixed_fen) / 100).toFixed(2)}`;
  return row.incentive === 'rate' ? `${Number(row.rate)}%` : '按方案';
}
