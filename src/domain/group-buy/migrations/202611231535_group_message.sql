-- Teams that lack people: their members are reminded, and staff may give them more time once.
INSERT INTO message_event (code, title_zh, title_en, category) VALUES
  ('group_missing', '拼团还差人', 'Group lacks people', 'business');
ALTER TABLE group_buy_team ADD COLUMN extended_at timestamptz;
