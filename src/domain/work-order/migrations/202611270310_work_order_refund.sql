-- Orders of goods and services created as work orders are refunded: through the audit of every refund, by an order of the trade
-- that is made with the first of them (decision 0026).
ALTER TABLE sales_order DROP CONSTRAINT sales_order_kind_check,
  ADD CONSTRAINT sales_order_kind_check CHECK (kind IN ('goods', 'service', 'property_fee', 'activity', 'home_decor', 'package', 'points', 'work_order'));
ALTER TABLE work_order
  ADD COLUMN sales_order_id bigint CONSTRAINT work_order_trade_order UNIQUE REFERENCES sales_order,
  -- Where it goes back to when its refund is cancelled, or pays back a part only.
  ADD COLUMN refund_from text CHECK (refund_from IN ('processing', 'to_confirm', 'completed')),
  ADD CONSTRAINT work_order_refund_from CHECK (refund_from IS NULL OR (sub_status = 'refunding' AND sales_order_id IS NOT NULL));
