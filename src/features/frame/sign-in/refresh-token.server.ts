import { randomBytes } from 'node:crypto';
import { run, runOne, type Tx } from '../../../kernel/server/database.ts';
import type { RequestFacts } from '../../../kernel/server/people/caller.ts';
import type { OutsideClient } from './oauth-client.server.ts';
import { tokenHash } from './open-session.server.ts';

/** Opens the family of what a consent gives: it ends as a whole. */
export async function openFamily(
  tx: Tx,
  client: Pick<OutsideClient, 'client_id'>,
  given: {
    readonly staff_id: number;
    readonly scopes: readonly string[];
    readonly approved_in: number | null;
  },
): Promise<number> {
  const row = await runOne<{ id: number }>(
    tx,
    'INSERT INTO token_family (client_id, staff_id, scopes, allowed_in) VALUES ($1, $2, $3, $4) RETURNING id',
    [client.client_id, given.staff_id, given.scopes, given.approved_in],
  );
  return row!.id;
}

/** Issues the one refresh token of a family that is good now; the one before must be used. Only its SHA-256 is stored. */
export async function issueRefresh(
  tx: Tx,
  client: Pick<OutsideClient, 'refresh_seconds'>,
  familyId: number,
  facts: Pick<RequestFacts, 'address' | 'userAgent'>,
): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await run(
    tx,
    `INSERT INTO refresh_token (token_hash, family_id, expires_at, address, user_agent)
     VALUES ($1, $2, now() + $3::int * interval '1 second', $4, $5)`,
    [tokenHash(token), familyId, client.refresh_seconds, facts.address, facts.userAgent.slice(0, 300)],
  );
  return token;
}
