-- Points goods that are coupons: given at once, as make-up cards are.
ALTER TABLE points_product ADD COLUMN coupon_id bigint REFERENCES coupon, DROP CONSTRAINT points_product_way_check;
ALTER TABLE points_product
  ADD CONSTRAINT points_product_way_check CHECK (way IN ('ship', 'collect', 'card', 'coupon')),
  ADD CONSTRAINT points_product_coupon CHECK ((way = 'coupon') = (coupon_id IS NOT NULL));
CREATE INDEX points_product_coupon_of ON points_product (coupon_id) WHERE coupon_id IS NOT NULL;
ALTER TABLE points_redemption
  ADD COLUMN coupon_codes text[] NOT NULL DEFAULT '{}',
  DROP CONSTRAINT points_redemption_way_check;
ALTER TABLE points_redemption ADD CONSTRAINT points_redemption_way_check CHECK (way IN ('ship', 'collect', 'card', 'coupon')) NOT VALID;
ALTER TABLE points_redemption VALIDATE CONSTRAINT points_redemption_way_check;
