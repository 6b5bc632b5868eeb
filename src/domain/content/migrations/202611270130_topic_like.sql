-- Members like topics of the community as they like posts.
CREATE TABLE topic_like (
  topic_id bigint NOT NULL REFERENCES community_topic,
  member_id bigint NOT NULL REFERENCES member,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (topic_id, member_id)
);
CREATE INDEX topic_like_member ON topic_like (member_id);
