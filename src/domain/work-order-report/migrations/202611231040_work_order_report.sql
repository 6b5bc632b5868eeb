-- Pauses of an order are found without reading its other events.
CREATE INDEX work_order_event_pauses ON work_order_event (order_id, id) WHERE action IN ('pause', 'resume');
CREATE INDEX work_order_finished ON work_order (finished_at) WHERE finished_at IS NOT NULL;
