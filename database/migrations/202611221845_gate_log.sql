-- Every call of the API, written after its answer. One partition per business day, so that old days go at once.
CREATE SEQUENCE gate_log_id_seq;
CREATE TABLE gate_log (
  id bigint NOT NULL DEFAULT nextval('gate_log_id_seq'),
  at timestamptz NOT NULL,
  trace_id text NOT NULL DEFAULT '',
  staff_id bigint,
  staff_name text NOT NULL DEFAULT '',
  tenant_id bigint,
  address text NOT NULL DEFAULT '',
  method text NOT NULL,
  path text NOT NULL,
  menu text NOT NULL DEFAULT '',
  element text NOT NULL DEFAULT '',
  http integer NOT NULL,
  status integer NOT NULL,
  duration_ms integer NOT NULL CHECK (duration_ms >= 0),
  size bigint NOT NULL DEFAULT 0,
  client text NOT NULL DEFAULT '',
  agent text NOT NULL DEFAULT '',
  instance text NOT NULL DEFAULT '',
  query text NOT NULL DEFAULT '' CHECK (octet_length(query) <= 4096),
  body text NOT NULL DEFAULT '' CHECK (octet_length(body) <= 4096),
  PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE gate_log_id_seq OWNED BY gate_log.id;
CREATE INDEX gate_log_at ON gate_log (at DESC, id DESC);
CREATE INDEX gate_log_staff ON gate_log (staff_id, at DESC, id DESC);
CREATE INDEX gate_log_tenant ON gate_log (tenant_id, at DESC, id DESC);
CREATE INDEX gate_log_menu ON gate_log (menu, at DESC, id DESC);
CREATE INDEX gate_log_path ON gate_log (path text_pattern_ops, at DESC);
CREATE INDEX gate_log_trace ON gate_log (trace_id);
CREATE INDEX gate_log_failed ON gate_log (at DESC, id DESC) WHERE http >= 400;
CREATE INDEX gate_log_slow ON gate_log (duration_ms, at DESC);
-- Catches what no day was made for: a server that was off for weeks still logs its first calls.
CREATE TABLE gate_log_default PARTITION OF gate_log DEFAULT;

-- Makes the days around now. The program may not create tables, so it asks the owner to.
CREATE FUNCTION make_gate_log_days() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  today date := (clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date;
  day date;
  part text;
  starts timestamptz;
  ends timestamptz;
BEGIN
  FOR day IN SELECT today + n FROM generate_series(-7, 14) n LOOP
    part := 'gate_log_' || to_char(day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass('public.' || part) IS NOT NULL;
    PERFORM pg_advisory_xact_lock(7204615320);
    starts := day::timestamp AT TIME ZONE 'Asia/Shanghai';
    ends := (day + 1)::timestamp AT TIME ZONE 'Asia/Shanghai';
    -- A day whose rows lie in the rest already stays there.
    CONTINUE WHEN to_regclass('public.' || part) IS NOT NULL
      OR EXISTS (SELECT FROM gate_log_default WHERE at >= starts AND at < ends);
    EXECUTE format('CREATE TABLE %I PARTITION OF gate_log FOR VALUES FROM (%L) TO (%L)', part, starts, ends);
  END LOOP;
END $$;

-- Drops the days before the given one, and says how many.
CREATE FUNCTION drop_gate_log_before(first_day date) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  part text;
  dropped integer := 0;
BEGIN
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'gate_log'::regclass AND c.relname ~ '^gate_log_[0-9]{8}$'
       AND to_date(right(c.relname, 8), 'YYYYMMDD') < first_day
     ORDER BY c.relname
  LOOP
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  DELETE FROM gate_log_default WHERE at < first_day::timestamp AT TIME ZONE 'Asia/Shanghai';
  RETURN dropped;
END $$;

SELECT make_gate_log_days();
