import { pinyin } from 'pinyin-pro';

/** Pinyin of a region's name without tones, and its initials: `pudongxinqu`, `pdxq`. */
export function wordsOf(name: string): { readonly pinyin: string; readonly short_pinyin: string } {
  const options = { toneType: 'none', type: 'array', nonZh: 'consecutive' } as const;
  return {
    pinyin: pinyin(name, options).join('').toLowerCase(),
    short_pinyin: pinyin(name, { ...options, pattern: 'first' })
      .join('')
      .toLowerCase(),
  };
}

/** Whatever runs a statement: a client of the pool, as seeding holds one. */
interface Runner {
  query<Row>(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

/** Gives regions that have none yet the words they are found by. */
export async function fillRegionWords(client: Runner): Promise<void> {
  const { rows } = await client.query<{ id: string; name: string }>(
    `SELECT id, name FROM region WHERE pinyin = '' AND name <> ''`,
  );
  if (rows.length === 0) return;
  await client.query(
    `UPDATE region t SET pinyin = x.pinyin, short_pinyin = x.short_pinyin
       FROM jsonb_to_recordset($1::jsonb) AS x (id bigint, pinyin text, short_pinyin text) WHERE t.id = x.id`,
    [JSON.stringify(rows.map((row) => ({ id: row.id, ...wordsOf(row.name) })))],
  );
}
