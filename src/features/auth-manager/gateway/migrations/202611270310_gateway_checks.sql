-- Requests a route is tried with before it is published, and what is known of the host behind it.

ALTER TABLE gateway_route ADD COLUMN samples jsonb NOT NULL DEFAULT '[]'
  CHECK (jsonb_typeof(samples) = 'array' AND jsonb_array_length(samples) <= 5);

-- Looked at while a route to an address is published.
CREATE TABLE gateway_upstream (
  route_id bigint PRIMARY KEY REFERENCES gateway_route ON DELETE CASCADE,
  -- Connections in a row that could not be made.
  failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  checked_at timestamptz NOT NULL DEFAULT now(),
  certificate_ends_at timestamptz,
  -- The end the platform was told of already.
  told_end timestamptz
);
