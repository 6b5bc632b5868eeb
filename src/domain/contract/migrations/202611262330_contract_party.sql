-- Who party B is, in one text to look in: the name of the client or merchant, else the name that was written. Kept by triggers.
ALTER TABLE contract ADD COLUMN party_text text NOT NULL DEFAULT '';

CREATE FUNCTION contract_party_text() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.party_text := coalesce((SELECT c.name FROM client c WHERE c.id = NEW.client_id), (SELECT m.name FROM tenant m WHERE m.id = NEW.merchant_id), NEW.party_name);
  RETURN NEW;
END $$;
CREATE TRIGGER contract_party_named BEFORE INSERT OR UPDATE OF client_id, merchant_id, party_name ON contract
  FOR EACH ROW EXECUTE FUNCTION contract_party_text();

CREATE FUNCTION contract_client_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contract SET party_text = NEW.name WHERE client_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER client_contract_party AFTER UPDATE OF name ON client
  FOR EACH ROW WHEN (NEW.name IS DISTINCT FROM OLD.name) EXECUTE FUNCTION contract_client_renamed();

CREATE FUNCTION contract_merchant_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE contract SET party_text = NEW.name WHERE merchant_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER tenant_contract_party AFTER UPDATE OF name ON tenant
  FOR EACH ROW WHEN (NEW.name IS DISTINCT FROM OLD.name) EXECUTE FUNCTION contract_merchant_renamed();

UPDATE contract t SET party_text = coalesce((SELECT c.name FROM client c WHERE c.id = t.client_id), (SELECT m.name FROM tenant m WHERE m.id = t.merchant_id), t.party_name);

DROP INDEX contract_search;
CREATE INDEX contract_search ON contract USING gin (bigrams(lower(code || ' ' || name || ' ' || party_text)));
