-- The approval engine: process versions with a tree of nodes, what happened at each node, seats, stand-ins.

-- One row is one version; versions of a process share a family.
ALTER TABLE approval_process
  ADD COLUMN family_id bigint REFERENCES approval_process,
  ADD COLUMN scope_kind text NOT NULL DEFAULT 'platform' CHECK (scope_kind IN ('platform', 'tenant', 'unit', 'project')),
  ADD COLUMN unit_id bigint REFERENCES organisation,
  ADD COLUMN admin_id bigint REFERENCES staff,
  ADD COLUMN title_zh text NOT NULL DEFAULT '' CHECK (length(title_zh) <= 120),
  ADD COLUMN title_en text NOT NULL DEFAULT '' CHECK (length(title_en) <= 120),
  ADD COLUMN summary_fields text[] NOT NULL DEFAULT '{}' CHECK (cardinality(summary_fields) <= 4),
  ADD COLUMN withdraw_policy text NOT NULL DEFAULT 'before_first_decision'
    CHECK (withdraw_policy IN ('before_first_decision', 'before_end', 'never')),
  ADD COLUMN repeat_policy text NOT NULL DEFAULT 'only_consecutive' CHECK (repeat_policy IN ('never', 'only_once', 'only_consecutive')),
  ADD COLUMN published_at timestamptz,
  ADD COLUMN published_by bigint REFERENCES staff,
  -- The version that took its place; such rows stand in the versions only.
  ADD COLUMN superseded_by bigint REFERENCES approval_process,
  ADD CHECK (length(name_zh) BETWEEN 1 AND 40),
  ADD CHECK (length(name_en) <= 80),
  ADD CHECK (scope_kind <> 'tenant' OR tenant_id IS NOT NULL),
  ADD CHECK ((scope_kind = 'unit') = (unit_id IS NOT NULL)),
  ADD CHECK (jsonb_typeof(nodes) = 'array');
UPDATE approval_process SET family_id = id;
CREATE INDEX approval_process_family ON approval_process (family_id);
-- One draft of a family at a time.
CREATE UNIQUE INDEX approval_process_draft ON approval_process (family_id) WHERE state = 'draft';

-- Projects of a version with scope `project`.
CREATE TABLE approval_process_project (
  process_id bigint NOT NULL REFERENCES approval_process ON DELETE CASCADE,
  project_id bigint NOT NULL REFERENCES project,
  PRIMARY KEY (process_id, project_id)
);
CREATE INDEX approval_process_project_project ON approval_process_project (project_id);

-- Where a published version holds: `platform`, `tenant:7`, `unit:3`, `project:12`. One per business type and place.
CREATE TABLE approval_process_place (
  biz_type text NOT NULL,
  place text NOT NULL,
  process_id bigint NOT NULL REFERENCES approval_process ON DELETE CASCADE,
  PRIMARY KEY (biz_type, place)
);
CREATE INDEX approval_process_place_process ON approval_process_place (process_id);

-- What is published never changes: running approvals stay on it.
CREATE FUNCTION approval_process_keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.state <> 'draft' AND (NEW.nodes, NEW.biz_type, NEW.process_version, NEW.withdraw_policy, NEW.repeat_policy)
     IS DISTINCT FROM (OLD.nodes, OLD.biz_type, OLD.process_version, OLD.withdraw_policy, OLD.repeat_policy) THEN
    RAISE EXCEPTION 'a published version of an approval process never changes' USING ERRCODE = '23514';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER approval_process_keeps BEFORE UPDATE ON approval_process FOR EACH ROW EXECUTE FUNCTION approval_process_keeps();

ALTER TABLE approval_instance
  -- Values of the condition fields when it was submitted.
  ADD COLUMN facts jsonb NOT NULL DEFAULT '{}',
  -- Staff the starter chose for nodes: { node: [staff, …] }.
  ADD COLUMN chosen jsonb NOT NULL DEFAULT '{}',
  -- It was returned and waits for the starter to hand it in again.
  ADD COLUMN awaits_starter boolean NOT NULL DEFAULT false,
  ADD COLUMN returned_from text,
  ADD CHECK (NOT awaits_starter OR state = 'running');
CREATE INDEX approval_instance_list ON approval_instance (started_at DESC, id DESC);

-- What became of a node in a round.
CREATE TABLE approval_node_run (
  instance_id bigint NOT NULL REFERENCES approval_instance ON DELETE CASCADE,
  round integer NOT NULL,
  node text NOT NULL,
  state text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'passed', 'refused', 'returned', 'cancelled')),
  -- Order in which nodes were reached.
  step integer NOT NULL,
  -- Branches taken.
  branches text[] NOT NULL DEFAULT '{}',
  -- Seats fixed when the node was reached, and how many of them have to agree.
  seats integer NOT NULL DEFAULT 0 CHECK (seats >= 0),
  need integer NOT NULL DEFAULT 0 CHECK (need >= 0 AND need <= greatest(seats, 0)),
  -- Taken over from the round before; nobody is asked again.
  carried boolean NOT NULL DEFAULT false,
  arrived_at timestamptz NOT NULL DEFAULT now(),
  due_at timestamptz,
  ended_at timestamptz,
  -- Why the product itself ended it.
  rule text NOT NULL DEFAULT '',
  PRIMARY KEY (instance_id, round, node),
  CHECK ((state = 'active') = (ended_at IS NULL))
);
CREATE INDEX approval_node_run_due ON approval_node_run (due_at) WHERE state = 'active' AND due_at IS NOT NULL;

ALTER TABLE approval_task
  -- The task it was added to: asked before or after that one's own decision.
  ADD COLUMN parent_id bigint REFERENCES approval_task,
  ADD COLUMN depth smallint NOT NULL DEFAULT 0 CHECK (depth BETWEEN 0 AND 2),
  -- Why the product itself decided or moved it.
  ADD COLUMN rule text NOT NULL DEFAULT '',
  ADD COLUMN reminded_count integer NOT NULL DEFAULT 0,
  -- When the product reminds, hands on or decides next.
  ADD COLUMN next_at timestamptz,
  ADD COLUMN urged_at timestamptz,
  ADD COLUMN attachments jsonb NOT NULL DEFAULT '[]',
  ADD CHECK ((parent_id IS NULL) = (kind NOT IN ('add_before', 'add_after'))),
  DROP CONSTRAINT approval_task_instance_id_round_node_seat_key;
-- A seat has one open or decided task; what was cancelled or handed on stays beside it.
CREATE UNIQUE INDEX approval_task_seat ON approval_task (instance_id, round, node, seat)
  WHERE parent_id IS NULL AND state NOT IN ('cancelled', 'transferred', 'returned');
CREATE INDEX approval_task_parent ON approval_task (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX approval_task_next ON approval_task (next_at) WHERE state = 'pending' AND next_at IS NOT NULL;
CREATE INDEX approval_task_done ON approval_task (decided_by, decided_at DESC, id DESC)
  WHERE state IN ('approved', 'refused', 'returned', 'transferred');
CREATE INDEX approval_task_copied ON approval_task (assignee_id, arrived_at DESC) WHERE kind = 'copy';

CREATE TABLE approval_standin (
  id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  staff_id bigint NOT NULL REFERENCES staff,
  standin_id bigint NOT NULL REFERENCES staff,
  from_day date NOT NULL,
  to_day date NOT NULL,
  -- Empty: every business type.
  biz_types text[] NOT NULL DEFAULT '{}',
  reason text NOT NULL DEFAULT '' CHECK (length(reason) <= 200),
  cancelled_at timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  created_by bigint,
  updated_at timestamptz NOT NULL DEFAULT now(),
  updated_by bigint,
  CHECK (staff_id <> standin_id),
  CHECK (to_day BETWEEN from_day AND from_day + 90)
);
-- One stand-in at a time; written as ranges, so that no extension is needed.
ALTER TABLE approval_standin ADD CONSTRAINT approval_standin_one
  EXCLUDE USING gist (int8range(staff_id, staff_id, '[]') WITH &&, daterange(from_day, to_day, '[]') WITH &&) WHERE (cancelled_at IS NULL);
CREATE INDEX approval_standin_standin ON approval_standin (standin_id);

-- Approvals that run already stand at the one node of the built-in process.
INSERT INTO approval_node_run (instance_id, round, node, state, step, seats, need, arrived_at, ended_at)
SELECT i.id, 1, 'leader', CASE i.state WHEN 'running' THEN 'active' WHEN 'passed' THEN 'passed' WHEN 'refused' THEN 'refused' ELSE 'cancelled' END, 1,
       (SELECT count(*) FROM approval_task k WHERE k.instance_id = i.id), least(1, (SELECT count(*) FROM approval_task k WHERE k.instance_id = i.id)),
       i.started_at, i.ended_at
  FROM approval_instance i;
