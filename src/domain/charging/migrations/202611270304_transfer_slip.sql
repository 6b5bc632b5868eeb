-- Bank transfers that are recorded with their slip wait for a second person; their bills are held meanwhile, as those of a pay code.
ALTER TABLE online_bill_order
  DROP CONSTRAINT online_bill_order_channel_check,
  DROP CONSTRAINT online_bill_order_state_check,
  ADD CONSTRAINT online_bill_order_channel_check CHECK (channel IN ('alipay', 'wechat', 'transfer')),
  ADD CONSTRAINT online_bill_order_state_check CHECK (state IN ('held', 'paid', 'closed', 'expired', 'rejected')),
  ADD COLUMN slip_ids uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(slip_ids) <= 9),
  ADD COLUMN payer text NOT NULL DEFAULT '' CHECK (length(payer) <= 40),
  ADD COLUMN remark text NOT NULL DEFAULT '' CHECK (length(remark) <= 200),
  ADD COLUMN prepaid_kind text NOT NULL DEFAULT 'general' CHECK (prepaid_kind IN ('general', 'property_fee', 'utilities')),
  ADD COLUMN decided_by bigint REFERENCES staff,
  ADD COLUMN decided_at timestamptz,
  ADD COLUMN reject_reason text NOT NULL DEFAULT '' CHECK (length(reject_reason) <= 200),
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint,
  ADD CONSTRAINT online_bill_order_slip CHECK (channel <> 'transfer' OR (cardinality(slip_ids) > 0 AND trade_no <> '')),
  -- Whoever recorded it neither confirms nor rejects it.
  ADD CONSTRAINT online_bill_order_two CHECK (channel <> 'transfer' OR ((state = 'held') = (decided_by IS NULL) AND decided_by IS DISTINCT FROM created_by));
CREATE UNIQUE INDEX online_bill_order_transfer_no ON online_bill_order (trade_no) WHERE channel = 'transfer' AND state = 'held';
CREATE INDEX online_bill_order_slips ON online_bill_order (created_at DESC, id DESC) WHERE channel = 'transfer';
CREATE INDEX online_bill_order_by ON online_bill_order (created_by);
