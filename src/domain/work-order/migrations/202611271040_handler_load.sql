-- What somebody finished today and when an order was given last are read for each person who could take one.
CREATE INDEX work_order_handler_finished ON work_order (handler_id, finished_at) WHERE handler_id IS NOT NULL AND finished_at IS NOT NULL;
CREATE INDEX work_order_handler_given ON work_order (handler_id, dispatched_at) WHERE handler_id IS NOT NULL AND dispatched_at IS NOT NULL;
