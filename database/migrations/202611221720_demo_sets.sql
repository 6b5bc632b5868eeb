-- Demonstration rows a database has, by key: a newer release adds those of its new screens at the next start, once.
CREATE TABLE demo_set (
  key text PRIMARY KEY,
  seeded_at timestamptz NOT NULL DEFAULT now()
);
-- Installations seeded before hold the base set.
INSERT INTO demo_set (key) SELECT 'base' WHERE EXISTS (SELECT FROM tenant WHERE account = 'M000001');
