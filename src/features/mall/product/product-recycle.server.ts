import { writeAudit, writeTimeline } from '../../../kernel/server/audit/audit.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { product } from './product.contract.ts';

/** Products emptied in one transaction. */
const BATCH = 200;

/**
 * Empties the recycle bin of products that lie there for `product.recycle_days` and no order refers to: their content
 * goes, nobody finds them any more, the rows stay because stock movements are never deleted. Returns how many.
 * Source: group 08, mm_commodityMana, states; Jobs (product.recycle).
 */
export async function emptyRecycleBin(platform: Platform): Promise<number> {
  let count = 0;
  for (let emptied = BATCH; emptied === BATCH; count += emptied)
    emptied = await transaction(platform.database.db, async (tx) => {
      const days = await platform.settings.numberIn(tx, 'product.recycle_days');
      // Skipped rows are being edited, restored for instance: the next day looks again.
      const rows = await run<{ id: number; code: string; name: string }>(
        tx,
        `SELECT p.id, p.code, p.name FROM product p
          WHERE p.kind = 'goods' AND p.purged_at IS NULL AND p.recycled_at < clock_timestamp() - make_interval(days => $1)
            AND NOT EXISTS (SELECT FROM order_line l WHERE l.product_id = p.id)
          ORDER BY p.id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
        [days],
      );
      if (rows.length === 0) return 0;
      const ids = rows.map((row) => row.id);
      await run(
        tx,
        `UPDATE product SET purged_at = clock_timestamp(), summary = '', detail_html = '', logo_ids = '{}', featured_ids = '{}',
                labels = '{}', after_sale_text = '', version = version + 1, updated_at = now() WHERE id = ANY($1::bigint[])`,
        [ids],
      );
      for (const table of ['product_project', 'product_class_member', 'no_delivery_area'])
        await run(tx, `DELETE FROM ${table} WHERE product_id = ANY($1::bigint[])`, [ids]);
      await run(
        tx,
        `UPDATE product_spec SET enabled = false, barcode = NULL, image_id = NULL, version = version + 1
          WHERE product_id = ANY($1::bigint[])`,
        [ids],
      );
      await run(
        tx,
        `UPDATE product_review SET state = 'withdrawn', version = version + 1 WHERE product_id = ANY($1::bigint[]) AND state = 'waiting'`,
        [ids],
      );
      for (const row of rows) {
        await writeTimeline(tx, {
          entity: product.name,
          entityId: row.id,
          action: 'purge',
          label: ['回收站已清空', 'Recycle bin emptied'],
        });
        await writeAudit(tx, {
          action: 'purge',
          entity: product.name,
          entityId: row.id,
          before: { code: row.code, name: row.name },
        });
      }
      return rows.length;
    });
  if (count > 0) platform.changed(product.name);
  return count;
}

/** Runs daily. */
export const recycleJob: Job = {
  name: 'product.recycle',
  title: ['清空商品回收站', 'Empty the recycle bin of goods'],
  // 03:00 of business time; patterns are in UTC.
  cron: '0 19 * * *',
  run: async (_payload, platform) => {
    const count = await emptyRecycleBin(platform);
    if (count > 0) platform.log.info({ count }, 'products left the recycle bin for good');
  },
};
