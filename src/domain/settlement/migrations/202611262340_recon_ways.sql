-- What is above our amount may go back to who paid it; what the channel said when it was asked about a row only we have.
ALTER TABLE reconciliation DROP CONSTRAINT reconciliation_handle_way_check;
ALTER TABLE reconciliation ADD CONSTRAINT reconciliation_handle_way_check
  CHECK (handle_way IN ('write_off', 'refund', 'refund_diff', 'fill', 'hold', 'resend'));
ALTER TABLE reconciliation ADD COLUMN channel_says text
  CHECK (channel_says IN ('paid', 'unpaid', 'refunded', 'running', 'failed', 'unknown', 'silent', 'not_offered'));
ALTER TABLE reconciliation ADD COLUMN asked_at timestamptz;
