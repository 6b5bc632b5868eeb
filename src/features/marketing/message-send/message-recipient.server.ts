import { retryRecipient } from '../../../domain/message-send/send-binding.server.ts';
import { recipientBinding } from '../../../domain/message-send/recipient-binding.server.ts';
import { bindResource } from '../../../kernel/server/resource/bind.ts';
import { messageRecipient } from './message-send.contract.ts';
import { sends } from './message-send.server.ts';

/** Who gets a message, for those who see it. */
export const registration = bindResource(messageRecipient, {
  ...recipientBinding,
  handlers: {
    retry: async ({ tx, platform, row }) => {
      await retryRecipient(tx, platform, sends, {
        sendId: Number(row.send_id),
        runId: Number(row.run_id),
      });
      return { set: { reason: null, attempts: 0, next_at: null, sms_id: null } };
    },
  },
}).registration;
