import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction, run, runOne } from '../../../kernel/server/database.ts';
import { findImportTarget, type ImportRow } from '../../../kernel/server/tables/import-target.ts';
import { pickerRegions, pickedRegion, type RegionNode } from '../../../domain/region/region.rules.ts';
import { startTestProduct, type TestAnswer, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
}, 180_000);
afterAll(() => product?.close());

const ROOT = '/jinmao/web/region';
const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path = '', body?: object): Promise<TestAnswer> =>
  product.call(admin, method, `${ROOT}${path}`, body);
const idOf = async (code: string) =>
  (await runOne<{ id: number }>(db(), 'SELECT id FROM region WHERE code = $1', [code]))!.id;
const rowOf = async (code: string) => (await call('GET', `/${await idOf(code)}`)).data;
const add = (parent: number, code: string, name: string) =>
  call('POST', '', { parent: String(parent), code, name });

test('Must show 7: `pd` finds 浦东新区 with its path, stopping it with a project is refused', async () => {
  const tree = (await call('GET', '/tree?searchVal=pd')).data.rows as {
    id: string;
    title: string;
    parentId: string | null;
  }[];
  const found = tree.find((one) => one.title === '浦东新区')!;
  const path: string[] = [];
  for (let at: typeof found | undefined = found; at; at = tree.find((one) => one.id === at!.parentId))
    path.unshift(at.title);
  expect(path).toEqual(['上海市', '上海市', '浦东新区']);
  const listed = (await call('GET', '/page?searchVal=pdxq')).data.rows as {
    fullName: string;
    code: string;
  }[];
  expect(listed.map((one) => one.fullName)).toContain('上海市浦东新区');
  for (const words of ['浦东', 'PUDONG', '310115'])
    expect([words, (await call('GET', `/page?searchVal=${encodeURIComponent(words)}`)).data.total]).toEqual([
      words,
      1,
    ]);
  const pudong = await rowOf('310115');
  expect(pudong.projects).toBeGreaterThan(0);
  const refused = await call('POST', `/${pudong.id}/disable`, {});
  expect([refused.status, refused.message]).toEqual([30101, '区域内有启用的项目']);
  expect((await call('POST', `/${await idOf('310000')}/disable`, {})).status).toBe(30101);
  expect((await rowOf('310115')).enabled).toBe(true);
  // Deleting says by how many it is used.
  const n = (await runOne<{ n: number }>(
    db(),
    'SELECT count(*)::int AS n FROM project WHERE region_id = $1',
    [Number(pudong.id)],
  ))!.n;
  expect((await call('DELETE', `/${pudong.id}`)).message).toBe(`已被 ${n} 个项目/地址使用，只能停用`);
});

test('Must show 7: pickers ask for 上海 in two picks, elsewhere in three; the tree itself keeps all levels', async () => {
  const answer = await product.app.inject({
    url: '/api/jinmao/web/bizRegion/getAllRegionListPc',
    headers: { authorization: admin },
  });
  const tree = answer.json<{ data: RegionNode[] }>().data;
  const of = (nodes: readonly RegionNode[], name: string) => nodes.find((one) => one.name === name)!;
  expect(of(of(of(tree, '上海市').children, '上海市').children, '浦东新区').code).toBe('310115');
  const picked = pickerRegions(tree);
  expect(of(of(picked, '上海市').children, '浦东新区').code).toBe('310115');
  expect(of(picked, '重庆市').children.length).toBe(
    of(tree, '重庆市').children.reduce((sum, city) => sum + city.children.length, 0),
  );
  expect(of(of(of(picked, '江苏省').children, '苏州市').children, '吴中区').level).toBe(3);
  expect(pickedRegion(tree, of(of(tree, '上海市').children, '上海市').id)).toBe(of(tree, '上海市').id);
  // The tree is sent again only when it has changed.
  const again = await product.app.inject({
    url: '/api/jinmao/web/bizRegion/getAllRegionListPc',
    headers: { authorization: admin, 'if-none-match': String(answer.headers.etag) },
  });
  expect(again.statusCode).toBe(304);
  const cities = (
    await product.call(admin, 'GET', '/jinmao/web/bizRegion/getAllRegionListPc?level=2&parentCode=320000')
  ).data as RegionNode[];
  expect([cities.length > 5, cities.every((one) => one.level === 2 && one.children.length === 0)]).toEqual([
    true,
    true,
  ]);
  const option = (await product.call(admin, 'GET', '/jinmao/web/options/region?searchVal=pdxq')).data.find(
    (one: { title: string }) => one.title === '浦东新区',
  );
  expect([option.note, option.parentId]).toEqual(['310115 上海市', of(tree, '上海市').id]);
});

test('own regions stand below their parent by code; what is wrong is said at the field', async () => {
  const suzhou = await idOf('320500');
  expect((await add(suzhou, '320199', '高铁新城')).data.fields).toEqual({ code: '编码与上级不符' });
  expect((await add(suzhou, '3205', '高铁新城')).data.fields.code).toBe('须为 6 位数字');
  expect((await add(suzhou, '320598', '新')).http).toBe(422);
  expect((await add(await idOf('320505'), '320598', '高铁新城')).data.fields.code).toBe('编码与上级不符');
  const made = await add(suzhou, '320598', '高铁新城');
  expect([made.http, made.data.fullName, made.data.level, made.data.source, made.data.pinyin]).toEqual([
    200,
    '江苏省苏州市高铁新城',
    '3',
    'own',
    'gaotiexincheng',
  ]);
  expect((await add(suzhou, '320598', '再来一次')).message).toBe('编码已存在');
  const saved = await call('PUT', `/${made.data.id}`, {
    version: made.data.version,
    name: '北站新城',
    sort: 7,
  });
  expect([saved.data.name, saved.data.sort, saved.data.pinyin]).toEqual(['北站新城', 7, 'beizhanxincheng']);
  expect((await call('POST', `/${made.data.id}/move`, { parent: null })).http).toBe(404);
  expect((await call('DELETE', `/${made.data.id}`)).http).toBe(200);
  expect((await call('DELETE', `/${await idOf('654226')}`)).message).toBe('国家名录的区域只能停用');
});

test('stopping and enabling take everything below along, and below a stopped one nothing is enabled', async () => {
  const city = await rowOf('620100');
  expect(city.below).toBeGreaterThan(3);
  const [one] = (await call('GET', `/page?parent=${city.id}`)).data.rows as { id: string }[];
  expect((await call('POST', `/${one!.id}/disable`, {})).http).toBe(200);
  expect((await call('POST', `/${city.id}/disable`, {})).http).toBe(200);
  const enabled = async () =>
    (await runOne<{ n: number }>(
      db(),
      'SELECT count(*)::int AS n FROM region WHERE (id = $1 OR parent_id = $1) AND enabled',
      [Number(city.id)],
    ))!.n;
  expect(await enabled()).toBe(0);
  expect((await call('POST', `/${one!.id}/enable`, {})).message).toBe('上级区域已停用，请先启用上级');
  expect((await call('POST', `/${city.id}/enable`, {})).http).toBe(200);
  expect(await enabled()).toBe(city.below + 1);
  const told = (await call('GET', `/${one!.id}/timeline`)).data as { label: string }[];
  expect(told.map((line) => line.label)).toEqual(['启用', '停用']);
});

test('a code that gives way to another: projects, organisations and delivery rules follow, the old one points on', async () => {
  const suzhou = await idOf('320500');
  const old = (await add(suzhou, '320597', '老城区')).data;
  const next = (await add(suzhou, '320596', '新城区')).data;
  const [project] = await run<{ id: number; version: number }>(
    db(),
    'UPDATE project SET region_id = $1 WHERE id = (SELECT min(id) FROM project) RETURNING id, version',
    [Number(old.id)],
  );
  const merchant = (await runOne<{ id: number }>(
    db(),
    'SELECT id FROM tenant WHERE kind = 2 ORDER BY id LIMIT 1',
  ))!.id;
  for (const region of [old.id, next.id])
    await run(db(), 'INSERT INTO no_delivery_area (tenant_id, region_id) VALUES ($1, $2)', [
      merchant,
      Number(region),
    ]);
  expect((await call('GET', `/${old.id}`)).data.noDelivery).toBe(1);
  expect((await call('DELETE', `/${old.id}`)).message).toBe('已被 2 个项目/地址使用，只能停用');
  expect((await call('POST', `/${old.id}/replace`, { to: old.id })).data.fields.to).toBe('不能替代为自身');
  expect((await call('POST', `/${old.id}/replace`, { to: String(suzhou) })).data.fields.to).toBe(
    '级别须相同',
  );
  const done = await call('POST', `/${old.id}/replace`, { to: next.id });
  expect([done.http, done.data.enabled, done.data.replacedBy.title]).toEqual([200, false, '新城区']);
  const moved = await runOne<{ region_id: number; version: number }>(
    db(),
    'SELECT region_id, version FROM project WHERE id = $1',
    [project!.id],
  );
  expect(moved).toEqual({ region_id: Number(next.id), version: project!.version + 1 });
  expect(
    await run(
      db(),
      'SELECT region_id FROM no_delivery_area WHERE tenant_id = $1 AND product_id IS NULL AND region_id = ANY($2::bigint[])',
      [merchant, [old.id, next.id]],
    ),
  ).toEqual([{ region_id: Number(next.id) }]);
  const event = await runOne<{ action: string }>(
    db(),
    `SELECT action FROM entity_event WHERE entity = 'project' AND entity_id = $1 ORDER BY id DESC LIMIT 1`,
    [project!.id],
  );
  expect(event!.action).toBe('replaceRegion');
  expect((await call('POST', `/${old.id}/enable`, {})).message).toBe('已被替代，不能启用');
  expect((await call('POST', `/${old.id}/replace`, { to: next.id })).message).toBe('已被替代');
});

test('Must show 7: an import of the national list shows added, renamed and vanished, and deletes nothing', async () => {
  const target = findImportTarget(product.platform, 'region')!;
  const importCall = {
    caller: await product.caller('admin'),
    platform: product.platform,
    language: 'zh' as const,
  };
  const known = await run<{ code: string; name: string }>(
    db(),
    `SELECT code, name FROM region WHERE source = 'national' AND enabled ORDER BY code`,
  );
  // As the published list stands: without the one city of a municipality, one district gone, one renamed, one new.
  const rows: ImportRow[] = [
    ...known
      .filter(({ code }) => !['310100', '654226'].includes(code))
      .map(({ code, name }) => ({ code, name: code === '310115' ? '浦东新新区' : name })),
    { code: '650599', name: '新设县' },
    { code: '998877', name: '无上级' },
    { code: '310115', name: '浦东新区' },
  ].map((values, index) => ({ number: index + 2, values }));
  const problems = await target.check(importCall, rows);
  expect(problems.map((one) => one.message[0])).toEqual([
    `与第${rows.find((row) => row.values.code === '310115')!.number}行重复`,
    '上级 998800 不存在',
  ]);
  const bad = new Set(problems.map((one) => one.row));
  const good = rows.filter((row) => !bad.has(row.number));
  const notes = await target.summary!(importCall, good);
  const gone = known.find(({ code }) => code === '654226')!;
  expect(notes.map((note) => note[0])).toEqual([
    '新增 1：650599 新设县',
    '改名 1：310115 浦东新区 → 浦东新新区',
    `名录中已消失（不会删除，可用「替代」处理） 1：654226 ${gone.name}`,
  ]);
  expect((await rowOf('310115')).name).toBe('浦东新区');
  const count = async () => (await runOne<{ n: number }>(db(), 'SELECT count(*)::int AS n FROM region'))!.n;
  const before = await count();
  expect(await transaction(db(), (tx) => target.commit(tx, importCall, good))).toBe(2);
  expect(await count()).toBe(before + 1);
  expect((await rowOf('654226')).enabled).toBe(true);
  const added = await rowOf('650599');
  expect([added.source, added.level, added.parent.title]).toEqual(['national', '3', '哈密市']);
  expect((await rowOf('310115')).name).toBe('浦东新新区');
});

test('regions are read by every holder of the menu with figures of the own projects, and changed by the platform', async () => {
  await run(
    db(),
    `WITH g AS (INSERT INTO permission_group (type_id, tenant_id, code, name)
         SELECT t.id, s.tenant_id, 'region_reader', '区域查看' FROM group_type t, staff s WHERE t.code = 'role' AND s.account = 'company1' RETURNING id),
       m AS (INSERT INTO menu_grant (group_id, menu_code) SELECT id, 'areaNew' FROM g),
       e AS (INSERT INTO element_grant (group_id, element_code) SELECT g.id, e.code FROM g, element e WHERE e.menu_code = 'areaNew')
     INSERT INTO group_member (group_id, staff_id) SELECT g.id, s.id FROM g, staff s WHERE s.account = 'company1'`,
  );
  product.platform.changed('session');
  const company = await product.signIn('company1');
  const caller = await product.caller('company1');
  const own = (await runOne<{ n: number }>(
    db(),
    `SELECT count(*)::int AS n FROM project p JOIN organisation c ON c.id = p.centre_id JOIN region r ON r.id = coalesce(p.region_id, c.region_id) WHERE p.id = ANY($1::bigint[]) AND r.code LIKE '31%'`,
    [caller.projectIds],
  ))!.n;
  const shanghai = await idOf('310000');
  const seen = (await product.call(company, 'GET', `${ROOT}/${shanghai}`)).data;
  expect([seen.projects, seen.actions]).toEqual([own, []]);
  const refused = await product.call(company, 'POST', ROOT, {
    parent: String(shanghai),
    code: '310200',
    name: '新市',
  });
  expect([refused.http, refused.message]).toEqual([403, '区域由平台维护']);
  expect((await product.call(company, 'POST', `${ROOT}/${shanghai}/disable`, {})).message).toBe(
    '区域由平台维护',
  );
});
