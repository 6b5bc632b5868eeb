import { recipientBinding } from '../../../domain/message-send/recipient-binding.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { pushRecipient } from './info-push.contract.ts';

/** Who gets a push, for those who see it. */
export const registration = bindResource(pushRecipient, {
  ...recipientBinding,
  where: `EXISTS (SELECT FROM message_send w WHERE w.id = t.send_id AND w.origin = 'ops_push')`,
}).registration;
