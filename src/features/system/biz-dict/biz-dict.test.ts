import { afterAll, beforeAll, expect, test } from 'vitest';
import { dictionaryEntries, dictionaryProblem } from '../../../domain/dictionary/dictionary.server.ts';
import type { DictionaryUse } from '../../../domain/dictionary/dictionary-uses.server.ts';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import { defineRegistration, type Registration } from '../../../kernel/server/registration.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
const held = new Map<string, number>();
const clients: DictionaryUse = {
  catalogue: 'business',
  dictionary: 'client_industry',
  noun: ['客户', 'Client'],
  counts: () => Promise.resolve(held),
};

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  (product.platform.registrations as Registration[]).push(
    defineRegistration({ endpoints: [], dictionaryUses: [clients] }),
  );
}, 240_000);
afterAll(async () => {
  await product?.close();
});

const db = () => product.platform.database.db;
const idOf = async (code: string) =>
  String((await runOne<{ id: number }>(db(), 'SELECT id FROM biz_dict WHERE code = $1', [code]))!.id);
const add = (input: Record<string, unknown>) =>
  product.call(admin, 'POST', '/jinmao/web/bizDict', { name: '新', nameEn: 'New', ...input });
const list = (query: string, token = admin) =>
  product.call(token, 'GET', `/admin/web/bizDict/getDictValueList?${query}`);
const names = async (query: string) =>
  ((await list(query)).data.rows as { name: string }[]).map((one) => one.name);

test('the list of the specification: by id or code, searched, paged, enabled ones unless all is asked for', async () => {
  const nobody = await product.signIn('service1');
  const kinds = await list('code=contract_kind&limit=4', nobody);
  expect([kinds.http, kinds.data.total, kinds.data.rows.length]).toEqual([200, 6, 4]);
  expect(kinds.data.rows[0]).toEqual({
    id: await idOf('contract_kind.ad'),
    name: '广告位',
    val: 'ad',
    code: 'contract_kind.ad',
    viewSort: 1,
  });
  expect(await names(`id=${await idOf('contract_kind')}&limit=200`)).toEqual([
    '广告位',
    '场地',
    '铺位',
    '设备',
    '车位',
    '采购',
  ]);
  expect((await list('code=contract_kind&limit=4&page=9')).data).toEqual({ total: 6, rows: [] });
  expect(await names('code=contract_kind&searchVal=车')).toEqual(['车位']);
  expect(await names('code=contract_kind&searchVal=parking')).toEqual(['车位']);
  // A value of the second level opens the third.
  expect(await names('code=client_industry.catering')).toEqual([
    '中式正餐',
    '快餐小吃',
    '茶饮咖啡',
    '烘焙甜品',
  ]);
  expect((await list('code=no_such')).data).toEqual({ total: 0, rows: [] });
  expect((await list('')).http).toBe(422);
  expect((await list('code=contract_kind&limit=201')).http).toBe(422);
  expect((await list('code=contract_kind&colour=red')).http).toBe(422);
  const english = await product.app.inject({
    url: '/api/admin/web/bizDict/getDictValueList/?code=contract_kind&limit=1',
    headers: { authorization: nobody, 'accept-language': 'en' },
  });
  expect(english.json<{ data: { rows: { name: string }[] } }>().data.rows[0]!.name).toBe('Advertising');

  await product.call(admin, 'POST', `/jinmao/web/bizDict/${await idOf('contract_kind.parking')}/disable`, {});
  expect(await names('code=contract_kind')).not.toContain('车位');
  expect(await names('code=contract_kind&all=1')).toContain('车位');
  // Below a disabled value nothing is offered either.
  await product.call(
    admin,
    'POST',
    `/jinmao/web/bizDict/${await idOf('client_industry.retail')}/disable`,
    {},
  );
  expect(await names('code=client_industry.retail')).toEqual([]);
  expect((await names('code=client_industry.retail&all=1')).length).toBe(5);
  const entries = (await dictionaryEntries(db(), 'business', ['client_industry'])).get('client_industry')!;
  expect(entries.find((one) => one.value === 'fresh')).toMatchObject({ enabled: false, parent: 'retail' });
});

test('a value that is there is told as one, though its code was left empty', async () => {
  const again = await add({ parent: await idOf('contract_kind'), val: 'ad' });
  expect([again.http, again.status, again.message]).toEqual([409, 30101, '编码或值已存在']);
});

test('three levels: a dictionary has a code and no value, a value has one, nothing stands on a fourth level', async () => {
  const root = await add({ code: 'shop_floor', name: '楼层', nameEn: 'Floor' });
  expect([root.http, root.data.val, root.data.parent]).toEqual([200, '', null]);
  expect((await add({ name: '无编码' })).data.fields).toHaveProperty('code');
  expect((await add({ code: 'bad_root', val: 'x' })).data.fields).toHaveProperty('val');
  const first = await add({ parent: root.data.id, val: 'f1', name: '一层', nameEn: 'First' });
  expect([first.http, first.data.code, first.data.viewSort]).toEqual([200, 'shop_floor.f1', 1]);
  expect((await add({ parent: root.data.id })).data.fields).toHaveProperty('val');
  const third = await add({ parent: first.data.id, val: 'f1a', name: 'A区', nameEn: 'Zone A' });
  expect([third.http, third.data.code]).toEqual([200, 'shop_floor.f1a']);
  const fourth = await add({ parent: third.data.id, val: 'f1a1' });
  expect([fourth.http, fourth.message]).toEqual([422, '最多 3 级']);
  // The value names a row in its whole dictionary, and in no other.
  expect((await add({ parent: root.data.id, val: 'f1a', code: 'shop_floor.double' })).status).toBe(30101);
  expect((await add({ parent: await idOf('position_type'), val: 'f1a' })).http).toBe(200);
  const elsewhere = await product.call(admin, 'POST', `/jinmao/web/bizDict/${third.data.id}/move`, {
    parent: await idOf('position_type'),
  });
  expect([elsewhere.http, elsewhere.message]).toEqual([422, '只能在同一字典内移动']);
  const up = await product.call(admin, 'POST', `/jinmao/web/bizDict/${third.data.id}/move`, {
    parent: root.data.id,
  });
  expect([up.http, up.data.parent.id]).toEqual([200, root.data.id]);
  const tree = await product.call(admin, 'GET', `/jinmao/web/bizDict/tree?parent=${root.data.id}`);
  expect(tree.data.rows.map((one: { title: string }) => one.title)).toEqual(['一层', 'A区']);
});

test('what is used stays, itself, what it stands below and its dictionary; system dictionaries stay too', async () => {
  // Demonstration clients hold industries too: of these two none does here.
  await runOne(
    db(),
    `UPDATE client SET industry_id = (SELECT id FROM biz_dict WHERE code = 'client_industry.media')
      WHERE industry_id IN (SELECT id FROM biz_dict WHERE code IN ('client_industry.tea', 'client_industry.catering'))`,
  );
  const others = await runOne<{ n: number }>(
    db(),
    `SELECT count(*)::int AS n FROM client WHERE industry_id IS NOT NULL`,
  );
  held.set('tea', 2);
  const id = await idOf('client_industry.tea');
  const remove = async (code: string) =>
    product.call(admin, 'DELETE', `/jinmao/web/bizDict/${await idOf(code)}`);
  const used = await product.call(admin, 'GET', `/jinmao/web/bizDict/${id}`);
  expect(used.data.used).toBe(2);
  expect(
    (await product.call(admin, 'GET', `/jinmao/web/bizDict/${await idOf('client_industry')}`)).data.used,
  ).toBe(2 + others!.n);
  expect((await remove('client_industry.tea')).message).toBe('已被 2 个客户 使用，不能删除');
  expect((await remove('client_industry.catering')).message).toBe('已被 2 个客户 使用，不能删除');
  expect((await remove('client_industry')).message).toBe('系统字典不能删除');
  const recoded = await product.call(admin, 'PUT', `/jinmao/web/bizDict/${id}`, {
    version: used.data.version,
    val: 'milk_tea',
  });
  expect([recoded.status, recoded.message]).toEqual([30101, '已被 2 个客户 使用，不能修改编码']);
  held.clear();
  expect((await remove('client_industry.catering')).message).toBe('请先删除下级');
  expect((await remove('client_industry.tea')).http).toBe(200);
  await transaction(db(), async (tx) => {
    const name = { catalogue: 'business', dictionary: 'client_industry' } as const;
    expect(await dictionaryProblem(tx, name, 'chinese')).toBeUndefined();
    expect(await dictionaryProblem(tx, name, 'tea')).toBeDefined();
  });
});

test('order by dragging stays among the values of one parent', async () => {
  const moved = await product.call(admin, 'POST', '/jinmao/web/bizDict/order', {
    id: await idOf('position_type.led'),
    before: await idOf('position_type.lift_frame'),
  });
  expect([moved.http, (await names('code=position_type'))[0]]).toEqual([200, 'LED屏']);
  const foreign = await product.call(admin, 'POST', '/jinmao/web/bizDict/order', {
    id: await idOf('position_type.led'),
    before: await idOf('decor_style.modern'),
  });
  expect(foreign.http).toBe(404);
});

test('import: a dictionary, its values and theirs from one file, in any order', async () => {
  const target = product.platform.registrations
    .flatMap((one) => one.imports ?? [])
    .find((one) => one.source === 'bizDict')!;
  const caller = await product.caller('admin');
  const call = { caller, platform: product.platform, language: 'zh' as const };
  const line = (number: number, parent: string, code: string, val: string, name: string) => ({
    number,
    values: { parent, code, val, name, nameEn: `${name} en` },
  });
  const rows = [
    line(2, 'venue_use.indoor', 'venue_use.stage', 'stage', '舞台'),
    line(3, 'venue_use', 'venue_use.indoor', 'indoor', '室内'),
    line(4, '', 'venue_use', '', '场地用途'),
    line(5, 'venue_use', 'venue_use.bad', '', '缺值'),
  ];
  const problems = await target.check(call, rows);
  expect(problems.map((one) => [one.row, one.column])).toEqual([[5, 'val']]);
  expect(await transaction(db(), (tx) => target.commit(tx, call, rows.slice(0, 3)))).toBe(3);
  expect(await names('code=venue_use.indoor')).toEqual(['舞台']);
});

test('company staff keep no business dictionary', async () => {
  const company = await product.signIn('company1');
  expect((await product.call(company, 'GET', '/jinmao/web/bizDict/page')).http).toBe(403);
  expect((await product.call(company, 'GET', '/jinmao/web/bizDict/tree')).http).toBe(403);
});
