import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { insertRows, type Runner } from './insert-rows.ts';
import { drawProductPicture, type Glyph } from './product-picture.ts';
import { createRandom } from './random.ts';
import { readSeedFile } from './seed-file.ts';

/** The pictures of the demonstration products. */
export interface StoredPictures {
  /** The picture of a merchant's (from 1) product, or null when none were drawn. */
  idOf(merchantNo: number, place: number): string | null;
}

/**
 * Draws five pictures a merchant into the data folder's `files` and records them; about 90 kB together. Without a folder nothing
 * is drawn and products have no picture.
 */
export async function seedPictures(
  client: Runner,
  options: { seed: number; now: Date; dataDir: string | undefined },
): Promise<StoredPictures> {
  const { dataDir } = options;
  if (!dataDir) return { idOf: () => null };
  const data = readSeedFile<{ colours: number[]; merchants: { glyph: Glyph }[] }>('demo-goods');
  const random = createRandom(options.seed, 'pictures');
  const ids: string[] = [];
  const rows = data.merchants.flatMap((merchant, index) =>
    Array.from({ length: EACH }, (_, turn) => {
      const id = random.uuid();
      ids.push(id);
      const picture = drawProductPicture(merchant.glyph, (data.colours[index] ?? 0) + turn * 7, turn);
      const storageKey = `${id.slice(0, 2)}/${id.replaceAll('-', '')}`;
      const file = path.join(dataDir, 'files', storageKey);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, picture);
      return {
        id,
        name: `${merchant.glyph}-${turn + 1}.png`,
        type: 'image/png',
        size: picture.length,
        sha256: `\\x${createHash('sha256').update(picture).digest('hex')}`,
        storage_key: storageKey,
        access: 'picture',
        created_at: options.now,
      };
    }),
  );
  await insertRows(client, 'stored_file', rows);
  return { idOf: (merchantNo, place) => ids[(merchantNo - 1) * EACH + (place % EACH)] ?? null };
}

const EACH = 5;
