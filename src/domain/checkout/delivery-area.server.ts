import { run, type Executor } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';

/** What the check needs of a line. */
export interface DeliveredLine {
  readonly productId: number;
  readonly tenantId: number;
  readonly productName: string;
}

/**
 * Refuses goods that their merchant, or the product itself, does not deliver to the district of a project (the city of
 * its centre where it has none). A blocked city or province blocks every district below it. Throws 30101
 * 该地区不配送: {lines}. Asked at the quote and again at the creation; paid orders are not affected.
 * Source: group 08, mm_noDeliveryArea.
 */
export async function refuseUndeliverable(
  db: Executor,
  projectId: number,
  lines: readonly DeliveredLine[],
): Promise<void> {
  const rows = await run<{ tenant_id: number; product_id: number | null }>(
    db,
    `WITH RECURSIVE place AS (
       SELECT r.id, r.parent_id FROM project p JOIN organisation c ON c.id = p.centre_id
         JOIN region r ON r.id = coalesce(p.region_id, c.region_id) WHERE p.id = $1
       UNION ALL SELECT r.id, r.parent_id FROM place JOIN region r ON r.id = place.parent_id)
     SELECT DISTINCT a.tenant_id, a.product_id FROM no_delivery_area a JOIN place ON place.id = a.region_id
      WHERE a.tenant_id = ANY($2::bigint[]) AND (a.product_id IS NULL OR a.product_id = ANY($3::bigint[]))`,
    [projectId, lines.map((line) => line.tenantId), lines.map((line) => line.productId)],
  );
  const blocked = lines.filter((line) =>
    rows.some((row) =>
      row.product_id === null ? row.tenant_id === line.tenantId : row.product_id === line.productId,
    ),
  );
  if (blocked.length === 0) return;
  const names = [...new Set(blocked.map((line) => line.productName))];
  throw ruleBroken([`该地区不配送：${names.join('、')}`, `Not delivered to this area: ${names.join(', ')}`], {
    reason: 'NO_DELIVERY',
  });
}
