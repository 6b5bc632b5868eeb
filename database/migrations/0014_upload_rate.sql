-- What a staff uploaded in the last hour is asked at every upload.
CREATE INDEX stored_file_owner ON stored_file (owner_id, created_at);
