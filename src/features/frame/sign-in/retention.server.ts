import { run } from '../../../kernel/server/database.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration } from '../../../kernel/server/registration.ts';

/** Days sign-ins are kept: six months, as the law asks of network logs; the profile shows 90 days of them. */
const SIGN_IN_KEEP_DAYS = 183;
/** Days a dead session is kept. Source: group 04, jobs. */
const SESSION_KEEP_DAYS = 30;
/** Days a used code is known, so that a second use of it is noticed: longer than any token it bought lives. */
const CODE_KEEP_DAYS = 2;
/** Days a name that is no account is remembered: longer than it can still wait. */
const UNKNOWN_ACCOUNT_KEEP_DAYS = 1;
/** Days hits of the whitelist are kept. Source: group 02, whitelist_hit. */
const WHITELIST_HIT_KEEP_DAYS = 90;

/** Removes sign-ins, dead sessions and whitelist hits whose time is over. */
export const registration = defineRegistration({
  endpoints: [],
  jobs: [
    {
      name: 'session.purge',
      title: ['清理失效会话与登录记录', 'Purge dead sessions and sign-ins'],
      // 03:20 in Shanghai.
      cron: '20 19 * * *',
      run: async (_payload, platform) => {
        await purge(
          platform,
          'sign_in_attempt',
          "at < now() - $1::int * interval '1 day'",
          SIGN_IN_KEEP_DAYS,
        );
        await purge(
          platform,
          'unknown_account',
          "tried_at < now() - $1::int * interval '1 day'",
          UNKNOWN_ACCOUNT_KEEP_DAYS,
        );
        await purge(
          platform,
          'whitelist_hit',
          "at < now() - $1::int * interval '1 day'",
          WHITELIST_HIT_KEEP_DAYS,
        );
        await purge(
          platform,
          'oauth_code',
          "expires_at < now() - $1::int * interval '1 day'",
          CODE_KEEP_DAYS,
        );
        await purge(
          platform,
          'client_token',
          "coalesce(revoked_at, expires_at) < now() - $1::int * interval '1 day'",
          SESSION_KEEP_DAYS,
        );
        await purge(
          platform,
          'token_family',
          `coalesce(ended_at, (SELECT max(r.expires_at) FROM refresh_token r WHERE r.family_id = token_family.id)) < now() - $1::int * interval '1 day'`,
          SESSION_KEEP_DAYS,
        );
        await purge(
          platform,
          'session',
          "coalesce(ended_at, absolute_expires_at) < now() - $1::int * interval '1 day'",
          SESSION_KEEP_DAYS,
        );
      },
    },
  ],
});

const PIECE = 5_000;

// In pieces, so that no purge holds locks for long.
async function purge(platform: Platform, table: string, where: string, days: number): Promise<void> {
  for (;;) {
    const [row] = await run<{ count: number }>(
      platform.database.db,
      `WITH gone AS (
         DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${where} LIMIT ${PIECE})) RETURNING 1)
       SELECT count(*) AS count FROM gone`,
      [days],
    );
    if (!row || row.count < PIECE) return;
  }
}
