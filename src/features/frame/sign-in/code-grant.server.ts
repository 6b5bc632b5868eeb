import { createHash, timingSafeEqual } from 'node:crypto';
import { textOf, type Label } from '../../../kernel/contract/label.ts';
import { writeAudit } from '../../../kernel/server/audit/audit.ts';
import { run, runOne, transaction, type Tx } from '../../../kernel/server/database.ts';
import { type Call } from '../../../kernel/server/registration.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { checkClient, checkPublicClient, type ClientFacts } from './client-credential.server.ts';
import { outsideClient, type OutsideClient } from './oauth-client.server.ts';
import { openSession, tokenHash } from './open-session.server.ts';
import { issueRefresh, openFamily } from './refresh-token.server.ts';
import { clientRefused } from './refusals.server.ts';
import { holdRules } from './whitelist.server.ts';

/** The parameters of a token request with an authorisation code. */
export interface CodeExchange {
  readonly client_id: string;
  readonly code: string;
  readonly redirect_uri: string;
  readonly code_verifier: string;
}

const NOT_GOOD: Label = ['授权码无效或已过期', 'The code is not valid or has expired'];

/**
 * Turns an authorisation code into a token for the program it was given to. The client proves itself by its Basic
 * credential, or by PKCE alone when it has no secret. A code used a second time ends the token of the first use, and one whose
 * session has ended since is good for nothing: whoever signs out takes back what is on its way.
 */
export async function codeGrant(
  { platform, facts, request, reply }: Pick<Call, 'platform' | 'facts' | 'request' | 'reply'>,
  exchange: CodeExchange,
): Promise<unknown> {
  const client = await clientOf(platform, request.headers.authorization, exchange.client_id, facts);
  const hours = await platform.settings.number('auth.session.absolute_hours');
  const bought = await transaction(platform.database.db, async (tx): Promise<Bought | undefined> => {
    const code = await useCode(tx, client, exchange);
    if (!code) return undefined;
    const family = client.grant_types.includes('refresh_token')
      ? await openFamily(tx, client, code)
      : undefined;
    const token = await openSession(tx, {
      staffId: code.staff_id,
      clientId: client.client_id,
      address: facts.address,
      userAgent: facts.userAgent,
      absoluteHours: Math.min(hours, client.access_seconds / 3600),
      scopes: code.scopes,
      allowedIn: code.approved_in,
      familyId: family ?? null,
    });
    const refresh = family === undefined ? undefined : await issueRefresh(tx, client, family, facts);
    await run(
      tx,
      'UPDATE oauth_code SET session_id = (SELECT id FROM session WHERE token_hash = $2) WHERE code_hash = $1',
      [hashOf(exchange.code), tokenHash(token)],
    );
    await writeAudit(tx, {
      caller: { staffId: code.staff_id, name: code.name, tenantId: code.tenant_id },
      facts,
      action: 'signIn',
      entity: 'staff',
      entityId: code.staff_id,
      after: { client: client.client_id, scopes: code.scopes },
    });
    return { token, refresh, scopes: code.scopes };
  });
  platform.changed('session');
  reply.header('Cache-Control', 'no-store');
  // `error` is what programs look for (RFC 6749); status and message are those of every other answer.
  if (!bought)
    return reply.code(400).send({
      status: 400,
      message: textOf(NOT_GOOD, facts.language),
      error: 'invalid_grant',
      data: null,
    });
  return {
    status: 200,
    message: textOf(['登录成功', 'Signed in'], facts.language),
    access_token: bought.token,
    token_type: 'bearer',
    expires_in: Math.floor(Math.min(hours * 3600, client.access_seconds)),
    ...(bought.refresh === undefined ? {} : { refresh_token: bought.refresh }),
    scope: bought.scopes.join(' '),
  };
}

interface Bought {
  readonly token: string;
  readonly refresh: string | undefined;
  readonly scopes: readonly string[];
}

interface CodeRow {
  readonly client_id: string;
  readonly redirect_uri: string;
  readonly challenge: Buffer;
  readonly is_used: boolean;
  readonly is_over: boolean;
  readonly session_id: number | null;
  readonly approved_in: number | null;
  readonly scopes: readonly string[];
  readonly staff_id: number;
  readonly name: string;
  readonly tenant_id: number;
  readonly may_sign_in: boolean;
}

/** The program that asks, by its Basic credential, or by its id alone when it cannot keep a secret. Throws 401/401. */
export async function clientOf(
  platform: Call['platform'],
  authorization: string | undefined,
  clientId: string,
  facts: ClientFacts,
): Promise<OutsideClient> {
  const { db } = platform.database;
  const proved = authorization === undefined ? undefined : await checkClient(platform, authorization, facts);
  if (!proved) await checkPublicClient(platform, clientId, facts);
  const client = await outsideClient(db, proved?.clientId ?? clientId);
  if (!client) throw clientRefused();
  return client;
}

/**
 * The row of a code that is good, used up now; undefined when it is not. Staff and session are held still in the order in
 * which passwords are reset and sessions ended: a token that is being made is seen by whoever ends them, or not made.
 */
async function useCode(tx: Tx, client: OutsideClient, exchange: CodeExchange): Promise<CodeRow | undefined> {
  const held = await runOne<{ staff_id: number; approved_in: number | null }>(
    tx,
    'SELECT staff_id, approved_in FROM oauth_code WHERE code_hash = $1 FOR UPDATE',
    [hashOf(exchange.code)],
  );
  if (!held) return undefined;
  // Switched off since it was looked up: its tokens have been ended already.
  const isOn = await runOne(tx, 'SELECT 1 FROM oauth_client WHERE client_id = $1 AND enabled FOR SHARE', [
    client.client_id,
  ]);
  if (!isOn) return undefined;
  await run(tx, 'SELECT 1 FROM staff WHERE id = $1 FOR SHARE', [held.staff_id]);
  // A whitelist rule that ends sessions comes before this token, then the session is over, or sees it.
  await holdRules(tx);
  await run(tx, 'SELECT 1 FROM session WHERE id = $1 FOR SHARE', [held.approved_in]);
  const row = await runOne<CodeRow>(
    tx,
    `SELECT c.client_id, c.redirect_uri, c.challenge, c.used_at IS NOT NULL AS is_used, c.expires_at <= now() AS is_over,
            c.session_id, c.approved_in, c.scopes, t.id AS staff_id, t.name, t.tenant_id,
            t.state = 'normal' AND NOT t.must_change_password AND n.enabled
              AND EXISTS (SELECT FROM session a WHERE a.id = c.approved_in AND a.ended_at IS NULL) AS may_sign_in
       FROM oauth_code c JOIN staff t ON t.id = c.staff_id JOIN tenant n ON n.id = t.tenant_id
      WHERE c.code_hash = $1`,
    [hashOf(exchange.code)],
  );
  // A code of somebody else stays as it is: whoever guesses must not be able to use up the codes of others.
  if (!row || row.client_id !== client.client_id) return undefined;
  if (row.is_used) {
    if (row.session_id !== null) await endSessions(tx, { sessionId: row.session_id }, 'kicked');
    return undefined;
  }
  await run(tx, 'UPDATE oauth_code SET used_at = now() WHERE code_hash = $1', [hashOf(exchange.code)]);
  const isProved = timingSafeEqual(hashOf(exchange.code_verifier), row.challenge);
  const isGood = !row.is_over && row.may_sign_in && isProved && row.redirect_uri === exchange.redirect_uri;
  return isGood ? row : undefined;
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
