-- Goods the product itself took off the shelf, so that just those can be put back.
ALTER TABLE product
  ADD COLUMN off_cause text NOT NULL DEFAULT '' CONSTRAINT product_off_cause CHECK (off_cause IN ('', 'cert_expired', 'merchant_closing')),
  -- What was on sale then: edited meanwhile it has to be reviewed again.
  ADD COLUMN off_version integer,
  ADD CONSTRAINT product_off_cause_off CHECK (off_cause = '' OR (status = 'off_shelf' AND off_version IS NOT NULL));
CREATE INDEX product_off_cause ON product (tenant_id, id) WHERE off_cause <> '';
-- Whoever moves it on takes it out of the hands of the product.
CREATE FUNCTION product_off_cause_ends() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.off_cause := '';
  NEW.off_version := NULL;
  RETURN NEW;
END $$;
CREATE TRIGGER product_off_cause_ends BEFORE UPDATE ON product FOR EACH ROW
  WHEN (OLD.off_cause <> '' AND (NEW.status <> 'off_shelf' OR NEW.recycled_at IS NOT NULL)) EXECUTE FUNCTION product_off_cause_ends();

-- The certificate a merchant needs for goods of a line of trade; its licence it needs for all.
ALTER TABLE business ADD COLUMN needs_certificate text
  CONSTRAINT business_needs_certificate CHECK (needs_certificate IN ('food', 'health', 'brand'));

ALTER TABLE tenant ADD CONSTRAINT tenant_closed_until CHECK (closed_until IS NULL OR state = 'closed');
CREATE INDEX tenant_closed_until ON tenant (closed_until) WHERE closed_until IS NOT NULL;
