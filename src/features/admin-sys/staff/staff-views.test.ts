import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { openBench, type PermissionBench } from '../permission-group/permission-fixtures.ts';

let bench: PermissionBench;
let admin: string;
let tenantId: number;
let departmentId: number;

beforeAll(async () => {
  bench = await openBench();
  admin = await bench.token('admin');
  tenantId = await bench.one('SELECT id AS v FROM tenant WHERE kind = 3');
  departmentId = await bench.one(
    `INSERT INTO department (tenant_id, code, name) VALUES ($1, 'VIEWS', '视图部') RETURNING id AS v`,
    [tenantId],
  );
});
afterAll(() => bench?.product.close());

interface Listed {
  readonly rows: readonly Record<string, unknown>[];
  readonly total: number;
}
const versionOf = (id: number) => bench.one('SELECT version AS v FROM staff WHERE id = $1', [id]);

describe('filters', () => {
  test('signed in within n days, and not within n days with those who never did', async () => {
    const [recent, old, never] = await Promise.all(
      ['in_1', 'in_40', 'in_never'].map((account) => bench.staff(account)),
    );
    await run(bench.db, `UPDATE staff SET last_login_at = now() - interval '1 day' WHERE id = $1`, [recent]);
    await run(bench.db, `UPDATE staff SET last_login_at = now() - interval '40 days' WHERE id = $1`, [old]);
    const find = async (query: string) =>
      (await bench.call<Listed>(admin, 'GET', `/admin/staff/page?searchVal=in_&limit=50&${query}`)).data.rows
        .map((row) => row.account)
        .sort();
    expect(await find('signedInWithin=7')).toEqual(['in_1']);
    expect(await find('notSignedInWithin=30')).toEqual(['in_40', 'in_never']);
    expect(never).toBeGreaterThan(0);
    expect((await bench.call(admin, 'GET', '/admin/staff/page?signedInWithin=x')).http).toBe(422);
  });
});

describe('paths of the specification', () => {
  test('what is refused is named as the request names it', async () => {
    const answer = await bench.call<{ fields: object }>(admin, 'POST', '/admin/user/add', {
      username: 'a',
      name: '王明',
      mobilePhone: '1',
      departId: 'x',
      stationIds: [],
    });
    expect(answer.http).toBe(422);
    expect(Object.keys(answer.data.fields).sort()).toEqual(['departId', 'mobilePhone', 'username']);
  });

  test('the platform reads the staff of every company it lists, and reveals what is masked there', async () => {
    const company = await bench.one(
      `INSERT INTO tenant (kind, account, name) VALUES (1, 'views_co', '视图公司') RETURNING id AS v`,
    );
    const target = await bench.staff('elsewhere', { tenantId: company });
    await run(bench.db, `UPDATE staff SET phone = '13612340001' WHERE id = $1`, [target]);
    const list = await bench.call<Listed>(admin, 'GET', '/admin/user/getAllUserList?searchVal=elsewhere');
    const [row] = list.data.rows;
    expect(row).toMatchObject({ id: String(target), mobilePhone: '136****0001' });
    const one = await bench.call<Record<string, unknown>>(admin, 'GET', `/admin/user/${target}`);
    expect([one.http, one.data.username]).toEqual([200, 'elsewhere']);
    for (const token of [row!.encryptionField, one.data.encryptionField]) {
      const clear = await bench.call(admin, 'GET', `/jinmao/dataDecryption?encryptionField=${String(token)}`);
      expect([clear.http, clear.data]).toMatchObject([200, { mobilePhone: '13612340001' }]);
    }
    expect((await bench.call(admin, 'GET', '/admin/user/999999')).http).toBe(404);
  });

  test('updateUserInfo changes another staff with the element and the version, never the name of oneself', async () => {
    const target = await bench.staff('info_target', { departmentId });
    const send = (token: string, body: object) =>
      bench.call<{ current?: object }>(token, 'POST', '/admin/user/updateUserInfo', body);
    expect((await send(admin, { name: '别名' })).http).toBe(422);
    expect((await send(admin, { id: String(target), name: '王明' })).http).toBe(422);
    const done = await send(admin, {
      id: String(target),
      version: await versionOf(target),
      name: '王明',
      sex: 1,
      mobilePhone: '13612345678',
      staffNo: 'INFO-1',
      departId: departmentId,
      description: '值班长',
    });
    expect([done.http, done.data]).toEqual([200, true]);
    expect(
      await runOne(bench.db, 'SELECT name, sex, phone, staff_no, description FROM staff WHERE id = $1', [
        target,
      ]),
    ).toEqual({ name: '王明', sex: 1, phone: '13612345678', staff_no: 'INFO-1', description: '值班长' });
    const stale = await send(admin, { id: String(target), version: 1, name: '王二' });
    expect(stale.status).toBe(30101);
    await bench.staff('info_nobody');
    expect((await send(await bench.token('info_nobody'), { id: String(target), version: 1 })).http).toBe(403);
    expect((await send(admin, { id: '999999', version: 1, name: '王二' })).http).toBe(404);
    const timeline = await bench.call<{ changes: { field: string; before: string; after: string }[] }[]>(
      admin,
      'GET',
      `/admin/staff/${target}/timeline`,
    );
    expect(timeline.data[0]!.changes.map((change) => change.field)).toEqual(
      expect.arrayContaining(['姓名', '工号', '描述']),
    );
  });

  test('getAllUserList has the fields of a page row and those of all companies', async () => {
    const { data } = await bench.call<Listed>(
      admin,
      'GET',
      '/admin/user/getAllUserList?tenantType=2&limit=3',
    );
    expect(data.rows.length).toBeGreaterThan(0);
    const page = await bench.call<Listed>(admin, 'GET', '/admin/user/page?limit=1');
    expect(Object.keys(data.rows[0]!).sort()).toEqual(
      [...Object.keys(page.data.rows[0]!), 'tenantId', 'tenantName', 'tenantType', 'online'].sort(),
    );
    expect(data.rows.every((row) => row.tenantType === 2)).toBe(true);
    expect(String(page.data.rows[0]!.updTime)).toMatch(/^\d{4}-\d\d-\d\dT.*\+08:00$/);
    expect(page.data.rows[0]!.actions).toEqual(expect.arrayContaining(['update']));
  });

  test('a taken staff number is told to everybody who may add staff, its holder only inside the scope', async () => {
    const hidden = await bench.staff('num_hidden');
    await run(bench.db, `UPDATE staff SET staff_no = 'NUM-1' WHERE id = $1`, [hidden]);
    const self = await bench.staff('num_self');
    await bench.group('num_self_g', { menus: { userManager: 'self' }, members: [self] });
    const ask = async (token: string) =>
      (await bench.call(token, 'GET', '/admin/user/checkUserByNum/NUM-1')).data;
    expect(await ask(admin)).toEqual({ exists: true, id: String(hidden), name: 'num_hidden' });
    expect(await ask(await bench.token('num_self'))).toEqual({ exists: true, id: null, name: null });
  });
});

describe('groups of a staff', () => {
  test('the picker offers only groups whose every right the caller holds, what they inherit included', async () => {
    const clerk = await bench.staff('pick_clerk');
    await bench.group('pick_own', {
      menus: { userManager: 'self', groupTypeManager: 'all' },
      elements: ['userManager:btn_group', 'groupTypeManager:btn_add'],
      members: [clerk],
    });
    await bench.group('pick_small', { menus: { groupTypeManager: 'all' } });
    const large = await bench.group('pick_large', { menus: { userManager: 'all' } });
    await bench.group('pick_heir', { parentId: large, inherit: true });
    const offered = async (target: string) =>
      (
        await bench.call<{ title: string }[]>(
          await bench.token('pick_clerk'),
          'GET',
          `/jinmao/web/options/${target}?searchVal=pick_&limit=200`,
        )
      ).data.map((one) => one.title);
    expect(await offered('grantableGroup')).toEqual(['pick_own', 'pick_small']);
    expect(await offered('permissionGroup')).toEqual(['pick_heir', 'pick_large', 'pick_own', 'pick_small']);
  });

  test('the preview names groups and rights that come and go; foreign groups answer 404', async () => {
    const staffId = await bench.staff('preview_one');
    const old = await bench.group('preview_old', {
      menus: { userManager: 'self' },
      elements: ['userManager:btn_add'],
      members: [staffId],
    });
    const next = await bench.group('preview_new', { menus: { userManager: 'all', groupTypeManager: 'all' } });
    const ask = (groups: number[]) =>
      bench.call<Record<string, { code?: string; name?: string }[]>>(
        admin,
        'POST',
        `/admin/staff/${staffId}/groupsPreview`,
        { groups: groups.map(String) },
      );
    const { data } = await ask([next]);
    expect(data.added!.map((one) => one.name)).toEqual(['preview_new']);
    expect(data.removed!.map((one) => one.name)).toEqual(['preview_old']);
    expect(data.gained!.map((one) => one.code)).toEqual(['groupTypeManager']);
    expect(data.lost!.map((one) => one.code)).toEqual(['userManager:btn_add']);
    expect(data.rescoped!.map((one) => one.code)).toEqual(['userManager']);
    expect((await ask([old])).data.gained).toEqual([]);
    const merchant = await bench.one('SELECT id AS v FROM tenant WHERE kind = 2 ORDER BY id LIMIT 1');
    const foreign = await bench.group('preview_foreign', { tenantId: merchant });
    expect((await ask([foreign])).http).toBe(404);
    expect(await bench.one('SELECT count(*) AS v FROM group_member WHERE staff_id = $1', [staffId])).toBe(1);
  });

  test('the preview names the rights of groups only that the caller may give or the staff holds', async () => {
    const clerk = await bench.staff('preview_clerk');
    const staffId = await bench.staff('preview_two');
    await bench.group('preview_clerks', {
      menus: { userManager: 'all' },
      elements: ['userManager:btn_group'],
      members: [clerk],
    });
    const small = await bench.group('preview_small', { menus: { userManager: 'self' } });
    const held = await bench.group('preview_held', {
      menus: { groupTypeManager: 'all' },
      members: [staffId],
    });
    const large = await bench.group('preview_large', { menus: { departManager: 'all' } });
    const token = await bench.token('preview_clerk');
    const ask = (groups: number[]) =>
      bench.call<Record<string, { code?: string; name?: string }[]>>(
        token,
        'POST',
        `/admin/staff/${staffId}/groupsPreview`,
        { groups: groups.map(String) },
      );
    expect((await ask([small, held])).data.added!.map((one) => one.name)).toEqual(['preview_small']);
    expect((await ask([small])).data.lost!.map((one) => one.code)).toEqual(['groupTypeManager']);
    expect((await ask([held, large])).http).toBe(404);
    expect((await ask([large])).http).toBe(404);
  });
});

describe('what another structure of departments changes', () => {
  const department = (code: string, leader: number | null = null) =>
    bench.one(
      `INSERT INTO department (tenant_id, code, name, leader_id, path) SELECT tenant_id, $1, $1, $2, ARRAY[]::bigint[] FROM staff WHERE account = 'admin' RETURNING id AS v`,
      [code, leader],
    );

  test('is told of departments in sight to those who take staff in, and to those who may make the change', async () => {
    const leader = await bench.staff('sight_leader');
    const rights = await bench.group('sight_leads', {
      menus: { departManager: 'self' },
      elements: ['departManager:btn_member_add'],
      members: [leader],
    });
    const [own, child] = [await department('SIGHT_OWN', leader), await department('SIGHT_CHILD', leader)];
    const other = await department('SIGHT_OTHER');
    const free = await bench.staff('sight_free');
    const ask = async (path: string) =>
      (await bench.call(await bench.token('sight_leader'), 'GET', path)).http;
    const takeIn = (into: number) => ask(`/admin/staff/departmentImpact?staff=${free}&into=${into}`);
    expect([await takeIn(own), await takeIn(other)]).toEqual([200, 404]);
    const changes = async () => [
      await ask(`/admin/department/${child}/impact?parent=${own}`),
      await ask(`/admin/department/${child}/impact?into=${own}`),
      await ask(`/admin/department/${child}/impact?into=${own}&staff=${free}`),
    ];
    expect(await changes()).toEqual([403, 403, 403]);
    for (const [button, told] of [
      ['btn_edit', [200, 403, 403]],
      ['btn_merge', [403, 200, 403]],
      ['btn_move', [403, 403, 200]],
    ] as const) {
      await run(
        bench.db,
        `UPDATE element_grant SET element_code = 'departManager:' || $2 WHERE group_id = $1`,
        [rights, button],
      );
      expect(await changes()).toEqual(told);
    }
  });
});

describe('project staff', () => {
  test('belong to at least one project, join and leave projects, and are seen by the projects of the caller', async () => {
    const projects = (
      await run<{ id: number }>(bench.db, 'SELECT id FROM project WHERE enabled ORDER BY id LIMIT 2')
    ).map((row) => row.id);
    const form = {
      name: '项目员工',
      account: 'proj_one',
      mobilePhone: '13500001111',
      department: String(departmentId),
    };
    const root = '/admin/projectStaff';
    expect((await bench.call(admin, 'POST', root, form)).http).toBe(422);
    expect((await bench.call(admin, 'POST', root, { ...form, projects: [] })).http).toBe(422);
    const made = await bench.call<{ id: string; version: number }>(admin, 'POST', root, {
      ...form,
      projects: [String(projects[0])],
    });
    expect(made.http).toBe(200);
    const id = Number(made.data.id);
    const change = (body: object) => bench.call(admin, 'PUT', `${root}/${id}`, body);
    expect((await change({ version: made.data.version, projects: [] })).http).toBe(422);
    const outside = await bench.staff('proj_outside', { departmentId });
    expect((await bench.call(admin, 'GET', `${root}/${outside}`)).http).toBe(200);
    await run(bench.db, 'UPDATE staff SET all_projects = false WHERE id = $1', [outside]);
    expect((await bench.call(admin, 'GET', `${root}/${outside}`)).http).toBe(404);
    const join = await bench.call(admin, 'POST', `${root}/action/addToProjects`, {
      staff: [String(outside), String(id)],
      projects: [String(projects[1])],
    });
    expect(join.http).toBe(200);
    const held = async (staffId: number) =>
      (
        await run<{ project_id: number }>(
          bench.db,
          'SELECT project_id FROM staff_project WHERE staff_id = $1 ORDER BY 1',
          [staffId],
        )
      ).map((row) => row.project_id);
    expect([await held(id), await held(outside)]).toEqual([projects, [projects[1]]]);
    const leave = (body: object) => bench.call(admin, 'POST', `${root}/${id}/removeFromProject`, body);
    expect((await leave({ projects: [String(projects[0])] })).http).toBe(200);
    expect((await leave({ projects: [String(projects[0])] })).http).toBe(422);
    expect(await held(id)).toEqual([projects[1]]);
    const timeline = await bench.call<{ action: string; changes: { before: string; after: string }[] }[]>(
      admin,
      'GET',
      `/admin/staff/${id}/timeline`,
    );
    expect(timeline.data.map((one) => one.action)).toEqual(['removeFromProject', 'addToProjects', 'create']);
    const caller = await bench.staff('proj_caller');
    await run(bench.db, 'UPDATE staff SET all_projects = false WHERE id = $1', [caller]);
    await run(bench.db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
      caller,
      projects[0],
    ]);
    await bench.group('proj_caller_g', { menus: { userManager1: 'all' }, members: [caller] });
    const seen = await bench.call<Listed>(
      await bench.token('proj_caller'),
      'GET',
      `${root}/page?searchVal=proj_&limit=50`,
    );
    expect(seen.data.rows.map((row) => row.account)).toEqual(['proj_caller']);
  });
});

test('sessions and sign-ins are parts of every view, each with its own right and scope', async () => {
  const projectId = await bench.one('SELECT id AS v FROM project ORDER BY id LIMIT 1');
  const target = await bench.staff('parts_target');
  await run(bench.db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [
    target,
    projectId,
  ]);
  await run(
    bench.db,
    `INSERT INTO sign_in_attempt (account, staff_id, address, result) VALUES ('parts_target', $1, '10.0.0.1', 'wrong_password')`,
    [target],
  );
  await bench.token('parts_target');
  const views = {
    staff: ['userManager', 'userManager:btn_session'],
    projectStaff: ['userManager1', 'userManager1:btn_resetPwd'],
    allStaff: ['allUserManager', 'allUserManager:btn_kick', 'allUserManager:btn_view'],
  } as const;
  for (const [view, [menu, ...elements]] of Object.entries(views)) {
    const account = `parts_${view.toLowerCase()}`;
    const staffId = await bench.staff(account);
    await bench.group(`${account}_g`, { menus: { [menu]: 'all' }, elements, members: [staffId] });
    const token = await bench.token(account);
    const sessions = await bench.call<{ id: string }[]>(token, 'GET', `/admin/${view}/${target}/sessions`);
    expect([view, sessions.http]).toEqual([view, 200]);
    expect(sessions.data.length).toBeGreaterThan(0);
    const signIns = await bench.call<{ result: string }[]>(token, 'GET', `/admin/${view}/${target}/signIns`);
    expect(signIns.data.map((one) => one.result)).toEqual(['wrong_password']);
    for (const other of Object.keys(views).filter((one) => one !== view))
      expect((await bench.call(token, 'GET', `/admin/${other}/${target}/sessions`)).http).toBe(403);
    const ended = await bench.call(token, 'POST', `/admin/${view}/${target}/endSession`, {
      sessionId: sessions.data[0]!.id,
    });
    expect(ended.http).toBe(200);
    await bench.token('parts_target');
  }
  const merchant = await bench.one(
    `SELECT s.id AS v FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE n.kind = 2 LIMIT 1`,
  );
  expect((await bench.call(admin, 'GET', `/admin/staff/${merchant}/sessions`)).http).toBe(404);
  expect((await bench.call(admin, 'GET', `/admin/allStaff/${merchant}/sessions`)).http).toBe(200);
});

test('an optional field can be emptied again, and a new password can be sent by SMS', async () => {
  const id = await bench.staff('sms_one', { departmentId });
  const put = async (body: object) =>
    bench.call(admin, 'PUT', `/admin/staff/${id}`, { version: await versionOf(id), ...body });
  expect((await put({ description: '说明', staffNo: 'SMS-1' })).http).toBe(200);
  expect((await put({ description: null, staffNo: null })).http).toBe(200);
  const reset = () =>
    bench.call<{ result: { initialPassword: string } }>(admin, 'POST', `/admin/staff/${id}/resetPassword`, {
      sendSms: true,
    });
  expect((await reset()).http).toBe(422);
  expect((await put({ mobilePhone: '13400002222' })).http).toBe(200);
  const done = await reset();
  expect(done.http).toBe(200);
  expect(
    (await runOne<{ body: string }>(bench.db, `SELECT body FROM sms_message WHERE phone = '13400002222'`))!
      .body,
  ).toContain(done.data.result.initialPassword);
});

test('Bad input, expired memberships in the middle of a request: what waited beyond the end writes nothing, the next call has the right no more', async () => {
  const staffId = await bench.staff('mid_request');
  const groupId = await bench.group('mid_request_g', {
    menus: { groupTypeManager: 'all' },
    elements: ['groupTypeManager:btn_edit'],
    members: [staffId],
  });
  const typeId = await bench.one(
    `INSERT INTO group_type (code, name, description) VALUES ('midreq', '途中类型', '途中') RETURNING id AS v`,
  );
  await run(
    bench.db,
    `UPDATE group_member SET expires_at = now() + interval '3 seconds' WHERE group_id = $1`,
    [groupId],
  );
  const token = await bench.token('mid_request');
  const edit = (version: number, description: string) =>
    bench.call(token, 'PUT', `/admin/groupType/${typeId}`, { version, description });
  expect((await edit(1, '第一次')).http).toBe(200);
  const holder = await bench.product.platform.database.pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM group_type WHERE id = $1 FOR UPDATE', [typeId]);
    const running = edit(2, '第二次');
    // The call waits for the row; its membership ends meanwhile.
    for (;;) {
      const waiting = await run(
        bench.db,
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE '%group_type%'`,
      );
      if (waiting.length > 0) break;
    }
    for (;;) {
      const over = await run(
        bench.db,
        'SELECT 1 FROM group_member WHERE group_id = $1 AND expires_at <= now()',
        [groupId],
      );
      if (over.length > 0) break;
    }
    await holder.query('COMMIT');
    const answer = await running;
    expect([answer.http, answer.message]).toEqual([409, '您的权限刚刚发生变更，请刷新页面后重试']);
  } finally {
    holder.release();
  }
  expect(
    await runOne(bench.db, 'SELECT description, version FROM group_type WHERE id = $1', [typeId]),
  ).toEqual({
    description: '第一次',
    version: 2,
  });
  const events = await run(
    bench.db,
    `SELECT 1 FROM entity_event WHERE entity = 'groupType' AND entity_id = $1`,
    [typeId],
  );
  expect(events).toHaveLength(1);
  const until = Date.now() + 1000;
  let http = 0;
  while (http !== 403 && Date.now() < until) http = (await edit(2, '第三次')).http;
  expect(http).toBe(403);
});

test('filters over all companies name departments, posts and groups of each, and follow the chosen company', async () => {
  const merchant = await bench.one(`SELECT min(id) AS v FROM tenant WHERE kind = 2`);
  const company = await bench.one(`SELECT min(id) AS v FROM tenant WHERE kind = 1`);
  for (const [tenant, code] of [
    [merchant, 'M'],
    [company, 'C'],
  ] as const) {
    await run(bench.db, `INSERT INTO department (tenant_id, code, name) VALUES ($1, $2, '跟随部')`, [
      tenant,
      `FOLLOW${code}`,
    ]);
    await run(
      bench.db,
      `INSERT INTO station (tenant_id, code, name, type) VALUES ($1, $2, '跟随岗', 'other')`,
      [tenant, `FOLLOW${code}`],
    );
    await bench.group(`follow_${code}`, { tenantId: tenant });
  }
  await bench.staff('only_own');
  await bench.group('only_own_g', {
    menus: { userManager: 'all' },
    members: [await bench.one(`SELECT id AS v FROM staff WHERE account = 'only_own'`)],
  });
  const token = await bench.token('admin');
  const ask = (target: string, query: string, as = token) =>
    bench.call<{ id: string; title: string; note: string }[]>(
      as,
      'GET',
      `/jinmao/web/options/${target}?limit=200&${query}`,
    );
  const nameOf = async (tenant: number) =>
    (await runOne<{ name: string }>(bench.db, 'SELECT name FROM tenant WHERE id = $1', [tenant]))!.name;
  for (const [target, typed] of [
    ['companyDepartment', encodeURIComponent('跟随')],
    ['companyStation', encodeURIComponent('跟随')],
    ['companyGroup', 'follow_'],
  ] as const) {
    const all = await ask(target, `searchVal=${typed}`);
    expect([target, all.data.length]).toEqual([target, 2]);
    const narrowed = await ask(target, `searchVal=${typed}&within=${merchant}`);
    expect(narrowed.data.map((one) => one.note)).toEqual([await nameOf(merchant)]);
    // The name of a chosen one is told whatever the company filter holds now.
    expect((await ask(target, `ids=${all.data.map((one) => one.id).join(',')}`)).data).toHaveLength(2);
    expect((await ask(target, '', await bench.token('only_own'))).http).toBe(403);
  }
  // The pickers of forms stay with the own company.
  expect((await ask('department', `searchVal=${encodeURIComponent('跟随')}`)).data).toEqual([]);
  const chosen = await ask('companyDepartment', `within=${merchant}&searchVal=${encodeURIComponent('跟随')}`);
  const { id } = chosen.data[0]!;
  await bench.staff('follower', { tenantId: merchant, departmentId: Number(id) });
  const listed = await bench.call<{ rows: { account: string }[] }>(
    token,
    'GET',
    `/admin/allStaff/page?department=${id}`,
  );
  expect(listed.data.rows.map((row) => row.account)).toEqual(['follower']);
});
