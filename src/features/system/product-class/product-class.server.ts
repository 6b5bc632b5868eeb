import { z } from 'zod';
import { fill, type Label } from '../../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../../kernel/server/database.ts';
import { checkAttachable, showFiles } from '../../../kernel/server/files/files.ts';
import { invalid, notFound } from '../../../kernel/server/http/errors.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { endpoint } from '../../../kernel/server/registration.ts';
import { bindResource, type BoundResource } from '../../../kernel/server/resource/bind.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { putBefore } from '../../../kernel/server/resource/abilities/own-order.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import type { DisplayItems } from '../../../domain/display-order/display-order.server.ts';
import { moveProductsOfClasses } from '../../mall/product/product-class-command.server.ts';
import {
  requireAboveEnabled,
  withEverythingBelow,
  type BelowSpec,
} from '../../../kernel/server/resource/enable-below.ts';
import { businessesOf } from '../business/business.server.ts';
import { classImport } from './product-class-import.server.ts';
import { productClass } from './product-class.contract.ts';

const BELOW: BelowSpec = {
  table: 'product_class',
  parent: 'parent_id',
  above: ['上级分类已停用，请先启用上级', 'The class above is disabled, enable it first'],
};
const OTHER_BUSINESS: Label = ['须属于同一业务', 'It must belong to the same business'];

/** Classes at the top of enabled businesses, for the order of the owners' app. */
const topClasses: DisplayItems = {
  list: 'mall_class',
  type: 'productClass',
  read: async (db) => {
    const rows = await run<{ id: number; name: string; name_en: string }>(
      db,
      `SELECT c.id, c.name, c.name_en FROM product_class c JOIN business b ON b.id = c.business_id
        WHERE c.parent_id IS NULL AND c.enabled AND b.enabled ORDER BY b.sort, b.id, c.sort, c.id`,
    );
    return rows.map((row) => ({ id: String(row.id), title: [row.name, row.name_en || row.name] }));
  },
};

/** SQL, the English name of a business or class, else its own. */
function inEnglish(of: string): string {
  return `coalesce(nullif(${of}.name_en, ''), ${of}.name)`;
}

const bound: BoundResource = bindResource(productClass, {
  table: 'product_class',
  search: `lower(t.name || ' ' || t.name_en)`,
  joins: {
    business: { table: 'business', titleEn: 'name_en' },
    parent: { table: 'product_class', titleEn: 'name_en' },
  },
  columns: {
    label: `CASE WHEN t.parent_id IS NULL THEN r_business.name || ' / ' || t.name ELSE t.name END`,
    path: `concat_ws(' / ', r_business.name, (SELECT p2.name FROM product_class p2 WHERE p2.id = r_parent.parent_id), r_parent.name, t.name)`,
    labelEn: `CASE WHEN t.parent_id IS NULL THEN ${inEnglish('r_business')} || ' / ' ELSE '' END || ${inEnglish('t')}`,
    pathEn: `concat_ws(' / ', ${inEnglish('r_business')}, (SELECT ${inEnglish('p2')} FROM product_class p2 WHERE p2.id = r_parent.parent_id), ${inEnglish('r_parent')}, ${inEnglish('t')})`,
    place: `concat_ws('.', (SELECT lpad(p2.sort::text, 6, '0') FROM product_class p2 WHERE p2.id = r_parent.parent_id), lpad(r_parent.sort::text, 6, '0'), lpad(t.sort::text, 6, '0'))`,
    image: 't.image_id',
    commission: 'round(t.commission_bp / 100.0, 2)::text',
    // `present` counts for the rows of a page.
    products: '0',
    below: '0',
  },
  writes: { position: 'sort', commission: false },
  links: {
    tenants: { table: 'product_class_tenant', own: 'class_id', other: 'tenant_id', to: 'tenant' },
  },
  scope: { tenant: 'none', project: 'none', owner: 't.created_by', platformOnly: true },
  unique: {
    product_class_name: ['同级分类名称已存在', 'The name exists on this level'],
  },
  inUse: (uses) => {
    const n = (table: string) => uses.find((use) => use.table === table)?.count ?? 0;
    return fill(
      [
        '有 {below} 个下级分类、{products} 个商品，不能删除',
        '{below} classes below and {products} products, it cannot be deleted',
      ],
      { below: n('product_class'), products: n('product_class_member') },
    );
  },
  present: async (rows, db) => {
    await showFiles(rows, db, 'image');
    await countBelow(rows, db);
  },
  before: [prepare, (context) => requireAboveEnabled(context, BELOW)],
  after: [withEverythingBelow(() => bound, BELOW), besideItsBusiness],
  handlers: { moveProducts },
  endpoints: [
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizProduct/getClassifyNameListPc',
      title: ['商品分类', 'Product classes'],
      access: 'staff',
      handle: async (call) =>
        (
          await classesOf(call.platform.database.db, {
            tenantId: ownTenant(call.caller),
            language: call.facts.language,
          })
        ).map(({ id, classifyName }) => ({ id, classifyName })),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/bizProduct/getProductClassifyListPc/:id',
      title: ['业务的商品分类', 'Product classes of a business'],
      access: 'staff',
      handle: (call) =>
        classesOf(call.platform.database.db, {
          businessId: numberOf(call.params.id),
          tenantId: ownTenant(call.caller),
          language: call.facts.language,
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/jinmao/web/baseTenantBusiness/listProductClassify/:id',
      title: ['租户业务的商品分类', 'Product classes of a tenant business'],
      access: 'staff',
      query: z.strictObject({
        tenantId: z
          .string()
          .regex(/^\d{0,15}$/)
          .optional(),
      }),
      handle: async (call) => {
        const tenantId =
          call.caller.tenantKind === 2 || !call.query.tenantId
            ? call.caller.tenantId
            : Number(call.query.tenantId);
        const held = await businessesOf(call.platform, call.caller, tenantId);
        return held.some((business) => business.id === call.params.id)
          ? classesOf(call.platform.database.db, {
              businessId: numberOf(call.params.id),
              tenantId,
              language: call.facts.language,
            })
          : [];
      },
    }),
  ],
  also: {
    displayItems: [topClasses],
    imports: [classImport(() => bound)],
    options: [
      {
        target: 'productClass',
        find: async (call, query) =>
          (
            await classesOf(call.platform.database.db, {
              tenantId: ownTenant(call.caller),
              language: call.facts.language,
            })
          )
            .filter(
              (row) =>
                (query.ids.length === 0 || query.ids.includes(row.id)) &&
                row.classifyName.toLowerCase().includes(query.searchVal.toLowerCase()),
            )
            .slice(query.offset, query.offset + query.limit)
            .map((row) => ({ id: row.id, title: row.classifyName })),
      },
      { target: 'productClassAbove', anyOf: ['Proclass'], find: classesToChoose },
    ],
  },
});

/** Classes of products, kept by the platform, and the pickers that offer them. */
export const registration = bound.registration;

/** A merchant is offered the classes it may use, everybody else all of them. */
function ownTenant(caller: Caller): number | undefined {
  return caller.tenantKind === 2 ? caller.tenantId : undefined;
}

/** Enabled classes of enabled businesses in their order, as far as a tenant may use them. */
async function classesOf(
  db: Executor,
  of: {
    readonly businessId?: number;
    readonly tenantId?: number | undefined;
    readonly language: 'zh' | 'en';
  },
) {
  const rows = await run<{ id: number; name: string; parent_id: number | null; sort: number }>(
    db,
    `SELECT c.id, CASE WHEN $3 = 'en' AND c.name_en <> '' THEN c.name_en ELSE c.name END AS name, c.parent_id, c.sort
       FROM product_class c JOIN business b ON b.id = c.business_id
      WHERE c.enabled AND b.enabled AND ($1::bigint IS NULL OR c.business_id = $1)
        AND ($2::bigint IS NULL OR NOT EXISTS (SELECT 1 FROM product_class_tenant ct WHERE ct.class_id = c.id)
          OR EXISTS (SELECT 1 FROM product_class_tenant ct WHERE ct.class_id = c.id AND ct.tenant_id = $2))
      ORDER BY b.sort, b.id, c.sort, c.id`,
    [of.businessId ?? null, of.tenantId ?? null, of.language],
  );
  return rows.map((row) => ({
    id: String(row.id),
    classifyName: row.name,
    parentId: row.parent_id === null ? null : String(row.parent_id),
    viewSort: row.sort,
  }));
}

/** Every class with its path, for the forms of this screen. */
async function classesToChoose(
  { caller, platform }: { caller: Caller; platform: Platform },
  query: { searchVal: string; ids: readonly string[]; offset: number; limit: number },
) {
  if (caller.tenantKind !== 3) return [];
  const parameters = new Parameters();
  const parts = ['TRUE'];
  if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
  if (query.searchVal) {
    const like = parameters.bind(containing(query.searchVal));
    parts.push(`(t.name ILIKE ${like} OR t.name_en ILIKE ${like})`);
  }
  const rows = await run<{ id: number; title: string; note: string }>(
    platform.database.db,
    `SELECT t.id, t.name AS title, concat_ws(' / ', b.name, p2.name, p1.name) AS note
       FROM product_class t JOIN business b ON b.id = t.business_id LEFT JOIN product_class p1 ON p1.id = t.parent_id LEFT JOIN product_class p2 ON p2.id = p1.parent_id
      WHERE ${parts.join(' AND ')} ORDER BY b.sort, b.id, concat_ws('/', p2.sort, p1.sort, t.sort), t.id LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
    parameters.values,
  );
  return rows.map((row) => ({ id: String(row.id), title: row.title, note: row.note }));
}

/** Products (with those of the classes below) and the number of classes below, for all rows of a page at once. */
async function countBelow(rows: DbRow[], db: Executor): Promise<void> {
  const counts = await run<{ id: number; below: number; products: number }>(
    db,
    `WITH RECURSIVE below AS (
       SELECT id AS root, id FROM product_class WHERE id = ANY($1::bigint[])
       UNION ALL SELECT b.root, c.id FROM below b JOIN product_class c ON c.parent_id = b.id)
     SELECT b.root AS id, count(DISTINCT b.id)::int - 1 AS below, count(DISTINCT p.id)::int AS products
       FROM below b LEFT JOIN product_class_member m ON m.class_id = b.id LEFT JOIN product p ON p.id = m.product_id AND p.recycled_at IS NULL GROUP BY 1`,
    [rows.map((row) => row.id)],
  );
  const byId = new Map(counts.map((one) => [one.id, one]));
  for (const row of rows) {
    row.below = byId.get(Number(row.id))?.below ?? 0;
    row.products = byId.get(Number(row.id))?.products ?? 0;
  }
}

/** A class stands below one of its own business; percent are kept as basis points. */
async function prepare({ action, tx, caller, row, input, columns }: ActionContext): Promise<void> {
  if (input.image)
    await checkAttachable(
      tx,
      caller,
      'image',
      [String(input.image)],
      row.image_id ? [String(row.image_id)] : [],
    );
  if ('commission' in input && (action === 'create' || action === 'update'))
    columns.commission_bp =
      input.commission === null || input.commission === ''
        ? null
        : Math.round(Number(input.commission) * 100);
  if (action !== 'create' && action !== 'move') return;
  if (typeof input.parent !== 'number') return;
  const above = await runOne<{ business_id: number; enabled: boolean }>(
    tx,
    'SELECT business_id, enabled FROM product_class WHERE id = $1 FOR SHARE',
    [input.parent],
  );
  if (!above) throw notFound();
  if (above.business_id !== (action === 'create' ? input.business : row.business_id))
    throw invalid({ parent: OTHER_BUSINESS }, OTHER_BUSINESS);
  if (!above.enabled && (action === 'create' || row.enabled === true))
    throw invalid({ parent: BELOW.above }, BELOW.above);
}

/** A new class at the top stands after the others of its business: the tree shows them business by business. */
async function besideItsBusiness({ action, tx, columns }: ActionContext, id: number) {
  if (action !== 'create' || (columns.parent_id ?? null) !== null) return [];
  const next = await runOne<{ id: number }>(
    tx,
    `SELECT c.id FROM product_class c JOIN business b ON b.id = c.business_id, business own
      WHERE own.id = $1 AND c.parent_id IS NULL AND (b.sort, b.id) > (own.sort, own.id) ORDER BY c.sort, c.id LIMIT 1`,
    [columns.business_id],
  );
  if (next)
    await putBefore(tx, 'product_class', 'sort', { id, before: next.id, within: 'parent_id', value: null });
  return [];
}

/** Products of this class and those below go to another class of the same business. */
async function moveProducts({ tx, id, row, input, caller, platform }: ActionContext): Promise<ActionResult> {
  const to = Number(input.to);
  const target = await runOne<{ business_id: number; enabled: boolean; name: string }>(
    tx,
    'SELECT business_id, enabled, name FROM product_class WHERE id = $1 FOR SHARE',
    [to],
  );
  if (!target) throw notFound();
  if (target.business_id !== row.business_id) throw invalid({ to: OTHER_BUSINESS }, OTHER_BUSINESS);
  if (!target.enabled) throw invalid({ to: ['目标分类已停用', 'That class is disabled'] });
  const below = await run<{ id: number }>(
    tx,
    'WITH RECURSIVE b AS (SELECT $1::bigint AS id UNION SELECT c.id FROM b JOIN product_class c ON c.parent_id = b.id) SELECT id FROM b',
    [id],
  );
  const chosen = (input.products as number[] | undefined) ?? [];
  const n = await moveProductsOfClasses(tx, caller, {
    from: below.map((one) => one.id).filter((one) => one !== to),
    to,
    ...(chosen.length > 0 ? { products: chosen } : {}),
    label: productClass.actions!.moveProducts!.label,
  });
  platform.changed('product');
  return { remark: `→ ${target.name}：${n}`, result: { n } };
}

function numberOf(text: string | undefined): number {
  return text && /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
