import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run } from '../../../kernel/server/database.ts';
import { openBench, textOf, type PermissionBench } from './permission-fixtures.ts';

let bench: PermissionBench;
let admin: string;
const ROOT = '/admin/permissionGroup';
const TYPES = { groupTypeManager: 'all' };
const STAFF = { userManager: 'all' };

interface Authority {
  readonly group: { readonly version: number };
  readonly menus: readonly { readonly code: string; readonly may: { readonly scopes: readonly string[] } }[];
  readonly elements: readonly { readonly code: string; readonly held: boolean }[];
  readonly granted: Grants;
}
interface Grants {
  readonly menus: readonly {
    readonly code: string;
    readonly dataScope: string;
    readonly departmentIds: readonly string[];
  }[];
  readonly elements: readonly string[];
}
interface Preview {
  readonly added: readonly Change[];
  readonly removed: readonly Change[];
  readonly widened: readonly Change[];
  readonly narrowed: readonly Change[];
  readonly reasonRequired: boolean;
}
interface Change {
  readonly code: string;
  readonly gain: number;
  readonly lose: number;
}

beforeAll(async () => {
  bench = await openBench();
  admin = await bench.token('admin');
});
afterAll(() => bench?.product.close());

const authority = async (id: number, token = admin) =>
  (await bench.call<Authority>(token, 'GET', `${ROOT}/${id}/authority`)).data;
const grantsOf = async (id: number): Promise<Grants> => {
  const { granted } = await authority(id);
  return granted;
};
const save = async (id: number, grants: Grants, extra: object = {}, token = admin) => {
  const { group } = await authority(id);
  return bench.call<{ version: number; missing: string[]; difference: object }>(
    token,
    'PUT',
    `${ROOT}/${id}/authority`,
    { version: group.version, reason: 'test', ...grants, ...extra },
  );
};

describe('granting what one holds', () => {
  test('Must show 2: who holds 40 menus may tick these 40; a 41st through the API is refused by name and nothing is saved', async () => {
    const built = (
      await run<{ code: string }>(
        bench.db,
        `SELECT code FROM menu WHERE built AND NOT retired AND type <> 'dirt' AND mode_of IS NULL AND code NOT IN ('dashboard', 'menuManager')
          ORDER BY code = 'groupManager' DESC, code`,
      )
    ).map((row) => row.code);
    // The release may have fewer screens than forty; then pages without one stand for them.
    const further = await run<{ code: string }>(
      bench.db,
      `UPDATE menu SET built = true WHERE code IN (SELECT code FROM menu WHERE NOT built AND NOT retired AND type <> 'dirt' AND mode_of IS NULL ORDER BY code LIMIT $1) RETURNING code`,
      [Math.max(40 - built.length, 0)],
    );
    const own = [...built, ...further.map((row) => row.code)].slice(0, 40);
    expect(own).toHaveLength(40);
    const staffId = await bench.staff('forty_admin');
    await bench.group('forty_g', {
      menus: Object.fromEntries(own.map((code) => [code, 'all'])),
      elements: ['groupManager:btn_resourceManager'],
      members: [staffId],
    });
    const target = await bench.group('forty_target');
    const token = await bench.token('forty_admin');
    const shown = await authority(target, token);
    const pages = shown.menus as unknown as {
      code: string;
      type: string;
      modeOf: string | null;
      may: { scopes: string[] };
    }[];
    const offered = pages.filter(
      (menu) => menu.may.scopes.length > 0 && menu.type !== 'dirt' && menu.modeOf === null,
    );
    expect(offered.map((menu) => menu.code).sort()).toEqual([...own].sort());
    const wish = (codes: readonly string[]) => ({
      menus: codes.map((code) => ({ code, dataScope: 'all', departmentIds: [] })),
      elements: [],
    });
    const refused = await save(target, wish([...own, 'menuManager']), {}, token);
    expect([refused.status, refused.data.missing]).toEqual([30101, ['menuManager']]);
    expect(refused.message).toContain('菜单管理');
    expect(await grantsOf(target)).toEqual({ menus: [], elements: [] });
    expect((await save(target, wish(own), {}, token)).http).toBe(200);
    await run(bench.db, 'UPDATE menu SET built = false WHERE code = ANY($1::text[])', [
      further.map((row) => row.code),
    ]);
  });

  test('Bad input, granting what one does not hold: an administrator with some menus may give these only; one more through the API is refused by name and nothing is saved', async () => {
    const staffId = await bench.staff('limited_admin');
    const own = ['groupManager', 'groupTypeManager', 'roleManager'];
    await bench.group('limited_g', {
      menus: Object.fromEntries(own.map((code) => [code, 'all'])),
      elements: ['groupManager:btn_resourceManager', 'groupTypeManager:btn_add'],
      members: [staffId],
    });
    const target = await bench.group('limited_target');
    const token = await bench.token('limited_admin');
    const shown = await authority(target, token);
    const offered = shown.menus
      .filter((menu) => menu.may.scopes.length > 0)
      .map((menu) => menu.code)
      .sort();
    expect(offered).toEqual(['adminSys', ...own].sort());
    expect(
      shown.elements
        .filter((element) => element.held)
        .map((element) => element.code)
        .sort(),
    ).toEqual(['groupManager:btn_resourceManager', 'groupTypeManager:btn_add']);
    const wanted = [...own, 'menuManager'].map((code) => ({ code, dataScope: 'all', departmentIds: [] }));
    const refused = await save(target, { menus: wanted, elements: [] }, {}, token);
    expect([refused.http, refused.status, refused.data.missing]).toEqual([409, 30101, ['menuManager']]);
    expect(refused.message).toContain('菜单管理');
    expect(await grantsOf(target)).toEqual({ menus: [], elements: [] });
    const done = await save(target, { menus: wanted.slice(0, 3), elements: [] }, {}, token);
    expect(done.http).toBe(200);
    expect((await grantsOf(target)).menus.map((menu) => menu.code).sort()).toEqual([...own].sort());
  });

  test('a narrower scope than held is given, a wider one refused; widening needs a reason', async () => {
    const staffId = await bench.staff('narrow_admin');
    await bench.group('narrow_g', {
      menus: { groupManager: 'all', userManager: 'self' },
      elements: ['groupManager:btn_resourceManager'],
      members: [staffId],
    });
    const target = await bench.group('narrow_target');
    const token = await bench.token('narrow_admin');
    const wish = (dataScope: string) => ({
      menus: [{ code: 'userManager', dataScope, departmentIds: [] }],
      elements: [],
    });
    expect((await save(target, wish('all'), {}, token)).data.missing).toEqual(['userManager']);
    expect((await save(target, wish('self'), { reason: ' ' }, token)).http).toBe(422);
    expect((await save(target, wish('self'), {}, token)).http).toBe(200);
  });

  test('the built-in administrators are read-only; unknown and unbuilt codes are refused', async () => {
    const builtIn = await bench.one(`SELECT id AS v FROM permission_group WHERE code = 'platform_admin'`);
    const version = await bench.one('SELECT version AS v FROM permission_group WHERE id = $1', [builtIn]);
    const answer = await bench.call(admin, 'PUT', `${ROOT}/${builtIn}/authority`, {
      version,
      reason: 'no',
      menus: [],
      elements: [],
    });
    expect([answer.http, answer.status, answer.message]).toEqual([409, 30101, '内置管理员角色的权限只读']);
    const target = await bench.group('unknown_target');
    expect(
      (
        await save(target, {
          menus: [{ code: 'noSuchMenu', dataScope: 'all', departmentIds: [] }],
          elements: [],
        })
      ).http,
    ).toBe(422);
  });
});

describe('scopes of several groups', () => {
  test('Must show 3: own rows of the one menu, all rows of the other (staff stand for work orders, posts for notices, which are not built yet)', async () => {
    const staffId = await bench.staff('two_groups');
    await bench.group('two_one', { menus: { userManager: 'self' }, members: [staffId] });
    await bench.group('two_two', { menus: { stationManage: 'all' }, members: [staffId] });
    // Posts of somebody else: a scope "own rows" that leaked over from the other group would hide them.
    await run(
      bench.db,
      `INSERT INTO station (tenant_id, code, name, type, created_by)
       SELECT s.tenant_id, 'TWO' || n, '两组岗位' || n, 'other', (SELECT id FROM staff WHERE account = 'admin')
         FROM staff s, generate_series(1, 3) n WHERE s.id = $1`,
      [staffId],
    );
    const caller = await bench.product.caller('two_groups');
    expect(caller.menus.get('userManager')).toEqual([{ kind: 'self' }]);
    expect(caller.menus.get('stationManage')).toEqual([{ kind: 'all' }]);
    const token = await bench.token('two_groups');
    const page = await bench.call<{ rows: { id: string }[] }>(token, 'GET', '/admin/staff/page');
    expect(page.data.rows.map((row) => row.id)).toEqual([String(staffId)]);
    const posts = await bench.call<{ total: number }>(token, 'GET', '/admin/station/page');
    expect(posts.data.total).toBe(
      await bench.one(
        'SELECT count(*) AS v FROM station WHERE tenant_id = (SELECT tenant_id FROM staff WHERE id = $1)',
        [staffId],
      ),
    );
    expect(posts.data.total).toBeGreaterThanOrEqual(3);
  });
});

describe('preview and effect', () => {
  test('Must show 4: the preview of removing an export element says 3 staff lose it; after the save each open session loses the button and its export call answers 403 within a second (the export of staff stands for that of work orders, not built yet)', async () => {
    const ids = await Promise.all(
      ['loser_a', 'loser_b', 'loser_c', 'keeper'].map((account) => bench.staff(account)),
    );
    const target = await bench.group('losers', {
      menus: STAFF,
      elements: ['userManager:btn_export'],
      members: ids,
    });
    await bench.group('keepers', {
      menus: STAFF,
      elements: ['userManager:btn_export'],
      members: [ids[3]!],
    });
    const tokens = await Promise.all(
      ['loser_a', 'loser_b', 'loser_c'].map((account) => bench.token(account)),
    );
    const exported = async (token: string) =>
      (await bench.call(token, 'POST', '/admin/staff/export', { query: {} })).http;
    for (const token of tokens) expect(await exported(token)).toBe(200);
    const wish = { menus: [{ code: 'userManager', dataScope: 'all', departmentIds: [] }], elements: [] };
    const preview = await bench.call<Preview>(admin, 'POST', `${ROOT}/${target}/authority/preview`, wish);
    expect(preview.data.removed).toMatchObject([{ code: 'userManager:btn_export', lose: 3, gain: 0 }]);
    expect(preview.data.reasonRequired).toBe(false);
    expect((await save(target, wish, { reason: '' })).http).toBe(200);
    const until = Date.now() + 1000;
    for (const token of tokens) {
      let http = 0;
      while (http !== 403 && Date.now() < until) http = await exported(token);
      expect(http).toBe(403);
      const info = await bench.call<{ elements: { code: string }[] }>(token, 'GET', '/admin/user/front/info');
      expect(info.data.elements.map((element) => element.code)).not.toContain('userManager:btn_export');
    }
  });

  test('counts follow inheritance and scope changes', async () => {
    const staffId = await bench.staff('heir');
    const parent = await bench.group('heir_parent', { menus: { userManager: 'self' } });
    await bench.group('heir_child', { parentId: parent, inherit: true, members: [staffId] });
    const wish = {
      menus: [{ code: 'userManager', dataScope: 'all', departmentIds: [] }],
      elements: ['userManager:btn_add'],
    };
    const { data } = await bench.call<Preview>(admin, 'POST', `${ROOT}/${parent}/authority/preview`, wish);
    expect(data.widened).toMatchObject([{ code: 'userManager', changed: 1 }]);
    expect(data.added).toMatchObject([{ code: 'userManager:btn_add', gain: 1 }]);
  });
});

describe('two editors', () => {
  test('Must show 5: the second save is refused with the difference, the first change stays', async () => {
    const target = await bench.group('editors', { menus: TYPES });
    const { group } = await authority(target);
    const body = (elements: string[]) => ({
      version: group.version,
      reason: 'why',
      menus: [{ code: 'groupTypeManager', dataScope: 'all', departmentIds: [] }],
      elements,
    });
    const first = await bench.call(
      admin,
      'PUT',
      `${ROOT}/${target}/authority`,
      body(['groupTypeManager:btn_add']),
    );
    const second = await bench.call<{
      difference: { addedElements: string[] };
      current: { version: number };
    }>(admin, 'PUT', `${ROOT}/${target}/authority`, body(['groupTypeManager:btn_del']));
    expect([first.http, second.http, second.status]).toEqual([200, 409, 30101]);
    expect(second.data.difference.addedElements).toEqual(['groupTypeManager:btn_add']);
    expect(second.data.current.version).toBe(group.version + 1);
    expect(second.message).toContain('新增');
    expect((await grantsOf(target)).elements).toEqual(['groupTypeManager:btn_add']);
  });

  test('of parallel saves exactly one succeeds', async () => {
    const target = await bench.group('parallel', { menus: TYPES });
    const { group } = await authority(target);
    const all = ['btn_add', 'btn_edit', 'btn_del'];
    const answers = await Promise.all(
      all.map((verb) =>
        bench.call(admin, 'PUT', `${ROOT}/${target}/authority`, {
          version: group.version,
          reason: 'why',
          menus: [],
          elements: [`groupTypeManager:${verb}`],
        }),
      ),
    );
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409, 409]);
    expect((await grantsOf(target)).elements).toEqual([
      `groupTypeManager:${all[answers.findIndex((answer) => answer.http === 200)]}`,
    ]);
  });

  test('Bad input, removing the last administrator: two who remove each other at once, one stays', async () => {
    const builtIn = await bench.one(`SELECT id AS v FROM permission_group WHERE code = 'platform_admin'`);
    const adminId = await bench.one(`SELECT id AS v FROM staff WHERE account = 'admin'`);
    const otherId = await bench.staff('second_admin');
    expect(
      (
        await bench.call(admin, 'PUT', `${ROOT}/${builtIn}/members`, {
          set: [{ staffId: String(otherId), kind: 'member' }],
        })
      ).http,
    ).toBe(200);
    // Demonstration data may hold further administrators; they step back for this test.
    const others = await run<{ staff_id: number }>(
      bench.db,
      'DELETE FROM group_member WHERE group_id = $1 AND staff_id <> ALL($2::bigint[]) RETURNING staff_id',
      [builtIn, [adminId, otherId]],
    );
    const other = await bench.token('second_admin');
    const answers = await Promise.all([
      bench.call(admin, 'PUT', `${ROOT}/${builtIn}/members`, { remove: [String(otherId)] }),
      bench.call(other, 'PUT', `${ROOT}/${builtIn}/members`, { remove: [String(adminId)] }),
    ]);
    expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
    expect(await bench.one('SELECT count(*) AS v FROM group_member WHERE group_id = $1', [builtIn])).toBe(1);
    await run(bench.db, 'DELETE FROM group_member WHERE group_id = $1', [builtIn]);
    for (const staffId of [adminId, ...others.map((row) => row.staff_id)])
      await run(bench.db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
        builtIn,
        staffId,
      ]);
    bench.product.platform.changed('session');
  });
});

describe('history', () => {
  test('Must show 6: after a restore the permissions equal those of then; two history rows, both with their reason', async () => {
    const target = await bench.group('history', { menus: TYPES, elements: ['groupTypeManager:btn_add'] });
    const staffId = await bench.staff('restored');
    await run(bench.db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [target, staffId]);
    // What the member may do, as the next call of his session would find it.
    const rights = async () => textOf(await bench.product.caller('restored'));
    const rightsBefore = await rights();
    expect(rightsBefore).toContain('groupTypeManager:btn_add');
    const before = await grantsOf(target);
    expect((await save(target, { menus: [], elements: [] }, { reason: 'morning' })).http).toBe(200);
    expect(await rights()).not.toContain('groupTypeManager:btn_add');
    type Row = { id: string; reason: string; removed: { code: string }[] };
    const listed = await bench.call<{ rows: Row[]; baselines: { id: string }[] }>(
      admin,
      'GET',
      `${ROOT}/${target}/history?kind=grant`,
    );
    expect(listed.data.rows).toHaveLength(1);
    expect(listed.data.rows[0]!.removed.map((one) => one.code)).toEqual([
      'groupTypeManager',
      'groupTypeManager:btn_add',
    ]);
    const baseline = listed.data.baselines[0]!.id;
    const preview = await bench.call<Preview>(
      admin,
      'POST',
      `${ROOT}/${target}/history/${baseline}/restore/preview`,
    );
    expect(preview.data.added.map((one) => one.code)).toEqual([
      'groupTypeManager',
      'groupTypeManager:btn_add',
    ]);
    const { group } = await authority(target);
    expect(
      (
        await bench.call(admin, 'POST', `${ROOT}/${target}/history/${baseline}/restore`, {
          version: group.version,
          reason: '',
        })
      ).http,
    ).toBe(422);
    expect(
      (
        await bench.call(admin, 'POST', `${ROOT}/${target}/history/${baseline}/restore`, {
          version: group.version,
          reason: 'as it was',
        })
      ).http,
    ).toBe(200);
    expect(await grantsOf(target)).toEqual(before);
    expect(await rights()).toBe(rightsBefore);
    const after = await bench.call<{ rows: Row[] }>(admin, 'GET', `${ROOT}/${target}/history?kind=grant`);
    expect(after.data.rows.map((row) => row.reason)).toEqual(['as it was', 'morning']);
    const audit = await bench.one(
      `SELECT count(*) AS v FROM audit_record WHERE entity = 'permissionGroup' AND entity_id = $1 AND action = 'grant'`,
      [String(target)],
    );
    expect(audit).toBe(2);
  });
});

describe('members of a group whose rights one does not hold', () => {
  const end = (days: number) => businessDayOf(new Date(Date.now() + days * 86_400_000));
  let keeper: string;
  beforeAll(async () => {
    const staffId = await bench.staff('group_keeper');
    await bench.group('g_keeper', {
      menus: { groupManager: 'all' },
      elements: ['groupManager:btn_userManager'],
      members: [staffId],
    });
    keeper = await bench.token('group_keeper');
  });

  test('nobody but an administrator takes the administration from one or sets its end', async () => {
    const second = await bench.staff('spare_admin');
    const admins = await bench.one(`SELECT id AS v FROM permission_group WHERE code = 'platform_admin'`);
    await run(bench.db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [admins, second]);
    const entry = { staffId: String(second), kind: 'member', endsOn: end(1) };
    for (const change of [{ remove: [String(second)] }, { set: [entry] }])
      expect((await bench.call(keeper, 'PUT', `${ROOT}/${admins}/members`, change)).status).toBe(30101);
    expect(
      await bench.one(
        'SELECT count(*) AS v FROM group_member WHERE group_id = $1 AND staff_id = $2 AND expires_at IS NULL',
        [admins, second],
      ),
    ).toBe(1);
    expect(
      (await bench.call(admin, 'PUT', `${ROOT}/${admins}/members`, { remove: [String(second)] })).http,
    ).toBe(200);
  });

  test('an end is not put off and a member not made leader; an earlier end and a removal are allowed', async () => {
    const guest = await bench.staff('strong_guest');
    const strong = await bench.group('g_strong_members', {
      menus: { mm_orderRefund: 'all' },
      elements: ['mm_orderRefund:btn_force'],
    });
    const put = (token: string, change: object) =>
      bench.call(token, 'PUT', `${ROOT}/${strong}/members`, change);
    const guestAs = (kind: string, endsOn: string | null) => ({
      set: [{ staffId: String(guest), kind, endsOn }],
    });
    expect((await put(admin, guestAs('member', end(5)))).http).toBe(200);
    for (const change of [guestAs('member', null), guestAs('member', end(9)), guestAs('leader', end(5))])
      expect((await put(keeper, change)).status).toBe(30101);
    expect((await put(keeper, guestAs('member', end(2)))).http).toBe(200);
    expect((await put(keeper, { remove: [String(guest)] })).http).toBe(200);
  });
});
