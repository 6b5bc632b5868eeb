-- The organisation tree with its papers, its past and what hangs below it.

ALTER TABLE organisation
  ADD COLUMN short_name text NOT NULL DEFAULT '' CHECK (length(short_name) <= 12),
  ADD COLUMN pinyin text NOT NULL DEFAULT '',
  ADD COLUMN path bigint[] NOT NULL DEFAULT '{}', -- ids from the root down to this one, kept by a trigger
  ADD COLUMN position integer NOT NULL DEFAULT 0 CHECK (position BETWEEN 0 AND 9999),
  ADD COLUMN address text NOT NULL DEFAULT '' CHECK (length(address) <= 120),
  ADD COLUMN longitude numeric(9, 6) CHECK (longitude BETWEEN -180 AND 180),
  ADD COLUMN latitude numeric(8, 6) CHECK (latitude BETWEEN -90 AND 90),
  ADD COLUMN leader_id bigint REFERENCES staff,
  ADD COLUMN contact text NOT NULL DEFAULT '' CHECK (length(contact) <= 20),
  ADD COLUMN phone text NOT NULL DEFAULT '' CHECK (length(phone) <= 20),
  ADD COLUMN licence_no text CHECK (licence_no ~ '^[0-9A-HJ-NPQRTUWXY]{18}$'),
  ADD COLUMN legal_person text NOT NULL DEFAULT '',
  ADD COLUMN founded_on date,
  ADD COLUMN registered_capital numeric(14, 2) CHECK (registered_capital >= 0), -- in 10,000 yuan
  ADD COLUMN licence_file_id uuid REFERENCES stored_file,
  ADD COLUMN licence_until date,
  ADD COLUMN licence_unlimited boolean NOT NULL DEFAULT false,
  ADD COLUMN bank_name text NOT NULL DEFAULT '',
  ADD COLUMN bank_account text NOT NULL DEFAULT '', -- as it is shown; the number itself lies sealed in organisation_secret
  ADD COLUMN state text NOT NULL DEFAULT 'enabled' CHECK (state IN ('enabled', 'stopped', 'merged')),
  ADD COLUMN stopped_at timestamptz,
  ADD COLUMN merged_into bigint REFERENCES organisation,
  ADD CHECK (length(name) BETWEEN 1 AND 40),
  ADD CHECK (NOT (licence_unlimited AND licence_until IS NOT NULL));

UPDATE organisation SET state = 'stopped', stopped_at = updated_at WHERE NOT enabled;
-- One truth: the state. Readers of "enabled" go on as before.
ALTER TABLE organisation DROP COLUMN enabled;
ALTER TABLE organisation
  ADD COLUMN enabled boolean NOT NULL GENERATED ALWAYS AS (state = 'enabled') STORED,
  ADD CONSTRAINT organisation_merged CHECK ((state = 'merged') = (merged_into IS NOT NULL)),
  ADD CONSTRAINT organisation_stopped CHECK ((state = 'enabled') = (stopped_at IS NULL)),
  ADD CONSTRAINT organisation_not_into_itself CHECK (merged_into <> id);

WITH RECURSIVE placed AS (
  SELECT id, ARRAY[id] AS path FROM organisation WHERE parent_id IS NULL
  UNION ALL
  SELECT o.id, p.path || o.id FROM organisation o JOIN placed p ON o.parent_id = p.id
)
UPDATE organisation o SET path = p.path FROM placed p WHERE p.id = o.id;
UPDATE organisation o SET position = n.position
  FROM (SELECT id, row_number() OVER (PARTITION BY parent_id ORDER BY id) AS position FROM organisation) n WHERE n.id = o.id;

CREATE INDEX organisation_path ON organisation USING gin (path);
CREATE INDEX organisation_order ON organisation (parent_id, position, id);
CREATE INDEX organisation_tenant ON organisation (tenant_id) WHERE tenant_id IS NOT NULL;
CREATE INDEX organisation_leader ON organisation (leader_id);
CREATE INDEX organisation_updated ON organisation (updated_at DESC, id DESC);
CREATE INDEX project_unit ON project (unit_id);

-- Merged ones keep their name and licence as history, and are in nobody's way.
CREATE UNIQUE INDEX organisation_name_on_level ON organisation (parent_id, lower(name)) WHERE merged_into IS NULL;
CREATE UNIQUE INDEX organisation_name_on_top ON organisation (lower(name)) WHERE parent_id IS NULL AND kind = 'company' AND merged_into IS NULL;
CREATE UNIQUE INDEX organisation_licence ON organisation (licence_no) WHERE kind = 'company' AND merged_into IS NULL;
CREATE UNIQUE INDEX organisation_city ON organisation (parent_id, region_id) WHERE kind = 'centre_city' AND merged_into IS NULL;
CREATE UNIQUE INDEX organisation_of_tenant ON organisation (tenant_id) WHERE tenant_id IS NOT NULL;

-- Company below company (three levels), centre city below company, management unit below centre city.
CREATE FUNCTION organisation_place() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  above organisation%ROWTYPE;
BEGIN
  NEW.path := ARRAY[NEW.id];
  IF NEW.parent_id IS NULL THEN RETURN NEW; END IF;
  SELECT * INTO above FROM organisation WHERE id = NEW.parent_id;
  IF above.kind <> (CASE NEW.kind WHEN 'management_unit' THEN 'centre_city' ELSE 'company' END) THEN
    RAISE EXCEPTION 'organisation % of kind % cannot stand below a %', NEW.code, NEW.kind, above.kind USING ERRCODE = 'check_violation';
  END IF;
  IF NEW.id = ANY(above.path) THEN
    RAISE EXCEPTION 'organisation % cannot stand below itself', NEW.code USING ERRCODE = 'check_violation';
  END IF;
  NEW.path := above.path || NEW.id;
  RETURN NEW;
END $$;
CREATE TRIGGER organisation_place BEFORE INSERT OR UPDATE OF parent_id, kind ON organisation
  FOR EACH ROW EXECUTE FUNCTION organisation_place();

-- Where organisations stood: closed months keep the tree of their time. The first row of each has no beginning.
CREATE TABLE organisation_parent_period (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  organisation_id bigint NOT NULL REFERENCES organisation ON DELETE CASCADE,
  parent_id bigint REFERENCES organisation,
  started_at timestamptz NOT NULL DEFAULT '-infinity',
  ended_at timestamptz,
  CHECK (ended_at > started_at),
  CONSTRAINT organisation_parent_period_overlap EXCLUDE USING gist (
    int8range(organisation_id, organisation_id, '[]') WITH &&, tstzrange(started_at, ended_at) WITH &&)
);
CREATE INDEX organisation_parent_period_of ON organisation_parent_period (organisation_id, started_at DESC);
CREATE INDEX organisation_parent_period_parent ON organisation_parent_period (parent_id);
INSERT INTO organisation_parent_period (organisation_id, parent_id) SELECT id, parent_id FROM organisation;

-- One management unit at a time.
CREATE TABLE project_unit_period (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  project_id bigint NOT NULL REFERENCES project ON DELETE CASCADE,
  unit_id bigint NOT NULL REFERENCES organisation,
  started_at timestamptz NOT NULL DEFAULT '-infinity',
  ended_at timestamptz,
  CHECK (ended_at > started_at),
  CONSTRAINT project_unit_period_overlap EXCLUDE USING gist (
    int8range(project_id, project_id, '[]') WITH &&, tstzrange(started_at, ended_at) WITH &&)
);
CREATE INDEX project_unit_period_of ON project_unit_period (project_id, started_at DESC);
CREATE INDEX project_unit_period_unit ON project_unit_period (unit_id);
INSERT INTO project_unit_period (project_id, unit_id) SELECT id, unit_id FROM project;

-- Periods end by the clock, not by the start of the transaction: whoever waited for the lock began before the change it waited for.
CREATE FUNCTION organisation_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.parent_id IS NOT DISTINCT FROM OLD.parent_id THEN RETURN NULL; END IF;
  IF TG_OP = 'UPDATE' THEN
    UPDATE organisation SET path = NEW.path || path[cardinality(OLD.path) + 1:] WHERE id <> NEW.id AND path @> ARRAY[NEW.id];
    UPDATE project SET centre_id = NEW.parent_id WHERE unit_id = NEW.id AND NEW.kind = 'management_unit' AND NEW.parent_id IS NOT NULL;
    UPDATE organisation_parent_period SET ended_at = moment WHERE organisation_id = NEW.id AND ended_at IS NULL;
    INSERT INTO organisation_parent_period (organisation_id, parent_id, started_at) VALUES (NEW.id, NEW.parent_id, moment);
  ELSE
    INSERT INTO organisation_parent_period (organisation_id, parent_id) VALUES (NEW.id, NEW.parent_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER organisation_moved AFTER INSERT OR UPDATE OF parent_id ON organisation
  FOR EACH ROW EXECUTE FUNCTION organisation_moved();

CREATE FUNCTION project_place() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  above bigint;
BEGIN
  SELECT parent_id INTO above FROM organisation WHERE id = NEW.unit_id AND kind = 'management_unit';
  IF above IS NOT NULL THEN NEW.centre_id := above; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER project_place BEFORE INSERT OR UPDATE OF unit_id, centre_id ON project
  FOR EACH ROW EXECUTE FUNCTION project_place();

CREATE FUNCTION project_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz := clock_timestamp();
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO project_unit_period (project_id, unit_id) VALUES (NEW.id, NEW.unit_id);
  ELSIF NEW.unit_id <> OLD.unit_id THEN
    UPDATE project_unit_period SET ended_at = moment WHERE project_id = NEW.id AND ended_at IS NULL;
    INSERT INTO project_unit_period (project_id, unit_id, started_at) VALUES (NEW.id, NEW.unit_id, moment);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER project_moved AFTER INSERT OR UPDATE OF unit_id ON project
  FOR EACH ROW EXECUTE FUNCTION project_moved();

-- What was done to the tree, with everything it meant at that moment.
CREATE TABLE organisation_change (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  organisation_id bigint NOT NULL REFERENCES organisation,
  kind text NOT NULL CHECK (kind IN ('move', 'merge', 'stop', 'enable', 'hang')),
  from_id bigint REFERENCES organisation,
  to_id bigint REFERENCES organisation,
  consequences jsonb NOT NULL DEFAULT '{}',
  reason text NOT NULL DEFAULT '' CHECK (length(reason) <= 200),
  at timestamptz NOT NULL DEFAULT now(),
  by bigint REFERENCES staff
);
CREATE INDEX organisation_change_of ON organisation_change (organisation_id, at DESC, id DESC);
CREATE INDEX organisation_change_from ON organisation_change (from_id);
CREATE INDEX organisation_change_to ON organisation_change (to_id);

CREATE TABLE organisation_secret (
  organisation_id bigint PRIMARY KEY REFERENCES organisation ON DELETE CASCADE,
  bank_account bytea NOT NULL
);
