import { sql, type Kysely } from 'kysely';

/**
 * What must hold of the trade at any time, written over the raw tables a second time: no code of the product and none of its
 * doctor. Source: groups 07, 08, 16 and 21.
 */
const RULES: readonly (readonly [name: string, broken: string])[] = [
  [
    'stock is never negative',
    `SELECT 'spec ' || id AS what FROM product_spec WHERE stock < 0 OR reserved < 0 OR sold < 0`,
  ],
  [
    'coupons claimed are those of members, at most the total, at most so many per member',
    `SELECT 'coupon ' || c.id || ': claimed ' || c.claimed || ' of ' || c.total || ', members hold ' || coalesce(x.n, 0) || ', one of them ' || coalesce(x.most, 0) AS what
       FROM coupon c LEFT JOIN (SELECT coupon_id, sum(n) AS n, max(n) AS most FROM (
         SELECT coupon_id, member_id, count(*) AS n FROM member_coupon WHERE returned_from IS NULL GROUP BY 1, 2) y GROUP BY 1) x ON x.coupon_id = c.id
      WHERE c.claimed > c.total OR c.claimed <> coalesce(x.n, 0) OR coalesce(x.most, 0) > c.per_limit`,
  ],
  [
    'a coupon stands on the orders of one checkout that lives, and comes back once',
    `SELECT 'member coupon ' || m.id AS what FROM member_coupon m
      WHERE (SELECT count(DISTINCT o.payment_id) FROM order_share s JOIN order_line l ON l.id = s.line_id JOIN sales_order o ON o.id = l.order_id
              WHERE s.step IN (20, 30) AND s.source_id = m.id::text AND s.amount > 0 AND (o.state <> 'closed' OR o.paid_at IS NOT NULL)) > 1
         OR (SELECT count(*) FROM member_coupon b WHERE b.returned_from = m.id) > 1
         OR (m.locked_payment IS NOT NULL AND m.status <> 'claimed')`,
  ],
  [
    'every fen of a line is cash or a share',
    `SELECT 'line ' || l.id AS what FROM order_line l
      WHERE l.goods <> l.cash + coalesce((SELECT sum(s.amount) FROM order_share s WHERE s.line_id = l.id), 0)`,
  ],
  [
    'shares of an order are its discounts to the fen',
    `SELECT 'order ' || o.id AS what FROM sales_order o JOIN (SELECT l.order_id, sum(l.cash) AS cash, sum(l.goods) AS goods FROM order_line l GROUP BY 1) x ON x.order_id = o.id
      WHERE o.payable <> x.cash + o.freight OR x.goods - x.cash <> o.merchant_coupon + o.platform_coupon + o.points_value + o.coins_value + o.manual_off`,
  ],
  [
    'refunds of an order are at most what was paid',
    `SELECT 'order ' || o.id || ': ' || sum(r.cash) || ' of ' || o.payable AS what FROM refund r JOIN sales_order o ON o.id = r.order_id
      JOIN payment p ON p.id = o.payment_id WHERE r.state <> 'cancelled' GROUP BY o.id, p.id
     HAVING sum(r.cash) > o.payable OR (p.state <> 2 AND sum(r.cash) > 0)`,
  ],
  [
    'refunds of a line are at most its cash and its pieces, and those that succeeded are booked',
    `SELECT 'line ' || l.id AS what FROM order_line l JOIN (
         SELECT x.line_id, sum(x.cash) AS asked, sum(x.qty) AS qty, sum(x.cash) FILTER (WHERE r.state = 'succeeded') AS booked
           FROM refund_line x JOIN refund r ON r.id = x.refund_id WHERE r.state <> 'cancelled' GROUP BY 1) x ON x.line_id = l.id
      WHERE x.asked > l.cash OR x.qty > l.qty * l.times OR coalesce(x.booked, 0) <> l.cash_refunded`,
  ],
  [
    'shares that came back are those of refunds that succeeded',
    `SELECT 'share ' || s.id AS what FROM order_share s LEFT JOIN (
         SELECT x.share_id, sum(x.amount) AS amount, sum(x.units) AS units FROM refund_line_share x JOIN refund_line l ON l.id = x.refund_line_id
           JOIN refund r ON r.id = l.refund_id WHERE r.state = 'succeeded' GROUP BY 1) x ON x.share_id = s.id
      WHERE s.refunded_amount <> coalesce(x.amount, 0) OR s.refunded_units <> coalesce(x.units, 0) OR s.refunded_amount > s.amount`,
  ],
  [
    'a time is never over its places',
    `SELECT 'slot ' || k.id AS what FROM service_slot k LEFT JOIN (
         SELECT slot_id, sum(qty) AS qty FROM appointment WHERE state IN ('held', 'to_accept', 'assigned', 'serving', 'done', 'no_show') GROUP BY 1) a ON a.slot_id = k.id
      WHERE k.taken > k.capacity + k.over OR coalesce(a.qty, 0) > k.capacity + k.over`,
  ],
  [
    'nobody is at two visits at once',
    `SELECT 'visits ' || a.id || ' and ' || b.id AS what FROM appointment a JOIN appointment b ON b.person_id = a.person_id AND b.id > a.id AND b.busy && a.busy
      WHERE a.state IN ('assigned', 'serving') AND b.state IN ('assigned', 'serving') AND a.alone AND b.alone`,
  ],
  [
    'a team is never over its size',
    `SELECT 'team ' || t.id AS what FROM group_buy_team t LEFT JOIN (
         SELECT team_id, count(*) AS n FROM group_buy_member WHERE state IN ('held', 'joined') GROUP BY 1) m ON m.team_id = t.id
      WHERE coalesce(m.n, 0) > t.size OR (t.state = 'formed' AND t.joined < t.size)`,
  ],
  [
    'the channel gave back at most what it took, and each refund once',
    `SELECT 'trade ' || trade_no AS what FROM sandbox_trade t WHERE refunded > amount
        OR refunded <> (SELECT coalesce(sum(amount), 0) FROM sandbox_refund r WHERE r.trade_no = t.trade_no AND r.state = 'success')
     UNION ALL SELECT 'refund ' || refund_no FROM sandbox_refund WHERE paid_times > 1`,
  ],
  [
    'no refund succeeded that the channel did not pay',
    `SELECT 'refund ' || r.code AS what FROM refund r JOIN payment p ON p.id = r.payment_id LEFT JOIN sandbox_refund s ON s.refund_no = r.channel_refund_no
      WHERE r.state = 'succeeded' AND r.way = 'origin' AND r.cash > 0 AND p.channel <> 0 AND (s.state IS DISTINCT FROM 'success' OR s.amount <> r.cash)`,
  ],
  [
    'points are never negative',
    `SELECT 'account ' || id AS what FROM ledger_account WHERE balance < 0 AND NOT may_be_negative`,
  ],
];

/** What is wrong with the trade in a database; `entered` are the pieces each spec ever got, by id. */
export async function tradeProblems(
  db: Kysely<never>,
  facts: { readonly entered?: Readonly<Record<string, number>> } = {},
): Promise<string[]> {
  const problems: string[] = [];
  for (const [name, broken] of RULES) {
    const { rows } = await sql.raw<{ what: string }>(`${broken} LIMIT 5`).execute(db);
    problems.push(...rows.map((row) => `${name}: ${row.what}`));
  }
  // A copy a failed team gave back is with its activity at once and counts as sold until its refund has succeeded.
  const specs = await sql
    .raw<{ id: string; stock: number; reserved: number; sold: number; activity: number }>(
      `SELECT s.id::text AS id, s.stock, s.reserved, s.sold,
              coalesce((SELECT sum(i.remaining + i.held) FROM group_buy_item i WHERE i.spec_id = s.id AND i.state IN ('published', 'ended')), 0)::int
                - coalesce((SELECT sum(m.qty) FROM group_buy_member m JOIN order_line l ON l.order_id = m.order_id AND l.spec_id = s.id
                    WHERE m.given_back AND m.joined_at IS NOT NULL AND l.qty_refunded = 0), 0)::int AS activity
         FROM product_spec s`,
    )
    .execute(db);
  for (const spec of specs.rows) {
    const pieces = facts.entered?.[spec.id];
    if (pieces === undefined) continue;
    const found = spec.stock + spec.reserved + spec.sold + spec.activity;
    if (found !== pieces)
      problems.push(
        `sold + available + reserved = entered: spec ${spec.id} ${JSON.stringify(spec)}, entered ${pieces}`,
      );
  }
  return problems;
}
