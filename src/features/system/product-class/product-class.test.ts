import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { findImportTarget } from '../../../kernel/server/tables/import-target.ts';
import { startTestProduct, type TestAnswer, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let goods: string;
let service: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const id = async (code: string) =>
    String((await runOne<{ id: number }>(db(), 'SELECT id FROM business WHERE code = $1', [code]))!.id);
  [goods, service] = [await id('goods'), await id('service')];
}, 180_000);
afterAll(() => product?.close());

const ROOT = '/jinmao/web/productClass';
const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: object): Promise<TestAnswer> =>
  product.call(admin, method, `${ROOT}${path}`, body);
let turn = 0;
const add = (input: object = {}) =>
  call('POST', '', { business: goods, name: `新类${++turn}`, nameEn: `Class ${turn}`, ...input });
const idOf = async (name: string, business = goods) =>
  String(
    (await runOne<{ id: number }>(
      db(),
      'SELECT id FROM product_class WHERE name = $1 AND business_id = $2 ORDER BY id LIMIT 1',
      [name, Number(business)],
    ))!.id,
  );

test('three levels of one business; names differ among neighbours; the top stands business by business', async () => {
  const top = (await add({ commission: '5.5' })).data;
  expect([top.label, top.path, top.commission]).toEqual([`商品 / ${top.name}`, `商品 / ${top.name}`, '5.50']);
  const middle = (await add({ parent: top.id })).data;
  const leaf = (await add({ parent: middle.id })).data;
  expect(leaf.path).toBe(`商品 / ${top.name} / ${middle.name} / ${leaf.name}`);
  expect((await add({ parent: leaf.id })).data.fields.parent).toBe('最多 3 级');
  expect((await add({ parent: top.id, business: service })).data.fields.parent).toBe('须属于同一业务');
  expect((await add({ parent: top.id, name: middle.name.toUpperCase() })).message).toBe('同级分类名称已存在');
  expect((await add({ parent: leaf.id === '' ? null : middle.id, name: middle.name })).http).toBe(200);
  expect((await add({ name: '' })).http).toBe(422);
  expect((await add({ commission: '101' })).http).toBe(422);
  const roots = (await call('GET', '/tree')).data.rows as { title: string }[];
  const names = roots.map((one) => one.title.split(' / ')[0]);
  // Once another business begins, the one before does not come again.
  expect(names.filter((name, index) => name !== names[index - 1]).length).toBe(new Set(names).size);
  expect(
    (await call('POST', `/${middle.id}/move`, { parent: await idOf('保洁服务', service) })).data.fields
      .parent,
  ).toBe('须属于同一业务');
  const other = await idOf('时令水果');
  expect((await call('POST', `/${middle.id}/move`, { parent: other })).http).toBe(200);
  expect((await call('GET', `/${leaf.id}`)).data.path).toBe(
    `商品 / 时令水果 / ${middle.name} / ${leaf.name}`,
  );
  // The database itself keeps a class in the business of the one above it.
  await expect(
    run(db(), 'UPDATE product_class SET business_id = $2 WHERE id = $1', [
      Number(middle.id),
      Number(service),
    ]),
  ).rejects.toThrow('product_class_same_business');
});

test('a class is found by either name', async () => {
  const rows = (await call('GET', '/page?limit=200')).data.rows as { name: string; nameEn: string }[];
  const { name, nameEn } = rows.find((row) => row.nameEn)!;
  for (const typed of [name, nameEn.toUpperCase()])
    expect(
      (await call('GET', `/page?searchVal=${encodeURIComponent(typed)}`)).data.rows.map(
        (row: { name: string }) => row.name,
      ),
    ).toContain(name);
  expect((await call('GET', '/page?searchVal=nosuchclass')).data.total).toBe(0);
});

test('of many who add the same name at once one does', async () => {
  const answers = await Promise.all(Array.from({ length: 6 }, () => add({ name: '同名', nameEn: 'Same' })));
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409, 409, 409, 409, 409]);
});

test('products are counted with those below, moved in bulk with a line in each timeline; the used stays', async () => {
  const rice = await idOf('大米');
  const food = await idOf('粮油副食');
  const held = await run<{ id: number; version: number }>(
    db(),
    `SELECT p.id, p.version FROM product p JOIN product_class_member m ON m.product_id = p.id WHERE m.class_id = $1 AND p.recycled_at IS NULL ORDER BY 1`,
    [Number(rice)],
  );
  expect(held.length).toBeGreaterThan(1);
  const shown = async (id: string) => (await call('GET', `/${id}`)).data;
  expect((await shown(rice)).products).toBe(held.length);
  expect((await shown(food)).products).toBeGreaterThanOrEqual(held.length);
  expect((await call('DELETE', `/${rice}`)).message).toMatch(/^有 \d+ 个下级分类、\d+ 个商品，不能删除$/);
  expect((await call('DELETE', `/${food}`)).message).toMatch(/^有 5 个下级分类、\d+ 个商品，不能删除$/);
  const target = (await add()).data;
  expect(
    (await call('POST', `/${rice}/moveProducts`, { to: await idOf('保洁服务', service) })).data.fields.to,
  ).toBe('须属于同一业务');
  const one = await call('POST', `/${rice}/moveProducts`, { to: target.id, products: [String(held[0]!.id)] });
  expect([one.http, one.data.result]).toEqual([200, { n: 1 }]);
  const rest = await call('POST', `/${rice}/moveProducts`, { to: target.id });
  expect(rest.data.result.n).toBeGreaterThanOrEqual(held.length - 1);
  expect([(await shown(rice)).products, (await shown(target.id)).products]).toEqual([0, held.length]);
  const event = await runOne<{ changes: { after: string }[] }>(
    db(),
    `SELECT changes FROM entity_event WHERE entity = 'product' AND entity_id = $1 AND action = 'moveClass'`,
    [held[0]!.id],
  );
  expect(event!.changes[0]!.after).toContain(target.name);
  expect(
    (await runOne<{ version: number }>(db(), 'SELECT version FROM product WHERE id = $1', [held[0]!.id]))!
      .version,
  ).toBe(held[0]!.version + 1);
  expect((await call('DELETE', `/${target.id}`)).status).toBe(30101);
});

test('a disabled class takes those below along, is offered to nobody and cannot be chosen', async () => {
  const tea = await idOf('茶叶礼品');
  const green = await idOf('绿茶');
  const listed = async () =>
    (await product.call(admin, 'GET', `/jinmao/web/bizProduct/getProductClassifyListPc/${goods}`)).data as {
      id: string;
      classifyName: string;
      parentId: string | null;
      viewSort: number;
    }[];
  expect((await listed()).find((one) => one.id === green)).toMatchObject({
    classifyName: '绿茶',
    parentId: tea,
    viewSort: 1,
  });
  expect((await call('POST', `/${tea}/disable`, {})).http).toBe(200);
  expect((await call('POST', `/${green}/enable`, {})).message).toBe('上级分类已停用，请先启用上级');
  expect((await listed()).some((one) => one.id === green || one.id === tea)).toBe(false);
  expect((await add({ parent: tea })).status).toBe(422);
  expect((await call('POST', `/${tea}/enable`, {})).http).toBe(200);
  expect((await listed()).some((one) => one.id === green)).toBe(true);
});

test('a class kept for some merchants is offered to those only', async () => {
  const merchants = await run<{ id: number; account: string }>(
    db(),
    `SELECT t.id, s.account FROM tenant t JOIN staff s ON s.tenant_id = t.id WHERE t.kind = 2 AND s.account IN ('merchant1', 'merchant2') ORDER BY s.account`,
  );
  expect(merchants).toHaveLength(2);
  const made = (await add({ tenants: [String(merchants[0]!.id)] })).data;
  expect(made.tenants).toHaveLength(1);
  for (const [index, { account }] of merchants.entries()) {
    const token = await product.signIn(account);
    const seen = (await product.call(token, 'GET', '/jinmao/web/bizProduct/getClassifyNameListPc')).data as {
      id: string;
    }[];
    expect([account, seen.some((one) => one.id === made.id)]).toEqual([account, index === 0]);
  }
  const english = await product.app.inject({
    url: '/api/jinmao/web/bizProduct/getClassifyNameListPc',
    headers: { authorization: admin, 'accept-language': 'en' },
  });
  expect(english.json().data.map((one: { classifyName: string }) => one.classifyName)).toContain('Green tea');
});

test('classes come in by path, parents after children in the file; wrong rows are named and nothing is written before', async () => {
  const target = findImportTarget(product.platform, 'productClass')!;
  const importCall = {
    caller: await product.caller('admin'),
    platform: product.platform,
    language: 'zh' as const,
  };
  const rows = [
    { path: '节日礼盒/中秋/月饼', nameEn: 'Mooncakes' },
    { path: '节日礼盒/中秋', nameEn: 'Mid-autumn' },
    { path: '节日礼盒', nameEn: 'Festive boxes', commission: '8%' },
    { path: '时令水果/柑橘', commission: '6' },
    { path: '没有/这个', nameEn: 'None' },
    { path: '节日礼盒', nameEn: 'Twice' },
    { path: '新的', nameEn: '' },
    { path: 'a/b/c/d', nameEn: 'Deep' },
    { business: '无此业务', path: 'x', nameEn: 'x' },
  ].map((values, index) => ({
    number: index + 2,
    values: { business: '商品', nameEn: '', commission: '', ...values },
  }));
  const count = async () =>
    (await runOne<{ n: number }>(db(), 'SELECT count(*)::int AS n FROM product_class'))!.n;
  const before = await count();
  const problems = await target.check(importCall, rows);
  expect(await count()).toBe(before);
  expect(problems.map((one) => [one.row, one.column]).sort()).toEqual([
    [10, 'business'],
    [6, 'path'],
    [7, 'path'],
    [8, 'nameEn'],
    [9, 'path'],
  ]);
  const bad = new Set(problems.map((one) => one.row));
  const good = rows.filter((row) => !bad.has(row.number));
  expect(await transaction(db(), (tx) => target.commit(tx, importCall, good))).toBe(4);
  expect(await count()).toBe(before + 3);
  expect((await call('GET', `/${await idOf('柑橘')}`)).data.commission).toBe('6.00');
  expect((await call('GET', `/${await idOf('月饼')}`)).data.path).toBe('商品 / 节日礼盒 / 中秋 / 月饼');
});
