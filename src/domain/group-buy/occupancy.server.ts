import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';

/**
 * The refusal of taking goods off the shelf or deleting a spec while an activity that is announced or running sells them,
 * or undefined. Source: group 16, Stock reservation 6.
 */
export async function runningActivity(
  db: Executor,
  of: { readonly productId: number } | { readonly specIds: readonly number[] },
): Promise<Label | undefined> {
  const row = await runOne<{ name: string }>(
    db,
    `SELECT o.name FROM promotion_occupancy o WHERE upper(o.period) > clock_timestamp() AND
       ${'productId' in of ? 'o.spec_id IN (SELECT s.id FROM product_spec s WHERE s.product_id = $1)' : 'o.spec_id = ANY($1::bigint[])'}
      ORDER BY o.id LIMIT 1`,
    ['productId' in of ? of.productId : of.specIds],
  );
  return row ? [`活动进行中，不能下架：${row.name}`, `In a running activity: ${row.name}`] : undefined;
}

/** What another activity that has a spec in a period is called there, or undefined. Behind the spec's lock it is final. */
export async function occupiedBy(
  tx: Executor,
  specId: number,
  startsAt: Date,
  endsAt: Date,
): Promise<{ readonly name: string; readonly from: Date; readonly to: Date } | undefined> {
  return runOne(
    tx,
    `SELECT name, lower(period) AS "from", upper(period) AS "to" FROM promotion_occupancy
      WHERE spec_id = $1 AND period && tstzrange($2, $3) ORDER BY lower(period) LIMIT 1`,
    [specId, startsAt, endsAt],
  );
}

/** Gives the rest of an activity's time back: others may have the specs from this moment. */
export async function endOccupancy(tx: Executor, kind: 'seckill' | 'group', sourceId: number): Promise<void> {
  await run(
    tx,
    `DELETE FROM promotion_occupancy WHERE kind = $1 AND source_id = $2 AND lower(period) >= clock_timestamp()`,
    [kind, sourceId],
  );
  await run(
    tx,
    `UPDATE promotion_occupancy SET period = tstzrange(lower(period), least(upper(period), clock_timestamp()))
      WHERE kind = $1 AND source_id = $2`,
    [kind, sourceId],
  );
}
