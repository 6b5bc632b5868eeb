import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineRegistration } from '../../../kernel/server/registration.ts';
import { projectFolder } from '../migrate.ts';
import { ensureFirstAdministrator } from './first-administrator.ts';
import { readCatalogue } from './menu-catalogue.ts';
import {
  addGroup,
  addStaff,
  askToken,
  callWith,
  openBench,
  probe,
  signIn,
  type Bench,
} from './session-bench.ts';
import { routeReport, syncMenus } from './sync-menus.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const sync = (registrations = [probe], catalogue = readCatalogue()) =>
  syncMenus(bench.first.platform.database.db, registrations, catalogue);
const menu = async (code: string) =>
  (await bench.query<Record<string, unknown>>('SELECT * FROM menu WHERE code = $1', [code]))[0]!;

describe('catalogue', () => {
  const catalogue = readCatalogue();
  it('has 22 groups and every page once, with a real icon where it is shown', () => {
    expect(catalogue.filter((one) => one.type === 'dirt')).toHaveLength(22);
    expect(new Set(catalogue.map((one) => one.code)).size).toBe(catalogue.length);
    const icons = path.join(projectFolder(), 'node_modules', '@ant-design', 'icons', 'lib', 'icons');
    const shown = catalogue.filter((one) => one.places.some((place) => place.inMenu));
    expect(shown.length).toBeGreaterThan(150);
    for (const one of shown)
      expect(fs.existsSync(path.join(icons, `${one.icon}.js`)), `${one.code} ${one.icon}`).toBe(true);
  });
  it('puts refund audit under both groups', () => {
    const refund = catalogue.find((one) => one.code === 'mm_orderRefund');
    expect(refund?.places.map((place) => place.parent)).toEqual(['service', 'merchantManager']);
  });
});

describe('synchronising menus', () => {
  it('builds what services declare, its modes and its group, and nothing else', async () => {
    const lines = await routeReport(bench.first.platform.database.db);
    expect(lines.length).toBeGreaterThan(200);
    expect(
      lines
        .filter((line) => line.built)
        .map((line) => line.route)
        .sort(),
    ).toEqual([
      '/ProOperReport/or_ProOperDetail',
      '/ProOperReport/or_ProOperIndex',
      '/companymanager/cs_orderDetail',
      '/companymanager/cs_pronotice',
      '/companymanager/cs_workOrder',
      '/dashboard',
      '/operReport/ProOperDetail',
    ]);
    expect((await menu('companymanager')).built).toBe(true);
    expect((await menu('service')).built).toBe(false);
  });

  it('changes nothing the second time', async () => {
    await sync();
    expect((await sync()).changed).toBe(false);
  });

  it('keeps texts, icons and order that staff changed and brings new texts of the rest', async () => {
    await bench.query(
      `UPDATE menu SET title_zh = '工单中心', title_en = 'Work order centre', icon = 'StarOutlined', renamed = true, updated_by = 1 WHERE code = 'cs_workOrder'`,
    );
    await bench.query(`UPDATE menu_place SET sort = 3 WHERE menu_code = 'cs_workOrder'`);
    const catalogue = readCatalogue().map((one) =>
      one.code.startsWith('cs_') ? { ...one, titleZh: '新名', icon: 'BugOutlined' } : one,
    );
    expect((await sync([probe], catalogue)).changed).toBe(true);
    expect(await menu('cs_workOrder')).toMatchObject({
      title_zh: '工单中心',
      title_en: 'Work order centre',
      icon: 'StarOutlined',
    });
    expect(await menu('cs_pronotice')).toMatchObject({ title_zh: '新名', icon: 'BugOutlined' });
    const [place] = await bench.query<{ sort: number }>(
      `SELECT sort FROM menu_place WHERE menu_code = 'cs_workOrder'`,
    );
    expect(place!.sort).toBe(3);
  });

  it('retires what vanished and takes it back when it returns', async () => {
    const without = readCatalogue().filter((one) => one.code !== 'cs_pronotice');
    const less = defineRegistration({
      endpoints: [],
      menus: ['cs_workOrder'],
      elements: { 'cs_workOrder:btn_add': ['新增', 'Add'] },
    });
    await sync([less], without);
    expect(await menu('cs_pronotice')).toMatchObject({ retired: true, built: false });
    const retired = await bench.query(`SELECT code FROM element WHERE retired`);
    expect(retired).toEqual([{ code: 'cs_workOrder:btn_export' }]);
    await sync();
    expect(await menu('cs_pronotice')).toMatchObject({ retired: false, built: true });
    expect(await bench.query(`SELECT code FROM element WHERE retired`)).toEqual([]);
  });

  it('leaves menus of administrators alone', async () => {
    await bench.query(
      `INSERT INTO menu (code, title_zh, title_en, type, url, built_in, built) VALUES ('own_link', '外链', 'Link', 'link', 'https://example.com', false, true)`,
    );
    await bench.query(
      `INSERT INTO menu_place (menu_code, parent_code, route) VALUES ('own_link', 'companymanager', '')`,
    );
    await sync();
    expect(await menu('own_link')).toMatchObject({ retired: false, built: true });
    expect(await bench.query(`SELECT 1 AS n FROM menu_place WHERE menu_code = 'own_link'`)).toHaveLength(1);
  });

  it('gives nobody what a release brings under the code of an own menu or element', async () => {
    const catalogue = readCatalogue().filter((one) => one.code !== 'cs_pronotice');
    await bench.query(`DELETE FROM menu_place WHERE menu_code = 'cs_pronotice'`);
    await bench.query(`DELETE FROM menu WHERE code = 'cs_pronotice'`);
    const earlier = [defineRegistration({ endpoints: [], menus: ['cs_workOrder'] })];
    await sync(earlier, catalogue);
    await bench.query(
      `INSERT INTO menu (code, title_zh, title_en, type, url, built_in, built) VALUES ('cs_pronotice', '外链', 'Link', 'link', 'https://example.com', false, true)`,
    );
    await bench.query(
      `INSERT INTO element (code, menu_code, name_zh, name_en, built_in) VALUES ('cs_workOrder:btn_later', 'cs_workOrder', '自建', 'Own', false)`,
    );
    const group = await addGroup(bench, 'early', {
      menus: { cs_pronotice: 'all', cs_workOrder: 'all' },
      elements: ['cs_workOrder:btn_later'],
    });
    const held = () =>
      bench.query(
        `SELECT menu_code AS code FROM menu_grant WHERE group_id = $1 UNION SELECT element_code FROM element_grant WHERE group_id = $1 ORDER BY 1`,
        [group],
      );
    await sync(earlier, catalogue);
    expect(await held()).toHaveLength(3);
    const later = defineRegistration({
      ...probe,
      elements: { ...probe.elements, 'cs_workOrder:btn_later': ['批量', 'Bulk'] },
    });
    await sync([later]);
    expect(await menu('cs_pronotice')).toMatchObject({ built_in: true, built: true });
    expect(await held()).toEqual([{ code: 'cs_workOrder' }]);
    // What a release brought and somebody granted since stays.
    await bench.query(
      `INSERT INTO element_grant (group_id, element_code) VALUES (${group}, 'cs_workOrder:btn_later')`,
    );
    await sync([later]);
    expect(await held()).toHaveLength(2);
    await sync();
  });

  it('refuses a service of an unknown menu', async () => {
    await expect(sync([defineRegistration({ endpoints: [], menus: ['nowhere'] })])).rejects.toThrow(
      'nowhere',
    );
    await expect(
      sync([defineRegistration({ endpoints: [], elements: { 'nowhere:btn_add': ['新增', 'Add'] } })]),
    ).rejects.toThrow('nowhere');
  });

  it('says which call an element opens', async () => {
    const rows = await bench.query(`SELECT uri, method FROM element WHERE code = 'cs_workOrder:btn_export'`);
    expect(rows).toEqual([{ uri: '/api/probe/export', method: 'POST' }]);
  });
});

describe('first administrator', () => {
  it('is made once, must change the printed password and holds every built menu', async () => {
    const { db } = bench.first.platform.database;
    const both = await Promise.all([ensureFirstAdministrator(db), ensureFirstAdministrator(db)]);
    const made = both.filter((one) => one !== undefined);
    expect(made).toHaveLength(1);
    expect(made[0]!.account).toBe('admin');
    expect(await ensureFirstAdministrator(db, { password: 'anything' })).toBeUndefined();
    const answer = await askToken(bench.first.app, { username: 'Admin', password: made[0]!.password });
    expect(answer.json()).toMatchObject({ status: 200, mustChangePassword: true, overDay: 90 });
    // Nobody could issue another one, so it does not lapse as other one-time passwords do.
    expect(await bench.query(`SELECT one_time_until AS lapses FROM staff WHERE account = 'admin'`)).toEqual([
      { lapses: null },
    ]);
  });

  it('does not have to change a given password', async () => {
    const fresh = await openBench();
    await ensureFirstAdministrator(fresh.first.platform.database.db, { password: 'Given#7word!x' });
    const token = await signIn(fresh.first.app, 'admin', 'Given#7word!x');
    expect((await callWith(fresh.first.app, token, 'GET', '/api/probe/order')).statusCode).toBe(200);
    await fresh.close();
  });
});

describe('front calls', () => {
  it('send info, tree and titles', async () => {
    const [group] = await bench.query<{ id: number }>(
      `SELECT id FROM permission_group WHERE code = 'platform_admin'`,
    );
    await addStaff(bench, { account: 'fronter', groupIds: [group!.id] });
    await sync();
    const token = await signIn(bench.first.app, 'fronter');
    const info = await callWith(bench.first.app, token, 'GET', '/api/admin/user/front/info');
    const { data } = info.json<{ data: { menus: { code: string }[]; elements: { code: string }[] } }>();
    expect(data).toMatchObject({ username: 'fronter', tenantType: 3, avatar: null });
    expect(data.menus.map((one) => one.code)).toEqual(
      expect.arrayContaining([
        'dashboard',
        'cs_workOrder',
        'cs_orderDetail',
        'companymanager',
        'ProOperDetail',
      ]),
    );
    expect(data.menus.find((one) => one.code === 'cs_orderDetail')).toMatchObject({
      menu: '订单详情',
      titleEn: 'Order detail',
      uri: '/companymanager/cs_orderDetail',
      meta: { title: '订单详情', noCache: false },
    });
    expect(data.elements).toEqual([{ code: 'cs_workOrder:btn_add' }, { code: 'cs_workOrder:btn_export' }]);
    const tree = await callWith(bench.first.app, token, 'GET', '/api/admin/user/front/menus');
    type Node = { code: string; icon: string; path: string; children: Node[] };
    const nodes = tree.json<{ data: Node[] }>().data;
    expect(nodes.map((node) => node.code)).toEqual([
      'dashboard',
      'companymanager',
      'ProOperReport',
      'ProOperDetail',
    ]);
    const group6 = nodes.find((node) => node.code === 'companymanager')!;
    expect(group6).toMatchObject({ path: '/companymanager', icon: 'BankOutlined' });
    expect(group6.children.map((node) => [node.code, node.icon === 'hidden'])).toEqual(
      expect.arrayContaining([
        ['cs_workOrder', false],
        ['cs_pronotice', false],
        ['cs_orderDetail', true],
      ]),
    );
    expect(nodes.at(-1)).toMatchObject({ icon: 'hidden', path: '/operReport/ProOperDetail' });
    const all = await callWith(bench.first.app, token, 'GET', '/api/admin/user/front/menu/all');
    const titles = all.json<{ data: { code: string }[] }>().data;
    expect(titles.find((one) => one.code === 'cs_workOrder')).toEqual({
      code: 'cs_workOrder',
      title: '工单中心',
      titleEn: 'Work order centre',
      icon: 'StarOutlined',
    });
    expect(titles.some((one) => one.code === 'cs_escrow')).toBe(false);
  });
});
