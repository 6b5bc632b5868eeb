import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { nextCode } from '../../../kernel/server/resource/codes.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { ruleBroken } from '../../../kernel/server/http/errors.ts';
import type {
  ImportCall,
  ImportProblem,
  ImportRow,
  ImportTarget,
} from '../../../kernel/server/tables/import-target.ts';
import { insertRow } from '../../../kernel/server/resource/run-action.ts';
import {
  nameIndex,
  type NamedThing,
  type NameIndex,
} from '../../../domain/import-names/import-names.rules.ts';
import {
  checkBarcodes,
  takenBarcodes,
  writeClasses,
  writeProjects,
  writeSpecs,
} from './product-content.server.ts';
import { product } from './product.contract.ts';
import { readSpecs, type SpecInput, type SpecWire } from './spec.rules.ts';

/** Columns of the first row of a product; further rows of the same product may leave them empty. */
const BASICS = [
  'business',
  'classes',
  'projects',
  'summary',
  'supplier',
  'salesWay',
  'delivery',
  'accountLimit',
] as const;
const SEPARATOR = /[、,，;；]/;

/** A product that the rows of one name make. */
interface Draft {
  readonly rows: readonly ImportRow[];
  readonly tenantId: number;
  readonly name: string;
  readonly businessId: number;
  readonly classIds: readonly number[];
  readonly projectIds: readonly number[];
  readonly columns: Readonly<Record<string, unknown>>;
  readonly specs: readonly SpecInput[];
}

/**
 * btn_import: a row per spec; rows of one merchant with the same name are one product. Everything becomes a draft:
 * pictures and description are added in the form before it is sent for review. A product with one bad row is left out
 * whole. Source: group 08, mm_commodityMana, actions.
 */
export const productImport: ImportTarget = {
  source: 'product',
  menu: product.menu,
  element: 'btn_import',
  title: ['商品', 'Goods'],
  maxRows: 5_000,
  columns: [
    {
      name: 'merchant',
      title: ['商户', 'Merchant'],
      max: 80,
      note: ['名称或账号；商户员工留空', 'Name or account; empty for merchant staff'],
    },
    { name: 'name', title: ['名称', 'Name'], required: true, max: 60, example: '东北大米' },
    { name: 'business', title: ['业务', 'Business'], max: 40, note: ['名称或编码', 'Name or code'] },
    {
      name: 'classes',
      title: ['分类', 'Class'],
      max: 200,
      note: [
        '名称，重名时写上级，如 粮油/大米；多个用、分隔',
        'Name, or with the names above such as Staples/Rice; several: separate by ,',
      ],
    },
    {
      name: 'projects',
      title: ['项目', 'Projects'],
      max: 1_000,
      note: ['名称或编码，多个用、分隔', 'Names or codes; several: separate by ,'],
    },
    { name: 'spec', title: ['规格', 'Spec'], required: true, max: 60, example: '5kg' },
    { name: 'price', title: ['价格', 'Price'], required: true, max: 12, example: '39.90' },
    { name: 'marketPrice', title: ['市场价', 'Market price'], max: 12 },
    { name: 'stock', title: ['库存', 'Stock'], required: true, max: 6, example: '100' },
    { name: 'stockAlert', title: ['库存预警', 'Alert at'], max: 6 },
    { name: 'unit', title: ['单位', 'Unit'], required: true, max: 8, example: '袋' },
    { name: 'weightG', title: ['重量（克）', 'Weight (g)'], max: 7 },
    { name: 'barcode', title: ['条码', 'Barcode'], max: 32 },
    { name: 'summary', title: ['简介', 'Summary'], max: 120 },
    { name: 'supplier', title: ['供应商', 'Supplier'], max: 40 },
    {
      name: 'salesWay',
      title: ['销售方式', 'Sales way'],
      max: 20,
      note: ['自营、代销或联营，默认自营', 'Own sale, Consignment or Joint; own sale when empty'],
    },
    {
      name: 'delivery',
      title: ['配送方式', 'Delivery'],
      max: 20,
      note: [
        '自营配送或第三方配送，默认第三方',
        'Own delivery or Third-party delivery, which is the default',
      ],
    },
    { name: 'accountLimit', title: ['每人限购', 'Limit per account'], max: 3 },
  ],
  check: async (call, rows) => (await draftsOf(call.platform.database.db, call, rows)).problems,
  commit: async (tx, call, rows) => {
    const { drafts, problems } = await draftsOf(tx, call, rows);
    const first = problems[0];
    if (first) throw ruleBroken(first.message);
    const { caller } = call;
    for (const draft of drafts) {
      await checkBarcodes(tx, caller, draft.tenantId, 0, draft.specs);
      const code = await nextCode(tx, product.prefix!);
      const id = await insertRow(tx, 'product', {
        ...draft.columns,
        code,
        kind: 'goods',
        status: 'draft',
        tenant_id: draft.tenantId,
        business_id: draft.businessId,
        name: draft.name,
        created_by: caller.staffId,
        updated_by: caller.staffId,
      });
      await writeClasses(tx, id, draft.businessId, draft.classIds);
      await writeProjects(tx, id, draft.projectIds, []);
      await writeSpecs(tx, id, draft.specs, caller.staffId);
      await writeTimeline(tx, {
        entity: product.name,
        entityId: id,
        caller,
        action: 'create',
        label: product.elements!.btn_import!,
        to: 'draft',
      });
      await writeAudit(tx, {
        caller,
        menu: product.menu,
        action: 'create',
        entity: product.name,
        entityId: id,
        after: {
          code,
          name: draft.name,
          projects: draft.projectIds,
          classes: draft.classIds,
          specs: draft.specs,
        },
      });
    }
    call.platform.changed(product.name);
    return rows.length;
  },
};

type Bad = (row: ImportRow, column: string, message: Label) => void;

async function draftsOf(
  db: Executor,
  call: ImportCall,
  rows: readonly ImportRow[],
): Promise<{ drafts: Draft[]; problems: ImportProblem[] }> {
  const problems: ImportProblem[] = [];
  const bad: Bad = (row, column, message) => problems.push({ row: row.number, column, message });
  const names = await namesOf(db, call.caller, rows);
  const groups = new Map<string, ImportRow[]>();
  for (const row of rows) {
    const key = JSON.stringify([row.values.merchant, row.values.name]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const taken = await takenBarcodes(
    db,
    call.caller,
    [...names.businesses.keys()],
    rows.flatMap((row) => (row.values.barcode ? [row.values.barcode] : [])),
  );
  const barcodes = new Map<string, string>();
  const drafts = [...groups].flatMap(([key, group]): Draft[] => {
    const before = problems.length;
    const draft = draftOf(call.caller, group, names, bad);
    for (const row of group) {
      const { barcode } = row.values;
      if (!barcode) continue;
      const owner = JSON.stringify([draft?.tenantId, barcode]);
      if (barcodes.has(owner) && barcodes.get(owner) !== key)
        bad(row, 'barcode', ['条码重复', 'The barcode stands twice']);
      barcodes.set(owner, key);
      const used = taken.find((one) => one.tenantId === draft?.tenantId && one.barcode === barcode);
      if (used)
        bad(
          row,
          'barcode',
          used.code
            ? [`条码已被商品 ${used.code} 使用`, `The barcode is used by ${used.code}`]
            : ['条码已被该商户的其他商品使用', 'The barcode is used by another product of the merchant'],
        );
    }
    if (problems.length === before && draft) return [draft];
    // One product is imported whole or not at all.
    const named = new Set(problems.slice(before).map((problem) => problem.row));
    for (const row of group)
      if (!named.has(row.number))
        problems.push({
          row: row.number,
          message: ['同一商品的其他行有错误', 'Another row of this product is wrong'],
        });
    return [];
  });
  return { drafts, problems };
}

/** What the rows may name, each inside the reach of who imports. */
interface Names {
  readonly merchants: NameIndex;
  /** By merchant: what its agreement allows. */
  readonly businesses: ReadonlyMap<number, NameIndex>;
  readonly projects: ReadonlyMap<number, NameIndex>;
  /** By business. */
  readonly classes: ReadonlyMap<number, NameIndex>;
}

type TenantThing = NamedThing & { readonly tenant_id: number };

/** Everything the rows name, read in one go. */
async function namesOf(db: Executor, caller: Caller, rows: readonly ImportRow[]): Promise<Names> {
  const values = (column: string) => [
    ...new Set(
      rows.flatMap((row) =>
        (row.values[column] ?? '').split(SEPARATOR).map((one) => one.trim().toLowerCase()),
      ),
    ),
  ];
  const merchants =
    caller.tenantKind === 2
      ? []
      : await run<NamedThing>(
          db,
          `SELECT t.id, t.name, t.account AS code FROM tenant t WHERE t.kind = 2 AND t.enabled AND (lower(t.name) = ANY($1::text[]) OR lower(t.account) = ANY($1::text[]))
              AND ($2::bigint[] IS NULL OR EXISTS (SELECT FROM tenant_project tp WHERE tp.tenant_id = t.id AND tp.project_id = ANY($2::bigint[])))
            ORDER BY t.id`,
          [[...new Set(rows.map((row) => (row.values.merchant ?? '').toLowerCase()))], caller.projectIds],
        );
  const tenants = caller.tenantKind === 2 ? [caller.tenantId] : merchants.map((one) => one.id);
  const businesses = await run<TenantThing>(
    db,
    `SELECT b.id, b.name, b.code, tb.tenant_id FROM business b JOIN tenant_business tb ON tb.business_id = b.id
      WHERE b.enabled AND tb.tenant_id = ANY($1::bigint[]) ORDER BY b.id`,
    [tenants],
  );
  const classes = await run<NamedThing & { readonly business_id: number }>(
    db,
    `WITH RECURSIVE path AS (
       SELECT id, business_id, name, '/' || name AS code, enabled FROM product_class WHERE parent_id IS NULL AND business_id = ANY($1::bigint[])
       UNION ALL SELECT c.id, c.business_id, c.name, ltrim(p.code, '/') || '/' || c.name, c.enabled FROM product_class c JOIN path p ON c.parent_id = p.id)
     SELECT id, business_id, name, code FROM path WHERE enabled ORDER BY id`,
    [[...new Set(businesses.map((one) => one.id))]],
  );
  const projects = await run<TenantThing>(
    db,
    `SELECT p.id, p.name, p.code, tp.tenant_id FROM project p JOIN tenant_project tp ON tp.project_id = p.id
      WHERE p.enabled AND (lower(p.name) = ANY($1::text[]) OR lower(p.code) = ANY($1::text[])) AND tp.tenant_id = ANY($2::bigint[])
        AND ($3::bigint[] IS NULL OR p.id = ANY($3::bigint[])) ORDER BY p.id`,
    [values('projects'), tenants, caller.projectIds],
  );
  return {
    merchants: nameIndex(merchants),
    businesses: indexBy(businesses, (one) => one.tenant_id),
    projects: indexBy(projects, (one) => one.tenant_id),
    classes: indexBy(classes, (one) => one.business_id),
  };
}

function indexBy<T extends NamedThing>(
  things: readonly T[],
  keyOf: (one: T) => number,
): Map<number, NameIndex> {
  const groups = new Map<number, T[]>();
  for (const one of things) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return new Map([...groups].map(([key, group]) => [key, nameIndex(group)]));
}

const NOTHING = nameIndex([]);

function draftOf(caller: Caller, rows: readonly ImportRow[], names: Names, bad: Bad): Draft | undefined {
  const first = rows[0]!;
  for (const row of rows.slice(1))
    for (const column of BASICS)
      if (row.values[column] && row.values[column] !== first.values[column])
        bad(row, column, ['与该商品第一行不一致', 'Differs from the first row of this product']);
  const tenantId = merchantOf(caller, first, names, bad);
  if (tenantId === undefined) return undefined;
  const businesses = names.businesses.get(tenantId) ?? NOTHING;
  const business = first.values.business ?? '';
  const businessId = businesses.get(business);
  if (businessId === undefined) {
    bad(
      first,
      'business',
      businesses.clash(business) ?? ['业务不在合作范围', 'The business is outside the agreement'],
    );
    return undefined;
  }
  const idsIn = (column: 'classes' | 'projects', index: NameIndex, none: (name: string) => Label) =>
    listed(first, column).flatMap((name) => {
      const id = index.get(name);
      if (id === undefined) bad(first, column, index.clash(name) ?? none(name));
      return id === undefined ? [] : [id];
    });
  const classIds = idsIn('classes', names.classes.get(businessId) ?? NOTHING, (name) => [
    `分类「${name}」不存在`,
    `Class “${name}” does not exist`,
  ]);
  const projectIds = idsIn('projects', names.projects.get(tenantId) ?? NOTHING, (name) => [
    `项目「${name}」不在合作范围`,
    `Project “${name}” is outside the agreement`,
  ]);
  if (listed(first, 'classes').length === 0) bad(first, 'classes', ['请填写分类', 'Please name the class']);
  if (classIds.length > 10) bad(first, 'classes', ['最多10个分类', 'At most 10 classes']);
  if (listed(first, 'projects').length === 0)
    bad(first, 'projects', ['请填写项目', 'Please name the projects']);
  const limit = first.values.accountLimit || '0';
  if (!/^\d{1,3}$/.test(limit)) bad(first, 'accountLimit', ['限购应为0至999', 'The limit must be 0 to 999']);
  return {
    rows,
    tenantId,
    name: first.values.name!,
    businessId,
    classIds,
    projectIds,
    columns: {
      summary: first.values.summary ?? '',
      supplier: first.values.supplier ?? '',
      account_limit: Number(limit),
      sales_way: wordOf(first, 'salesWay', 'self', bad),
      delivery: wordOf(first, 'delivery', 'third', bad),
    },
    specs: specsOf(rows, bad),
  };
}

function merchantOf(caller: Caller, row: ImportRow, names: Names, bad: Bad): number | undefined {
  // Another merchant's name from a merchant is ignored, its own is used.
  if (caller.tenantKind === 2) return caller.tenantId;
  const named = row.values.merchant ?? '';
  const found = names.merchants.get(named);
  if (found !== undefined) return found;
  bad(
    row,
    'merchant',
    names.merchants.clash(named) ?? ['商户不存在或已停用', 'The merchant does not exist or is disabled'],
  );
  return undefined;
}

function listed(row: ImportRow, column: string): string[] {
  return [
    ...new Set(
      (row.values[column] ?? '')
        .split(SEPARATOR)
        .map((one) => one.trim())
        .filter((one) => one !== ''),
    ),
  ];
}

/** The stored word of a choice named in either language; empty: the default. */
function wordOf(row: ImportRow, column: 'salesWay' | 'delivery', fallback: string, bad: Bad): string {
  const given = row.values[column] ?? '';
  if (given === '') return fallback;
  const found = Object.entries(product.fields[column].choices).find(([, choice]) =>
    (choice.label as readonly string[]).includes(given),
  );
  if (!found) bad(row, column, ['没有此选项', 'There is no such choice']);
  return found?.[0] ?? fallback;
}

/** The specs of a product's rows by the rules of the form, each problem at its own cell. */
function specsOf(rows: readonly ImportRow[], bad: Bad): SpecInput[] {
  const { specs, problems } = readSpecs(rows.map((row) => specOf(row)));
  for (const problem of problems) {
    const row = rows[problem.index ?? 0]!;
    bad(row, problem.field === 'name' || !problem.field ? 'spec' : problem.field, problem.message);
  }
  return specs;
}

function specOf(row: ImportRow): Partial<Record<keyof SpecWire, unknown>> {
  const { values } = row;
  const count = (text: string | undefined) => (text && /^\d{1,7}$/.test(text) ? Number(text) : (text ?? ''));
  return {
    name: values.spec ?? '',
    price: values.price ?? '',
    marketPrice: values.marketPrice || null,
    stock: count(values.stock) as number,
    ...(values.stockAlert ? { stockAlert: count(values.stockAlert) } : {}),
    unit: values.unit ?? '',
    ...(values.weightG ? { weightG: count(values.weightG) } : {}),
    barcode: values.barcode || null,
  };
}
