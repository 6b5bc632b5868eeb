-- An instalment may be due when a works node passes; customers are told by message events.
ALTER TABLE decor_instalment DROP CONSTRAINT decor_instalment_due_event_check;
ALTER TABLE decor_instalment ADD CONSTRAINT decor_instalment_due_event_check
  CHECK (due_event IN ('order', 'signed', 'started', 'accepted') OR due_event ~ '^node:([1-9]|1[0-9]|20)$');

INSERT INTO message_event (code, title_zh, title_en, category) VALUES
  ('decor_quote_sent', '美居报价已发送', 'Decor quote sent', 'business'),
  ('decor_instalment_due', '美居分期款 3 天后到期', 'Decor instalment due in 3 days', 'business'),
  ('decor_instalment_overdue', '美居分期款已逾期', 'Decor instalment overdue', 'business'),
  ('decor_node_passed', '美居施工节点已通过', 'Decor works node passed', 'business'),
  ('decor_acceptance', '美居竣工验收邀请', 'Decor works to accept', 'business'),
  ('decor_warranty_ending', '美居质保 30 天后到期', 'Decor warranty ends in 30 days', 'business');

CREATE INDEX decor_order_to_accept ON decor_order (accept_until) WHERE state = 'to_accept';
