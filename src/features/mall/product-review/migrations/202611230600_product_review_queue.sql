-- Reviews of goods are a queue of their own; merchants the reviewers trust may change prices a little without one.
ALTER TABLE tenant
  ADD COLUMN review_trusted boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT tenant_review_trusted CHECK (NOT review_trusted OR kind = 2);
ALTER TABLE product_review
  ADD CONSTRAINT product_review_two_people CHECK (reviewed_by IS NULL OR reviewed_by <> applied_by) NOT VALID,
  ADD CONSTRAINT product_review_rejected_why CHECK (state <> 'rejected' OR reason <> '') NOT VALID;
CREATE INDEX product_review_applied ON product_review (applied_at, id);
CREATE INDEX product_review_decided ON product_review (reviewed_at, id) WHERE reviewed_at IS NOT NULL;
CREATE INDEX product_review_product ON product_review (product_id, id DESC);
