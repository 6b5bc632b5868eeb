-- Payout accounts of merchants: asked for by a change, proved by a transfer of a few fen that the merchant reads off its account.
ALTER TABLE payee_account ADD COLUMN verify_sent_at timestamptz, ADD COLUMN verify_sent_by bigint REFERENCES staff;
UPDATE payee_account SET verify_state = 'unverified' WHERE purpose = 'payout' AND verify_state IS NULL;
CREATE FUNCTION payout_account_begins() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.verify_state := coalesce(NEW.verify_state, 'unverified');
  RETURN NEW;
END $$;
CREATE TRIGGER payout_account_begins BEFORE INSERT ON payee_account FOR EACH ROW WHEN (NEW.purpose = 'payout')
  EXECUTE FUNCTION payout_account_begins();
ALTER TABLE payee_account ADD CONSTRAINT payee_account_verifying CHECK (verify_state <> 'verifying' OR verify_amount IS NOT NULL);
