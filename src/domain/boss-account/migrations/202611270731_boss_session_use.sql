-- Sessions of the merchants' app end a week after their last use, and a month after they were opened in any case.
ALTER TABLE boss_session ADD COLUMN last_used_at timestamptz NOT NULL DEFAULT clock_timestamp();
