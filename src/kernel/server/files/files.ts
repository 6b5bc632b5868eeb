import { randomUUID } from 'node:crypto';
import type { FileValue } from '../../contract/fields.ts';
import type { DbRow } from '../resource/binding.ts';
import type { Caller } from '../people/caller.ts';
import { run, runOne, type Executor } from '../database.ts';
import { invalid } from '../http/errors.ts';
import { openFileStore } from './file-store.ts';
import { ticketQuery } from './file-ticket.ts';
import { addEffect } from '../tasks/outbox.ts';
import type { Platform } from '../platform.ts';
import type { Effect } from '../registration.ts';

/** A row of stored_file. Size in bytes. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly sha256: Buffer;
  readonly storage_key: string;
  /** `picture`: any signed-in staff by its random id; `private`: its owner, or who was handed a ticket. */
  readonly access: 'picture' | 'private';
  readonly owner_id: number | null;
}

/** Writes the row of a file whose bytes are durable already; returns its id. */
export async function insertStoredFile(
  tx: Executor,
  file: Omit<StoredFile, 'id' | 'storage_key'> & { readonly storageKey: string },
): Promise<string> {
  const id = randomUUID();
  await run(
    tx,
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      file.name.slice(0, 255),
      file.type,
      file.size,
      file.sha256,
      file.storageKey,
      file.access,
      file.owner_id,
    ],
  );
  return id;
}

/** A file by id, or undefined. */
export async function findStoredFile(db: Executor, id: string): Promise<StoredFile | undefined> {
  return runOne<StoredFile>(
    db,
    'SELECT id, name, type, size, sha256, storage_key, access, owner_id FROM stored_file WHERE id = $1',
    [id],
  );
}

/** Removes a file: the row in the caller's transaction, the bytes by an effect after COMMIT. */
export async function removeStoredFile(tx: Executor, id: string): Promise<void> {
  const row = await runOne<{ storage_key: string }>(
    tx,
    'DELETE FROM stored_file WHERE id = $1 RETURNING storage_key',
    [id],
  );
  if (row) await addEffect(tx, REMOVE_FILE, { storageKey: row.storage_key });
}

/**
 * A file as rows show it. Call it only for files of rows the caller may see: for a private file the URL carries a ticket
 * of ten minutes, which is what lets a colleague open a contract that somebody else uploaded.
 */
export function fileValue(
  platform: Platform,
  caller: Pick<Caller, 'sessionId'>,
  file: Pick<StoredFile, 'id' | 'name' | 'type' | 'size' | 'access'>,
): FileValue {
  const ticket =
    file.access === 'private' ? `?${ticketQuery(platform.config, caller.sessionId, `file:${file.id}`)}` : '';
  return {
    id: file.id,
    name: file.name,
    type: file.type,
    size: file.size,
    url: `/api/file/${file.id}${ticket}`,
  };
}

/**
 * Files by their id as rows show them, without a ticket: for pictures, which any signed-in staff may open, and for names
 * of files whose content is reached another way. Unknown ids are left out; without ids nothing is asked.
 */
export async function filesById(db: Executor, ids: readonly string[]): Promise<Map<string, FileValue>> {
  const rows =
    ids.length === 0
      ? []
      : await run<Omit<FileValue, 'url'>>(
          db,
          'SELECT id, name, type, size FROM stored_file WHERE id = ANY($1::uuid[])',
          [ids],
        );
  return new Map(rows.map((file) => [file.id, { ...file, url: `/api/file/${file.id}` }]));
}

/** Puts the file in the place of its id in a column of raw rows; null where there is none. */
export async function showFiles(rows: DbRow[], db: Executor, column: string): Promise<void> {
  const byId = await filesById(
    db,
    rows.flatMap((row) => (row[column] ? [String(row[column])] : [])),
  );
  for (const row of rows) row[column] = row[column] ? (byId.get(String(row[column])) ?? null) : null;
}

/**
 * Refuses ids a row must not point to: unknown files and private files of somebody else (pointing a row at one would
 * hand out its content). `kept` are the ids the row had before. Call it before a file field is written.
 */
export async function checkAttachable(
  tx: Executor,
  caller: Pick<Caller, 'staffId'>,
  field: string,
  ids: readonly string[],
  kept: readonly string[] = [],
): Promise<void> {
  const fresh = ids.filter((id) => !kept.includes(id));
  if (fresh.length === 0) return;
  const rows = await run<{ id: string }>(
    tx,
    `SELECT id FROM stored_file WHERE id::text = ANY($1) AND (access = 'picture' OR owner_id = $2)`,
    [fresh, caller.staffId],
  );
  const known = new Set(rows.map((row) => row.id));
  if (fresh.some((id) => !known.has(id)))
    throw invalid({ [field]: ['文件不存在，请重新上传', 'The file does not exist, please upload it again'] });
}

const REMOVE_FILE = 'file.remove';

/** Effects of files: removing bytes, which may be repeated. */
export const fileEffects: readonly Effect[] = [
  {
    kind: REMOVE_FILE,
    deliver: (payload: never, platform) =>
      openFileStore(platform.config).remove((payload as { storageKey: string }).storageKey),
  },
];
