-- What a member says of themselves besides name and number.
ALTER TABLE member
  ADD COLUMN email text NOT NULL DEFAULT '' CONSTRAINT member_email CHECK (email = '' OR (length(email) <= 120 AND email ~ '^[^@[:space:]]+@[^@[:space:]]+$')),
  ADD COLUMN photo_id uuid REFERENCES stored_file;
CREATE INDEX member_photo ON member (photo_id) WHERE photo_id IS NOT NULL;
