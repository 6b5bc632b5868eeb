-- The statement and the lots of one account in the order of their lists, without sorting what is not shown.
ALTER TABLE points_line ADD COLUMN member_id bigint, ADD COLUMN at timestamptz;
UPDATE points_line p SET member_id = t.member_id, at = t.at FROM ledger_transfer t WHERE t.id = p.transfer_id;
ALTER TABLE points_line ALTER COLUMN member_id SET NOT NULL, ALTER COLUMN at SET NOT NULL;
CREATE INDEX points_line_member ON points_line (member_id, transfer_id);
CREATE INDEX points_line_listed ON points_line (member_id, at DESC NULLS LAST, (transfer_id * 2) DESC);
CREATE INDEX points_line_debts ON points_line (member_id, at DESC NULLS LAST, (transfer_id * 2 + 1) DESC) WHERE debt_change > 0;
CREATE INDEX points_lot_account_end ON points_lot (account_id, expires_at, id);

-- The balance goes on from the line before: entries of one member come one transfer after the other, behind its lock.
CREATE OR REPLACE FUNCTION points_line_note(transfer bigint) RETURNS void LANGUAGE sql AS $$
  INSERT INTO points_line AS p (transfer_id, member_id, at, available_change, held_change, debt_change, lapsed, balance)
  SELECT t.id, t.member_id, t.at, m.available, m.held, m.debt, m.lapsed, m.available + m.held + coalesce((
           SELECT b.balance FROM points_line b WHERE b.member_id = t.member_id AND b.transfer_id < t.id ORDER BY b.transfer_id DESC LIMIT 1), 0)
    FROM ledger_transfer t CROSS JOIN LATERAL (
      SELECT count(*) AS entries,
             coalesce(sum(e.amount) FILTER (WHERE a.kind = 'points_available'), 0)::bigint AS available,
             coalesce(sum(e.amount) FILTER (WHERE a.kind = 'points_held'), 0)::bigint AS held,
             coalesce(sum(e.amount) FILTER (WHERE a.kind = 'points_debt'), 0)::bigint AS debt,
             coalesce(sum(e.amount) FILTER (WHERE a.kind = 'points_expired'), 0)::bigint AS lapsed
        FROM ledger_entry e JOIN ledger_account a ON a.id = e.account_id WHERE e.transfer_id = t.id AND a.unit = 'point') m
   WHERE t.id = transfer AND t.member_id IS NOT NULL AND m.entries > 0
  ON CONFLICT (transfer_id) DO UPDATE SET available_change = EXCLUDED.available_change, held_change = EXCLUDED.held_change,
    debt_change = EXCLUDED.debt_change, lapsed = EXCLUDED.lapsed, balance = EXCLUDED.balance;
$$;

-- What comes from a budget changes nothing of a line that is written already: that side is booked last, while everybody waits
-- for the budget.
CREATE OR REPLACE FUNCTION points_line_keep() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM points_line_note(x.transfer_id) FROM (
    SELECT e.transfer_id FROM new_entries e JOIN ledger_account a ON a.id = e.account_id GROUP BY e.transfer_id
    HAVING bool_or(a.kind NOT IN ('points_budget', 'points_budget_hold', 'points_issue'))
        OR NOT EXISTS (SELECT FROM points_line l WHERE l.transfer_id = e.transfer_id)
     ORDER BY e.transfer_id) x;
  RETURN NULL;
END $$;

-- Both kinds of lines come from one table, so that its indexes give the order; the transfer is looked up for what is shown.
CREATE OR REPLACE VIEW points_statement AS
SELECT m.id, m.member_id, m.at, CASE WHEN m.debt THEN 14 ELSE points_line_kind(t.kind, t.source_type, t.purpose) END AS kind,
       m.amount, m.held_change, m.balance, m.owed,
       CASE WHEN points_line_kind(t.kind, t.source_type, t.purpose) IN (9, 15) THEN m.lapsed ELSE 0 END AS lapsed,
       t.source_type, t.source_id, t.purpose, t.rule_id, t.note, t.staff_id, t.id AS transfer_id, 1 AS version
  FROM (
    SELECT l.transfer_id * 2 AS id, l.transfer_id, l.member_id, l.at, false AS debt, l.available_change + l.held_change + greatest(l.debt_change, 0) AS amount,
           l.held_change, l.balance + greatest(l.debt_change, 0) AS balance, greatest(-l.debt_change, 0) AS owed, l.lapsed
      FROM points_line l
    UNION ALL
    SELECT l.transfer_id * 2 + 1, l.transfer_id, l.member_id, l.at, true, -l.debt_change, 0::bigint, l.balance, -l.debt_change, 0::bigint
      FROM points_line l WHERE l.debt_change > 0) m
  JOIN ledger_transfer t ON t.id = m.transfer_id;
