import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../../testing/test-database.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await cloneDatabase();
  pool = new pg.Pool({ ...database.app, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

test('bigrams are the two-character pieces of a text, and the text itself below two', async () => {
  const pieces = (text: string): string[] => {
    const letters = Array.from(text);
    return letters.length < 2 ? letters : letters.slice(1).map((letter, at) => letters[at]! + letter);
  };
  const texts = fc
    .sample(
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: fc.constantFrom('大', '米', '茶', 'a', ' ', '😀', '"'), maxLength: 20 }),
      ),
      { numRuns: 500, seed: 42 },
    )
    .map((text) => text.replaceAll('\0', ''));
  const { rows } = await pool.query<{ text: string; found: string[] }>(
    'SELECT text, bigrams(text) AS found FROM unnest($1::text[]) AS t (text)',
    [['', '米', '大米', '大米大米', ...texts]],
  );
  expect(rows.length).toBeGreaterThan(500);
  for (const { text, found } of rows) expect(found, text).toEqual(pieces(text));
});

test('a keyword of two characters is answered by the index', async () => {
  const client = await pool.connect();
  try {
    await client.query('SET enable_seqscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT id FROM sales_order t WHERE bigrams(t.search) @> bigrams('大米') AND t.search LIKE '%大米%'`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('sales_order_search');
  } finally {
    client.release();
  }
});
