-- Paid out for a line is at most what changes of its contract left of it.
CREATE FUNCTION contract_payout_within() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  due bigint;
BEGIN
  SELECT p.amount INTO due FROM contract_payment p WHERE p.id = NEW.payment_id FOR NO KEY UPDATE;
  due := due + coalesce((SELECT sum(a.amount) FROM contract_payment a WHERE a.adjusts_id = NEW.payment_id AND a.amount < 0 AND a.state <> 'void'), 0);
  IF NEW.amount + coalesce((SELECT sum(o.amount) FROM contract_payout o WHERE o.payment_id = NEW.payment_id), 0) > due THEN
    RAISE EXCEPTION 'more than is due is paid out for line %', NEW.payment_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER contract_payout_within BEFORE INSERT ON contract_payout FOR EACH ROW EXECUTE FUNCTION contract_payout_within();
