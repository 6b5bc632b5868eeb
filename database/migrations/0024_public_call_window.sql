-- How often something was asked for without a session, or beyond one: by address, phone or account, on all instances together.
-- Keys are kept as hashes under the key of the installation.
CREATE TABLE key_call_window (
  purpose text NOT NULL CHECK (length(purpose) BETWEEN 1 AND 40),
  key bytea NOT NULL CHECK (length(key) = 32),
  started_at timestamptz NOT NULL,
  calls integer NOT NULL,
  PRIMARY KEY (purpose, key)
);
CREATE INDEX key_call_window_age ON key_call_window (started_at);
