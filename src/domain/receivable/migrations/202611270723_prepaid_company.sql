-- Prepaid money belongs to a payer and the company it was paid to: people of one name, or one member with several companies, have
-- an account with each of them.
CREATE FUNCTION prepaid_owner(payer bigint, project bigint) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT payer || '@' || coalesce((SELECT tp.tenant_id FROM tenant_project tp JOIN tenant c ON c.id = tp.tenant_id AND c.kind = 1
    WHERE tp.project_id = project ORDER BY tp.tenant_id LIMIT 1), 0)
$$;

CREATE TEMPORARY TABLE prepaid_part ON COMMIT DROP AS
  SELECT w.payer_id, prepaid_owner(w.payer_id, w.project_id) AS owner, sum(w.v) AS amount,
         row_number() OVER (PARTITION BY w.payer_id ORDER BY sum(w.v) DESC) AS place
    FROM (SELECT payer_id, project_id, to_prepaid - CASE WHEN method = 'prepaid' THEN amount ELSE 0 END AS v FROM receipt WHERE state = 'confirmed'
          UNION ALL SELECT r.payer_id, r.project_id, f.amount FROM package_refund f JOIN receipt r ON r.id = f.receipt_id WHERE f.method = 'prepaid') w
   GROUP BY 1, 2;

-- The company with most of it keeps the account; what others are owed moves to one of their own.
UPDATE ledger_account l SET owner = p.owner FROM prepaid_part p WHERE l.kind = 'life_prepaid' AND l.unit = 'fen' AND l.owner = p.payer_id::text AND p.place = 1;
DO $$
DECLARE part record; moved bigint; old bigint; fresh bigint; held bigint;
BEGIN
  FOR part IN SELECT p.*, f.owner AS first FROM prepaid_part p JOIN prepaid_part f ON f.payer_id = p.payer_id AND f.place = 1 WHERE p.place > 1 AND p.amount > 0 ORDER BY p.payer_id, p.place LOOP
    SELECT id, balance INTO old, held FROM ledger_account WHERE kind = 'life_prepaid' AND unit = 'fen' AND owner = part.first;
    CONTINUE WHEN old IS NULL OR held < part.amount;
    INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('life_prepaid', part.owner, 'fen', part.amount) RETURNING id INTO fresh;
    UPDATE ledger_account SET balance = balance - part.amount WHERE id = old;
    INSERT INTO ledger_transfer (source_type, source_id, purpose, note) VALUES ('prepaid_split', part.owner, 'move', '按公司分户') RETURNING id INTO moved;
    INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after) VALUES (moved, old, -part.amount, held - part.amount), (moved, fresh, part.amount, part.amount);
  END LOOP;
END $$;
