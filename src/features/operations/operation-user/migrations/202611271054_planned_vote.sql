-- Votes of operation users may allow several choices.
ALTER TABLE planned_post ADD COLUMN multiple boolean NOT NULL DEFAULT false;
