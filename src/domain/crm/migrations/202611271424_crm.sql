-- Work orders and payments are told to the customer system (CRM): whether it took them, under which code, and what it said if not.
ALTER TABLE work_order ADD COLUMN crm_error text NOT NULL DEFAULT '' CHECK (length(crm_error) <= 200);
ALTER TABLE bill_payment
  ADD COLUMN crm_sync smallint NOT NULL DEFAULT 0 CHECK (crm_sync IN (0, 1, 2)),
  ADD COLUMN crm_code text NOT NULL DEFAULT '' CHECK (length(crm_code) <= 40),
  ADD COLUMN crm_error text NOT NULL DEFAULT '' CHECK (length(crm_error) <= 200);
-- What waits to be told: the new ones, and those that are told again.
CREATE INDEX work_order_crm_new ON work_order (created_at) WHERE crm_sync = 0 AND type = 'complaint_repair';
CREATE INDEX work_order_crm_again ON work_order (id) WHERE crm_sync = 0 AND type = 'complaint_repair' AND (crm_code <> '' OR crm_error <> '');
CREATE INDEX bill_payment_crm_new ON bill_payment (created_at) WHERE crm_sync = 0;
CREATE INDEX bill_payment_crm_again ON bill_payment (id) WHERE crm_sync = 0 AND (crm_code <> '' OR crm_error <> '');

-- The other side of the sandbox: what it was told, one row a number.
CREATE TABLE crm_sandbox_record (
  kind text NOT NULL CHECK (kind IN ('workOrder', 'billPayment')),
  number text NOT NULL CHECK (length(number) BETWEEN 1 AND 40),
  code text NOT NULL,
  facts jsonb NOT NULL,
  told integer NOT NULL DEFAULT 1,
  told_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (kind, number)
);
