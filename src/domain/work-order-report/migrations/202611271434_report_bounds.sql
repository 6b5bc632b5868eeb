-- Bounds of the ageing buckets as they were set when a month was frozen: a later change does not touch it. Months frozen before this know none.
ALTER TABLE report_snapshot
  ADD COLUMN aging_short integer[],
  ADD COLUMN aging_long integer[];
