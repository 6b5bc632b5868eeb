-- Money of a receipt goes back once: by its reversal, or by refunds of the orders it paid. Both ask behind the lock of the receipt.
CREATE FUNCTION package_refund_of_standing_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM receipt WHERE id = NEW.receipt_id FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM receipt WHERE reversal_of = NEW.receipt_id) THEN
    RAISE EXCEPTION 'receipt % is reversed, nothing of it is paid back', NEW.receipt_id USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER package_refund_of_standing_receipt BEFORE INSERT ON package_refund
  FOR EACH ROW EXECUTE FUNCTION package_refund_of_standing_receipt();

CREATE FUNCTION receipt_reversed_whole() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM receipt WHERE id = NEW.reversal_of FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM package_refund WHERE receipt_id = NEW.reversal_of) THEN
    RAISE EXCEPTION 'part of receipt % was paid back, it is not reversed', NEW.reversal_of USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER receipt_reversed_whole BEFORE INSERT ON receipt
  FOR EACH ROW WHEN (NEW.reversal_of IS NOT NULL) EXECUTE FUNCTION receipt_reversed_whole();
