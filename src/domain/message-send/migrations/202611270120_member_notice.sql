-- Notices of single members: a grade they reached, what became of their post. They belong to no message that was sent to many.
ALTER TABLE member_notification ADD COLUMN notice boolean NOT NULL DEFAULT false;
