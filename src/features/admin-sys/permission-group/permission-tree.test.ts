import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../kernel/server/database.ts';
import { endMemberships } from './member-commands.server.ts';
import { openBench, type PermissionBench } from './permission-fixtures.ts';

let bench: PermissionBench;
let admin: string;
const ROOT = '/admin/permissionGroup';

beforeAll(async () => {
  bench = await openBench();
  admin = await bench.token('admin');
});
afterAll(() => bench?.product.close());

const versionOf = (id: number) => bench.one('SELECT version AS v FROM permission_group WHERE id = $1', [id]);
const edit = async (id: number, change: object, token = admin) =>
  bench.call(token, 'PUT', `${ROOT}/${id}`, { version: await versionOf(id), ...change });

describe('the tree of groups', () => {
  test('Bad input, deleting what is in use: groups made, changed, copied and deleted with both texts of every refusal', async () => {
    const made = await bench.call<{ id: string; version: number }>(admin, 'POST', ROOT, {
      type: 'role',
      name: '巡检主管',
      code: 'patrol_head',
      description: null,
    });
    expect(made.http).toBe(200);
    const id = Number(made.data.id);
    expect(
      (await bench.call(admin, 'POST', ROOT, { type: 'role', name: '巡检', code: 'PATROL_head' })).message,
    ).toBe('编码已存在');
    expect((await bench.call(admin, 'POST', ROOT, { type: 'role', name: '巡', code: '1x' })).http).toBe(422);
    const child = Number(
      (
        await bench.call<{ id: string }>(admin, 'POST', ROOT, {
          type: 'role',
          name: '巡检员',
          code: 'patrol',
          parentId: String(id),
        })
      ).data.id,
    );
    const circle = await edit(id, { parentId: String(child) });
    expect([circle.http, circle.status, circle.message]).toEqual([409, 30101, '不能移动到自己的下级']);
    const staffId = await bench.staff('patrolman');
    await bench.call(admin, 'PUT', `${ROOT}/${child}/members`, {
      set: [{ staffId: String(staffId), kind: 'member', endsOn: null }],
    });
    expect((await bench.call(admin, 'DELETE', `${ROOT}/${child}`)).message).toBe(
      '角色下有 1 名成员，不能删除',
    );
    expect((await bench.call(admin, 'DELETE', `${ROOT}/${id}`)).message).toBe('角色下有 1 个下级，不能删除');
    const copy = await bench.call<{ id: string; members: number }>(admin, 'POST', `${ROOT}/${child}/copy`, {
      name: '巡检员二',
      code: 'patrol_2',
    });
    expect([copy.http, copy.data.members]).toEqual([200, 0]);
    const history = await bench.call<{ rows: { reason: string }[] }>(
      admin,
      'GET',
      `${ROOT}/${copy.data.id}/history?kind=grant`,
    );
    expect(history.data.rows.map((row) => row.reason)).toEqual(['复制自「巡检员」']);
    expect((await bench.call(admin, 'DELETE', `${ROOT}/${copy.data.id}`)).http).toBe(200);
    const stale = await bench.call<{ current: { version: number } }>(admin, 'PUT', `${ROOT}/${child}`, {
      version: 99,
      name: '别名',
    });
    expect([stale.status, stale.data.current.version]).toEqual([30101, 1]);
  });

  test('Bad input, cycles in groups: two moves at once cannot close a circle', async () => {
    const one = await bench.group('ring_one');
    const two = await bench.group('ring_two');
    const answers = await Promise.all([
      edit(one, { parentId: String(two) }),
      edit(two, { parentId: String(one) }),
    ]);
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
  });

  test('Bad input, removing the last administrator: whoever would lose the own administration is refused', async () => {
    const staffId = await bench.staff('own_right');
    const id = await bench.group('own_right_g', {
      menus: { groupManager: 'all', groupTypeManager: 'all' },
      elements: ['groupManager:btn_resourceManager', 'groupManager:btn_edit', 'groupManager:btn_userManager'],
      members: [staffId],
    });
    const token = await bench.token('own_right');
    const version = await versionOf(id);
    const answer = await bench.call(token, 'PUT', `${ROOT}/${id}/authority`, {
      version,
      reason: 'oops',
      menus: [{ code: 'groupTypeManager', dataScope: 'all', departmentIds: [] }],
      elements: [],
    });
    expect([answer.status, answer.message]).toEqual([30101, '不能移除自己的管理权限']);
    expect((await edit(id, { enabled: false }, token)).message).toBe('不能移除自己的管理权限');
    expect(
      (await bench.call(token, 'PUT', `${ROOT}/${id}/members`, { remove: [String(staffId)] })).message,
    ).toBe('不能移除自己的管理权限');
    expect(await versionOf(id)).toBe(version);
  });

  test('another tenant sees nothing of it', async () => {
    const merchant = await bench.one('SELECT id AS v FROM tenant WHERE kind = 2 ORDER BY id LIMIT 1');
    const staffId = await bench.staff('merchant_boss', { tenantId: merchant });
    await bench.group('merchant_boss_g', {
      tenantId: merchant,
      menus: { groupManager: 'all', roleManager: 'all' },
      elements: ['groupManager:btn_resourceManager', 'groupManager:btn_edit', 'roleManager:btn_export'],
      members: [staffId],
    });
    const foreign = await bench.group('platform_only');
    const token = await bench.token('merchant_boss');
    expect((await bench.call(token, 'GET', `${ROOT}/${foreign}`)).http).toBe(404);
    expect((await bench.call(token, 'GET', `${ROOT}/${foreign}/authority`)).http).toBe(404);
    const tree = await bench.call<{ groups: { code: string }[] }>(token, 'GET', `${ROOT}/tree`);
    expect(tree.data.groups.map((group) => group.code)).toEqual(['merchant_boss_g']);
    const roles = await bench.call<{ total: number }>(token, 'GET', '/admin/role/page');
    expect(roles.data.total).toBe(1);
    expect((await bench.call(token, 'GET', `/admin/role/${foreign}`)).http).toBe(404);
    expect((await bench.call(token, 'GET', '/admin/user/getAllUserList')).http).toBe(403);
  });
});

describe('members', () => {
  test('a leader changes members of his groups, never leaders, grants or himself', async () => {
    const [leader, worker, other] = await Promise.all(
      ['led_leader', 'led_worker', 'led_other'].map((account) => bench.staff(account)),
    );
    const top = await bench.group('led_top', { leaders: [leader!] });
    const below = await bench.group('led_below', { parentId: top, menus: { groupTypeManager: 'all' } });
    await bench.group('led_foreign');
    await bench.group('led_screen', { menus: { roleManager: 'all' }, members: [leader!] });
    const token = await bench.token('led_leader');
    const page = await bench.call<{ rows: { code: string; actions: string[] }[] }>(
      token,
      'GET',
      '/admin/role/page',
    );
    expect(page.data.rows.map((row) => row.code).sort()).toEqual(['led_below', 'led_top']);
    expect(page.data.rows[0]!.actions).toEqual(['members']);
    const set = (id: number, staffId: number, kind: string) =>
      bench.call(token, 'PUT', `${ROOT}/${id}/members`, {
        set: [{ staffId: String(staffId), kind, endsOn: null }],
      });
    expect((await set(top, worker!, 'member')).http).toBe(200);
    expect((await set(below, worker!, 'member')).http).toBe(200);
    expect((await set(below, other!, 'leader')).http).toBe(403);
    expect((await set(below, leader!, 'member')).message).toBe('不能把自己加入角色');
    expect((await bench.call(token, 'GET', `${ROOT}/${top}/authority`)).http).toBe(403);
    expect(
      (
        await bench.call(token, 'PUT', `${ROOT}/${top}/authority`, {
          version: 1,
          reason: 'x',
          menus: [],
          elements: [],
        })
      ).http,
    ).toBe(403);
    type Found = { total: number; rows: { account: string }[] };
    const found = await bench.call<Found>(token, 'GET', `${ROOT}/${below}/candidates?searchVal=led_`);
    expect(found.data.rows.map((row) => row.account)).toEqual(['led_leader', 'led_other']);
    const foreign = await bench.one(`SELECT id AS v FROM permission_group WHERE code = 'led_foreign'`);
    expect((await bench.call(token, 'GET', `/admin/role/${foreign}/timeline`)).http).toBe(404);
    expect((await bench.call(token, 'GET', `/admin/role/${below}/timeline`)).http).toBe(200);
    const offered = await bench.call<{ id: string }[]>(token, 'GET', '/jinmao/web/options/role?limit=200');
    expect(offered.data.map((one) => Number(one.id)).sort((a, b) => a - b)).toEqual([top, below]);
    expect((await set(foreign, worker!, 'member')).http).toBe(404);
    expect((await bench.call(token, 'GET', `/admin/role/${foreign}`)).http).toBe(404);
  });

  test('adding somebody needs the rights of the group; department groups follow the department', async () => {
    const staffId = await bench.staff('adder');
    const target = await bench.staff('added');
    await bench.group('adder_g', {
      menus: { groupManager: 'all' },
      elements: ['groupManager:btn_userManager'],
      members: [staffId],
    });
    const rich = await bench.group('rich_g', { menus: { menuManager: 'all' } });
    const token = await bench.token('adder');
    const answer = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${rich}/members`, {
      set: [{ staffId: String(target), kind: 'member' }],
    });
    expect([answer.status, answer.data.missing]).toEqual([30101, ['menuManager']]);
    const department = await bench.one(
      'SELECT department_id AS v FROM staff WHERE department_id IS NOT NULL AND tenant_id = (SELECT id FROM tenant WHERE kind = 3) LIMIT 1',
    );
    const follows = await bench.group('depart_g', {
      type: 'depart',
      departmentId: department,
      menus: { groupTypeManager: 'all' },
    });
    const members = await bench.call<{ readOnly: boolean; rows: { source: string }[] }>(
      admin,
      'GET',
      `${ROOT}/${follows}/members`,
    );
    expect(members.data.readOnly).toBe(true);
    expect(members.data.rows.length).toBeGreaterThan(0);
    expect((await bench.call(admin, 'PUT', `${ROOT}/${follows}/members`, { remove: ['1'] })).message).toBe(
      '部门角色的成员由部门决定',
    );
  });

  test('Bad input, expired memberships: a membership with a last day ends by itself and is taken away with a notice', async () => {
    const staffId = await bench.staff('guest');
    const id = await bench.group('guests', { type: 'free', menus: { groupTypeManager: 'all' } });
    expect(
      (
        await bench.call(admin, 'PUT', `${ROOT}/${id}/members`, {
          set: [{ staffId: String(staffId), kind: 'member', endsOn: '2020-01-01' }],
        })
      ).http,
    ).toBe(422);
    expect(
      (
        await bench.call(admin, 'PUT', `${ROOT}/${id}/members`, {
          set: [{ staffId: String(staffId), kind: 'member', endsOn: '2099-12-31' }],
        })
      ).http,
    ).toBe(200);
    await run(
      bench.db,
      `UPDATE group_member SET expires_at = now() - interval '1 second' WHERE group_id = $1`,
      [id],
    );
    expect((await bench.product.caller('guest')).menus.has('groupTypeManager')).toBe(false);
    expect(await endMemberships(bench.product.platform)).toBe(1);
    expect(await endMemberships(bench.product.platform)).toBe(0);
    expect(
      await bench.one(`SELECT count(*) AS v FROM notification WHERE staff_id = $1 AND kind = 'groupEnded'`, [
        staffId,
      ]),
    ).toBe(1);
  });
});

describe('the dialog and the matrix', () => {
  test('opens with 400 menus and 2,000 elements', async () => {
    await run(
      bench.db,
      `INSERT INTO menu (code, title_zh, title_en, built_in, built) SELECT 'bulk' || n, '菜单' || n, 'Menu ' || n, false, true FROM generate_series(1, 400) n`,
    );
    await run(
      bench.db,
      `INSERT INTO menu_place (menu_code, parent_code, route, sort) SELECT 'bulk' || n, 'adminSys', '/adminSys/bulk' || n, 9000 + n FROM generate_series(1, 400) n`,
    );
    await run(
      bench.db,
      `INSERT INTO element (code, menu_code, name_zh, name_en, built_in)
       SELECT 'bulk' || n || ':btn_' || e, 'bulk' || n, '按钮' || e, 'Element ' || e, false FROM generate_series(1, 400) n, unnest(ARRAY['a', 'b', 'c', 'd', 'e']) e`,
    );
    const id = await bench.group('bulk_group', { menus: { bulk1: 'all' } });
    await run(
      bench.db,
      `INSERT INTO setting (key, value) VALUES ('permission.epoch', '9000') ON CONFLICT (key) DO UPDATE SET value = '9000'`,
    );
    bench.product.platform.changed('session');
    // How long it takes is measured by `npm run bench -- permission`.
    const { data } = await bench.call<{ menus: object[]; elements: object[] }>(
      admin,
      'GET',
      `${ROOT}/${id}/authority`,
    );
    expect(data.menus.length).toBeGreaterThan(400);
    expect(data.elements.length).toBeGreaterThan(2000);
    const menus = Array.from({ length: 400 }, (_, at) => ({
      code: `bulk${at + 1}`,
      dataScope: 'all',
      departmentIds: [],
    }));
    const elements = menus.flatMap((menu) =>
      ['a', 'b', 'c', 'd', 'e'].map((verb) => `${menu.code}:btn_${verb}`),
    );
    const saved = await bench.call(admin, 'PUT', `${ROOT}/${id}/authority`, {
      version: 1,
      reason: 'all',
      menus,
      elements,
    });
    expect([saved.http, saved.message]).toEqual([200, '']);
  });

  test('the matrix has a column per group the caller sees, also when two exports run at once', async () => {
    const { registration } = await import('./permission-group.server.ts');
    const source = registration.exports!.find((one) => one.source === 'permissionMatrix.roleManager')!;
    const merchant = await bench.one(`SELECT tenant_id AS v FROM staff WHERE account = 'merchant_boss'`);
    expect(merchant).toBeGreaterThan(0);
    const exportOf = async (account: string) => {
      const call = {
        caller: await bench.product.caller(account),
        platform: bench.product.platform,
        language: 'zh' as const,
      };
      const count = await source.count(call, {});
      const columns = source.columns('zh').map((column) => column.title);
      const rows: (readonly (string | number | null)[])[] = [];
      for await (const batch of source.read(call, {})) rows.push(...batch);
      return { count, columns, rows };
    };
    const [boss, all] = await Promise.all([exportOf('merchant_boss'), exportOf('admin')]);
    expect(boss.columns).toEqual(['菜单', '按钮', '编码', 'merchant_boss_g']);
    expect(all.columns.length).toBeGreaterThan(6);
    for (const one of [boss, all]) {
      expect(one.rows).toHaveLength(one.count);
      expect(new Set(one.rows.map((row) => row.length))).toEqual(new Set([one.columns.length]));
    }
    expect(boss.rows.find((row) => row[2] === 'groupManager')?.[3]).toBe('全部可见');
  });
});
