import { businessTimeText } from '../../../kernel/contract/time.rules.ts';
import { run, transaction } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import type { Job } from '../../../kernel/server/registration.ts';
import { tellClientOwner } from '../../../domain/oauth/client-notice.server.ts';
import { LIVE_SECRET } from '../../../domain/oauth/client-secret.server.ts';

/** Days before its end on which the owner of a secret is told. Source: group 04, jobs. */
const TOLD_DAYS = [1, 3, 14, 30] as const;
const UNUSED_DAYS = 90;

/** Tells owners of secrets that end soon and of programs nobody uses. Daily at 09:10 in Shanghai. */
export const clientJobs: readonly Job[] = [
  {
    name: 'oauthClient.remind',
    title: ['客户端密钥到期与未使用提醒', 'Remind of ending secrets and unused clients'],
    cron: '10 1 * * *',
    run: async (_payload, platform) => {
      await remindOfSecrets(platform);
      await remindOfUnused(platform);
    },
  },
];

/** Each step before the end is told once, also when the job missed a day. */
export async function remindOfSecrets(platform: Pick<Platform, 'database'>): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    const ending = await run<{
      id: number;
      client_id: string;
      name: string;
      hint: string;
      expires_at: Date;
      days: number;
    }>(
      tx,
      `SELECT s.id, s.client_id, c.name, s.hint, s.expires_at, d.days
         FROM client_secret s JOIN oauth_client c ON c.client_id = s.client_id
         CROSS JOIN LATERAL (SELECT min(step) AS days FROM unnest($1::int[]) step WHERE s.expires_at <= now() + make_interval(days => step)) d
        WHERE ${LIVE_SECRET} AND c.enabled AND d.days IS NOT NULL AND (s.told_days IS NULL OR s.told_days > d.days)
        ORDER BY s.id FOR UPDATE OF s`,
      [TOLD_DAYS],
    );
    for (const one of ending) {
      const when = businessTimeText(one.expires_at).slice(0, 16);
      await tellClientOwner(tx, one.client_id, {
        title: [
          `客户端「${one.name}」的密钥 ••••${one.hint} 将于 ${when} 到期`,
          `The secret ••••${one.hint} of "${one.name}" ends at ${when}`,
        ],
      });
      await run(tx, 'UPDATE client_secret SET told_days = $2 WHERE id = $1', [one.id, one.days]);
    }
  });
}

async function remindOfUnused(platform: Pick<Platform, 'database'>): Promise<void> {
  await transaction(platform.database.db, async (tx) => {
    const unused = await run<{ client_id: string; name: string }>(
      tx,
      `UPDATE oauth_client SET unused_told_at = now()
        WHERE enabled AND NOT builtin AND unused_told_at IS NULL AND coalesce(last_used_at, created_at) < now() - make_interval(days => $1)
        RETURNING client_id, name`,
      [UNUSED_DAYS],
    );
    for (const one of unused)
      await tellClientOwner(tx, one.client_id, {
        title: [
          `客户端「${one.name}」已 ${UNUSED_DAYS} 天未使用`,
          `The client "${one.name}" has not been used for ${UNUSED_DAYS} days`,
        ],
        body: ['请确认是否停用。', 'Please decide whether to switch it off.'],
      });
  });
}
