-- Services are recommended as goods are, by a menu of their own.
ALTER TABLE recommended_product ADD COLUMN kind text NOT NULL DEFAULT 'goods' CHECK (kind IN ('goods', 'service'));
CREATE INDEX recommended_product_kind ON recommended_product (kind, project_id, position, id);
