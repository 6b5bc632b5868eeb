-- Points goods with a part in cash: the price of a spec, the order that is paid, and the state until it is. Fen.
ALTER TABLE points_product_spec ADD COLUMN cash bigint NOT NULL DEFAULT 0 CONSTRAINT points_product_spec_cash CHECK (cash BETWEEN 0 AND 9999999);

ALTER TABLE sales_order DROP CONSTRAINT sales_order_kind_check;
ALTER TABLE sales_order ADD CONSTRAINT sales_order_kind_check
  CHECK (kind IN ('goods', 'service', 'property_fee', 'activity', 'home_decor', 'package', 'points')) NOT VALID;
ALTER TABLE sales_order VALIDATE CONSTRAINT sales_order_kind_check;

ALTER TABLE points_redemption
  ADD COLUMN cash bigint NOT NULL DEFAULT 0 CONSTRAINT points_redemption_cash CHECK (cash >= 0),
  ADD COLUMN order_id bigint CONSTRAINT points_redemption_order UNIQUE REFERENCES sales_order,
  ADD CONSTRAINT points_redemption_paid_by CHECK ((cash > 0) = (order_id IS NOT NULL)),
  DROP CONSTRAINT points_redemption_state_check;
ALTER TABLE points_redemption ADD CONSTRAINT points_redemption_state_check
  CHECK (state IN ('pending_payment', 'to_fulfil', 'shipped', 'to_collect', 'completed', 'cancelled', 'refunded') AND (state <> 'pending_payment' OR cash > 0)) NOT VALID;
ALTER TABLE points_redemption VALIDATE CONSTRAINT points_redemption_state_check;
