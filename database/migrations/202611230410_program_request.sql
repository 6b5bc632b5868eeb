-- What programs asked for in their own right, once per id of the request. The row is written in the transaction of the work
-- itself: a repeat waits for it, and nothing is kept of work that failed.
CREATE TABLE program_request (
  client_id text NOT NULL,
  request_id text NOT NULL CHECK (length(request_id) BETWEEN 8 AND 64),
  digest bytea NOT NULL,
  -- As it was sent: jsonb would sort its keys.
  answer json,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (client_id, request_id)
);
CREATE INDEX program_request_age ON program_request (created_at);
