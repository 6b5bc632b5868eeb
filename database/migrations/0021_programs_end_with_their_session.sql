-- A program's token was opened by what was allowed in a session: it ends with that session when somebody ends it.
ALTER TABLE session ADD COLUMN allowed_in bigint;
UPDATE session s SET allowed_in = c.approved_in FROM oauth_code c WHERE c.session_id = s.id;
CREATE INDEX session_allowed_in ON session (allowed_in) WHERE allowed_in IS NOT NULL AND ended_at IS NULL;
