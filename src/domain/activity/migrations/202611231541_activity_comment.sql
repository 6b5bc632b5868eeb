-- Comments under activities, beside those under posts and topics.
ALTER TABLE activity ADD COLUMN comments_allowed boolean NOT NULL DEFAULT true;
ALTER TABLE content_comment ADD COLUMN activity_id bigint REFERENCES activity;
ALTER TABLE content_comment DROP CONSTRAINT content_comment_of;
ALTER TABLE content_comment ADD CONSTRAINT content_comment_of CHECK (num_nonnulls(post_id, topic_id, activity_id) = 1);
CREATE INDEX content_comment_activity ON content_comment (activity_id, published_at) WHERE activity_id IS NOT NULL;
