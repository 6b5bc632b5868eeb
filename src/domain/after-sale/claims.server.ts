import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { CLAIMED } from './case.rules.ts';

/**
 * Refuses units that live cases hold (30101 该商品已申请售后); `caseId` is the case that asks, whose own units are free for it.
 * `all` asks for everything left. The order must be locked: the counter of a line is moved by cases under that lock.
 */
export async function requireUnclaimed(
  tx: Executor,
  orderId: number,
  asked: readonly { readonly lineId: number; readonly qty: number }[] | 'all',
  caseId?: number,
): Promise<void> {
  const lines = await run<{ id: number; free: number; foreign: number }>(
    tx,
    `SELECT l.id, (l.qty - l.qty_refunded - l.qty_claimed + coalesce(o.qty, 0))::integer AS free,
            (l.qty_claimed - coalesce(o.qty, 0))::integer AS foreign
       FROM order_line l
       LEFT JOIN (SELECT c.line_id, coalesce(c.accepted_qty, c.qty) AS qty FROM after_sale_line c
                    JOIN after_sale a ON a.id = c.after_sale_id WHERE a.id = $2 AND after_sale_is_live(a.state)) o ON o.line_id = l.id
      WHERE l.order_id = $1 AND l.qty_claimed > 0`,
    [orderId, caseId ?? null],
  );
  for (const line of lines) {
    if (line.foreign === 0) continue;
    const qty =
      asked === 'all'
        ? Infinity
        : asked.reduce((sum, one) => sum + (one.lineId === line.id ? one.qty : 0), 0);
    if (qty > line.free) throw ruleBroken(CLAIMED);
  }
}

/** Whether an order has a live case: its automatic receipt waits. Source: group 08, Jobs (order.auto_receive). */
export async function hasLiveCase(db: Executor, orderId: number): Promise<boolean> {
  const row = await runOne(
    db,
    'SELECT 1 AS one FROM after_sale WHERE order_id = $1 AND after_sale_is_live(state) LIMIT 1',
    [orderId],
  );
  return row !== undefined;
}
