import { run } from '../../../kernel/server/database.ts';
import type { Invariant } from '../../../kernel/server/registration.ts';

/** What must hold between refunds, orders, payments, stock and the ledger at any time. Source: group 21, Refund engine. */
export const refundInvariants: readonly Invariant[] = [
  rule(
    'refund.cash_is_its_rows',
    `SELECT r.code AS name, r.cash AS found, r.freight_part - r.fee + coalesce(sum(l.cash), 0)::bigint AS expected
       FROM refund r LEFT JOIN refund_line l ON l.refund_id = r.id GROUP BY r.id`,
    (row) => `${row.name}: cash ${row.found}, rows + freight − fee ${row.expected}`,
  ),
  rule(
    'refund.fee_is_its_rows',
    `SELECT r.code AS name, r.fee AS found, coalesce(sum(l.fee), 0)::bigint AS expected
       FROM refund r LEFT JOIN refund_line l ON l.refund_id = r.id GROUP BY r.id`,
    (row) => `${row.name}: fee ${row.found}, rows ${row.expected}`,
  ),
  rule(
    'refund.withheld_is_kept',
    // A refund of the platform may have returned some of it since, so the line keeps at most what was withheld.
    `SELECT o.code || ' line ' || ol.line_no AS name, greatest(ol.cash_withheld - coalesce(w.sum, 0), 0)::bigint AS found, 0 AS expected
       FROM order_line ol JOIN sales_order o ON o.id = ol.order_id
       LEFT JOIN (SELECT l.line_id, sum(l.withheld) AS sum FROM refund_line l JOIN refund r ON r.id = l.refund_id
                   WHERE r.state = 'succeeded' GROUP BY 1) w ON w.line_id = ol.id`,
    (row) => `${row.name}: keeps ${row.found} more than its refunds withheld`,
  ),
  rule(
    'refund.settlement_source',
    // What settlement reads of a refund is exactly its cash; a refund the platform answers for gives it nothing, nor does
    // one of an order that was never sold: paid after its closing, or of a team that never formed.
    `SELECT r.code AS name, coalesce(s.cash, 0)::bigint AS found,
            CASE WHEN r.liable = 'merchant' AND o.paid_at IS NOT NULL AND (o.type <> 'group' OR EXISTS (
              SELECT FROM order_event e WHERE e.order_id = o.id AND e.code = 16)) THEN r.cash ELSE 0 END AS expected
       FROM refund r JOIN sales_order o ON o.id = r.order_id LEFT JOIN (SELECT refund_id, sum(cash) AS cash FROM refund_settlement_source GROUP BY 1) s ON s.refund_id = r.id
      WHERE r.state = 'succeeded'`,
    (row) => `${row.name}: settlement reads ${row.found}, the refund moved ${row.expected}`,
  ),
  rule(
    'refund.of_sold_orders',
    // Units and points come back from what was sold; money of a closed order at most as much as came too late.
    `SELECT r.code AS name, (r.points + r.coins + coalesce((SELECT sum(l.qty) FROM refund_line l WHERE l.refund_id = r.id), 0))::bigint AS found,
            0 AS expected
       FROM refund r JOIN sales_order o ON o.id = r.order_id WHERE o.paid_at IS NULL AND r.state <> 'cancelled'
     UNION ALL
     SELECT p.checkout_code, greatest(x.owed - (p.amount - x.sold), 0)::bigint, 0
       FROM payment p JOIN (SELECT o.payment_id, coalesce(sum(o.payable) FILTER (WHERE o.paid_at IS NOT NULL), 0) AS sold,
              coalesce(sum((SELECT sum(r.cash) FROM refund r WHERE r.order_id = o.id AND r.state <> 'cancelled'))
                FILTER (WHERE o.paid_at IS NULL), 0) AS owed
              FROM sales_order o GROUP BY 1) x ON x.payment_id = p.id`,
    (row) => `${row.name}: ${row.found} refunded of what was never sold`,
  ),
  rule(
    'refund.payment_refunded',
    `SELECT p.checkout_code AS name, p.refunded AS found, coalesce(sum(r.cash), 0)::bigint AS expected
       FROM payment p LEFT JOIN refund r ON r.payment_id = p.id AND r.state = 'succeeded' GROUP BY p.id`,
    (row) => `payment ${row.name}: refunded ${row.found}, succeeded refunds ${row.expected}`,
  ),
  rule(
    'refund.payment_refunding',
    `SELECT p.checkout_code AS name, p.refunding AS found, coalesce(sum(r.cash), 0)::bigint AS expected
       FROM payment p LEFT JOIN refund r ON r.payment_id = p.id AND r.state IN ('reviewing', 'refunding', 'failed') GROUP BY p.id`,
    (row) => `payment ${row.name}: reserved ${row.found}, unfinished refunds ${row.expected}`,
  ),
  ...(['cash_refunded:cash', 'points_refunded:points', 'freight_refunded:freight_part'] as const).map(
    (pair) => {
      const [column, part] = pair.split(':') as [string, string];
      return rule(
        `refund.order_${column}`,
        `SELECT o.code AS name, o.${column} AS found, coalesce(sum(r.${part}), 0)::bigint AS expected
         FROM sales_order o LEFT JOIN refund r ON r.order_id = o.id AND r.state = 'succeeded' GROUP BY o.id`,
        (row) => `order ${row.name}: ${column} ${row.found}, succeeded refunds ${row.expected}`,
      );
    },
  ),
  ...(
    ['cash_refunded:cash - l.fee', 'qty_refunded:qty', 'qty_refunded_unshipped:unshipped_qty'] as const
  ).map((pair) => {
    const [column, part] = pair.split(':') as [string, string];
    return rule(
      `refund.line_${column}`,
      `SELECT ol.id AS name, ol.${column} AS found,
              coalesce((SELECT sum(l.${part}) FROM refund_line l JOIN refund r ON r.id = l.refund_id
                         WHERE l.line_id = ol.id AND r.state = 'succeeded'), 0)::bigint AS expected FROM order_line ol`,
      (row) => `line ${row.name}: ${column} ${row.found}, succeeded refunds ${row.expected}`,
    );
  }),
  ...(['refunded_amount:amount', 'refunded_units:units'] as const).map((pair) => {
    const [column, part] = pair.split(':') as [string, string];
    return rule(
      `refund.share_${column}`,
      `SELECT s.id AS name, s.${column} AS found,
              coalesce((SELECT sum(x.${part}) FROM refund_line_share x JOIN refund_line l ON l.id = x.refund_line_id
                          JOIN refund r ON r.id = l.refund_id WHERE x.share_id = s.id AND r.state = 'succeeded'), 0)::bigint AS expected
         FROM order_share s`,
      (row) => `share ${row.name}: ${column} ${row.found}, succeeded refunds ${row.expected}`,
    );
  }),
  rule(
    'refund.points_in_ledger',
    `SELECT r.code AS name, r.points AS found, coalesce(-sum(e.amount), 0)::bigint AS expected
       FROM refund r LEFT JOIN ledger_transfer t ON t.source_type = 'refund' AND t.source_id = r.id::text AND t.purpose = 'refund'
       LEFT JOIN ledger_entry e ON e.transfer_id = t.id
            AND e.account_id IN (SELECT id FROM ledger_account WHERE kind = 'points_redeemed' AND unit = 'point')
      WHERE r.state = 'succeeded' GROUP BY r.id`,
    (row) => `${row.name}: points ${row.found}, ledger ${row.expected}`,
  ),
  rule(
    'refund.stock_returned',
    `SELECT r.code AS name,
            coalesce((SELECT sum(l.unshipped_qty / x.times) FROM refund_line l JOIN order_line x ON x.id = l.line_id
                       WHERE l.refund_id = r.id AND (r.business_type = 1 OR EXISTS (SELECT FROM stock_movement m
                         WHERE m.source_type = 'sales_order' AND m.source_id = r.order_id::text AND m.spec_id = x.spec_id AND m.op = 5))), 0)::bigint AS found,
            coalesce((SELECT sum(s.qty) FROM stock_movement s
                       WHERE s.source_type = 'refund' AND s.source_id = r.id::text AND s.op = 6), 0)::bigint AS expected
       FROM refund r WHERE r.state = 'succeeded'`,
    (row) => `${row.name}: unshipped units ${row.found}, stock movements ${row.expected}`,
  ),
  rule(
    'refund.order_status',
    `SELECT o.code AS name, (o.refund_status = 'refunding')::int AS found,
            (EXISTS (SELECT FROM refund r WHERE r.order_id = o.id AND r.state IN ('reviewing', 'refunding', 'failed')))::int AS expected
       FROM sales_order o`,
    (row) => `order ${row.name}: refund_status says ${row.found === 1 ? 'refunding' : 'no refund under way'}`,
  ),
];

interface Compared {
  readonly name: string | number;
  readonly found: number | string;
  readonly expected: number | string;
}

function rule(name: string, text: string, problem: (row: Compared) => string): Invariant {
  return {
    name,
    check: async (platform) => {
      const rows = await run<Compared>(platform.database.db, text);
      const broken = rows.filter((row) => Number(row.found) !== Number(row.expected));
      return { looked: rows.length, problems: broken.map(problem) };
    },
  };
}
