import { z } from 'zod';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { setOptOut } from './mailbox.server.ts';

/** What members say of the messages they get: which kinds they no longer want. */
export const messageEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'message_optout',
    title: ['退订消息', 'Messages opted out of'],
    payload: z.strictObject({
      channel: z.number().int().min(1).max(4),
      category: z.enum(['marketing', 'business', 'notice']),
      out: z.boolean().default(true),
    }),
    apply: async (tx, _platform, event) => {
      await setOptOut(tx, { memberId: event.memberId, ...event.payload });
      return { result: { out: event.payload.out }, effects: [] };
    },
  }),
];
