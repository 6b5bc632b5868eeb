import { z } from 'zod';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
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

const ROOT = '/jinmao/web/recommendedProduct';
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
const idText = z.string().regex(/^\d{1,15}$/);
const TAKEN: Label = ['该商品已推荐', 'The goods are recommended there already'];
/** Why a product is not shown although its time has come, or `shown`. */
const HIDDEN = `CASE WHEN p.status <> 'published' OR p.recycled_at IS NOT NULL THEN 'taken_down'
  WHEN NOT EXISTS (SELECT FROM product_project sold WHERE sold.product_id = t.product_id AND sold.project_id = t.project_id) THEN 'left_project'
  WHEN p.stock_total = 0 THEN 'sold_out' ELSE 'shown' END`;

/** Recommendations begin and end by themselves, within a minute. */
const PERIOD = {
  name: 'recommend.period',
  title: ['商品推荐到期开始与结束', 'Recommendations begin and end'] as const,
  cron: '* * * * *',
};

const bound: BoundResource = bindResource(recommendedProduct, {
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
    hiddenBecause: HIDDEN,
  },
  writes: { project: 'project_id', products: false },
  scope: { tenant: 'NULL::bigint', project: 't.project_id', owner: 't.created_by' },
  search: 'p.search',
  unique: { recommended_product_once: TAKEN },
  before: [check],
  handlers: {
    create,
    update: async ({ tx, input, row }) => ({ to: await stateNow(tx, input, row) }),
    copyTo,
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
            WHERE t.project_id = $1 AND t.starts_at <= now() AND t.ends_at > now() AND ${HIDDEN} = 'shown'
            ORDER BY t.position, t.id LIMIT 100`,
          [Number(query.projectId)],
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
          if (!(await runOne(tx, 'SELECT FROM recommended_product WHERE id = $1', [Number(body.id)])))
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
    options: [recommendable()],
    jobs: [
      {
        ...PERIOD,
        run: async (...call) => {
          for (const due of [
            { ...PERIOD, action: 'begin', when: 't.starts_at <= now() AND t.ends_at > now()' },
            { ...PERIOD, action: 'finish', when: 't.ends_at <= now()' },
          ])
            await dueJob(() => bound, due).run(...call);
        },
      },
    ],
  },
});

/** Recommended goods. */
export const registration = bound.registration;

/** Products on sale, those of the chosen project where one is chosen; found by name, code or business. */
function recommendable(): OptionSource {
  return {
    target: 'recommendable',
    anyOf: [recommendedProduct.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [ON_SALE, placeCondition(caller, PRODUCT_SCOPE, parameters)];
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
async function check(context: ActionContext): Promise<void> {
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
       FROM product t WHERE t.id = ANY(${parameters.bind(ids)}::bigint[]) AND ${ON_SALE} AND ${placeCondition(caller, PRODUCT_SCOPE, parameters)}`,
    parameters.values,
  );
  if (rows.length < ids.length)
    throw invalid({ products: ['商品不存在或未在售', 'The goods do not exist or are not on sale'] });
  const elsewhere = rows.filter((one) => !one.there).map((one) => one.name);
  if (elsewhere.length > 0)
    throw invalid({
      products: [
        `未在该小区出售：${elsewhere.join('、')}`,
        `Not on sale in this project: ${elsewhere.join(', ')}`,
      ],
    });
  const [first] = ids;
  columns.product_id = first;
}

/** A row for each of the chosen products, all or none, in the order they were chosen. */
async function create(context: ActionContext): Promise<ActionResult> {
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
async function copyTo(context: ActionContext): Promise<ActionResult> {
  const { tx, row, input, caller } = context;
  const projects = [...new Set(input.projects as number[])].filter((one) => one !== row.project_id);
  requireProjectsInReach(caller, projects);
  if (row.state === 'ended')
    throw ruleBroken(['推荐已结束，请先修改时段', 'It is over, change its period first']);
  const fitting = await run<{ id: number }>(
    tx,
    `SELECT o.id FROM project o JOIN product_project pp ON pp.project_id = o.id AND pp.product_id = $1 JOIN product t ON t.id = pp.product_id AND ${ON_SALE}
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
