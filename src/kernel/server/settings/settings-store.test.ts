import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPlatform, type TestPlatform } from '../../../testing/kernel-fixtures.ts';
import { run } from '../database.ts';
import { createSettingsReader, type SettingsReader } from './settings-store.ts';

let bench: TestPlatform;
let settings: SettingsReader;
beforeAll(async () => {
  bench = await openTestPlatform([]);
  settings = createSettingsReader(bench.platform.database.db, new Map<string, unknown>([['a.list', 'x,y']]));
});
afterAll(() => bench.close());

const stored = async (value: unknown) => {
  await run(
    bench.platform.database.db,
    `INSERT INTO setting (key, value) VALUES ('a.list', $1::jsonb) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [JSON.stringify(value)],
  );
  settings.forget();
  return settings.list('a.list');
};

test('a list: the default, a text split at commas, an array, and nothing for an emptied one', async () => {
  expect(await settings.list('a.list')).toEqual(['x', 'y']);
  expect(await stored('one,two')).toEqual(['one', 'two']);
  expect(await stored(['1', '2'])).toEqual(['1', '2']);
  expect(await stored([])).toEqual([]);
  expect(await stored('')).toEqual([]);
  // What a form leaves behind when the last entry is taken out.
  expect(await stored(null)).toEqual([]);
});
