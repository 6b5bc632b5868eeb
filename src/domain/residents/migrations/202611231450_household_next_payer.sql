-- When the owner who pays leaves a house, the owner who was bound first of those who are left pays.
CREATE FUNCTION household_next_payer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE household SET pays = true
   WHERE id = (SELECT min(id) FROM household h WHERE h.house_id = OLD.house_id AND h.identity = 'owner' AND h.status = 'normal')
     AND identity = 'owner' AND status = 'normal'
     AND NOT EXISTS (SELECT FROM household p WHERE p.house_id = OLD.house_id AND p.pays);
  RETURN NULL;
END $$;
CREATE TRIGGER household_next_payer AFTER UPDATE OF status, identity ON household
  FOR EACH ROW WHEN (OLD.pays AND NOT NEW.pays) EXECUTE FUNCTION household_next_payer();
