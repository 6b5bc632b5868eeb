-- Findings of an attack on signing in, on repeats and on looking for exact values.

-- A one-time password that nobody used lapses. NULL: not a one-time password, or the start password of the installation.
ALTER TABLE staff ADD COLUMN one_time_until timestamptz;
UPDATE staff SET one_time_until = now() + interval '7 days'
 WHERE must_change_password AND password_hash IS NOT NULL AND account <> 'admin'
   AND (last_login_at IS NULL OR password_changed_at > last_login_at);

ALTER TABLE sign_in_attempt DROP CONSTRAINT sign_in_attempt_result_check;
ALTER TABLE sign_in_attempt ADD CONSTRAINT sign_in_attempt_result_check CHECK (result IN
  ('success', 'wrong_password', 'wrong_code', 'disabled', 'locked', 'not_on_whitelist', 'unknown_account', 'address_limit', 'lapsed'));
-- What counts as one address: an IPv4 address, or the /64 of an IPv6 one, which one customer has to itself.
ALTER TABLE sign_in_attempt ADD COLUMN network text NOT NULL DEFAULT '';
UPDATE sign_in_attempt SET network = address WHERE at > clock_timestamp() - interval '15 minutes';
DROP INDEX sign_in_attempt_address;
CREATE INDEX sign_in_attempt_network ON sign_in_attempt (network, at DESC);

-- A code ends with the session that agreed to it.
ALTER TABLE oauth_code ADD COLUMN approved_in bigint;

-- Written in the transaction of the work itself: a repeat after a crash sees that the work was done.
ALTER TABLE idempotency_key ADD COLUMN done_at timestamptz;

-- Distinct values that count once in a window of calls, as keyed hashes.
CREATE TABLE call_value (
  purpose text NOT NULL CHECK (length(purpose) BETWEEN 1 AND 40),
  staff_id bigint NOT NULL,
  value bytea NOT NULL CHECK (length(value) = 32),
  at timestamptz NOT NULL,
  PRIMARY KEY (purpose, staff_id, value)
);
CREATE INDEX call_value_age ON call_value (at);
