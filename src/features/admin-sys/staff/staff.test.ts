import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askToken, encrypt } from '../../../app/server/session/session-bench.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { makeRoles } from '../../../testing/roles.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let departmentId: number;

beforeAll(async () => {
  product = await startTestProduct();
  await makeRoles(product.platform.database.db);
  admin = await product.signIn('admin');
  const tenant = await runOne<{ tenant_id: number }>(
    product.platform.database.db,
    `SELECT tenant_id FROM staff WHERE account = 'admin'`,
  );
  departmentId = (await runOne<{ id: number }>(
    product.platform.database.db,
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'T1', '测试部') RETURNING id`,
    [tenant!.tenant_id],
  ))!.id;
});
afterAll(() => product?.close());

async function call(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  token: string,
  payload?: object,
) {
  const answer = await product.app.inject({
    method,
    url: `/api${path}`,
    headers: { authorization: token },
    ...(payload ? { payload } : {}),
  });
  return {
    http: answer.statusCode,
    body: answer.json() as { status: number; message: string; data: Record<string, unknown> },
  };
}

let number = 0;
async function addStaff(input: Record<string, unknown> = {}) {
  number += 1;
  return call('POST', '/admin/staff', admin, {
    name: '李敏',
    account: `limin${number}`,
    mobilePhone: `139000000${String(number).padStart(2, '0')}`,
    department: String(departmentId),
    ...input,
  });
}

describe('adding staff', () => {
  test('Must show 1: 李敏 with project 1: the one-time password is shown once, the first sign-in asks for a new one, afterwards every project picker shows project 1 only', async () => {
    const project = await runOne<{ id: number; name: string }>(
      product.platform.database.db,
      'SELECT id, name FROM project ORDER BY id LIMIT 1',
    );
    const added = await addStaff({ account: 'limin_once', projects: [String(project!.id)], sendSms: true });
    expect(added.http).toBe(200);
    const password = (added.body.data.result as { initialPassword: string }).initialPassword;
    expect(password).toHaveLength(16);
    const stored = await runOne<{ must_change_password: boolean; password_hash: string }>(
      product.platform.database.db,
      `SELECT must_change_password, password_hash FROM staff WHERE account = 'limin_once'`,
    );
    expect(stored).toMatchObject({ must_change_password: true });
    expect(stored!.password_hash).not.toContain(password);
    const audit = await run<{ text: string }>(
      product.platform.database.db,
      `SELECT coalesce(before::text, '') || coalesce(after::text, '') AS text FROM audit_record`,
    );
    expect(audit.length).toBeGreaterThan(0);
    expect(audit.some((record) => record.text.includes(password))).toBe(false);
    const seen = await call('GET', `/admin/staff/${String(added.body.data.id)}`, admin);
    expect(JSON.stringify(seen.body)).not.toContain(password);
    const sms = await runOne<{ body: string }>(
      product.platform.database.db,
      `SELECT body FROM sms_message WHERE purpose = 'initialPassword' ORDER BY id DESC LIMIT 1`,
    );
    expect(sms!.body).toContain(password);
    const first = await askToken(product.app, { username: 'limin_once', password, code: '1234' });
    const granted = first.json<{ access_token: string; mustChangePassword: boolean }>();
    expect([first.statusCode, granted.mustChangePassword]).toEqual([200, true]);
    const restricted = `Bearer ${granted.access_token}`;
    expect((await call('GET', '/admin/user/getUserProjectList', restricted)).http).toBe(403);
    // The page calls it the one-time password it is.
    expect((await call('GET', '/admin/user/front/info', restricted)).body.data.oneTimePassword).toBe(true);
    const chosen = 'Qw8&zRt4Mn6!';
    const changed = await call('POST', '/admin/user/changePassword', restricted, {
      oldPass: await encrypt(product.app, password),
      newPass: await encrypt(product.app, chosen),
    });
    expect([changed.http, changed.body.message]).toEqual([200, '']);
    expect((await askToken(product.app, { username: 'limin_once', password })).statusCode).toBe(400);
    const second = await askToken(product.app, { username: 'limin_once', password: chosen });
    const free = second.json<{ access_token: string; mustChangePassword: boolean }>();
    expect([second.statusCode, free.mustChangePassword]).toEqual([200, false]);
    const token = `Bearer ${free.access_token}`;
    // Every call that fills a project picker of a screen; the last fills the trees of places.
    type Choice = { id?: string; projectId?: string };
    const own = [String(project!.id)];
    const pickers: [method: 'GET' | 'POST', path: string, choices: readonly string[]][] = [
      ['GET', '/jinmao/web/baseProject/getProjectListForPC', own],
      ['GET', '/jinmao/web/options/project', own],
      ['GET', '/admin/user/getUserProjectList', own],
      ['POST', '/jinmao/web/baseCentreProject/queryCentreProject', own],
      // The company of this staff is the platform, which has no projects of its own.
      ['GET', '/jinmao/web/bizProduct/getTenantProjectListPc', []],
      ['GET', '/jinmao/web/baseTenantProject/queryProjectList', []],
    ];
    for (const [method, path, wanted] of pickers) {
      const { http, body } = await call(method, path, token, method === 'POST' ? {} : undefined);
      const data = body.data as unknown as readonly Choice[] | { readonly rows: readonly Choice[] };
      const choices = 'rows' in data ? data.rows : data;
      expect([path, http, choices.map((one) => one.projectId ?? one.id)]).toEqual([path, 200, wanted]);
    }
  });

  test('a one-time password that nobody used in time lapses; a reset issues a new one', async () => {
    const { db } = product.platform.database;
    const added = await addStaff({ account: 'latecomer' });
    const id = String(added.body.data.id);
    const password = (added.body.data.result as { initialPassword: string }).initialPassword;
    const until = await runOne<{ days: number }>(
      db,
      `SELECT extract(epoch FROM one_time_until - clock_timestamp())::float8 / 86400 AS days FROM staff WHERE id = $1`,
      [id],
    );
    expect(until!.days).toBeGreaterThan(6.9);
    expect(until!.days).toBeLessThanOrEqual(7);
    await run(db, `UPDATE staff SET one_time_until = clock_timestamp() - interval '1 second' WHERE id = $1`, [
      id,
    ]);
    const late = await askToken(product.app, { username: 'latecomer', password, code: '1234' });
    expect([late.statusCode, late.json<{ message: string }>().message]).toEqual([
      403,
      '一次性密码超过7天未使用，已失效。请用“忘记密码”设置新密码，或请管理员重置密码',
    ]);
    // Whoever does not know the password hears nothing of it.
    const wrong = await askToken(product.app, {
      username: 'latecomer',
      password: 'Wrong#12wrong',
      code: '1234',
    });
    expect(wrong.json<{ message: string }>().message).toBe('账户或密码错误！');
    const results = await run<{ result: string }>(
      db,
      'SELECT result FROM sign_in_attempt WHERE staff_id = $1 ORDER BY id',
      [id],
    );
    expect(results.map((row) => row.result)).toEqual(['lapsed', 'wrong_password']);
    const row = await call('GET', `/admin/staff/${id}`, admin);
    const reset = await call('POST', `/admin/staff/${id}/resetPassword`, admin, {
      version: row.body.data.version,
    });
    expect(reset.http).toBe(200);
    const next = (reset.body.data.result as { initialPassword: string }).initialPassword;
    const again = await askToken(product.app, { username: 'latecomer', password: next, code: '1234' });
    expect(again.json()).toMatchObject({ status: 200, mustChangePassword: true });
  });

  test('a repeat with the same key creates one account and does not show the password again', async () => {
    const payload = {
      name: '王一',
      account: 'wangyi',
      mobilePhone: '13911112222',
      department: String(departmentId),
    };
    const send = () =>
      product.app.inject({
        method: 'POST',
        url: '/api/admin/staff',
        headers: { authorization: admin, 'idempotency-key': 'key-wangyi-1' },
        payload,
      });
    const first = (await send()).json() as {
      data: { id: string; result: { initialPassword: string | null } };
    };
    const second = (await send()).json() as typeof first;
    expect(second.data.id).toBe(first.data.id);
    expect(first.data.result.initialPassword).toHaveLength(16);
    expect(second.data.result.initialPassword).toBeNull();
  });

  test('refuses what is taken, each with its text', async () => {
    await addStaff({ account: 'taken_one', mobilePhone: '13922223333', staffNo: 'N1' });
    const taken = await addStaff({ account: 'Taken_One' });
    // At its field, which may be out of sight.
    expect([taken.body.message, taken.body.data]).toEqual([
      '账号已存在',
      { fields: { account: '账号已存在' } },
    ]);
    expect((await addStaff({ mobilePhone: '13922223333' })).body.message).toBe('手机号已被其他员工使用');
    // A taken phone tells of staff of any tenant: counted although the refused transaction left nothing else.
    const told = await run(
      product.platform.database.db,
      `SELECT FROM call_value WHERE purpose = 'takenPhone'`,
    );
    expect(told).toHaveLength(1);
    expect((await addStaff({ staffNo: 'N1' })).body.message).toBe('工号已被使用');
    expect((await addStaff({ ssoAccount: 'one@corp' })).http).toBe(200);
    expect((await addStaff({ ssoAccount: 'one@corp' })).body.message).toBe('SSO账号已绑定其他员工');
    expect((await addStaff({ account: '1bad' })).http).toBe(422);
    expect((await addStaff({ mobilePhone: '123' })).http).toBe(422);
    expect((await addStaff({ tenantId: '2' })).http).toBe(422);
  });
});

describe('rights of a staff', () => {
  test('nobody grants what they do not hold', async () => {
    const { database } = product.platform;
    const tenant = await runOne<{ tenant_id: number }>(
      database.db,
      `SELECT tenant_id FROM staff WHERE account = 'admin'`,
    );
    const group = async (code: string, menus: string[], elements: string[], scope = 'all') => {
      const row = await runOne<{ id: number }>(
        database.db,
        `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, $2, $2 FROM group_type WHERE code = 'role' RETURNING id`,
        [tenant!.tenant_id, code],
      );
      for (const menu of menus)
        await run(
          database.db,
          'INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, $2, $3)',
          [row!.id, menu, scope],
        );
      for (const element of elements)
        await run(database.db, 'INSERT INTO element_grant (group_id, element_code) VALUES ($1, $2)', [
          row!.id,
          element,
        ]);
      return row!.id;
    };
    const small = await group(
      'g_small',
      ['userManager'],
      ['userManager:btn_edit', 'userManager:btn_group', 'userManager:btn_add'],
    );
    const large = await group('g_large', ['userManager', 'groupTypeManager'], ['groupTypeManager:btn_add']);
    const added = await addStaff({ account: 'clerk_grant', groups: [String(small)] });
    expect(added.http).toBe(200);
    const target = await addStaff({ account: 'grant_target' });
    const id = target.body.data.id as string;
    const clerk = await product.signIn('clerk_grant');
    const refused = await call('POST', `/admin/staff/${id}/assignGroups`, clerk, { groups: [String(large)] });
    expect(refused.body.status).toBe(30101);
    expect(refused.body.message).toContain('不能授予自己没有的权限');
    expect((refused.body.data as { missing: string[] }).missing).toEqual(
      expect.arrayContaining(['groupTypeManager', 'groupTypeManager:btn_add']),
    );
    expect(
      await run(database.db, 'SELECT 1 FROM group_member WHERE staff_id = $1', [Number(id)]),
    ).toHaveLength(0);
    expect(
      (await call('POST', `/admin/staff/${id}/assignGroups`, clerk, { groups: [String(small)] })).http,
    ).toBe(200);
    const everything = await runOne<{ id: number }>(
      database.db,
      `SELECT id FROM permission_group WHERE code = 'platform_admin'`,
    );
    expect(
      (
        await call('POST', `/admin/staff/${id}/assignGroups`, clerk, {
          groups: [String(small), String(everything!.id)],
        })
      ).body.status,
    ).toBe(30101);
  });

  test('Bad input, disabling oneself: oneself can be neither disabled, archived nor reset', async () => {
    const own = await runOne<{ id: number }>(
      product.platform.database.db,
      `SELECT id FROM staff WHERE account = 'admin'`,
    );
    for (const action of ['disable', 'archive', 'resetPassword']) {
      const answer = await call('POST', `/admin/staff/${own!.id}/${action}`, admin, { reason: '测试原因' });
      expect([action, answer.body.status, answer.body.message]).toEqual([
        action,
        30101,
        '不能对自己执行该操作',
      ]);
    }
  });

  test('Must show 8 (Bad input, removing the last administrator): the only one cannot be disabled; of two who disable each other exactly one succeeds', async () => {
    const { db } = product.platform.database;
    const keeper = (await addStaff({ account: 'user_keeper' })).body.data.id as string;
    const keepers = await runOne<{ id: number }>(
      db,
      `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT t.id, s.tenant_id, 'keepers', '用户管理员' FROM group_type t, staff s WHERE t.code = 'role' AND s.account = 'admin' RETURNING id`,
    );
    await run(db, `INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, 'userManager')`, [keepers!.id]);
    await run(
      db,
      `INSERT INTO element_grant (group_id, element_code) VALUES ($1, 'userManager:btn_enable'), ($1, 'userManager:btn_del')`,
      [keepers!.id],
    );
    await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
      keepers!.id,
      Number(keeper),
    ]);
    const only = await runOne<{ id: number }>(db, `SELECT id FROM staff WHERE account = 'admin'`);
    const others = await run<{ staff_id: number }>(
      db,
      `DELETE FROM group_member WHERE staff_id <> $1 AND staff_id <> $2 AND group_id = (SELECT id FROM permission_group WHERE code = 'platform_admin') RETURNING staff_id`,
      [only!.id, Number(keeper)],
    );
    // The keeper is an administrator for a limited time: that one does not count as the one who must remain.
    await run(
      db,
      `INSERT INTO group_member (group_id, staff_id, expires_at) SELECT id, $1, now() + interval '1 day' FROM permission_group WHERE code = 'platform_admin'`,
      [Number(keeper)],
    );
    const keeperToken = await product.signIn('user_keeper');
    for (const action of ['disable', 'archive']) {
      const refused = await call('POST', `/admin/staff/${only!.id}/${action}`, keeperToken, {
        reason: '测试原因',
      });
      expect([refused.body.status, refused.body.message]).toEqual([30101, '至少保留一名平台管理员']);
    }
    for (const { staff_id } of others)
      await run(
        db,
        `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin'`,
        [staff_id],
      );
    for (let round = 0; round < 5; round++) {
      const ids = await Promise.all(
        ['a', 'b'].map(async (name) => {
          const row = await runOne<{ id: number }>(
            db,
            `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT tenant_id, $1, $1, true, false FROM staff WHERE account = 'admin' RETURNING id`,
            [`adm_${name}${round}`],
          );
          await run(
            db,
            `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin'`,
            [row!.id],
          );
          return row!.id;
        }),
      );
      // The first administrator steps aside, so that the two are the only ones.
      await run(
        db,
        `DELETE FROM group_member WHERE staff_id NOT IN (SELECT unnest($1::bigint[])) AND group_id = (SELECT id FROM permission_group WHERE code = 'platform_admin')`,
        [ids],
      );
      const tokens = [await product.signIn(`adm_a${round}`), await product.signIn(`adm_b${round}`)];
      const answers = await Promise.all([
        call('POST', `/admin/staff/${ids[1]}/disable`, tokens[0]!, { reason: '互相停用' }),
        call('POST', `/admin/staff/${ids[0]}/disable`, tokens[1]!, { reason: '互相停用' }),
      ]);
      expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
      const left = await run(db, `SELECT 1 FROM staff WHERE id = ANY($1::bigint[]) AND state = 'normal'`, [
        ids,
      ]);
      expect(left).toHaveLength(1);
      await run(
        db,
        `INSERT INTO group_member (group_id, staff_id) SELECT g.id, s.id FROM permission_group g, staff s WHERE g.code = 'platform_admin' AND s.account = 'admin' ON CONFLICT DO NOTHING`,
      );
      await run(db, `SELECT pg_notify('session_changed', 'all')`);
    }
  });

  test('disabling ends the sessions within a second: the next call answers 40001', async () => {
    await addStaff({ account: 'leaver_now' });
    const staff = await runOne<{ id: number }>(
      product.platform.database.db,
      `SELECT id FROM staff WHERE account = 'leaver_now'`,
    );
    const token = await product.signIn('leaver_now');
    expect((await call('GET', '/admin/user/front/info', token)).http).toBe(200);
    expect((await call('POST', `/admin/staff/${staff!.id}/disable`, admin, { reason: '离岗' })).http).toBe(
      200,
    );
    const answer = await call('GET', '/admin/user/front/info', token);
    expect([answer.http, answer.body.status]).toEqual([401, 40001]);
  });
});

describe('leaving', () => {
  test('a department leader is archived only after the handover; the name stays', async () => {
    const { db } = product.platform.database;
    const leader = (await addStaff({ account: 'chief_one', name: '赵总' })).body.data.id as string;
    const heir = (await addStaff({ account: 'chief_two', name: '王强' })).body.data.id as string;
    await run(db, 'UPDATE department SET leader_id = $1 WHERE id = $2', [Number(leader), departmentId]);
    const refused = await call('POST', `/admin/staff/${leader}/archive`, admin, { reason: '离职' });
    expect(refused.body.message).toBe('请先完成交接（部门负责人 1）');
    const moved = await call('POST', `/admin/staff/${leader}/handover`, admin, {
      targets: { department_leader: heir },
    });
    expect(moved.http).toBe(200);
    expect((await call('POST', `/admin/staff/${leader}/archive`, admin, { reason: '离职' })).http).toBe(200);
    expect(await runOne(db, 'SELECT leader_id FROM department WHERE id = $1', [departmentId])).toEqual({
      leader_id: Number(heir),
    });
    const gone = await call('GET', `/admin/staff/${leader}`, admin);
    expect(gone.body.data).toMatchObject({ name: '赵总', state: 'left' });
  });
});

describe('paths of the specification', () => {
  test('Must show 15: another tenant’s staff answers 404, all users 403 to a tenant', async () => {
    const merchant = await product.signIn('role_merchant');
    const foreign = await runOne<{ id: number }>(
      product.platform.database.db,
      `SELECT id FROM staff WHERE account = 'admin'`,
    );
    expect((await call('GET', `/admin/user/${foreign!.id}`, merchant)).http).toBe(404);
    expect((await call('DELETE', `/admin/user/${foreign!.id}`, merchant)).http).toBe(404);
    // The menu may be granted by mistake; accounts of all companies stay the platform's.
    expect((await call('GET', '/admin/user/getAllUserList', merchant)).http).toBe(403);
    const nobody = await product.signIn('role_nobody');
    expect((await call('GET', '/admin/user/getAllUserList', nobody)).http).toBe(403);
  });

  test('page, detail, pickers and number check carry the named fields', async () => {
    await addStaff({ account: 'spec_fields', staffNo: 'S-77' });
    const page = await call('GET', '/admin/user/page?searchVal=spec_fields&limit=5', admin);
    const row = (page.body.data.rows as Record<string, unknown>[])[0]!;
    expect(Object.keys(row).sort()).toEqual([
      'actions',
      'departId',
      'departName',
      'description',
      'email',
      'enableStatus',
      'encryptionField',
      'groupNames',
      'id',
      'lastLoginTime',
      'mobilePhone',
      'name',
      'projectCount',
      'sex',
      'staffNo',
      'state',
      'stationNames',
      'updName',
      'updTime',
      'username',
    ]);
    expect(row.mobilePhone).toMatch(/^139\*{4}\d{4}$/);
    const detail = await call('GET', `/admin/user/${String(row.id)}`, admin);
    expect(detail.body.data).toMatchObject({
      username: 'spec_fields',
      stationIds: [],
      projectIds: [],
      groupIds: [],
      version: 1,
    });
    expect((await call('GET', '/admin/user/checkUserByNum/S-77', admin)).body.data).toMatchObject({
      exists: true,
      name: '李敏',
    });
    expect((await call('GET', '/admin/user/checkUserByNum/none', admin)).body.data).toMatchObject({
      exists: false,
    });
    expect((await call('GET', '/admin/user/getUserList?searchVal=spec_fields', admin)).body.data).toEqual([
      expect.objectContaining({ username: 'spec_fields' }),
    ]);
    const added = await call('POST', '/admin/user/add', admin, {
      username: 'by_spec',
      name: '周周',
      mobilePhone: '13777778888',
      departId: departmentId,
    });
    expect(added.body.data.initialPassword).toHaveLength(16);
  });
});

describe('projects that are shared with others', () => {
  /** A staff of a company or centre city who works in the projects and holds the menus. */
  const worker = async (
    account: string,
    tenantId: number,
    projects: readonly number[],
    menus: readonly string[] = [],
  ) => {
    const { db } = product.platform.database;
    const row = await runOne<{ id: number }>(
      db,
      `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $2, false, false) RETURNING id`,
      [tenantId, account],
    );
    for (const project of projects) {
      await run(db, 'INSERT INTO staff_project VALUES ($1, $2)', [row!.id, project]);
      // One company and one centre city look after a project.
      await run(
        db,
        `DELETE FROM tenant_project WHERE project_id = $2 AND tenant_id IN (
           SELECT o.id FROM tenant o JOIN tenant n ON n.kind = o.kind WHERE n.id = $1 AND o.id <> $1 AND o.kind IN (1, 4))`,
        [tenantId, project],
      );
      await run(db, 'INSERT INTO tenant_project VALUES ($1, $2) ON CONFLICT DO NOTHING', [tenantId, project]);
    }
    if (menus.length > 0) {
      const group = await runOne<{ id: number }>(
        db,
        `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, $2, $2 FROM group_type WHERE code = 'role' RETURNING id`,
        [tenantId, account],
      );
      for (const menu of menus) {
        await run(db, 'INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, $2)', [group!.id, menu]);
        await run(
          db,
          'INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE menu_code = $2',
          [group!.id, menu],
        );
      }
      await run(db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group!.id, row!.id]);
    }
    return row!.id;
  };
  const company = async (account: string, kind: 1 | 2 | 4) =>
    (await runOne<{ id: number }>(
      product.platform.database.db,
      'INSERT INTO tenant (kind, account, name) VALUES ($1, $2, $2) RETURNING id',
      [kind, account],
    ))!.id;

  test('the picker of a project gives a company its own staff, the centre city everybody', async () => {
    const { db } = product.platform.database;
    const [shared] = await run<{ id: number }>(db, 'SELECT id FROM project ORDER BY id DESC LIMIT 1');
    const [one, other, city] = [
      await company('co_one', 1),
      await company('co_other', 2),
      await company('co_city', 4),
    ];
    await worker('one_clerk', one, [shared!.id]);
    await worker('one_mate', one, [shared!.id]);
    await worker('other_clerk', other, [shared!.id]);
    await worker('city_clerk', city, [shared!.id]);
    const namesFor = async (account: string) =>
      (
        (
          await call(
            'GET',
            `/admin/user/getBaseUserList?projectId=${shared!.id}`,
            await product.signIn(account),
          )
        ).body.data as unknown as { name: string }[]
      )
        .map((row) => row.name)
        .filter((name) => /_(clerk|mate)$/.test(name))
        .sort();
    expect(await namesFor('one_clerk')).toEqual(['one_clerk', 'one_mate']);
    expect(await namesFor('other_clerk')).toEqual(['other_clerk']);
    expect(await namesFor('city_clerk')).toEqual(['city_clerk', 'one_clerk', 'one_mate', 'other_clerk']);
  });

  test('who keeps staff is told the projects it works in itself, and leaves the others as they are', async () => {
    const { db } = product.platform.database;
    const [here, there] = await run<{ id: number }>(db, 'SELECT id FROM project ORDER BY id LIMIT 2');
    const tenant = await company('co_keeper', 1);
    await worker('keeper', tenant, [here!.id], ['userManager']);
    const both = await worker('in_both', tenant, [here!.id, there!.id]);
    await run(db, 'UPDATE staff SET department_id = NULL WHERE id = $1', [both]);
    const keeper = await product.signIn('keeper');
    const read = async () => (await call('GET', `/admin/staff/${both}`, keeper)).body.data;
    expect((await read()).projects).toEqual([{ id: String(here!.id), title: expect.any(String) }]);
    const page = await call('GET', '/admin/user/page?name=in_both', keeper);
    expect((page.body.data as { rows: { projectCount: number }[] }).rows[0]!.projectCount).toBe(1);
    const saved = await call('POST', `/admin/staff/${both}/assignProjects`, keeper, {
      version: (await read()).version,
      projects: [String(here!.id)],
    });
    expect(saved.body.message).toBe('');
    const left = await run(db, 'SELECT 1 FROM staff_project WHERE staff_id = $1', [both]);
    expect(left).toHaveLength(2);
  });

  test('projects the caller does not work in answer like those that do not exist: lists, choices, changes, timeline', async () => {
    const { db } = product.platform.database;
    const [here, also, there] = await run<{ id: number; name: string }>(
      db,
      'SELECT id, name FROM project ORDER BY id LIMIT 3',
    );
    const NOWHERE = 987_654_321;
    const tenant = await company('co_blind', 1);
    await worker('blind', tenant, [here!.id, also!.id], ['userManager', 'userManager1']);
    const both = await worker('blind_both', tenant, [here!.id, there!.id]);
    const mate = await worker('blind_mate', tenant, [here!.id]);
    const everywhere = await worker('blind_everywhere', tenant, []);
    await run(db, 'UPDATE staff SET all_projects = true WHERE id = $1', [everywhere]);
    const blind = await product.signIn('blind');
    const worksIn = async (id: number) =>
      (
        await run<{ p: number }>(
          db,
          'SELECT project_id AS p FROM staff_project WHERE staff_id = $1 ORDER BY 1',
          [id],
        )
      ).map((row) => row.p);

    // Filters: only foreign or unknown projects find nobody, in a mix the own ones count.
    const found = async (path: string, project: number | string) => {
      const { data } = (await call('GET', `${path}${project}`, blind)).body;
      const rows = (Array.isArray(data) ? data : (data as { rows: object[] }).rows) as Record<
        string,
        string
      >[];
      return rows.map((row) => row.account ?? row.username).sort();
    };
    const all = ['blind', 'blind_both', 'blind_everywhere', 'blind_mate'];
    for (const [path, own] of [
      ['/admin/staff/page?projects=', all.filter((name) => name !== 'blind_everywhere')],
      ['/admin/projectStaff/page?projects=', all],
      ['/admin/user/page?projectId=', all.filter((name) => name !== 'blind_everywhere')],
      ['/admin/user/getUserList?projectId=', all],
    ] as const) {
      expect([path, await found(path, there!.id)]).toEqual([path, []]);
      expect([path, await found(path, NOWHERE)]).toEqual([path, []]);
      expect([path, await found(path, here!.id)]).toEqual([path, own]);
      if (path.endsWith('projects='))
        expect([path, await found(path, `${there!.id},${here!.id}`)]).toEqual([path, own]);
    }

    // Changes: one refusal, whether the staff works there, and whether there is such a project.
    const version = async (id: number) =>
      (await runOne<{ v: number }>(db, 'SELECT version AS v FROM staff WHERE id = $1', [id]))!.v;
    const refused = new Set<string>();
    for (const project of [there!.id, NOWHERE].map(String))
      for (const id of [both, mate])
        for (const projects of [[project], [String(here!.id), project]]) {
          const answers = {
            form: await call('PUT', `/admin/staff/${id}`, blind, { version: await version(id), projects }),
            assign: await call('POST', `/admin/staff/${id}/assignProjects`, blind, { projects }),
            add: await call('POST', '/admin/projectStaff/action/addToProjects', blind, {
              staff: [String(id)],
              projects,
            }),
            remove: await call('POST', `/admin/projectStaff/${id}/removeFromProject`, blind, { projects }),
          };
          for (const [way, { http, body }] of Object.entries(answers)) {
            expect([way, http]).toEqual([way, 404]);
            refused.add(body.message);
          }
          for (const remove of [true, false]) {
            const bulk = await call('POST', '/admin/staff/bulk/changeProjects', blind, {
              ids: [String(id)],
              input: { projects, remove },
            });
            const { done, failed } = bulk.body.data as unknown as { done: []; failed: { message: string }[] };
            expect([done, failed.length]).toEqual([[], 1]);
            refused.add(failed[0]!.message);
          }
        }
    expect(refused.size).toBe(1);
    expect([await worksIn(both), await worksIn(mate)]).toEqual([[here!.id, there!.id], [here!.id]]);

    // What the caller sees is changed, what it does not see stays; the timeline tells each reader of the own ones.
    const admin = await product.signIn('admin');
    await run(
      db,
      `UPDATE staff SET tenant_id = (SELECT tenant_id FROM staff WHERE account = 'admin') WHERE id = $1`,
      [both],
    );
    const byAdmin = await call('POST', `/admin/staff/${both}/assignProjects`, admin, {
      projects: [String(there!.id)],
    });
    expect(byAdmin.body.message).toBe('');
    const readByAdmin = await call('GET', `/admin/staff/${both}/timeline`, admin);
    expect(JSON.stringify(readByAdmin.body)).toContain(there!.name);
    await run(db, 'UPDATE staff SET tenant_id = $2 WHERE id = $1', [both, tenant]);
    for (const projects of [[String(also!.id), String(here!.id)], [String(also!.id)]]) {
      const saved = await call('PUT', `/admin/staff/${both}`, blind, {
        version: await version(both),
        projects,
      });
      expect(saved.body.message).toBe('');
    }
    expect(await worksIn(both)).toEqual([also!.id, there!.id]);
    for (const source of ['staff', 'projectStaff']) {
      const exported = product.platform.registrations
        .flatMap((service) => service.exports ?? [])
        .find((one) => one.source === source)!;
      const lines: string[] = [];
      for await (const rows of exported.read(
        { caller: await product.caller('blind'), platform: product.platform, language: 'zh' },
        {},
      ))
        lines.push(JSON.stringify(rows));
      expect(lines.join()).toContain(also!.name);
      expect(lines.join()).not.toContain(there!.name);
    }
    const timeline = await call('GET', `/admin/staff/${both}/timeline`, blind);
    expect(JSON.stringify(timeline.body)).not.toContain(there!.name);
    const changes = (timeline.body.data as unknown as { changes: { before: string; after: string }[] }[]).map(
      (event) => event.changes.map((change) => [change.before, change.after]),
    );
    expect(changes).toEqual([
      [[`${here!.name}、${also!.name}`, also!.name]],
      [['', `${here!.name}、${also!.name}`]],
      [[here!.name, '']],
    ]);
  });
});
