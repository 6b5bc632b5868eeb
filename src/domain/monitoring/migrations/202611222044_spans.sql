-- Spans by day, with what searches need: service, route, staff, tags. Old spans move over.
ALTER TABLE span RENAME TO span_before;
DROP INDEX span_trace;
DROP INDEX span_age;
CREATE TABLE span (
  trace_id text NOT NULL,
  span_id text NOT NULL,
  parent_id text,
  -- The first span of its process in the trace: what a search finds.
  entry boolean NOT NULL DEFAULT false,
  service text NOT NULL DEFAULT '',
  instance text NOT NULL DEFAULT '',
  -- Who is called, for calls that leave the process.
  peer text NOT NULL DEFAULT '',
  name text NOT NULL,
  kind text NOT NULL,
  started_at timestamptz NOT NULL,
  duration_us bigint NOT NULL,
  status integer NOT NULL DEFAULT 0,
  failed boolean NOT NULL DEFAULT false,
  staff_id bigint,
  attributes jsonb NOT NULL DEFAULT '{}'
) PARTITION BY RANGE (started_at);
CREATE INDEX span_trace ON span (trace_id);
CREATE INDEX span_entry ON span (started_at DESC) WHERE entry;
CREATE INDEX span_entry_name ON span (name, started_at DESC) WHERE entry;
CREATE INDEX span_entry_failed ON span (started_at DESC) WHERE entry AND failed;
CREATE INDEX span_entry_slow ON span (duration_us DESC) WHERE entry;
CREATE INDEX span_entry_staff ON span (staff_id, started_at DESC) WHERE entry;
CREATE INDEX span_entry_tags ON span USING gin (attributes jsonb_path_ops) WHERE entry;
CREATE INDEX span_started ON span USING brin (started_at);
CREATE TABLE span_default PARTITION OF span DEFAULT;
SELECT make_day_partitions('span');
INSERT INTO span (trace_id, span_id, parent_id, entry, service, peer, name, kind, started_at, duration_us, status, failed, attributes)
  SELECT trace_id, span_id, parent_id, parent_id IS NULL, 'backoffice-web', CASE kind WHEN 'sql' THEN 'database' ELSE '' END, name,
         CASE kind WHEN 'http' THEN 'SERVER' WHEN 'sql' THEN 'CLIENT' ELSE 'INTERNAL' END, started_at, duration_us, status,
         CASE kind WHEN 'http' THEN status >= 500 ELSE status <> 0 END, attributes
    FROM span_before;
DROP TABLE span_before;
