-- Certificates stand in the order they were written; their pictures stand with the person.
ALTER TABLE service_person_certificate ADD COLUMN position integer NOT NULL DEFAULT 0;
ALTER TABLE service_person
  ADD COLUMN certificate_image_ids uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(certificate_image_ids) <= 9),
  -- The password of the service app that was given out, until somebody signs in with it.
  ADD COLUMN password_set_at timestamptz;
-- Days before its end a person was told of a certificate, so that it is told once.
ALTER TABLE service_person_certificate ADD COLUMN told_days smallint;
ALTER TABLE service_stop
  ADD COLUMN version integer NOT NULL DEFAULT 1,
  ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now(),
  ADD COLUMN updated_by bigint;
