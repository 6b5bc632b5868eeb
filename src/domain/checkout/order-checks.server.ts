import { run } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Invariant } from '../../kernel/server/registration.ts';

/** A rule as SQL: rows that break it (`what` names the row and both sides) and how many rows were looked at. */
interface SqlRule {
  readonly name: string;
  readonly looked: string;
  readonly broken: string;
}

const GOODS = `o.kind = 'goods'`;

const RULES: readonly SqlRule[] = [
  {
    name: 'order.totals',
    looked: `SELECT count(*) AS n FROM sales_order o WHERE ${GOODS}`,
    // An order's amounts are the sums of its lines, and what is paid is their cash with the freight.
    broken: `SELECT o.code || ': goods ' || o.goods || ' / ' || coalesce(l.goods, 0) || ', payable ' || o.payable || ' / ' || coalesce(l.cash, 0) + o.freight
               || ', pieces ' || o.item_count || ' / ' || coalesce(l.qty, 0) AS what
               FROM sales_order o LEFT JOIN (SELECT order_id, sum(goods) AS goods, sum(cash) AS cash, sum(qty) AS qty FROM order_line GROUP BY 1) l ON l.order_id = o.id
              WHERE ${GOODS} AND (o.goods <> coalesce(l.goods, 0) OR o.payable <> coalesce(l.cash, 0) + o.freight OR o.item_count <> coalesce(l.qty, 0))`,
  },
  {
    name: 'order.line_shares',
    looked: `SELECT count(*) AS n FROM order_line`,
    // Every fen of a line is cash or a share of one step.
    broken: `SELECT o.code || ' line ' || l.line_no || ': ' || l.goods || ' <> ' || l.cash || ' + ' || coalesce(s.amount, 0) AS what
               FROM order_line l JOIN sales_order o ON o.id = l.order_id
               LEFT JOIN (SELECT line_id, sum(amount) AS amount FROM order_share GROUP BY 1) s ON s.line_id = l.id
              WHERE ${GOODS} AND l.goods <> l.cash + coalesce(s.amount, 0)`,
  },
  {
    name: 'order.step_sums',
    looked: `SELECT count(*) AS n FROM order_share`,
    // Σ shares of a step = discount of that step; Σ units of the points step = points of the order.
    broken: `SELECT o.code || ': shares differ from the discounts of the order' AS what FROM sales_order o
               LEFT JOIN (SELECT l.order_id, sum(s.amount) FILTER (WHERE s.step = 20) AS s20, sum(s.amount) FILTER (WHERE s.step = 30) AS s30,
                            sum(s.amount) FILTER (WHERE s.step = 40) AS s40, sum(s.units) FILTER (WHERE s.step = 40) AS u40,
                            sum(s.amount) FILTER (WHERE s.step = 45) AS s45, sum(s.amount) FILTER (WHERE s.step = 60) AS s60
                            FROM order_share s JOIN order_line l ON l.id = s.line_id GROUP BY 1) x ON x.order_id = o.id
              WHERE ${GOODS} AND (o.merchant_coupon, o.platform_coupon, o.points_value, o.points, o.coins_value, o.manual_off)
                 IS DISTINCT FROM (coalesce(x.s20, 0), coalesce(x.s30, 0), coalesce(x.s40, 0), coalesce(x.u40, 0), coalesce(x.s45, 0), coalesce(x.s60, 0))`,
  },
  {
    name: 'payment.sums',
    looked: `SELECT count(*) AS n FROM payment`,
    // A paid payment is the sum of the orders it paid, an open one of those that wait for it; late money paid none.
    broken: `SELECT p.checkout_code || ': ' || p.amount || ' <> ' || x.sum AS what FROM payment p
               JOIN (SELECT payment_id, bool_or(state = 'pending_payment') AS waits, bool_or(paid_at IS NOT NULL) AS any_paid,
                            coalesce(sum(payable) FILTER (WHERE state = 'pending_payment'), 0) AS open,
                            coalesce(sum(payable) FILTER (WHERE paid_at IS NOT NULL), 0) AS paid,
                            coalesce(sum(payable) FILTER (WHERE state = 'pending_payment' OR paid_at IS NOT NULL), 0) AS sum
                       FROM sales_order GROUP BY 1) x ON x.payment_id = p.id
              WHERE (p.state = 2 AND (x.waits OR (x.any_paid AND p.amount <> x.paid))) OR (p.state <> 2 AND x.waits AND p.amount <> x.open)`,
  },
  {
    name: 'order.pieces',
    looked: `SELECT count(*) AS n FROM order_line`,
    // Shipped pieces are those in parcels.
    broken: `SELECT o.code || ' line ' || l.line_no || ': shipped ' || l.qty_shipped || ' <> parcels ' || coalesce(s.qty, 0) AS what
               FROM order_line l JOIN sales_order o ON o.id = l.order_id
               LEFT JOIN (SELECT line_id, sum(qty) AS qty FROM shipment_line GROUP BY 1) s ON s.line_id = l.id
              WHERE ${GOODS} AND l.qty_shipped <> coalesce(s.qty, 0)`,
  },
  {
    name: 'stock.equation',
    looked: `SELECT count(*) AS n FROM product_spec`,
    // Signs: qty is what comes in (+) or goes out (−); op 5 leaves the stock as it is.
    broken: `SELECT 'spec ' || s.id || ': stock ' || s.stock || '/' || coalesce(m.stock, 0) || ', reserved ' || s.reserved || '/' || coalesce(m.reserved, 0)
               || ', sold ' || s.sold || '/' || coalesce(m.sold, 0) AS what
               FROM product_spec s JOIN product p ON p.id = s.product_id
               LEFT JOIN (SELECT spec_id, sum(stock_after - stock_before) AS stock,
                            coalesce(-sum(qty) FILTER (WHERE op IN (3, 4)), 0) + coalesce(sum(qty) FILTER (WHERE op = 5 AND source_type <> 'activity_order'), 0) AS reserved,
                            coalesce(-sum(qty) FILTER (WHERE op IN (5, 6)), 0) AS sold FROM stock_movement GROUP BY 1) m ON m.spec_id = s.id
              WHERE p.kind = 'goods' AND (s.stock <> coalesce(m.stock, 0) OR s.reserved <> coalesce(m.reserved, 0) OR s.sold <> coalesce(m.sold, 0))`,
  },
  {
    name: 'stock.reserved',
    looked: `SELECT count(*) AS n FROM product_spec`,
    // Reserved pieces are those of unpaid orders, and what is kept for exchanges; activities keep theirs themselves.
    broken: `SELECT 'spec ' || s.id || ': reserved ' || s.reserved || ' <> unpaid and held ' || coalesce(x.qty, 0) AS what FROM product_spec s
               JOIN product p ON p.id = s.product_id
               LEFT JOIN (SELECT h.spec_id, sum(h.qty) AS qty FROM (
                            SELECT l.spec_id, l.qty FROM order_line l JOIN sales_order o ON o.id = l.order_id WHERE o.state = 'pending_payment' AND ${GOODS}
                               AND NOT EXISTS (SELECT FROM group_buy_member m WHERE m.order_id = o.id)
                               AND NOT EXISTS (SELECT FROM seckill_claim c WHERE c.order_id = o.id)
                            UNION ALL SELECT spec_id, qty FROM after_sale_hold WHERE state = 'held') h GROUP BY 1) x ON x.spec_id = s.id
              WHERE p.kind = 'goods' AND s.reserved <> coalesce(x.qty, 0)`,
  },
  {
    name: 'coupon.locked',
    looked: `SELECT count(*) AS n FROM member_coupon WHERE locked_payment IS NOT NULL OR used_payment IS NOT NULL`,
    // A coupon is held by unpaid orders only, and a paid order's coupon is used.
    broken: `SELECT 'member coupon ' || mc.code || ': held by ' || p.checkout_code || ' without an unpaid order' AS what
               FROM member_coupon mc JOIN payment p ON p.id = mc.locked_payment
              WHERE NOT EXISTS (SELECT FROM sales_order o WHERE o.payment_id = p.id AND o.state = 'pending_payment')`,
  },
];

/** Rules of orders, payments and stock that the command `doctor` checks. Source: group 08, Entities and Stock. */
export const orderInvariants: readonly Invariant[] = RULES.map((rule) => ({
  name: rule.name,
  check: (platform: Platform) => checkRule(platform, rule),
}));

/** The rules of stock alone, for the hourly job. */
export async function checkStock(platform: Platform): Promise<readonly string[]> {
  const answers = await Promise.all(
    RULES.filter((rule) => rule.name.startsWith('stock.')).map((rule) => checkRule(platform, rule)),
  );
  return answers.flatMap((answer) => answer.problems);
}

async function checkRule(
  platform: Platform,
  rule: SqlRule,
): Promise<{ looked: number; problems: readonly string[] }> {
  const db = platform.database.db;
  const [looked] = await run<{ n: number }>(db, rule.looked);
  const broken = await run<{ what: string }>(db, `${rule.broken} LIMIT 200`);
  return { looked: looked!.n, problems: broken.map((row) => row.what) };
}
