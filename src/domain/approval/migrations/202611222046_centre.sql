-- What a stand-in decided is in the list of whose seat it was; the approvals of a company by their start.
CREATE INDEX approval_task_standin_done ON approval_task (first_assignee_id, decided_at DESC)
  WHERE via = 'standin' AND state IN ('approved', 'refused', 'returned', 'transferred');
CREATE INDEX approval_instance_started ON approval_instance (starter_id, started_at DESC);
CREATE INDEX approval_instance_process ON approval_instance (process_id);
CREATE INDEX approval_instance_search ON approval_instance USING gin (bigrams(lower(code || ' ' || title_zh || ' ' || title_en)));
CREATE INDEX approval_standin_list ON approval_standin (from_day DESC, id DESC);
