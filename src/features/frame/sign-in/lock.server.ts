import { z } from 'zod';
import { fill } from '../../../kernel/contract/label.ts';
import { isPasswordTooLong, passwordTexts } from '../../../kernel/contract/password.rules.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { invalid, loggedOut, Refusal, sessionEnded } from '../../../kernel/server/http/errors.ts';
import { withHashSlot } from '../../../kernel/server/people/password-hash.ts';
import { defineRegistration, endpoint, type Call } from '../../../kernel/server/registration.ts';
import { endSessions, notifySessionChanged } from '../../../kernel/server/people/session-changes.ts';
import { passwordKey } from './rsa-key.server.ts';

/** Lock screen: the session stays, but every call except these and signing out is refused. */
export const registration = defineRegistration({
  endpoints: [
    endpoint({
      method: 'POST',
      path: '/auth/session/lock',
      title: ['锁屏', 'Lock the screen'],
      access: 'restricted',
      whileLocked: true,
      handle: async ({ platform, caller }) => {
        await transaction(platform.database.db, async (tx) => {
          // Locking a locked session again must not give new tries.
          await run(
            tx,
            'UPDATE session SET locked_at = now(), unlock_failures = 0 WHERE id = $1 AND locked_at IS NULL AND ended_at IS NULL',
            [caller.sessionId],
          );
          await notifySessionChanged(tx, caller.sessionId);
        });
        platform.changed('session');
        return true;
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/session/unlock',
      title: ['解锁', 'Unlock the screen'],
      access: 'restricted',
      whileLocked: true,
      body: z.strictObject({ password: z.string().max(2_000) }),
      handle: async (call) => await unlock(call, call.body.password),
    }),
  ],
});

const MOST_FAILURES = 5;

async function unlock({ platform, caller, facts }: Call, cipher: string): Promise<true> {
  if (cipher === '') throw invalid({ password: passwordTexts.empty });
  const key = await passwordKey(platform);
  const password = key.decrypt(cipher) ?? cipher;
  if (isPasswordTooLong(password) && !(password === cipher && key.looksEncrypted(cipher)))
    throw invalid({ password: passwordTexts.long });
  const refusal = await withHashSlot((slot) =>
    transaction(platform.database.db, async (tx): Promise<Refusal | undefined> => {
      const row = await runOne<{ failures: number; hash: string | null }>(
        tx,
        `SELECT s.unlock_failures AS failures, t.password_hash AS hash FROM session s JOIN staff t ON t.id = s.staff_id
          WHERE s.id = $1 AND s.ended_at IS NULL FOR NO KEY UPDATE OF s`,
        [caller.sessionId],
      );
      if (!row) return loggedOut();
      if (await slot.verify(row.hash, password)) {
        await run(tx, 'UPDATE session SET locked_at = NULL, unlock_failures = 0 WHERE id = $1', [
          caller.sessionId,
        ]);
        await notifySessionChanged(tx, caller.sessionId);
        return undefined;
      }
      const left = MOST_FAILURES - row.failures - 1;
      await run(tx, 'UPDATE session SET unlock_failures = unlock_failures + 1 WHERE id = $1', [
        caller.sessionId,
      ]);
      if (left > 0)
        return invalid({
          password: fill(['密码错误，还可尝试 {n} 次', 'Wrong password, {n} {n|try|tries} left'], {
            n: left,
          }),
        });
      await endSessions(tx, { sessionId: caller.sessionId }, 'unlock');
      await writeAudit(tx, {
        caller,
        facts,
        action: 'unlockFailed',
        entity: 'staff',
        entityId: caller.staffId,
      });
      return sessionEnded(['解锁失败次数过多，请重新登录', 'Too many failed unlocks, please sign in again']);
    }),
  );
  platform.changed('session');
  if (refusal) throw refusal;
  return true;
}
