import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../testing/test-product.ts';
import { createInstanceAgent } from '../services/instance-agent.server.ts';
import { countAvailability } from './availability.server.ts';

let product: TestProduct;

beforeAll(async () => {
  product = await startTestProduct({ demo: false });
});
afterAll(() => product.close());

test('a minute with an instance UP is up, one without is not, an outage of everything counts, one on purpose does not', async () => {
  const { db } = product.platform.database;
  const agent = createInstanceAgent(product.platform, { service: 'backoffice-web', role: 'web', port: 8080 });
  await agent.register();
  const status = (word: string) =>
    run(
      db,
      `UPDATE service_instance SET status = $1, down_at = CASE WHEN $1 = 'DOWN' THEN now() END WHERE service = 'backoffice-web'`,
      [word],
    );
  const start = Date.parse('2026-03-05T04:00:00Z');
  const minute = (n: number) => countAvailability(product.platform, start + n * 60_000);
  const total = async () =>
    (
      await run<{ up: number; expected: number }>(
        db,
        `SELECT sum(up)::integer AS up, sum(expected)::integer AS expected FROM service_up_total WHERE service = 'backoffice-web'`,
      )
    )[0];
  await status('UP');
  expect(await minute(0)).toBe(1);
  // Whoever comes next in the same minute counts nothing.
  expect(await minute(0.5)).toBe(0);
  expect(await minute(1)).toBe(1);
  expect(await total()).toEqual({ up: 2, expected: 2 });
  await status('DOWN');
  await minute(2);
  expect(await total()).toEqual({ up: 2, expected: 3 });
  await status('OUT_OF_SERVICE');
  await minute(3);
  expect(await total()).toEqual({ up: 2, expected: 3 });
  await status('UP');
  // Everything stood still for ten minutes.
  expect(await minute(13)).toBe(10);
  expect(await total()).toEqual({ up: 3, expected: 13 });
  const admin = await product.signIn('admin');
  const report = await product.call(admin, 'GET', '/admin/monitor/report');
  expect(report.data.availability).toMatchObject([
    { service: 'backoffice-web', month: '2026-03', up: 3, expected: 13 },
  ]);
});
