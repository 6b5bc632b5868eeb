-- The order of names: Chinese by pinyin instead of by code point, numbers inside a name by their value. A server built
-- without ICU keeps the order of code points.
DO $$ BEGIN
  CREATE COLLATION pinyin (provider = icu, locale = 'zh-u-co-pinyin-kn-true');
EXCEPTION WHEN feature_not_supported THEN
  CREATE COLLATION pinyin FROM "C";
END $$;

-- How often a staff made a call that must not be repeated without end, such as looking members up by phone. One row per
-- staff and purpose, counted on from call to call, so that all instances count together and nothing has to be purged.
CREATE TABLE call_window (
  purpose text NOT NULL CHECK (length(purpose) BETWEEN 1 AND 40),
  staff_id bigint NOT NULL,
  started_at timestamptz NOT NULL,
  calls integer NOT NULL CHECK (calls > 0),
  PRIMARY KEY (purpose, staff_id)
);
