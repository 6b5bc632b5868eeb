-- Adverts open activities and posts of groups, too.
ALTER TABLE family_advert ADD COLUMN activity_id bigint REFERENCES activity;
ALTER TABLE family_advert DROP CONSTRAINT family_advert_inner_class_check, DROP CONSTRAINT family_advert_post;
ALTER TABLE family_advert
  ADD CONSTRAINT family_advert_inner_class_check CHECK (inner_class IN ('family', 'chamber', 'activity', 'topic', 'group_post')),
  ADD CONSTRAINT family_advert_post CHECK (coalesce(inner_class IN ('family', 'chamber', 'group_post'), false) = (post_id IS NOT NULL)),
  ADD CONSTRAINT family_advert_activity CHECK (coalesce(inner_class = 'activity', false) = (activity_id IS NOT NULL));
CREATE INDEX family_advert_activity_of ON family_advert (activity_id) WHERE activity_id IS NOT NULL;
