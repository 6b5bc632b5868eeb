-- Stand-ins of housekeepers, house numbers in the order people count them, and houses that are built later.

ALTER TABLE housekeeper
  ADD COLUMN stand_in_id bigint REFERENCES housekeeper CONSTRAINT housekeeper_stand_in_other CHECK (stand_in_id <> id),
  ADD COLUMN stand_in_from date,
  ADD COLUMN stand_in_to date,
  ADD CONSTRAINT housekeeper_stand_in_period CHECK (
    (stand_in_id IS NULL) = (stand_in_from IS NULL) AND (stand_in_id IS NULL) = (stand_in_to IS NULL) AND stand_in_to >= stand_in_from);
CREATE INDEX housekeeper_stand_in ON housekeeper (stand_in_id) WHERE stand_in_id IS NOT NULL;
-- The housekeeper a stand-in acts for.
ALTER TABLE housekeeper_building ADD COLUMN stands_for_id bigint REFERENCES housekeeper;
CREATE INDEX housekeeper_building_stands_for ON housekeeper_building (stands_for_id) WHERE stands_for_id IS NOT NULL;
CREATE INDEX housekeeper_building_project ON housekeeper_building (project_id);

-- 2A before 10, 101 before 1001: runs of digits count as numbers.
CREATE FUNCTION house_number_key(number text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(string_agg(CASE WHEN x.m[1] ~ '^[0-9]' THEN lpad(x.m[1], 20, '0') ELSE x.m[1] END, '' ORDER BY x.n), '')
    FROM regexp_matches(lower(number), '([0-9]+|[^0-9]+)', 'g') WITH ORDINALITY AS x (m, n)
$$;

-- A house that is added belongs to whoever looks after its place from that day on, the narrowest assignment first.
CREATE FUNCTION house_gets_housekeeper() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE today date := (now() AT TIME ZONE 'Asia/Shanghai')::date;
BEGIN
  INSERT INTO housekeeper_house (assignment_id, house_id, housekeeper_id, kind, days)
  SELECT a.id, NEW.id, a.housekeeper_id, a.kind, daterange(greatest(a.valid_from, today), a.valid_to, '[]')
    FROM housekeeper_building a JOIN building_unit u ON u.id = NEW.unit_id AND u.building_id = a.building_id
   WHERE (a.unit_id IS NULL OR a.unit_id = NEW.unit_id) AND (a.valid_to IS NULL OR a.valid_to >= today)
     AND (a.house_from IS NULL OR (house_number_key(NEW.number) COLLATE "C") BETWEEN house_number_key(a.house_from) AND house_number_key(a.house_to))
   ORDER BY a.unit_id IS NULL, a.house_from IS NULL, a.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER house_gets_housekeeper AFTER INSERT ON house FOR EACH ROW EXECUTE FUNCTION house_gets_housekeeper();

-- What a member scans to see the card.
ALTER TABLE housekeeper ADD COLUMN qr text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '') CONSTRAINT housekeeper_qr UNIQUE;
CREATE INDEX housekeeper_at_work ON housekeeper (created_at, id) WHERE left_at IS NULL;
