-- Findings of an attack on who else can open an account.

-- Since when a single sign-on account opens the account, and who set it: its owner is shown both.
ALTER TABLE staff ADD COLUMN sso_set_at timestamptz, ADD COLUMN sso_set_by bigint;
UPDATE staff s SET
  sso_set_at = coalesce(e.at, s.created_at),
  sso_set_by = CASE WHEN e.id IS NULL THEN s.created_by ELSE e.staff_id END
  FROM staff o LEFT JOIN LATERAL (
    SELECT v.id, v.at, v.staff_id FROM entity_event v
     WHERE v.entity = 'staff' AND v.entity_id = o.id AND v.changes @> '[{"field": "sso_account"}]'
     ORDER BY v.id DESC LIMIT 1) e ON true
 WHERE o.id = s.id AND s.sso_account IS NOT NULL;
CREATE FUNCTION staff_sso_set() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.sso_account IS NULL THEN
    NEW.sso_set_at := NULL;
    NEW.sso_set_by := NULL;
  ELSIF TG_OP = 'INSERT' OR NEW.sso_account IS DISTINCT FROM OLD.sso_account THEN
    NEW.sso_set_at := now();
    NEW.sso_set_by := NEW.updated_by;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER staff_sso_set BEFORE INSERT OR UPDATE OF sso_account ON staff FOR EACH ROW EXECUTE FUNCTION staff_sso_set();

-- How somebody signed in. NULL: before this was kept.
ALTER TABLE sign_in_attempt ADD COLUMN way text CHECK (way IN ('password', 'sso'));
