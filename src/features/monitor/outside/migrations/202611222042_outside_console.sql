-- Whether the outside consoles of monitoring answered when the server last asked them.
CREATE TABLE outside_console (
  kind text PRIMARY KEY CHECK (kind IN ('eureka', 'admin', 'zipkin')),
  url text NOT NULL,
  reason text NOT NULL DEFAULT '',
  checked_at timestamptz NOT NULL DEFAULT now()
);
