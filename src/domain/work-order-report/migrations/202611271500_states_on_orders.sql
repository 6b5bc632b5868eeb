-- Reports over a year of a million orders: how an order stands by its clocks, and which figures it counts for, stand on the order
-- itself. One narrow scan counts them; no clock is looked up and no condition is asked twice for each order.
ALTER TABLE work_order ADD COLUMN response_state text, ADD COLUMN solve_state text;
ALTER TABLE work_order DISABLE TRIGGER USER;
UPDATE work_order w SET response_state = c.response, solve_state = c.solve
  FROM (SELECT order_id, max(state) FILTER (WHERE target = 'response') AS response, max(state) FILTER (WHERE target = 'resolution') AS solve
          FROM sla_clock WHERE round = 1 GROUP BY order_id) c WHERE c.order_id = w.id;
ALTER TABLE work_order ENABLE TRIGGER USER;

-- Each figure is a bit, in the order of METRICS in figures.rules.ts; a test holds them against the conditions in figures.server.ts.
ALTER TABLE work_order ADD COLUMN marks integer GENERATED ALWAYS AS (
    CASE WHEN (type = 'complaint_repair' AND class = 'repair') THEN 1 ELSE 0 END
    + CASE WHEN (type = 'complaint_repair' AND class = 'complaint') THEN 2 ELSE 0 END
    + CASE WHEN (type = 'plan') THEN 4 ELSE 0 END
    + CASE WHEN (type = 'goods') THEN 8 ELSE 0 END
    + CASE WHEN (type = 'service') THEN 16 ELSE 0 END
    + CASE WHEN (status IN ('pending_system', 'to_accept')) THEN 32 ELSE 0 END
    + CASE WHEN (status IN ('accepted', 'processing', 'paused')) THEN 64 ELSE 0 END
    + CASE WHEN (status = 'finished') THEN 128 ELSE 0 END
    + CASE WHEN (status IN ('cancelled_by_member', 'cancelled_by_staff') AND plan_result IS DISTINCT FROM 'absent') THEN 256 ELSE 0 END
    + CASE WHEN (type = 'plan' AND plan_result IS NOT DISTINCT FROM 'absent') THEN 512 ELSE 0 END
    + CASE WHEN (NOT (status IN ('cancelled_by_member', 'cancelled_by_staff') AND plan_result IS DISTINCT FROM 'absent')) THEN 1024 ELSE 0 END
    + CASE WHEN (response_state IS NOT DISTINCT FROM 'met') THEN 2048 ELSE 0 END
    + CASE WHEN (response_state IS NOT NULL AND response_state IN ('met', 'failed')) THEN 4096 ELSE 0 END
    + CASE WHEN (solve_state IS NOT DISTINCT FROM 'met') THEN 8192 ELSE 0 END
    + CASE WHEN (solve_state IS NOT NULL AND solve_state IN ('met', 'failed')) THEN 16384 ELSE 0 END
    + CASE WHEN (coalesce(response_state = 'failed', false) OR coalesce(solve_state = 'failed', false)) THEN 32768 ELSE 0 END
    + CASE WHEN (accepted_at IS NOT NULL) THEN 65536 ELSE 0 END
    + CASE WHEN (finished_at IS NOT NULL) THEN 131072 ELSE 0 END
    + CASE WHEN (returned_count > 0) THEN 262144 ELSE 0 END
    + CASE WHEN (transfer_count > 0) THEN 524288 ELSE 0 END
    + CASE WHEN (reopen_count > 0) THEN 1048576 ELSE 0 END
    + CASE WHEN (score_overall IS NOT NULL) THEN 2097152 ELSE 0 END) STORED;
ALTER TABLE work_order_seen ADD COLUMN marks integer GENERATED ALWAYS AS (
    CASE WHEN (type = 'complaint_repair' AND class = 'repair') THEN 1 ELSE 0 END
    + CASE WHEN (type = 'complaint_repair' AND class = 'complaint') THEN 2 ELSE 0 END
    + CASE WHEN (type = 'plan') THEN 4 ELSE 0 END
    + CASE WHEN (type = 'goods') THEN 8 ELSE 0 END
    + CASE WHEN (type = 'service') THEN 16 ELSE 0 END
    + CASE WHEN (status IN ('pending_system', 'to_accept')) THEN 32 ELSE 0 END
    + CASE WHEN (status IN ('accepted', 'processing', 'paused')) THEN 64 ELSE 0 END
    + CASE WHEN (status = 'finished') THEN 128 ELSE 0 END
    + CASE WHEN (status IN ('cancelled_by_member', 'cancelled_by_staff') AND plan_result IS DISTINCT FROM 'absent') THEN 256 ELSE 0 END
    + CASE WHEN (type = 'plan' AND plan_result IS NOT DISTINCT FROM 'absent') THEN 512 ELSE 0 END
    + CASE WHEN (NOT (status IN ('cancelled_by_member', 'cancelled_by_staff') AND plan_result IS DISTINCT FROM 'absent')) THEN 1024 ELSE 0 END
    + CASE WHEN (response_state IS NOT DISTINCT FROM 'met') THEN 2048 ELSE 0 END
    + CASE WHEN (response_state IS NOT NULL AND response_state IN ('met', 'failed')) THEN 4096 ELSE 0 END
    + CASE WHEN (solve_state IS NOT DISTINCT FROM 'met') THEN 8192 ELSE 0 END
    + CASE WHEN (solve_state IS NOT NULL AND solve_state IN ('met', 'failed')) THEN 16384 ELSE 0 END
    + CASE WHEN (coalesce(response_state = 'failed', false) OR coalesce(solve_state = 'failed', false)) THEN 32768 ELSE 0 END
    + CASE WHEN (accepted_at IS NOT NULL) THEN 65536 ELSE 0 END
    + CASE WHEN (finished_at IS NOT NULL) THEN 131072 ELSE 0 END
    + CASE WHEN (returned_count > 0) THEN 262144 ELSE 0 END
    + CASE WHEN (transfer_count > 0) THEN 524288 ELSE 0 END
    + CASE WHEN (reopen_count > 0) THEN 1048576 ELSE 0 END
    + CASE WHEN (score_overall IS NOT NULL) THEN 2097152 ELSE 0 END) STORED;

-- The order follows its first-round clocks, whoever changes them; how it stood before is kept as for every other change of it.
CREATE OR REPLACE FUNCTION work_order_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM work_order_remember(NEW, true, NULL, NULL);
  ELSE
    PERFORM work_order_remember(OLD, false, OLD.response_state, OLD.solve_state);
  END IF;
  RETURN NULL;
END $$;
DROP TRIGGER sla_clock_updated ON sla_clock;
DROP FUNCTION sla_clock_changed();
CREATE FUNCTION work_order_clock_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  clock sla_clock := coalesce(NEW, OLD);
  now_state text := CASE WHEN TG_OP <> 'DELETE' THEN NEW.state END;
BEGIN
  IF clock.target = 'response' THEN
    UPDATE work_order SET response_state = now_state WHERE id = clock.order_id AND response_state IS DISTINCT FROM now_state;
  ELSE
    UPDATE work_order SET solve_state = now_state WHERE id = clock.order_id AND solve_state IS DISTINCT FROM now_state;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER sla_clock_work_order AFTER INSERT OR UPDATE OF state ON sla_clock FOR EACH ROW WHEN (NEW.round = 1) EXECUTE FUNCTION work_order_clock_follow();
CREATE TRIGGER sla_clock_work_order_gone AFTER DELETE ON sla_clock FOR EACH ROW WHEN (OLD.round = 1) EXECUTE FUNCTION work_order_clock_follow();

-- One table per part: conditions and orders of the part come down to its indexes.
CREATE OR REPLACE VIEW work_order_report AS
  SELECT 'now'::text AS seen, NULL::bigint AS row_id, NULL::bigint AS snapshot_id, NULL::date AS month, NULL::xid8 AS ended_by, NULL::timestamptz AS ended_at, false AS born,
         w.id, w.code, w.type, w.class, w.status, w.source, w.urgency, w.tenant_id, w.business_id, w.project_id, w.title, w.address, w.category_id, w.handler_id,
         w.complained_staff_id, w.created_at, w.created_by, w.accepted_at, w.started_at, w.finished_at, w.returned_count, w.transfer_count, w.reopen_count,
         w.score_overall, w.plan_result, w.paid, w.refunded, w.search, w.version, w.response_state, w.solve_state,
         CASE WHEN w.was_paused THEN coalesce((SELECT sum(extract(epoch FROM coalesce(e.until, w.finished_at, now()) - e.at)) / 60
                     FROM (SELECT x.action, x.at, lead(x.at) OVER (ORDER BY x.id) AS until FROM work_order_event x
                            WHERE x.order_id = w.id AND x.action IN ('pause', 'resume')) e WHERE e.action = 'pause'), 0) ELSE 0 END::double precision AS paused_minutes,
         w.fee, w.fee_paid, w.marks
    FROM work_order w
  UNION ALL
  SELECT seen, row_id, snapshot_id, month, ended_by, ended_at, born,
         id, code, type, class, status, source, urgency, tenant_id, business_id, project_id, title, address, category_id, handler_id,
         complained_staff_id, created_at, created_by, accepted_at, started_at, finished_at, returned_count, transfer_count, reopen_count,
         score_overall, plan_result, paid, refunded, search, version, response_state, solve_state, paused_minutes, fee, fee_paid, marks
    FROM work_order_seen;

