import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { Writable, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** A file being written. Nothing can be read before `commit`; without it the file never existed. */
export interface FileDraft {
  /** Fails with FileTooLarge beyond the limit. */
  readonly stream: Writable;
  /** Where the bytes are until `commit`, for looking into them. */
  readonly path: string;
  /** First bytes written, at most 4,096, for looking at the type. */
  head(): Buffer;
  /** Bytes written so far. */
  size(): number;
  /** Hash of what was written so far. */
  sha256(): Buffer;
  /** Makes the file durable and returns where it lies. Call after the stream has finished. */
  commit(): Promise<{ storageKey: string; size: number; sha256: Buffer }>;
  /** Removes what was written. */
  discard(): Promise<void>;
}

/** Where files lie. Keys are random and made by the store; names of users never become paths. */
export interface FileStore {
  /** `limit` in bytes. */
  create(limit?: number): Promise<FileDraft>;
  /** Bytes `start`..`end`, both included; the whole file without them. Fails when the file is gone. */
  read(storageKey: string, range?: { start: number; end: number }): Promise<Readable>;
  /** Removes the file; one that is gone already is no error. */
  remove(storageKey: string): Promise<void>;
  /** Removes unfinished and unknown files older than a day; returns how many. */
  removeLeftovers(isKnown: (storageKey: string) => Promise<boolean>): Promise<number>;
  /** Fails when the store cannot be used; asked once at start. */
  check(): Promise<void>;
}

/** More bytes than allowed. */
export class FileTooLarge extends Error {}

const KEY = /^[0-9a-f]{2}\/[0-9a-f]{32}$/;
const DAY_MS = 86_400_000;

/** True for a key of a store: nothing else ever becomes a path or an object name. */
export function isStorageKey(key: string): boolean {
  return KEY.test(key);
}

/** Keeps files below a folder: `xx/<32 hex digits>`, written to `tmp/`, synced, then renamed. */
export function diskStore(folder: string): FileStore {
  const drafts = path.join(folder, 'tmp');
  const placeOf = (key: string): string => {
    if (!isStorageKey(key)) throw new Error('not a storage key');
    return path.join(folder, key);
  };
  return {
    create: async (limit) => {
      const draft = await createLocalDraft(drafts, limit);
      return {
        ...draft,
        commit: async () => {
          const { size, sha256 } = await draft.finish();
          const storageKey = storageKeyOf(draft.name);
          const place = path.join(folder, storageKey);
          await fs.mkdir(path.dirname(place), { recursive: true });
          await fs.rename(draft.path, place);
          await syncFolder(path.dirname(place));
          return { storageKey, size, sha256 };
        },
      };
    },
    read: async (key, range) => {
      const place = placeOf(key);
      await fs.access(place);
      return createReadStream(place, { highWaterMark: 256 * 1024, ...range });
    },
    remove: (key) => fs.rm(placeOf(key), { force: true }),
    removeLeftovers: async (isKnown) => {
      let removed = 0;
      for (const sub of await entries(folder)) {
        for (const name of await entries(path.join(folder, sub))) {
          const place = path.join(folder, sub, name);
          const old =
            Date.now() - (await fs.stat(place).catch(() => ({ mtimeMs: Infinity }))).mtimeMs > DAY_MS;
          if (!old || (sub !== 'tmp' && (await isKnown(`${sub}/${name}`)))) continue;
          await fs.rm(place, { force: true });
          removed += 1;
        }
      }
      return removed;
    },
    check: async () => {
      await fs.mkdir(drafts, { recursive: true });
      await fs.access(drafts, fs.constants.W_OK);
    },
  };
}

/** A draft on the local disk before its store takes it over. */
export interface LocalDraft extends Omit<FileDraft, 'commit'> {
  /** 32 random hex digits. */
  readonly name: string;
  /** Ends the stream and makes the bytes durable. */
  finish(): Promise<{ size: number; sha256: Buffer }>;
}

/** The key under which a draft of this name is kept. */
export function storageKeyOf(name: string): string {
  return `${name.slice(0, 2)}/${name}`;
}

/** Opens a draft in a folder. `limit` in bytes. */
export async function createLocalDraft(drafts: string, limit = Number.MAX_SAFE_INTEGER): Promise<LocalDraft> {
  await fs.mkdir(drafts, { recursive: true });
  const name = randomBytes(16).toString('hex');
  const draft = path.join(drafts, name);
  const handle = await fs.open(draft, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  let head = Buffer.alloc(0);
  const stream = new Writable({
    highWaterMark: 256 * 1024,
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > limit) return done(new FileTooLarge('the file is too large'));
      if (head.length < HEAD) head = Buffer.concat([head, chunk.subarray(0, HEAD - head.length)]);
      hash.update(chunk);
      handle.writeFile(chunk).then(() => done(), done);
    },
  });
  // A pipeline reports the failure; without a listener a discarded draft would end the process.
  stream.on('error', () => {});
  let closed = false;
  const close = async () => {
    if (closed) return;
    closed = true;
    await handle.close();
  };
  return {
    name,
    stream,
    path: draft,
    head: () => head,
    size: () => size,
    sha256: () => hash.copy().digest(),
    finish: async () => {
      stream.end();
      await finished(stream);
      await handle.sync();
      await close();
      return { size, sha256: hash.digest() };
    },
    discard: async () => {
      stream.destroy();
      await close();
      await fs.rm(draft, { force: true });
    },
  };
}

const HEAD = 4_096;

/** The new name is durable only after its folder is. Windows cannot open folders and does not need it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r').catch(() => undefined);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

async function entries(folder: string): Promise<string[]> {
  return fs.readdir(folder).catch(() => []);
}
