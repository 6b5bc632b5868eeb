-- Holds that ended by themselves, and when their holder was told: each is told once.
ALTER TABLE position_occupancy ADD COLUMN expired boolean NOT NULL DEFAULT false;
ALTER TABLE position_occupancy ADD COLUMN told_at timestamptz;
CREATE INDEX position_occupancy_untold ON position_occupancy (id) WHERE expired AND told_at IS NULL;
