-- What stands in a batch stays whose it is: the sums of its lines were taken from it.
CREATE FUNCTION incentive_keeps_hand() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'an incentive in a batch does not change hands' USING ERRCODE = '23514';
END $$;
CREATE TRIGGER incentive_keeps_hand BEFORE UPDATE OF housekeeper_id ON incentive FOR EACH ROW
  WHEN (OLD.batch_id IS NOT NULL AND NEW.housekeeper_id IS DISTINCT FROM OLD.housekeeper_id) EXECUTE FUNCTION incentive_keeps_hand();
