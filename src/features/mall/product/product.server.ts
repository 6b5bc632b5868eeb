import { classesOfSql } from '../../../domain/order-rule/product-classes.server.ts';
import { containing } from '../../../kernel/server/resource/like-text.ts';
import { fenFromYuan } from '../../../kernel/contract/money.rules.ts';
import type { FileValue } from '../../../kernel/contract/fields.ts';
import { NOW } from '../../../kernel/server/resource/abilities/sets.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import type { Binding, DbRow } from '../../../kernel/server/resource/binding.ts';
import { holds, type Caller } from '../../../kernel/server/people/caller.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { nameOrder } from '../../../kernel/server/resource/name-order.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import { filesById } from '../../../kernel/server/files/files.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { Parameters, placeCondition, scopeCondition } from '../../../kernel/server/people/scope.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { OptionSource, RecordPrefix, Registration } from '../../../kernel/server/registration.ts';
import { filteredProjects, projectsInReach } from '../../../domain/permission/project-reach.server.ts';
import { productEndpoints } from './product-endpoints.server.ts';
import { productHandlers } from './product-handlers.server.ts';
import { productDetail } from './product-detail.server.ts';
import { productImport } from './product-import.server.ts';
import { productSpecOptions } from './product-picker.server.ts';
import { recycleJob } from './product-recycle.server.ts';
import { PRODUCT_ROWS, PRODUCT_SCOPE, productSight } from './product-scope.server.ts';
import { rushRule } from '../rush-item/rush-item.server.ts';
import { stockInvariants } from './product-stock.server.ts';
import { product } from './product.contract.ts';

const NOT_RECYCLED = 't.recycled_at IS NULL';
const RECYCLED: Label = ['商品在回收站中', 'The product is in the recycle bin'];

const binding: Binding = {
  table: 'product',
  from: 'product t LEFT JOIN business b ON b.id = t.business_id LEFT JOIN tenant m ON m.id = t.tenant_id',
  where: PRODUCT_ROWS,
  stateColumn: 'status',
  scope: PRODUCT_SCOPE,
  search: 't.search',
  searchExact: ['m.name'],
  columns: {
    image: 't.logo_ids[1]',
    images: 't.logo_ids',
    featured: 't.featured_ids',
    business: { id: 't.business_id', title: 'b.name', titleEn: 'b.name_en' },
    merchant: { id: 't.tenant_id', title: 'm.name' },
    classes: classesOfSql('t.id'),
    projects: `(SELECT coalesce(json_agg(json_build_object('id', p.id::text, 'title', p.name) ORDER BY p.id), '[]') FROM product_project pp JOIN project p ON p.id = pp.project_id WHERE pp.product_id = t.id)`,
    price: 't.price_min',
    stock: 't.stock_total',
    sold: 't.sold_total',
    stockState: `CASE WHEN t.stock_total = 0 THEN 'out' WHEN t.stock_low THEN 'low' ELSE 'enough' END`,
    // Sorted keys must not be null; `present` makes nothing of it again.
    appliedAt: `coalesce(t.applied_at, 'epoch'::timestamptz)`,
    publishedAt: `coalesce(t.published_at, 'epoch'::timestamptz)`,
    pendingChange: `EXISTS (SELECT 1 FROM product_review pr WHERE pr.product_id = t.id AND pr.state = 'waiting' AND pr.kind = 'change')`,
    // Up to 20,000 characters a row: only the detail reads them.
    detailHtml: 'NULL::text',
    specs: 'NULL::json',
  },
  writes: {
    images: 'logo_ids',
    featured: 'featured_ids',
    merchant: 'tenant_id',
    classes: false,
    projects: false,
    specs: false,
  },
  extra: { merchantState: 'm.state', businessType: 'b.type' },
  tabs: {
    all: () => NOT_RECYCLED,
    selling: () => `t.status = 'published' AND ${NOT_RECYCLED}`,
    draft: () => `t.status = 'draft' AND ${NOT_RECYCLED}`,
    reviewing: () => `t.status = 'reviewing' AND ${NOT_RECYCLED}`,
    rejected: () => `t.status = 'rejected' AND ${NOT_RECYCLED}`,
    off: () => `t.status = 'off_shelf' AND ${NOT_RECYCLED}`,
    soldOut: () => `t.status = 'published' AND t.stock_total = 0 AND ${NOT_RECYCLED}`,
    low: () => `t.status = 'published' AND t.stock_low AND ${NOT_RECYCLED}`,
    recycled: () => 't.recycled_at IS NOT NULL',
  },
  filters: {
    // Another tenant's id from a merchant is ignored: its own rows are all it has.
    merchant: (value, parameters, caller) =>
      caller.tenantKind === 2
        ? 'TRUE'
        : `t.tenant_id = ANY(${parameters.bind(idsOf('merchant', value))}::bigint[])`,
    projects: (value, parameters, caller) => {
      const ids = filteredProjects(caller, 'projects', value);
      return `EXISTS (SELECT 1 FROM product_project fp WHERE fp.product_id = t.id AND fp.project_id = ANY(${parameters.bind(ids)}::bigint[]))`;
    },
    // A class stands for those below it too.
    classes: (value, parameters) =>
      `EXISTS (WITH RECURSIVE below AS (SELECT id FROM product_class WHERE id = ANY(${parameters.bind(idsOf('classes', value))}::bigint[])
         UNION SELECT c.id FROM product_class c JOIN below ON c.parent_id = below.id)
         SELECT 1 FROM product_class_member fc JOIN below ON below.id = fc.class_id WHERE fc.product_id = t.id)`,
    price: (value, parameters) => {
      const [from, to] = priceRange(value);
      const parts = [
        ...(from === undefined ? [] : [`t.price_max >= ${parameters.bind(from)}`]),
        ...(to === undefined ? [] : [`t.price_min <= ${parameters.bind(to)}`]),
      ];
      return parts.length === 0 ? 'TRUE' : parts.join(' AND ');
    },
  },
  rowRules: {
    update: notRecycled,
    apply: (row) =>
      notRecycled(row) ??
      (row.merchantState === 'closed'
        ? ['商户已打烊，不能提交审核', 'The merchant is closed for now']
        : undefined),
    recall: (row) =>
      notRecycled(row) ??
      (row.state === 'published' && row.pendingChange !== true
        ? ['没有等待审核的修改', 'No change is waiting for review']
        : undefined),
    stock: notRecycled,
    noDelivery: notRecycled,
    rush: (row, caller) => notRecycled(row) ?? rushRule(row, caller),
    bulkClass: notRecycled,
    bulkPrice: notRecycled,
    bulkStock: notRecycled,
    copy: notRecycled,
    takeDown: notRecycled,
    putBack: notRecycled,
    remove: notRecycled,
    restore: (row) =>
      row.recycledAt ? undefined : ['商品不在回收站中', 'The product is not in the recycle bin'],
  },
  sets: { putBack: { off_reason: '' }, restore: { recycled_at: null }, remove: { recycled_at: NOW } },
  handlers: productHandlers,
  present,
  detail: productDetail,
  endpoints: productEndpoints,
  also: {
    sights: [productSight],
    prefixes: [productPrefix()],
    options: [productSpecOptions],
    invariants: stockInvariants,
    imports: [productImport],
    jobs: [
      recycleJob,
      {
        name: 'stock.check',
        title: ['核对库存与流水', 'Check stock against movements'],
        cron: '5 * * * *',
        run: async (_payload, platform) => {
          for (const invariant of stockInvariants) {
            const { problems } = await invariant.check(platform);
            if (problems.length > 0)
              platform.log.error({ invariant: invariant.name, problems }, 'stock is off');
          }
        },
      },
    ],
  },
};

/** The bound resource of products, for screens that show the same rows. */
export const boundProduct = bindResource(product, binding);

/** Products of kind goods: list, form, states, stock, pickers, parts of the detail. */
export const registration: Registration = {
  ...boundProduct.registration,
  // The picker offers no product of the recycle bin.
  options: [productOptions(), productSpecOptions],
};

function notRecycled(row: DbRow): Label | undefined {
  return row.recycledAt ? RECYCLED : undefined;
}

async function present(rows: DbRow[], db: Executor, caller: Caller): Promise<void> {
  const idsIn = (row: DbRow, name: 'images' | 'featured') => (row[name] as string[] | null) ?? [];
  const ids = [...new Set(rows.flatMap((row) => [...idsIn(row, 'images'), ...idsIn(row, 'featured')]))];
  const byId = await filesById(db, ids);
  for (const row of rows) {
    for (const name of ['images', 'featured'] as const)
      row[name] = idsIn(row, name).flatMap((id) => byId.get(id) ?? []);
    row.image = (row.images as FileValue[])[0] ?? null;
    row.projects = projectsInReach(caller, row.projects as { id: string }[]);
    for (const name of ['appliedAt', 'publishedAt'] as const)
      if ((row[name] as Date | null)?.getTime() === 0) row[name] = null;
  }
}

function productOptions(): OptionSource {
  return {
    target: product.name,
    anyOf: [
      product.menu,
      'mm_integral',
      'mm_couponManagement',
      'mm_targetedCoupons',
      'mk_returnIntegralRule',
      'mk_coinDeductionRule',
    ],
    find: async (call, query) => {
      const parameters = new Parameters();
      const parts = [
        `t.kind = 'goods' AND t.purged_at IS NULL`,
        // The picker offers none of the recycle bin; what names one already is told its title.
        query.ids.length > 0 ? 'TRUE' : NOT_RECYCLED,
        // Whoever keeps the points settings names goods without holding their screen.
        holds(call.caller, product.menu)
          ? scopeCondition(call.caller, product.menu, PRODUCT_SCOPE, parameters)
          : placeCondition(call.caller, PRODUCT_SCOPE, parameters),
      ];
      if (query.ids.length > 0) parts.push(`t.id = ANY(${parameters.bind(query.ids.map(Number))}::bigint[])`);
      if (query.searchVal)
        parts.push(`t.search LIKE ${parameters.bind(containing(query.searchVal.toLowerCase()))}`);
      const rows = await run<{ id: number; title: string; note: string }>(
        call.platform.database.db,
        `SELECT t.id, t.name AS title, t.code AS note FROM product t WHERE ${parts.join(' AND ')} ORDER BY ${nameOrder('t.name')}, t.id
          LIMIT ${parameters.bind(query.limit)} OFFSET ${parameters.bind(query.offset)}`,
        parameters.values,
      );
      return rows.map((row) => ({ ...row, id: String(row.id) }));
    },
  };
}

function productPrefix(): RecordPrefix {
  return {
    prefix: 'PD',
    menu: product.menu,
    label: ['商品', 'Product'],
    find: async (call: { caller: Caller; platform: Platform }, number) => {
      const parameters = new Parameters();
      const digits = number.replace(/^PD/i, '');
      const condition =
        digits.length >= 14
          ? `t.code = ${parameters.bind(`PD${digits}`)}`
          : `t.code LIKE ${parameters.bind(`PD%${digits.replace(/\D/g, '')}`)}`;
      const scope = scopeCondition(call.caller, product.menu, PRODUCT_SCOPE, parameters);
      const rows = await run<{ id: number; code: string; name: string }>(
        call.platform.database.db,
        `SELECT t.id, t.code, t.name FROM product t WHERE t.kind = 'goods' AND t.purged_at IS NULL AND ${condition} AND ${scope} ORDER BY t.id DESC LIMIT 10`,
        parameters.values,
      );
      return rows.map((row) => ({
        code: row.code,
        title: row.name,
        route: `/merchantManager/${product.menu}?detail=${row.id}`,
      }));
    },
  };
}

function idsOf(name: string, value: string): number[] {
  const entries = value.split(',').filter((entry) => entry !== '');
  if (entries.length > 500 || entries.some((entry) => !/^\d{1,15}$/.test(entry)))
    throw invalid({ [name]: ['没有此选项', 'There is no such choice'] });
  return entries.map(Number);
}

function priceRange(value: string): [number | undefined, number | undefined] {
  const sides = value.split('~');
  const read = (side: string) => (side === '' ? undefined : (fenFromYuan(side) ?? Number.NaN));
  const [from, to] = [read(sides[0] ?? ''), read(sides[1] ?? '')];
  if (sides.length !== 2 || Number.isNaN(from) || Number.isNaN(to))
    throw invalid({ price: ['范围不正确', 'The range is not valid'] });
  return [from, to];
}
