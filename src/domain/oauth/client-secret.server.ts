import { createHash, randomBytes } from 'node:crypto';
import type { Label } from '../../kernel/contract/label.ts';
import { run, runOne, type Executor, type Tx } from '../../kernel/server/database.ts';
import { notFound, ruleBroken } from '../../kernel/server/http/errors.ts';

const AT_MOST_TWO: Label = ['最多两个有效密钥', 'At most two live secrets'];
const AT_LEAST_ONE: Label = ['至少保留一个有效密钥', 'At least one live secret is required'];

/** SQL: secret `s` can be used now. */
export const LIVE_SECRET = `s.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > now())`;

/** A live secret as it may be told of. */
export interface SecretRow {
  readonly id: number;
  readonly hint: string;
  readonly created_at: Date;
  readonly expires_at: Date | null;
  readonly last_used_at: Date | null;
}

/** When a new secret ends, and when the one before it does. */
export interface NewSecret {
  readonly expiresAt?: Date | null;
  /** Days the older secret still works; 0: it ends at once. */
  readonly overlapDays: number;
  readonly createdBy: number | null;
}

/** The stored form of a client secret: SHA-256, as secrets are long and random (that of `web` is public anyway). */
export function clientSecretHash(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Makes a secret of 43 characters and returns it, the only time it can be read. It works at once; the older one ends after the
 * overlap. Throws 30101 when two are live. The table keeps two slots, so that a third cannot stand whoever writes it.
 */
export async function addSecret(tx: Tx, clientId: string, made: NewSecret): Promise<string> {
  await holdClient(tx, clientId);
  // What has ended by time gives its slot back.
  await run(
    tx,
    `UPDATE client_secret SET revoked_at = expires_at WHERE client_id = $1 AND revoked_at IS NULL AND expires_at <= now()`,
    [clientId],
  );
  const live = await liveSecrets(tx, clientId);
  if (live.length >= 2) throw ruleBroken(AT_MOST_TWO);
  const secret = randomBytes(32).toString('base64url');
  await run(
    tx,
    `INSERT INTO client_secret (client_id, slot, hash, hint, created_by, expires_at)
     SELECT $1, CASE WHEN EXISTS (SELECT FROM client_secret WHERE client_id = $1 AND slot = 1 AND revoked_at IS NULL) THEN 2 ELSE 1 END, $2, $3, $4, $5`,
    [clientId, clientSecretHash(secret), secret.slice(-4), made.createdBy, made.expiresAt ?? null],
  );
  for (const one of live)
    await run(
      tx,
      made.overlapDays === 0
        ? 'UPDATE client_secret SET revoked_at = now() WHERE id = $1 AND $2::int = 0'
        : `UPDATE client_secret SET told_days = NULL, expires_at = least(expires_at, now() + $2::int * interval '1 day') WHERE id = $1`,
      [one.id, made.overlapDays],
    );
  await run(
    tx,
    'UPDATE oauth_client SET public_value = $2 WHERE client_id = $1 AND public_value IS NOT NULL',
    [clientId, secret],
  );
  return secret;
}

/** Takes a live secret away at once. Throws 404 for one that is not live, 30101 for the only one. */
export async function removeSecret(tx: Tx, clientId: string, secretId: number): Promise<string> {
  const { live, secret } = await heldSecret(tx, clientId, secretId);
  if (live.length === 1) throw ruleBroken(AT_LEAST_ONE);
  await run(tx, 'UPDATE client_secret SET revoked_at = now() WHERE id = $1', [secretId]);
  return secret.hint;
}

/** Sets when a live secret ends; null: it does not. Throws as {@link removeSecret}, for a time that is over 422 is the caller's. */
export async function endSecret(
  tx: Tx,
  clientId: string,
  secretId: number,
  expiresAt: Date | null,
): Promise<string> {
  const { secret } = await heldSecret(tx, clientId, secretId);
  await run(tx, 'UPDATE client_secret SET expires_at = $2, told_days = NULL WHERE id = $1', [
    secretId,
    expiresAt,
  ]);
  return secret.hint;
}

/** Live secrets of a program, the oldest first. */
export function liveSecrets(db: Executor, clientId: string): Promise<SecretRow[]> {
  return run<SecretRow>(
    db,
    `SELECT s.id, s.hint, s.created_at, s.expires_at, s.last_used_at FROM client_secret s
      WHERE s.client_id = $1 AND ${LIVE_SECRET} ORDER BY s.created_at, s.id`,
    [clientId],
  );
}

async function heldSecret(tx: Tx, clientId: string, secretId: number) {
  await holdClient(tx, clientId);
  const live = await liveSecrets(tx, clientId);
  const secret = live.find((one) => one.id === secretId);
  if (!secret) throw notFound();
  return { live, secret };
}

/** Whoever changes the secrets of a program waits for who does so already. */
async function holdClient(tx: Tx, clientId: string): Promise<void> {
  const row = await runOne(tx, 'SELECT 1 FROM oauth_client WHERE client_id = $1 FOR NO KEY UPDATE', [
    clientId,
  ]);
  if (!row) throw notFound();
}
