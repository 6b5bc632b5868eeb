import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object, token = admin) =>
  product.call(token, method, `/jinmao/web${path}`, body);

interface Offer {
  readonly id: number;
  readonly price: number;
  readonly project: number;
  readonly tenant: number;
}

/** Two new specs of one product that may be group-bought. */
const freeSpecs = async (): Promise<readonly [Offer, Offer]> => {
  turn += 1;
  const [one, two] = await run<Offer>(
    db(),
    `WITH goods AS (
       SELECT p.id, p.tenant_id, (SELECT min(pp.project_id) FROM product_project pp WHERE pp.product_id = p.id) AS project FROM product p JOIN business b ON b.id = p.business_id
        WHERE b.type = 2 AND p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL
          AND EXISTS (SELECT FROM product_project pp WHERE pp.product_id = p.id) ORDER BY p.id LIMIT 1),
     made AS (
       INSERT INTO product_spec (product_id, code, name, price, market_price, stock)
       SELECT id, 'GM-' || $1 || '-' || n, '拼团规格' || $1 || '-' || n, 2000 + n * 100, 3000, 20 FROM goods, generate_series(1, 2) n RETURNING id, price, product_id)
     SELECT m.id, m.price, g.project, g.tenant_id AS tenant FROM made m JOIN goods g ON g.id = m.product_id ORDER BY m.id`,
    [turn],
  );
  return [one!, two!];
};
let turn = 0;
const yuan = (fen: number) => (fen / 100).toFixed(2);
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const body = (specs: readonly Offer[], more: object = {}) => ({
  name: '邻里拼团',
  projects: [String(specs[0]!.project)],
  mode: 'team',
  size: 3,
  validHours: 24,
  startsAt: later(200),
  endsAt: later(210),
  items: specs.map((spec) => ({
    spec: String(spec.id),
    price: yuan(spec.price - 100),
    leaderPrice: yuan(spec.price - 200),
    copies: 5,
    perMemberLimit: 1,
  })),
  ...more,
});
const stockOf = async (id: number) =>
  (await runOne<{ stock: number }>(db(), 'SELECT stock FROM product_spec WHERE id = $1', [id]))!.stock;
const versionOf = async (id: string) => (await call('GET', `/groupMaking/${id}`)).data.version as number;
const act = async (id: string, action: string, more: object = {}) =>
  call('POST', `/groupMaking/${id}/${action}`, { version: await versionOf(id), ...more });

test('several specs are published together, taken back before the start, published again, and ended', async () => {
  const specs = await freeSpecs();
  const before = await Promise.all(specs.map((one) => stockOf(one.id)));
  const made = await call('POST', '/groupMaking', body(specs));
  expect([made.message, made.data?.fields]).toEqual(['', undefined]);
  const id = String(made.data.id);
  expect((await call('GET', `/groupMaking/${id}`)).data).toMatchObject({
    state: 'draft',
    status: '1',
    products: 2,
    items: specs.map((spec) => ({ price: yuan(spec.price - 100), copies: 5 })),
  });
  expect((await act(id, 'publish')).message).toBe('');
  expect(await Promise.all(specs.map((one) => stockOf(one.id)))).toEqual(before.map((one) => one - 5));
  expect((await act(id, 'unpublish')).message).toBe('');
  expect(await Promise.all(specs.map((one) => stockOf(one.id)))).toEqual(before);
  expect((await act(id, 'publish')).message).toBe('');
  expect(await Promise.all(specs.map((one) => stockOf(one.id)))).toEqual(before.map((one) => one - 5));
  const listed = (await call('GET', `/groupProduct/page?page=1&limit=20&activity=${id}`)).data;
  expect(listed.rows).toHaveLength(2);
  const { data: row } = await call('GET', `/groupProduct/${listed.rows[0].id}`);
  const more = await call('POST', `/groupProduct/${row.id}/addStock`, {
    version: row.version,
    by: 3,
    reason: '增补库存',
  });
  expect(more.message).toBe('');
  const { data: after } = await call('GET', `/groupProduct/${row.id}`);
  expect([after.reserved, after.remaining]).toEqual([8, 8]);
  const less = await call('POST', `/groupProduct/${row.id}/addStock`, {
    version: after.version,
    by: -9,
    reason: '减少库存',
  });
  expect([less.status, less.message]).toEqual([30101, '最多可减少 8 份']);
  expect((await act(id, 'end', { reason: '供货不足' })).message).toBe('');
  expect(await Promise.all(specs.map((one) => stockOf(one.id)))).toEqual(before);
  expect(
    (await call('GET', `/groupMaking/${id}/timeline`)).data.map((one: { action: string }) => one.action),
  ).toEqual(expect.arrayContaining(['create', 'publish', 'unpublish', 'end']));
});

test('the form refuses prices, twins and other merchants by row; a draft is deleted', async () => {
  const specs = await freeSpecs();
  const wrong = async (more: object) =>
    (await call('POST', '/groupMaking', body(specs, more))).data?.fields as Record<string, string>;
  const line = (spec: Offer, more: object = {}) => ({
    spec: String(spec.id),
    price: yuan(spec.price - 100),
    copies: 5,
    perMemberLimit: 1,
    ...more,
  });
  expect(await wrong({ items: [line(specs[0]), line(specs[1], { price: yuan(specs[1].price) })] })).toEqual({
    items: `第 2 行：拼团价须低于原价 ${yuan(specs[1].price)}，团长价不高于拼团价`,
  });
  expect(await wrong({ items: [line(specs[0]), line(specs[0])] })).toEqual({ items: '第 2 行的规格重复' });
  const other = (
    await run<Offer>(
      db(),
      `SELECT s.id, s.price, p.tenant_id AS tenant FROM product_spec s JOIN product p ON p.id = s.product_id JOIN business b ON b.id = p.business_id
      WHERE b.type = 2 AND p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled AND s.price > 300 AND p.tenant_id <> $1 LIMIT 1`,
      [specs[0].tenant],
    )
  )[0]!;
  expect(await wrong({ items: [line(specs[0]), line(other)] })).toEqual({ items: '第 2 行是其他商户的规格' });
  expect(await wrong({ formFrom: 3 })).toEqual({ formFrom: '须小于成团人数' });
  const made = await call('POST', '/groupMaking', body(specs, { name: '不要了' }));
  const id = String(made.data.id);
  const gone = await call('DELETE', `/groupMaking/${id}?version=${await versionOf(id)}`);
  expect(gone.message).toBe('');
  expect((await call('GET', `/groupMaking/${id}`)).http).toBe(404);
});

test('teams: extended once and not past the end, completed by hand only when few are missing', async () => {
  const team = (await runOne<{ id: number; size: number; joined: number; ends: Date }>(
    db(),
    `SELECT t.id, t.size, t.joined, g.ends_at AS ends FROM group_buy_team t JOIN group_buy_item i ON i.id = t.item_id JOIN group_buy g ON g.id = i.group_buy_id
      WHERE t.state = 'forming' AND t.joined > 0 AND t.deadline > now() + interval '1 hour' AND g.ends_at > now() + interval '2 days' AND g.state = 'published' LIMIT 1`,
  ))!;
  expect(team).toBeDefined();
  const post = async (action: string, more: object) =>
    call('POST', `/teamRecord/${team.id}/${action}`, {
      version: (await call('GET', `/teamRecord/${team.id}`)).data.version,
      ...more,
    });
  expect((await post('extend', { hours: 1 })).message).toBe('');
  const again = await post('extend', { hours: 1 });
  expect([again.status, again.message]).toEqual([30101, '每团只能延长一次']);
  await run(
    db(),
    `INSERT INTO setting (key, value) VALUES ('groupbuy.manual.missing', '0') ON CONFLICT (key) DO UPDATE SET value = '0'`,
  );
  product.platform.settings.forget();
  const few = await post('complete', { reason: '活动尾期' });
  expect([few.status, few.message]).toEqual([
    30101,
    `还差 ${team.size - team.joined} 人，最多差 0 人可手动成团`,
  ]);
  await run(db(), `UPDATE setting SET value = '20' WHERE key = 'groupbuy.manual.missing'`);
  product.platform.settings.forget();
  expect((await post('complete', { reason: '活动尾期' })).message).toBe('');
  expect((await call('GET', `/teamRecord/${team.id}`)).data).toMatchObject({
    state: 'formed',
    endReason: '手动成团：活动尾期',
  });
  expect(
    await run(
      db(),
      `SELECT FROM sales_order o JOIN group_buy_member m ON m.order_id = o.id WHERE m.team_id = $1 AND m.state = 'joined' AND o.state = 'in_group'`,
      [team.id],
    ),
  ).toHaveLength(0);
});
