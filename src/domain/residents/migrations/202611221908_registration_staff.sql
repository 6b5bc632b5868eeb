-- Staff who entered the row; empty where the member did in the app.
ALTER TABLE house ADD COLUMN created_by bigint;
ALTER TABLE household ADD COLUMN created_by bigint;
ALTER TABLE registration_log ADD COLUMN created_by bigint;
