import { afterAll, beforeAll, expect, test } from 'vitest';
import { registrations } from '../../../app/registry/registrations.gen.ts';
import { syncMenus } from '../../../app/server/session/sync-menus.ts';
import { run } from '../../../kernel/server/database.ts';
import { openBench, type PermissionBench } from '../permission-group/permission-fixtures.ts';

let bench: PermissionBench;
let admin: string;
const ROOT = '/admin/menu';

beforeAll(async () => {
  bench = await openBench();
  admin = await bench.token('admin');
});
afterAll(() => bench?.product.close());

interface Menu {
  readonly code: string;
  readonly version: number;
  readonly titleZh: string;
  readonly places: readonly { readonly parent: string | null; readonly sort: number }[];
}
const tree = async () => (await bench.call<Menu[]>(admin, 'GET', `${ROOT}/tree`)).data;
const find = async (code: string) => (await tree()).find((menu) => menu.code === code)!;
const edit = async (code: string, change: object) =>
  bench.call(admin, 'PUT', `${ROOT}/item/${code}`, { version: (await find(code)).version, ...change });

test('Must show 10: a new title is in every open side menu within a second, in both languages, and stays over a release', async () => {
  const epoch = async () =>
    (
      await bench.product.app.inject({
        method: 'GET',
        url: '/api/admin/user/front/info',
        headers: { authorization: admin },
      })
    ).headers['x-permission-epoch'];
  const before = await epoch();
  expect((await edit('groupTypeManager', { titleZh: '工单中心', titleEn: 'Work order centre' })).http).toBe(
    200,
  );
  const until = Date.now() + 1000;
  let after = before;
  while (after === before && Date.now() < until) after = await epoch();
  expect(after).not.toBe(before);
  const menus = await bench.product.app.inject({
    method: 'GET',
    url: '/api/admin/user/front/menus',
    headers: { authorization: admin },
  });
  expect(menus.body).toContain('工单中心');
  expect(menus.body).toContain('Work order centre');
  await syncMenus(bench.db as never, registrations);
  expect((await find('groupTypeManager')).titleZh).toBe('工单中心');
  for (const untitled of [{ titleEn: '' }, { titleZh: '' }, { titleEn: '  ' }])
    expect((await edit('groupTypeManager', untitled)).http).toBe(422);
  expect(
    (await edit('groupTypeManager', { titleZh: '一二三四五六七八九十一二三四五六七八九十一' })).http,
  ).toBe(422);
});

test('Bad input, deleting what is in use: a built-in menu is not deleted, and the menus of administration are not hidden', async () => {
  for (const code of ['menuManager', 'groupManager', 'userManager', 'adminSys'])
    expect([code, (await edit(code, { hidden: true })).message]).toEqual([code, '该菜单不能隐藏']);
  expect((await bench.call(admin, 'DELETE', `${ROOT}/item/groupTypeManager`)).message).toBe(
    '内置菜单不能删除',
  );
  expect(
    (
      await bench.call(admin, 'POST', `${ROOT}/item`, {
        code: 'userManager',
        titleZh: '重复',
        titleEn: 'Twice',
        type: 'dirt',
      })
    ).message,
  ).toBe('编码已存在');
  const stale = await bench.call<{ current: { version: number } }>(admin, 'PUT', `${ROOT}/item/roleManager`, {
    version: 999,
    titleZh: '角色',
  });
  expect([stale.status, typeof stale.data.current.version]).toEqual([30101, 'number']);
});

test('Bad input, deleting what is in use: an own directory with a link: made, granted, listed when deleting is refused, deleted', async () => {
  expect(
    (
      await bench.call(admin, 'POST', `${ROOT}/item`, {
        code: 'ownLinks',
        titleZh: '常用链接',
        titleEn: 'Links',
        type: 'dirt',
      })
    ).http,
  ).toBe(200);
  const link = { code: 'ownLink', titleZh: '官网', titleEn: 'Website', type: 'link', parent: 'ownLinks' };
  expect((await bench.call(admin, 'POST', `${ROOT}/item`, { ...link, url: 'http://example.com' })).http).toBe(
    422,
  );
  expect(
    (await bench.call(admin, 'POST', `${ROOT}/item`, { ...link, url: 'https://example.com/a' })).http,
  ).toBe(200);
  expect((await bench.call(admin, 'DELETE', `${ROOT}/item/ownLinks`)).message).toBe('菜单下有子菜单：官网');
  expect(
    (
      await bench.call(admin, 'POST', `${ROOT}/item/ownLink/elements`, {
        code: 'other:btn_open',
        type: 'button',
        name: '打开',
        nameEn: 'Open',
        method: 'GET',
      })
    ).http,
  ).toBe(422);
  expect(
    (
      await bench.call(admin, 'POST', `${ROOT}/item/ownLink/elements`, {
        code: 'ownLink:btn_open',
        type: 'button',
        name: '打开',
        nameEn: 'Open',
        method: 'GET',
      })
    ).http,
  ).toBe(200);
  await bench.group('link_users', { menus: { ownLink: 'all' }, elements: ['ownLink:btn_open'] });
  expect((await bench.call(admin, 'DELETE', `${ROOT}/item/ownLink`)).message).toBe(
    '已授权给角色：link_users',
  );
  expect((await bench.call(admin, 'DELETE', `${ROOT}/element/ownLink%3Abtn_open`)).message).toBe(
    '已授权给角色：link_users',
  );
  const target = await bench.one(`SELECT id AS v FROM permission_group WHERE code = 'link_users'`);
  expect(
    (
      await bench.call(admin, 'PUT', `/admin/permissionGroup/${target}/authority`, {
        version: 1,
        reason: '',
        menus: [],
        elements: [],
      })
    ).http,
  ).toBe(200);
  expect((await bench.call(admin, 'DELETE', `${ROOT}/item/ownLink`)).http).toBe(200);
  expect((await bench.call(admin, 'DELETE', `${ROOT}/item/ownLinks`)).http).toBe(200);
});

test('Bad input, cycles in menus: order changes within one directory only, a parent is no input, and a ring in the data hangs nothing', async () => {
  const inside = (await tree())
    .filter((menu) => menu.places.some((place) => place.parent === 'adminSys'))
    .map((menu) => menu.code);
  const turned = [...inside].reverse();
  expect((await bench.call(admin, 'PUT', `${ROOT}/order`, { parent: 'adminSys', codes: turned })).http).toBe(
    200,
  );
  const after = (await tree())
    .filter((menu) => menu.places.some((place) => place.parent === 'adminSys'))
    .sort((a, b) => a.places[0]!.sort - b.places[0]!.sort)
    .map((menu) => menu.code);
  expect(after).toEqual(turned);
  expect(
    (await bench.call(admin, 'PUT', `${ROOT}/order`, { parent: 'adminSys', codes: ['adminSys'] })).http,
  ).toBe(422);
  expect((await edit('groupTypeManager', { parent: 'groupTypeManager' })).http).toBe(422);
  await run(
    bench.db,
    `INSERT INTO menu (code, title_zh, title_en, type, built_in, built) VALUES ('ring_a', '环甲', 'Ring A', 'dirt', false, true), ('ring_b', '环乙', 'Ring B', 'dirt', false, true)`,
  );
  await run(
    bench.db,
    `INSERT INTO menu_place (menu_code, parent_code, route) VALUES ('ring_a', 'ring_b', '/a'), ('ring_b', 'ring_a', '/b'), ('ring_a', NULL, '/a')`,
  );
  expect((await bench.call(admin, 'GET', '/admin/user/front/menus')).http).toBe(200);
  await run(bench.db, `DELETE FROM menu_place WHERE menu_code LIKE 'ring_%'`);
  await run(bench.db, `DELETE FROM menu WHERE code LIKE 'ring_%'`);
});

test('a link opens in the frame or in a window of its own; its address and way of opening reach the side menu of those who hold it', async () => {
  interface Node {
    readonly code: string;
    readonly path: string;
    readonly url?: string;
    readonly openIn?: string;
    readonly children: readonly Node[];
  }
  const flat = (nodes: readonly Node[]): Node[] => nodes.flatMap((node) => [node, ...flat(node.children)]);
  const link = { code: 'help_site', titleZh: '帮助中心', titleEn: 'Help', type: 'link', parent: 'adminSys' };
  expect(
    (
      await bench.call(admin, 'POST', `${ROOT}/item`, {
        ...link,
        url: 'https://help.example.com/a',
        openIn: 'tab',
      })
    ).http,
  ).toBe(422);
  const made = await bench.call(admin, 'POST', `${ROOT}/item`, {
    ...link,
    url: 'https://help.example.com/a',
    openIn: 'frame',
  });
  expect(made.http).toBe(200);
  expect((await edit('groupTypeManager', { openIn: 'frame' })).http).toBe(422);
  const held = flat((await bench.call<Node[]>(admin, 'GET', '/admin/user/front/menus')).data);
  expect(held.find((node) => node.code === 'help_site')).toMatchObject({
    path: '/link/help_site',
    url: 'https://help.example.com/a',
    openIn: 'frame',
  });
  expect(held.find((node) => node.code === 'groupTypeManager')).not.toHaveProperty('url');
  expect((await edit('help_site', { openIn: 'window' })).http).toBe(200);
  await bench.staff('without_link');
  const without = await bench.call<Node[]>(
    await bench.token('without_link'),
    'GET',
    '/admin/user/front/menus',
  );
  expect(flat(without.data).map((node) => node.code)).not.toContain('help_site');
});

test('the check names what is wrong with a menu to open', async () => {
  const { data } = await bench.call<{ kind: string; code: string; menu: string | null }[]>(
    admin,
    'GET',
    `${ROOT}/check`,
  );
  expect(data.some((finding) => finding.kind === 'menuWithoutHolder')).toBe(true);
  expect(data.filter((finding) => finding.kind === 'titleMissing')).toEqual([]);
});

test('another tenant cannot change menus', async () => {
  const merchant = await bench.one('SELECT id AS v FROM tenant WHERE kind = 2 ORDER BY id LIMIT 1');
  const staffId = await bench.staff('menu_merchant', { tenantId: merchant });
  await bench.group('menu_merchant_g', {
    tenantId: merchant,
    menus: { menuManager: 'all' },
    elements: ['menuManager:btn_edit'],
    members: [staffId],
  });
  const token = await bench.token('menu_merchant');
  expect(
    (await bench.call(token, 'PUT', `${ROOT}/item/roleManager`, { version: 1, titleZh: '被改' })).http,
  ).toBe(403);
});
