-- A merchant asks for another payout account too.
DO $$
DECLARE old text;
BEGIN
  SELECT conname INTO STRICT old FROM pg_constraint
   WHERE conrelid = 'merchant_change'::regclass AND contype = 'c' AND pg_get_constraintdef(oid) LIKE '%''certificate''%';
  EXECUTE format('ALTER TABLE merchant_change DROP CONSTRAINT %I', old);
END $$;
ALTER TABLE merchant_change ADD CONSTRAINT merchant_change_kind CHECK (kind IN ('licence', 'legal', 'contact', 'certificate', 'payee'));
