-- Which reminder of the end of its window a merchant had: the working days left, and the window they belong to.
ALTER TABLE statement
  ADD COLUMN reminded_days smallint CHECK (reminded_days IN (1, 2)),
  ADD COLUMN reminded_window timestamptz;
