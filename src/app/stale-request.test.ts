import { afterAll, beforeAll, expect, test } from 'vitest';
import { callerLoader } from '../domain/permission/load-caller.server.ts';
import { run, runOne, transaction } from '../kernel/server/database.ts';
import { endSessions, notifyStaffChanged } from '../kernel/server/people/session-changes.ts';
import { runTask } from '../kernel/server/tasks/task-run.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';

/*
 * A request that waits for a lock, or goes on for many rows, while its caller loses the session, the account or the right
 * it came with; and files that were made by rights which are gone. The other side is a connection that holds the lock.
 */

let product: TestProduct;
let company = 0;
let made = 0;

beforeAll(async () => {
  product = await startTestProduct();
  company = await number(`SELECT id AS n FROM tenant WHERE account = 'C000001'`);
}, 240_000);
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const number = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ n: number }>(db(), sql, values))!.n;

const call: TestProduct['call'] = (...all) => product.call(...all);

interface Staff {
  readonly id: number;
  readonly group: number;
  readonly token: string;
}

/** A staff of the first company with one group of its own. */
async function staffWith(
  elements: readonly string[],
  menus: Readonly<Record<string, string>> = { userManager: 'all' },
): Promise<Staff> {
  const account = `stale${++made}`;
  const id = await number(
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $2, true, false) RETURNING id AS n`,
    [company, account],
  );
  const group = await number(
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, $2, $2 FROM group_type WHERE code = 'role' RETURNING id AS n`,
    [company, account],
  );
  for (const [menu, scope] of Object.entries(menus))
    await run(db(), 'INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, $2, $3)', [
      group,
      menu,
      scope,
    ]);
  for (const element of elements)
    await run(db(), 'INSERT INTO element_grant (group_id, element_code) VALUES ($1, $2)', [group, element]);
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group, id]);
  return { id, group, token: await product.signIn(account) };
}

/** Runs `meanwhile` while another connection holds a lock, after `waiting` has begun to wait for it; then lets it go. */
async function behindLock<T>(
  lock: string,
  waiting: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  const holder = await product.platform.database.pool.connect();
  let answer: Promise<T>;
  try {
    await holder.query('BEGIN');
    const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await holder.query(lock);
    answer = waiting();
    await expect
      .poll(
        async () =>
          (await number(
            'SELECT count(*)::int AS n FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))',
            [rows[0]!.pid],
          )) > 0,
        { timeout: 10_000 },
      )
      .toBe(true);
    await meanwhile();
  } finally {
    await holder.query('COMMIT');
    holder.release();
  }
  return answer;
}

const TURN = 'SELECT pg_advisory_xact_lock(7202)';
const kick = (staff: Staff) => transaction(db(), (tx) => endSessions(tx, { staffId: staff.id }, 'kicked'));
const takeGroup = (staff: Staff) =>
  transaction(db(), async (tx) => {
    await run(tx, 'DELETE FROM group_member WHERE staff_id = $1', [staff.id]);
    await notifyStaffChanged(tx, staff.id);
  });
const passwordOf = (staff: Staff) =>
  runOne<{ password_hash: string | null }>(db(), 'SELECT password_hash FROM staff WHERE id = $1', [staff.id]);

const firstProjects = async () =>
  (
    await run<{ id: number }>(
      db(),
      'SELECT project_id AS id FROM tenant_project WHERE tenant_id = $1 ORDER BY 1 LIMIT 2',
      [company],
    )
  ).map((row) => row.id);
const giveProjects = (staff: Staff, ids: readonly number[]) =>
  transaction(db(), async (tx) => {
    await run(tx, 'UPDATE staff SET all_projects = false WHERE id = $1', [staff.id]);
    await run(tx, 'DELETE FROM staff_project WHERE staff_id = $1', [staff.id]);
    for (const id of ids)
      await run(tx, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff.id, id]);
    await notifyStaffChanged(tx, staff.id);
  });
const projectsSeen = async (staff: Staff) =>
  (await call(staff.token, 'GET', `/admin/staff/${staff.id}`)).data.projects?.length as number;

test('a password is not reset by whose session ended while it waited, nor told', async () => {
  const keeper = await staffWith(['userManager:btn_resetPwd']);
  const victim = await staffWith([], {});
  const before = await passwordOf(victim);
  const answer = await behindLock(
    TURN,
    () => call(keeper.token, 'POST', `/admin/staff/${victim.id}/resetPassword`, {}),
    () => kick(keeper),
  );
  expect([answer.http, answer.status]).toEqual([401, 40001]);
  expect(JSON.stringify(answer.data ?? null)).not.toMatch(/password/i);
  expect(await passwordOf(victim)).toEqual(before);
});

test('nothing is given by who lost the right while it waited, or whose membership ended meanwhile', async () => {
  for (const lose of ['taken', 'expired'] as const) {
    const giver = await staffWith(['userManager:btn_group']);
    const receiver = await staffWith([], {});
    if (lose === 'expired') {
      await run(
        db(),
        `UPDATE group_member SET expires_at = clock_timestamp() + interval '1500 milliseconds' WHERE staff_id = $1`,
        [giver.id],
      );
      await transaction(db(), (tx) => notifyStaffChanged(tx, giver.id));
      await expect
        .poll(async () => (await call(giver.token, 'GET', '/admin/staff/page?limit=1')).http)
        .toBe(200);
    }
    const answer = await behindLock(
      TURN,
      () =>
        call(giver.token, 'POST', `/admin/staff/${receiver.id}/assignGroups`, {
          groups: [String(giver.group), String(receiver.group)],
        }),
      () => (lose === 'taken' ? takeGroup(giver) : new Promise((resolve) => setTimeout(resolve, 1_600))),
    );
    expect([lose, answer.status]).toEqual([lose, 30101]);
    expect(answer.message).toContain('权限刚刚发生变更');
    expect(
      await number('SELECT count(*)::int AS n FROM group_member WHERE staff_id = $1', [receiver.id]),
    ).toBe(1);
  }
});

test('nobody brings itself back: neither waiting for the own row, nor in a bulk that reaches it later', async () => {
  const own = await staffWith(['userManager:btn_enable', 'userManager:btn_del']);
  const administrator = await product.signIn('admin');
  const disable = () =>
    transaction(db(), async (tx) => {
      await run(tx, `UPDATE staff SET state = 'disabled' WHERE id = $1`, [own.id]);
      await endSessions(tx, { staffId: own.id }, 'disabled');
      await notifyStaffChanged(tx, own.id);
    });
  for (const action of ['enable', 'rehire']) {
    const answer = await call(own.token, 'POST', `/admin/staff/${own.id}/${action}`, {});
    expect(answer.http).toBe(409);
  }
  // Held are the rows of a colleague: the bulk reaches the own one when it is disabled already.
  const colleague = await staffWith([], {});
  await run(db(), `UPDATE staff SET state = 'disabled' WHERE id = $1`, [colleague.id]);
  const answer = await behindLock(
    `SELECT FROM staff WHERE id = ${colleague.id} FOR UPDATE`,
    () =>
      call(own.token, 'POST', '/admin/staff/bulk/enable', {
        ids: [String(colleague.id), String(own.id)],
        input: {},
      }),
    disable,
  );
  expect([answer.http, answer.status]).toEqual([401, 40001]);
  const states = await run<{ state: string }>(
    db(),
    'SELECT state FROM staff WHERE id = ANY($1) ORDER BY id',
    [[own.id, colleague.id]],
  );
  expect(states.map((row) => row.state)).toEqual(['disabled', 'disabled']);
  expect((await call(administrator, 'POST', `/admin/allStaff/${own.id}/enable`, {})).http).toBe(200);
});

test('a bulk stops where the right was taken away and leaves what was edited since it was read', async () => {
  const keeper = await staffWith(['userManager:btn_enable']);
  const disabled = await Promise.all([1, 2, 3].map(() => staffWith([], {})));
  const ids = disabled.map((staff) => staff.id).sort((a, b) => a - b);
  await run(db(), `UPDATE staff SET state = 'disabled' WHERE id = ANY($1)`, [ids]);
  const version = await number('SELECT version AS n FROM staff WHERE id = $1', [ids[0]]);
  const stale = await call(keeper.token, 'POST', '/admin/staff/bulk/enable', {
    ids: [String(ids[0])],
    versions: { [String(ids[0])]: version - 1 },
    input: {},
  });
  expect(stale.data).toMatchObject({ done: [], failed: [{ id: String(ids[0]), message: /核对后重试/ }] });
  expect(
    (
      await call(keeper.token, 'POST', '/admin/staff/bulk/enable', {
        ids: [String(ids[0])],
        versions: { [String(ids[0])]: 'x' },
        input: {},
      })
    ).http,
  ).toBe(422);
  const answer = await behindLock(
    `SELECT FROM staff WHERE id = ${ids[1]} FOR UPDATE`,
    () =>
      call(keeper.token, 'POST', '/admin/staff/bulk/enable', {
        ids: ids.map(String),
        versions: { [String(ids[0])]: version },
        input: {},
      }),
    () => takeGroup(keeper),
  );
  expect(answer.data.done).toEqual([String(ids[0])]);
  expect(answer.data.failed.map((row: { id: string }) => row.id)).toEqual(ids.slice(1).map(String));
  expect(
    await number(`SELECT count(*)::int AS n FROM staff WHERE id = ANY($1) AND state = 'disabled'`, [ids]),
  ).toBe(2);
});

test('projects taken away stay away, however often one gives them to itself', async () => {
  const own = await staffWith(['userManager:btn_project']);
  const projects = await firstProjects();
  await giveProjects(own, projects);
  await expect.poll(() => projectsSeen(own)).toBe(2);
  const colleague = await staffWith([], {});
  const answer = await behindLock(
    `SELECT FROM staff WHERE id = ${colleague.id} FOR UPDATE`,
    () =>
      call(own.token, 'POST', '/admin/staff/bulk/changeProjects', {
        ids: [String(colleague.id), String(own.id)],
        input: { projects: projects.map(String) },
      }),
    () => giveProjects(own, projects.slice(0, 1)),
  );
  expect(answer.http === 200 ? answer.data.done : []).toEqual([]);
  const left = await run<{ id: number }>(
    db(),
    'SELECT project_id AS id FROM staff_project WHERE staff_id = $1',
    [own.id],
  );
  expect(left.map((row) => row.id)).toEqual(projects.slice(0, 1));
});

test('whoever is disabled in the middle of a bulk does not hold that up: nothing waits in a circle', async () => {
  const menu = 'workOvertimeManager';
  const auditor = await staffWith([`${menu}:btn_approve`], { [menu]: 'all' });
  const department = await number(
    `INSERT INTO department (tenant_id, code, name, leader_id) VALUES ($1, 'STALE2', '班组', $2) RETURNING id AS n`,
    [company, auditor.id],
  );
  await run(db(), 'UPDATE department SET path = ARRAY[id] WHERE id = $1', [department]);
  const worker = await staffWith([`${menu}:btn_addOvertime`], { [menu]: 'self' });
  await run(db(), 'UPDATE staff SET department_id = $2 WHERE id = $1', [worker.id, department]);
  const ids: string[] = [];
  for (let n = 0; n < 24; n++) {
    const day = new Date(Date.now() - (1 + Math.floor(n / 4)) * 86_400_000).toISOString().slice(0, 10);
    const recorded = await call(worker.token, 'POST', '/admin/overtimeRecord/action/addOvertime', {
      staff: [String(worker.id)],
      day,
      startTime: `${18 + (n % 4)}:00`,
      endTime: `${18 + (n % 4)}:30`,
      compensation: 'time_off',
      reason: '设备检修加班',
    });
    ids.push(...(recorded.data.result?.ids ?? recorded.data.ids));
  }
  const deadlocks = () =>
    number(
      `SELECT (pg_stat_force_next_flush() IS NOT NULL)::int * 0 + deadlocks::int AS n FROM pg_stat_database WHERE datname = current_database()`,
    );
  const before = await deadlocks();
  const administrator = await product.signIn('admin');
  const bulk = call(auditor.token, 'POST', '/admin/overtimeRecord/bulk/approve', { ids, input: {} });
  await expect
    .poll(
      () =>
        number(`SELECT count(*)::int AS n FROM overtime_record WHERE staff_id = $1 AND state = 'approved'`, [
          worker.id,
        ]),
      { interval: 5, timeout: 10_000 },
    )
    .toBeGreaterThan(0);
  const disabled = await call(administrator, 'POST', `/admin/allStaff/${auditor.id}/disable`, {
    reason: '账号异常，先行停用',
  });
  expect([disabled.http, disabled.message]).toEqual([200, '']);
  // Either the account is noticed first, or that its open decisions are somebody else's by now.
  const answer = await bulk;
  expect(answer.http === 401 || answer.data.failed.length > 0).toBe(true);
  expect(
    await number(
      `SELECT count(*)::int AS n FROM overtime_record WHERE staff_id = $1 AND state = 'approved'`,
      [worker.id],
    ),
  ).toBeLessThan(ids.length);
  expect(await deadlocks()).toBe(before);
});

test('a bulk goes on when something was counted that leaves its caller all it came with', async () => {
  const keeper = await staffWith(['userManager:btn_enable']);
  const disabled = await Promise.all([1, 2].map(() => staffWith([], {})));
  const ids = disabled.map((staff) => staff.id).sort((a, b) => a - b);
  await run(db(), `UPDATE staff SET state = 'disabled' WHERE id = ANY($1)`, [ids]);
  const answer = await behindLock(
    `SELECT FROM staff WHERE id = ${ids[0]} FOR UPDATE`,
    () => call(keeper.token, 'POST', '/admin/staff/bulk/enable', { ids: ids.map(String), input: {} }),
    () => transaction(db(), (tx) => notifyStaffChanged(tx, keeper.id)),
  );
  expect(answer.data).toEqual({ done: ids.map(String), failed: [] });
});

test('the sessions of who is disabled end at once, however long moving its open decisions takes', async () => {
  const administrator = await product.signIn('admin');
  const leaving = await staffWith([]);
  const seen = () => call(leaving.token, 'GET', '/admin/staff/page?limit=1');
  expect((await seen()).http).toBe(200);
  const answer = await behindLock(
    // What comes last: the entry in the timeline.
    'LOCK TABLE entity_event IN SHARE ROW EXCLUSIVE MODE',
    () =>
      call(administrator, 'POST', `/admin/allStaff/${leaving.id}/disable`, { reason: '账号异常，先行停用' }),
    async () => {
      await expect.poll(async () => (await seen()).http, { timeout: 5_000 }).toBe(401);
    },
  );
  expect(answer.http).toBe(200);
});

test('what a request changes of its own rights does not count against it, not in its later transactions either', async () => {
  const own = await staffWith(['userManager:btn_project']);
  const colleague = await staffWith([], {});
  const projects = await firstProjects();
  for (const staff of [own, colleague]) await giveProjects(staff, projects);
  await expect.poll(() => projectsSeen(own)).toBe(2);
  const answer = await call(own.token, 'POST', '/admin/staff/bulk/changeProjects', {
    ids: [String(own.id), String(colleague.id)],
    input: { projects: [String(projects[1])], remove: true },
  });
  expect(answer.data).toEqual({ done: [String(own.id), String(colleague.id)], failed: [] });
});

test('the file of an export goes with the leadership its rows came from', async () => {
  const leader = await staffWith(['departManager:btn_export'], { departManager: 'self' });
  const other = await staffWith([], {});
  const department = await number(
    `INSERT INTO department (tenant_id, code, name, leader_id) VALUES ($1, 'STALE1', '密部门', $2) RETURNING id AS n`,
    [company, leader.id],
  );
  await run(db(), 'UPDATE department SET path = ARRAY[id] WHERE id = $1', [department]);
  const asked = await call(leader.token, 'POST', '/admin/department/export', { query: {} });
  expect(asked.http).toBe(200);
  await runTask(product.platform, asked.data.taskId, { loadCaller: callerLoader(db()) });
  const state = async () =>
    (
      (await call(leader.token, 'GET', '/jinmao/web/exportTask/list')).data as { id: string; state: string }[]
    ).find((task) => task.id === asked.data.taskId)!.state;
  expect(await state()).toBe('ready');
  await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [department, other.id]);
  expect(await state()).toBe('failed');
  await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [department, leader.id]);
  expect(await state()).toBe('ready');
});
