-- On which days which member opened an app: the source of every figure about activity.
CREATE TABLE member_active_day (
  member_id bigint NOT NULL REFERENCES member,
  day date NOT NULL,
  -- Where the member lived on that day; without one it counts nowhere.
  project_id bigint REFERENCES project,
  -- The app it came with first.
  app_source text NOT NULL CHECK (app_source IN ('ios', 'android', 'h5', 'mini_program')),
  opens integer NOT NULL DEFAULT 1 CHECK (opens > 0),
  PRIMARY KEY (member_id, day)
);
CREATE INDEX member_active_day_day ON member_active_day (day, project_id) INCLUDE (member_id, app_source);

-- Distinct members of days that are over. Project 0 stands for all projects, an empty source for all apps.
CREATE TABLE member_active_count (
  day date NOT NULL,
  project_id bigint NOT NULL,
  app_source text NOT NULL,
  dau integer NOT NULL,
  wau integer NOT NULL,
  mau integer NOT NULL,
  CHECK (dau <= wau AND wau <= mau),
  PRIMARY KEY (day, project_id, app_source)
);
