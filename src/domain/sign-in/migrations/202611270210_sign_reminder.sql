-- Who wants to be reminded of the day's sign-in, and when that was done last.
ALTER TABLE member
  ADD COLUMN sign_reminder boolean NOT NULL DEFAULT true,
  ADD COLUMN sign_reminded_on date;
