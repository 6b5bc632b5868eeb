-- Members of grades as an audience.
ALTER TABLE coupon_push
  ADD COLUMN grade_ids bigint[] NOT NULL DEFAULT '{}',
  DROP CONSTRAINT coupon_push_audience_check,
  ADD CONSTRAINT coupon_push_audience_check CHECK (audience IN ('phones', 'projects', 'grades', 'buildings', 'bought')),
  ADD CONSTRAINT coupon_push_graded CHECK (audience <> 'grades' OR cardinality(grade_ids) > 0);
