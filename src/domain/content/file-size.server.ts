import { buffer } from 'node:stream/consumers';
import type { Field } from '../../kernel/contract/fields.ts';
import { run, runOne, type Executor } from '../../kernel/server/database.ts';
import { isStorageKey } from '../../kernel/server/files/disk-store.ts';
import { openFileStore } from '../../kernel/server/files/file-store.ts';
import { invalid } from '../../kernel/server/http/errors.ts';
import type { Platform } from '../../kernel/server/platform.ts';
import { pictureSize } from './picture-size.server.ts';

/** Refuses (422) files larger than the field they are for says (`megabytes`). */
export async function requireFilesFit(
  tx: Executor,
  name: string,
  { megabytes }: Field,
  ids: readonly string[],
): Promise<void> {
  if (megabytes === undefined || ids.length === 0) return;
  const big = await runOne(tx, 'SELECT 1 FROM stored_file WHERE id::text = ANY($1) AND size > $2 LIMIT 1', [
    ids,
    megabytes * 1024 * 1024,
  ]);
  if (big) throw invalid({ [name]: [`图片不能超过 ${megabytes} MB`, `At most ${megabytes} MB`] });
}

/** Refuses (422) pictures with fewer pixels on a side than the field they are for says (`pixels`). Call it behind {@link requireFilesFit}. */
export async function requirePixels(
  tx: Executor,
  { config }: Pick<Platform, 'config'>,
  name: string,
  { pixels }: Field,
  ids: readonly string[],
): Promise<void> {
  if (pixels === undefined || ids.length === 0) return;
  const files = await run<{ key: string }>(
    tx,
    'SELECT storage_key AS key FROM stored_file WHERE id::text = ANY($1)',
    [ids],
  );
  for (const { key } of files) {
    // Bytes that are gone are told by who shows them.
    const content = isStorageKey(key)
      ? await openFileStore(config)
          .read(key)
          .catch(() => undefined)
      : undefined;
    if (!content) continue;
    const size = pictureSize(await buffer(content));
    if (!size || Math.min(size.width, size.height) < pixels)
      throw invalid({
        [name]: [`图片不能小于 ${pixels}×${pixels} 像素`, `At least ${pixels}×${pixels} pixels`],
      });
  }
}
