import { run, runOne } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';

const DAY = 86_400_000;

/** Codes of regions far from every demonstration project, by place of the merchant. */
const SETS: readonly {
  readonly codes: readonly string[];
  readonly days: number;
  readonly later?: readonly string[];
}[] = [
  { codes: ['540000', '650000', '630000'], days: 120, later: ['152900', '632800'] },
  { codes: ['540000', '650000', '460300'], days: 75 },
  { codes: ['650000', '540000', '150000', '620000', '640000'], days: 40, later: ['230700'] },
  { codes: ['460300', '542500'], days: 12 },
];

/** What merchants do not deliver to: the far west for most, islands for some. */
export const demo = defineDemo({
  key: 'noDeliveryAreas',
  run: async ({ tx, base, insert, tell, now, as }) => {
    for (const [index, set] of SETS.entries()) {
      const merchant = base.merchants[index];
      if (!merchant) continue;
      const staff = [...base.staff.values()].find((one) => one.tenantId === merchant.id);
      const author = as(staff?.account ?? 'mall1');
      let version = 1;
      for (const [step, codes] of [set.codes, set.later ?? []].entries()) {
        if (codes.length === 0) continue;
        const at = new Date(now.getTime() - (set.days - step * 9) * DAY);
        const regions = await run<{ id: number }>(
          tx,
          `SELECT r.id FROM region r WHERE r.code = ANY($1::text[]) AND NOT EXISTS (SELECT FROM no_delivery_area a WHERE a.tenant_id = $2 AND a.product_id IS NULL
              AND a.region_id IN (r.id, r.parent_id)) ORDER BY r.code`,
          [codes, merchant.id],
        );
        if (regions.length === 0) continue;
        await insert(
          'no_delivery_area',
          regions.map((one) => ({
            tenant_id: merchant.id,
            region_id: one.id,
            created_at: at,
            created_by: author.staffId,
          })),
        );
        version += 1;
        await runOne(
          tx,
          `INSERT INTO no_delivery_set (tenant_id, version, updated_at, updated_by) VALUES ($1, $2, $3, $4)
           ON CONFLICT (tenant_id) DO UPDATE SET version = excluded.version, updated_at = excluded.updated_at, updated_by = excluded.updated_by RETURNING tenant_id`,
          [merchant.id, version, at, author.staffId],
        );
        await tell({
          entity: 'noDeliverySet',
          entityId: merchant.id,
          caller: author,
          action: 'save',
          label: ['保存不配送区域', 'No-delivery areas saved'],
          remark: `+${regions.length} −0`,
          at,
        });
      }
    }
  },
});
