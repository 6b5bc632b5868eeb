-- Versions of a process: numbered once in their family, one of them in force or stopped, the others superseded.

-- The first version of a process begins its family.
CREATE FUNCTION approval_process_family() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.family_id := coalesce(NEW.family_id, NEW.id);
  RETURN NEW;
END $$;
CREATE TRIGGER approval_process_family BEFORE INSERT ON approval_process FOR EACH ROW EXECUTE FUNCTION approval_process_family();
UPDATE approval_process SET family_id = id WHERE family_id IS NULL;
ALTER TABLE approval_process ALTER COLUMN family_id SET NOT NULL, ALTER COLUMN name_en SET DEFAULT '';

CREATE UNIQUE INDEX approval_process_number ON approval_process (family_id, process_version);
CREATE UNIQUE INDEX approval_process_shown ON approval_process (family_id) WHERE superseded_by IS NULL AND state <> 'draft';
ALTER TABLE approval_process ADD CHECK (superseded_by IS NULL OR state = 'stopped');
CREATE INDEX approval_process_updated ON approval_process (updated_at DESC, id DESC) WHERE superseded_by IS NULL;
CREATE INDEX approval_process_type ON approval_process (biz_type);
CREATE INDEX approval_process_search ON approval_process USING gin (bigrams(lower(name_zh || ' ' || name_en)));
CREATE INDEX approval_process_tenant ON approval_process (tenant_id);
CREATE INDEX approval_process_unit ON approval_process (unit_id);
-- Figures of a process: what runs by it, how long it takes, what was late.
CREATE INDEX approval_instance_process ON approval_instance (process_id, state);
