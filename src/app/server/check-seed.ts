import type { Runner } from './seed-demo/insert-rows.ts';

/** What one check looked at and what is off; `problems` names at most twenty rows. */
export interface SeedCheck {
  readonly name: string;
  /** Rows compared; a check that compared none proves nothing. */
  readonly looked: number;
  readonly problems: readonly string[];
}

/**
 * Recomputes what must add up over the whole database: orders against lines, shares, payments and refunds, parcels,
 * stock against movements, coupons, points. Reads only; also true while the product is at work.
 */
export async function checkSeed(db: Runner): Promise<SeedCheck[]> {
  const checks: SeedCheck[] = [];
  for (const [name, sql] of Object.entries(CHECKS)) {
    const { rows } = await db.query<{ looked: number; problems: string[] | null }>(
      `WITH compared AS (${sql})
       SELECT count(*)::int AS looked,
              (array_agg(who || ': ' || array_to_string(found, ' ', '-') || ' <> ' || array_to_string(wanted, ' ', '-') ORDER BY who)
                FILTER (WHERE found IS DISTINCT FROM wanted))[1:20] AS problems
         FROM compared`,
    );
    checks.push({ name, looked: rows[0]!.looked, problems: rows[0]!.problems ?? [] });
  }
  return checks;
}

/** Every check gives who it looked at, the numbers found and the numbers wanted. */
const CHECKS: Readonly<Record<string, string>> = {
  'order = lines': `
    SELECT 'order ' || o.code AS who, ARRAY[o.goods, o.payable - o.freight, o.item_count::bigint] AS found,
           ARRAY[l.goods, l.cash, l.qty] AS wanted
      FROM sales_order o
      LEFT JOIN (SELECT order_id, sum(goods)::bigint AS goods, sum(cash)::bigint AS cash, sum(qty) AS qty
                   FROM order_line GROUP BY order_id) l ON l.order_id = o.id`,

  'order = shares per step': `
    SELECT 'order ' || o.code AS who,
           ARRAY[o.merchant_coupon, o.platform_coupon, o.points_value, o.points, o.coins_value, o.manual_off, o.points_refunded] AS found,
           ARRAY[coalesce(s.s20, 0), coalesce(s.s30, 0), coalesce(s.s40, 0), coalesce(s.u40, 0), coalesce(s.s45, 0),
                 coalesce(s.s60, 0), coalesce(s.r40, 0)] AS wanted
      FROM sales_order o
      LEFT JOIN (SELECT l.order_id,
                        sum(s.amount) FILTER (WHERE s.step = 20)::bigint AS s20, sum(s.amount) FILTER (WHERE s.step = 30)::bigint AS s30,
                        sum(s.amount) FILTER (WHERE s.step = 40)::bigint AS s40, sum(s.units) FILTER (WHERE s.step = 40)::bigint AS u40,
                        sum(s.amount) FILTER (WHERE s.step = 45)::bigint AS s45, sum(s.amount) FILTER (WHERE s.step = 60)::bigint AS s60,
                        sum(s.refunded_units) FILTER (WHERE s.step = 40)::bigint AS r40
                   FROM order_share s JOIN order_line l ON l.id = s.line_id GROUP BY l.order_id) s ON s.order_id = o.id`,

  'line = shares + cash': `
    SELECT 'line ' || l.id AS who, ARRAY[l.goods - l.cash] AS found, ARRAY[coalesce(s.amount, 0)] AS wanted
      FROM order_line l
      LEFT JOIN (SELECT line_id, sum(amount)::bigint AS amount FROM order_share GROUP BY line_id) s ON s.line_id = l.id`,

  'payment = orders': `
    SELECT 'payment ' || p.checkout_code AS who, ARRAY[p.amount, (p.state = 2)::int::bigint] AS found,
           ARRAY[o.payable, o.paid] AS wanted
      FROM payment p
      LEFT JOIN (SELECT payment_id, sum(payable)::bigint AS payable, min((paid_at IS NOT NULL)::int)::bigint AS paid
                   FROM sales_order GROUP BY payment_id) o ON o.payment_id = p.id`,

  'payment = refunds': `
    SELECT 'payment ' || p.checkout_code AS who, ARRAY[p.refunded, p.refunding] AS found,
           ARRAY[coalesce(r.done, 0), coalesce(r.open, 0)] AS wanted
      FROM payment p
      LEFT JOIN (SELECT payment_id, sum(cash) FILTER (WHERE state = 'succeeded')::bigint AS done,
                        sum(cash) FILTER (WHERE state IN ('reviewing', 'refunding', 'failed'))::bigint AS open
                   FROM refund GROUP BY payment_id) r ON r.payment_id = p.id`,

  'channel = payment': `
    SELECT 'trade ' || p.trade_no AS who, ARRAY[p.amount, p.refunded] AS found, ARRAY[t.amount, t.refunded] AS wanted
      FROM payment p LEFT JOIN sandbox_trade t USING (trade_no) WHERE p.trade_no IS NOT NULL`,

  'order = refunds': `
    SELECT 'order ' || o.code AS who,
           ARRAY[o.cash_refunded, o.freight_refunded, o.points_refunded,
                 CASE o.refund_status WHEN 'refunding' THEN 10 WHEN 'none' THEN 0 WHEN 'full' THEN 20 ELSE 15 END] AS found,
           ARRAY[coalesce(r.cash, 0), coalesce(r.freight, 0), coalesce(r.points, 0),
                 CASE WHEN r.open > 0 THEN 10 WHEN l.left_qty = 0 THEN 20 WHEN coalesce(r.done, 0) = 0 THEN 0 ELSE 15 END] AS wanted
      FROM sales_order o
      LEFT JOIN (SELECT order_id, sum(cash) FILTER (WHERE state = 'succeeded')::bigint AS cash,
                        sum(freight_part) FILTER (WHERE state = 'succeeded')::bigint AS freight,
                        sum(points) FILTER (WHERE state = 'succeeded')::bigint AS points,
                        count(*) FILTER (WHERE state IN ('reviewing', 'refunding', 'failed')) AS open,
                        count(*) FILTER (WHERE state = 'succeeded') AS done
                   FROM refund GROUP BY order_id) r ON r.order_id = o.id
      LEFT JOIN (SELECT order_id, sum(qty - qty_refunded) AS left_qty FROM order_line GROUP BY order_id) l ON l.order_id = o.id`,

  'refund = rows': `
    SELECT 'refund ' || r.code AS who, ARRAY[r.cash, r.points, r.points_value, r.apply_price, r.item_count::bigint] AS found,
           ARRAY[coalesce(l.cash, 0) + r.freight_part - r.fee, coalesce(l.points, 0), coalesce(l.points_value, 0),
                 r.cash + r.points_value + r.coins_value, coalesce(l.qty, 0)] AS wanted
      FROM refund r
      LEFT JOIN (SELECT l.refund_id, sum(l.cash)::bigint AS cash, sum(l.qty) AS qty, sum(s.points)::bigint AS points,
                        sum(s.points_value)::bigint AS points_value
                   FROM refund_line l
                   LEFT JOIN (SELECT s.refund_line_id, sum(s.units) FILTER (WHERE o.step = 40) AS points,
                                     sum(s.amount) FILTER (WHERE o.step = 40) AS points_value
                                FROM refund_line_share s JOIN order_share o ON o.id = s.share_id GROUP BY 1) s
                          ON s.refund_line_id = l.id
                  GROUP BY l.refund_id) l ON l.refund_id = r.id`,

  'line = refund rows': `
    SELECT 'line ' || l.id AS who, ARRAY[l.cash_refunded, l.qty_refunded::bigint, l.qty_refunded_unshipped::bigint] AS found,
           ARRAY[coalesce(r.cash, 0), coalesce(r.qty, 0), coalesce(r.unshipped, 0)] AS wanted
      FROM order_line l
      LEFT JOIN (SELECT l.line_id, sum(l.cash - l.fee)::bigint AS cash, sum(l.qty) AS qty, sum(l.unshipped_qty) AS unshipped
                   FROM refund_line l JOIN refund r ON r.id = l.refund_id WHERE r.state = 'succeeded'
                  GROUP BY l.line_id) r ON r.line_id = l.id`,

  'share = refund rows': `
    SELECT 'share ' || s.id AS who, ARRAY[s.refunded_amount, s.refunded_units] AS found,
           ARRAY[coalesce(r.amount, 0), coalesce(r.units, 0)] AS wanted
      FROM order_share s
      LEFT JOIN (SELECT x.share_id, sum(x.amount)::bigint AS amount, sum(x.units)::bigint AS units
                   FROM refund_line_share x JOIN refund_line l ON l.id = x.refund_line_id
                   JOIN refund r ON r.id = l.refund_id WHERE r.state = 'succeeded' GROUP BY x.share_id) r ON r.share_id = s.id`,

  'line = parcels': `
    SELECT 'line ' || l.id AS who, ARRAY[l.qty_shipped::bigint] AS found, ARRAY[coalesce(s.qty, 0)] AS wanted
      FROM order_line l LEFT JOIN (SELECT line_id, sum(qty) AS qty FROM shipment_line GROUP BY line_id) s ON s.line_id = l.id`,

  'spec = movements': `
    SELECT 'spec ' || p.id AS who, ARRAY[p.stock, p.reserved, p.sold]::bigint[] AS found,
           ARRAY[coalesce(m.stock, 0), coalesce(m.reserved, 0), coalesce(m.sold, 0)] AS wanted
      FROM product_spec p
      LEFT JOIN (SELECT spec_id, sum(qty) FILTER (WHERE op <> 5) AS stock,
                        sum(CASE WHEN op IN (3, 4) THEN -qty WHEN op = 5 THEN qty ELSE 0 END) AS reserved,
                        sum(CASE WHEN op IN (5, 6) THEN -qty ELSE 0 END) AS sold
                   FROM stock_movement GROUP BY spec_id) m ON m.spec_id = p.id`,

  'movement follows movement': `
    SELECT 'movement ' || id AS who, ARRAY[stock_before, stock_after]::bigint[] AS found,
           ARRAY[coalesce(lag(stock_after) OVER (PARTITION BY spec_id ORDER BY id), 0),
                 stock_before + CASE WHEN op = 5 THEN 0 ELSE qty END]::bigint[] AS wanted
      FROM stock_movement`,

  'coupon = claims': `
    SELECT 'coupon ' || c.code AS who, ARRAY[c.claimed, c.used]::bigint[] AS found,
           ARRAY[coalesce(m.claimed, 0), coalesce(m.used, 0)] AS wanted
      FROM coupon c
      LEFT JOIN (SELECT coupon_id, count(*) FILTER (WHERE returned_from IS NULL) AS claimed, count(*) FILTER (WHERE status = 'used') AS used
                   FROM member_coupon GROUP BY coupon_id) m ON m.coupon_id = c.id`,

  'transfer sums to zero': `
    SELECT 'transfer ' || t.id AS who, ARRAY[coalesce(sum(e.amount), -1)::bigint] AS found, ARRAY[0::bigint] AS wanted
      FROM ledger_transfer t LEFT JOIN ledger_entry e ON e.transfer_id = t.id GROUP BY t.id`,

  'account = entries': `
    SELECT 'account ' || a.kind || ' ' || a.owner AS who, ARRAY[a.balance, e.last] AS found, ARRAY[e.total, e.total] AS wanted
      FROM ledger_account a
      CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0)::bigint AS total,
                                 coalesce((array_agg(balance_after ORDER BY id DESC))[1], 0) AS last
                            FROM ledger_entry WHERE account_id = a.id) e
     WHERE a.balance IS NOT NULL`,

  'account = lots': `
    SELECT 'member ' || a.owner AS who, ARRAY[a.balance, coalesce(h.balance, 0)] AS found, ARRAY[l.remaining, l.held] AS wanted
      FROM ledger_account a
      LEFT JOIN ledger_account h ON h.kind = 'points_held' AND h.owner = a.owner AND h.unit = a.unit
      CROSS JOIN LATERAL (SELECT coalesce(sum(remaining), 0)::bigint AS remaining, coalesce(sum(held), 0)::bigint AS held
                            FROM points_lot WHERE account_id = a.id) l
     WHERE a.kind = 'points_available'`,

  'points of orders = ledger': `
    SELECT 'order ' || o.code AS who, ARRAY[o.points - o.points_refunded] AS found, ARRAY[coalesce(t.spent, 0)] AS wanted
      FROM sales_order o
      LEFT JOIN (SELECT coalesce(r.order_id, s.id) AS order_id, sum(e.amount)::bigint AS spent
                   FROM ledger_transfer t
                   JOIN ledger_entry e ON e.transfer_id = t.id
                   JOIN ledger_account a ON a.id = e.account_id AND a.kind IN ('points_redeemed', 'points_held')
                   LEFT JOIN refund r ON t.source_type = 'refund' AND r.id::text = t.source_id
                   LEFT JOIN sales_order s ON t.source_type = 'sales_order' AND s.id::text = t.source_id
                  GROUP BY 1) t ON t.order_id = o.id
     WHERE o.points > 0 AND (o.state <> 'closed' OR o.paid_at IS NOT NULL)`,
};
