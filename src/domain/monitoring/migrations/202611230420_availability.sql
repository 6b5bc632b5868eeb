-- Minutes a service was up of those it should have been; minutes taken out on purpose count as neither. Kept 400 days.
CREATE TABLE service_up_total (
  day date NOT NULL,
  service text NOT NULL,
  up integer NOT NULL DEFAULT 0 CHECK (up >= 0),
  expected integer NOT NULL DEFAULT 0 CHECK (expected >= up),
  PRIMARY KEY (day, service)
);
INSERT INTO monitor_turn (work) VALUES ('availability');
