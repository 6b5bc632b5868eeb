-- Failed recipients are sent to by one send at a time.
CREATE UNIQUE INDEX message_send_one_resend ON message_send (resent_of_id)
  WHERE resent_of_id IS NOT NULL AND state IN ('scheduled', 'sending', 'paused');
