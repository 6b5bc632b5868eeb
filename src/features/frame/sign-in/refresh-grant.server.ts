import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { sessionStands } from '../../../kernel/server/people/acting.ts';
import { endFamilies } from '../../../kernel/server/people/session-changes.ts';
import type { Call } from '../../../kernel/server/registration.ts';
import { tellClientOwner } from '../../../domain/oauth/client-notice.server.ts';
import { clientOf } from './code-grant.server.ts';
import type { OutsideClient } from './oauth-client.server.ts';
import { openSession, tokenHash } from './open-session.server.ts';
import { issueRefresh } from './refresh-token.server.ts';
import { grantRefused } from './refusals.server.ts';
import { holdRules } from './whitelist.server.ts';

const NOT_GOOD: Label = ['刷新令牌无效或已过期', 'The refresh token is not valid or has expired'];

/**
 * Turns a refresh token into a new access token and the next refresh token. One that was used before ends everything its consent
 * opened, and the owner of the program is told: either the program or somebody else has a copy.
 */
export async function refreshGrant(
  { platform, facts, request, reply }: Pick<Call, 'platform' | 'facts' | 'request' | 'reply'>,
  asked: { readonly client_id: string; readonly refresh_token: string },
): Promise<unknown> {
  const client = await clientOf(platform, request.headers.authorization, asked.client_id, facts);
  if (!client.grant_types.includes('refresh_token')) throw grantRefused();
  const hours = await platform.settings.number('auth.session.absolute_hours');
  const given = await transaction(platform.database.db, async (tx) => {
    const held = await useRefresh(tx, client, asked.refresh_token);
    if (!held) return undefined;
    const token = await openSession(tx, {
      staffId: held.staff_id,
      clientId: client.client_id,
      address: facts.address,
      userAgent: facts.userAgent,
      absoluteHours: Math.min(hours, client.access_seconds / 3600),
      scopes: held.scopes,
      allowedIn: held.allowed_in,
      familyId: held.family_id,
    });
    const refresh = await issueRefresh(tx, client, held.family_id, facts);
    await writeAudit(tx, {
      caller: { staffId: held.staff_id, name: held.name, tenantId: held.tenant_id },
      facts,
      action: 'signIn',
      entity: 'staff',
      entityId: held.staff_id,
      after: { client: client.client_id, scopes: held.scopes, renewed: true },
    });
    return { token, refresh, scopes: held.scopes };
  });
  platform.changed('session');
  reply.header('Cache-Control', 'no-store');
  if (!given)
    return reply.code(400).send({
      status: 400,
      message: textOf(NOT_GOOD, facts.language),
      error: 'invalid_grant',
      data: null,
    });
  return {
    status: 200,
    message: textOf(['登录成功', 'Signed in'], facts.language),
    access_token: given.token,
    token_type: 'bearer',
    expires_in: Math.floor(Math.min(hours * 3600, client.access_seconds)),
    refresh_token: given.refresh,
    scope: given.scopes.join(' '),
  };
}

interface RefreshRow {
  readonly family_id: number;
  readonly staff_id: number;
  readonly name: string;
  readonly tenant_id: number;
  readonly scopes: readonly string[];
  readonly allowed_in: number | null;
  readonly is_used: boolean;
  readonly is_over: boolean;
  readonly may_sign_in: boolean;
}

/** The row of a refresh token that is good, used up now; undefined when it is not. Locks as {@link codeGrant} does. */
async function useRefresh(tx: Tx, client: OutsideClient, token: string): Promise<RefreshRow | undefined> {
  const hash = tokenHash(token);
  // First the program, as who switches it off does.
  const isOn = await runOne(tx, 'SELECT 1 FROM oauth_client WHERE client_id = $1 AND enabled FOR SHARE', [
    client.client_id,
  ]);
  if (!isOn) return undefined;
  const held = await runOne<{ family_id: number; staff_id: number; allowed_in: number | null }>(
    tx,
    // The family is locked with it: two requests with tokens of one family follow each other.
    `SELECT f.id AS family_id, f.staff_id, f.allowed_in FROM refresh_token r JOIN token_family f ON f.id = r.family_id
      WHERE r.token_hash = $1 AND f.client_id = $2 AND f.ended_at IS NULL FOR NO KEY UPDATE OF f`,
    [hash, client.client_id],
  );
  if (!held) return undefined;
  await run(tx, 'SELECT 1 FROM staff WHERE id = $1 FOR SHARE', [held.staff_id]);
  await holdRules(tx);
  if (held.allowed_in !== null)
    await run(tx, 'SELECT 1 FROM session WHERE id = $1 FOR SHARE', [held.allowed_in]);
  const row = await runOne<RefreshRow>(
    tx,
    `SELECT f.id AS family_id, f.staff_id, t.name, t.tenant_id, f.scopes, f.allowed_in, r.used_at IS NOT NULL AS is_used,
            r.expires_at <= now() AS is_over, t.state = 'normal' AND NOT t.must_change_password AND n.enabled AS may_sign_in
       FROM refresh_token r JOIN token_family f ON f.id = r.family_id
       JOIN staff t ON t.id = f.staff_id JOIN tenant n ON n.id = t.tenant_id
      WHERE r.token_hash = $1 AND f.ended_at IS NULL`,
    [hash],
  );
  if (!row) return undefined;
  if (row.is_used) {
    await endFamilies(tx, { clientId: client.client_id, familyId: row.family_id });
    await tellClientOwner(tx, client.client_id, {
      title: [
        `客户端「${client.name}」的刷新令牌被重复使用`,
        `A refresh token of "${client.name}" was used twice`,
      ],
      body: [
        '该授权的全部令牌已作废。请确认令牌没有泄露。',
        'All tokens of that consent have ended. Please check that the token did not leak.',
      ],
    });
    return undefined;
  }
  if (row.is_over || !row.may_sign_in) return undefined;
  if (row.allowed_in !== null && !(await sessionStands(tx, row.allowed_in))) return undefined;
  await run(tx, 'UPDATE refresh_token SET used_at = now() WHERE token_hash = $1', [hash]);
  return row;
}
