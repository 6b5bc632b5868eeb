import { run, runOne, type Executor } from '../../kernel/server/database.ts';

/**
 * Source of the movements of an order whose pieces come from an activity. Their op 5 and op 6 move `sold` alone: `stock`
 * and `reserved` were moved when the activity took its copies. Source: group 16, Stock reservation.
 */
export const ACTIVITY_ORDER = 'activity_order';

/** What a movement between shelf and activity is for; unique with spec and op. */
export interface ActivitySource {
  readonly type:
    'group_buy_item' | 'group_buy_change' | 'seckill_item' | 'seckill_change' | typeof ACTIVITY_ORDER;
  readonly id: string;
  readonly reason?: string;
  readonly staffId?: number | null | undefined;
}

/** Locks the product, then the spec: the order every checkout takes them in. */
async function lockSpec(tx: Executor, specId: number): Promise<void> {
  await run(
    tx,
    'SELECT FROM product p WHERE p.id = (SELECT product_id FROM product_spec WHERE id = $1) FOR NO KEY UPDATE',
    [specId],
  );
}

/** Moves copies from the shelf into an activity (op 7); the copies left when they are short, else undefined. */
export async function takeFromShelf(
  tx: Executor,
  specId: number,
  qty: number,
  source: ActivitySource,
): Promise<number | undefined> {
  await lockSpec(tx, specId);
  const row = await runOne<{ stock: number }>(
    tx,
    'UPDATE product_spec SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING stock',
    [specId, qty],
  );
  if (!row)
    return (await runOne<{ stock: number }>(tx, 'SELECT stock FROM product_spec WHERE id = $1', [specId]))!
      .stock;
  await write(tx, specId, 7, -qty, row.stock + qty, row.stock, source);
  return undefined;
}

/** Copies an activity did not sell go on the shelf again (op 8). A repeat for the same source changes nothing. */
export async function returnToShelf(
  tx: Executor,
  specId: number,
  qty: number,
  source: ActivitySource,
): Promise<void> {
  if (qty === 0) return;
  await lockSpec(tx, specId);
  if (await isWritten(tx, specId, 8, source)) return;
  const row = await runOne<{ stock: number }>(
    tx,
    'UPDATE product_spec SET stock = stock + $2 WHERE id = $1 RETURNING stock',
    [specId, qty],
  );
  await write(tx, specId, 8, qty, row!.stock - qty, row!.stock, source);
}

/** Copies of an activity were paid: `sold` rises (op 5), what can be sold stays as it is. */
export async function sellFromActivity(
  tx: Executor,
  specId: number,
  qty: number,
  orderId: number,
): Promise<void> {
  await lockSpec(tx, specId);
  const source: ActivitySource = { type: ACTIVITY_ORDER, id: String(orderId) };
  if (await isWritten(tx, specId, 5, source)) return;
  const row = await runOne<{ stock: number }>(
    tx,
    'UPDATE product_spec SET sold = sold + $2 WHERE id = $1 RETURNING stock',
    [specId, qty],
  );
  await write(tx, specId, 5, -qty, row!.stock, row!.stock, source);
}

async function isWritten(tx: Executor, specId: number, op: number, source: ActivitySource): Promise<boolean> {
  const row = await runOne(
    tx,
    'SELECT 1 AS one FROM stock_movement WHERE source_type = $1 AND source_id = $2 AND spec_id = $3 AND op = $4',
    [source.type, source.id, specId, op],
  );
  return row !== undefined;
}

async function write(
  tx: Executor,
  specId: number,
  op: number,
  qty: number,
  before: number,
  after: number,
  source: ActivitySource,
): Promise<void> {
  await run(
    tx,
    `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id, reason, staff_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [specId, op, qty, before, after, source.type, source.id, source.reason ?? '', source.staffId ?? null],
  );
}
