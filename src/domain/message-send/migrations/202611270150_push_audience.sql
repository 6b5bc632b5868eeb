-- Grades and interest groups as audience; posts and activities as what a push opens.
ALTER TABLE message_send
  ADD COLUMN grade_ids bigint[] NOT NULL DEFAULT '{}' CHECK (cardinality(grade_ids) <= 50),
  ADD COLUMN interest_group_ids bigint[] NOT NULL DEFAULT '{}' CHECK (cardinality(interest_group_ids) <= 50),
  ADD COLUMN jump_post_id bigint REFERENCES post,
  ADD COLUMN jump_activity_id bigint REFERENCES activity;
ALTER TABLE message_send DROP CONSTRAINT message_send_jump_type_check, DROP CONSTRAINT message_send_jump;
ALTER TABLE message_send
  ADD CONSTRAINT message_send_jump_type_check CHECK (jump_type IN ('none', 'family', 'chamber', 'activity', 'topic', 'group_post', 'notice', 'product', 'url')),
  ADD CONSTRAINT message_send_jump CHECK (CASE jump_type WHEN 'topic' THEN jump_topic_id IS NOT NULL WHEN 'notice' THEN jump_notice_id IS NOT NULL
    WHEN 'product' THEN jump_product_id IS NOT NULL WHEN 'activity' THEN jump_activity_id IS NOT NULL
    WHEN 'url' THEN jump_url <> '' WHEN 'none' THEN true ELSE jump_post_id IS NOT NULL END);
CREATE INDEX message_send_post ON message_send (jump_post_id) WHERE jump_post_id IS NOT NULL;
CREATE INDEX message_send_activity ON message_send (jump_activity_id) WHERE jump_activity_id IS NOT NULL;
