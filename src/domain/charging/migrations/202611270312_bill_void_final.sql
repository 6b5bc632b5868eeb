-- A void bill stays void, whatever is taken back of the payment it once had: its period may be billed again already.
CREATE FUNCTION bill_void_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'bill % is void', OLD.code USING ERRCODE = '23514';
END $$;
CREATE TRIGGER bill_void_final BEFORE UPDATE OF state ON bill
  FOR EACH ROW WHEN (OLD.state = 'void' AND NEW.state <> 'void') EXECUTE FUNCTION bill_void_final();
