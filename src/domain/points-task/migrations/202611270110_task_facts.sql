-- Tasks that other parts of the product prove: what happened before this is not looked at.
ALTER TABLE points_task ADD COLUMN proven_since timestamptz NOT NULL DEFAULT now();
CREATE INDEX household_bound_since ON household (bound_at) WHERE bound_at IS NOT NULL;
CREATE INDEX work_order_rated_since ON work_order (rated_at) WHERE rated_at IS NOT NULL;
