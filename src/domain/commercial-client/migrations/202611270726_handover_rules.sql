-- Who gets clients of a project or an industry in a hand-over: [{project, industry, to}], the first that fits first.
ALTER TABLE business_handover ADD COLUMN rules jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(rules) = 'array');
