import { z } from 'zod';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import type { Resource } from '../../../kernel/contract/resource.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { requireProjectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { checkPeriod, checkPictures } from '../mall-content/content-checks.server.ts';
import { ON_SALE, PRODUCT_SCOPE } from '../product/product-scope.server.ts';
import { recommendedProduct } from './recommended-product.contract.ts';

/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
const idText = z.string().regex(/^\d{1,15}$/);

/** What is recommended: goods in the mall, services of the home services. */
interface Recommended {
  readonly contract: Resource;
  readonly kind: 'goods' | 'service';
  /** Condition for products `t` that may be chosen. */
  readonly onSale: string;
  /** What more than the goods' own state keeps the product `p` from being shown, as a CASE branch. */
  readonly gone: string;
  readonly target: string;
  /** Setting that says how many are shown; absent: 100. */
  readonly limit?: string;
  readonly words: { readonly taken: Label; readonly notOnSale: Label; readonly elsewhere: Label };
  readonly job: { readonly name: string; readonly title: Label };
}

/** The binding of recommendations of one kind. */
export function bindRecommended(what: Recommended): BoundResource {
  const ROOT = `/jinmao/web/${what.contract.name}`;
  const period = { ...what.job, cron: '* * * * *' };
  const hidden = hiddenSql(what.gone);
  const bound: BoundResource = bindResource(what.contract, {
    where: `t.kind = '${what.kind}'`,
    createDefaults: async () => ({ kind: what.kind }),
    table: 'recommended_product',
    from: `recommended_product t LEFT JOIN product p ON p.id = t.product_id LEFT JOIN tenant m ON m.id = p.tenant_id`,
    joins: { project: 'project' },
    columns: {
      products: `json_build_array(json_build_object('id', p.id::text, 'title', p.name))`,
      product: { id: 't.product_id', title: 'p.code' },
      productName: 'p.name',
      image: 'coalesce(t.image_id, p.logo_ids[1])',
      merchant: { id: 'p.tenant_id', title: 'm.name' },
      price: 'p.price_min',
      productState: 'p.status',
      hiddenBecause: hidden,
      bookings:
        what.kind === 'service'
          ? `(SELECT count(*)::integer FROM appointment a WHERE a.product_id = t.product_id AND a.project_id = t.project_id AND a.state <> 'released')`
          : 'NULL::integer',
    },
    writes: { project: 'project_id', products: false },
    scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
    search: 'p.search',
    unique: { recommended_product_once: what.words.taken },
    before: [(context) => check(what, context)],
    handlers: {
      create: (context) => create(bound, context),
      update: async ({ tx, input, row }) => ({ to: await stateNow(tx, input, row) }),
      copyTo: (context) => copyTo(what, bound, context),
    },
    present: async (rows, db) => showFiles(rows, db, 'image'),
    endpoints: [
      endpoint({
        method: 'GET',
        path: `${ROOT}/app/list`,
        title: ['App 推荐商品', 'Recommended goods of the app'],
        access: { program: APP_SCOPE },
        query: z.strictObject({ projectId: idText }),
        handle: async ({ platform, query }) => {
          const limit = what.limit
            ? await platform.settings.number(what.limit, { projectId: Number(query.projectId) })
            : 100;
          const rows = await run<{
            id: number;
            product_id: number;
            name: string;
            price: string;
            image: string;
          }>(
            platform.database.db,
            `SELECT t.id, t.product_id, p.name, to_char(p.price_min / 100.0, 'FM999999990.00') AS price, coalesce(t.image_id, p.logo_ids[1]) AS image
             FROM recommended_product t JOIN product p ON p.id = t.product_id
            WHERE t.project_id = $1 AND t.starts_at <= now() AND t.ends_at > now() AND t.kind = '${what.kind}' AND ${hidden} = 'shown'
            ORDER BY t.position, t.id LIMIT $2`,
            [Number(query.projectId), limit],
          );
          return rows.map((row) => ({
            id: String(row.id),
            productId: String(row.product_id),
            productName: row.name,
            price: row.price,
            image: row.image ? `/api/file/${row.image}` : null,
          }));
        },
      }),
      endpoint({
        method: 'POST',
        path: `${ROOT}/app/click`,
        title: ['推荐商品点击', 'Recommended goods clicked'],
        access: { program: APP_SCOPE },
        body: z.strictObject({ eventId: z.string().min(1).max(64), id: idText }),
        handle: async ({ platform, body }) => {
          const accepted = await transaction(platform.database.db, async (tx) => {
            if (
              !(await runOne(tx, 'SELECT FROM recommended_product WHERE id = $1 AND kind = $2', [
                Number(body.id),
                what.kind,
              ]))
            )
              throw notFound();
            // The app's own number counts once, however often it is sent.
            const fresh = await runOne(
              tx,
              'INSERT INTO ad_told (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id',
              [body.eventId],
            );
            if (fresh)
              await run(tx, 'UPDATE recommended_product SET clicks = clicks + 1 WHERE id = $1', [
                Number(body.id),
              ]);
            return fresh !== undefined;
          });
          return { accepted, duplicate: !accepted };
        },
      }),
    ],
    also: {
      options: [recommendable(what)],
      jobs: [
        {
          ...period,
          run: async (...call) => {
            for (const due of [
              { ...period, action: 'begin', when: 't.starts_at <= now() AND t.ends_at > now()' },
              { ...period, action: 'finish', when: 't.ends_at <= now()' },
            ])
              await dueJob(() => bound, due).run(...call);
          },
        },
      ],
    },
  });
  return bound;
}

/** Why a product is not shown although its time has come, or `shown`. */
function hiddenSql(gone: string): string {
  return `CASE WHEN p.status <> 'published' OR p.recycled_at IS NOT NULL THEN 'taken_down'
  WHEN NOT EXISTS (SELECT FROM product_project sold WHERE sold.product_id = t.product_id AND sold.project_id = t.project_id) THEN 'left_project'
  WHEN ${gone} THEN 'sold_out' ELSE 'shown' END`;
}

/** Recommended goods: they begin and end by themselves, within a minute. */
export const registration = bindRecommended({
  contract: recommendedProduct,
  kind: 'goods',
  onSale: ON_SALE,
  gone: 'p.stock_total = 0',
  target: 'recommendable',
  words: {
    taken: ['该商品已推荐', 'The goods are recommended there already'],
    notOnSale: ['商品不存在或未在售', 'The goods do not exist or are not on sale'],
    elsewhere: ['未在该小区出售：{names}', 'Not on sale in this project: {names}'],
  },
  job: { name: 'recommend.period', title: ['商品推荐到期开始与结束', 'Recommendations begin and end'] },
}).registration;

/** Products on sale, those of the chosen project where one is chosen; found by name, code or business. */
function recommendable(what: Recommended): OptionSource {
  return {
    target: what.target,
    anyOf: [what.contract.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [what.onSale, placeCondition(caller, PRODUCT_SCOPE, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.within && query.within.length > 0)
        parts.push(
          `EXISTS (SELECT FROM product_project pp WHERE pp.product_id = t.id AND pp.project_id = ANY(${parameters.bind(query.within.map(Number))}::bigint[]))`,
        );
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
}

/** Period and picture fit; what is recommended is on sale in the project, as the caller may see it. */
async function check(what: Recommended, context: ActionContext): Promise<void> {
  const { action, input, row, tx, caller, columns } = context;
  if (action !== 'create' && action !== 'update') return;
  await checkPeriod(tx, input, row);
  if (input.image) await checkPictures(context, 'image', [String(input.image)], [String(row.image_id ?? '')]);
  if (input.position === null) delete columns.position;
  if (action !== 'create') return;
  const project = Number(input.project);
  requireProjectsInReach(caller, [project]);
  const ids = [...new Set(input.products as number[])];
  const parameters = new Parameters();
  const rows = await run<{ id: number; name: string; there: boolean }>(
    tx,
    `SELECT t.id, t.name, EXISTS (SELECT FROM product_project pp WHERE pp.product_id = t.id AND pp.project_id = ${parameters.bind(project)}) AS there
       FROM product t WHERE t.id = ANY(${parameters.bind(ids)}::bigint[]) AND ${what.onSale} AND ${placeCondition(caller, PRODUCT_SCOPE, parameters)}`,
    parameters.values,
  );
  if (rows.length < ids.length) throw invalid({ products: what.words.notOnSale });
  const elsewhere = rows.filter((one) => !one.there).map((one) => one.name);
  if (elsewhere.length > 0)
    throw invalid({
      products: [
        fill(what.words.elsewhere, { names: elsewhere.join('、') })[0],
        fill(what.words.elsewhere, { names: elsewhere.join(', ') })[1],
      ],
    });
  const [first] = ids;
  columns.product_id = first;
}

/** A row for each of the chosen products, all or none, in the order they were chosen. */
async function create(bound: BoundResource, context: ActionContext): Promise<ActionResult> {
  const { tx, input } = context;
  const [, ...others] = [...new Set(input.products as number[])];
  const to = await stateNow(tx, input, {});
  for (const [index, other] of others.entries())
    await bound.actIn(tx, context, 'create', undefined, {
      project: String(input.project),
      products: [String(other)],
      startsAt: input.startsAt,
      endsAt: input.endsAt,
      ...(input.image ? { image: input.image } : {}),
      ...(typeof input.position === 'number'
        ? { position: Math.min(9_999, input.position + index + 1) }
        : {}),
    });
  return { to };
}

/** The state a period gives by the clock of the database. */
async function stateNow(
  tx: ActionContext['tx'],
  input: ActionContext['input'],
  row: ActionContext['row'],
): Promise<'waiting' | 'running'> {
  const clock = await runOne<{ begun: boolean }>(tx, 'SELECT $1::timestamptz <= now() AS begun', [
    input.startsAt ?? row.starts_at,
  ]);
  return clock!.begun ? 'running' : 'waiting';
}

/** The same goods for other projects; where they are not sold or recommended already they are left out. */
async function copyTo(
  what: Recommended,
  bound: BoundResource,
  context: ActionContext,
): Promise<ActionResult> {
  const { tx, row, input, caller } = context;
  const projects = [...new Set(input.projects as number[])].filter((one) => one !== row.project_id);
  requireProjectsInReach(caller, projects);
  const fitting = await run<{ id: number }>(
    tx,
    `SELECT o.id FROM project o JOIN product_project pp ON pp.project_id = o.id AND pp.product_id = $1 JOIN product t ON t.id = pp.product_id AND ${what.onSale}
      WHERE o.id = ANY($2::bigint[]) AND NOT EXISTS (SELECT FROM recommended_product r WHERE r.project_id = o.id AND r.product_id = $1)
      ORDER BY o.id`,
    [row.product_id, projects],
  );
  for (const { id } of fitting)
    await bound.actIn(tx, context, 'create', undefined, {
      project: String(id),
      products: [String(row.product_id)],
      startsAt: (row.starts_at as Date).toISOString(),
      endsAt: (row.ends_at as Date).toISOString(),
      ...(row.image_id ? { image: String(row.image_id) } : {}),
    });
  const skipped = projects.length - fitting.length;
  return { remark: `+${fitting.length}`, result: { n: fitting.length, skipped } };
}
