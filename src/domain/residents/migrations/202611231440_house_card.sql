-- Houses and households as the property company keeps them: types, areas with the day they bill from, who pays, and houses that
-- were joined to another.

ALTER TABLE building
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN created_by bigint,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint;
ALTER TABLE building_unit
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN created_by bigint,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint;

ALTER TABLE house
  ADD COLUMN house_type text NOT NULL DEFAULT '' CONSTRAINT house_type_length CHECK (length(house_type) <= 20),
  -- The house this one is a part of now; its history stays.
  ADD COLUMN merged_into_id bigint REFERENCES house CONSTRAINT house_merged_other CHECK (merged_into_id <> id),
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint,
  ADD CONSTRAINT house_areas CHECK (inner_area <= built_area);
CREATE INDEX house_merged_into ON house (merged_into_id) WHERE merged_into_id IS NOT NULL;
CREATE INDEX house_present ON house (project_id) WHERE merged_into_id IS NULL;
CREATE INDEX house_number_start ON house (lower(number) text_pattern_ops);
CREATE INDEX house_number_search ON house USING gin (bigrams(lower(number)));
CREATE INDEX house_unit_floor ON house (unit_id, floor, id);

-- Areas of a house by the day they bill from; a house without rows always had its own.
CREATE TABLE house_area (
  house_id bigint NOT NULL REFERENCES house ON DELETE CASCADE,
  from_day date NOT NULL,
  built_area numeric(10, 2) NOT NULL CHECK (built_area > 0),
  inner_area numeric(10, 2) CHECK (inner_area > 0 AND inner_area <= built_area),
  PRIMARY KEY (house_id, from_day)
);

ALTER TABLE household
  ADD COLUMN pays boolean NOT NULL DEFAULT false,
  ADD COLUMN consent boolean NOT NULL DEFAULT false,
  ADD COLUMN remark text NOT NULL DEFAULT '' CONSTRAINT household_remark_length CHECK (length(remark) <= 200),
  ADD COLUMN photo_id uuid REFERENCES stored_file,
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint;
UPDATE household SET pays = true WHERE id IN (
  SELECT min(id) FROM household WHERE identity = 'owner' AND status = 'normal' GROUP BY house_id);
ALTER TABLE household ADD CONSTRAINT household_pays_owner CHECK (NOT pays OR (identity = 'owner' AND status = 'normal'));
CREATE UNIQUE INDEX household_payer ON household (house_id) WHERE pays;
CREATE INDEX household_applied ON household (applied_at DESC, id DESC);
CREATE INDEX household_reviewing ON household (applied_at DESC, id DESC) WHERE status = 'reviewing';

-- The first owner of a house pays for it; whoever is no owner any more does not.
CREATE FUNCTION household_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.identity <> 'owner' OR NEW.status <> 'normal' THEN
    NEW.pays := false;
  ELSIF (TG_OP = 'INSERT' OR OLD.status <> NEW.status OR OLD.identity <> NEW.identity) AND NOT NEW.pays THEN
    -- Owners bound at the same time come one after the other: the second sees who pays.
    PERFORM 1 FROM house WHERE id = NEW.house_id FOR NO KEY UPDATE;
    NEW.pays := NOT EXISTS (SELECT FROM household h WHERE h.house_id = NEW.house_id AND h.pays AND h.id <> NEW.id);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER household_payer BEFORE INSERT OR UPDATE OF status, identity, pays ON household
  FOR EACH ROW EXECUTE FUNCTION household_payer();
