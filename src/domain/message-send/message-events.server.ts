import { z } from 'zod';
import { choice } from '../../kernel/contract/fields.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { setOptOut } from './mailbox.server.ts';
import { CATEGORIES, CHANNELS } from './message.rules.ts';

const channels = Object.fromEntries(Object.entries(CHANNELS).map(([code, label]) => [code, { label }]));

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
    form: {
      channel: { field: choice(['渠道', 'Channel'], channels, { required: true }), as: 'json' },
      category: { field: choice(['类别', 'Category'], CATEGORIES, { required: true }) },
      out: {
        field: choice(
          ['是否接收', 'Wanted'],
          {
            true: { label: ['不再接收', 'No longer'] },
            false: { label: ['恢复接收', 'Again'] },
          },
          { required: true, initial: 'true' },
        ),
        as: 'json',
      },
    },
    apply: async (tx, _platform, event) => {
      await setOptOut(tx, { memberId: event.memberId, ...event.payload });
      return { result: { out: event.payload.out }, effects: [] };
    },
  }),
];
