import { runOne, type Tx } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import {
  capturePoints,
  holdPoints,
  orderHoldSource,
  orderReleaseSource,
  orderSpendSource,
  releasePoints,
} from '../points-ledger/points-ledger.server.ts';

/** Holds the points of an unpaid order. Nothing happens for 0 points. Throws 30101 when the member has not enough. */
export async function holdOrderPoints(
  tx: Tx,
  hold: { readonly memberId: number; readonly orderId: number; readonly points: number },
): Promise<void> {
  if (hold.points === 0) return;
  await holdPoints(tx, {
    memberId: hold.memberId,
    amount: hold.points,
    source: orderHoldSource(hold.orderId),
  });
}

/** Spends the points an unpaid order holds; nothing happens when it holds none. */
export async function captureOrderPoints(tx: Tx, orderId: number): Promise<void> {
  if (await usesPoints(tx, orderId))
    await capturePoints(tx, { hold: orderHoldSource(orderId), source: orderSpendSource(orderId) });
}

/** Gives the points an unpaid order holds back; nothing happens when it holds none. */
export async function releaseOrderPoints(tx: Tx, platform: Platform, orderId: number): Promise<void> {
  if (await usesPoints(tx, orderId))
    await releasePoints(tx, platform.settings, {
      hold: orderHoldSource(orderId),
      source: orderReleaseSource(orderId),
    });
}

async function usesPoints(tx: Tx, orderId: number): Promise<boolean> {
  return (
    (await runOne<{ points: number }>(tx, 'SELECT points FROM sales_order WHERE id = $1', [orderId]))!
      .points > 0
  );
}
