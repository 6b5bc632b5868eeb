import { z } from 'zod';
import type { FileValue, RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { dueJob } from '../../../kernel/server/resource/due-job.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext } from '../../../kernel/server/resource/run-action.ts';
import { countAd } from '../../../domain/ad-metric/ad-metric.server.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { checkPeriod, checkPictures } from '../mall-content/content-checks.server.ts';
import { ON_SALE, PRODUCT_SCOPE } from '../product/product-scope.server.ts';
import { mallAd } from './mall-ad.contract.ts';

const ROOT = '/jinmao/web/mallAd';
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
/** First key of the advisory locks of slots: who puts an advert on waits for the others of the slot and project. */
const SLOT_LOCK = 8_116;
const SLOTS = ['home', 'category', 'popup'] as const;
const idText = z.string().regex(/^\d{1,15}$/);
const OUT_OF_REACH: Label = [
  '该广告含您范围外的小区，不能操作',
  'It is for projects outside your scope, too, and cannot be changed',
];
const OVER: Label = [
  '结束时间已过，请修改后再上架',
  'The end has passed, please change it before putting it on',
];
const NOT_ON_SALE: Label = [
  '跳转的商品已下架，请修改后再上架',
  'The goods it opens are not on sale any more, please choose others',
];
const metric = (column: string) =>
  `(SELECT sum(x.${column})::int FROM ad_metric x WHERE x.kind = 'mall' AND x.advert_id = t.id)`;
const inReach = (row: DbRow, caller: Caller) =>
  caller.projectIds === null ||
  (row.projectIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id)))
    ? undefined
    : OUT_OF_REACH;

const bound: BoundResource = bindResource(mallAd, {
  table: 'mall_ad',
  joins: { product: 'product' },
  links: {
    projects: { table: 'mall_ad_project', own: 'mall_ad_id', other: 'project_id', to: 'project' },
  },
  columns: {
    images: 't.image_ids',
    target: `CASE t.jump WHEN 'url' THEN t.url ELSE r_product.name END`,
    running: `(t.state = 'on' AND t.starts_at <= now() AND t.ends_at > now())`,
    shown: metric('exposures'),
    clicked: metric('clicks'),
    clickRate: `(SELECT round(100.0 * sum(x.clicks) / nullif(sum(x.exposures), 0), 2)::text FROM ad_metric x WHERE x.kind = 'mall' AND x.advert_id = t.id)`,
  },
  writes: { images: 'image_ids' },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM mall_ad_project p WHERE p.mall_ad_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `EXISTS (SELECT FROM mall_ad_project p WHERE p.mall_ad_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
    owner: 't.created_by',
  },
  search: 'lower(t.title)',
  extra: { projectIds: 'ARRAY(SELECT p.project_id FROM mall_ad_project p WHERE p.mall_ad_id = t.id)' },
  ruleReads: ['projectIds'],
  rowRules: { update: inReach, on: inReach, off: inReach, remove: inReach },
  present: async (rows, db, caller) => {
    const byId = await filesById(db, [...new Set(rows.flatMap((row) => row.images as string[]))]);
    for (const row of rows) {
      row.images = (row.images as string[]).flatMap((id): FileValue[] => {
        const file = byId.get(id);
        return file ? [file] : [];
      });
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    }
  },
  before: [check],
  handlers: { on: putOn },
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 商城广告', 'Adverts of the mall in the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ projectId: idText, slot: z.enum(SLOTS) }),
      handle: async ({ platform, query }) => {
        const projectId = Number(query.projectId);
        const rows = await run<{
          id: number;
          title: string;
          image_ids: string[];
          jump: string;
          inner_class: string | null;
          product_id: number | null;
          url: string;
        }>(
          platform.database.db,
          `SELECT t.id, t.title, t.image_ids, t.jump, t.inner_class, t.product_id, t.url FROM mall_ad t JOIN mall_ad_project p ON p.mall_ad_id = t.id
            WHERE p.project_id = $1 AND t.slot = $2 AND t.state = 'on' AND t.starts_at <= now() AND t.ends_at > now()
            ORDER BY t.sort, t.starts_at DESC, t.id DESC LIMIT $3`,
          [projectId, query.slot, await platform.settings.number('mall.ad.slot_max', { projectId })],
        );
        return rows.map((row) => ({
          id: String(row.id),
          title: row.title,
          images: row.image_ids.map((id) => `/api/file/${id}`),
          jump:
            row.jump === 'url'
              ? { type: 2, url: row.url }
              : {
                  type: 1,
                  innerClass: row.inner_class === 'mall' ? 1 : 2,
                  productId: String(row.product_id),
                },
        }));
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/event`,
      title: ['商城广告曝光与点击', 'An advert of the mall shown or clicked'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        eventId: z.string().min(1).max(64),
        advertId: idText,
        projectId: idText,
        memberId: idText.optional(),
        type: z.enum(['ad.show', 'ad.click']),
      }),
      handle: async ({ platform, body }) => {
        const memberId = body.memberId ? Number(body.memberId) : undefined;
        const counted = await transaction(platform.database.db, async (tx) => {
          const known = await runOne(
            tx,
            `SELECT FROM mall_ad_project p WHERE p.mall_ad_id = $1 AND p.project_id = $2
                AND ($3::bigint IS NULL OR EXISTS (SELECT FROM member WHERE id = $3))`,
            [Number(body.advertId), Number(body.projectId), memberId ?? null],
          );
          if (!known) throw notFound();
          return countAd(tx, {
            eventId: body.eventId,
            kind: 'mall',
            advertId: Number(body.advertId),
            projectId: Number(body.projectId),
            memberId,
            what: body.type === 'ad.show' ? 'show' : 'click',
          });
        });
        return { accepted: counted, duplicate: !counted };
      },
    }),
  ],
  also: {
    options: [adProducts()],
    jobs: [
      dueJob(() => bound, {
        name: 'ad.period',
        title: ['商城广告到期结束', 'Mall adverts whose time is over'],
        cron: '* * * * *',
        action: 'expire',
        when: 't.ends_at <= now()',
      }),
    ],
  },
});

/** Adverts of the mall. */
export const registration = bound.registration;

/** Goods on sale that stand where the caller works. */
function adProducts(): OptionSource {
  return {
    target: 'mallAdProduct',
    anyOf: [mallAd.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [`t.kind = 'goods'`, placeCondition(caller, PRODUCT_SCOPE, parameters)];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(ON_SALE);
      if (query.searchVal)
        parts.push(`t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code AS note FROM product t WHERE ${parts.join(' AND ')}
          ORDER BY ${nameOrder('t.name')}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Period and pictures fit, what is opened is named, and what is not opened is let go. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, columns, tx } = context;
  if (action !== 'create' && action !== 'update') return;
  await checkPeriod(tx, input, row);
  if (Array.isArray(input.images))
    await checkPictures(context, 'images', input.images as string[], (row.image_ids ?? []) as string[]);
  const inner = String(input.jump ?? row.jump) === 'inner';
  const problems: Record<string, Label> = {};
  for (const [name, column, wanted, empty] of [
    ['innerClass', 'inner_class', inner, null],
    ['product', 'product_id', inner, null],
    ['url', 'url', !inner, ''],
  ] as const) {
    const chosen = name in input ? input[name] : row[column];
    if (!wanted) columns[column] = empty;
    else if (!chosen) problems[name] = ['此项必填', 'This field is required'];
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
}

/** btn_on: refuses what is over, goods that left, and more adverts at a time in a slot than a project shows. */
async function putOn({ tx, id, row, platform }: ActionContext): Promise<void> {
  const live = await runOne<{ over: boolean; gone: boolean }>(
    tx,
    `SELECT a.ends_at <= now() AS over, a.product_id IS NOT NULL AND NOT EXISTS (SELECT FROM product t WHERE t.id = a.product_id AND ${ON_SALE}) AS gone
       FROM mall_ad a WHERE a.id = $1`,
    [id],
  );
  if (live!.over) throw ruleBroken(OVER);
  if (live!.gone) throw ruleBroken(NOT_ON_SALE);
  const slot = SLOTS.indexOf(row.slot as (typeof SLOTS)[number]);
  const projects = await run<{ id: number; name: string }>(
    tx,
    'SELECT p.id, p.name FROM mall_ad_project l JOIN project p ON p.id = l.project_id WHERE l.mall_ad_id = $1 ORDER BY p.id',
    [id],
  );
  // One after the other for a slot of a project, in the order of ids; what is counted was written by whoever was before.
  for (const project of projects)
    await run(tx, 'SELECT pg_advisory_xact_lock($1::int, $2::int)', [SLOT_LOCK, project.id * 3 + slot]);
  for (const project of projects) {
    const most = await platform.settings.numberIn(tx, 'mall.ad.slot_max', { projectId: project.id });
    const peak = await runOne<{ n: number }>(
      tx,
      'SELECT mall_ad_peak($1, $2, greatest($3::timestamptz, now()), $4, $5) AS n',
      [row.slot, project.id, row.starts_at, row.ends_at, id],
    );
    if (peak!.n >= most)
      throw ruleBroken([
        `「${project.name}」该位置同一时段最多上架 ${most} 个广告`,
        `${project.name} shows at most ${most} adverts at a time in this slot`,
      ]);
  }
}
