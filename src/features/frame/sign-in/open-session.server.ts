import { createHash, randomBytes } from 'node:crypto';
import { run, type Executor } from '../../../kernel/server/database.ts';

/** Whose session is opened, from where, and how long it may last at most. */
export interface NewSession {
  readonly staffId: number;
  /** `web`; `cas` when the single sign-on server vouched for the staff. */
  readonly clientId: string;
  readonly address: string;
  readonly userAgent: string;
  readonly absoluteHours: number;
  /** What an outside program may do with it; absent for the product's own pages. */
  readonly scopes?: readonly string[];
  /** The session in which the staff allowed it. */
  readonly allowedIn?: number | null;
  /** What it may be made new with: the family of its refresh token. */
  readonly familyId?: number | null;
}

/** Opens a session and returns its token: 256 random bits in base64url. Only its SHA-256 is stored. */
export async function openSession(tx: Executor, session: NewSession): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await run(
    tx,
    `INSERT INTO session (token_hash, staff_id, client_id, address, user_agent, absolute_expires_at, scopes, allowed_in, family_id)
     VALUES ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 hour', $7, $8, $9)`,
    [
      tokenHash(token),
      session.staffId,
      session.clientId,
      session.address,
      session.userAgent.slice(0, 300),
      session.absoluteHours,
      session.scopes ?? null,
      session.allowedIn ?? null,
      session.familyId ?? null,
    ],
  );
  return token;
}

/** The stored form of a token, with or without `Bearer ` in front. */
export function tokenHash(token: string): Buffer {
  return createHash('sha256')
    .update(token.replace(/^Bearer\s+/i, '').trim())
    .digest();
}
