-- Numbers under which a maker told of an open fault again: sent once more behind its end they raise nothing.
ALTER TABLE road_gate_event ADD COLUMN told_again text[] NOT NULL DEFAULT '{}' CHECK (cardinality(told_again) <= 100);
