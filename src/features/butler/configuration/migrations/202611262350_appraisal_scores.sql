-- Scores of the demonstration set were written as text inside of JSON: no list could be read from them.
UPDATE butler_appraisal SET scores = (scores #>> '{}')::jsonb WHERE jsonb_typeof(scores) = 'string';
ALTER TABLE butler_appraisal ADD CONSTRAINT butler_appraisal_scores CHECK (jsonb_typeof(scores) = 'array');
