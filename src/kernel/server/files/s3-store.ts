import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import path from 'node:path';
import { createLocalDraft, diskStore, isStorageKey, storageKeyOf, type FileStore } from './disk-store.ts';
import { unavailable } from '../http/errors.ts';
import { readS3Address, s3Call, S3Failure, type S3Address } from './s3-client.ts';

const DAY_MS = 86_400_000;

/**
 * Keeps files in a bucket under the same keys the disk store uses. A draft is written below `folder` first, where its type
 * is looked at and its length and hash become known, and goes to the bucket as a whole when it is committed.
 */
export function s3Store(storageUrl: string, folder: string): FileStore {
  const address = readS3Address(storageUrl);
  const local = diskStore(folder);
  const keyOf = (key: string): string => {
    if (!isStorageKey(key)) throw new Error('not a storage key');
    return key;
  };
  return {
    create: async (limit) => {
      const draft = await createLocalDraft(path.join(folder, 'tmp'), limit);
      return {
        ...draft,
        commit: async () => {
          const { size, sha256 } = await draft.finish();
          const storageKey = storageKeyOf(draft.name);
          const open = () => createReadStream(draft.path, { highWaterMark: 256 * 1024 });
          await done(s3Call(address, 'PUT', storageKey, { body: { length: size, sha256, open } }));
          await draft.discard();
          return { storageKey, size, sha256 };
        },
      };
    },
    read: async (key, range) => {
      const name = keyOf(key);
      const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {};
      try {
        return await s3Call(address, 'GET', name, { headers });
      } catch (error) {
        if (!isGone(error)) throw down(error);
        // Written before the bucket was there.
        return local.read(key, range);
      }
    },
    remove: async (key) => {
      await done(s3Call(address, 'DELETE', keyOf(key))).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      await local.remove(key);
    },
    removeLeftovers: async (isKnown) => {
      // Files of the time before the bucket stay where they are.
      let removed = await local.removeLeftovers(async () => true);
      for await (const { key, at } of objectsOf(address)) {
        // A file younger than a day may belong to a transaction that has not committed yet.
        if (!isStorageKey(key) || Date.now() - at <= DAY_MS || (await isKnown(key))) continue;
        await done(s3Call(address, 'DELETE', key));
        removed += 1;
      }
      return removed;
    },
    check: async () => {
      await local.check();
      await done(s3Call(address, 'HEAD', ''));
    },
  };
}

function isGone(error: unknown): boolean {
  return error instanceof S3Failure && error.status === 404;
}

/** Waits for the end of an answer nobody reads; a store that cannot be reached or refuses us is a 503. */
async function done(answer: ReturnType<typeof s3Call>): Promise<void> {
  const message = await answer.catch((error: unknown) => {
    throw isGone(error) ? error : down(error);
  });
  message.resume();
}

function down(error: unknown): Error {
  return Object.assign(unavailable(), { cause: error });
}

/** All objects below the folder of the bucket, page by page. */
async function* objectsOf(address: S3Address): AsyncIterable<{ key: string; at: number }> {
  let token: string | undefined;
  do {
    const answer = await s3Call(address, 'GET', '', {
      query: {
        'list-type': '2',
        ...(address.prefix ? { prefix: address.prefix } : {}),
        ...(token ? { 'continuation-token': token } : {}),
      },
    });
    const page = await text(answer);
    for (const [, entry] of page.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
      // Keys of ours need no decoding; every other one fails the test of its shape.
      const key = /<Key>([^<]*)<\/Key>/.exec(entry!)?.[1] ?? '';
      const at = Date.parse(/<LastModified>([^<]*)<\/LastModified>/.exec(entry!)?.[1] ?? '');
      if (key.startsWith(address.prefix) && !Number.isNaN(at))
        yield { key: key.slice(address.prefix.length), at };
    }
    const next = /<NextContinuationToken>([^<]*)<\/NextContinuationToken>/.exec(page)?.[1];
    token = next?.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
  } while (token);
}
