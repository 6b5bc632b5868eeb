import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { run } from '../../../kernel/server/database.ts';
import { defineDemo } from '../../../kernel/server/demo.ts';
import { openFileStore } from '../../../kernel/server/files/file-store.ts';
import { moduleIcon } from '../app-module/module-icon.server.ts';

/** Pictures of the businesses: their form asks for one, also where only a time limit is changed. */
export const demo = defineDemo({
  key: 'businessImages',
  after: ['business'],
  run: async ({ tx, now, platform }) => {
    const store = openFileStore(platform.config);
    const rows = await run<{ id: number }>(
      tx,
      'SELECT id FROM business WHERE image_id IS NULL ORDER BY sort, id',
    );
    for (const [number, { id }] of rows.entries()) {
      const draft = await store.create();
      await pipeline(Readable.from([moduleIcon(number)]), draft.stream);
      const { storageKey, size, sha256 } = await draft.commit();
      await run(
        tx,
        `WITH f AS (INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, created_at)
                    VALUES ($2, $3, 'image/png', $4, $5, $6, 'picture', $7) RETURNING id)
         UPDATE business SET image_id = f.id FROM f WHERE business.id = $1`,
        [
          id,
          `0a991001-0000-4000-8000-${String(number + 1).padStart(12, '0')}`,
          `business-${number + 1}.png`,
          size,
          sha256,
          storageKey,
          now,
        ],
      );
    }
  },
});
