import type { Label } from '../../../kernel/contract/label.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne, type Executor, type Tx } from '../../../kernel/server/database.ts';
import { invalid, ruleBroken } from '../../../kernel/server/http/errors.ts';
import { runningActivity } from '../../../domain/group-buy/occupancy.server.ts';
import { Parameters } from '../../../kernel/server/people/scope.ts';
import { productNamed } from './product-scope.server.ts';
import type { SpecContent, ReviewedContent } from './proposal.rules.ts';
import { changeStock, openStock } from './product-stock.server.ts';
import type { SpecInput } from './spec.rules.ts';

/** Enabled specs of a product in their order; amounts in fen. */
export async function specsOf(db: Executor, productId: number): Promise<SpecRow[]> {
  return run<SpecRow>(
    db,
    `SELECT id, code, name, price, market_price, stock, reserved, sold, stock_alert, unit, weight_g, barcode, image_id, enabled
       FROM product_spec WHERE product_id = $1 AND enabled ORDER BY id`,
    [productId],
  );
}

/** One enabled spec as it is stored. */
export interface SpecRow {
  readonly id: number;
  readonly code: string;
  readonly name: string;
  readonly price: number;
  readonly market_price: number | null;
  readonly stock: number;
  readonly reserved: number;
  readonly sold: number;
  readonly stock_alert: number;
  readonly unit: string;
  readonly weight_g: number;
  readonly barcode: string | null;
  readonly image_id: string | null;
}

/** What buyers see of a product now. Throws nothing: call it for a product that exists. */
export async function liveContent(db: Executor, productId: number): Promise<ReviewedContent> {
  const row = (await runOne<{
    name: string;
    summary: string;
    logo_ids: string[];
    featured_ids: string[];
    detail_html: string;
    labels: string[];
    after_sale_text: string;
    duration_min: number | null;
    class_ids: number[];
    project_ids: number[];
  }>(
    db,
    `SELECT name, summary, logo_ids, featured_ids, detail_html, labels, after_sale_text,
            (SELECT s.duration_min FROM service_setting s WHERE s.product_id = p.id) AS duration_min,
            ARRAY(SELECT class_id FROM product_class_member WHERE product_id = p.id ORDER BY class_id) AS class_ids,
            ARRAY(SELECT project_id FROM product_project WHERE product_id = p.id ORDER BY project_id) AS project_ids
       FROM product p WHERE p.id = $1`,
    [productId],
  ))!;
  return {
    name: row.name,
    summary: row.summary,
    images: row.logo_ids,
    featured: row.featured_ids,
    detailHtml: row.detail_html,
    labels: row.labels,
    afterSaleText: row.after_sale_text,
    ...(row.duration_min === null ? {} : { durationMin: row.duration_min }),
    classIds: row.class_ids,
    projectIds: row.project_ids,
    specs: (await specsOf(db, productId)).map(contentOfSpec),
  };
}

/** Throws 422 for classes of another business, and for those that are kept for other merchants. */
export async function checkClasses(
  tx: Tx,
  tenantId: number,
  businessId: number,
  classIds: readonly number[],
): Promise<void> {
  const known = await run(
    tx,
    `SELECT id FROM product_class c WHERE id = ANY($1::bigint[]) AND business_id = $2 AND enabled
        AND (NOT EXISTS (SELECT 1 FROM product_class_tenant ct WHERE ct.class_id = c.id)
          OR EXISTS (SELECT 1 FROM product_class_tenant ct WHERE ct.class_id = c.id AND ct.tenant_id = $3))`,
    [classIds, businessId, tenantId],
  );
  if (known.length !== new Set(classIds).size)
    throw invalid({ classes: ['分类不属于所选业务', 'The class does not belong to the business'] });
}

/** Replaces the classes of a product. Throws 422 for classes of another business. */
export async function writeClasses(
  tx: Tx,
  productId: number,
  businessId: number,
  classIds: readonly number[],
): Promise<void> {
  const [owner] = await run<{ id: number }>(tx, 'SELECT tenant_id AS id FROM product WHERE id = $1', [
    productId,
  ]);
  await checkClasses(tx, owner!.id, businessId, classIds);
  await run(tx, 'DELETE FROM product_class_member WHERE product_id = $1 AND class_id <> ALL($2::bigint[])', [
    productId,
    classIds,
  ]);
  await run(
    tx,
    'INSERT INTO product_class_member (product_id, class_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING',
    [productId, [...new Set(classIds)]],
  );
}

/** Throws 422 项目不在合作范围 for projects outside the merchant's agreement. Source: group 08, refusals. */
export async function checkProjects(tx: Tx, tenantId: number, projectIds: readonly number[]): Promise<void> {
  const known = await run<{ project_id: number }>(
    tx,
    'SELECT project_id FROM tenant_project WHERE tenant_id = $1 AND project_id = ANY($2::bigint[])',
    [tenantId, projectIds],
  );
  if (known.length !== new Set(projectIds).size)
    throw invalid({ projects: ['项目不在合作范围', 'The project is outside the agreement'] });
}

/** Adds projects to a product and takes others away. */
export async function writeProjects(
  tx: Tx,
  productId: number,
  added: readonly number[],
  removed: readonly number[],
): Promise<void> {
  await run(tx, 'DELETE FROM product_project WHERE product_id = $1 AND project_id = ANY($2::bigint[])', [
    productId,
    removed,
  ]);
  await run(
    tx,
    'INSERT INTO product_project (product_id, project_id) SELECT $1, unnest($2::bigint[]) ON CONFLICT DO NOTHING',
    [productId, added],
  );
}

/** Barcodes that enabled specs of merchants use; `code` is the product's number where the caller sees it, else null. */
export async function takenBarcodes(
  db: Executor,
  caller: Caller,
  tenantIds: readonly number[],
  barcodes: readonly string[],
  exceptProductId = 0,
): Promise<{ tenantId: number; barcode: string; code: string | null }[]> {
  if (barcodes.length === 0) return [];
  const parameters = new Parameters();
  const named = productNamed(caller, parameters);
  return run(
    db,
    `SELECT t.tenant_id AS "tenantId", s.barcode, CASE WHEN ${named} THEN t.code END AS code
       FROM product_spec s JOIN product t ON t.id = s.product_id
      WHERE s.enabled AND t.tenant_id = ANY(${parameters.bind(tenantIds)}::bigint[]) AND t.id <> ${parameters.bind(exceptProductId)}
        AND s.barcode = ANY(${parameters.bind(barcodes)}::text[]) ORDER BY s.id`,
    parameters.values,
  );
}

/** Throws 422 when a barcode is on another enabled spec of the same merchant. Source: group 08, refusals. */
export async function checkBarcodes(
  tx: Tx,
  caller: Caller,
  tenantId: number,
  productId: number,
  specs: readonly { readonly barcode: string | null }[],
): Promise<void> {
  const wanted = specs.flatMap((spec) => (spec.barcode ? [spec.barcode] : []));
  if (wanted.length === 0) return;
  // Two editors of one merchant may bring the same barcode at once; one of them waits here.
  await run(tx, 'SELECT pg_advisory_xact_lock(7008, $1::integer)', [tenantId % 2_147_483_647]);
  const [taken] = await takenBarcodes(tx, caller, [tenantId], wanted, productId);
  if (!taken) return;
  const { barcode, code } = taken;
  throw invalid({
    specs: code
      ? [`条码 ${barcode} 已被商品 ${code} 使用`, `Barcode ${barcode} is used by ${code}`]
      : [
          `条码 ${barcode} 已被该商户的其他商品使用`,
          `Barcode ${barcode} is used by another product of the merchant`,
        ],
  });
}

/**
 * Makes the specs of a product those given: changes the ones with an id, adds the others with their opening stock (a
 * former one of the same name comes back), disables the rest. Pieces that unpaid orders hold of a disabled spec stay
 * theirs. The caller holds the product's lock. Throws 30101 when an id is no spec of the product any more.
 */
export async function writeSpecs(
  tx: Tx,
  productId: number,
  specs: readonly SpecContent[],
  staffId: number,
): Promise<void> {
  const rows = await run<{ id: number; name: string; enabled: boolean; reserved: number }>(
    tx,
    'SELECT id, name, enabled, reserved FROM product_spec WHERE product_id = $1 ORDER BY id FOR NO KEY UPDATE',
    [productId],
  );
  const enabled = new Map(rows.filter((row) => row.enabled).map((row) => [row.id, row]));
  const kept = new Set(specs.flatMap((spec) => (spec.id === null ? [] : [spec.id])));
  for (const id of kept)
    if (!enabled.has(id))
      throw ruleBroken(['规格已变化，请刷新后重试', 'The specs have changed, please refresh and try again']);
  const gone = [...enabled.values()].filter((row) => !kept.has(row.id));
  const running = gone.length > 0 && (await runningActivity(tx, { specIds: gone.map((row) => row.id) }));
  if (running) throw ruleBroken(running);
  await run(
    tx,
    'UPDATE product_spec SET enabled = false, version = version + 1 WHERE id = ANY($1::bigint[])',
    [gone.map((row) => row.id)],
  );

  const renamed = specs.filter((spec) => spec.id !== null && enabled.get(spec.id)!.name !== spec.name);
  const wantedNames = new Set(specs.map((spec) => spec.name));
  const formers = new Map(
    rows.filter((row) => !row.enabled || gone.includes(row)).map((row) => [row.name, row.id]),
  );
  // Names are unique in a product and may be swapped: what gives its name away steps aside first.
  const aside = [
    ...renamed.map((spec) => spec.id!),
    ...[...formers]
      .filter(([name]) => wantedNames.has(name) && renamed.some((spec) => spec.name === name))
      .map(([, id]) => id),
  ];
  await run(tx, `UPDATE product_spec SET name = left(name, 40) || ' #' || id WHERE id = ANY($1::bigint[])`, [
    aside,
  ]);
  let number = rows.length;
  for (const spec of specs) {
    if (spec.id !== null) await updateSpec(tx, spec.id, spec);
    else {
      const former = aside.includes(formers.get(spec.name) ?? -1) ? undefined : formers.get(spec.name);
      if (former === undefined) await addSpec(tx, productId, ++number, spec, staffId);
      else await reviveSpec(tx, former, spec, staffId);
    }
  }
}

/** A stored spec as content of reviews. */
export function contentOfSpec(row: SpecRow): SpecContent {
  return {
    id: row.id,
    name: row.name,
    price: row.price,
    marketPrice: row.market_price,
    stock: null,
    stockAlert: row.stock_alert,
    unit: row.unit,
    weightG: row.weight_g,
    barcode: row.barcode,
    imageId: row.image_id,
  };
}

/** Stored reason of a movement; reasons of staff are in their own words too. */
const REVIVED: Label = ['重新添加规格', 'Spec added again'];

async function updateSpec(tx: Tx, id: number, spec: Omit<SpecInput, 'id' | 'stock'>): Promise<void> {
  // Nothing is written where nothing differs: the trigger would lock and write the product for each spec.
  await run(
    tx,
    `UPDATE product_spec SET name = $2, price = $3, market_price = $4, stock_alert = $5, unit = $6, weight_g = $7, barcode = $8,
            image_id = $9, enabled = true, version = version + 1
      WHERE id = $1 AND (name, price, market_price, stock_alert, unit, weight_g, barcode, image_id, enabled)
            IS DISTINCT FROM ($2, $3::bigint, $4::bigint, $5::integer, $6, $7::integer, $8, $9::uuid, true)`,
    [
      id,
      spec.name,
      spec.price,
      spec.marketPrice,
      spec.stockAlert,
      spec.unit,
      spec.weightG,
      spec.barcode,
      spec.imageId,
    ],
  );
}

async function addSpec(
  tx: Tx,
  productId: number,
  number: number,
  spec: Omit<SpecInput, 'id'>,
  staffId: number,
): Promise<void> {
  const row = await runOne<{ id: number }>(
    tx,
    `INSERT INTO product_spec (product_id, code, name, price, market_price, stock, stock_alert, unit, weight_g, barcode, image_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING id`,
    [
      productId,
      `S${String(number).padStart(2, '0')}`,
      spec.name,
      spec.price,
      spec.marketPrice,
      spec.stock ?? 0,
      spec.stockAlert,
      spec.unit,
      spec.weightG,
      spec.barcode,
      spec.imageId,
    ],
  );
  await openStock(tx, row!.id, spec.stock ?? 0, staffId);
}

async function reviveSpec(tx: Tx, id: number, spec: Omit<SpecInput, 'id'>, staffId: number): Promise<void> {
  await updateSpec(tx, id, spec);
  const row = await runOne<{ stock: number }>(tx, 'SELECT stock FROM product_spec WHERE id = $1', [id]);
  const difference = (spec.stock ?? 0) - row!.stock;
  if (difference !== 0) await changeStock(tx, [{ specId: id, difference }], REVIVED[0], staffId);
}
