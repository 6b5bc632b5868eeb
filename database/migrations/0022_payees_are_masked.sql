-- Name and account of whoever was paid offline stand in their masked column alone. Remarks of before held them in clear.
UPDATE refund_event SET remark = '登记线下退款' WHERE remark LIKE '登记线下退款 %';
UPDATE refund_event e SET remark = '' FROM refund r
 WHERE r.id = e.refund_id AND e.to_state = 'succeeded' AND r.way = 'offline' AND e.remark = r.offline_payee;

-- The timeline refuses changes; this one takes personal data out of it and leaves what happened, when and by whom.
ALTER TABLE entity_event DISABLE TRIGGER entity_event_append_only;
UPDATE entity_event SET remark = '' WHERE entity = 'refund' AND action IN ('offline', 'confirmOffline') AND remark <> '';
ALTER TABLE entity_event ENABLE TRIGGER entity_event_append_only;
