import { z } from 'zod';
import { isoInstant } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { invalid } from '../../../kernel/server/http/errors.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { defineRegistration, endpoint } from '../../../kernel/server/registration.ts';
import { forPlatform } from '../../../domain/services/platform-only.server.ts';
import { setSettings } from '../set-settings.server.ts';
import { OUTSIDE, type OutsideKind, type OutsideState } from './outside-kinds.rules.ts';

const KINDS = Object.keys(OUTSIDE) as OutsideKind[];
const PATIENCE_MS = 5_000;

/** The outside consoles: their addresses, and whether they answer. */
export const registration = defineRegistration({
  endpoints: forPlatform(
    KINDS.flatMap((kind) => [
      endpoint({
        method: 'GET',
        path: `/admin/outsideConsole/${kind}`,
        title: ['外部控制台', 'Outside console'],
        access: { code: OUTSIDE[kind].menu },
        handle: async ({ platform }): Promise<OutsideState> => {
          const url = await platform.settings.text(OUTSIDE[kind].key);
          const row = await runOne<{ reason: string; checked_at: Date }>(
            platform.database.db,
            'SELECT reason, checked_at FROM outside_console WHERE kind = $1 AND url = $2',
            [kind, url],
          );
          return { url, reason: row?.reason ?? null, checkedAt: row ? isoInstant(row.checked_at) : null };
        },
      }),
      endpoint({
        method: 'PUT',
        path: `/admin/outsideConsole/${kind}`,
        title: ['设置外部控制台', 'Set the outside console'],
        access: { code: `${OUTSIDE[kind].menu}:btn_external` },
        body: z.strictObject({ url: z.string().max(300) }),
        handle: async (call) => {
          const { platform } = call;
          const url = call.body.url.trim();
          const hosts = (await platform.settings.list('jump.allowed_hosts')).map(String);
          if (url !== '' && !mayShow(url, hosts))
            throw invalid({
              url: ['请输入 https 地址，或允许列表中的主机', 'An https address, or a host that is allowed'],
            });
          await setSettings(call, OUTSIDE[kind].menu, 'external', { [OUTSIDE[kind].key]: url });
          return true;
        },
      }),
    ]),
  ),
  jobs: [
    {
      name: 'outsideConsole.probe',
      title: ['检查外部控制台', 'Ask the outside consoles'],
      cron: '* * * * *',
      run: (_payload, platform) => probeConsoles(platform),
    },
  ],
});

/** Asks every outside console that has an address whether it answers. */
export async function probeConsoles(platform: Platform, ask: typeof fetch = fetch): Promise<void> {
  for (const kind of KINDS) {
    const url = await platform.settings.text(OUTSIDE[kind].key);
    if (url === '' || !URL.canParse(url)) continue;
    const reason = await reasonOf(url, ask);
    await run(
      platform.database.db,
      `INSERT INTO outside_console (kind, url, reason, checked_at) VALUES ($1, $2, $3, clock_timestamp())
       ON CONFLICT (kind) DO UPDATE SET url = excluded.url, reason = excluded.reason, checked_at = excluded.checked_at`,
      [kind, url, reason.slice(0, 200)],
    );
  }
}

async function reasonOf(url: string, ask: typeof fetch): Promise<string> {
  try {
    const answer = await ask(url, {
      method: 'GET',
      redirect: 'manual',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body?.cancel();
    return answer.status >= 500 ? `HTTP ${answer.status}` : '';
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code;
    return cause ?? (error as Error).name;
  }
}

/** True for an address that may stand in a frame: https, or a host that is allowed by name. */
function mayShow(url: string, allowedHosts: readonly string[]): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, host, username } = new URL(url);
  if (username !== '') return false;
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && (allowedHosts.includes(hostname) || allowedHosts.includes(host)))
  );
}
