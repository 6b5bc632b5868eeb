import { timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { run, type Executor } from '../../../kernel/server/database.ts';
import { tooMany } from '../../../kernel/server/http/errors.ts';
import type { RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { Platform } from '../../../kernel/server/platform.ts';
import { clientSecretHash, LIVE_SECRET } from '../../../domain/oauth/client-secret.server.ts';
import { callLimit } from './call-limit.server.ts';
import { networkOf } from './network.rules.ts';
import { clientRefused } from './refusals.server.ts';

/** A program that may ask for tokens. */
export interface OauthClient {
  readonly clientId: string;
  readonly grantTypes: readonly string[];
  readonly scopes: readonly string[];
  readonly accessSeconds: number;
}

/** Where a request for a token comes from. */
export type ClientFacts = Pick<RequestFacts, 'address'>;

interface ClientRow {
  readonly grant_types: string[];
  readonly scopes: string[];
  readonly access_seconds: number;
  readonly rate_per_minute: number;
  readonly is_public: boolean;
  readonly fits: boolean | null;
  readonly secret_id: number | null;
  readonly hash: Buffer | null;
}

/**
 * The client of a Basic credential. Throws 401/401 when it is missing, unknown, wrong, ended, switched off or comes from an
 * address that is not allowed, 429 when it asks too often.
 */
export async function checkClient(
  platform: Platform,
  authorization: string | undefined,
  facts: ClientFacts,
): Promise<OauthClient> {
  const { db } = platform.database;
  const match = /^Basic ([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '');
  const text = match ? Buffer.from(match[1]!, 'base64').toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon < 1) throw clientRefused();
  const clientId = text.slice(0, colon).replaceAll('\u0000', '');
  const rows = await clientRows(db, clientId, facts);
  const given = clientSecretHash(text.slice(colon + 1));
  // A program without a secret cannot prove itself this way, whatever it sends.
  const row = rows.find((one) => one.hash?.length === given.length && timingSafeEqual(one.hash, given));
  if (!row || row.fits !== true) throw clientRefused();
  await countRequest(platform, clientId, row, facts);
  await noteUse(db, clientId, row.secret_id);
  return {
    clientId,
    grantTypes: row.grant_types,
    scopes: row.scopes,
    accessSeconds: row.access_seconds,
  };
}

/** A program that cannot keep a secret asks for a token by its id alone: address and rate hold for it too. Throws as above. */
export async function checkPublicClient(
  platform: Platform,
  clientId: string,
  facts: ClientFacts,
): Promise<void> {
  const { db } = platform.database;
  const [row] = await clientRows(db, clientId.replaceAll('\u0000', ''), facts);
  if (!row?.is_public || row.fits !== true) throw clientRefused();
  await countRequest(platform, clientId, row, facts);
  await noteUse(db, clientId, null);
}

/** An enabled program, once for each of its live secrets; none: once without. */
function clientRows(db: Executor, clientId: string, facts: ClientFacts): Promise<ClientRow[]> {
  // A socket that takes both families gives IPv4 addresses in IPv6 form.
  const plain = facts.address.replace(/^::ffff:(?=\d+\.)/i, '');
  return run<ClientRow>(
    db,
    `SELECT c.grant_types, c.scopes, c.access_seconds, c.rate_per_minute, c.type = 'public' AS is_public,
            cardinality(c.allow_addresses) = 0 OR $2::inet <<= ANY (c.allow_addresses) AS fits, s.id AS secret_id, s.hash
       FROM oauth_client c LEFT JOIN client_secret s ON s.client_id = c.client_id AND ${LIVE_SECRET}
      WHERE c.client_id = $1 AND c.enabled`,
    [clientId, isIP(plain) === 0 ? null : plain],
  );
}

/** What everybody can send is counted by address, or one caller could keep all others from signing in. */
async function countRequest(
  platform: Platform,
  clientId: string,
  row: Pick<ClientRow, 'rate_per_minute' | 'is_public'>,
  facts: ClientFacts,
): Promise<void> {
  const count = callLimit({ purpose: 'oauthToken', most: row.rate_per_minute, seconds: 60 });
  const wait = await count(platform, row.is_public ? `${clientId}\n${networkOf(facts.address)}` : clientId);
  if (wait > 0)
    throw tooMany(['操作过于频繁，请稍后再试', 'Too many requests, please try again later'], wait);
}

// Once a minute is enough to tell which secret is still in use, and keeps the rows from being written all the time.
async function noteUse(db: Executor, clientId: string, secretId: number | null): Promise<void> {
  await run(
    db,
    `UPDATE oauth_client SET last_used_at = now(), unused_told_at = NULL
      WHERE client_id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [clientId],
  );
  if (secretId !== null)
    await run(
      db,
      `UPDATE client_secret SET last_used_at = now() WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
      [secretId],
    );
}
