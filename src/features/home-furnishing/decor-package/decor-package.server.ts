import { z } from 'zod';
import {
  currentVersion,
  PRICE_SPANS,
  priceSpanOf,
  readVersion,
  writeWorking,
  type VersionContent,
} from '../../../domain/furnishing/decor-version.server.ts';
import {
  projectIdsInReach,
  filteredProjects,
  projectsInReach,
  requireProjectsInReach,
} from '../../../domain/permission/project-reach.server.ts';
import type { RefValue } from '../../../kernel/contract/fields.ts';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { yuanFromFen } from '../../../kernel/contract/money.rules.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound, ruleBroken } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import {
  insertRow,
  type ActionContext,
  type ActionResult,
} from '../../../kernel/server/resource/run-action.ts';
import { checkProjects, writeProjects } from '../../mall/product/product-content.server.ts';
import { checkPictures, picturesOf } from '../../property/picture-columns.server.ts';
import { contentFrom, namedTypes, wireContent } from './decor-content.server.ts';
import { decorPackage, type FieldNote } from './decor-package.contract.ts';
import { decorItemImport } from './decor-item-import.server.ts';
import { decorPriceImport } from './decor-price-import.server.ts';
import { handIn, withdrawDecorReview } from './decor-review.server.ts';
import {
  decorHouseTypes,
  decorStyles,
  PACKAGE_MENU,
  PACKAGE_SCOPE,
  packageSight,
  reachableTypes,
} from './decor-package-scope.server.ts';

/** Content of the form that no column of the package holds. */
const CONTENT = [
  'name',
  'style',
  'images',
  'projects',
  'detailHtml',
  'days',
  'basis',
  'minCharge',
  'prices',
  'items',
  'options',
  'plan',
  'nodes',
  'cancelPolicy',
  'warranty',
  'terms',
  'priceTools',
  'itemTools',
  'preview',
  'merchant',
] as const;

/** Decor packages, for what acts on them. */
export const boundDecorPackage: BoundResource = bindResource(decorPackage, {
  table: 'product',
  // The version that is sold, else the one that is written.
  from: `product t LEFT JOIN tenant m ON m.id = t.tenant_id LEFT JOIN decor_version l ON l.product_id = t.id AND l.standing = 'live'
         LEFT JOIN decor_version w ON w.product_id = t.id AND w.standing = 'working' LEFT JOIN biz_dict s ON s.id = coalesce(l.style_id, w.style_id)`,
  where: `t.kind = 'home_decor' AND t.recycled_at IS NULL`,
  stateColumn: 'status',
  scope: PACKAGE_SCOPE,
  search: 't.search',
  searchExact: ['m.name'],
  columns: {
    cover: 't.logo_ids[1]',
    images: picturesOf('t.logo_ids'),
    merchant: { id: 't.tenant_id', title: 'm.name' },
    style: { id: 's.id', title: 's.name', titleEn: 's.name_en' },
    projects: `(SELECT coalesce(json_agg(json_build_object('id', p.id::text, 'title', p.name) ORDER BY p.id), '[]') FROM product_project pp JOIN project p ON p.id = pp.project_id WHERE pp.product_id = t.id)`,
    days: 'CASE WHEN l.id IS NULL THEN w.works_days ELSE l.works_days END',
    basis: 'CASE WHEN l.id IS NULL THEN w.price_basis ELSE l.price_basis END',
    minCharge: 'CASE WHEN l.id IS NULL THEN w.min_charge ELSE l.min_charge END',
    typeCount: `(SELECT count(*)::integer FROM decor_price x WHERE x.version_id = coalesce(l.id, w.id))`,
    houseType: { id: 'NULL::bigint', title: 'NULL::text' },
    price: 't.price_min',
    priceMax: 't.price_max',
    versionNo: 'l.no',
    appliedAt: `coalesce(t.applied_at, 'epoch'::timestamptz)`,
    publishedAt: `coalesce(t.published_at, 'epoch'::timestamptz)`,
    sold: 't.sold_total::integer',
    pendingChange: `EXISTS (SELECT 1 FROM product_review pr WHERE pr.product_id = t.id AND pr.state = 'waiting' AND pr.kind = 'change')`,
    // Long text and lists of rows: only the detail reads them.
    ...Object.fromEntries(['detailHtml', 'terms'].map((name) => [name, 'NULL::text'])),
    ...Object.fromEntries(
      [
        'prices',
        'items',
        'options',
        'plan',
        'nodes',
        'cancelPolicy',
        'warranty',
        'priceTools',
        'itemTools',
        'preview',
      ].map((name) => [name, 'NULL::json']),
    ),
  },
  writes: Object.fromEntries(CONTENT.map((name) => [name, false as const])),
  filters: {
    // Another tenant's id from a merchant is ignored: its own rows are all it has.
    merchant: (value, parameters, caller) =>
      caller.tenantKind === 2
        ? 'TRUE'
        : `t.tenant_id::text = ANY(string_to_array(${parameters.bind(value)}, ','))`,
    projects: (value, parameters, caller) =>
      `EXISTS (SELECT FROM product_project fp WHERE fp.product_id = t.id AND fp.project_id = ANY(${parameters.bind(filteredProjects(caller, 'projects', value))}::bigint[]))`,
    houseType: (value, parameters) =>
      `EXISTS (SELECT FROM decor_price x WHERE x.version_id = coalesce(l.id, w.id) AND x.house_type_id::text = ANY(string_to_array(${parameters.bind(value)}, ',')))`,
    style: (value, parameters) => `s.id::text = ANY(string_to_array(${parameters.bind(value)}, ','))`,
    // The spans meet: something of the package costs as much as asked for.
    price: (value, parameters) => {
      const sides = value.split('~');
      if (sides.length !== 2 || sides.some((side) => !/^(\d{1,11}(\.\d{1,2})?)?$/.test(side)))
        return ['请输入金额', 'Please enter amounts'];
      const [low, high] = sides.map((side) => (side === '' ? null : Math.round(Number(side) * 100)));
      return `(${parameters.bind(low)}::bigint IS NULL OR t.price_max >= ${parameters.bind(low)}) AND (${parameters.bind(high)}::bigint IS NULL OR t.price_min <= ${parameters.bind(high)})`;
    },
  },
  ruleReads: ['pendingChange'],
  rowRules: {
    recall: (row) =>
      row.state === 'published' && row.pendingChange !== true
        ? ['没有等待审核的修改', 'No change is waiting for review']
        : undefined,
  },
  sets: { remove: { recycled_at: NOW } },
  handlers: {
    create,
    update,
    apply,
    recall: async ({ tx, id, row, caller }) => {
      const withdrawn = await withdrawDecorReview(tx, id, caller);
      if (row.status === 'reviewing') return { to: 'draft' };
      if (!withdrawn) throw ruleBroken(['没有等待审核的修改', 'No change is waiting for review']);
      return { to: 'published', event: ['撤回修改', 'Change recalled'] };
    },
    takeDown: async ({ tx, id, input, caller }) => {
      await withdrawDecorReview(tx, id, caller);
      return { set: { off_reason: input.reason }, remark: String(input.reason) };
    },
    copy,
  },
  present: async (rows, db, caller) => {
    await showFiles(rows, db, 'cover');
    for (const row of rows) {
      row.projects = projectsInReach(caller, (row.projects ?? []) as readonly RefValue[]);
      for (const name of ['appliedAt', 'publishedAt'])
        if (row[name] instanceof Date && row[name].getTime() === 0) row[name] = null;
    }
  },
  detail,
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/decorPackage/areas',
      title: ['户型面积', 'Areas of house types'],
      access: { code: PACKAGE_MENU },
      query: z.strictObject({ ids: z.string().regex(/^\d{1,15}(,\d{1,15}){0,99}$/) }),
      handle: async ({ platform, caller, query }) => {
        const { db } = platform.database;
        const ids = query.ids.split(',').map(Number);
        const known = await reachableTypes(db, caller, ids);
        return [...(await namedTypes(db, [...known])).values()].map((type) => ({
          id: String(type.id),
          title: type.title,
          built: type.built,
          inner: type.inner,
          rooms: type.rooms,
        }));
      },
    }),
  ],
  also: {
    sights: [packageSight],
    options: [decorHouseTypes, decorStyles],
    imports: [decorPriceImport(() => boundDecorPackage), decorItemImport(() => boundDecorPackage)],
    invariants: [
      {
        name: 'decor packages show the span of their prices, one version is sold',
        check: async (platform) => {
          const rows = await run<{
            code: string;
            found: string;
            wanted: string;
            live: number;
            status: string;
          }>(
            platform.database.db,
            `SELECT p.code, p.status, p.price_min || '–' || p.price_max AS found, s.low || '–' || s.high AS wanted,
                    (SELECT count(*)::integer FROM decor_version v WHERE v.product_id = p.id AND v.standing = 'live') AS live
               FROM product p LEFT JOIN (${PRICE_SPANS}) s ON s.product_id = p.id WHERE p.kind = 'home_decor' AND p.recycled_at IS NULL`,
          );
          return {
            looked: rows.length,
            problems: rows.flatMap((row) => [
              ...(row.found === row.wanted
                ? []
                : [`package ${row.code}: ${row.found} instead of ${row.wanted}`]),
              ...(row.status === 'published' && row.live !== 1
                ? [`package ${row.code}: published without version`]
                : []),
            ]),
          };
        },
      },
    ],
  },
});

/** Decor packages. */
export const registration = boundDecorPackage.registration;

/** What is written in the working version, the versions there were, the notes of the last review. */
async function detail(
  db: Executor,
  id: number,
  row: DbRow,
  caller: Caller,
): Promise<Record<string, unknown>> {
  const version = (await currentVersion(db, id))!;
  const wire = await wireContent(db, version);
  const seen = await reachableTypes(
    db,
    caller,
    version.prices.map((one) => one.houseTypeId),
  );
  const named = await run<{ id: string; title: string }>(
    db,
    'SELECT id::text AS id, name AS title FROM project WHERE id = ANY($1::bigint[]) ORDER BY project.id',
    [version.projectIds],
  );
  const style = version.styleId
    ? await runOne<{ id: string; title: string; titleEn: string }>(
        db,
        'SELECT id::text AS id, name AS title, name_en AS "titleEn" FROM biz_dict WHERE id = $1',
        [version.styleId],
      )
    : null;
  const pictures = await runOne<{ images: unknown }>(
    db,
    `SELECT ${picturesOf('v.image_ids')} AS images FROM decor_version v WHERE v.id = $1`,
    [version.id],
  );
  return {
    ...wire,
    name: version.name,
    style,
    images: pictures!.images,
    projects: projectsInReach(caller, named),
    // Types of projects the caller does not work in are not told.
    prices: (wire.prices as { houseType: RefValue }[]).filter((one) => seen.has(Number(one.houseType.id))),
    liveName: row.name,
    writing: version.standing === 'working' ? { changed: row.versionNo !== null } : null,
    fieldNotes: await notesOf(db, id),
    versions: await versionsOf(db, id),
  };
}

/** Notes of the review that was refused last, until the package is handed in again. */
async function notesOf(
  db: Executor,
  id: number,
): Promise<{ reason: string; notes: readonly FieldNote[] } | null> {
  const last = await runOne<{ state: string; reason: string; field_notes: FieldNote[] }>(
    db,
    `SELECT state, reason, field_notes FROM product_review WHERE product_id = $1 ORDER BY id DESC LIMIT 1`,
    [id],
  );
  return last?.state === 'rejected' ? { reason: last.reason, notes: last.field_notes } : null;
}

async function versionsOf(db: Executor, id: number): Promise<unknown[]> {
  const rows = await run<{
    id: number;
    no: number;
    standing: string;
    effective_at: Date;
    name: string;
    works_days: number;
    price_basis: string;
    low: number;
    high: number;
    types: number;
  }>(
    db,
    `SELECT v.id, v.no, v.standing, v.effective_at, v.name, v.works_days, v.price_basis, x.low, x.high, x.types
       FROM decor_version v CROSS JOIN LATERAL (SELECT min(amount) AS low, max(amount) AS high, count(*)::integer AS types FROM decor_price WHERE version_id = v.id) x
      WHERE v.product_id = $1 AND v.no IS NOT NULL ORDER BY v.no DESC`,
    [id],
  );
  return rows.map((row) => ({
    id: String(row.id),
    no: row.no,
    live: row.standing === 'live',
    effectiveAt: isoInstant(row.effective_at),
    name: row.name,
    days: row.works_days,
    basis: row.price_basis,
    low: yuanFromFen(row.low),
    high: yuanFromFen(row.high),
    types: row.types,
  }));
}

async function create(context: ActionContext): Promise<ActionResult> {
  const { tx, caller, input } = context;
  const tenantId = caller.tenantKind === 2 ? caller.tenantId : (input.merchant as number | undefined);
  if (!tenantId) throw invalid({ merchant: ['请选择商户', 'Choose the merchant'] });
  const content = contentFrom(input, undefined);
  requireProjectsInReach(caller, content.projectIds);
  await checkProjects(tx, tenantId, content.projectIds);
  await checkPictures(context, 'images', content.images);
  await checkTypes(tx, caller, content, []);
  return { id: await insertPackage(tx, tenantId, content, caller) };
}

async function insertPackage(
  tx: Tx,
  tenantId: number,
  content: VersionContent,
  caller: Caller,
): Promise<number> {
  const business = await runOne<{ id: number }>(
    tx,
    'SELECT b.id FROM tenant_business tb JOIN business b ON b.id = tb.business_id AND b.enabled WHERE tb.tenant_id = $1 ORDER BY b.id LIMIT 1',
    [tenantId],
  );
  if (!business) throw invalid({ merchant: ['商户没有合作业务', 'The merchant has no line of business'] });
  const id = await insertRow(tx, 'product', {
    tenant_id: tenantId,
    business_id: business.id,
    code: await nextCode(tx, 'MJ'),
    kind: 'home_decor',
    name: content.name,
    status: 'draft',
    points_allowed: false,
    created_by: caller.staffId,
    updated_by: caller.staffId,
  });
  await store(tx, id, content, caller.staffId, true);
  return id;
}

/** Writes the working version; what nobody can buy shows what is written, what is sold what is sold. */
async function store(
  tx: Tx,
  id: number,
  content: VersionContent,
  staffId: number,
  shown: boolean,
): Promise<void> {
  const version = await writeWorking(tx, id, content, staffId);
  if (!shown) return;
  const span = await priceSpanOf(tx, version);
  await run(tx, 'UPDATE product SET name = $2, logo_ids = $3, price_min = $4, price_max = $5 WHERE id = $1', [
    id,
    content.name,
    content.images,
    span.low,
    span.high,
  ]);
  await run(tx, 'DELETE FROM product_project WHERE product_id = $1 AND project_id <> ALL($2::bigint[])', [
    id,
    content.projectIds,
  ]);
  await writeProjects(tx, id, content.projectIds, []);
}

/** House types are of the chosen projects and of those the caller may price. */
async function checkTypes(
  tx: Tx,
  caller: Caller,
  content: VersionContent,
  kept: readonly number[],
): Promise<void> {
  const ids = content.prices.map((one) => one.houseTypeId).filter((id) => !kept.includes(id));
  const reach = await reachableTypes(tx, caller, ids);
  if (reach.size < new Set(ids).size) throw notFound();
  const types = await namedTypes(
    tx,
    content.prices.map((one) => one.houseTypeId),
  );
  const outside = [...types.values()].find((type) => !content.projectIds.includes(type.projectId));
  if (outside)
    throw invalid({
      prices: [`${outside.title} 不属于所选项目`, `${outside.title} lies outside the chosen projects`],
    });
}

/** A package on sale gets a proposed version that is reviewed; others are written at once. */
async function update(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, caller, input } = context;
  const before = (await currentVersion(tx, id))!;
  const changed = CONTENT.some(
    (name) => !['priceTools', 'itemTools', 'preview', 'merchant'].includes(name) && input[name] !== undefined,
  );
  if (!changed) return {};
  const asked = contentFrom(input, before);
  if (input.projects) requireProjectsInReach(caller, asked.projectIds);
  // Projects and prices the caller does not see stay as they are.
  const unseen = input.projects
    ? before.projectIds.filter((one) => projectIdsInReach(caller, [one]).length === 0)
    : [];
  const hidden = before.prices.map((one) => one.houseTypeId);
  const reach = await reachableTypes(tx, caller, hidden);
  const content: VersionContent = {
    ...asked,
    projectIds: [...new Set([...asked.projectIds, ...unseen])],
    prices: input.prices
      ? [...asked.prices, ...before.prices.filter((one) => !reach.has(one.houseTypeId))]
      : asked.prices,
  };
  await checkProjects(
    tx,
    row.tenant_id as number,
    content.projectIds.filter((one) => !before.projectIds.includes(one)),
  );
  await checkPictures(context, 'images', content.images, before.images);
  await checkTypes(tx, caller, content, hidden);
  if (JSON.stringify(comparable(content)) === JSON.stringify(comparable(before)))
    return { result: { waiting: false } };
  const live = await runOne<{ id: number }>(
    tx,
    `SELECT id FROM decor_version WHERE product_id = $1 AND standing = 'live'`,
    [id],
  );
  await store(tx, id, content, caller.staffId, !live);
  if (row.status !== 'published') return {};
  await handIn(tx, id, caller, 'change');
  return { event: ['修改待审', 'Change waiting for review'], result: { waiting: true } };
}

/** The content of a version alone. */
function comparable(content: VersionContent): VersionContent {
  const { name, styleId, images, projectIds, detailHtml, days, basis, minCharge, terms } = content;
  const { prices, items, options, plan, nodes, cancel, warranty } = content;
  return {
    name,
    styleId,
    images,
    projectIds,
    detailHtml,
    days,
    basis,
    minCharge,
    terms,
    prices,
    items,
    options,
    plan,
    nodes,
    cancel,
    warranty,
  };
}

/** btn_apply: something must be on sale in the chosen projects. */
async function apply({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const version = (await currentVersion(tx, id))!;
  const types = await namedTypes(
    tx,
    version.prices.map((one) => one.houseTypeId),
  );
  if (![...types.values()].some((type) => type.enabled && version.projectIds.includes(type.projectId)))
    throw ruleBroken(['所选项目没有可售户型', 'No house type on sale in the chosen projects']);
  const merchant = await runOne<{ state: string }>(tx, 'SELECT state FROM tenant WHERE id = $1', [
    row.tenant_id,
  ]);
  if (merchant?.state === 'closed')
    throw ruleBroken(['商户已打烊，不能提交审核', 'The merchant is closed for now']);
  // What was on sale before goes through the reviews as it is.
  if (version.standing === 'live') await writeWorking(tx, id, version, caller.staffId);
  await handIn(tx, id, caller, 'publish');
  return { set: { applied_at: new Date(), applied_by: caller.staffId, off_reason: '' } };
}

/** A copy is a draft of the same merchant. */
async function copy({ tx, id, row, caller }: ActionContext): Promise<ActionResult> {
  const version = (await readVersion(tx, (await currentVersion(tx, id))!.id))!;
  const name = `${Array.from(version.name).slice(0, 36).join('')}（副本）`;
  const copied = await insertPackage(tx, row.tenant_id as number, { ...version, name }, caller);
  return { result: { id: String(copied) } };
}
