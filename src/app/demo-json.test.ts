import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await startTestProduct();
});
afterAll(() => product?.close());

test('no JSON of demonstration rows is a text of JSON: what was put into words twice is no list to anybody who reads it', async () => {
  const { db } = product.platform.database;
  const columns = await run<{ name: string; column: string }>(
    db,
    `SELECT c.table_name AS name, c.column_name AS column FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
      WHERE c.table_schema = 'public' AND c.data_type = 'jsonb' AND t.table_type = 'BASE TABLE'`,
  );
  expect(columns.length).toBeGreaterThan(50);
  const twice: string[] = [];
  for (const { name, column } of columns) {
    const found = await run(
      db,
      `SELECT 1 AS one FROM "${name}" WHERE jsonb_typeof("${column}") = 'string' AND "${column}" #>> '{}' ~ '^[[{]' LIMIT 1`,
    );
    if (found.length > 0) twice.push(`${name}.${column}`);
  }
  expect(twice).toEqual([]);
});
