import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, transaction } from '../../../kernel/server/database.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { effectivePermissions } from '../../../domain/permission/effective-permissions.server.ts';
import { holdTurns, takeTurn } from '../../../domain/permission/turns.server.ts';
import { matrixExport } from './matrix-export.server.ts';
import { openBench, textOf, type PermissionBench } from './permission-fixtures.ts';

const ROOT = '/admin/permissionGroup';

let bench: PermissionBench;

beforeAll(async () => {
  bench = await openBench();
}, 180_000);

afterAll(() => bench.product.close(), 60_000);

/** A manager of groups by that account, with these rights besides. */
async function manager(
  account: string,
  rights: { readonly menus?: Readonly<Record<string, string>>; readonly elements?: readonly string[] },
): Promise<{ readonly id: number; readonly token: string }> {
  const id = await bench.staff(account);
  await bench.group(`${account}_g`, {
    menus: { groupManager: 'all', ...rights.menus },
    elements: [
      ...['btn_edit', 'btn_userManager', 'btn_resourceManager'].map((verb) => `groupManager:${verb}`),
      ...(rights.elements ?? []),
    ],
    members: [id],
  });
  return { id, token: await bench.token(account) };
}

const versionOf = (id: number) => bench.one('SELECT version AS v FROM permission_group WHERE id = $1', [id]);

describe('a leader hands out what the groups below give', () => {
  test('so whoever makes one must hold that too', async () => {
    const { token } = await manager('below_maker', {});
    const friend = await bench.staff('below_friend');
    const top = await bench.group('below_top');
    const middle = await bench.group('below_middle', { parentId: top });
    await bench.group('below_rich', { parentId: middle, menus: { menuManager: 'all' } });
    const lead = (id: number) =>
      bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${id}/members`, {
        set: [{ staffId: String(friend), kind: 'leader' }],
      });
    for (const id of [top, middle]) {
      const answer = await lead(id);
      expect([answer.status, answer.data?.missing]).toEqual([30101, ['menuManager']]);
    }
    // As a member nobody hands anything out.
    expect(
      (
        await bench.call(token, 'PUT', `${ROOT}/${top}/members`, {
          set: [{ staffId: String(friend), kind: 'member' }],
        })
      ).http,
    ).toBe(200);
    expect((await lead(top)).status).toBe(30101);
  });

  test('a group with rich ones below it does not go under a leader', async () => {
    const { token } = await manager('under_mover', {});
    const friend = await bench.staff('under_friend');
    const led = await bench.group('under_led', { leaders: [friend] });
    const branch = await bench.group('under_branch');
    await bench.group('under_rich', { parentId: branch, menus: { menuManager: 'all' } });
    const answer = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${branch}`, {
      version: await versionOf(branch),
      parentId: String(led),
    });
    expect([answer.status, answer.data?.missing]).toEqual([30101, ['menuManager']]);
  });

  test('a group that is led comes back to life only by who holds what is below it', async () => {
    const { token } = await manager('alive_maker', {});
    const friend = await bench.staff('alive_friend');
    const led = await bench.group('alive_led', { leaders: [friend] });
    await bench.group('alive_rich', { parentId: led, menus: { menuManager: 'all' } });
    await bench.call(await bench.token('admin'), 'PUT', `${ROOT}/${led}`, { version: 1, enabled: false });
    const answer = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${led}`, {
      version: await versionOf(led),
      enabled: true,
    });
    expect([answer.status, answer.data?.missing]).toEqual([30101, ['menuManager']]);
  });
});

describe('what a group below gains by a changed form', () => {
  const COLUMNS = ['enabled', 'inherit', 'parentId', 'departmentId'] as const;
  const combinations = Array.from({ length: 15 }, (_, index) =>
    COLUMNS.filter((_column, bit) => ((index + 1) >> bit) & 1),
  );
  const ORDERS = 'mm_businessOrder_wx';
  let token: string;
  let platform: number;

  beforeAll(async () => {
    // Sees all orders and holds no button of theirs.
    token = (await manager('heir_maker', { menus: { [ORDERS]: 'all' } })).token;
    platform = await bench.one('SELECT id AS v FROM tenant WHERE kind = 3');
  });

  const newDepartment = (code: string) =>
    bench.one('INSERT INTO department (tenant_id, code, name) VALUES ($1, $2, $2) RETURNING id AS v', [
      platform,
      code,
    ]);

  // All of them but a change of the department alone open all orders to the members of the heir.
  test.each(combinations.map((columns, index) => [columns.join(' + '), columns, index] as const))(
    '%s',
    async (_, columns, index) => {
      const has = (column: (typeof COLUMNS)[number]) => columns.includes(column);
      const code = `heir_${index}`;
      const departments: number[] = [];
      for (const one of ['p', 'g', 'h', 'other']) departments.push(await newDepartment(`${code}_${one}`));
      const [ofParent, ofGroup, ofHeir, other] = departments as [number, number, number, number];
      const depart = { type: 'depart' };
      const clerk = await bench.staff(`${code}_clerk`, { departmentId: ofHeir });
      const parent = await bench.group(`${code}_p`, {
        ...depart,
        departmentId: ofParent,
        menus: { [ORDERS]: 'all' },
      });
      const group = await bench.group(`${code}_g`, {
        ...depart,
        departmentId: ofGroup,
        ...(has('parentId') ? {} : { parentId: parent }),
        inherit: !has('inherit'),
      });
      await bench.group(`${code}_h`, {
        ...depart,
        departmentId: ofHeir,
        parentId: group,
        inherit: true,
        menus: { [ORDERS]: 'self' },
        elements: [`${ORDERS}:btn_create`, `${ORDERS}:btn_export`],
      });
      if (has('enabled'))
        await bench.one('UPDATE permission_group SET enabled = false WHERE id = $1 RETURNING id AS v', [
          group,
        ]);
      const before = await effectivePermissions(bench.db, clerk);
      const sent = {
        enabled: true,
        inherit: true,
        parentId: String(parent),
        departmentId: String(other),
      };
      const answer = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${group}`, {
        version: 1,
        ...Object.fromEntries(columns.map((column) => [column, sent[column]])),
      });
      if (columns.join() === 'departmentId') {
        expect([answer.http, answer.message]).toEqual([200, '']);
        expect(textOf(await effectivePermissions(bench.db, clerk))).toBe(textOf(before));
        return;
      }
      expect([answer.status, answer.data?.missing?.toSorted()]).toEqual([
        30101,
        [`${ORDERS}:btn_create`, `${ORDERS}:btn_export`],
      ]);
      expect((await effectivePermissions(bench.db, clerk)).menus.get(ORDERS)).toEqual([{ kind: 'self' }]);
    },
  );
});

test('a leader who could sign in as others lets nobody into what it does not hold', async () => {
  const friend = await bench.staff('puppet_friend');
  const add = async (account: string, elements: readonly string[]) => {
    const leader = await bench.staff(account);
    await bench.group(`${account}_g`, {
      menus: { roleManager: 'all', userManager: 'all' },
      elements,
      members: [leader],
    });
    const led = await bench.group(`${account}_led`, { leaders: [leader] });
    const rich = await bench.group(`${account}_rich`, { parentId: led, menus: { menuManager: 'all' } });
    const answer = await bench.call<{ missing: string[] }>(
      await bench.token(account),
      'PUT',
      `${ROOT}/${rich}/members`,
      { set: [{ staffId: String(friend), kind: 'member' }] },
    );
    return [answer.http, answer.data?.missing];
  };
  expect(await add('puppet_none', [])).toEqual([200, undefined]);
  for (const button of ['btn_add', 'btn_resetPwd'])
    expect(await add(`puppet_${button}`, [`userManager:${button}`])).toEqual([409, ['menuManager']]);
});

test('nor lets in an account it once opened, after laying the button down', async () => {
  const leader = await bench.staff('opener');
  const button = await bench.group('opener_button', {
    menus: { roleManager: 'all', userManager: 'all' },
    elements: ['userManager:btn_add', 'userManager:btn_edit', 'userManager:btn_resetPwd'],
    members: [leader],
  });
  await bench.group('opener_g', { menus: { roleManager: 'all' }, members: [leader] });
  const led = await bench.group('opener_led', { leaders: [leader] });
  const rich = await bench.group('opener_rich', { parentId: led, menus: { menuManager: 'all' } });
  const token = await bench.token('opener');
  const [reset, phoned, stranger] = [
    await bench.staff('opener_reset'),
    await bench.staff('opener_phoned'),
    await bench.staff('opener_stranger'),
  ];
  expect((await bench.call(token, 'POST', `/admin/staff/${reset}/resetPassword`, {})).http).toBe(200);
  const version = await bench.one('SELECT version AS v FROM staff WHERE id = $1', [phoned]);
  const changed = await bench.call(token, 'PUT', `/admin/staff/${phoned}`, {
    version,
    mobilePhone: '13712345670',
  });
  expect([changed.http, changed.message]).toEqual([200, '']);
  const department = await bench.one(
    `INSERT INTO department (tenant_id, code, name) SELECT tenant_id, 'OPENER', '开户部' FROM staff WHERE id = $1 RETURNING id AS v`,
    [leader],
  );
  const made = await bench.call<{ id: string }>(token, 'POST', '/admin/staff', {
    name: '新账号',
    account: 'opener_made',
    mobilePhone: '13712345671',
    department: String(department),
  });
  expect([made.http, made.message]).toEqual([200, '']);
  await bench.one('DELETE FROM group_member WHERE group_id = $1 AND staff_id = $2 RETURNING staff_id AS v', [
    button,
    leader,
  ]);
  await bench.one(
    'UPDATE staff SET permission_epoch = permission_epoch + 1 WHERE id = $1 RETURNING id AS v',
    [leader],
  );
  const later = await bench.token('opener');
  const letIn = async (id: number | string) => {
    const answer = await bench.call<{ missing: string[] }>(later, 'PUT', `${ROOT}/${rich}/members`, {
      set: [{ staffId: String(id), kind: 'member' }],
    });
    return [answer.http, answer.data?.missing];
  };
  for (const id of [reset, phoned, made.data!.id]) expect(await letIn(id)).toEqual([409, ['menuManager']]);
  expect(await letIn(stranger)).toEqual([200, undefined]);
  // Nor one that such an account opened afterwards; what it had opened before is not the leader's.
  const [puppet, chained, known] = [
    await bench.staff('opener_puppet'),
    await bench.staff('opener_chained'),
    await bench.staff('opener_known'),
  ];
  for (const [staff, opener, days] of [
    [known, puppet, 3],
    [puppet, leader, 2],
    [chained, puppet, 1],
  ] as const)
    await bench.one(
      `INSERT INTO account_opener (staff_id, opener_id, first_at, last_at)
       SELECT $1, $2, at, at FROM (SELECT now() - make_interval(days => $3) AS at) t RETURNING staff_id AS v`,
      [staff, opener, days],
    );
  expect(await letIn(chained)).toEqual([409, ['menuManager']]);
  expect(await letIn(known)).toEqual([200, undefined]);
  // Nobody counts as the opener of its own account, or of one it never touched.
  const own = await bench.one(
    'SELECT count(*) AS v FROM account_opener WHERE staff_id = opener_id OR staff_id = $1',
    [stranger],
  );
  expect(Number(own)).toBe(0);
});

test('an outside program gives what its own token holds, in whose name ever', async () => {
  const friend = await bench.staff('program_friend');
  const limited = async (account: string) => {
    const token = await bench.token(account);
    await bench.one(
      `UPDATE session SET scopes = ARRAY['openid', 'menu:adminSys']
        WHERE id = (SELECT max(x.id) FROM session x JOIN staff s ON s.id = x.staff_id WHERE s.account = $1) RETURNING id AS v`,
      [account],
    );
    bench.product.platform.changed('session');
    return token;
  };
  const program = await limited('admin');
  expect((await bench.call(program, 'GET', '/jinmao/web/goodsOrder/page?limit=1')).http).toBe(403);
  const administrators = await bench.one(
    `SELECT id AS v FROM permission_group WHERE code = 'platform_admin'`,
  );
  const letIn = async (token: string, group: number) => {
    const answer = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${group}/members`, {
      set: [{ staffId: String(friend), kind: 'member' }],
    });
    return [answer.http, answer.data?.missing];
  };
  expect(await letIn(program, administrators)).toEqual([409, ['platform_admin']]);
  const department = await bench.one('SELECT min(id) AS v FROM department');
  const made = await bench.call(program, 'POST', '/admin/user/add', {
    name: '程序账号',
    account: 'program_made',
    mobilePhone: '13712345680',
    departmentId: String(department),
    groupIds: [String(administrators)],
  });
  expect(made.http).not.toBe(200);
  expect(await bench.one(`SELECT count(*) AS v FROM staff WHERE account = 'program_made'`).then(Number)).toBe(
    0,
  );
  const finance = await bench.one(`SELECT id AS v FROM staff WHERE account = 'finance1'`);
  expect((await bench.call(program, 'POST', `/admin/staff/${finance}/resetPassword`, {})).http).toBe(409);
  const administrator = await bench.staff('program_second_admin');
  await bench.one('INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2) RETURNING staff_id AS v', [
    administrators,
    administrator,
  ]);
  expect((await bench.call(program, 'POST', `/admin/staff/${administrator}/resetPassword`, {})).http).toBe(
    409,
  );

  // The same of a leader, whose leadership is no right of the program.
  const leader = await bench.staff('program_leader');
  await bench.group('program_leader_g', { menus: { roleManager: 'all' }, members: [leader] });
  const led = await bench.group('program_led', {
    menus: { mm_businessOrder_wx: 'all' },
    leaders: [leader],
  });
  expect(await letIn(await limited('program_leader'), led)).toEqual([403, undefined]);
  expect(await letIn(await bench.token('program_leader'), led)).toEqual([200, undefined]);
  // Nor is it anybody itself, where being oneself allows something.
  const clerk = await bench.staff('program_clerk');
  await bench.group('program_clerk_g', {
    menus: { userManager: 'self', mm_orderRefund: 'all' },
    elements: ['userManager:btn_edit'],
    members: [clerk],
  });
  const redirect = async (token: string) =>
    (
      await bench.call(token, 'PUT', `/admin/staff/${clerk}`, {
        version: await bench.one('SELECT version AS v FROM staff WHERE id = $1', [clerk]),
        email: 'elsewhere@example.com',
      })
    ).http;
  expect(await redirect(await limited('program_clerk'))).toBe(409);
  expect(await redirect(await bench.token('program_clerk'))).toBe(200);
  // In person the administrator still gives everything.
  expect(await letIn(await bench.token('admin'), administrators)).toEqual([200, undefined]);
});

test('nobody puts off the end of the own membership', async () => {
  const { id, token } = await manager('own_end', {});
  const group = await bench.group('own_end_for_days', { menus: { menuManager: 'all' } });
  const on = (days: number | null) =>
    days === null ? null : businessDayOf(new Date(Date.now() + days * 86_400_000));
  const put = async (by: string, days: number | null) =>
    (
      await bench.call(by, 'PUT', `${ROOT}/${group}/members`, {
        set: [{ staffId: String(id), kind: 'member', endsOn: on(days) }],
      })
    ).http;
  const admin = await bench.token('admin');
  expect(await put(admin, 5)).toBe(200);
  expect([await put(token, null), await put(token, 9)]).toEqual([409, 409]);
  expect([await put(token, 2), await put(admin, 9)]).toEqual([200, 200]);
});

describe('a handover', () => {
  /** A leaver who leads a department and is to approve overtime of somebody else. */
  async function leaver(name: string) {
    const [from, other] = [await bench.staff(`${name}_leaver`), await bench.staff(`${name}_heir`)];
    await bench.one(
      `INSERT INTO department (tenant_id, code, name, leader_id) SELECT tenant_id, $2, '远方部', id FROM staff WHERE id = $1 RETURNING id AS v`,
      [from, `${name}_d`],
    );
    await bench.one(
      `WITH i AS (INSERT INTO approval_instance (code, biz_type, biz_id, tenant_id, title_zh, title_en, summary, starter_id, subject_id)
         SELECT $3, 'overtime', 987654 + id, tenant_id, '加班', 'Overtime', '[]', id, id FROM staff WHERE id = $2 RETURNING id)
       INSERT INTO approval_task (instance_id, seat, first_assignee_id, assignee_id) SELECT id, 1, $1, $1 FROM i RETURNING id AS v`,
      [from, other, `AP_${name}`],
    );
    return from;
  }
  const approving = (scope: string) => ({
    menus: { workOvertimeManager: scope },
    elements: ['workOvertimeManager:btn_approve'],
  });
  const hand = (token: string, from: number, kind: string, to: number) =>
    bench.call(token, 'POST', `/admin/staff/${from}/handover`, { targets: { [kind]: String(to) } });

  test('gives nobody departments and approvals outside its scope', async () => {
    const { id, token } = await manager('hand_self', {
      menus: { userManager: 'all', departManager: 'self', ...approving('self').menus },
      elements: ['userManager:btn_handover', ...approving('self').elements],
    });
    const from = await leaver('hand');
    const heir = await bench.staff('hand_new');
    expect((await hand(token, from, 'department_leader', id)).status).toBe(30101);
    expect((await hand(token, from, 'department_leader', heir)).status).toBe(30101);
    // Whoever sees the department hands it over; its leader then answers for its staff.
    await bench.one('UPDATE department SET leader_id = $2 WHERE leader_id = $1 RETURNING id AS v', [
      from,
      heir,
    ]);
    const refused = [await hand(token, from, 'approval', id), await hand(token, from, 'approval', heir)];
    await bench.group('hand_buttonless', { menus: approving('all').menus, members: [heir] });
    refused.push(await hand(token, from, 'approval', heir));
    for (const answer of refused)
      expect([answer.status, answer.message]).toEqual([30101, expect.stringContaining('AP_hand')]);
    await bench.group('hand_button', { ...approving('self'), members: [heir] });
    expect((await hand(token, from, 'approval', heir)).http).toBe(200);
  });

  test('is of departments one sees, whoever gets them', async () => {
    const rights = (departManager: string, button: string) => ({
      menus: { userManager: 'all', departManager },
      elements: ['userManager:btn_handover', button],
    });
    const heir = await bench.staff('puppet_new');
    const from = await leaver('puppet');
    for (const button of ['userManager:btn_add', 'userManager1:btn_resetPwd']) {
      const name = `puppet_${button.split('_')[1]}_hand`;
      const grants = rights('self', button);
      const { token } = await manager(name, {
        ...grants,
        menus: { ...grants.menus, ...(button.startsWith('userManager1') ? { userManager1: 'all' } : {}) },
      });
      const answer = await hand(token, from, 'department_leader', heir);
      expect([answer.status, answer.message]).toEqual([
        30101,
        '不能交接您管理范围外的部门，请由部门管理中能看到它们的管理员操作：远方部',
      ]);
    }
    const seeing = await manager('puppet_seeing', rights('all', 'userManager:btn_add'));
    expect((await hand(seeing.token, from, 'department_leader', heir)).http).toBe(200);
  });
});

test('a leadership is not handed over by who lacks what the groups below give', async () => {
  const { token } = await manager('hand_over', {
    menus: { userManager: 'all' },
    elements: ['userManager:btn_handover'],
  });
  const [from, to] = [await bench.staff('hand_from'), await bench.staff('hand_to')];
  const led = await bench.group('hand_led', { leaders: [from] });
  await bench.group('hand_rich', { parentId: led, menus: { menuManager: 'all' } });
  const answer = await bench.call<{ missing: string[] }>(token, 'POST', `/admin/staff/${from}/handover`, {
    targets: { group_leader: String(to) },
  });
  expect([answer.status, answer.data?.missing]).toEqual([30101, ['menuManager']]);
});

test('the account of a leader is taken over by nobody who lacks what the groups below give', async () => {
  const { token } = await manager('leader_taker', {
    menus: { userManager: 'all' },
    elements: ['userManager:btn_resetPwd', 'userManager:btn_edit'],
  });
  const leader = await bench.staff('taken_leader');
  const led = await bench.group('taken_led', { leaders: [leader] });
  const reset = () =>
    bench.call<{ missing: string[] }>(token, 'POST', `/admin/staff/${leader}/resetPassword`, {});
  await bench.group('taken_rich', { parentId: led, menus: { menuManager: 'all' } });
  const answer = await reset();
  expect([answer.status, answer.data?.missing]).toEqual([30101, ['menuManager']]);
  const phone = await bench.call(token, 'PUT', `/admin/staff/${leader}`, {
    version: 1,
    mobilePhone: '13900007777',
  });
  expect(phone.status).toBe(30101);
  await bench.call(await bench.token('admin'), 'PUT', `${ROOT}/${led}/members`, {
    remove: [String(leader)],
  });
  expect((await reset()).http).toBe(200);
});

describe('a button reaches the rows of its menu', () => {
  test('so it is not given over more rows than the giver has', async () => {
    const { token } = await manager('rows_giver', {
      menus: { stationManage: 'self' },
      elements: ['stationManage:btn_edit'],
    });
    const reader = await bench.staff('rows_reader');
    const all = await bench.group('rows_all', { menus: { stationManage: 'all' }, members: [reader] });
    const answer = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${all}/authority`, {
      version: 1,
      reason: 'test',
      menus: [{ code: 'stationManage', dataScope: 'all', departmentIds: [] }],
      elements: ['stationManage:btn_edit'],
    });
    expect([answer.status, answer.data?.missing]).toEqual([30101, ['stationManage']]);
    expect((await effectivePermissions(bench.db, reader)).elements).not.toContain('stationManage:btn_edit');
  });

  test('and a menu is not given to a group whose buttons of it the giver lacks', async () => {
    const { token } = await manager('menu_giver', { menus: { stationManage: 'all' } });
    const idle = await bench.group('menu_idle', { elements: ['stationManage:btn_edit'] });
    const answer = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${idle}/authority`, {
      version: 1,
      reason: 'test',
      menus: [{ code: 'stationManage', dataScope: 'all', departmentIds: [] }],
      elements: ['stationManage:btn_edit'],
    });
    expect([answer.status, answer.data?.missing]).toEqual([30101, ['stationManage:btn_edit']]);
    const narrow = await bench.group('menu_narrow', {
      menus: { stationManage: 'self' },
      elements: ['stationManage:btn_edit'],
    });
    const wider = await bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${narrow}/authority`, {
      version: 1,
      reason: 'test',
      menus: [{ code: 'stationManage', dataScope: 'all', departmentIds: [] }],
      elements: ['stationManage:btn_edit'],
    });
    expect([wider.status, wider.data?.missing]).toEqual([30101, ['stationManage:btn_edit']]);
  });

  test('and the rows of a group it inherits from count too', async () => {
    const { token } = await manager('heir_giver', {
      menus: { stationManage: 'self' },
      elements: ['stationManage:btn_edit'],
    });
    const above = await bench.group('heir_above', { menus: { stationManage: 'all' } });
    const heir = await bench.group('heir_below', { parentId: above, inherit: true });
    const give = (id: number) =>
      bench.call<{ missing: string[] }>(token, 'PUT', `${ROOT}/${id}/authority`, {
        version: 1,
        reason: 'test',
        menus: [],
        elements: ['stationManage:btn_edit'],
      });
    const answer = await give(heir);
    expect([answer.status, answer.data?.missing]).toEqual([30101, ['stationManage']]);
    // And the other way round: what a group above gains works with the buttons of its heirs.
    const rich = await manager('heir_reader', { menus: { stationManage: 'all' } });
    const top = await bench.group('heir_top');
    await bench.group('heir_buttons', {
      parentId: top,
      inherit: true,
      elements: ['stationManage:btn_edit'],
    });
    const given = await bench.call<{ missing: string[] }>(rich.token, 'PUT', `${ROOT}/${top}/authority`, {
      version: 1,
      reason: 'test',
      menus: [{ code: 'stationManage', dataScope: 'all', departmentIds: [] }],
      elements: [],
    });
    expect([given.status, given.data?.missing]).toEqual([30101, ['stationManage:btn_edit']]);
    // Alone the button opens nothing beyond what the giver holds.
    expect((await give(await bench.group('heir_alone', { parentId: above }))).http).toBe(200);
  });
});

describe('what one holds for some days is not made lasting for oneself', () => {
  const NEED = 'menuManager';
  const DAYS = 5;

  /** Somebody who administers groups and users for good, and holds one menu for some days. */
  async function borrower(account: string) {
    const { id, token } = await manager(account, {
      menus: { userManager: 'all' },
      elements: [
        'groupManager:btn_copy',
        'groupManager:btn_add',
        'userManager:btn_edit',
        'userManager:btn_group',
      ],
    });
    const lent = await bench.group(`${account}_lent`, { menus: { [NEED]: 'all' } });
    await bench.one(
      `INSERT INTO group_member (group_id, staff_id, expires_at) VALUES ($1, $2, now() + make_interval(days => $3)) RETURNING staff_id AS v`,
      [lent, id, DAYS],
    );
    return { id, lent, own: `${account}_g`, token: token && (await bench.token(account)) };
  }
  const inTenDays = () => businessDayOf(new Date(Date.now() + 10 * 86_400_000));
  const after = async (id: number, days: number) =>
    (await effectivePermissions(bench.db, id, new Date(Date.now() + days * 86_400_000))).menus.has(NEED);

  test('by joining a copy, for ever or for longer', async () => {
    const { id, lent, token } = await borrower('lent_copy');
    const copy = await bench.call<{ id: string }>(token, 'POST', `${ROOT}/${lent}/copy`, {
      name: '副本',
      code: 'lent_copy_of',
    });
    expect(copy.http).toBe(200);
    const join = (staffId: number, more: object) =>
      bench.call(token, 'PUT', `${ROOT}/${copy.data.id}/members`, {
        set: [{ staffId: String(staffId), kind: 'member', ...more }],
      });
    for (const more of [{}, { endsOn: inTenDays() }]) {
      const answer = await join(id, more);
      expect([answer.status, answer.message]).toEqual([
        30101,
        '不能给自己增加权限，也不能延长自己的权限，请由其他管理员操作',
      ]);
    }
    // A deputy still does the work of whoever is away.
    expect((await join(await bench.staff('lent_other'), {})).http).toBe(200);
    expect([await after(id, 0), await after(id, DAYS + 1)]).toEqual([true, false]);
  });

  test('by adding it to a group of the own, by the own user form, or by leading others', async () => {
    const { id, lent, own, token } = await borrower('lent_own');
    const group = await bench.one('SELECT id AS v FROM permission_group WHERE code = $1', [own]);
    const view = await bench.call<{ menus: object[]; elements: string[] }>(
      token,
      'GET',
      `${ROOT}/${group}/grants`,
    );
    const grants = await bench.call(token, 'PUT', `${ROOT}/${group}/authority`, {
      version: 1,
      reason: 'test',
      menus: [...view.data.menus, { code: NEED, dataScope: 'all', departmentIds: [] }],
      elements: view.data.elements,
    });
    expect(grants.status).toBe(30101);
    const twin = await bench.group('lent_own_twin', { menus: { [NEED]: 'all' } });
    const form = await bench.call(token, 'PUT', `/admin/staff/${id}`, {
      version: 1,
      groups: [String(group), String(lent), String(twin)],
    });
    expect(form.status).toBe(30101);
    const lead = await bench.call(token, 'PUT', `${ROOT}/${twin}/members`, {
      set: [{ staffId: String(id), kind: 'leader', endsOn: businessDayOf(new Date()) }],
    });
    expect(lead.status).toBe(30101);
    expect(await after(id, DAYS + 1)).toBe(false);
  });

  test('by going into a department whose group gives it', async () => {
    const { id, token } = await borrower('lent_dept');
    const department = await bench.one(
      `INSERT INTO department (tenant_id, code, name) SELECT tenant_id, 'lent_d', '借调部' FROM staff WHERE id = $1 RETURNING id AS v`,
      [id],
    );
    const go = () =>
      bench.call(token, 'PUT', `/admin/staff/${id}`, { version: 1, department: String(department) });
    await bench.group('lent_dept_group', {
      type: 'depart',
      departmentId: department,
      menus: { [NEED]: 'all' },
    });
    expect((await go()).status).toBe(30101);
    expect(await after(id, DAYS + 1)).toBe(false);
  });
});

test('switching inheritance or a group on counts the buttons of the groups below', async () => {
  const { token } = await manager('switch_reader', { menus: { stationManage: 'all' } });
  const top = await bench.group('switch_top', { menus: { stationManage: 'all' } });
  const middle = await bench.group('switch_middle', { parentId: top });
  await bench.group('switch_low', {
    parentId: middle,
    inherit: true,
    elements: ['stationManage:btn_edit'],
  });
  const edit = (id: number, version: number, by: string, body: object) =>
    bench.call<{ missing: string[] }>(by, 'PUT', `${ROOT}/${id}`, { version, ...body });
  const inherit = await edit(middle, 1, token, { inherit: true });
  expect([inherit.status, inherit.data?.missing]).toEqual([30101, ['stationManage:btn_edit']]);
  const admin = await bench.token('admin');
  expect((await edit(middle, 1, admin, { inherit: true })).http).toBe(200);
  expect((await edit(middle, 2, admin, { enabled: false })).http).toBe(200);
  const enabled = await edit(middle, 3, token, { enabled: true });
  expect([enabled.status, enabled.data?.missing]).toEqual([30101, ['stationManage:btn_edit']]);
});

test('a call that waited for its turn counts with the rights of that moment', async () => {
  const { id, token } = await manager('late_caller', { menus: { menuManager: 'all' } });
  const friend = await bench.staff('late_friend');
  const group = await bench.group('late_group', { menus: { menuManager: 'all' } });
  const add = () =>
    bench.call(token, 'PUT', `${ROOT}/${group}/members`, {
      set: [{ staffId: String(friend), kind: 'member' }],
    });
  const meanwhile = async (sql: string) => {
    let answer: ReturnType<typeof add>;
    await transaction(bench.db, async (tx) => {
      await run(tx, 'SELECT 1 FROM permission_group WHERE id = $1 FOR UPDATE', [group]);
      answer = add();
      // The call is let in and comes to the lock before its rights are taken away.
      await new Promise((resolve) => setTimeout(resolve, 400));
      await run(tx, sql, [id]);
    });
    return (await answer!).http;
  };
  expect(await meanwhile('DELETE FROM group_member WHERE staff_id = $1')).toBe(409);
  await bench.one(
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'late_caller_g' RETURNING staff_id AS v`,
    [id],
  );
  expect(await meanwhile(`UPDATE staff SET state = 'disabled' WHERE id = $1`)).toBe(409);
  await bench.one(`UPDATE staff SET state = 'normal' WHERE id = $1 RETURNING id AS v`, [id]);
  expect((await add()).http).toBe(200);
});

test('the leader of a platform group who works in a company sees and lets in its own colleagues only', async () => {
  const [own, other] = [
    await bench.one(`SELECT id AS v FROM tenant WHERE account = 'C000001'`),
    await bench.one(`SELECT id AS v FROM tenant WHERE account = 'C000002'`),
  ];
  const leader = await bench.staff('company_leader', { tenantId: own });
  const colleague = await bench.staff('company_colleague', { tenantId: own });
  const foreign = await bench.staff('company_foreign', { tenantId: other });
  const platform = await bench.staff('company_platform');
  await bench.group('company_leads', {
    tenantId: own,
    menus: { roleManager: 'all' },
    elements: ['roleManager:btn_add'],
    members: [leader],
  });
  const group = await bench.group('company_led', { leaders: [leader], members: [foreign, platform] });
  const token = await bench.token('company_leader');
  const path = `${ROOT}/${group}`;
  const ofCandidates = async (by: string) =>
    (
      await bench.call<{ rows: { account: string }[] }>(
        by,
        'GET',
        `${path}/candidates?searchVal=company_&limit=50`,
      )
    ).data.rows
      .map((row) => row.account)
      .sort();
  expect(await ofCandidates(token)).toEqual(['company_colleague']);
  const members = async (by: string) => {
    const { data } = await bench.call<{ rows: { account: string }[]; others: number }>(
      by,
      'GET',
      `${path}/members`,
    );
    return [data.rows.map((row) => row.account).sort(), data.others];
  };
  expect(await members(token)).toEqual([['company_leader'], 2]);
  const put = async (by: string, body: object) => (await bench.call(by, 'PUT', `${path}/members`, body)).http;
  const set = (staffId: number) => ({ set: [{ staffId: String(staffId), kind: 'member' }] });
  const outsider = await bench.staff('other_platform');
  expect(await put(token, set(outsider))).toBe(404);
  expect(await put(token, set(await bench.staff('other_foreign', { tenantId: other })))).toBe(404);
  // Not even those who are in it already are changed or taken away.
  const until = { set: [{ ...set(foreign).set[0]!, endsOn: businessDayOf(new Date()) }] };
  expect([await put(token, until), await put(token, { remove: [String(platform)] })]).toEqual([404, 200]);
  expect(await put(token, set(colleague))).toBe(200);
  expect(await members(token)).toEqual([['company_colleague', 'company_leader'], 2]);
  // Nor does it make groups of the platform below its own.
  const below = await bench.call(token, 'POST', ROOT, {
    type: 'role',
    name: '下级角色',
    code: 'company_below',
    parentId: String(group),
  });
  expect(below.http).toBe(404);
  // The platform's own administration works on staff of every company as before.
  const admin = await bench.token('admin');
  expect(await members(admin)).toEqual([
    ['company_colleague', 'company_foreign', 'company_leader', 'company_platform'],
    0,
  ]);
  expect(await put(admin, { remove: [String(platform)] })).toBe(200);
  expect(await ofCandidates(admin)).toEqual(['company_platform']);
  expect(await put(admin, set(platform))).toBe(200);
});

describe('a group another menu shows is read with the button of that menu', () => {
  const rights = {
    menus: { groupManager: 'self', roleManager: 'all' },
    elements: ['groupManager:btn_resourceManager', 'groupManager:btn_export'],
  };

  test('so its grants are not copied', async () => {
    const reader = await bench.staff('verb_reader');
    await bench.group('verb_reader_g', { ...rights, members: [reader] });
    const token = await bench.token('verb_reader');
    const role = await bench.group('verb_role', { menus: { menuManager: 'all' } });
    const read = async () => (await bench.call(token, 'GET', `${ROOT}/${role}/grants`)).http;
    expect((await bench.call(token, 'GET', `${ROOT}/${role}`)).http).toBe(200);
    expect(await read()).toBe(403);
    await bench.one('UPDATE permission_group SET created_by = $2 WHERE id = $1 RETURNING id AS v', [
      role,
      reader,
    ]);
    expect(await read()).toBe(200);
  });

  test('and it is no column of the matrix', async () => {
    const reader = await bench.staff('matrix_reader');
    await bench.group('matrix_reader_g', { ...rights, members: [reader] });
    await bench.group('matrix_role', { menus: { menuManager: 'all' } });
    const own = await bench.group('matrix_own');
    await bench.one('UPDATE permission_group SET created_by = $2 WHERE id = $1 RETURNING id AS v', [
      own,
      reader,
    ]);
    const token = await bench.token('matrix_reader');
    const start = (body: object) => bench.call<{ taskId: string }>(token, 'POST', `${ROOT}/export`, body);
    expect([(await start({})).http, (await start({ menu: 'groupManager' })).http]).toEqual([200, 200]);
    expect((await start({ menu: 'roleManager' })).http).toBe(403);
    const columns = async (menu: 'groupManager' | 'roleManager') => {
      const source = matrixExport('test', menu);
      const call = {
        caller: await bench.product.caller('matrix_reader'),
        platform: bench.product.platform,
        language: 'zh' as const,
      };
      for await (const [row] of source.read(call, {})) return row!.length - 3;
      return undefined;
    };
    expect([await columns('groupManager'), await columns('roleManager')]).toEqual([1, 0]);
  });
});

test('whoever waits too long for a turn is told to try again', async () => {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let held = () => {};
  const isHeld = new Promise<void>((resolve) => (held = resolve));
  const long = transaction(bench.db, async (tx) => {
    await takeTurn(tx);
    held();
    await released;
  });
  await isHeld;
  for (const take of [takeTurn, holdTurns])
    await expect(transaction(bench.db, (tx) => take(tx, '50ms'))).rejects.toMatchObject({ status: 30101 });
  release();
  await long;
  // Nothing of the patience is left for what comes after the turn.
  const left = await transaction(bench.db, async (tx) => {
    await takeTurn(tx, '50ms');
    return run<{ v: string }>(tx, `SELECT current_setting('lock_timeout') AS v`);
  });
  expect(left).toEqual([{ v: '0' }]);
});

test('two changes at once that are refused one after the other do not pass together', async () => {
  const elements = ['btn_edit', 'btn_userManager', 'btn_resourceManager'].map(
    (verb) => `groupManager:${verb}`,
  );
  for (let round = 0; round < 6; round += 1) {
    const { id, token } = await manager(`at_once_${round}`, {});
    const lent = await bench.group(`at_once_${round}_lent`, { menus: { menuManager: 'all' } });
    await bench.one(
      `INSERT INTO group_member (group_id, staff_id, expires_at) VALUES ($1, $2, now() + interval '5 days') RETURNING staff_id AS v`,
      [lent, id],
    );
    const above = await bench.group(`at_once_${round}_above`);
    const heir = await bench.group(`at_once_${round}_heir`, { parentId: above, inherit: true });
    await bench.call(token, 'GET', `${ROOT}/${above}/grants`);
    const answers = await Promise.all([
      bench.call(token, 'PUT', `${ROOT}/${above}/authority`, {
        version: 1,
        reason: 'test',
        menus: [{ code: 'menuManager', dataScope: 'all', departmentIds: [] }],
        elements: [],
      }),
      bench.call(token, 'PUT', `${ROOT}/${heir}/members`, {
        set: [{ staffId: String(id), kind: 'member' }],
      }),
    ]);
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
    const later = await effectivePermissions(bench.db, id, new Date(Date.now() + 6 * 86_400_000));
    expect([later.menus.has('menuManager'), later.elements.has(elements[0]!)]).toEqual([false, true]);
  }
});
