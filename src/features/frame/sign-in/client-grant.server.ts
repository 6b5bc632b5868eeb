import { randomBytes } from 'node:crypto';
import { textOf } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { isProgramScope } from './application-scopes.rules.ts';
import type { OauthClient } from './client-credential.server.ts';
import { tokenHash } from './open-session.server.ts';
import { clientRefused, scopeRefused } from './refusals.server.ts';

/**
 * Gives a program a token in its own right, for those of its scopes that need no staff. It holds no menu and no element. Throws
 * 400 for a scope it does not have, 401/401 when it was switched off meanwhile.
 */
export async function clientGrant(
  { platform, facts, reply }: Pick<Call, 'platform' | 'facts' | 'reply'>,
  client: OauthClient,
  asked: string,
): Promise<unknown> {
  const own = client.scopes.filter(isProgramScope);
  const named = [...new Set(asked.split(' ').filter((scope) => scope !== ''))];
  const scopes = named.length > 0 ? named : own;
  if (scopes.length === 0 || !scopes.every((scope) => own.includes(scope))) throw scopeRefused();
  const seconds = scopes.includes('service')
    ? await platform.settings.number('auth.service_token_seconds')
    : client.accessSeconds;
  const token = randomBytes(32).toString('base64url');
  await transaction(platform.database.db, async (tx) => {
    // Held, so that switching it off ends this token too, or comes first.
    const row = await runOne<{ name: string }>(
      tx,
      'SELECT name FROM oauth_client WHERE client_id = $1 AND enabled FOR SHARE',
      [client.clientId],
    );
    if (!row) throw clientRefused();
    await run(
      tx,
      `INSERT INTO client_token (token_hash, client_id, scopes, address, user_agent, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + $6::int * interval '1 second')`,
      [tokenHash(token), client.clientId, scopes, facts.address, facts.userAgent.slice(0, 300), seconds],
    );
    await writeAudit(tx, {
      caller: { staffId: 0, name: row.name, tenantId: 0 },
      facts,
      action: 'signIn',
      entity: 'oauthClient',
      after: { client: client.clientId, scopes },
    });
  });
  reply.header('Cache-Control', 'no-store');
  return {
    status: 200,
    message: textOf(['登录成功', 'Signed in'], facts.language),
    access_token: token,
    token_type: 'bearer',
    expires_in: seconds,
    scope: scopes.join(' '),
  };
}
