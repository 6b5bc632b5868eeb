import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let projects: number[];

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  projects = (
    await run<{ id: number }>(
      product.platform.database.db,
      `SELECT id FROM project p WHERE NOT EXISTS (SELECT FROM payment_way w WHERE w.project_id = p.id) ORDER BY id LIMIT 2`,
    )
  ).map((one) => one.id);
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT', path: string, body: object = {}) =>
  product.call(admin, method, `/jinmao/web/paymentWay${path}`, method === 'GET' ? undefined : body);
const ways = () =>
  run<{ id: number; channel: string; scene: string; enabled: boolean; project_id: number }>(
    db(),
    'SELECT id, project_id, channel, scene, enabled FROM payment_way WHERE project_id = ANY($1::bigint[]) ORDER BY id',
    [projects],
  );
const add = (more: object) =>
  call('POST', '/action/add', {
    projects: projects.map(String),
    channel: 'cash',
    scene: 'counter',
    items: [],
    feePpm: 0,
    needsSlip: false,
    position: 1,
    enabled: true,
    ...more,
  });

test('one way for each project; the same channel, scene and item stands once, also when added at once', async () => {
  const answers = await Promise.all([add({}), add({})]);
  expect(answers.filter((one) => one.message === '')).toHaveLength(1);
  expect(answers.find((one) => one.message !== '')!.message).toContain('已有支付方式');
  expect((await ways()).map((one) => one.channel)).toEqual(['cash', 'cash']);
});

test('ways of single fee items stand beside each other, each with its items', async () => {
  const items = await run<{ id: number }>(db(), 'SELECT id FROM fee_item ORDER BY id LIMIT 2');
  const chosen = items.map((one) => String(one.id));
  const made = await add({ channel: 'pos', items: chosen, enabled: false });
  expect([made.http, made.message]).toEqual([200, '']);
  const kept = await run<{ n: number }>(
    db(),
    `SELECT count(*)::int AS n FROM payment_way w JOIN payment_way_item i ON i.way_id = w.id WHERE w.channel = 'pos' AND w.project_id = ANY($1::bigint[]) GROUP BY w.id`,
    [projects],
  );
  expect(kept).toEqual([{ n: 2 }, { n: 2 }]);
});

test('nothing is enabled without an enabled account that fits the channel', async () => {
  expect((await add({ channel: 'alipay', scene: 'app' })).message).toBe('没有启用的收款账户，不能启用');
  const bank = await runOne<{ id: number }>(
    db(),
    `SELECT id FROM payee_account WHERE purpose = 'collect' AND state = 'active' AND channel <> 'alipay' ORDER BY id LIMIT 1`,
  );
  const wrong = await add({ channel: 'alipay', scene: 'app', payee: String(bank!.id) });
  expect(wrong.message).toContain('收款账户与渠道不符');
  expect((await add({ channel: 'cash', scene: 'app' })).message).toContain('现金与刷卡仅用于柜台');
  expect((await add({ channel: 'alipay', scene: 'app', enabled: false })).message).toBe('');
  const online = (await ways()).find((one) => one.channel === 'alipay')!;
  expect((await call('POST', `/${online.id}/enable`)).message).toBe('没有启用的收款账户，不能启用');
  expect((await call('POST', `/${online.id}/test`)).message).toBe('只有线上渠道可以测试');
});

test('the last way of the app is disabled only when that is confirmed, and names the open bills', async () => {
  expect((await add({ channel: 'prepaid', scene: 'app' })).message).toBe('');
  const last = (await ways()).find((one) => one.channel === 'prepaid')!;
  const refused = await call('POST', `/${last.id}/disable`, { sure: false });
  expect([refused.http, refused.message]).toEqual([
    409,
    expect.stringMatching(/最后一种 App 支付方式.*\d+ 张/),
  ]);
  expect((await call('POST', `/${last.id}/disable`, { sure: true })).message).toBe('');
});

test('the counter takes what the project offers, and all of it where none is set', async () => {
  const cash = (await ways()).find((one) => one.channel === 'cash')!;
  const { requireWay } = await import('../../../domain/charging/payment-way.server.ts');
  const may = (channel: string, project = projects[0]!) =>
    requireWay(db() as never, project, channel, []).then(
      () => '',
      (error: { label: readonly string[] }) => error.label[0],
    );
  expect([await may('cash'), await may('pos')]).toEqual(['', '该项目未启用此支付方式']);
  await call('POST', `/${cash.id}/disable`, { sure: false });
  expect(await may('cash', cash.project_id)).toBe('该项目未启用此支付方式');
  const unset = await runOne<{ id: number }>(
    db(),
    'SELECT id FROM project p WHERE NOT EXISTS (SELECT FROM payment_way w WHERE w.project_id = p.id) LIMIT 1',
  );
  expect(await may('pos', unset!.id)).toBe('');
});

test('a way is copied to projects that have none of its kind', async () => {
  const cash = (await ways()).find((one) => one.channel === 'cash')!;
  const other = await runOne<{ id: number }>(
    db(),
    'SELECT id FROM project p WHERE NOT EXISTS (SELECT FROM payment_way w WHERE w.project_id = p.id) LIMIT 1',
  );
  const copied = await call('POST', `/${cash.id}/copyTo`, {
    projects: [String(other!.id), String(projects[1])],
  });
  expect([copied.message, copied.data]).toMatchObject(['', { result: { made: 1, skipped: 1 } }]);
});
