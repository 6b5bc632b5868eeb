-- Who last changed what of a receipt is booked: another than whoever recorded or changed it confirms it.
ALTER TABLE receipt ADD COLUMN editor_id bigint REFERENCES staff;
CREATE INDEX receipt_editor ON receipt (editor_id) WHERE editor_id IS NOT NULL;
