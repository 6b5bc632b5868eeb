import { runOne, transaction } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import type { Job } from '../../kernel/server/registration.ts';

/** Who did not sign in for so long does not miss it. */
const ACTIVE_DAYS = 14;

/**
 * Pushes a reminder to members who have not signed in today: once a day, from the set hour on, to those who want it and have
 * signed in lately. Returns how many. Source: group 01, Jobs (signReminder).
 */
export async function remindToSign(platform: Platform): Promise<number> {
  const hour = await platform.settings.number('signin.reminder_hour');
  return transaction(platform.database.db, async (tx) => {
    const row = await runOne<{ n: number }>(
      tx,
      `WITH today AS (SELECT (clock_timestamp() AT TIME ZONE 'Asia/Shanghai')::date AS day, extract(hour FROM clock_timestamp() AT TIME ZONE 'Asia/Shanghai') AS hour),
       due AS (UPDATE member m SET sign_reminded_on = d.day FROM today d
          WHERE d.hour = $1 AND m.sign_reminder AND NOT m.official AND m.sign_reminded_on IS DISTINCT FROM d.day
            AND EXISTS (SELECT FROM sign_in s WHERE s.member_id = m.id AND s.day >= d.day - ${ACTIVE_DAYS})
            AND NOT EXISTS (SELECT FROM sign_in s WHERE s.member_id = m.id AND s.day = d.day) RETURNING m.id),
       told AS (INSERT INTO member_notification (member_id, channel, title_zh, title_en, body_zh, body_en, notice)
         SELECT id, 3, '签到提醒', 'Sign in', '今天还没有签到，别让连续签到中断', 'You have not signed in today: keep your streak', true FROM due RETURNING 1)
       SELECT count(*)::int AS n FROM told`,
      [hour],
    );
    return row!.n;
  });
}

/** Hourly; only the set hour finds somebody. */
export const signReminderJob: Job = {
  name: 'signin.reminder',
  title: ['签到提醒', 'Reminders to sign in'],
  cron: '0 * * * *',
  run: async (_payload, platform, context) => {
    context?.print(`members ${await remindToSign(platform)}`);
  },
};
