-- A leader lets others into its group. Whoever ever made an account, set its password or gave it a way to sign in may still
-- be behind it, also after laying down the button that let it: counted for good.
CREATE TABLE account_opener (
  staff_id bigint NOT NULL REFERENCES staff ON DELETE CASCADE,
  opener_id bigint NOT NULL,
  first_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  last_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (staff_id, opener_id)
);
INSERT INTO account_opener (staff_id, opener_id, first_at, last_at)
SELECT found.staff_id, found.opener_id, min(found.at), max(found.at) FROM (
  SELECT id AS staff_id, created_by AS opener_id, created_at AS at FROM staff
  UNION ALL SELECT id, sso_set_by, sso_set_at FROM staff
  UNION ALL
  SELECT v.entity_id, v.staff_id, v.at FROM entity_event v JOIN staff s ON s.id = v.entity_id
   WHERE v.entity = 'staff'
     AND (v.action = 'resetPassword' OR v.changes @> '[{"field": "phone"}]' OR v.changes @> '[{"field": "sso_account"}]')
) found WHERE found.opener_id IS NOT NULL AND found.opener_id <> found.staff_id
GROUP BY found.staff_id, found.opener_id;
-- New passwords are written down by who sets them: the row does not say whose the change is.
CREATE FUNCTION staff_opened() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.updated_by IS NOT NULL AND NEW.updated_by <> NEW.id AND (
    TG_OP = 'INSERT'
    OR (NEW.phone IS NOT NULL AND NEW.phone IS DISTINCT FROM OLD.phone)
    OR (NEW.sso_account IS NOT NULL AND NEW.sso_account IS DISTINCT FROM OLD.sso_account)
  ) THEN
    INSERT INTO account_opener (staff_id, opener_id) VALUES (NEW.id, NEW.updated_by)
      ON CONFLICT (staff_id, opener_id) DO UPDATE SET last_at = clock_timestamp();
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER staff_opened AFTER INSERT OR UPDATE OF phone, sso_account ON staff FOR EACH ROW EXECUTE FUNCTION staff_opened();
