import { createHash, timingSafeEqual } from 'node:crypto';
import { runOne, type Executor } from '../../../kernel/server/database.ts';
import { forbidden } from '../../../kernel/server/http/errors.ts';
import { clientRefused } from './refusals.server.ts';

/** A program that may ask for tokens. */
export interface OauthClient {
  readonly clientId: string;
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
}

/** The client of a Basic credential. Throws 401/401 when it is missing, unknown, wrong or switched off. */
export async function checkClient(db: Executor, authorization: string | undefined): Promise<OauthClient> {
  const match = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '');
  const text = match ? Buffer.from(match[1]!, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 1) throw clientRefused();
  const clientId = text.slice(0, colon);
  const row = await runOne<{ secret_hash: Buffer | null; grant_types: string[]; scopes: string[] }>(
    db,
    'SELECT secret_hash, grant_types, scopes FROM oauth_client WHERE client_id = $1 AND enabled',
    [clientId.replaceAll('\u0000', '')],
  );
  const given = clientSecretHash(text.slice(colon + 1));
  // A program without a secret cannot prove itself this way, whatever it sends.
  if (
    !row?.secret_hash ||
    row.secret_hash.length !== given.length ||
    !timingSafeEqual(row.secret_hash, given)
  )
    throw clientRefused();
  return { clientId, grantTypes: row.grant_types, scopes: row.scopes };
}

/** The stored form of a client secret: SHA-256, as secrets are long and random (that of `web` is public anyway). */
export function clientSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Lets a program in that calls in its own name (client credentials) and has the scope. Throws 401/401 for a wrong credential,
 * 403 without grant or scope.
 */
export async function requireProgram(
  db: Executor,
  authorization: string | undefined,
  scope: string,
): Promise<void> {
  const client = await checkClient(db, authorization);
  if (!client.grantTypes.includes('client_credentials') || !client.scopes.includes(scope)) throw forbidden();
}
