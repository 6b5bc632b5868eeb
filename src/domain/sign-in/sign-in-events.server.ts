import { z } from 'zod';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';
import { signIn, signInMany } from './sign-in.server.ts';

/** Signing in: the day is the database's, whatever the phone says. */
export const signInEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'sign_in',
    title: ['签到', 'Sign-in'],
    payload: z.strictObject({}),
    form: {},
    changes: ['signInRule'],
    apply: async (tx, { settings }, event) => {
      const { effects, ...result } = await signIn(tx, settings, {
        memberId: event.memberId,
        projectId: event.projectId,
        day: event.today,
      });
      return { result, effects };
    },
    applyMany: async (tx, { settings }, today, events) =>
      (await signInMany(tx, settings, today, events)).map((signed) => {
        if (!signed) return undefined;
        const { effects, ...result } = signed;
        return { result, effects };
      }),
  }),
];
