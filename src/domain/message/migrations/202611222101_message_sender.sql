-- Messages leave through the outbox: what became of each, by which way, and until when it is worth sending.
ALTER TABLE sms_message
  -- Values of the message by name: providers that know templates only are given these instead of the text.
  ADD COLUMN params jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN sender text,
  DROP CONSTRAINT sms_message_state_check,
  ADD CONSTRAINT sms_message_state_check CHECK (state IN ('queued', 'sent', 'failed', 'sandbox'));
ALTER TABLE email_message
  ADD COLUMN expires_at timestamptz,
  ADD COLUMN sender text,
  DROP CONSTRAINT email_message_state_check,
  ADD CONSTRAINT email_message_state_check CHECK (state IN ('queued', 'sent', 'failed', 'sandbox'));

-- Whatever was written before stays in the sandbox: nobody wants last week's codes once a provider is chosen.
UPDATE sms_message SET state = 'sandbox' WHERE state = 'queued';
UPDATE email_message SET state = 'sandbox' WHERE state = 'queued';

-- Passwords and keys of providers, sealed. They are set and used, never read out.
CREATE TABLE sender_secret (
  kind text PRIMARY KEY CHECK (kind IN ('smtp', 'http', 'aliyun', 'tencent')),
  sealed bytea NOT NULL,
  set_at timestamptz NOT NULL DEFAULT now(),
  set_by bigint
);
