import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPlatform, type TestPlatform } from '../../testing/kernel-fixtures.ts';
import { beforeCommit, beginAnew, run, runOne, transaction } from './database.ts';

let bench: TestPlatform;
beforeAll(async () => {
  bench = await openTestPlatform([]);
});
afterAll(() => bench.close());

const db = () => bench.platform.database.db;
const stored = (key: string) =>
  runOne<{ value: unknown }>(db(), 'SELECT value FROM setting WHERE key = $1', [key]);

test('the builder and statements of a transaction share its connection; what it wrote goes when it throws', async () => {
  const write = async (key: string, fails: boolean) =>
    transaction(db(), async (tx) => {
      await run(tx, `INSERT INTO setting (key, value) VALUES ($1, '1')`, [key]);
      const rows = await (tx as unknown as { selectFrom(table: string): any })
        .selectFrom('setting')
        .select(['key'])
        .where('key', '=', key)
        .execute();
      expect(rows).toEqual([{ key }]);
      if (fails) throw new Error('taken back');
    });
  await write('test.kept', false);
  await expect(write('test.gone', true)).rejects.toThrow('taken back');
  expect([(await stored('test.kept'))?.value, await stored('test.gone')]).toEqual([1, undefined]);
});

test('work for the end runs last and once, anew with the whole when it asks for that, and not for a refusal that commits', async () => {
  const steps: string[] = [];
  let tries = 0;
  await transaction(db(), async (tx) => {
    await beforeCommit(tx, async () => {
      steps.push('end');
      if ((tries += 1) === 1) throw beginAnew('something');
    });
    steps.push('work');
  });
  expect(steps).toEqual(['work', 'end', 'work', 'end']);
  await transaction(db(), async (tx) => {
    await beforeCommit(tx, async () => void steps.push('never'));
    return new Error('refused');
  });
  expect(steps).toHaveLength(4);
});
