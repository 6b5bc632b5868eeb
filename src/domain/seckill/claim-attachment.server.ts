import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import type { AttachedOrder, OrderAttachment } from '../checkout/order-attachments.server.ts';
import { ACTIVITY_ORDER, returnToShelf, sellFromActivity } from '../group-buy/group-stock.server.ts';
import { closedBecause, refused, type SeckillWanted } from './seckill-offer.server.ts';

/** Subject of purchase_counter. */
export const COUNTED = 'seckill_item';

interface Claim {
  readonly id: number;
  readonly item_id: number;
  readonly member_id: number;
  readonly qty: number;
  readonly state: 'held' | 'paid' | 'released';
}

/**
 * The claim of a seckill order: held with the order, taken by its payment, given back with its closing.
 * Locks in this order: order, claim, counter, item, product and spec. Source: group 16, Stock reservation.
 */
export const seckillClaim: OrderAttachment = {
  matches: (order) => order.type === 'seckill',
  hold: async (tx, _platform, order, request) => {
    if (request.seckill) await holdClaim(tx, order, request.seckill);
  },
  paid: async (tx, _platform, order) => takeClaim(tx, order.id),
  released: async (tx, _platform, order) => releaseClaim(tx, order.id),
  refunded: async (tx, platform, order, refund) =>
    countRefund(tx, order.id, refund.id, await platform.settings.flagIn(tx, 'seckill.refund.restore_limit')),
};

async function holdClaim(tx: Tx, order: AttachedOrder, wanted: SeckillWanted): Promise<void> {
  const { qty } = (await runOne<{ qty: number }>(
    tx,
    'SELECT sum(qty)::integer AS qty FROM order_line WHERE order_id = $1',
    [order.id],
  ))!;
  const counted = await runOne(
    tx,
    `INSERT INTO purchase_counter AS c (member_id, subject, subject_id, qty)
     SELECT $1, $2, i.id, $4 FROM seckill_item i WHERE i.id = $3 AND $4 <= i.per_member_limit
     ON CONFLICT (member_id, subject, subject_id) DO UPDATE SET qty = c.qty + $4
       WHERE c.qty + $4 <= (SELECT i.per_member_limit FROM seckill_item i WHERE i.id = $3) RETURNING 1 AS one`,
    [order.memberId, COUNTED, wanted.itemId, qty],
  );
  if (!counted) throw refused('OVER_MEMBER_LIMIT');
  // Last of all the hot row: one statement decides about copies, state and time.
  const taken = await runOne(
    tx,
    `UPDATE seckill_item SET remaining = remaining - $2, held = held + $2
      WHERE id = $1 AND remaining >= $2 AND state IN ('scheduled', 'running')
        AND starts_at <= clock_timestamp() AND ends_at > clock_timestamp() RETURNING id`,
    [wanted.itemId, qty],
  );
  if (!taken) throw await whyNot(tx, wanted.itemId);
  await run(
    tx,
    `INSERT INTO seckill_claim (activity_id, item_id, member_id, order_id, qty, request_key, request_digest)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      wanted.activityId,
      wanted.itemId,
      order.memberId,
      order.id,
      qty,
      wanted.requestKey,
      wanted.requestDigest,
    ],
  );
}

async function whyNot(tx: Tx, itemId: number) {
  const row = (await runOne<{ held: number; state: string; begun: boolean; over: boolean }>(
    tx,
    `SELECT held, state, starts_at <= clock_timestamp() AS begun, ends_at <= clock_timestamp() AS over FROM seckill_item WHERE id = $1`,
    [itemId],
  ))!;
  const closed = closedBecause(row);
  return closed ? refused(closed) : refused('SOLD_OUT', row.held);
}

/** The claim of an order, locked; undefined for orders from before claims were kept. */
async function lockClaim(tx: Executor, orderId: number): Promise<Claim | undefined> {
  return runOne<Claim>(tx, 'SELECT * FROM seckill_claim WHERE order_id = $1 FOR UPDATE', [orderId]);
}

async function takeClaim(tx: Tx, orderId: number): Promise<void> {
  const claim = await lockClaim(tx, orderId);
  if (claim?.state !== 'held') return;
  await run(
    tx,
    `UPDATE seckill_claim SET state = 'paid', paid_at = clock_timestamp(), version = version + 1 WHERE id = $1`,
    [claim.id],
  );
  const item = (await runOne<{ spec_id: number }>(
    tx,
    'UPDATE seckill_item SET held = held - $2, sold = sold + $2 WHERE id = $1 RETURNING spec_id',
    [claim.item_id, claim.qty],
  ))!;
  await sellFromActivity(tx, item.spec_id, claim.qty, orderId);
}

/** Unpaid copies go back into the activity while their session is open, else on the shelf (op 8, once per order). */
async function releaseClaim(tx: Tx, orderId: number): Promise<void> {
  const claim = await lockClaim(tx, orderId);
  if (claim?.state !== 'held') return;
  await run(
    tx,
    `UPDATE seckill_claim SET state = 'released', released_at = clock_timestamp(), version = version + 1,
            released_why = '未付款' WHERE id = $1`,
    [claim.id],
  );
  await countDown(tx, claim, claim.qty);
  const item = (await runOne<{ spec_id: number; open: boolean }>(
    tx,
    `SELECT spec_id, (state IN ('scheduled', 'running', 'paused') AND ends_at > clock_timestamp()) AS open
       FROM seckill_item WHERE id = $1 FOR NO KEY UPDATE`,
    [claim.item_id],
  ))!;
  await run(
    tx,
    `UPDATE seckill_item SET held = held - $2, ${item.open ? 'remaining = remaining' : 'returned = returned'} + $2 WHERE id = $1`,
    [claim.item_id, claim.qty],
  );
  if (!item.open)
    await returnToShelf(tx, item.spec_id, claim.qty, { type: ACTIVITY_ORDER, id: String(orderId) });
}

/** Refunded units are counted; they go on the shelf as any other, never into the activity. Source: Stock reservation 5. */
async function countRefund(tx: Tx, orderId: number, refundId: number, restores: boolean): Promise<void> {
  const claim = await lockClaim(tx, orderId);
  if (claim?.state !== 'paid') return;
  const { qty } = (await runOne<{ qty: number }>(
    tx,
    'SELECT coalesce(sum(qty), 0)::integer AS qty FROM refund_line WHERE refund_id = $1',
    [refundId],
  ))!;
  if (qty === 0) return;
  await run(
    tx,
    'UPDATE seckill_claim SET refunded = refunded + $2, restored = restored + $3, version = version + 1 WHERE id = $1',
    [claim.id, qty, restores ? qty : 0],
  );
  if (restores) await countDown(tx, claim, qty);
  await run(tx, 'UPDATE seckill_item SET refunded = refunded + $2 WHERE id = $1', [claim.item_id, qty]);
}

async function countDown(tx: Tx, claim: Claim, qty: number): Promise<void> {
  await run(
    tx,
    'UPDATE purchase_counter SET qty = qty - $4 WHERE member_id = $1 AND subject = $2 AND subject_id = $3',
    [claim.member_id, COUNTED, claim.item_id, qty],
  );
}
