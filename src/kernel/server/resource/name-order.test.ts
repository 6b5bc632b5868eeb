import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestPlatform, type TestPlatform } from '../../../testing/kernel-fixtures.ts';
import { run } from '../database.ts';
import { nameOrder } from './name-order.ts';

let bench: TestPlatform;
beforeAll(async () => {
  bench = await openTestPlatform([]);
});
afterAll(() => bench.close());

test('names by pinyin, numbers inside them by value, Latin letters without regard to case', async () => {
  const names = ['张三', '2号楼', '李四', 'Bob', '安宁', '10号楼', 'alice', '陈晨', '白鹭', '王五'];
  const rows = await run<{ n: string }>(
    bench.platform.database.db,
    `SELECT n FROM unnest($1::text[]) AS n ORDER BY ${nameOrder('n')}`,
    [names],
  );
  const order = rows.map((row) => row.n);
  expect(order.filter((name) => /^[\u4e00-\u9fff]/.test(name))).toEqual([
    '安宁',
    '白鹭',
    '陈晨',
    '李四',
    '王五',
    '张三',
  ]);
  expect(order.indexOf('2号楼')).toBeLessThan(order.indexOf('10号楼'));
  expect(order.indexOf('alice')).toBeLessThan(order.indexOf('Bob'));
});
