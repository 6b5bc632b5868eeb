-- Businesses are kept on a screen.
ALTER TABLE business
  ADD COLUMN name_en text NOT NULL DEFAULT '' CHECK (length(name_en) <= 60),
  ADD COLUMN description text NOT NULL DEFAULT '' CHECK (length(description) <= 200),
  ADD COLUMN image_id uuid,
  ADD COLUMN sort integer NOT NULL DEFAULT 0 CHECK (sort BETWEEN 0 AND 9995),
  ADD COLUMN lead_hours integer CHECK (lead_hours BETWEEN 0 AND 720),
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN created_by bigint,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint,
  ADD CONSTRAINT business_auto_cancel CHECK (auto_cancel_minutes BETWEEN 1 AND 1440),
  ADD CONSTRAINT business_auto_sign CHECK (auto_sign_minutes BETWEEN 1 AND 43200);
UPDATE business SET sort = 5 * x.place FROM (SELECT id, row_number() OVER (ORDER BY id) AS place FROM business) x WHERE x.id = business.id;
CREATE INDEX business_order ON business (sort, id);
CREATE INDEX product_business ON product (business_id, status);
CREATE INDEX tenant_business_business ON tenant_business (business_id);
UPDATE business SET name_en = x.name
  FROM (VALUES ('goods', 'Goods'), ('group_buy', 'Group buy'), ('find_goods', 'Find goods'), ('rush', 'Rush'), ('service', 'Home services')) AS x (code, name)
 WHERE x.code = business.code;
