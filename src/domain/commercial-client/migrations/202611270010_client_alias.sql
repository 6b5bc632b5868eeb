-- Clients that were joined to another: their numbers and links lead to the one that stayed.
CREATE TABLE client_alias (
  old_id bigint PRIMARY KEY,
  code text NOT NULL CONSTRAINT client_alias_code UNIQUE,
  name text NOT NULL,
  client_id bigint NOT NULL REFERENCES client ON DELETE CASCADE,
  merged_at timestamptz NOT NULL DEFAULT now(),
  merged_by bigint REFERENCES staff
);
CREATE INDEX client_alias_client ON client_alias (client_id);
CREATE INDEX client_alias_by ON client_alias (merged_by) WHERE merged_by IS NOT NULL;
CREATE INDEX contract_client_owner ON contract (client_id, owner_id) WHERE client_id IS NOT NULL;
