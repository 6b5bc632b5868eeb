import { holdersOf } from '../../../domain/approval/approvers.server.ts';
import { notify } from '../../../domain/notification/notify.server.ts';
import { run, type Executor, type Tx } from '../../../kernel/server/database.ts';
import type { DbRow } from '../../../kernel/server/resource/binding.ts';
import { consentSight } from './coupon-scope.server.ts';
import { CONSENT_ELEMENT, ISSUED_MENU } from './issued-coupon.contract.ts';

/** What a coupon covers, as it is stored or as a form has it. Empty projects: all of them. */
export interface Covered {
  readonly scope: 'all' | 'classes' | 'products';
  readonly ids: readonly number[];
  readonly excluded: readonly number[];
  readonly projects: readonly number[];
  /** Merchant whose goods alone are meant. */
  readonly tenantId?: number | undefined;
}

// Goods of a class are those of the classes below it, too. A product for sale in one of the projects counts.
const GOODS = `FROM product p WHERE p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL
  AND ($5::bigint IS NULL OR p.tenant_id = $5) AND p.id <> ALL($3::bigint[])
  AND (cardinality($4::bigint[]) = 0 OR EXISTS (SELECT FROM product_project x WHERE x.product_id = p.id AND x.project_id = ANY($4::bigint[])))
  AND CASE $1::text WHEN 'products' THEN p.id = ANY($2::bigint[])
           WHEN 'classes' THEN EXISTS (
             WITH RECURSIVE below AS (
               SELECT id FROM product_class WHERE id = ANY($2::bigint[])
               UNION SELECT c.id FROM product_class c JOIN below b ON c.parent_id = b.id)
             SELECT FROM product_class_member m JOIN below b ON b.id = m.class_id WHERE m.product_id = p.id)
           ELSE true END`;

const valuesOf = (covered: Covered) => [
  covered.scope,
  covered.ids,
  covered.excluded,
  covered.projects,
  covered.tenantId ?? null,
];

/** Goods for sale a coupon covers, and of how many merchants. */
export async function reachOf(
  db: Executor,
  covered: Covered,
): Promise<{ readonly products: number; readonly merchants: number }> {
  const [row] = await run<{ products: number; merchants: number }>(
    db,
    `SELECT count(*)::int AS products, count(DISTINCT p.tenant_id)::int AS merchants ${GOODS}`,
    valuesOf(covered),
  );
  return row!;
}

/** Asks every merchant whose goods a platform coupon covers to bear its part; who was asked before is not asked again. */
export async function askMerchants(tx: Tx, row: DbRow): Promise<void> {
  const asked = await run<{ id: number; tenant_id: number }>(
    tx,
    `INSERT INTO coupon_consent (coupon_id, tenant_id)
     SELECT DISTINCT $6::bigint, p.tenant_id ${GOODS} AND EXISTS (SELECT FROM tenant t WHERE t.id = p.tenant_id AND t.kind = 2)
     ON CONFLICT DO NOTHING RETURNING id, tenant_id`,
    [
      ...valuesOf({
        scope: row.scope as Covered['scope'],
        ids: row.scope_ids as number[],
        excluded: row.excluded_product_ids as number[],
        projects: row.project_ids as number[],
      }),
      row.id,
    ],
  );
  const bears = 100 - Number(row.bearer_platform_percent);
  for (const one of asked)
    await notify(tx, {
      kind: 'couponConsent',
      level: 'important',
      staffIds: await holdersOf(tx, one.tenant_id, CONSENT_ELEMENT, []),
      rows: { sight: consentSight, ids: [one.id] },
      title: [
        `平台券「${String(row.name)}」请确认承担 ${bears}%`,
        `Platform coupon “${String(row.name)}” asks you to bear ${bears} %`,
      ],
      body: ['同意前本商户商品不可用此券', 'Until you agree your goods are not covered'],
      route: `/marketing/${ISSUED_MENU}`,
    });
}
