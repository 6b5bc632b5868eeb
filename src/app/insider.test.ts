import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formulaForMerchant } from '../domain/trade-money/refund.rules.ts';
import { listUnused } from '../features/admin-sys/staff/unused-accounts.server.ts';
import { holdersOf } from '../domain/approval/approvers.server.ts';
import { userSight } from '../features/admin-sys/staff/staff-commands.server.ts';
import { balanceSight, leaveSights } from '../features/admin-sys/overtime/overtime-sights.server.ts';
import { notify } from '../domain/notification/notify.server.ts';
import { refundSight } from '../features/after-sales/refund/refund-scope.server.ts';
import { alertStaff } from '../domain/checkout/alert.server.ts';
import {
  keepOwnReach,
  menusOfOwnCompany,
} from '../features/admin-sys/permission-group/reach-rules.server.ts';
import { run, runOne, transaction } from '../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';
import { LISTS } from '../testing/oracle-lists.ts';
import type { Raw, World } from '../testing/oracle/world.ts';

/*
 * Ways of a staff with some rights to more of them, or to rows of others, each found by trying it on the running product.
 */

let product: TestProduct;
const tenants: Record<string, number> = {};

beforeAll(async () => {
  product = await startTestProduct();
  for (const row of await run<{ id: number; account: string }>(db(), 'SELECT id, account FROM tenant'))
    tenants[row.account] = row.id;
}, 240_000);
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const number = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ n: number }>(db(), sql, values))!.n;

const call: TestProduct['call'] = (...all) => product.call(...all);

interface Wanted {
  readonly tenant?: string;
  readonly department?: number;
  /** Left out: all projects. */
  readonly projects?: readonly number[];
  readonly grants: Readonly<Record<string, string>>;
  readonly elements?: readonly string[];
}

let made = 0;

/** A staff with one group of its own. */
async function staffWith(wanted: Wanted): Promise<{ id: number; account: string; token: string }> {
  const account = `insider${++made}`;
  const tenant = tenants[wanted.tenant ?? 'C000001'];
  const id = await number(
    `INSERT INTO staff (tenant_id, department_id, account, name, all_projects, must_change_password)
     VALUES ($1, $2, $3, $3, $4, false) RETURNING id AS n`,
    [tenant, wanted.department ?? null, account, wanted.projects === undefined],
  );
  for (const project of wanted.projects ?? [])
    await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [id, project]);
  const group = await number(
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, $2, $2 FROM group_type WHERE code = 'role' RETURNING id AS n`,
    [tenant, account],
  );
  for (const [menu, scope] of Object.entries(wanted.grants))
    await run(db(), 'INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, $2, $3)', [
      group,
      menu,
      scope,
    ]);
  for (const element of wanted.elements ?? [])
    await run(db(), 'INSERT INTO element_grant (group_id, element_code) VALUES ($1, $2)', [group, element]);
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group, id]);
  return { id, account, token: await product.signIn(account) };
}

/** A department of the first company, below another one or at the top. */
async function department(parent?: number): Promise<number> {
  const id = await number(
    `INSERT INTO department (tenant_id, parent_id, code, name) VALUES ($1, $2, $3, $3) RETURNING id AS n`,
    [tenants.C000001, parent ?? null, `insider-d${++made}`],
  );
  await run(
    db(),
    `UPDATE department SET path = coalesce((SELECT path FROM department WHERE id = $2), '{}') || id WHERE id = $1`,
    [id, parent ?? null],
  );
  return id;
}

describe('signing in as somebody who sees more', () => {
  const grants = { userManager: 'all', mm_businessOrder_wx: 'all' };
  const elements = ['userManager:btn_resetPwd', 'userManager:btn_edit'];
  const taking = async (thief: { token: string }, victim: { id: number }) => {
    const reset = await call(thief.token, 'POST', `/admin/staff/${victim.id}/resetPassword`, {});
    const version = await number('SELECT version AS n FROM staff WHERE id = $1', [victim.id]);
    const edit = await call(thief.token, 'PUT', `/admin/staff/${victim.id}`, {
      version,
      mobilePhone: `1980000${String(victim.id).padStart(4, '0')}`,
    });
    return [reset.http, edit.http];
  };

  test('a new password or phone of somebody with more projects is refused', async () => {
    const thief = await staffWith({ grants, elements, projects: [1] });
    const all = await staffWith({ grants, elements });
    const two = await staffWith({ grants, elements, projects: [1, 2] });
    const same = await staffWith({ grants, elements, projects: [1] });
    // Groups the thief may give would show it everything once the account is the thief's.
    const nothing = await staffWith({ grants: {} });
    const newcomer = await staffWith({ grants: {}, projects: [] });
    expect(await taking(thief, all)).toEqual([409, 409]);
    expect(await taking(thief, two)).toEqual([409, 409]);
    expect((await call(thief.token, 'POST', `/admin/staff/${two.id}/resetPassword`, {})).message).toContain(
      '范围外的项目',
    );
    expect(await taking(thief, same)).toEqual([200, 200]);
    expect(await taking(thief, nothing)).toEqual([409, 409]);
    expect(await taking(thief, newcomer)).toEqual([200, 200]);
    expect(await taking(all, two)).toEqual([200, 200]);
  });

  test('whether a guessed phone or e-mail is the hidden one is not told by what is refused', async () => {
    const editor = await staffWith({ grants, elements: ['userManager:btn_edit'] });
    const victim = await staffWith({ grants, elements });
    await run(db(), `UPDATE staff SET phone = '13800138765', email = 'wang.gong@corp.cn' WHERE id = $1`, [
      victim.id,
    ]);
    await run(db(), `UPDATE staff SET staff_no = 'TAKEN1' WHERE id = $1`, [editor.id]);
    const version = await number('SELECT version AS n FROM staff WHERE id = $1', [victim.id]);
    const guess = async (more: object) =>
      (await call(editor.token, 'PUT', `/admin/staff/${victim.id}`, { version, staffNo: 'TAKEN1', ...more }))
        .message;
    const missed = await guess({ mobilePhone: '13800238765' });
    expect(missed).toContain('您没有的权限');
    expect(await guess({ mobilePhone: '13800138765' })).toBe(missed);
    expect(await guess({ email: 'wang.gang@corp.cn' })).toBe(missed);
    expect(await guess({ email: 'wang.gong@corp.cn' })).toBe(missed);
    // What is not sent is not asked about: the form leaves hidden values out.
    expect(await guess({})).toBe('工号已被使用');
  });

  test('phones of one masked form are not tried out by asking which are taken', async () => {
    const maker = await staffWith({ grants, elements: ['userManager:btn_add'] });
    const at = await department();
    await run(db(), `UPDATE staff SET sso_account = 'taken-sso' WHERE id = $1`, [maker.id]);
    const answers: string[] = [];
    for (let n = 0; n < 24; n++)
      answers.push(
        (
          await call(maker.token, 'POST', '/admin/staff', {
            account: 'never_made',
            name: '未建',
            department: String(at),
            mobilePhone: `1370${String(n).padStart(3, '0')}8765`,
            ssoAccount: 'taken-sso',
          })
        ).message,
      );
    expect(new Set(answers.slice(0, 20))).toEqual(new Set(['SSO账号已绑定其他员工']));
    for (const message of answers.slice(20)) expect(message).toContain('前三位和后四位相同的手机号');
  });

  test('the same rule holds for the staff of a project', async () => {
    const thief = await staffWith({
      grants: { userManager1: 'all', mm_businessOrder_wx: 'all' },
      elements: ['userManager1:btn_resetPwd'],
      projects: [1],
    });
    const two = await staffWith({ grants: { mm_businessOrder_wx: 'all' }, projects: [1, 2] });
    const answer = await call(thief.token, 'POST', `/admin/projectStaff/${two.id}/resetPassword`, {});
    expect(answer.http).toBe(409);
    expect(answer.text).not.toContain('initialPassword');
  });

  test('own rows are those of each person: only who sees them already may take the account', async () => {
    const own = { userManager: 'all', workOvertimeManager: 'self' };
    const home = await department();
    const victim = await staffWith({ grants: own, department: home });
    const thief = await staffWith({ grants: own, elements });
    const refused = await call(thief.token, 'POST', `/admin/staff/${victim.id}/resetPassword`, {});
    expect([refused.http, refused.data]).toEqual([409, { missing: ['workOvertimeManager'] }]);
    const leader = await staffWith({
      grants: { userManager: 'all', workOvertimeManager: 'dept' },
      elements,
      department: home,
    });
    expect((await call(leader.token, 'POST', `/admin/staff/${victim.id}/resetPassword`, {})).http).toBe(200);
    const chief = await staffWith({ grants: { userManager: 'all', workOvertimeManager: 'all' }, elements });
    expect((await call(chief.token, 'POST', `/admin/staff/${victim.id}/resetPassword`, {})).http).toBe(200);
  });
});

describe('accounts of other companies', () => {
  const button = 'allUserManager:btn_resetPwd';
  const grants = {
    allUserManager: 'all',
    userManager: 'all',
    departManager: 'all',
    roleManager: 'all',
    groupManager: 'all',
    mm_businessOrder_wx: 'all',
  };
  const elements = [
    button,
    'userManager:btn_add',
    'userManager:btn_group',
    'groupManager:btn_userManager',
    'groupManager:btn_resourceManager',
  ];
  const clerkOf = () => staffWith({ tenant: 'platform', grants, elements });
  const groupOf = (staff: { readonly id: number }) =>
    number('SELECT group_id AS n FROM group_member WHERE staff_id = $1', [staff.id]);
  const reset = (token: string, staff: { readonly id: number }) =>
    call(token, 'POST', `/admin/allStaff/${staff.id}/resetPassword`, {});

  test('are not reset by platform staff when they manage their company, which "all" of the platform is not', async () => {
    const clerk = await clerkOf();
    for (const menu of ['userManager', 'departManager', 'roleManager']) {
      const manager = await staffWith({
        tenant: 'C000001',
        grants: { [menu]: 'all', mm_businessOrder_wx: 'all' },
      });
      const refused = await reset(clerk.token, manager);
      expect([refused.http, refused.data, refused.message]).toEqual([
        409,
        { missing: [menu] },
        '该员工管理其所在公司，请由该公司的管理员或平台管理员操作',
      ]);
      expect((await reset(await product.signIn('admin'), manager)).http).toBe(200);
    }
    // Whoever leads a group may let others into those below it.
    const leader = await staffWith({ tenant: 'C000001', grants: { mm_businessOrder_wx: 'all' } });
    await run(db(), `UPDATE group_member SET kind = 'leader' WHERE staff_id = $1`, [leader.id]);
    expect((await reset(clerk.token, leader)).http).toBe(200);
    const below = await staffWith({ tenant: 'C000001', grants: { userManager: 'all' } });
    await run(db(), 'UPDATE permission_group SET parent_id = $1 WHERE id = $2', [
      await groupOf(leader),
      await groupOf(below),
    ]);
    const led = await reset(clerk.token, leader);
    expect([led.http, led.data]).toEqual([409, { missing: ['userManager'] }]);
    // Sellers and colleagues whose rights the clerk covers still get a new password.
    const seller = await staffWith({ tenant: 'M000001', grants: { mm_businessOrder_wx: 'all' } });
    expect((await reset(clerk.token, seller)).http).toBe(200);
    const colleague = await staffWith({ tenant: 'platform', grants: { userManager: 'all' } });
    expect((await reset(clerk.token, colleague)).http).toBe(200);
  });

  test('get no such right afterwards from who may reset them', async () => {
    const clerk = await clerkOf();
    const manager = await staffWith({ tenant: 'C000001', grants: { userManager: 'all' } });
    const small = await staffWith({ tenant: 'C000001', grants: { mm_businessOrder_wx: 'all' } });
    expect((await reset(clerk.token, small)).http).toBe(200);
    const join = async (token: string) =>
      call(token, 'PUT', `/admin/permissionGroup/${await groupOf(manager)}/members`, {
        set: [{ staffId: String(small.id), kind: 'member' }],
        reason: '试试',
      });
    const grant = async (token: string) => {
      const id = await groupOf(small);
      return call(token, 'PUT', `/admin/permissionGroup/${id}/authority`, {
        version: await number('SELECT version AS n FROM permission_group WHERE id = $1', [id]),
        reason: '试试',
        menus: [{ code: 'userManager', dataScope: 'all', departmentIds: [] }],
        elements: [],
      });
    };
    for (const way of [join, grant]) {
      const refused = await way(clerk.token);
      expect([refused.http, refused.message]).toEqual([409, expect.stringContaining('请由平台管理员操作')]);
    }
    // Nor from who laid that button down before: platform administrators do this work.
    const other = await staffWith({
      tenant: 'platform',
      grants,
      elements: elements.filter((one) => one !== button),
    });
    expect([(await join(other.token)).http, (await grant(other.token)).http]).toEqual([409, 409]);
    const admin = await product.signIn('admin');
    expect([(await join(admin)).http, (await grant(admin)).http]).toEqual([200, 200]);
  });

  test('are not offered in the dialog of grants what cannot be given to them', async () => {
    const clerk = await clerkOf();
    const offered = async (staff: { readonly id: number }) => {
      const { data } = await call(
        clerk.token,
        'GET',
        `/admin/permissionGroup/${await groupOf(staff)}/authority`,
      );
      const byCode = (list: { code: string }[], code: string) => list.find((one) => one.code === code) as any;
      return [
        byCode(data.menus, 'userManager').may.scopes.includes('all'),
        byCode(data.menus, 'mm_businessOrder_wx').may.scopes.includes('all'),
        byCode(data.elements, 'userManager:btn_add').held,
        byCode(data.elements, button).held,
        data.elsewhere.toSorted(),
      ];
    };
    const small = await staffWith({ tenant: 'C000001', grants: { mm_businessOrder_wx: 'all' } });
    const elsewhere = ['departManager', 'roleManager', 'userManager'];
    expect(await offered(small)).toEqual([false, true, false, true, elsewhere]);
    const colleague = await staffWith({ tenant: 'platform', grants: { mm_businessOrder_wx: 'all' } });
    expect(await offered(colleague)).toEqual([true, true, true, true, []]);
    // A member of another company is enough.
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
      await groupOf(colleague),
      small.id,
    ]);
    expect((await offered(colleague))[4]).toEqual(elsewhere);
  });

  test('count every menu that shows the own company only, as the independent rule has it', () => {
    // Of a row only its rule is asked; every number of it is 0, and so is the row it refers to.
    const row = new Proxy(
      {},
      { get: (_row, name) => (/_ids$/.test(String(name)) ? [] : 0) },
    ) as unknown as Raw;
    const world = { rows: new Proxy({}, { get: () => [row] }) } as unknown as World;
    const own = LISTS.filter((one) => one.standing(row, world).rule === 'own').map((one) => one.menu);
    expect([...menusOfOwnCompany(product.platform)].sort()).toEqual([...new Set(own)].sort());
    expect(own).toContain('userManager');
  });
});

test('whoever takes the rights from a colleague and then the account reads no messages about rows of these rights', async () => {
  const victim = await staffWith({ grants: { userManager: 'all', mm_commodityMana: 'all' } });
  await transaction(db(), (tx) =>
    notify(tx, {
      staffIds: [victim.id],
      kind: 'unusedAccounts',
      rows: { sight: userSight, ids: [victim.id] },
      title: ['名单', 'List'],
      body: ['张三', '张三'],
    }),
  );
  await transaction(db(), (tx) =>
    notify(tx, {
      staffIds: [victim.id],
      kind: 'groupEnded',
      aboutReceiver: true,
      title: ['角色到期', 'Ended'],
    }),
  );
  const [list] = await run<{ id: number }>(
    db(),
    `SELECT id FROM notification WHERE staff_id = $1 AND kind = 'unusedAccounts'`,
    [victim.id],
  );
  const seen = async (token: string) => {
    const { rows, total } = (await call(token, 'GET', '/admin/notification/page')).data;
    const { total: unread } = (await call(token, 'GET', '/admin/notification/unread')).data;
    return [rows.map((row: { kind: string }) => row.kind), total, unread];
  };
  expect(await seen(victim.token)).toEqual([['groupEnded', 'unusedAccounts'], 2, 2]);
  await run(
    db(),
    'DELETE FROM menu_grant WHERE group_id = (SELECT group_id FROM group_member WHERE staff_id = $1)',
    [victim.id],
  );
  const taken = await product.signIn(victim.account);
  expect(await seen(taken)).toEqual([['groupEnded'], 1, 1]);
  for (const [method, path] of [
    ['POST', `${list!.id}/read`],
    ['DELETE', `${list!.id}`],
  ] as const)
    expect((await call(taken, method, `/admin/notification/${path}`)).http).toBe(404);
  // Whoever comes back to the rights finds it unread.
  expect((await call(taken, 'POST', '/admin/notification/readAll')).http).toBe(200);
  await run(
    db(),
    `INSERT INTO menu_grant (group_id, menu_code) SELECT group_id, 'userManager' FROM group_member WHERE staff_id = $1`,
    [victim.id],
  );
  expect(await seen(await product.signIn(victim.account))).toEqual([['groupEnded', 'unusedAccounts'], 2, 1]);
});

describe('messages about rows are read as long as these are seen', () => {
  const titles = async (staff: { readonly account: string }) => {
    const token = await product.signIn(staff.account);
    const { rows, total } = (await call(token, 'GET', '/admin/notification/page')).data;
    const { total: unread } = (await call(token, 'GET', '/admin/notification/unread')).data;
    expect([total, unread]).toEqual([rows.length, rows.length]);
    return rows.map((row: { title: string }) => row.title);
  };
  const groupOf = '(SELECT group_id FROM group_member WHERE staff_id = $1)';

  test('what waits for a decision, by who may decide about that staff: menu, button, care', async () => {
    const [home, away] = [await department(), await department()];
    const [subject, other] = [
      await staffWith({ department: home, grants: {} }),
      await staffWith({ department: away, grants: {} }),
    ];
    const wanted = { grants: { workOvertimeManager: 'self' }, elements: ['workOvertimeManager:btn_approve'] };
    const leader = await staffWith({ ...wanted, department: away });
    const lead = (staff: { readonly id: number } | undefined) =>
      run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [home, staff?.id ?? null]);
    const leave = await number(
      `INSERT INTO leave_record (tenant_id, staff_id, kind, day, starts_at, ends_at, minutes, reason, state, created_by, updated_by)
       VALUES ($1, $2, 'leave', '2026-03-02', '2026-03-02 09:00', '2026-03-02 10:00', 60, '事', 'pending', $2, $2) RETURNING id AS n`,
      [tenants.C000001, subject.id],
    );
    const tell = (staff: { readonly id: number }) =>
      transaction(db(), (tx) =>
        notify(tx, {
          staffIds: [staff.id],
          kind: 'approval',
          rows: { sight: leaveSights.toDecide, ids: [leave] },
          title: ['待审批：张三 1 小时', 'To approve'],
        }),
      );
    expect(await tell(leader)).toBe(0);
    await lead(leader);
    expect(await tell(leader)).toBe(1);
    await transaction(db(), (tx) =>
      notify(tx, {
        staffIds: [leader.id],
        kind: 'overtimeExpiry',
        rows: { sight: balanceSight, ids: [subject.id] },
        title: ['张三 有 1 小时调休', 'Time off of somebody'],
      }),
    );
    await transaction(db(), (tx) =>
      notify(tx, {
        staffIds: [leader.id],
        kind: 'approval',
        aboutReceiver: true,
        title: ['已通过', 'Passed'],
      }),
    );
    const EXPIRY = '张三 有 1 小时调休';
    const WAITS = '待审批：张三 1 小时';
    expect(await titles(leader)).toEqual(['已通过', EXPIRY, WAITS]);
    // Another one leads the department: the staff is out of its care, until the data scope shows its rows.
    await lead(other);
    expect(await titles(leader)).toEqual(['已通过']);
    await run(db(), `UPDATE menu_grant SET data_scope = 'all' WHERE group_id = ${groupOf}`, [leader.id]);
    expect(await titles(leader)).toEqual(['已通过', EXPIRY, WAITS]);
    await run(db(), `DELETE FROM element_grant WHERE group_id = ${groupOf}`, [leader.id]);
    expect(await titles(leader)).toEqual(['已通过', EXPIRY]);
    await run(db(), `DELETE FROM menu_grant WHERE group_id = ${groupOf}`, [leader.id]);
    expect(await titles(leader)).toEqual(['已通过']);
    await lead(undefined);
  });

  test('the result of a refund, by who works in its project', async () => {
    const row = (await runOne<{ id: number; project: number }>(
      db(),
      'SELECT id, project_id AS project FROM refund ORDER BY id LIMIT 1',
    ))!;
    const staff = await staffWith({
      tenant: 'platform',
      projects: [row.project],
      grants: { mm_orderRefund: 'all' },
    });
    const stranger = await staffWith({ tenant: 'platform', projects: [], grants: { mm_orderRefund: 'all' } });
    const told = await transaction(db(), (tx) =>
      notify(tx, {
        staffIds: [staff.id, stranger.id],
        kind: 'refundResult',
        rows: { sight: refundSight, ids: [row.id] },
        title: ['退款成功', 'Refunded'],
      }),
    );
    expect(told).toBe(1);
    expect(await titles(staff)).toEqual(['退款成功']);
    await run(db(), 'DELETE FROM staff_project WHERE staff_id = $1', [staff.id]);
    expect(await titles(staff)).toEqual([]);
  });

  test('every kind of rows messages tell of has one sight, seen under a menu that is built', () => {
    const sights = product.platform.registrations.flatMap((service) => service.sights ?? []);
    const kinds = product.platform.registrations.flatMap((service) => service.approvals ?? []);
    const names = sights.map((sight) => `${sight.entity} ${sight.menu}`);
    expect(names.length).toBeGreaterThan(8);
    expect(new Set(names).size).toBe(names.length);
    const menus = new Set(product.platform.registrations.flatMap((service) => service.menus));
    expect(sights.filter((sight) => !menus.has(sight.menu))).toEqual([]);
    for (const kind of kinds) expect(sights).toEqual(expect.arrayContaining(Object.values(kind.sights)));
  });
});

test('whoever finds an open session of who may edit users cannot make the account its own', async () => {
  const victim = await staffWith({ grants: { userManager: 'all' }, elements: ['userManager:btn_edit'] });
  const version = await number('SELECT version AS n FROM staff WHERE id = $1', [victim.id]);
  const edit = (body: object) => call(victim.token, 'PUT', `/admin/staff/${victim.id}`, { version, ...body });
  const byPath = (id: string) =>
    call(victim.token, 'POST', '/admin/user/updateUserInfo', { id, version, mobilePhone: '19800009999' });
  expect([(await edit({ mobilePhone: '19800009999' })).http, (await byPath(`0${victim.id}`)).http]).toEqual([
    409, 409,
  ]);
  expect((await edit({ ssoAccount: 'finder@corp' })).http).toBe(409);
  expect(await runOne(db(), 'SELECT phone, sso_account FROM staff WHERE id = $1', [victim.id])).toEqual({
    phone: null,
    sso_account: null,
  });
  expect((await edit({ description: '可以' })).http).toBe(200);
});

describe('the own data scope', () => {
  test('is not widened by two rearrangements at once of which each is harmless alone', async () => {
    const home = await department();
    const away = await department();
    const empty = await department();
    const victim = await staffWith({ grants: {}, department: away });
    const thief = await staffWith({ grants: { userManager: 'dept_tree' }, department: home });
    const caller = await product.caller(thief.account);
    const commits: (() => void)[] = [];
    const rearrange = (sql: string, values: readonly number[], waits: boolean) =>
      transaction(db(), (tx) =>
        keepOwnReach(tx, caller, async () => {
          await run(tx, sql, values);
          if (waits) await new Promise<void>((resolve) => commits.push(resolve));
        }),
      ).then(
        () => 'done',
        (error: unknown) => (error as { status?: number }).status,
      );
    // One puts the empty department below the own one and waits with its commit, the other puts the victim into it.
    const first = rearrange('UPDATE department SET parent_id = $2 WHERE id = $1', [empty, home], true);
    await expect.poll(() => commits.length).toBe(1);
    const second = rearrange('UPDATE staff SET department_id = $2 WHERE id = $1', [victim.id, empty], false);
    const early = await Promise.race([second, new Promise((resolve) => setTimeout(resolve, 500, 'waits'))]);
    commits[0]!();
    expect([early, await first, await second]).toEqual(['waits', 'done', 30101]);
    expect((await call(thief.token, 'GET', `/admin/staff/${victim.id}`)).http).toBe(404);
  });

  test('holds for applications: nobody makes itself the leader of staff whose records it does not see', async () => {
    const away = await department();
    const chief = await staffWith({ grants: {}, department: away });
    const member = await staffWith({ grants: {}, department: away });
    await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [away, chief.id]);
    const handed = await staffWith({ grants: {} });
    await run(db(), 'UPDATE staff SET leader_id = $2 WHERE id = $1', [chief.id, handed.id]);
    const thief = (menus: Record<string, string>) =>
      staffWith({
        grants: { userManager: 'all', departManager: 'all', ...menus },
        elements: ['userManager:btn_edit', 'userManager:btn_handover', 'departManager:btn_edit'],
      });
    const versionOf = (table: string, id: number) =>
      number(`SELECT version AS n FROM ${table} WHERE id = $1`, [id]);
    const ways = async (self: { readonly id: number; readonly token: string }) => {
      const leader = String(self.id);
      const put = async (path: string, table: string, id: number) =>
        (await call(self.token, 'PUT', path, { version: await versionOf(table, id), leader })).http;
      return [
        await put(`/admin/department/${away}`, 'department', away),
        await put(`/admin/staff/${chief.id}`, 'staff', chief.id),
        (
          await call(self.token, 'POST', `/admin/staff/${handed.id}/handover`, {
            targets: { direct_reports: leader },
          })
        ).http,
        // Who leads nobody brings nothing along.
        await put(`/admin/staff/${member.id}`, 'staff', member.id),
      ];
    };
    expect(await ways(await thief({ workOvertimeManager: 'self' }))).toEqual([409, 409, 409, 200]);
    expect(await ways(await thief({}))).toEqual([409, 409, 409, 200]);
    expect(await ways(await thief({ workOvertimeManager: 'all' }))).toEqual([200, 200, 200, 200]);
  });

  test('holds for applications over time, with a department that is made, and with the account of a leader', async () => {
    const away = await department();
    const chief = await staffWith({
      grants: { workOvertimeManager: 'self' },
      elements: ['workOvertimeManager:btn_approve'],
      department: away,
    });
    await staffWith({ grants: {}, department: away });
    const lender = await staffWith({
      grants: { departManager: 'all', workOvertimeManager: 'self' },
      elements: ['departManager:btn_edit', 'departManager:btn_add'],
    });
    const lent = await staffWith({ grants: { workOvertimeManager: 'all' } });
    await run(
      db(),
      `INSERT INTO group_member (group_id, staff_id, expires_at) SELECT group_id, $2, now() + interval '1 day' FROM group_member WHERE staff_id = $1`,
      [lent.id, lender.id],
    );
    const token = await product.signIn(lender.account);
    const lead = await call(token, 'PUT', `/admin/department/${away}`, {
      version: await number('SELECT version AS n FROM department WHERE id = $1', [away]),
      leader: String(lender.id),
    });
    expect([lead.http, lead.message]).toEqual([409, expect.stringContaining('审批')]);
    const maker = await staffWith({
      grants: { departManager: 'self', workOvertimeManager: 'self' },
      elements: ['departManager:btn_add'],
    });
    await run(db(), 'UPDATE staff SET leader_id = $2 WHERE id = $1', [chief.id, maker.id]);
    const made = await call(maker.token, 'POST', '/admin/department', {
      name: '新设部',
      code: `made${maker.id}`,
      type: 'function',
      leader: String(chief.id),
    });
    expect([made.http, made.message]).toEqual([409, expect.stringContaining('审批')]);
    // Who leads decides about staff of other departments: no new password from who sees the own department only.
    const home = await department();
    await run(db(), 'UPDATE staff SET department_id = $2 WHERE id = $1', [chief.id, home]);
    const clerk = await staffWith({
      grants: { userManager: 'dept', workOvertimeManager: 'dept' },
      elements: ['userManager:btn_resetPwd', 'workOvertimeManager:btn_approve'],
      department: home,
    });
    const reset = () => call(clerk.token, 'POST', `/admin/staff/${chief.id}/resetPassword`, {});
    expect((await reset()).http).toBe(200);
    await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [away, chief.id]);
    expect((await reset()).http).toBe(409);
  });

  test('holds for the account of a leader without rights: whoever could give it the button or the menu counts what it leads', async () => {
    const away = await department();
    await staffWith({ grants: {}, department: away });
    const chief = await staffWith({ grants: {} });
    await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [away, chief.id]);
    const reset = async (grants: Record<string, string>, elements: string[] = []) => {
      const clerk = await staffWith({
        grants: { userManager: 'all', ...grants },
        elements: ['userManager:btn_resetPwd', ...elements],
      });
      return (await call(clerk.token, 'POST', `/admin/staff/${chief.id}/resetPassword`, {})).http;
    };
    const button = 'workOvertimeManager:btn_approve';
    expect(await reset({ workOvertimeManager: 'self' }, [button])).toBe(409);
    expect(await reset({ departManager: 'self' })).toBe(409);
    // Who sees all of it gains nothing, and who holds none of it has nothing to give.
    expect(await reset({ workOvertimeManager: 'all', departManager: 'all' }, [button])).toBe(200);
    expect(await reset({})).toBe(200);
  });

  test('holds for staff who are put into projects or taken out of departments', async () => {
    const home = await department();
    const away = await department();
    const victim = await staffWith({ grants: {}, projects: [1], department: away });
    const near = await staffWith({ grants: {}, projects: [1], department: home });
    const thief = await staffWith({
      grants: { userManager1: 'dept', departManager: 'self' },
      elements: ['userManager1:btn_project', 'departManager:btn_member_add'],
      department: home,
    });
    await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [home, thief.id]);
    const join = (staff: number) =>
      call(thief.token, 'POST', '/admin/projectStaff/action/addToProjects', {
        staff: [String(staff)],
        projects: ['2'],
      });
    expect((await join(victim.id)).http).toBe(404);
    expect((await join(near.id)).http).toBe(200);
    expect(
      await run(
        db(),
        'SELECT staff_id, project_id FROM staff_project WHERE project_id = 2 AND staff_id = ANY($1)',
        [[victim.id, near.id]],
      ),
    ).toEqual([{ staff_id: near.id, project_id: 2 }]);

    const leader = await staffWith({
      grants: { departManager: 'self' },
      elements: ['departManager:btn_member_add'],
    });
    const led = await department();
    await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [led, leader.id]);
    const take = (staff: number) =>
      call(leader.token, 'POST', `/admin/department/${led}/addMembers`, {
        staff: [String(staff)],
        kind: 'main',
      });
    const refused = await take(victim.id);
    expect([refused.http, refused.message]).toEqual([409, expect.stringContaining(victim.account)]);
    const homeless = await staffWith({ grants: {} });
    expect((await take(homeless.id)).http).toBe(200);
  });

  test('holds for projects: nobody takes staff in who work in others only, unless it sees them among the users', async () => {
    const elements = ['btn_project', 'btn_edit', 'btn_enable'].map((button) => `userManager1:${button}`);
    const taker = await staffWith({ grants: { userManager1: 'all' }, elements, projects: [1] });
    const far = await staffWith({ grants: {}, projects: [2] });
    const both = await staffWith({ grants: {}, projects: [1, 2] });
    const free = await staffWith({ grants: {}, projects: [] });
    const take = (self: { readonly token: string }, ...staff: readonly { readonly id: number }[]) =>
      call(self.token, 'POST', '/admin/projectStaff/action/addToProjects', {
        staff: staff.map((one) => String(one.id)),
        projects: ['1'],
      });
    const refused = await take(taker, free, far);
    expect([refused.status, refused.message]).toEqual([
      30101,
      `他们只在您范围外的项目工作，不能由您加入项目，请由负责其现有项目的人员，或在用户管理中能看到他们的管理员操作：${far.account}`,
    ]);
    // The other doors do not know them at all.
    const version = await number('SELECT version AS n FROM staff WHERE id = $1', [far.id]);
    const bulk = await call(taker.token, 'POST', '/admin/projectStaff/bulk/changeProjects', {
      ids: [String(far.id)],
      input: { projects: ['1'] },
    });
    expect([bulk.data.done, bulk.data.failed.length]).toEqual([[], 1]);
    expect(
      (await call(taker.token, 'PUT', `/admin/projectStaff/${far.id}`, { version, projects: ['1'] })).http,
    ).toBe(404);
    expect((await call(taker.token, 'GET', `/admin/projectStaff/${far.id}/signIns`)).http).toBe(404);
    expect((await take(taker, free, both)).http).toBe(200);
    // Whoever sees some of the users only is refused the others.
    const near = await department();
    const partly = await staffWith({
      grants: { userManager1: 'all', userManager: 'dept' },
      elements,
      projects: [1],
      department: near,
    });
    const known = await staffWith({ grants: {}, projects: [2], department: near });
    expect([(await take(partly, far)).http, (await take(partly, known)).http]).toEqual([409, 200]);
    const chief = await staffWith({
      grants: { userManager1: 'all', userManager: 'all' },
      elements,
      projects: [1],
    });
    expect((await take(chief, far)).http).toBe(200);
  });

  describe('holds for "all projects" and the own ones', () => {
    const rights = {
      grants: { userManager: 'all', userManager1: 'all' },
      elements: ['btn_project', 'btn_edit'].flatMap((button) => [
        `userManager:${button}`,
        `userManager1:${button}`,
      ]),
    };
    const projectsOf = async (id: number) =>
      runOne<{ all: boolean; some: number[] }>(
        db(),
        `SELECT all_projects AS all, ARRAY(SELECT project_id FROM staff_project WHERE staff_id = id ORDER BY 1) AS some
           FROM staff WHERE id = $1`,
        [id],
      );
    const assign = (by: { token: string }, id: number, body: object) =>
      call(by.token, 'POST', `/admin/staff/${id}/assignProjects`, body);
    const NOT_ALL = '您未负责全部项目，不能开启或取消“全部项目”，请由负责全部项目的管理员操作';

    test('who is limited to some neither lifts the limit of others nor sets it', async () => {
      const limited = await staffWith({ ...rights, projects: [1] });
      const everywhere = await staffWith({ grants: {} });
      const here = await staffWith({ grants: {}, projects: [1] });
      for (const [staff, allProjects] of [
        [everywhere, false],
        [here, true],
        [limited, true],
      ] as const) {
        const before = await projectsOf(staff.id);
        const refused = await assign(limited, staff.id, { projects: ['1'], allProjects });
        expect([refused.status, refused.message]).toEqual([30101, NOT_ALL]);
        const english = await product.app.inject({
          method: 'POST',
          url: `/api/admin/staff/${staff.id}/assignProjects`,
          headers: { authorization: limited.token, 'accept-language': 'en' },
          payload: { projects: ['1'], allProjects },
        });
        expect(english.json<{ message: string }>().message).toMatch(/^You do not work in all projects/);
        const version = await number('SELECT version AS n FROM staff WHERE id = $1', [staff.id]);
        const form = await call(limited.token, 'PUT', `/admin/staff/${staff.id}`, { version, allProjects });
        expect([form.status, form.message]).toEqual([30101, NOT_ALL]);
        expect(await projectsOf(staff.id)).toEqual(before);
      }
      // What stays as it is is nobody's change, and some projects more or less are no matter of the flag.
      expect((await assign(limited, everywhere.id, { projects: ['1'], allProjects: true })).http).toBe(200);
      expect((await assign(limited, here.id, { projects: [], allProjects: false })).http).toBe(200);
      expect([await projectsOf(everywhere.id), await projectsOf(here.id)]).toEqual([
        { all: true, some: [1] },
        { all: false, some: [] },
      ]);
      // Who has all projects switches it both ways.
      const chief = await staffWith(rights);
      for (const allProjects of [false, true])
        expect((await assign(chief, everywhere.id, { projects: ['1'], allProjects })).http).toBe(200);
    });

    test('nobody gives itself projects; who lays "all projects" down keeps some', async () => {
      const chief = await staffWith(rights);
      const refusals = [
        await assign(chief, chief.id, { projects: ['1'] }),
        await call(chief.token, 'POST', '/admin/projectStaff/action/addToProjects', {
          staff: [String(chief.id)],
          projects: ['1'],
        }),
      ];
      expect(refusals.map((one) => [one.status, one.message])).toEqual(
        refusals.map(() => [30101, '不能给自己增加项目，请由其他管理员操作']),
      );
      const bulk = await call(chief.token, 'POST', '/admin/staff/bulk/changeProjects', {
        ids: [String(chief.id)],
        input: { projects: ['1'] },
      });
      expect(bulk.data.done).toEqual([]);
      expect(await projectsOf(chief.id)).toEqual({ all: true, some: [] });
      expect((await assign(chief, chief.id, { projects: ['1'], allProjects: false })).http).toBe(200);
      expect(await projectsOf(chief.id)).toEqual({ all: false, some: [1] });
    });

    test('a caller whose projects are taken away meanwhile gives them to nobody, itself included', async () => {
      const friend = await staffWith({ grants: {}, projects: [1] });
      /** Sends the call, which waits for the row of the staff, and takes the caller's projects away meanwhile. */
      const meanwhile = async (
        caller: { id: number },
        target: number,
        send: () => ReturnType<typeof call>,
      ) => {
        let sent: ReturnType<typeof call> | undefined;
        await transaction(db(), async (tx) => {
          await run(tx, 'SELECT 1 FROM staff WHERE id = $1 FOR UPDATE', [target]);
          sent = send().then((answer) => answer);
          await new Promise((resolve) => setTimeout(resolve, 400));
          await run(tx, 'DELETE FROM staff_project WHERE staff_id = $1 AND project_id = 2', [caller.id]);
          await run(tx, 'UPDATE staff SET all_projects = false WHERE id = $1', [caller.id]);
        });
        return (await sent!).http;
      };
      const join = (by: { token: string }, id: number) =>
        call(by.token, 'POST', '/admin/projectStaff/action/addToProjects', {
          staff: [String(id)],
          projects: ['2'],
        });
      const giver = await staffWith({ ...rights, projects: [1, 2] });
      expect(await meanwhile(giver, friend.id, () => join(giver, friend.id))).toBe(409);
      const taker = await staffWith({ ...rights, projects: [1, 2] });
      expect(await meanwhile(taker, taker.id, () => join(taker, taker.id))).toBe(409);
      const chief = await staffWith(rights);
      expect(
        await meanwhile(chief, friend.id, () =>
          assign(chief, friend.id, { projects: [], allProjects: true }),
        ),
      ).toBe(409);
      expect([await projectsOf(friend.id), await projectsOf(taker.id)]).toEqual([
        { all: false, some: [1] },
        { all: false, some: [1] },
      ]);
    });
  });

  test('counts the staff in the tree of departments', async () => {
    const home = await department();
    const away = await department();
    await staffWith({ grants: {}, department: away });
    const heads = async (grants: Readonly<Record<string, string>>) => {
      const who = await staffWith({ grants, department: home });
      const tree = (await call(who.token, 'GET', '/admin/department/tree')).data as {
        id: string;
        own: number;
        whole: number;
      }[];
      return Object.fromEntries(
        tree
          .filter((one) => [home, away].includes(Number(one.id)))
          .map((one) => [Number(one.id) === home ? 'home' : 'away', [one.own, one.whole]]),
      );
    };
    expect(await heads({ userManager: 'self' })).toEqual({ home: [1, 1], away: [0, 0] });
    expect(await heads({ userManager: 'dept' })).toEqual({ home: [2, 2], away: [0, 0] });
    expect(await heads({ departManager: 'self' })).toEqual({ home: [1, 1], away: [0, 0] });
    expect(await heads({ userManager: 'all' })).toEqual({ home: [4, 4], away: [1, 1] });
  });
});

describe('goods and orders of others', () => {
  const sold = { mm_businessOrder_wx: 'all' };
  const create = ['mm_businessOrder_wx:btn_create'];

  test('whoever orders for members is offered goods of the own projects only', async () => {
    const limited = await staffWith({ grants: sold, elements: create, projects: [1] });
    const inside = await call(limited.token, 'GET', '/jinmao/web/goodsOrder/spec?projectId=1');
    expect([inside.http, inside.data.length > 0]).toEqual([200, true]);
    expect((await call(limited.token, 'GET', '/jinmao/web/goodsOrder/spec?projectId=2')).http).toBe(404);

    const spec = inside.data[0].id as string;
    const productId = await number('SELECT product_id AS n FROM product_spec WHERE id = $1', [spec]);
    const member = await number('SELECT min(id) AS n FROM member WHERE project_id = 1');
    const quote = () =>
      call(limited.token, 'POST', '/jinmao/web/goodsOrder/quote', {
        memberId: String(member),
        projectId: '1',
        lines: [{ specId: spec, qty: 1 }],
      });
    expect((await quote()).http).toBe(200);
    const { name } = (await runOne<{ name: string }>(db(), 'SELECT name FROM product WHERE id = $1', [
      productId,
    ]))!;
    const kept = await run<{ project_id: number }>(
      db(),
      'DELETE FROM product_project WHERE product_id = $1 AND project_id = 1 RETURNING project_id',
      [productId],
    );
    const foreign = await quote();
    for (const { project_id } of kept)
      await run(db(), 'INSERT INTO product_project (product_id, project_id) VALUES ($1, $2)', [
        productId,
        project_id,
      ]);
    // Not even what it is called.
    expect([foreign.http, foreign.text.includes(name)]).toEqual([404, false]);
  });

  test("a merchant's quote names no coupon of another merchant", async () => {
    const merchant = tenants.M000001!;
    const held = (await runOne<{ member: number; name: string }>(
      db(),
      `SELECT mc.member_id AS member, c.name FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id
        WHERE c.issuer = 'merchant' AND c.tenant_id <> $1 AND mc.status = 'claimed' AND mc.ends_at > now()
          AND EXISTS (SELECT FROM sales_order o WHERE o.member_id = mc.member_id AND o.tenant_id = $1 AND o.kind = 'goods') ORDER BY mc.id LIMIT 1`,
      [merchant],
    ))!;
    const spec = (await runOne<{ id: number; project: number }>(
      db(),
      `SELECT s.id, pp.project_id AS project FROM product_spec s JOIN product p ON p.id = s.product_id JOIN product_project pp ON pp.product_id = p.id
        WHERE p.tenant_id = $1 AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled ORDER BY s.id LIMIT 1`,
      [merchant],
    ))!;
    const quote = async (tenant: string) => {
      const seller = await staffWith({ tenant, grants: sold, elements: create });
      return call(seller.token, 'POST', '/jinmao/web/goodsOrder/quote', {
        memberId: String(held.member),
        projectId: String(spec.project),
        lines: [{ specId: String(spec.id), qty: 1 }],
      });
    };
    const own = await quote('M000001');
    expect([own.http, own.text.includes(held.name)]).toEqual([200, false]);
    expect((await quote('platform')).text).toContain(held.name);
  });

  test('pickers of goods keep to the own rows of who holds no more', async () => {
    const own = await staffWith({ grants: { mm_commodityMana: 'self' } });
    const offered = async (token: string) => [
      (await call(token, 'GET', '/jinmao/web/options/productSpec?limit=5')).data.length as number,
      (await call(token, 'GET', '/jinmao/web/bizProductGoodtoVisit/getProductInfoPc')).data?.total as number,
    ];
    expect(await offered(own.token)).toEqual([0, 0]);
    const draft = await number(
      `SELECT min(s.id) AS n FROM product_spec s JOIN product p ON p.id = s.product_id
         JOIN product_project pp ON pp.product_id = p.id AND pp.project_id = 1 WHERE p.status = 'draft'`,
    );
    const named = async (grants: Readonly<Record<string, string>>) => {
      const who = await staffWith({ grants });
      return (await call(who.token, 'GET', `/jinmao/web/options/productSpec?ids=${draft}`)).data
        .length as number;
    };
    expect(await named(sold)).toBe(0);
    expect(await named({ mm_commodityMana: 'self' })).toBe(0);
    expect(await named({ mm_commodityMana: 'all' })).toBe(1);
    const seller = await staffWith({ grants: sold });
    expect((await offered(seller.token))[0]).toBe(5);
  });

  test('stock movements give the numbers of orders to who sees these orders', async () => {
    const productId = await number(
      `SELECT s.product_id AS n FROM stock_movement m JOIN product_spec s ON s.id = m.spec_id JOIN sales_order o ON o.id::text = m.source_id AND m.source_type = 'sales_order'
        WHERE o.project_id = 2 AND EXISTS (SELECT FROM product_project pp WHERE pp.product_id = s.product_id AND pp.project_id = 1) ORDER BY m.id LIMIT 1`,
    );
    const sources = async (wanted: Omit<Wanted, 'elements'>) => {
      const who = await staffWith(wanted);
      const { rows } = (await call(who.token, 'GET', `/jinmao/web/product/${productId}/movements?limit=200`))
        .data as { rows: { source: string }[] };
      const codes = [...new Set(rows.map((row) => row.source).filter((code) => code !== ''))];
      const places = await run<{ project_id: number }>(
        db(),
        'SELECT DISTINCT project_id FROM sales_order WHERE code = ANY($1::text[]) UNION SELECT project_id FROM refund WHERE code = ANY($1::text[]) ORDER BY 1',
        [codes],
      );
      return places.map((place) => place.project_id);
    };
    const goods = { mm_commodityMana: 'all' };
    const all = { ...goods, mm_businessOrder_wx: 'all', mm_orderRefund: 'all' };
    expect(await sources({ grants: goods })).toEqual([]);
    expect(await sources({ grants: all, projects: [1] })).toEqual([1]);
    expect(await sources({ grants: all })).toContain(2);
  });
});

describe('a checkout of several merchants', () => {
  const MENUS = { mm_businessOrder_wx: 'all', mm_orderRefund: 'all' };

  test('explains to each merchant its own part only', async () => {
    const orders = await run<{ id: number; account: string; goods: number; whole: number; sums: string }>(
      db(),
      `SELECT o.id, t.account, o.goods, (s->>'base')::bigint AS whole, s->'formula'->>0 AS sums
         FROM sales_order o JOIN tenant t ON t.id = o.tenant_id CROSS JOIN LATERAL jsonb_array_elements(o.quote->'steps') s
        WHERE o.kind = 'goods' AND (s->>'code')::int = 10 AND (s->>'base')::bigint > o.goods AND t.account = 'M000001' ORDER BY o.id LIMIT 5`,
    );
    expect(orders.length).toBeGreaterThan(2);
    const seller = await staffWith({ tenant: 'M000001', grants: MENUS });
    const platform = await staffWith({ tenant: 'platform', grants: MENUS });
    const yuan = (fen: number) => (fen / 100).toFixed(2);
    for (const order of orders) {
      const own = await call(seller.token, 'GET', `/jinmao/web/goodsOrder/${order.id}`);
      const steps = own.data.steps as { code: number; amount: string; formula: string[] }[];
      expect(steps.find((step) => step.code === 10)!.amount).toBe(yuan(order.goods));
      for (const step of steps) expect(step.formula.join()).not.toContain(yuan(order.whole));
      expect([own.text.includes(order.sums), own.text.includes('余额 ')]).toEqual([false, false]);
      expect((await call(platform.token, 'GET', `/jinmao/web/goodsOrder/${order.id}`)).text).toContain(
        order.sums,
      );
    }
  });

  test('says of goods that are kept that they are too few, not what they are worth', () => {
    const row = { cash: -4211, formula: ['保留商品 120.00 < 150.00', 'Kept goods 120.00 < 150.00'] } as const;
    expect(formulaForMerchant({ ...row, kind: 'recheck' }).join()).toBe(
      '保留商品未达门槛，收回优惠 -42.11,Kept goods below the threshold, discount taken back -42.11',
    );
    expect(formulaForMerchant({ ...row, kind: 'units' })).toBe(row.formula);
  });
});

test('the groups that hold an element are named inside the own company', async () => {
  const elements = ['menuManager:btn_element'];
  const ask = async (tenant: string) => {
    const who = await staffWith({ tenant, grants: { menuManager: 'all' }, elements });
    const named = (await call(who.token, 'GET', '/admin/menu/element/menuManager:btn_element/groups'))
      .data as {
      code: string;
    }[];
    const listed = (await call(who.token, 'GET', '/admin/menu/item/menuManager/elements')).data as {
      code: string;
      groups: number;
    }[];
    const tree = (await call(who.token, 'GET', '/admin/menu/tree')).data as {
      code: string;
      groups: number;
    }[];
    return {
      account: who.account,
      codes: named.map((group) => group.code),
      counts: [
        listed.find((one) => one.code === 'menuManager:btn_element')!.groups,
        tree.find((one) => one.code === 'menuManager')!.groups,
      ],
    };
  };
  const first = await ask('C000001');
  const second = await ask('C000002');
  expect(second).toEqual({ account: second.account, codes: [second.account], counts: [1, 1] });
  const platform = await ask('platform');
  expect(platform.codes).toEqual(expect.arrayContaining([first.account, second.account]));
});

describe('who is told or asked about rows', () => {
  const noticesOf = (staff: { readonly id: number }, kind: string) =>
    run<{ body_zh: string }>(
      db(),
      'SELECT body_zh FROM notification WHERE staff_id = $1 AND kind = $2 ORDER BY id',
      [staff.id, kind],
    );

  test('is one who sees them: approvers where no leader stands above', async () => {
    const [home, away] = [await department(), await department()];
    const wanted = { elements: ['workOvertimeManager:btn_approve'], department: home };
    const narrow = await staffWith({ ...wanted, grants: { workOvertimeManager: 'dept' } });
    const own = await staffWith({ ...wanted, grants: { workOvertimeManager: 'self' } });
    const wide = await staffWith({ ...wanted, grants: { workOvertimeManager: 'all' } });
    const asked = async (at: number) => {
      const subject = await staffWith({ department: at, grants: {} });
      const all = await holdersOf(db(), tenants.C000001!, wanted.elements[0]!, [], subject.id);
      return [narrow, own, wide].filter((one) => all.includes(one.id));
    };
    expect(await asked(home)).toEqual([narrow, wide]);
    expect(await asked(away)).toEqual([wide]);
  });

  test('the weekly list of unused accounts names whom the reader sees', async () => {
    const [home, away] = [await department(), await department()];
    const narrow = await staffWith({
      department: home,
      grants: { userManager: 'dept' },
      elements: ['userManager:btn_enable'],
    });
    const [near, far] = [
      await staffWith({ department: home, grants: {} }),
      await staffWith({ department: away, grants: {} }),
    ];
    await run(
      db(),
      `UPDATE staff SET created_at = now() - interval '200 days', password_changed_at = now() - interval '200 days', last_login_at = NULL
        WHERE id = ANY($1::bigint[])`,
      [[near.id, far.id]],
    );
    await listUnused(product.platform);
    expect(await noticesOf(narrow, 'unusedAccounts')).toEqual([{ body_zh: near.account }]);
  });

  test('alerts of payments go to who sees all orders there', async () => {
    const tenant = 'platform';
    const grants = { mm_businessOrder_wx: 'all' };
    const own = await staffWith({ tenant, grants: { mm_businessOrder_wx: 'self' } });
    const [one, two] = [
      await staffWith({ tenant, grants, projects: [1] }),
      await staffWith({ tenant, grants, projects: [2] }),
    ];
    const wide = await staffWith({ tenant, grants });
    const { code } = (await runOne<{ code: string }>(
      db(),
      'SELECT p.checkout_code AS code FROM payment p JOIN sales_order o ON o.payment_id = p.id WHERE o.project_id = 1 LIMIT 1',
    ))!;
    await transaction(db(), (tx) =>
      alertStaff(tx, { kind: 'alertPayment', title: ['a', 'a'], body: ['b', 'b'], checkoutCode: code }),
    );
    const told = await Promise.all(
      [own, one, two, wide].map(async (staff) => (await noticesOf(staff, 'alertPayment')).length),
    );
    expect(told).toEqual([0, 1, 0, 1]);
    // Platform administrators hold everything without a grant of it.
    const admin = await number(`SELECT id AS n FROM staff WHERE account = 'admin'`);
    expect(
      await number(
        `SELECT count(*) AS n FROM notification WHERE staff_id = $1 AND kind = 'alertPayment' AND title_zh = 'a'`,
        [admin],
      ),
    ).toBe(1);
  });
});

test('members are not leafed through by number by who sees own orders only', async () => {
  const create = ['mm_businessOrder_wx:btn_create'];
  const tenant = 'platform';
  const own = await staffWith({ tenant, grants: { mm_businessOrder_wx: 'self' }, elements: create });
  const wide = await staffWith({ tenant, grants: { mm_businessOrder_wx: 'all' }, elements: create });
  const ids = await run<{ id: number }>(db(), 'SELECT id FROM member ORDER BY id LIMIT 50');
  const path = `/jinmao/web/options/orderMember?limit=200&ids=${ids.map((row) => row.id).join(',')}`;
  expect((await call(own.token, 'GET', path)).data).toEqual([]);
  expect((await call(wide.token, 'GET', path)).data).toHaveLength(50);
});

test('views are shared with groups inside the data scope of who manages groups', async () => {
  const manager = await staffWith({ grants: { groupManager: 'self' } });
  const group = await number('SELECT min(id) AS n FROM permission_group WHERE enabled');
  expect((await call(manager.token, 'GET', '/jinmao/web/options/group')).data).toEqual([]);
  const view = { menu: 'groupManager', name: '别人的', groupId: String(group), isGroupDefault: true };
  expect((await call(manager.token, 'POST', '/admin/savedView', view)).http).toBe(403);
});

describe('what is another company’s answers as what does not exist', () => {
  test('in commands of departments, before anything is named', async () => {
    const [home, spare] = [await department(), await department()];
    const elements = ['btn_member_add', 'btn_member_remove', 'btn_move', 'btn_merge', 'btn_edit'].map(
      (button) => `departManager:${button}`,
    );
    const own = await staffWith({ grants: {}, department: home });
    const chief = await staffWith({ grants: { departManager: 'all' }, elements, department: spare });
    const stranger = await staffWith({ tenant: 'C000002', grants: {} });
    const elsewhere = await number(
      `INSERT INTO department (tenant_id, code, name) VALUES ($1, $2, $2) RETURNING id AS n`,
      [tenants.C000002, `elsewhere${++made}`],
    );
    await run(db(), `UPDATE department SET path = ARRAY[id] WHERE id = $1`, [elsewhere]);
    await run(db(), 'UPDATE staff SET department_id = $2 WHERE id = $1', [stranger.id, elsewhere]);
    const rich = await number(
      `INSERT INTO permission_group (type_id, tenant_id, code, name, department_id) SELECT id, $1, $2, $2, $3 FROM group_type WHERE code = 'depart' RETURNING id AS n`,
      [tenants.C000002, `rich${++made}`, elsewhere],
    );
    await run(
      db(),
      `INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'mm_orderRefund', 'all')`,
      [rich],
    );
    const NOBODY = 999_999_999;
    const commands: [string, (id: number) => Record<string, unknown>, number][] = [
      ['addMembers', (id) => ({ staff: [String(id)], kind: 'main' }), stranger.id],
      ['addMembers', (id) => ({ staff: [String(id)], kind: 'secondary' }), stranger.id],
      ['removeMembers', (id) => ({ staff: [String(id)] }), stranger.id],
      ['moveMembers', (id) => ({ staff: [String(id)], into: String(spare) }), stranger.id],
      ['moveMembers', (id) => ({ staff: [String(own.id)], into: String(id) }), elsewhere],
      ['merge', (id) => ({ into: String(id), reason: '合并部门' }), elsewhere],
      ['edit', (id) => ({ leader: String(id) }), stranger.id],
      ['edit', (id) => ({ parent: String(id) }), elsewhere],
    ];
    for (const [action, body, foreign] of commands) {
      const send = async (id: number) => {
        const version = await number('SELECT version AS n FROM department WHERE id = $1', [home]);
        const answer =
          action === 'edit'
            ? await call(chief.token, 'PUT', `/admin/department/${home}`, { version, ...body(id) })
            : await call(chief.token, 'POST', `/admin/department/${home}/${action}`, {
                version,
                ...body(id),
              });
        return [action, answer.http, answer.status, answer.message, answer.data];
      };
      const missing = await send(NOBODY);
      expect(missing[1]).toBeGreaterThanOrEqual(404);
      expect(await send(foreign)).toEqual(missing);
    }
    // The same commands do their work with what is the company's.
    const version = await number('SELECT version AS n FROM department WHERE id = $1', [home]);
    const moved = await call(chief.token, 'POST', `/admin/department/${home}/moveMembers`, {
      version,
      staff: [String(own.id)],
      into: String(spare),
    });
    expect([moved.http, moved.message]).toEqual([200, '']);
  });

  test('among the members of a group', async () => {
    const keeper = await staffWith({
      grants: { roleManager: 'all', userManager: 'all' },
      elements: ['roleManager:btn_userManager', 'roleManager:btn_resourceManager'],
    });
    const group = await number('SELECT group_id AS n FROM group_member WHERE staff_id = $1', [
      (await staffWith({ grants: { userManager: 'all' } })).id,
    ]);
    const stranger = await staffWith({ tenant: 'C000002', grants: {} });
    const letIn = async (id: number) => {
      const answer = await call(keeper.token, 'PUT', `/admin/permissionGroup/${group}/members`, {
        set: [{ staffId: String(id), kind: 'member' }],
      });
      return [answer.http, answer.message, answer.data];
    };
    const missing = await letIn(999_999_999);
    expect(missing[0]).toBe(404);
    expect(await letIn(stranger.id)).toEqual(missing);
    expect((await letIn((await staffWith({ grants: {} })).id))[0]).toBe(200);
  });

  test('in counts: of the rows somebody else sees, and of the groups of a type', async () => {
    const button = ['userManager:btn_permission'];
    const seller = await staffWith({ grants: { mm_businessOrder_wx: 'all' }, projects: [1, 4] });
    const rowsTold = async (grants: Record<string, string>, projects?: readonly number[]) => {
      const reader = await staffWith({
        grants: { userManager: 'all', ...grants },
        elements: button,
        ...(projects ? { projects } : {}),
      });
      const answer = await call(
        reader.token,
        'GET',
        `/admin/effectivePermission/${seller.id}?menu=mm_businessOrder_wx`,
      );
      expect([answer.http, answer.data.allowed]).toEqual([200, true]);
      return answer.data.rows as { total: number } | null;
    };
    expect(await rowsTold({})).toBeNull();
    expect(await rowsTold({ mm_businessOrder_wx: 'all' }, [4])).toBeNull();
    expect(await rowsTold({ mm_businessOrder_wx: 'self' })).toBeNull();
    const told = (await rowsTold({ mm_businessOrder_wx: 'all' }, [1, 4, 5]))!;
    expect(told.total).toBe(
      (await call(seller.token, 'GET', '/jinmao/web/goodsOrder/page?limit=1')).data.total,
    );

    const clerk = await staffWith({ tenant: 'C000002', grants: { groupTypeManager: 'all' } });
    const groups = async (token: string) =>
      (await call(token, 'GET', '/admin/groupType/page')).data.rows.find(
        (row: { code: string }) => row.code === 'role',
      ).groups as number;
    const before = await groups(clerk.token);
    expect(before).toBe(
      await number(
        `SELECT count(*) AS n FROM permission_group g JOIN group_type t ON t.id = g.type_id WHERE t.code = 'role' AND g.tenant_id = $1`,
        [tenants.C000002],
      ),
    );
    await staffWith({ tenant: 'C000001', grants: {} });
    expect(await groups(clerk.token)).toBe(before);
    expect(await groups(await product.signIn('admin'))).toBeGreaterThan(before);
  });
});
