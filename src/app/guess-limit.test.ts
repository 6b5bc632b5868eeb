import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../kernel/server/database.ts';
import { GUESSES_PER_HOUR, looksPersonal } from '../kernel/server/http/guess-limit.ts';
import { startTestProduct, type TestInstance, type TestProduct } from '../testing/test-product.ts';

let product: TestProduct;
let other: TestInstance;
let token: string;
beforeAll(async () => {
  product = await startTestProduct();
  other = await product.another();
  token = await product.signIn('mall1');
}, 180_000);
afterAll(async () => {
  await other?.close();
  await product?.close();
});

const phone = (at: number) => `139${String(at).padStart(8, '0')}`;
const ask = async (app: TestInstance['app'], keyword: string) =>
  app.inject({
    url: `/api/jinmao/web/goodsOrder/page?limit=1&searchVal=${keyword}`,
    headers: { authorization: token },
  });
const counted = () =>
  run<{ value: Buffer }>(product.platform.database.db, 'SELECT value FROM call_value ORDER BY at');

test('exact values of masked fields count over all servers, each once, and what is refused stays refused', async () => {
  const servers = [product.app, other.app] as const;
  // Nothing personal is asked for: nothing is written.
  for (const app of servers) expect((await ask(app, 'SO2026')).statusCode).toBe(200);
  expect(await counted()).toEqual([]);
  for (let at = 0; at < GUESSES_PER_HOUR; at++)
    expect((await ask(servers[at % 2]!, phone(at))).statusCode).toBe(200);
  expect(await counted()).toHaveLength(GUESSES_PER_HOUR);
  for (let round = 0; round < 2; round++)
    for (const app of servers) {
      const answer = await ask(app, phone(GUESSES_PER_HOUR));
      expect([answer.statusCode, Number(answer.headers['retry-after']) > 0]).toEqual([429, true]);
    }
  // Values seen before are no new ones, whichever server is asked.
  for (const at of [0, 1, 2]) expect((await ask(servers[at % 2]!, phone(at))).statusCode).toBe(200);
  expect(await counted()).toHaveLength(GUESSES_PER_HOUR);
});

test('names of every kind can be guessed, numbers of records are none', () => {
  const names = ['王芳', '欧阳娜娜', '阿依古丽·买买提', 'Maria', 'Maria Clara', "Anna-Lena O'Neil", 'Жанна'];
  expect(names.filter((name) => !looksPersonal('name', name))).toEqual([]);
  const others = ['王', 'Li', 'SO2026112200012', 'RF20', '6L 大豆油', 'iPhone 15', '5斤装东北大米'];
  expect(others.filter((text) => looksPersonal('name', text))).toEqual([]);
});

test('a value that was looked for cannot be read from what is kept', async () => {
  const rows = await counted();
  expect(rows.length).toBeGreaterThan(0);
  for (const { value } of rows) {
    expect(value).toHaveLength(32);
    expect(value.toString('latin1')).not.toContain('139');
  }
  // Nor be tried out without the key of the installation: the plain hash of no phone is among them.
  const kept = new Set(rows.map(({ value }) => value.toString('hex')));
  for (let at = 0; at < GUESSES_PER_HOUR; at++)
    expect(kept.has(createHash('sha256').update(phone(at)).digest('hex'))).toBe(false);
});
