import { z } from 'zod';
import type { FileValue, RefValue } from '../../../kernel/contract/fields.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction, type Executor } from '../../../kernel/server/database.ts';
import { filesById, showFiles } from '../../../kernel/server/files/files.ts';
import { idOf } from '../../../kernel/server/http/call-parts.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters, placeCondition } from '../../../kernel/server/people/scope.ts';
import { endpoint, type OptionSource } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { checkSensitive } from '../../../domain/sensitive-words/sensitive-words.server.ts';
import { checkPictures } from '../mall-content/content-checks.server.ts';
import { ON_SALE, PRODUCT_SCOPE } from '../product/product-scope.server.ts';
import { findGoods } from './find-goods.contract.ts';
import { readableText } from './readable-text.rules.ts';

const ROOT = '/jinmao/web/findGoods';
/** What the programs behind the owners' app hold. */
const APP_SCOPE = 'member_event';
const idText = z.string().regex(/^\d{1,15}$/);
const OUT_OF_REACH: Label = [
  '该文章含您范围外的小区，不能操作',
  'It is for projects outside your scope, too, and cannot be changed',
];
const inReach = (row: DbRow, caller: Caller) =>
  caller.projectIds === null ||
  (row.projectIds as readonly number[]).every((id) => caller.projectIds!.includes(Number(id)))
    ? undefined
    : OUT_OF_REACH;

const bound: BoundResource = bindResource(findGoods, {
  table: 'find_goods_article',
  links: {
    projects: { table: 'find_goods_project', own: 'article_id', other: 'project_id', to: 'project' },
    products: { table: 'find_goods_product', own: 'article_id', other: 'product_id', to: 'product' },
  },
  columns: { images: 't.image_ids', avatar: 't.avatar_id', body: 'NULL::text' },
  writes: { images: 'image_ids', body: 'body_html' },
  filters: {
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM find_goods_project p WHERE p.article_id = t.id AND p.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
  },
  scope: {
    tenant: 'NULL::bigint',
    project: (ids) =>
      `EXISTS (SELECT FROM find_goods_project p WHERE p.article_id = t.id AND p.project_id = ANY(${ids}::bigint[]))`,
    owner: 't.created_by',
  },
  search: `lower(t.title || ' ' || t.subtitle)`,
  extra: { projectIds: 'ARRAY(SELECT p.project_id FROM find_goods_project p WHERE p.article_id = t.id)' },
  ruleReads: ['projectIds'],
  rowRules: { update: inReach, publish: inReach, withdraw: inReach, remove: inReach },
  before: [check],
  handlers: { publish },
  present: async (rows, db, caller) => {
    const byId = await filesById(db, [...new Set(rows.flatMap((row) => row.images as string[]))]);
    for (const row of rows) {
      row.images = (row.images as string[]).flatMap((id): FileValue[] => {
        const file = byId.get(id);
        return file ? [file] : [];
      });
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
    }
    await showFiles(rows, db, 'avatar');
  },
  // Up to 20,000 characters a row: only the detail reads them.
  detail: async (db, id) => ({
    body: (await runOne<{ body_html: string }>(db, 'SELECT body_html FROM find_goods_article WHERE id = $1', [
      id,
    ]))!.body_html,
  }),
  endpoints: [
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/list`,
      title: ['App 好物探访列表', 'Finder articles of the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({
        projectId: idText,
        page: z.coerce.number().int().min(1).max(1_000).default(1),
        limit: z.coerce.number().int().min(1).max(50).default(10),
      }),
      handle: async ({ platform, query }) => {
        const rows = await run<AppArticle>(
          platform.database.db,
          `${APP_ARTICLE} ORDER BY t.published_at DESC, t.id DESC LIMIT $2 OFFSET $3`,
          [Number(query.projectId), query.limit, (query.page - 1) * query.limit],
        );
        return rows.map(articleWire);
      },
    }),
    endpoint({
      method: 'GET',
      path: `${ROOT}/app/:id`,
      title: ['App 好物探访详情', 'A finder article of the app'],
      access: { program: APP_SCOPE },
      query: z.strictObject({ projectId: idText }),
      handle: async ({ platform, query, params }) => {
        const { db } = platform.database;
        const row = await runOne<AppArticle>(db, `${APP_ARTICLE} AND t.id = $2`, [
          Number(query.projectId),
          idOf(params.id),
        ]);
        if (!row) throw notFound();
        const goods = await run<{ id: number; name: string; price_min: number; image: string | null }>(
          db,
          `SELECT t.id, t.name, t.price_min, t.logo_ids[1] AS image FROM find_goods_product l JOIN product t ON t.id = l.product_id
            WHERE l.article_id = $1 AND ${ON_SALE} AND EXISTS (SELECT FROM product_project pp WHERE pp.product_id = t.id AND pp.project_id = $2) ORDER BY t.id`,
          [row.id, Number(query.projectId)],
        );
        return {
          ...articleWire(row),
          body: row.body_html,
          products: goods.map((one) => ({
            id: String(one.id),
            productName: one.name,
            price: yuanFromFen(one.price_min),
            image: one.image ? `/api/file/${one.image}` : null,
          })),
        };
      },
    }),
    endpoint({
      method: 'POST',
      path: `${ROOT}/app/event`,
      title: ['好物探访阅读与点赞', 'A finder article read or liked'],
      access: { program: APP_SCOPE },
      body: z.strictObject({
        eventId: z.string().min(1).max(64),
        id: idText,
        memberId: idText.optional(),
        type: z.enum(['read', 'like', 'unlike']),
      }),
      handle: async ({ platform, body }) => {
        const memberId = body.memberId === undefined ? undefined : Number(body.memberId);
        if (body.type !== 'read' && memberId === undefined)
          throw invalid({ memberId: ['此项必填', 'This field is required'] });
        const accepted = await transaction(platform.database.db, (tx) =>
          countArticle(tx, { eventId: body.eventId, id: Number(body.id), type: body.type, memberId }),
        );
        return { accepted, duplicate: !accepted };
      },
    }),
  ],
  also: { options: [goodsOfArticles()] },
});

/** Finder articles. */
export const registration = bound.registration;

interface AppArticle {
  readonly id: number;
  readonly title: string;
  readonly subtitle: string;
  readonly image_ids: readonly string[];
  readonly signature: string;
  readonly avatar_id: string | null;
  readonly reads: number;
  readonly likes: number;
  readonly published_at: Date;
  readonly body_html: string;
}

const APP_ARTICLE = `SELECT t.id, t.title, t.subtitle, t.image_ids, t.signature, t.avatar_id, t.reads, t.likes, t.published_at, t.body_html
  FROM find_goods_article t JOIN find_goods_project p ON p.article_id = t.id WHERE p.project_id = $1 AND t.state = 'published'`;

function articleWire(row: AppArticle) {
  return {
    id: String(row.id),
    title: row.title,
    subtitle: row.subtitle,
    images: row.image_ids.map((id) => `/api/file/${id}`),
    signature: row.signature,
    avatar: row.avatar_id ? `/api/file/${row.avatar_id}` : null,
    reads: row.reads,
    likes: row.likes,
    publishedAt: isoInstant(row.published_at),
  };
}

/** Counts what the app tells: every number once, a member's like once. False when nothing changed. */
async function countArticle(
  tx: Executor,
  event: {
    readonly eventId: string;
    readonly id: number;
    readonly type: 'read' | 'like' | 'unlike';
    readonly memberId: number | undefined;
  },
): Promise<boolean> {
  const known = await runOne(
    tx,
    `SELECT FROM find_goods_article WHERE id = $1 AND state = 'published'
        AND ($2::bigint IS NULL OR EXISTS (SELECT FROM member WHERE id = $2)) FOR NO KEY UPDATE`,
    [event.id, event.memberId ?? null],
  );
  if (!known) throw notFound();
  const fresh = await runOne(
    tx,
    'INSERT INTO ad_told (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id',
    [event.eventId],
  );
  if (!fresh) return false;
  if (event.type === 'read') {
    await run(tx, 'UPDATE find_goods_article SET reads = reads + 1 WHERE id = $1', [event.id]);
    return true;
  }
  const changed = await runOne(
    tx,
    event.type === 'like'
      ? 'INSERT INTO find_goods_like (article_id, member_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING article_id'
      : 'DELETE FROM find_goods_like WHERE article_id = $1 AND member_id = $2 RETURNING article_id',
    [event.id, event.memberId],
  );
  if (!changed) return false;
  await run(tx, 'UPDATE find_goods_article SET likes = likes + $2 WHERE id = $1', [
    event.id,
    event.type === 'like' ? 1 : -1,
  ]);
  return true;
}

/** Goods an article may name: everything on sale that stands where the caller works. */
function goodsOfArticles(): OptionSource {
  return {
    target: 'findGoodsProduct',
    anyOf: [findGoods.menu],
    find: async ({ caller, platform }, query) => {
      const parameters = new Parameters();
      const parts = [placeCondition(caller, PRODUCT_SCOPE, parameters), `t.kind = 'goods'`];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      else parts.push(ON_SALE);
      if (query.searchVal)
        parts.push(`t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        platform.database.db,
        `SELECT t.id, t.name AS title, t.code || ' · ¥' || to_char(t.price_min / 100.0, 'FM999999990.00') AS note FROM product t
          WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('t.name')}, t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

/** Pictures fit and no sensitive word stands in what is written. */
async function check(context: ActionContext): Promise<void> {
  const { action, input, row, platform } = context;
  if (action !== 'create' && action !== 'update') return;
  if (Array.isArray(input.images))
    await checkPictures(context, 'images', input.images as string[], (row.image_ids ?? []) as string[]);
  if (input.avatar)
    await checkPictures(context, 'avatar', [String(input.avatar)], [String(row.avatar_id ?? '')]);
  const problems: Record<string, Label> = {};
  for (const name of ['title', 'subtitle', 'body', 'signature'] as const) {
    const found = typeof input[name] === 'string' ? await wordsIn(platform, input[name]) : [];
    if (found.length > 0) problems[name] = foundWords(found);
  }
  if (Object.keys(problems).length > 0) throw invalid(problems);
  if (typeof input.body === 'string' && readableText(input.body) === '' && !input.body.includes('<img'))
    throw invalid({ body: ['此项必填', 'This field is required'] });
}

/** Publishing looks at the words again: the list may have grown since it was written. */
async function publish({ tx, id, row, platform }: ActionContext): Promise<ActionResult> {
  const found = await wordsIn(
    platform,
    [row.title, row.subtitle, row.body_html, row.signature].map(String).join('\n'),
  );
  if (found.length > 0) throw ruleBroken(foundWords(found));
  const clock = await runOne<{ now: Date }>(tx, 'SELECT clock_timestamp() AS now WHERE $1::bigint > 0', [id]);
  return { set: { published_at: clock!.now } };
}

async function wordsIn(platform: ActionContext['platform'], html: string): Promise<string[]> {
  const { hits } = await checkSensitive(platform, readableText(html));
  return [...new Set(hits.map(({ word }) => word.word))];
}

function foundWords(words: readonly string[]): Label {
  return [`含敏感词：${words.join('、')}`, `Sensitive words: ${words.join(', ')}`];
}
