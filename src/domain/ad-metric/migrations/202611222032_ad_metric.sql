-- How often adverts of an app are shown and clicked, by day and project.
CREATE TABLE ad_metric (
  kind text NOT NULL CHECK (kind IN ('family', 'mall', 'launch')),
  advert_id bigint NOT NULL,
  day date NOT NULL,
  project_id bigint NOT NULL REFERENCES project,
  exposures integer NOT NULL DEFAULT 0 CHECK (exposures >= 0),
  clicks integer NOT NULL DEFAULT 0 CHECK (clicks >= 0),
  viewers integer NOT NULL DEFAULT 0 CHECK (viewers BETWEEN 0 AND exposures),
  clickers integer NOT NULL DEFAULT 0 CHECK (clickers BETWEEN 0 AND clicks),
  PRIMARY KEY (kind, advert_id, day, project_id)
);
-- Who was counted already as a viewer or clicker of the day.
CREATE TABLE ad_seen (
  kind text NOT NULL,
  advert_id bigint NOT NULL,
  day date NOT NULL,
  project_id bigint NOT NULL,
  member_id bigint NOT NULL REFERENCES member,
  what text NOT NULL CHECK (what IN ('show', 'click')),
  PRIMARY KEY (kind, advert_id, day, project_id, member_id, what)
);
CREATE INDEX ad_seen_day ON ad_seen (day);
-- Numbers of what the app told of, so that the same is counted once.
CREATE TABLE ad_told (
  event_id text PRIMARY KEY CHECK (length(event_id) BETWEEN 1 AND 64),
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX ad_told_at ON ad_told (at);
