-- Reports read how long each order was paused; few ever were, and only those are looked up.
ALTER TABLE work_order ADD COLUMN was_paused boolean NOT NULL DEFAULT false;
ALTER TABLE work_order DISABLE TRIGGER work_order_updated;
UPDATE work_order w SET was_paused = true WHERE EXISTS (SELECT FROM work_order_event x WHERE x.order_id = w.id AND x.action = 'pause');
ALTER TABLE work_order ENABLE TRIGGER work_order_updated;

CREATE FUNCTION work_order_event_paused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE work_order SET was_paused = true WHERE id = NEW.order_id AND NOT was_paused;
  RETURN NULL;
END $$;
CREATE TRIGGER work_order_event_paused AFTER INSERT ON work_order_event FOR EACH ROW WHEN (NEW.action = 'pause') EXECUTE FUNCTION work_order_event_paused();

CREATE OR REPLACE VIEW work_order_report AS
  SELECT 'now'::text AS seen, NULL::bigint AS row_id, NULL::bigint AS snapshot_id, NULL::date AS month, NULL::xid8 AS ended_by, NULL::timestamptz AS ended_at, false AS born,
         w.id, w.code, w.type, w.class, w.status, w.source, w.urgency, w.tenant_id, w.business_id, w.project_id, w.title, w.address, w.category_id, w.handler_id,
         w.complained_staff_id, w.created_at, w.created_by, w.accepted_at, w.started_at, w.finished_at, w.returned_count, w.transfer_count, w.reopen_count,
         w.score_overall, w.plan_result, w.paid, w.refunded, w.search, w.version, r.state AS response_state, s.state AS solve_state,
         CASE WHEN w.was_paused THEN coalesce((SELECT sum(extract(epoch FROM coalesce(e.until, w.finished_at, now()) - e.at)) / 60
                     FROM (SELECT x.action, x.at, lead(x.at) OVER (ORDER BY x.id) AS until FROM work_order_event x
                            WHERE x.order_id = w.id AND x.action IN ('pause', 'resume')) e WHERE e.action = 'pause'), 0) ELSE 0 END::double precision AS paused_minutes,
         w.fee, w.fee_paid
    FROM work_order w LEFT JOIN sla_clock r ON r.order_id = w.id AND r.target = 'response' AND r.round = 1
    LEFT JOIN sla_clock s ON s.order_id = w.id AND s.target = 'resolution' AND s.round = 1
  UNION ALL
  SELECT seen, row_id, snapshot_id, month, ended_by, ended_at, born,
         id, code, type, class, status, source, urgency, tenant_id, business_id, project_id, title, address, category_id, handler_id,
         complained_staff_id, created_at, created_by, accepted_at, started_at, finished_at, returned_count, transfer_count, reopen_count,
         score_overall, plan_result, paid, refunded, search, version, response_state, solve_state, paused_minutes, fee, fee_paid
    FROM work_order_seen;
