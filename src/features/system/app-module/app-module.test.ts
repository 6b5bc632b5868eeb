import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { compareVersions, urlProblem, visibleModules, type ModuleFacts } from './app-module.rules.ts';

const ROOT = '/jinmao/web/appModule';
const LOGO = 'b0000000-0000-4000-8000-000000000001';

let product: TestProduct;
let admin: string;
let projects: { id: number; name: string }[];
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const { db } = product.platform.database;
  await run(db, 'DELETE FROM app_module_project');
  await run(db, 'DELETE FROM app_module');
  await run(
    db,
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES ($1::uuid, 'a.png', 'image/png', 1, '\\x00', $1::uuid::text, 'picture')`,
    [LOGO],
  );
  projects = await run(db, 'SELECT id, name FROM project ORDER BY id LIMIT 3');
});
afterAll(() => product?.close());

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  product.call(admin, method, `${ROOT}${path}`, body);
let counter = 0;
const add = (input: object = {}) =>
  call('POST', '', {
    system: 'owner',
    code: `mod${++counter}`,
    name: '模块',
    nameEn: 'Module',
    logo: LOGO,
    showType: 'native',
    pageForm: 'plain',
    ...input,
  });
const made = async (input: object = {}) => {
  const answer = await add(input);
  expect([answer.http, answer.message, answer.data?.fields]).toEqual([200, '', undefined]);
  return answer.data as { id: string; version: number };
};

describe('what is shown', () => {
  const module = (id: number, more: Partial<ModuleFacts> = {}): ModuleFacts => ({
    id,
    parentId: null,
    enabled: true,
    iosMin: '',
    androidMin: '',
    projectIds: [],
    ...more,
  });
  const seen = (
    modules: readonly ModuleFacts[],
    viewer: Partial<Parameters<typeof visibleModules>[1]> = {},
  ) =>
    visibleModules(modules, { projectId: undefined, phone: 'ios', version: '3.2.0', ...viewer }).map(
      (one) => one.id,
    );

  test('follows project, phone and version, number by number', () => {
    expect(compareVersions('3.10.0', '3.9.9')).toBeGreaterThan(0);
    expect(compareVersions('3.2.0', '3.2.0')).toBe(0);
    const modules = [
      module(1, { iosMin: '3.2.0' }),
      module(2, { iosMin: '3.2.1' }),
      module(3, { androidMin: '9.0.0' }),
      module(4, { projectIds: [7] }),
      module(5, { enabled: false }),
    ];
    expect(seen(modules)).toEqual([1, 3]);
    expect(seen(modules, { projectId: 7 })).toEqual([1, 3, 4]);
    expect(seen(modules, { phone: 'android', projectId: 8, version: '9.0.0' })).toEqual([1, 2, 3]);
  });

  test('leaves out what stands below something hidden, in whatever order it comes', () => {
    const modules = [
      module(3, { parentId: 2 }),
      module(2, { parentId: 1, enabled: false }),
      module(1),
      module(4, { parentId: 99 }),
      module(5, { parentId: 1 }),
    ];
    expect(seen(modules)).toEqual([1, 5]);
  });
});

test('addresses are https and whole, needed for H5 pages', () => {
  expect(urlProblem('native', '')).toBeUndefined();
  expect(urlProblem('internal', '')?.[1]).toBe('An H5 page needs its address');
  for (const url of ['https://h5.example.com', 'https://h5.example.com:8443/a?b=1#c'])
    expect([url, urlProblem('external', url)]).toEqual([url, undefined]);
  for (const url of [
    'http://h5.example.com',
    'HTTPS://h5.example.com',
    'javascript:alert(1)',
    'https://',
    'https://user:pass@evil.cn',
    'https://h5.example.com/a b',
    'https://h5.example.com\\evil',
    '//h5.example.com',
    'https://h5.example.com/\u200b',
  ])
    expect([url, urlProblem('external', url)?.[0]]).toEqual([url, '请填写 https 开头的完整链接']);
});

test('a module is refused with a bad version, a missing or foreign picture, a taken code, a date without badge', async () => {
  const bad = await add({ iosMin: '3.2', androidMin: 'v3.2.0', showType: 'internal' });
  expect([bad.http, Object.keys(bad.data.fields).sort()]).toEqual([422, ['androidMin', 'iosMin']]);
  expect((await add({ showType: 'internal' })).data.fields.url).toBe('H5 页面须填写链接');
  expect((await add({ badgeUntil: '2030-01-01T00:00:00+08:00' })).data.fields.badge).toBe('请填写角标文字');
  expect((await add({ logo: 'b0000000-0000-4000-8000-00000000dead' })).data.fields.logo).toContain(
    '重新上传',
  );
  expect((await add({ logo: null })).http).toBe(422);
  await made({ code: 'taken' });
  expect((await add({ code: 'TAKEN' })).message).toBe('编码已存在');
  // The same code may stand in the other app.
  await made({ code: 'taken', system: 'staff' });
  // A change is checked together with what stands.
  const h5 = await made({ showType: 'internal', url: 'https://h5.example.com' });
  expect((await call('PUT', `/${h5.id}`, { version: h5.version, url: '' })).data.fields.url).toBe(
    'H5 页面须填写链接',
  );
  expect((await call('PUT', `/${h5.id}`, { version: h5.version, url: '', showType: 'native' })).http).toBe(
    200,
  );
});

describe('the tree', () => {
  test('has three levels of one app and no circles; what has children names them and stays', async () => {
    const top = await made({ name: '物业服务', nameEn: 'Property' });
    const middle = await made({ parent: top.id, name: '报修', nameEn: 'Repairs' });
    const second = await made({ parent: top.id, name: '缴费', nameEn: 'Bills' });
    const leaf = await made({ parent: middle.id });
    expect((await add({ parent: leaf.id })).data.fields.parent).toBe('最多 3 级');
    const under = await call('POST', `/${top.id}/move`, { parent: leaf.id });
    expect([under.http, under.data.fields.parent]).toEqual([422, '不能移到自身或其下级之下']);
    const refused = await call('DELETE', `/${top.id}`);
    expect([refused.status, refused.message]).toEqual([30101, '有下级模块：报修、缴费，不能删除']);
    await call('POST', `/${second.id}/move`, { parent: top.id, before: middle.id });
    const children = (await call('GET', `/tree?parent=${top.id}`)).data.rows as { title: string }[];
    expect(children.map((one) => one.title)).toEqual(['缴费', '报修']);
    const staff = await made({ system: 'staff' });
    expect((await add({ system: 'owner', parent: staff.id })).data.fields.parent).toBe(
      '上级模块属于另一个系统',
    );
    expect((await call('POST', `/${leaf.id}/move`, { parent: staff.id })).data.fields.parent).toBe(
      '上级模块属于另一个系统',
    );
    await expect(
      run(product.platform.database.db, 'UPDATE app_module SET parent_id = $2 WHERE id = $1', [
        Number(leaf.id),
        Number(staff.id),
      ]),
    ).rejects.toThrow('foreign key');
    expect((await call('DELETE', `/${leaf.id}`)).http).toBe(200);
  });
});

describe('the preview', () => {
  const preview = async (query: string, token = admin) => {
    const answer = await product.call(token, 'GET', `${ROOT}/preview?${query}`);
    return {
      ...answer,
      names: (answer.data?.modules as { name: string }[] | undefined)?.map((one) => one.name),
    };
  };

  test('shows what a resident of a project sees with a version, in order, badges until their time', async () => {
    const { db } = product.platform.database;
    await run(db, 'DELETE FROM app_module_project');
    await run(db, 'DELETE FROM app_module');
    const top = await made({ name: '顶' });
    await made({ name: '新版', iosMin: '3.2.0', parent: top.id });
    await made({ name: '一区', projects: [String(projects[0]!.id)], badge: '新', parent: top.id });
    const old = await made({ name: '旧角标', badge: '旧', parent: top.id });
    await run(db, `UPDATE app_module SET badge_until = now() - interval '1 second' WHERE id = $1`, [
      Number(old.id),
    ]);
    const off = await made({ name: '停用', parent: top.id });
    await call('POST', `/${off.id}/disable`, {});
    await made({ name: '员工', system: 'staff' });
    expect((await preview('system=owner&phone=ios&version=3.1.9')).names).toEqual(['顶', '旧角标']);
    const full = await preview(`system=owner&phone=ios&version=3.2.0&project=${projects[0]!.id}`);
    expect(full.names).toEqual(['顶', '新版', '一区', '旧角标']);
    expect(full.data.modules.map((one: { badge: string }) => one.badge)).toEqual(['', '', '新', '']);
    expect(Object.keys(full.data.modules[0]).sort()).toEqual(
      ['badge', 'id', 'logo', 'name', 'nameEn', 'needsLogin', 'parentId', 'showType'].sort(),
    );
    expect((await preview('system=owner&phone=android&version=1.0.0')).names).toEqual([
      '顶',
      '新版',
      '旧角标',
    ]);
    expect((await preview('system=staff&phone=ios&version=1.0.0')).names).toEqual(['员工']);
    for (const query of [
      'system=owner&phone=ios&version=3.2',
      'system=x&phone=ios&version=3.2.0',
      'system=owner',
    ])
      expect((await preview(query)).http).toBe(422);
  });

  test('follows the order of the home page, of a project or of all', async () => {
    const { db } = product.platform.database;
    await run(db, 'DELETE FROM app_module_project');
    await run(db, 'DELETE FROM app_module');
    await run(db, `DELETE FROM display_order WHERE list_code = 'home_modules'`);
    const [a, b, c] = [
      await made({ name: '缴费' }),
      await made({ name: '报修' }),
      await made({ name: '商城' }),
    ];
    await made({ name: '拼团', parent: c.id });
    await made({ name: '维修', parent: a.id });
    const order = (ids: readonly { id: string }[], hidden: string, project?: string) =>
      product.call(admin, 'POST', '/jinmao/web/displayOrder', {
        list: 'home_modules',
        ...(project ? { project } : {}),
        items: ids.map(({ id }) => ({ itemType: 'appModule', itemId: id, shown: id !== hidden })),
      });
    expect((await order([b, a, c], '')).http).toBe(200);
    const one = String(projects[0]!.id);
    expect((await order([c, b, a], a.id, one)).http).toBe(200);
    const top = (names: readonly string[] | undefined) =>
      names?.filter((name) => ['缴费', '报修', '商城'].includes(name));
    const all = (await preview('system=owner&phone=ios&version=1.0.0')).names;
    expect([top(all), all?.length]).toEqual([['报修', '缴费', '商城'], 5]);
    const own = (await preview(`system=owner&phone=ios&version=1.0.0&project=${one}`)).names;
    expect([top(own), own?.includes('维修'), own?.includes('拼团')]).toEqual([['商城', '报修'], false, true]);
  });

  test('and the list tell nothing of projects out of reach; saving keeps these', async () => {
    const { db } = product.platform.database;
    const [own, other] = projects;
    const module = await made({ name: '两区', projects: [String(own!.id), String(other!.id)] });
    const { staffId } = await product.caller('service1');
    await grantMenu(db, staffId, 'sysTreeManager');
    await run(
      db,
      `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, 'sysTreeManager:btn_edit' FROM group_member m JOIN menu_grant g ON g.group_id = m.group_id AND g.menu_code = 'sysTreeManager' WHERE m.staff_id = $1`,
      [staffId],
    );
    await run(db, 'UPDATE staff SET all_projects = false WHERE id = $1', [staffId]);
    await run(db, 'DELETE FROM staff_project WHERE staff_id = $1', [staffId]);
    await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staffId, own!.id]);
    const limited = await product.signIn('service1');
    const row = (await product.call(limited, 'GET', `${ROOT}/${module.id}`)).data as {
      version: number;
      projects: { title: string }[];
    };
    expect(row.projects.map((one) => one.title)).toEqual([own!.name]);
    expect((await preview(`system=owner&phone=ios&version=3.2.0&project=${other!.id}`, limited)).http).toBe(
      404,
    );
    const count = async (query: string) =>
      (await product.call(limited, 'GET', `${ROOT}/page?searchVal=两区&${query}`)).data.total as number;
    expect([await count(`projects=${own!.id}`), await count(`projects=${other!.id}`)]).toEqual([1, 0]);
    const saved = await product.call(limited, 'PUT', `${ROOT}/${module.id}`, {
      version: row.version,
      projects: [],
    });
    expect(saved.http).toBe(200);
    const kept = await runOne<{ ids: number[] }>(
      db,
      'SELECT array_agg(project_id) AS ids FROM app_module_project WHERE app_module_id = $1',
      [Number(module.id)],
    );
    expect(kept!.ids.map(Number)).toEqual([other!.id]);
  });
});
