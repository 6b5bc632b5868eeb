-- How far a project was covered at the end of a month; written once.
CREATE TABLE coverage_snapshot (
  -- Last day of the month.
  day date NOT NULL CHECK (extract(day FROM day + 1) = 1),
  project_id bigint NOT NULL REFERENCES project,
  delivered integer NOT NULL CHECK (delivered >= 0),
  occupied integer NOT NULL CHECK (occupied BETWEEN 0 AND delivered),
  bound integer NOT NULL CHECK (bound BETWEEN 0 AND delivered),
  owner_bound integer NOT NULL CHECK (owner_bound BETWEEN 0 AND bound),
  active integer NOT NULL CHECK (active BETWEEN 0 AND bound),
  taken_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (day, project_id)
);
CREATE FUNCTION coverage_snapshot_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'figures of a month end are never recalculated' USING ERRCODE = 'check_violation';
END $$;
CREATE TRIGGER coverage_snapshot_kept BEFORE UPDATE ON coverage_snapshot FOR EACH ROW EXECUTE FUNCTION coverage_snapshot_kept();
