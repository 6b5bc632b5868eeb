-- Who deleted a comment: an appeal brings back what staff deleted, never what its author did.
ALTER TABLE content_comment ADD COLUMN deleted_by text CHECK (deleted_by IN ('author', 'staff'));
UPDATE content_comment c SET deleted_by =
  CASE WHEN EXISTS (SELECT FROM report_case r WHERE r.comment_id = c.id AND r.content_action = 'delete') THEN 'staff' ELSE 'author' END
 WHERE deleted_at IS NOT NULL;
