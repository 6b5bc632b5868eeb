import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../kernel/server/database.ts';
import { effectivePermissions } from '../../../domain/permission/effective-permissions.server.ts';
import { keepBaseline } from './grant-history.server.ts';
import { loadModel } from './load-model.server.ts';
import { permissionsOf } from './permission-model.server.ts';
import { openBench, pause, textOf, type PermissionBench } from './permission-fixtures.ts';
import { callerOfStaff } from './staff-caller.server.ts';

let bench: PermissionBench;
let admin: string;
const GROUPS = '/admin/permissionGroup';
const EFFECTIVE = '/admin/effectivePermission';

beforeAll(async () => {
  bench = await openBench();
  admin = await bench.token('admin');
});
afterAll(() => bench?.product.close());

const clock = async () => (await run<{ at: Date }>(bench.db, 'SELECT clock_timestamp() AS at'))[0]!.at;

interface MenuAnswer {
  readonly allowed: boolean;
  readonly scope: string | null;
  readonly rows: { readonly total: number } | null;
  readonly sources: readonly {
    readonly group: string;
    readonly inherited: boolean;
    readonly kind: string;
    readonly through: string | null;
  }[];
  readonly elements: readonly { readonly code: string; readonly allowed: boolean }[];
}

describe('the two tellings of the rules', () => {
  test('agree for every staff of the demonstration set and for random groups', async () => {
    const staff = await run<{ id: number; department: number | null }>(
      bench.db,
      `SELECT id, department_id AS department FROM staff WHERE state = 'normal' ORDER BY id`,
    );
    const departments = [
      ...new Set(staff.flatMap((one) => (one.department === null ? [] : [one.department]))),
    ];
    const menus = (
      await run<{ code: string }>(bench.db, 'SELECT code FROM menu WHERE built ORDER BY code')
    ).map((row) => row.code);
    const elements = (await run<{ code: string }>(bench.db, 'SELECT code FROM element ORDER BY code')).map(
      (row) => row.code,
    );
    let looked = 0;
    const compare = async () => {
      const model = await loadModel(bench.db);
      for (const { id } of staff) {
        const byTables = await effectivePermissions(bench.db, id);
        expect(textOf(permissionsOf(model, id))).toBe(textOf(byTables));
        looked += byTables.menus.size;
      }
    };
    await compare();
    const grant = fc.record({
      menu: fc.nat(menus.length - 1),
      scope: fc.constantFrom('all', 'dept_tree', 'dept', 'depts', 'self'),
      department: fc.nat(departments.length - 1),
    });
    const group = fc.record({
      parent: fc.option(fc.nat(5)),
      inherit: fc.boolean(),
      enabled: fc.boolean(),
      department: fc.option(fc.nat(departments.length - 1), { freq: 3 }),
      grants: fc.array(grant, { maxLength: 6 }),
      elements: fc.array(fc.nat(elements.length - 1), { maxLength: 8 }),
      members: fc.array(
        fc.record({
          staff: fc.nat(staff.length - 1),
          leader: fc.boolean(),
          days: fc.constantFrom(null, -1, 1),
        }),
        { maxLength: 6 },
      ),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(group, { minLength: 2, maxLength: 7 }), async (groups) => {
        round++;
        const ids: number[] = [];
        const taken = new Set<number>();
        for (const [index, one] of groups.entries()) {
          const parent = one.parent !== null && one.parent < index ? ids[one.parent] : undefined;
          const department =
            one.department !== null && !taken.has(one.department) ? one.department : undefined;
          if (department !== undefined) taken.add(department);
          const id = await bench.group(`rnd_${round}_${index}`, {
            inherit: one.inherit,
            elements: [...new Set(one.elements.map((at) => elements[at]!))],
            ...(parent === undefined ? {} : { parentId: parent }),
            ...(department === undefined ? {} : { type: 'depart', departmentId: departments[department]! }),
          });
          ids.push(id);
          await run(bench.db, 'UPDATE permission_group SET enabled = $2 WHERE id = $1', [id, one.enabled]);
          for (const each of one.grants)
            await run(
              bench.db,
              'INSERT INTO menu_grant (group_id, menu_code, data_scope, department_ids) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING',
              [
                id,
                menus[each.menu],
                each.scope,
                each.scope === 'depts' ? [departments[each.department]] : [],
              ],
            );
          for (const member of one.members)
            await run(
              bench.db,
              `INSERT INTO group_member (group_id, staff_id, kind, expires_at) VALUES ($1, $2, $3, now() + make_interval(days => $4)) ON CONFLICT DO NOTHING`,
              [id, staff[member.staff]!.id, member.leader ? 'leader' : 'member', member.days],
            );
        }
        await compare();
        await run(bench.db, 'UPDATE permission_group SET parent_id = NULL WHERE id = ANY($1::bigint[])', [
          ids,
        ]);
        await run(bench.db, 'DELETE FROM permission_group WHERE id = ANY($1::bigint[])', [ids]);
      }),
      { numRuns: 8, seed: 7 },
    );
    expect(looked).toBeGreaterThan(100);
  });

  test('a staff as caller is the caller of his session', async () => {
    const accounts = await run<{ id: number; account: string }>(
      bench.db,
      `SELECT id, account FROM staff WHERE state = 'normal' ORDER BY id`,
    );
    for (const { id, account } of accounts) {
      const mine = await callerOfStaff(bench.db, id);
      const { epoch: _epoch, ...theirs } = await bench.product.caller(account);
      expect(mine).toEqual({ ...theirs, epoch: '' });
    }
    expect(accounts.length).toBeGreaterThan(10);
  });
});

describe('the history', () => {
  test('replays what everybody could do at every step, also of deleted groups', async () => {
    const staffIds = await Promise.all(
      ['replay_a', 'replay_b', 'replay_c'].map((account) => bench.staff(account)),
    );
    const parent = await bench.group('replay_top', {
      menus: { groupTypeManager: 'all' },
      members: [staffIds[0]!],
    });
    const child = await bench.group('replay_child', {
      parentId: parent,
      inherit: true,
      menus: { userManager: 'self' },
      members: [staffIds[1]!],
    });
    const call = async (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
      const answer = await bench.call(admin, method, `${GROUPS}${path}`, body);
      expect([method, path, answer.message, answer.http]).toEqual([method, path, '', 200]);
      return answer;
    };
    const version = (id: number) =>
      bench.one('SELECT version AS v FROM permission_group WHERE id = $1', [id]);
    const menus = (...codes: string[]) =>
      codes.map((code) => ({ code, dataScope: 'all', departmentIds: [] }));
    const steps: (() => Promise<unknown>)[] = [
      async () =>
        call('PUT', `/${parent}/authority`, {
          version: await version(parent),
          reason: 'one',
          menus: menus('groupTypeManager', 'menuManager'),
          elements: ['groupTypeManager:btn_add'],
        }),
      async () =>
        call('PUT', `/${child}/members`, {
          set: [{ staffId: String(staffIds[2]), kind: 'member', endsOn: null }],
        }),
      async () => call('PUT', `/${parent}`, { version: await version(parent), enabled: false }),
      async () => call('PUT', `/${child}`, { version: await version(child), inherit: false }),
      async () => call('PUT', `/${parent}`, { version: await version(parent), enabled: true }),
      async () =>
        call('PUT', `/${child}/authority`, {
          version: await version(child),
          reason: 'two',
          menus: menus('userManager'),
          elements: ['userManager:btn_add'],
          inherit: true,
        }),
      async () => call('PUT', `/${child}/members`, { remove: staffIds.map(String) }),
      async () => call('DELETE', `/${child}`),
      async () =>
        call('PUT', `/${parent}/authority`, {
          version: await version(parent),
          reason: '',
          menus: [],
          elements: [],
        }),
    ];
    const seen: { at: Date; rights: string[] }[] = [];
    const look = async () => {
      await pause();
      const rights: string[] = [];
      for (const id of staffIds) rights.push(textOf(await effectivePermissions(bench.db, id)));
      seen.push({ at: await clock(), rights });
      await pause();
    };
    await look();
    for (const step of steps) {
      await step();
      await look();
    }
    expect(new Set(seen.map((one) => one.rights.join())).size).toBeGreaterThan(5);
    for (const { at, rights } of seen) {
      const model = await loadModel(bench.db, { staffIds, at });
      expect(staffIds.map((id) => textOf(permissionsOf(model, id)))).toEqual(rights);
    }
    const long = await loadModel(bench.db, { staffIds, at: new Date('2020-01-01T00:00:00Z') });
    expect(staffIds.map((id) => permissionsOf(long, id).menus.size)).toEqual([0, 0, 0]);
  });

  test('Must show 15: the rights at yesterday’s date differ from today’s exactly by the change made since', async () => {
    const staffId = await bench.staff('yesterday');
    const groupId = await bench.group('yesterday_g', {
      menus: { groupTypeManager: 'all', userManager: 'self' },
      members: [staffId],
    });
    // The group is three days old; its element was granted thirty hours ago, by a row of the history of that time.
    await run(bench.db, `UPDATE permission_group SET created_at = now() - interval '3 days' WHERE id = $1`, [
      groupId,
    ]);
    await keepBaseline(bench.db, [groupId]);
    await run(bench.db, `INSERT INTO element_grant (group_id, element_code) VALUES ($1, $2)`, [
      groupId,
      'groupTypeManager:btn_add',
    ]);
    await run(
      bench.db,
      `INSERT INTO grant_history (group_id, at, who, kind, reason, state)
       SELECT group_id, now() - interval '30 hours', who, kind, 'day before', jsonb_set(state, '{elements}', $2)
         FROM grant_history WHERE group_id = $1 AND kind = 'grant'`,
      [groupId, JSON.stringify(['groupTypeManager:btn_add'])],
    );
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    const before = hoursAgo(24);
    const saved = await bench.call(admin, 'PUT', `${GROUPS}/${groupId}/authority`, {
      version: 1,
      reason: 'this morning',
      menus: [
        { code: 'userManager', dataScope: 'self', departmentIds: [] },
        { code: 'groupTypeManager', dataScope: 'all', departmentIds: [] },
      ],
      elements: ['groupTypeManager:btn_del'],
    });
    expect(saved.http).toBe(200);
    type Whole = { menus: { code: string; scope: string; elements: number }[] };
    const then = await bench.call<Whole>(
      admin,
      'GET',
      `${EFFECTIVE}/${staffId}?at=${encodeURIComponent(before)}`,
    );
    const now = await bench.call<Whole>(admin, 'GET', `${EFFECTIVE}/${staffId}`);
    expect(then.data.menus).toEqual(now.data.menus);
    const detail = (at: string) =>
      bench.call<MenuAnswer>(admin, 'GET', `${EFFECTIVE}/${staffId}?menu=groupTypeManager${at}`);
    const held = async (at: string) =>
      (await detail(at)).data.elements.filter((element) => element.allowed).map((element) => element.code);
    expect(await held(`&at=${encodeURIComponent(hoursAgo(36))}`)).toEqual([]);
    expect(await held(`&at=${encodeURIComponent(before)}`)).toEqual(['groupTypeManager:btn_add']);
    expect(await held('')).toEqual(['groupTypeManager:btn_del']);
    const who = async (query: string) =>
      (
        await bench.call<{ account: string }[]>(
          admin,
          'GET',
          `${EFFECTIVE}/who?element=groupTypeManager:btn_add${query}`,
        )
      ).data.map((one) => one.account);
    expect(await who(`&at=${encodeURIComponent(before)}`)).toContain('yesterday');
    expect(await who('')).not.toContain('yesterday');
    expect(await who('')).toContain('admin');
  });
});

describe('departments at a past date', () => {
  test('the group and the scope of the department of then count, whatever way the move took, and the tree of then', async () => {
    const tenant = await bench.one('SELECT id AS v FROM tenant WHERE kind = 3');
    const department = async (code: string, parent: number | null) => {
      const id = await bench.one(
        'INSERT INTO department (tenant_id, code, name, parent_id) VALUES ($1, $2, $2, $3) RETURNING id AS v',
        [tenant, code, parent],
      );
      await run(
        bench.db,
        `UPDATE department SET path = coalesce((SELECT p.path FROM department p WHERE p.id = $2), '{}') || id WHERE id = $1`,
        [id, parent],
      );
      return id;
    };
    const [one, two] = [await department('PAST1', null), await department('PAST2', null)];
    const below = await department('PAST3', one);
    const staffId = await bench.staff('past_mover', { departmentId: one });
    await bench.group('past_one', { type: 'depart', departmentId: one, menus: { groupTypeManager: 'all' } });
    await bench.group('past_scope', { menus: { userManager: 'dept_tree' }, members: [staffId] });
    const rights = async (at?: Date) => {
      const { menus } = permissionsOf(await loadModel(bench.db, { staffIds: [staffId], at }), staffId);
      const scopes = menus.get('userManager') ?? [];
      return [
        menus.has('groupTypeManager'),
        scopes.flatMap((scope) => (scope.kind === 'departments' ? [...scope.ids].sort((a, b) => a - b) : [])),
      ];
    };
    const moments: { at: Date; rights: unknown }[] = [];
    const look = async () => {
      await pause();
      moments.push({ at: await clock(), rights: await rights() });
      await pause();
    };
    const done = async (method: 'POST' | 'PUT', path: string, body: object) => {
      const answer = await bench.call(admin, method, path, body);
      expect([path, answer.message, answer.http]).toEqual([path, '', 200]);
    };
    const staff = [String(staffId)];
    await look();
    await done('POST', `/admin/department/${two}/addMembers`, { staff, kind: 'main' });
    await look();
    await done('POST', `/admin/department/${two}/moveMembers`, { staff, into: String(one) });
    await look();
    await done('POST', `/admin/department/${below}/place`, { parent: String(two), before: null });
    await look();
    await done('POST', '/admin/staff/bulk/assignDepartment', {
      ids: staff,
      input: { department: String(two) },
    });
    await look();
    await done('PUT', `/admin/department/${below}`, {
      version: await bench.one('SELECT version AS v FROM department WHERE id = $1', [below]),
      parent: String(one),
    });
    await look();
    await done('POST', `/admin/department/${two}/merge`, { into: String(one), reason: '合并' });
    await look();
    expect(moments.map((moment) => moment.rights)).toEqual([
      [true, [one, below]],
      [false, [two]],
      [true, [one, below]],
      [true, [one]],
      [false, [two, below]],
      [false, [two]],
      [true, [one, below]],
    ]);
    for (const moment of moments) expect(await rights(moment.at)).toEqual(moment.rights);
  });
});

describe('the answer', () => {
  test('names scope, rows and sources, and previews the side menu', async () => {
    const department = await bench.one(
      `SELECT d.id AS v FROM department d JOIN tenant n ON n.id = d.tenant_id AND n.kind = 3 ORDER BY d.id LIMIT 1`,
    );
    const staffId = await bench.staff('sources', { departmentId: department });
    const top = await bench.group('sources_top', { menus: { groupTypeManager: 'all' } });
    await bench.group('sources_child', {
      parentId: top,
      inherit: true,
      menus: { userManager: 'self' },
      elements: ['userManager:btn_edit'],
      members: [staffId],
    });
    await bench.group('sources_dept', {
      type: 'depart',
      departmentId: department,
      menus: { userManager: 'dept' },
    });
    const { data } = await bench.call<MenuAnswer>(admin, 'GET', `${EFFECTIVE}/${staffId}?menu=userManager`);
    expect(data.allowed).toBe(true);
    expect(data.sources.map((source) => [source.group, source.kind]).sort()).toEqual([
      ['sources_child', 'manual'],
      ['sources_dept', 'department'],
    ]);
    expect(data.scope).toContain('仅本人');
    const visible = await bench.one(
      'SELECT count(*) AS v FROM staff WHERE tenant_id = (SELECT id FROM tenant WHERE kind = 3) AND (department_id = $1 OR id = $2)',
      [department, staffId],
    );
    expect(data.rows?.total).toBe(visible);
    const inherited = await bench.call<MenuAnswer>(
      admin,
      'GET',
      `${EFFECTIVE}/${staffId}?menu=groupTypeManager`,
    );
    expect(inherited.data.sources).toMatchObject([
      { group: 'sources_top', inherited: true, through: 'sources_child' },
    ]);
    const none = await bench.call<MenuAnswer>(admin, 'GET', `${EFFECTIVE}/${staffId}?menu=menuManager`);
    expect([none.data.allowed, none.data.rows, none.data.scope]).toEqual([false, null, null]);
    const preview = await bench.call<{
      menus: { code: string; children: { code: string }[] }[];
      elements: { code: string }[];
    }>(admin, 'GET', `${EFFECTIVE}/${staffId}/preview`);
    expect(preview.data.menus.flatMap((menu) => menu.children.map((child) => child.code))).toEqual([
      'userManager',
      'groupTypeManager',
    ]);
    expect(preview.data.elements.map((element) => element.code)).toEqual(['userManager:btn_edit']);
  });

  test('staff of other tenants answer 404; without the element 403', async () => {
    const merchant = await bench.one('SELECT id AS v FROM tenant WHERE kind = 2 ORDER BY id LIMIT 1');
    const boss = await bench.staff('effective_boss', { tenantId: merchant });
    await bench.group('effective_boss_g', {
      tenantId: merchant,
      menus: { userManager: 'all' },
      elements: ['userManager:btn_permission'],
      members: [boss],
    });
    const token = await bench.token('effective_boss');
    const adminId = await bench.one(`SELECT id AS v FROM staff WHERE account = 'admin'`);
    expect((await bench.call(token, 'GET', `${EFFECTIVE}/${adminId}`)).http).toBe(404);
    expect((await bench.call(token, 'GET', `${EFFECTIVE}/${adminId}/preview`)).http).toBe(404);
    expect((await bench.call(token, 'GET', `/admin/user/${adminId}`)).http).toBe(404);
    expect((await bench.call(token, 'GET', `${EFFECTIVE}/${boss}`)).http).toBe(200);
    const who = await bench.call<{ account: string }[]>(token, 'GET', `${EFFECTIVE}/who?menu=userManager`);
    expect(who.data.map((one) => one.account)).toContain('effective_boss');
    expect(who.data.map((one) => one.account)).not.toContain('admin');
    const nobody = await bench.staff('effective_none');
    expect(
      (await bench.call(await bench.token('effective_none'), 'GET', `${EFFECTIVE}/${nobody}`)).http,
    ).toBe(403);
  });
});
