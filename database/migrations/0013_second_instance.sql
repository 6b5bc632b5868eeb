-- What several servers on one database must know together.

-- Failed sign-ins of names that are no account: they wait like real ones, on every server and after a restart, so that
-- waiting tells nobody which accounts exist. The name is kept as it is looked up, in small letters.
CREATE TABLE unknown_account (
  account text PRIMARY KEY CHECK (length(account) <= 200),
  failed_count integer NOT NULL DEFAULT 0,
  failed_since timestamptz,
  locked_until timestamptz,
  lock_minutes integer NOT NULL DEFAULT 0,
  tried_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX unknown_account_age ON unknown_account (tried_at);

-- Projects of a tenant bound the rights of its staff. Whoever writes them, every server loads these rights anew.
CREATE FUNCTION tenant_project_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  touched bigint[];
BEGIN
  -- In one order, as other changes of rights lock them.
  WITH locked AS (
    SELECT s.id FROM staff s WHERE s.tenant_id IN (SELECT tenant_id FROM changed) ORDER BY s.id FOR UPDATE
  ), counted AS (
    UPDATE staff SET permission_epoch = permission_epoch + 1 FROM locked WHERE staff.id = locked.id RETURNING staff.id
  )
  SELECT array_agg(id) INTO touched FROM counted;
  IF cardinality(touched) > 100 THEN
    PERFORM pg_notify('session_changed', 'all');
  ELSIF touched IS NOT NULL THEN
    PERFORM pg_notify('session_changed', 'staff:' || id) FROM unnest(touched) AS id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER tenant_project_added AFTER INSERT ON tenant_project
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tenant_project_changed();
CREATE TRIGGER tenant_project_removed AFTER DELETE ON tenant_project
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION tenant_project_changed();
-- A link is added or removed, never changed: a change would move rights without saying whose.
CREATE FUNCTION tenant_project_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a link of tenant and project is added or removed, not changed' USING ERRCODE = '23514';
END $$;
CREATE TRIGGER tenant_project_stays BEFORE UPDATE ON tenant_project FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION tenant_project_stays();
