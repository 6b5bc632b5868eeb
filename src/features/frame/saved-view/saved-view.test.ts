import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import {
  makeCaller,
  openTestApp,
  openTestPlatform,
  rowsOf,
  type TestPlatform,
} from '../../../testing/kernel-fixtures.ts';
import { registration } from './saved-view.server.ts';

let test: TestPlatform;
let app: FastifyInstance;
let staff: Caller;
let member: Caller;
let leader: Caller;
let outsider: Caller;
let groupId = '';

beforeAll(async () => {
  test = await openTestPlatform([registration]);
  const { db } = test.platform.database;
  staff = await makeCaller(test.platform, 'manager', ['mm_test', 'mm_other', 'groupManager']);
  leader = await makeCaller(test.platform, 'leader', ['mm_test'], 1);
  member = await makeCaller(test.platform, 'member', ['mm_test'], 1);
  outsider = await makeCaller(test.platform, 'outsider', ['mm_test', 'groupManager'], 2);
  const type = await runOne<{ id: number }>(
    db,
    `INSERT INTO group_type (code, name) VALUES ('testtype', '测试') RETURNING id`,
  );
  const group = await runOne<{ id: number }>(
    db,
    `INSERT INTO permission_group (type_id, tenant_id, code, name) VALUES ($1, $2, 'testgroup', '测试组') RETURNING id`,
    [type!.id, leader.tenantId],
  );
  groupId = String(group!.id);
  await run(
    db,
    `INSERT INTO group_member (group_id, staff_id, kind) VALUES ($1, $2, 'leader'), ($1, $3, 'member')`,
    [group!.id, leader.staffId, member.staffId],
  );
  app = await openTestApp(test.platform, () => [staff, member, leader, outsider]);
});
afterAll(async () => {
  await app.close();
  await test.close();
});

const ask = async (who: Caller, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  (
    await app.inject({
      method,
      url: `/api/admin/savedView${path}`,
      headers: { authorization: `Bearer ${who.sessionId}` },
      ...(body ? { payload: body } : {}),
    })
  ).json();
const create = (who: Caller, name: string, more: object = {}) =>
  ask(who, 'POST', '', {
    menu: 'mm_test',
    name,
    filters: { state: 'open' },
    columns: [{ name: 'code', width: 120, pin: true }],
    sort: '-code',
    pageSize: 50,
    ...more,
  });
const list = async (who: Caller, query = '') =>
  (await ask(who, 'GET', `?menu=mm_test${query}`)).data as { name: string; id: string; isDefault: boolean }[];
/** As the page does: the view as it came, without what it only shows. */
const put = (
  who: Caller,
  { own: _own, groupName: _groupName, canWithdraw: _canWithdraw, id, ...body }: Record<string, unknown>,
  patch: object,
) => ask(who, 'PUT', `/${String(id)}`, { ...body, ...patch });

describe('saved views', () => {
  it('keep filters, columns, sort and page size of the owner', async () => {
    const { data } = await create(staff, '我的视图');
    expect(data).toMatchObject({
      name: '我的视图',
      menu: 'mm_test',
      own: true,
      shared: false,
      shareKey: null,
      groupId: null,
      groupName: null,
      isDefault: false,
      isGroupDefault: false,
      filters: { state: 'open' },
      columns: [{ name: 'code', width: 120, pin: true }],
      sort: '-code',
      pageSize: 50,
      version: 1,
    });
    expect(await list(staff)).toEqual([data]);
    expect(await list(member)).toEqual([]);
    const changed = (await put(staff, data, { name: '改名', isDefault: true })).data;
    expect(changed).toMatchObject({ name: '改名', isDefault: true, version: 2 });
    expect(await put(staff, data, { name: '旧的' })).toMatchObject({
      status: 30101,
      data: { current: { name: '改名', version: 2 } },
    });
    const second = (await create(staff, '第二', { isDefault: true })).data;
    expect((await list(staff)).filter((view) => view.isDefault).map((view) => view.id)).toEqual([second.id]);
    expect(await ask(staff, 'DELETE', `/${data.id}?version=1`)).toMatchObject({ status: 30101 });
    expect(await ask(staff, 'DELETE', `/${data.id}?version=2`)).toMatchObject({ data: true });
    expect((await ask(staff, 'DELETE', `/${second.id}`)).data).toBe(true);
    const audit = await rowsOf<{ action: string }>(
      test.platform,
      `SELECT action FROM audit_record WHERE entity = 'savedView' ORDER BY id`,
    );
    expect(audit.map((one) => one.action)).toEqual(['create', 'update', 'create', 'remove', 'remove']);
  });

  it('are 30 a menu at most, with names of their own, also in parallel', async () => {
    const results = await Promise.all(Array.from({ length: 33 }, (_unused, n) => create(staff, `v${n}`)));
    expect(results.filter((one) => one.status === 200)).toHaveLength(30);
    expect(results.filter((one) => one.status === 30101)).toHaveLength(3);
    expect((await create(staff, 'x', { menu: 'mm_other' })).status).toBe(200);
    await run(test.platform.database.db, 'DELETE FROM saved_view');
    const twice = await Promise.all([create(staff, 'same'), create(staff, ' same ')]);
    expect(new Set(twice.map((one) => one.status))).toEqual(new Set([200, 422]));
    expect((await create(member, 'same')).status).toBe(200);
    await run(test.platform.database.db, 'DELETE FROM saved_view');
  });

  it('refuse what they do not know', async () => {
    for (const more of [
      { ownerId: '1' },
      { name: '' },
      { name: '名'.repeat(31) },
      { pageSize: 500 },
      { filters: { a: 1 } },
      { columns: [{ name: 'a', html: 'x' }] },
      { groupId: 'x' },
    ])
      expect((await create(staff, 'ok', more)).status, JSON.stringify(more)).toBe(422);
    expect((await create(staff, '名'.repeat(30))).status).toBe(200);
    expect((await create(member, 'x', { menu: 'mm_other' })).status).toBe(403);
    expect((await ask(member, 'GET', '?menu=mm_other')).status).toBe(403);
    await run(test.platform.database.db, 'DELETE FROM saved_view');
  });

  it('are shared with a group by who leads it or manages groups', async () => {
    const view = (await create(leader, '组视图', { groupId, isGroupDefault: true })).data;
    expect(view).toMatchObject({ groupId, groupName: '测试组', shared: true, isGroupDefault: true });
    expect(await list(member)).toMatchObject([
      { name: '组视图', own: false, isDefault: false, isGroupDefault: true, shareKey: null },
    ]);
    expect(await list(staff)).toEqual([]);
    expect((await create(member, 'mine', { groupId })).status).toBe(403);
    expect((await create(outsider, 'other tenant', { groupId })).status).toBe(403);
    const byManager = (await create(staff, 'manager', { groupId, isGroupDefault: true })).data;
    expect(byManager.isGroupDefault).toBe(true);
    expect((await list(member)).map((one) => one.name).sort()).toEqual(['manager', '组视图']);
    expect(await rowsOf(test.platform, 'SELECT FROM saved_view WHERE is_group_default')).toHaveLength(1);
    for (const [method, path] of [
      ['PUT', `/${view.id}`],
      ['DELETE', `/${view.id}`],
    ] as const)
      expect(
        (await ask(member, method, path, method === 'PUT' ? { name: 'x', version: 1 } : undefined)).status,
      ).toBe(404);
    expect((await create(leader, 'no group', { isGroupDefault: true })).status).toBe(422);
    await run(
      test.platform.database.db,
      `UPDATE group_member SET expires_at = now() - interval '1 day' WHERE staff_id = $1`,
      [member.staffId],
    );
    expect(await list(member)).toEqual([]);
    await run(test.platform.database.db, 'DELETE FROM saved_view');
  });

  it('of a group are changed only by who may share with it at that moment; taking one back is free', async () => {
    const { db } = test.platform.database;
    const lead = (who: Caller, kind: 'leader' | 'member') =>
      run(
        db,
        `INSERT INTO group_member (group_id, staff_id, kind) VALUES ($1, $2, $3)
         ON CONFLICT (group_id, staff_id) DO UPDATE SET kind = excluded.kind, expires_at = NULL`,
        [Number(groupId), who.staffId, kind],
      );
    await lead(member, 'member');
    const view = (await create(leader, '默认', { groupId, isGroupDefault: true, shared: true })).data;
    await lead(leader, 'member');
    for (const patch of [{ filters: { state: 'closed' } }, { name: '别的' }, { isGroupDefault: false }])
      expect([patch, (await put(leader, view, patch)).status]).toEqual([patch, 403]);
    expect(await list(member)).toMatchObject([{ name: '默认', filters: { state: 'open' } }]);
    // What only the owner sees of it stays the owner's.
    const own = (await put(leader, view, { isDefault: true })).data;
    expect(own).toMatchObject({ isDefault: true, isGroupDefault: true });
    // Who is not of the group opens the link without learning of the group.
    expect((await ask(outsider, 'GET', `/shared/${view.shareKey}`)).data).toMatchObject({
      groupId: null,
      groupName: null,
    });
    // A leader takes it away from the group and leaves it to its owner; members do not.
    expect((await list(member))[0]).toMatchObject({ canWithdraw: false });
    expect((await ask(member, 'DELETE', `/${view.id}`)).status).toBe(404);
    await lead(member, 'leader');
    expect((await list(member))[0]).toMatchObject({ canWithdraw: true });
    expect((await ask(member, 'DELETE', `/${view.id}?version=1`)).status).toBe(30101);
    expect((await ask(member, 'DELETE', `/${view.id}?version=${own.version}`)).data).toBe(true);
    expect(await list(member)).toEqual([]);
    expect(await list(leader)).toMatchObject([{ name: '默认', groupId: null, isGroupDefault: false }]);
    // The owner may always take back.
    await lead(leader, 'leader');
    const again = (await create(leader, '再来', { groupId })).data;
    await lead(leader, 'member');
    expect((await put(leader, again, { groupId: null })).data).toMatchObject({ groupId: null });
    await lead(leader, 'leader');
    await lead(member, 'member');
    await run(db, 'DELETE FROM saved_view');
  });

  it('shared with a department group are listed for the staff of the department, and for who only was in it no more', async () => {
    const { db } = test.platform.database;
    const id = async (sql: string, values: readonly unknown[]) =>
      (await runOne<{ id: number }>(db, `${sql} RETURNING id`, values))!.id;
    const [own, other] = [
      await id(`INSERT INTO department (tenant_id, code, name) VALUES ($1, 'SV1', '工程部')`, [
        member.tenantId,
      ]),
      await id(`INSERT INTO department (tenant_id, code, name) VALUES ($1, 'SV2', '客服部')`, [
        member.tenantId,
      ]),
    ];
    const bound = await id(
      `INSERT INTO permission_group (type_id, tenant_id, code, name, department_id)
       VALUES ((SELECT id FROM group_type WHERE code = 'depart'), $1, 'svdepart', '工程部角色', $2)`,
      [member.tenantId, own],
    );
    const move = (department: number) =>
      run(db, 'UPDATE staff SET department_id = $2 WHERE id = $1', [member.staffId, department]);
    await move(own);
    await run(db, `INSERT INTO group_member (group_id, staff_id, kind) VALUES ($1, $2, 'leader')`, [
      bound,
      leader.staffId,
    ]);
    expect((await create(leader, '部门视图', { groupId: String(bound) })).status).toBe(200);
    expect(await list(member)).toMatchObject([{ name: '部门视图', own: false }]);
    // Somebody of no department and no row does not see it.
    expect(await list(staff)).toEqual([]);
    // A membership that came from the department counts only there.
    await run(
      db,
      `INSERT INTO group_member (group_id, staff_id, kind, source) VALUES ($1, $2, 'member', 'department')`,
      [bound, member.staffId],
    );
    await move(other);
    expect(await list(member)).toEqual([]);
    await move(own);
    await run(db, 'UPDATE permission_group SET enabled = false WHERE id = $1', [bound]);
    expect(await list(member)).toEqual([]);
    await run(db, 'DELETE FROM saved_view');
  });

  it('are shared by a link that nobody can guess', async () => {
    const view = (await create(staff, '分享', { shared: true })).data;
    expect(view.shareKey).toMatch(/^[\w-]{22}$/);
    const seen = await ask(outsider, 'GET', `/shared/${view.shareKey}`);
    expect(seen.data).toMatchObject({ name: '分享', own: false, shareKey: null });
    expect(await list(outsider)).toEqual([]);
    // The key comes back with it, so that the page can keep it in its address.
    expect(await list(outsider, `&key=${view.shareKey}`)).toMatchObject([
      { own: false, shareKey: view.shareKey },
    ]);
    expect(await list(outsider, '&key=nonsense')).toEqual([]);
    expect((await ask(outsider, 'GET', '/shared/nonsense')).status).toBe(404);
    const kept = (await put(staff, view, { name: '分享2' })).data;
    expect(kept.shareKey).toBe(view.shareKey);
    await put(staff, kept, { shared: false });
    expect((await ask(outsider, 'GET', `/shared/${view.shareKey}`)).status).toBe(404);
    const other = (await create(staff, '另一菜单', { menu: 'mm_other', shared: true })).data;
    expect((await ask(outsider, 'GET', `/shared/${other.shareKey}`)).status).toBe(404);
  });
});
