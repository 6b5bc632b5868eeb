import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Tx } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import type { Invariant } from '../../kernel/server/registration.ts';
import type { AttachedOrder, OrderAttachment } from '../checkout/order-attachments.server.ts';

/** Subject of purchase_counter. */
const COUNTED = 'rush_item';
const OVER: Label = ['疯抢已结束', 'The rush is over'];
const SOLD_OUT: Label = ['已抢光', 'Sold out'];

/**
 * Pieces of a rush: held with the order, sold by its payment, given back with its closing. What is refunded goes back to the
 * shelf and not into the rush, and the member's limit stays used. Locks in this order: order, spec, counter, item.
 * Source: group 08, rush_item and purchase_counter.
 */
export const rushClaim: OrderAttachment = {
  matches: (order) => order.type === 'rush',
  hold: (tx, _platform, order) => hold(tx, order),
  paid: async (tx, _platform, order) => {
    for (const claim of await move(tx, order.id, 'paid'))
      await run(tx, 'UPDATE rush_item SET held = held - $2, sold = sold + $2 WHERE id = $1', [
        claim.item_id,
        claim.qty,
      ]);
  },
  released: async (tx, _platform, order) => {
    for (const claim of await move(tx, order.id, 'released')) {
      await run(
        tx,
        'UPDATE purchase_counter SET qty = greatest(qty - $4, 0) WHERE member_id = $1 AND subject = $2 AND subject_id = $3',
        [order.memberId, COUNTED, claim.item_id, claim.qty],
      );
      await run(tx, 'UPDATE rush_item SET held = held - $2, remaining = remaining + $2 WHERE id = $1', [
        claim.item_id,
        claim.qty,
      ]);
    }
  },
  refunded: async () => {},
};

async function hold(tx: Tx, order: AttachedOrder): Promise<void> {
  const lines = await run<{
    item_id: number | null;
    limit: number;
    qty: number;
    price: number;
    name: string;
  }>(
    tx,
    `SELECT i.id AS item_id, i.per_limit AS "limit", l.qty, l.unit_price AS price, l.product_name AS name
       FROM order_line l LEFT JOIN rush_item i ON i.spec_id = l.spec_id AND i.period @> clock_timestamp()
      WHERE l.order_id = $1 ORDER BY i.id`,
    [order.id],
  );
  for (const line of lines) {
    if (line.item_id === null) throw ruleBroken(OVER);
    const counted = await runOne(
      tx,
      `INSERT INTO purchase_counter AS c (member_id, subject, subject_id, qty) SELECT $1, $2, $3, $4 WHERE $5 = 0 OR $4 <= $5
       ON CONFLICT (member_id, subject, subject_id) DO UPDATE SET qty = c.qty + $4 WHERE $5 = 0 OR c.qty + $4 <= $5 RETURNING 1 AS one`,
      [order.memberId, COUNTED, line.item_id, line.qty, line.limit],
    );
    if (!counted)
      throw ruleBroken([
        `${line.name}：疯抢每人限购${line.limit}件`,
        `${line.name}: at most ${line.limit} per person in the rush`,
      ]);
    // One statement decides about pieces, time and price.
    const taken = await runOne(
      tx,
      `UPDATE rush_item SET remaining = remaining - $2, held = held + $2
        WHERE id = $1 AND remaining >= $2 AND price = $3 AND period @> clock_timestamp() RETURNING id`,
      [line.item_id, line.qty, line.price],
    );
    if (!taken) throw ruleBroken(SOLD_OUT);
    await run(tx, 'INSERT INTO rush_claim (order_id, item_id, qty) VALUES ($1, $2, $3)', [
      order.id,
      line.item_id,
      line.qty,
    ]);
  }
}

/** Claims of an order that are held become paid or released, once. */
function move(tx: Tx, orderId: number, to: 'paid' | 'released') {
  return run<{ item_id: number; qty: number }>(
    tx,
    `WITH moved AS (UPDATE rush_claim SET state = $2 WHERE order_id = $1 AND state = 'held' RETURNING item_id, qty)
     SELECT * FROM moved ORDER BY item_id`,
    [orderId, to],
  );
}

/** What orders hold and have bought against what the rush says. */
export const rushInvariants: readonly Invariant[] = [
  {
    name: 'rush.pieces',
    check: async ({ database: { db } }) => {
      const looked = await runOne<{ n: number }>(db, 'SELECT count(*)::int AS n FROM rush_item');
      const off = await run<{ what: string }>(
        db,
        `SELECT 'rush ' || i.id || ': held ' || i.held || ', sold ' || i.sold || '; orders hold ' || x.held || ', bought ' || x.sold AS what
           FROM rush_item i CROSS JOIN LATERAL (SELECT coalesce(sum(c.qty) FILTER (WHERE c.state = 'held'), 0) AS held,
                coalesce(sum(c.qty) FILTER (WHERE c.state = 'paid'), 0) AS sold FROM rush_claim c WHERE c.item_id = i.id) x
          WHERE i.held <> x.held OR i.sold <> x.sold LIMIT 200`,
      );
      return { looked: looked!.n, problems: off.map((row) => row.what) };
    },
  },
];
