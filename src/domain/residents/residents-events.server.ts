import { z } from 'zod';
import { writeAudit } from '../../kernel/server/audit/audit.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import { ruleBroken } from '../../kernel/server/http/errors.ts';
import { memberEvent, type MemberEventKind } from '../member-event/member-event.server.ts';

/** What members change of themselves in the app. */
export const residentEvents: readonly MemberEventKind[] = [
  memberEvent({
    type: 'phone_change',
    title: ['更换手机号', 'Phone number changed'],
    payload: z.strictObject({ phone: z.string().regex(/^1\d{10}$/) }),
    changes: ['member', 'registration', 'household'],
    apply: async (tx, _platform, event) => {
      // The number is what the member signs in to the app with: the app has asked for a code sent to it, a staff has not.
      if (event.staffId !== undefined)
        throw ruleBroken([
          '手机号由会员本人在App中更换',
          'A member changes the phone number in the app, in person',
        ]);
      const { phone } = event.payload;
      const member = (await runOne<{ phone: string }>(
        tx,
        'SELECT phone FROM member WHERE id = $1 FOR NO KEY UPDATE',
        [event.memberId],
      ))!;
      if (member.phone === phone) return { result: { changed: false }, effects: [] };
      await run(
        tx,
        'UPDATE member SET phone = $2, version = version + 1, updated_at = now(), updated_by = NULL WHERE id = $1',
        [event.memberId, phone],
      ).catch((error: unknown) => {
        // The unique index alone knows of those who ask for the same number at this moment.
        if ((error as { code?: string }).code !== '23505') throw error;
        throw ruleBroken(['该手机号已被其他会员使用', 'Another member has this phone number']);
      });
      await writeAudit(tx, {
        action: 'phoneChange',
        entity: 'member',
        entityId: event.memberId,
        before: { phone: member.phone },
        after: { phone },
      });
      return { result: { changed: true }, effects: [] };
    },
  }),
];
