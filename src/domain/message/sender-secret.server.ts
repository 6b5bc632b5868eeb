import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { openText, sealText } from '../payee/sealed-text.server.ts';
import type { SenderSecret } from './sender.rules.ts';

type WithKey = Pick<Platform, 'config'>;

/** Keeps a secret sealed, in place of the one before. */
export async function putSenderSecret(
  tx: Executor,
  platform: WithKey,
  kind: SenderSecret,
  text: string,
  staffId: number,
): Promise<void> {
  await run(
    tx,
    `INSERT INTO sender_secret (kind, sealed, set_by) VALUES ($1, $2, $3)
     ON CONFLICT (kind) DO UPDATE SET sealed = excluded.sealed, set_at = now(), set_by = excluded.set_by`,
    [kind, sealText(platform.config, 'sender', kind, text), staffId],
  );
}

/** Takes a secret away. Returns false where there was none. */
export async function dropSenderSecret(tx: Executor, kind: SenderSecret): Promise<boolean> {
  return (await runOne(tx, 'DELETE FROM sender_secret WHERE kind = $1 RETURNING kind', [kind])) !== undefined;
}

/** Opens a secret, for the moment of sending only; empty where none was set. */
export async function senderSecret(db: Executor, platform: WithKey, kind: SenderSecret): Promise<string> {
  const row = await runOne<{ sealed: Uint8Array }>(db, 'SELECT sealed FROM sender_secret WHERE kind = $1', [
    kind,
  ]);
  return row ? openText(platform.config, 'sender', kind, row.sealed) : '';
}

/** Which secrets are set, since when and by whom: all that is ever told of them. */
export function senderSecretMarks(
  db: Executor,
): Promise<{ kind: SenderSecret; set_at: Date; who: string | null }[]> {
  return run(
    db,
    'SELECT s.kind, s.set_at, f.name AS who FROM sender_secret s LEFT JOIN staff f ON f.id = s.set_by ORDER BY s.kind',
  );
}
