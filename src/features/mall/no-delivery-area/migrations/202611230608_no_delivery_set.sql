-- The set of regions a merchant does not deliver to is replaced as a whole: its version, and who did it last.
CREATE TABLE no_delivery_set (
  tenant_id bigint PRIMARY KEY REFERENCES tenant,
  version integer NOT NULL DEFAULT 1 CHECK (version > 0),
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint
);
CREATE INDEX no_delivery_area_merchant ON no_delivery_area (tenant_id, created_at DESC, id DESC) WHERE product_id IS NULL;
ALTER TABLE no_delivery_area ADD COLUMN version integer NOT NULL DEFAULT 1;
