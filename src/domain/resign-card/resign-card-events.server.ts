import { z } from 'zod';
import { date } from '../../kernel/contract/fields.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { useCard } from './resign-card.server.ts';

/** Making up for a missed sign-in. */
export const resignCardEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'card_use',
    title: ['使用补签卡', 'Make-up card used'],
    payload: z.strictObject({ day: z.iso.date() }),
    form: { day: { field: date(['补签日期', 'Repaired day'], { required: true }) } },
    changes: ['resignCard', 'resignCardUse', 'signInRule'],
    apply: async (tx, { settings }, event) => {
      const { effects, ...result } = await useCard(tx, settings, {
        memberId: event.memberId,
        projectId: event.projectId,
        day: event.payload.day,
      });
      return { result, effects };
    },
  }),
];
