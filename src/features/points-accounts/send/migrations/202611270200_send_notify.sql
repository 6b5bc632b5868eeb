-- Batches for members of some grades, and whether members are told.
ALTER TABLE points_grant_batch
  ADD COLUMN grade_ids bigint[] NOT NULL DEFAULT '{}' CHECK (cardinality(grade_ids) <= 50),
  ADD COLUMN notify boolean NOT NULL DEFAULT true;
