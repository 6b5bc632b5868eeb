import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { ActionContext, ActionResult } from '../../../kernel/server/resource/run-action.ts';
import { product } from './product.contract.ts';

/** A district, city or province with the places above it: `上海市 / 浦东新区`. */
export interface AreaPlace {
  readonly id: string;
  readonly title: string;
}

/** Most regions one product may name; blocked provinces stand for everything below them. */
export const MAX_REGIONS = 3_500;

/** Regions a product is not delivered to: its own, and those of its merchant, which are added to them. */
export async function areasOf(
  db: Executor,
  productId: number,
): Promise<{ own: AreaPlace[]; merchant: AreaPlace[] }> {
  const rows = await run<{ id: number; title: string; own: boolean }>(
    db,
    `SELECT r.id, concat_ws(' / ', u2.name, u1.name, r.name) AS title, a.product_id IS NOT NULL AS own
       FROM product p JOIN no_delivery_area a ON a.tenant_id = p.tenant_id AND (a.product_id IS NULL OR a.product_id = p.id)
       JOIN region r ON r.id = a.region_id LEFT JOIN region u1 ON u1.id = r.parent_id LEFT JOIN region u2 ON u2.id = u1.parent_id
      WHERE p.id = $1 ORDER BY r.code`,
    [productId],
  );
  const part = (own: boolean) =>
    rows.filter((row) => row.own === own).map((row) => ({ id: String(row.id), title: row.title }));
  return { own: part(true), merchant: part(false) };
}

/** btn_noDelivery: replaces the product's own set at once, on sale or not. Throws 422 for regions that do not exist. */
export async function setAreas(context: ActionContext): Promise<ActionResult> {
  const { tx, id, row, caller, input } = context;
  const wanted = readRegions(input.regions);
  const known = await run<{ id: number }>(tx, 'SELECT id FROM region WHERE id = ANY($1::bigint[])', [wanted]);
  if (known.length !== wanted.length) throw invalid({ regions: ['地区不存在', 'The region does not exist'] });
  const before = (await areasOf(tx, id)).own;
  await run(tx, 'DELETE FROM no_delivery_area WHERE product_id = $1 AND region_id <> ALL($2::bigint[])', [
    id,
    wanted,
  ]);
  await run(
    tx,
    `INSERT INTO no_delivery_area (tenant_id, product_id, region_id, created_by)
     SELECT $1, $2, unnest($3::bigint[]), $4 ON CONFLICT DO NOTHING`,
    [row.tenant_id, id, wanted, caller.staffId],
  );
  const after = (await areasOf(tx, id)).own;
  const gone = before.filter((one) => !after.some((other) => other.id === one.id));
  const added = after.filter((one) => !before.some((other) => other.id === one.id));
  await writeAudit(tx, {
    caller,
    facts: context.facts,
    menu: product.menu,
    action: 'noDelivery',
    entity: 'productContent',
    entityId: id,
    before: { regions: before.map((one) => one.title) },
    after: { regions: after.map((one) => one.title) },
  });
  return { remark: `+${added.length} −${gone.length}` };
}

function readRegions(value: unknown): number[] {
  const list = value ?? [];
  if (
    !Array.isArray(list) ||
    list.length > MAX_REGIONS ||
    !list.every((one) => /^\d{1,15}$/.test(String(one)))
  )
    throw invalid({ regions: ['请选择地区', 'Please choose regions'] });
  return [...new Set(list.map(Number))];
}
