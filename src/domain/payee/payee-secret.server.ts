import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { openText, sealText } from './sealed-text.server.ts';

/** What of an account is kept sealed. `number` is the bank account or the merchant number. */
export type SecretKind = 'number' | 'apiKey' | 'privateKey' | 'certificate' | 'publicKey';

/** What may be told of a secret: its last four characters and when it was set. */
export interface SecretMark {
  readonly kind: SecretKind;
  readonly tail: string;
  readonly set_at: Date;
}

type WithKey = Pick<Platform, 'config'>;

/** The last four characters, or fewer of a text so short that they would be most of it. */
export function tailOf(text: string): string {
  const kept = text.replace(/-----[^-]+-----/g, '').replace(/\s/g, '');
  return kept.slice(-Math.min(4, Math.floor(kept.length / 2)));
}

/** Keeps secrets of an account, or of a change that waits for its approval. */
export async function putSecrets(
  tx: Executor,
  platform: WithKey,
  place: { readonly accountId: number; readonly changeId?: number | undefined },
  secrets: Readonly<Partial<Record<SecretKind, string>>>,
): Promise<void> {
  for (const [kind, text] of Object.entries(secrets))
    await run(
      tx,
      `INSERT INTO payee_secret (account_id, change_id, kind, sealed, tail) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (account_id, change_id, kind) DO UPDATE SET sealed = excluded.sealed, tail = excluded.tail, set_at = now()`,
      [
        place.accountId,
        place.changeId ?? null,
        kind,
        sealText(platform.config, 'payee', `${place.accountId}:${kind}`, text),
        tailOf(text),
      ],
    );
}

/** The secrets of an approved change take the place of those before. */
export async function takeSecrets(tx: Executor, accountId: number, changeId: number): Promise<void> {
  await run(
    tx,
    `DELETE FROM payee_secret WHERE account_id = $1 AND change_id IS NULL
        AND kind IN (SELECT kind FROM payee_secret WHERE account_id = $1 AND change_id = $2)`,
    [accountId, changeId],
  );
  await run(tx, 'UPDATE payee_secret SET change_id = NULL WHERE account_id = $1 AND change_id = $2', [
    accountId,
    changeId,
  ]);
}

/** Opens a secret, of a waiting change or else of the account. For channels and the logged reveal only. */
export async function readSecret(
  db: Executor,
  platform: WithKey,
  accountId: number,
  kind: SecretKind,
  changeId?: number,
): Promise<string | undefined> {
  const row = await runOne<{ sealed: Uint8Array }>(
    db,
    `SELECT sealed FROM payee_secret WHERE account_id = $1 AND kind = $2 AND (change_id IS NULL OR change_id = $3)
      ORDER BY change_id NULLS LAST LIMIT 1`,
    [accountId, kind, changeId ?? null],
  );
  return row && openText(platform.config, 'payee', `${accountId}:${kind}`, row.sealed);
}

/** What may be told of an account's secrets. */
export function secretMarks(db: Executor, accountId: number): Promise<SecretMark[]> {
  return run<SecretMark>(
    db,
    'SELECT kind, tail, set_at FROM payee_secret WHERE account_id = $1 AND change_id IS NULL ORDER BY kind',
    [accountId],
  );
}
