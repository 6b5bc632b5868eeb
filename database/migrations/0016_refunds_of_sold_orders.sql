-- Findings of an attack on refunds: money of one order went out for another one of the same checkout.

-- Orders of a checkout share one payment, and one of them may have been closed before it was paid. A refund belongs to
-- the payment of its order, and of an order that was never sold only money that no sold order of the payment accounts
-- for can come back: what arrived after the closing. No points, which its closing set free already.
CREATE FUNCTION refund_of_sold_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  its_payment bigint;
  sold_at timestamptz;
  free bigint;
BEGIN
  SELECT payment_id, paid_at INTO its_payment, sold_at FROM sales_order WHERE id = NEW.order_id;
  IF its_payment IS DISTINCT FROM NEW.payment_id THEN
    RAISE EXCEPTION 'refund % names another payment than its order', NEW.code USING ERRCODE = '23514';
  END IF;
  IF sold_at IS NOT NULL OR NEW.state = 'cancelled' THEN
    RETURN NEW;
  END IF;
  SELECT p.amount
         - (SELECT coalesce(sum(o.payable), 0) FROM sales_order o WHERE o.payment_id = p.id AND o.paid_at IS NOT NULL)
         - (SELECT coalesce(sum(r.cash), 0) FROM refund r JOIN sales_order o ON o.id = r.order_id
             WHERE r.payment_id = p.id AND r.id <> NEW.id AND r.state <> 'cancelled' AND o.paid_at IS NULL)
    INTO free FROM payment p WHERE p.id = NEW.payment_id;
  IF NEW.cash > free OR NEW.points > 0 OR NEW.coins > 0 THEN
    RAISE EXCEPTION 'refund % is of an order that was never sold', NEW.code USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refund_of_sold_order BEFORE INSERT OR UPDATE OF cash, points, coins, order_id, payment_id ON refund
  FOR EACH ROW EXECUTE FUNCTION refund_of_sold_order();

-- Units come back from a sold order only: its stock was set free when it was closed.
CREATE FUNCTION refund_line_of_sold_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM refund r JOIN sales_order o ON o.id = r.order_id WHERE r.id = NEW.refund_id AND o.paid_at IS NOT NULL) THEN
    RAISE EXCEPTION 'units of an order that was never sold cannot come back' USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refund_line_of_sold_order BEFORE INSERT OR UPDATE OF qty, unshipped_qty ON refund_line
  FOR EACH ROW WHEN (NEW.qty > 0) EXECUTE FUNCTION refund_line_of_sold_order();

-- Settlement takes back what a merchant was paid for. An order that was never sold brought it nothing, so the return of
-- money that came too late is no row of its statement; the same holds for a group order whose team never formed.
CREATE OR REPLACE VIEW refund_settlement_source AS
SELECT 'refund' AS source_type, l.id AS source_id, r.id AS refund_id, r.order_id, l.line_id, r.tenant_id, r.succeeded_at,
       l.qty, l.cash - l.fee AS cash, s.merchant_coupon, s.platform_coupon, s.points_value, s.coins_value, s.manual_off
  FROM refund r
  JOIN sales_order o ON o.id = r.order_id
  JOIN refund_line l ON l.refund_id = r.id
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(x.amount - x.platform_amount) FILTER (WHERE o.step IN (20, 30)), 0)::bigint AS merchant_coupon,
           coalesce(sum(x.platform_amount) FILTER (WHERE o.step IN (20, 30)), 0)::bigint AS platform_coupon,
           coalesce(sum(x.amount) FILTER (WHERE o.step = 40), 0)::bigint AS points_value,
           coalesce(sum(x.amount) FILTER (WHERE o.step = 45), 0)::bigint AS coins_value,
           coalesce(sum(x.amount) FILTER (WHERE o.step = 60), 0)::bigint AS manual_off
      FROM refund_line_share x JOIN order_share o ON o.id = x.share_id WHERE x.refund_line_id = l.id) s
 WHERE r.state = 'succeeded' AND r.liable = 'merchant' AND o.paid_at IS NOT NULL
   AND (o.type <> 'group' OR EXISTS (SELECT FROM order_event e WHERE e.order_id = o.id AND e.code = 16))
UNION ALL
SELECT 'refund_freight', r.id, r.id, r.order_id, NULL, r.tenant_id, r.succeeded_at, 0, r.freight_part, 0, 0, 0, 0, 0
  FROM refund r
  JOIN sales_order o ON o.id = r.order_id
 WHERE r.state = 'succeeded' AND r.liable = 'merchant' AND r.freight_part > 0 AND o.paid_at IS NOT NULL
   AND (o.type <> 'group' OR EXISTS (SELECT FROM order_event e WHERE e.order_id = o.id AND e.code = 16));
