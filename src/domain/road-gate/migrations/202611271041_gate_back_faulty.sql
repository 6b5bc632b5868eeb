-- A gate that was silent with an open fault comes back with it.
ALTER TABLE road_gate_event DROP CONSTRAINT road_gate_event_kind_check;
ALTER TABLE road_gate_event ADD CONSTRAINT road_gate_event_kind_check
  CHECK (kind IN ('enter', 'exit', 'open', 'close', 'lost', 'back', 'backFaulty', 'fault')) NOT VALID;
ALTER TABLE road_gate_event VALIDATE CONSTRAINT road_gate_event_kind_check;
