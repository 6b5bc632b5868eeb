-- Regions are kept on a screen: words to find them by, where they come from, and what took the place of a code that is gone.
ALTER TABLE region
  ADD COLUMN pinyin text NOT NULL DEFAULT '',
  ADD COLUMN short_pinyin text NOT NULL DEFAULT '',
  ADD COLUMN source text NOT NULL DEFAULT 'national' CHECK (source IN ('national', 'own')),
  ADD COLUMN replaced_by bigint REFERENCES region CHECK (replaced_by <> id),
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN created_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN created_by bigint,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint,
  ADD CONSTRAINT region_place CHECK ((level = 1) = (parent_id IS NULL)),
  ADD CONSTRAINT region_own_code CHECK (source = 'national' OR code ~ '^[0-9]{6}$'),
  ADD CONSTRAINT region_replaced_is_stopped CHECK (replaced_by IS NULL OR NOT enabled);
ALTER TABLE region
  ADD COLUMN search text GENERATED ALWAYS AS (lower(code || ' ' || name || ' ' || pinyin || ' ' || short_pinyin)) STORED;
CREATE INDEX region_search ON region USING gin (bigrams(search));
CREATE INDEX region_replaced_by ON region (replaced_by) WHERE replaced_by IS NOT NULL;
-- What refers to regions is counted, moved and asked for by them.
CREATE INDEX project_region ON project (region_id);
CREATE INDEX organisation_region ON organisation (region_id);
CREATE INDEX no_delivery_area_region ON no_delivery_area (region_id);
