import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { effectiveGrants } from '../../../domain/permission/effective-permissions.server.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { departmentEndpoints } from './department-figures.server.ts';
import { departmentImport, departmentUpdateImport } from './department-import.server.ts';
import { sortBetween, spread } from './department-order.rules.ts';
import { openOvertimeBench, type OvertimeBench } from '../overtime/overtime-bench.ts';

let bench: OvertimeBench;
beforeAll(async () => {
  bench = await openOvertimeBench();
});
afterAll(() => bench?.product.close());
const db = () => bench.product.platform.database.db;

let number = 0;
async function add(parent: string | null = null, input: Record<string, unknown> = {}) {
  number += 1;
  return bench.call('POST', '/admin/department', 'admin', {
    name: `部门${number}`,
    code: `D${number}`,
    type: 'function',
    parent,
    ...input,
  });
}
async function addId(parent: string | null = null, input: Record<string, unknown> = {}): Promise<string> {
  const answer = await add(parent, input);
  expect([answer.http, answer.message]).toEqual([200, '']);
  return answer.data.id as string;
}
async function save(id: string, input: Record<string, unknown>) {
  const row = await bench.call('GET', `/admin/department/${id}`, 'admin');
  return bench.call('PUT', `/admin/department/${id}`, 'admin', { version: row.data.version, ...input });
}
const pathOf = async (id: string) =>
  (await runOne<{ path: number[] }>(db(), 'SELECT path FROM department WHERE id = $1', [
    Number(id),
  ]))!.path.map(String);

describe('the tree', () => {
  test('paths follow moves of whole branches', async () => {
    const [a, b] = [await addId(), await addId()];
    const child = await addId(a);
    const grandchild = await addId(child);
    expect((await save(child, { parent: b })).http).toBe(200);
    expect(await pathOf(grandchild)).toEqual([b, child, grandchild]);
    expect((await save(child, { parent: null })).http).toBe(200);
    expect(await pathOf(grandchild)).toEqual([child, grandchild]);
  });

  test('Bad input, cycles in departments: nothing moves below itself, also when two moves meet', async () => {
    const [a, b] = [await addId(), await addId()];
    const child = await addId(a);
    expect((await save(a, { parent: child })).message).toBe('不能移动到自己的下级');
    expect((await save(a, { parent: a })).message).toBe('不能移动到自己的下级');
    const answers = await Promise.all([save(a, { parent: b }), save(b, { parent: a })]);
    expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
    const rings = await run(
      db(),
      'SELECT id FROM department WHERE cardinality(path) <> (SELECT count(DISTINCT x) FROM unnest(path) x) OR path[cardinality(path)] <> id',
    );
    expect(rings).toEqual([]);
  });

  test('at most eight levels, for new ones and for moved branches', async () => {
    let id: string | null = null;
    const chain: string[] = [];
    for (let level = 1; level <= 8; level++) chain.push((id = await addId(id)));
    expect((await add(id)).message).toBe('部门层级不能超过8级');
    const branch = await addId();
    await addId(branch);
    expect((await save(branch, { parent: chain[6] })).message).toBe('部门层级不能超过8级');
    expect((await save(branch, { parent: chain[5] })).http).toBe(200);
  });

  test('whoever drags the own department writes no row of its siblings while a number is left between them', async () => {
    const top = await addId();
    const ids: string[] = [];
    for (const sort of [10, 20, 20, 30]) ids.push(await addId(top, { sort }));
    const [first, second, third, last] = ids as [string, string, string, string];
    const own = await addId(top, { sort: 40 });
    await run(db(), 'UPDATE department SET leader_id = $2 WHERE id = $1', [own, bench.staff.anna]);
    await run(
      db(),
      `WITH g AS (INSERT INTO permission_group (type_id, tenant_id, code, name)
           SELECT id, $1, 'dragger', '拖动' FROM group_type WHERE code = 'role' RETURNING id),
         m AS (INSERT INTO menu_grant (group_id, menu_code, data_scope) SELECT id, 'departManager', 'self' FROM g),
         e AS (INSERT INTO element_grant (group_id, element_code) SELECT id, 'departManager:btn_edit' FROM g)
       INSERT INTO group_member (group_id, staff_id) SELECT id, $2 FROM g`,
      [bench.tenantId, bench.staff.anna],
    );
    bench.product.platform.changed('session');
    const drag = async (before: string | null) => {
      const answer = await bench.call('POST', `/admin/department/${own}/place`, 'anna', {
        parent: top,
        before,
      });
      expect([answer.http, answer.message]).toEqual([200, '']);
    };
    const order = async () =>
      (
        await run<{ id: number }>(db(), 'SELECT id FROM department WHERE parent_id = $1 ORDER BY sort, id', [
          top,
        ])
      ).map((row) => String(row.id));
    const others = async (columns: string) =>
      run(db(), `SELECT ${columns} FROM department d WHERE parent_id = $1 AND id <> $2 ORDER BY id`, [
        top,
        own,
      ]);
    const bytes = await others('d::text AS bytes, xmin::text');
    const expected = (at: string | null) => {
      const without = [first, second, third, last];
      without.splice(at === null ? 4 : without.indexOf(at), 0, own);
      return without;
    };
    for (const before of [first, second, last, null]) {
      await drag(before);
      expect([before, await order()]).toEqual([before, expected(before)]);
      expect(await others('d::text AS bytes, xmin::text')).toEqual(bytes);
    }
    // Between the twins of one number none is left: then all get new ones, in their order, and without being changed otherwise.
    const told = async () =>
      run(
        db(),
        `SELECT count(*) AS n FROM entity_event WHERE entity = 'department' AND entity_id = ANY($1)`,
        [[first, second, third, last]],
      );
    const [untold, kept] = [await told(), await others(`to_jsonb(d) - 'sort' AS kept`)];
    await drag(third);
    expect(await order()).toEqual([first, second, own, third, last]);
    expect([await others(`to_jsonb(d) - 'sort' AS kept`), await told()]).toEqual([kept, untold]);
    const spaced = await others('d::text AS bytes, xmin::text');
    await drag(first);
    await drag(third);
    expect(await order()).toEqual([first, second, own, third, last]);
    expect(await others('d::text AS bytes, xmin::text')).toEqual(spaced);
    // What was changed is told of the own row.
    const timeline = await bench.call('GET', `/admin/department/${own}/timeline`, 'admin');
    expect(JSON.stringify(timeline.data)).toContain('排序');
  });

  test('a place is found between any two siblings, or there is none', () => {
    for (let seed = 1; seed < 800; seed += 1) {
      const dice = (most: number, salt: number) =>
        (seed * 7_919 + salt * 104_729 + (seed % 13) * salt) % most;
      const siblings = Array.from({ length: dice(6, 1) }, (_, index) => ({
        id: index * 2 + 2,
        sort: [dice(4, index + 2), 9_997 + dice(3, index + 3)][dice(2, index + 4)]!,
      })).sort((a, b) => a.sort - b.sort || a.id - b.id);
      const moved = { id: 1 + 2 * dice(8, 9), sort: dice(5, 10) };
      const at = dice(siblings.length + 1, 11);
      const wanted = [...siblings.slice(0, at), moved, ...siblings.slice(at)].map((one) => one.id);
      const orderBy = (rows: { id: number; sort: number }[]) =>
        rows.sort((a, b) => a.sort - b.sort || a.id - b.id).map((one) => one.id);
      const sort = sortBetween(moved, siblings[at - 1], siblings[at]);
      const fits = Array.from({ length: 10_000 }, (_, n) => n).some((n) => {
        const [previous, next] = [siblings[at - 1], siblings[at]];
        return (
          (!previous || previous.sort < n || (previous.sort === n && previous.id < moved.id)) &&
          (!next || n < next.sort || (n === next.sort && moved.id < next.id))
        );
      });
      expect([seed, sort !== undefined]).toEqual([seed, fits]);
      if (sort !== undefined) expect(orderBy([...siblings, { id: moved.id, sort }])).toEqual(wanted);
    }
    for (const count of [1, 5, 998, 999, 5_000]) {
      const numbers = spread(count);
      expect([numbers.length, new Set(numbers).size, Math.max(...numbers) <= 9_999]).toEqual([
        count,
        count,
        true,
      ]);
    }
  });

  test('code is unique, the leader belongs to the tenant', async () => {
    await addId(null, { code: 'SAME' });
    expect((await add(null, { code: 'SAME' })).message).toBe('编码已存在');
    const merchant = await runOne<{ id: number }>(
      db(),
      `INSERT INTO tenant (kind, account, name) VALUES (2, 'M9', '商户') RETURNING id`,
    );
    const foreign = await runOne<{ id: number }>(
      db(),
      `INSERT INTO staff (tenant_id, account, name) VALUES ($1, 'm9_boss', '商户') RETURNING id`,
      [merchant!.id],
    );
    expect((await add(null, { leader: String(foreign!.id) })).message).toBe('负责人须为本公司在职员工');
  });
});

describe('staff', () => {
  test('Bad input, deleting what is in use: a department with staff or children is neither disabled nor deleted; the button is not offered', async () => {
    const parent = await addId();
    await addId(parent);
    const remove = await bench.call('DELETE', `/admin/department/${parent}?version=1`, 'admin');
    expect(remove.message).toBe('部门下有下级部门');
    const row = await bench.call('GET', `/admin/department/${bench.departmentId}`, 'admin');
    expect(row.data.actions).not.toContain('disable');
    expect(
      (await bench.call('POST', `/admin/department/${bench.departmentId}/disable`, 'admin', {})).message,
    ).toBe('部门下有 3 名员工');
  });

  test('members move in, and out into another department', async () => {
    const id = await addId();
    expect(
      (
        await bench.call('POST', `/admin/department/${id}/addMembers`, 'admin', {
          staff: [String(bench.staff.anna)],
          kind: 'main',
        })
      ).data.actual,
    ).toBe(1);
    const members = (await bench.call('GET', `/admin/department/${id}/members`, 'admin')).data as unknown as {
      account: string;
      main: boolean;
    }[];
    expect(members.map((one) => one.account)).toEqual(['anna']);
    const moved = await bench.call('POST', `/admin/department/${id}/moveMembers`, 'admin', {
      staff: [String(bench.staff.anna)],
      into: String(bench.departmentId),
    });
    expect([moved.http, moved.data.actual]).toEqual([200, 0]);
    expect(
      (
        await bench.call('POST', `/admin/department/${id}/moveMembers`, 'admin', {
          staff: [String(bench.staff.anna)],
          into: String(bench.departmentId),
        })
      ).http,
    ).toBe(404);
    expect(
      (
        await bench.call('POST', `/admin/department/${id}/addMembers`, 'admin', {
          staff: ['99999'],
          kind: 'main',
        })
      ).http,
    ).toBe(404);
  });

  test('a merge takes staff, posts, groups and children along and says before what it will move', async () => {
    const [from, into] = [await addId(), await addId()];
    const child = await addId(from);
    await bench.call('POST', `/admin/department/${from}/addMembers`, 'admin', {
      staff: [String(bench.staff.ben)],
      kind: 'main',
    });
    const station = await runOne<{ id: number }>(
      db(),
      `INSERT INTO station (tenant_id, code, name, type) VALUES ($1, 'ST1', '维修工', 'repair') RETURNING id`,
      [bench.tenantId],
    );
    await run(db(), 'INSERT INTO station_department VALUES ($1, $2)', [station!.id, Number(from)]);
    const group = await runOne<{ id: number }>(
      db(),
      `INSERT INTO permission_group (type_id, tenant_id, department_id, code, name) SELECT id, $1, $2, 'dep_grp', '部门角色' FROM group_type WHERE code = 'depart' RETURNING id`,
      [bench.tenantId, Number(from)],
    );
    const impact = await bench.call('GET', `/admin/department/${from}/impact?into=${into}`, 'admin');
    expect(impact.data).toMatchObject({ staff: 1, children: 1, stations: 1, groups: 1 });
    const ben = await runOne<{ name: string }>(db(), 'SELECT name FROM staff WHERE id = $1', [
      bench.staff.ben,
    ]);
    expect(impact.data.staffNames).toEqual([ben!.name]);
    expect(
      (await bench.call('POST', `/admin/department/${from}/merge`, 'admin', { into: child, reason: '合并' }))
        .message,
    ).toBe('不能合并到自己的下级');
    const merged = await bench.call('POST', `/admin/department/${from}/merge`, 'admin', {
      into,
      reason: '业务合并',
    });
    expect([merged.http, merged.data.enabled]).toEqual([200, false]);
    expect(await pathOf(child)).toEqual([into, child]);
    expect(await runOne(db(), 'SELECT department_id FROM staff WHERE id = $1', [bench.staff.ben])).toEqual({
      department_id: Number(into),
    });
    expect(
      await runOne(db(), 'SELECT department_id FROM station_department WHERE station_id = $1', [station!.id]),
    ).toEqual({ department_id: Number(into) });
    expect(
      await runOne(db(), 'SELECT department_id FROM permission_group WHERE id = $1', [group!.id]),
    ).toEqual({ department_id: Number(into) });
  });
});

test('a secondary member is listed and leaves again; rights and heads follow the main department only', async () => {
  const id = await addId();
  const call = (action: string, input: object) =>
    bench.call('POST', `/admin/department/${id}/${action}`, 'admin', input);
  const anna = [String(bench.staff.anna)];
  const joined = await call('addMembers', { staff: anna, kind: 'secondary' });
  expect([joined.data.actual, joined.data.secondary]).toEqual([0, 1]);
  const members = async () =>
    (await bench.call('GET', `/admin/department/${id}/members`, 'admin')).data as unknown as object[];
  expect(await members()).toMatchObject([{ account: 'anna', main: false, home: '工程部' }]);
  expect((await bench.call('DELETE', `/admin/department/${id}`, 'admin')).message).toBe('部门下有 1 名员工');
  expect((await call('moveMembers', { staff: anna, into: String(bench.departmentId) })).http).toBe(404);
  const main = await bench.call('POST', `/admin/department/${bench.departmentId}/addMembers`, 'admin', {
    staff: anna,
    kind: 'secondary',
  });
  expect(main.message).toBe('已是主部门成员：孙安');
  expect((await call('removeMembers', { staff: anna })).data.secondary).toBe(0);
  expect((await call('removeMembers', { staff: anna })).http).toBe(404);
  expect(
    (
      await bench.call('POST', `/admin/department/${bench.departmentId}/removeMembers`, 'admin', {
        staff: anna,
      })
    ).message,
  ).toBe('主部门成员请用「调出成员」：孙安');
  // Who moves into a department is no longer a secondary member of it, whatever way the move took.
  await call('addMembers', { staff: anna, kind: 'secondary' });
  await call('addMembers', { staff: anna, kind: 'main' });
  expect(await run(db(), 'SELECT 1 FROM secondary_department')).toEqual([]);
  await expect(
    run(db(), 'INSERT INTO secondary_department (staff_id, department_id) VALUES ($1, $2)', [
      bench.staff.anna,
      Number(id),
    ]),
  ).rejects.toThrow(/cannot be a secondary one/);
  await call('moveMembers', { staff: anna, into: String(bench.departmentId) });
});

test('the tree says which departments the caller may open: those whose leader is inside the scope', async () => {
  const [led, other] = [await addId(null, { leader: String(bench.staff.anna) }), await addId()];
  const whole = await bench.product.caller('admin');
  const handle = departmentEndpoints(() => {
    throw new Error('not asked');
  }).find((one) => one.path === '/admin/department/tree')!.handle;
  const seen = async (caller: Caller) => {
    const rows = (await handle({ caller, platform: bench.product.platform } as never)) as {
      id: string;
      inSight: boolean;
    }[];
    return [led, other].map((id) => rows.find((row) => row.id === id)!.inSight);
  };
  const menus = new Map([...whole.menus, ['departManager', [{ kind: 'self' as const }]]]);
  expect(await seen({ ...whole, staffId: bench.staff.anna!, menus } as Caller)).toEqual([true, false]);
  expect(await seen(whole)).toEqual([true, true]);
});

test('before a move it is told whose data scope changes, by the rules of permissions', async () => {
  const [from, into] = [await addId(), await addId()];
  const moving = await addId(from);
  const group = await runOne<{ id: number }>(
    db(),
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'tree_scope', '部门主管' FROM group_type WHERE code = 'role' RETURNING id`,
    [bench.tenantId],
  );
  await run(
    db(),
    `INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'userManager', 'dept_tree')`,
    [group!.id],
  );
  for (const [account, name, department] of [
    ['tree_from', '甲主管', from],
    ['tree_into', '乙主管', into],
    ['tree_inside', '丙组长', moving],
  ] as const) {
    const row = await runOne<{ id: number }>(
      db(),
      'INSERT INTO staff (tenant_id, department_id, account, name) VALUES ($1, $2, $3, $4) RETURNING id',
      [bench.tenantId, Number(department), account, name],
    );
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group!.id, row!.id]);
  }
  const impact = async (query: string) =>
    (await bench.call('GET', `/admin/department/${moving}/impact?${query}`, 'admin')).data;
  expect((await impact(`parent=${into}`)).scopeNames).toEqual(['甲主管', '乙主管']);
  expect((await impact('parent=top')).scopeNames).toEqual(['甲主管']);
  expect((await impact(`parent=${from}`)).scopeNames).toEqual([]);
  expect((await impact(`into=${into}`)).scopeNames).toEqual(['甲主管', '乙主管', '丙组长']);
});

describe('before a change it is told who comes into and out of which groups', () => {
  let number = 0;
  const staffIn = async (department: string, name: string): Promise<number> => {
    const row = await runOne<{ id: number }>(
      db(),
      'INSERT INTO staff (tenant_id, department_id, account, name) VALUES ($1, $2, $3, $4) RETURNING id',
      [bench.tenantId, Number(department), `grp_staff_${++number}`, name],
    );
    return row!.id;
  };
  const group = async (
    type: string,
    name: string,
    more: { department?: string; parent?: number; inherit?: boolean } = {},
  ): Promise<number> => {
    const row = await runOne<{ id: number }>(
      db(),
      `INSERT INTO permission_group (type_id, tenant_id, department_id, parent_id, inherit, code, name)
       SELECT id, $1, $2, $3, $4, $5, $6 FROM group_type WHERE code = $7 RETURNING id`,
      [
        bench.tenantId,
        more.department ? Number(more.department) : null,
        more.parent ?? null,
        more.inherit ?? false,
        `grp_change_${++number}`,
        name,
        type,
      ],
    );
    await run(
      db(),
      `INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, 'stationManage', 'dept')`,
      [row!.id],
    );
    return row!.id;
  };
  const impact = async (id: string, query: string) =>
    (await bench.call('GET', `/admin/department/${id}/impact?${query}`, 'admin')).data;
  /** Groups that give a staff its rights, by the statement the sign-in uses. */
  const groupsOf = async (staffId: number) =>
    [...new Set((await effectiveGrants(db(), staffId)).map((grant) => grant.groupName))].sort();

  test('a merge of two departments with a group each: the staff lose the one with what it inherits and gain the other, which the merge then does', async () => {
    const [from, into] = [await addId(), await addId()];
    const above = await group('depart', '上级角色', { department: await addId() });
    const left = await group('depart', '来源角色', { department: from, parent: above, inherit: true });
    await group('depart', '目标角色', { department: into });
    const moving = await staffIn(from, '甲来自');
    const staying = await staffIn(into, '乙原有');
    expect(await groupsOf(moving)).toEqual(['上级角色', '来源角色']);
    const told = await impact(from, `into=${into}`);
    expect(told.groupChanges).toMatchObject([
      { name: '上级角色', gain: { count: 0 }, lose: { count: 1, names: ['甲来自'] } },
      { name: '来源角色', gain: { count: 0 }, lose: { count: 1, names: ['甲来自'] } },
      { name: '目标角色', gain: { count: 1, names: ['甲来自'] }, lose: { count: 0 } },
    ]);
    expect([told.groups, told.groupStays]).toEqual([0, '来源角色']);
    const done = await bench.call('POST', `/admin/department/${from}/merge`, 'admin', {
      into,
      reason: '合并',
    });
    expect([done.http, done.message]).toEqual([200, '']);
    expect([await groupsOf(moving), await groupsOf(staying)]).toEqual([['目标角色'], ['目标角色']]);
    // The other group stays with the emptied department.
    expect(await runOne(db(), 'SELECT department_id FROM permission_group WHERE id = $1', [left])).toEqual({
      department_id: Number(from),
    });
  });

  test('the group of a merged department goes along to a target without one: those who work there gain it', async () => {
    const [from, into] = [await addId(), await addId()];
    await group('depart', '随行角色', { department: from });
    const moving = await staffIn(from, '丙来自');
    const staying = await staffIn(into, '丁原有');
    const told = await impact(from, `into=${into}`);
    expect(told.groupChanges).toMatchObject([
      { name: '随行角色', gain: { count: 1, names: ['丁原有'] }, lose: { count: 0 } },
    ]);
    expect([told.groups, told.groupStays]).toEqual([1, null]);
    await bench.call('POST', `/admin/department/${from}/merge`, 'admin', { into, reason: '合并' });
    expect([await groupsOf(moving), await groupsOf(staying)]).toEqual([['随行角色'], ['随行角色']]);
  });

  test('some staff that move gain and lose the groups of their departments; others and those of elsewhere do not', async () => {
    const [from, into] = [await addId(), await addId()];
    await group('depart', '原部门角色', { department: from });
    await group('depart', '新部门角色', { department: into });
    const moving = await staffIn(from, '戊调出');
    await staffIn(from, '己留下');
    const told = await impact(from, `into=${into}&staff=${moving},${bench.staff.anna}`);
    expect(told.groupChanges).toMatchObject([
      { name: '原部门角色', gain: { count: 0 }, lose: { count: 1, names: ['戊调出'] } },
      { name: '新部门角色', gain: { count: 1, names: ['戊调出'] }, lose: { count: 0 } },
    ]);
    await bench.call('POST', `/admin/department/${from}/moveMembers`, 'admin', {
      staff: [String(moving)],
      into,
    });
    expect(await groupsOf(moving)).toEqual(['新部门角色']);
  });

  test('a move changes no group, but who sees more and who sees fewer staff', async () => {
    const [from, into] = [await addId(), await addId()];
    const moving = await addId(from);
    await group('depart', '不变角色', { department: moving });
    await staffIn(moving, '庚成员');
    const leads = await group('role', '主管角色');
    await run(db(), `UPDATE menu_grant SET data_scope = 'dept_tree' WHERE group_id = $1`, [leads]);
    for (const [department, name] of [
      [from, '辛旧主管'],
      [into, '壬新主管'],
    ] as const)
      await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
        leads,
        await staffIn(department, name),
      ]);
    expect(await impact(moving, `parent=${into}`)).toMatchObject({
      groupChanges: [],
      scopeNames: ['辛旧主管', '壬新主管'],
      seesMore: { count: 1, names: ['壬新主管'] },
      seesFewer: { count: 1, names: ['辛旧主管'] },
    });
    expect(await impact(moving, 'parent=top')).toMatchObject({
      seesMore: { count: 0 },
      seesFewer: { count: 1, names: ['辛旧主管'] },
    });
  });

  test('staff of several departments who come into one, asked by who may edit or take them in', async () => {
    const [one, two, into] = [await addId(), await addId(), await addId()];
    await group('depart', '旧部门甲角色', { department: one });
    await group('depart', '新部门乙角色', { department: into });
    const joining = [await staffIn(one, '寅调入'), await staffIn(two, '卯调入')];
    const leads = await group('role', '新主管角色');
    await run(db(), `UPDATE menu_grant SET data_scope = 'dept' WHERE group_id = $1`, [leads]);
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
      leads,
      await staffIn(into, '辰主管'),
    ]);
    const ask = (root: string, token: string, staff: readonly number[], target = into) =>
      bench.call('GET', `/admin/${root}/departmentImpact?staff=${staff.join(',')}&into=${target}`, token);
    for (const root of ['staff', 'projectStaff'])
      expect((await ask(root, 'admin', joining)).data).toMatchObject({
        groupChanges: [
          { name: '旧部门甲角色', gain: { count: 0 }, lose: { count: 1, names: ['寅调入'] } },
          { name: '新部门乙角色', gain: { count: 2, names: ['寅调入', '卯调入'] }, lose: { count: 0 } },
        ],
        seesMore: { count: 2, names: ['寅调入', '辰主管'] },
        seesFewer: { count: 0 },
      });
    // Nobody hears of staff it could not move: neither of the own view, nor of departments of others.
    const narrow = await runOne<{ id: number; account: string }>(
      db(),
      `INSERT INTO staff (tenant_id, department_id, account, name, must_change_password) VALUES ($1, $2, 'grp_narrow', '巳窄', false) RETURNING id, account`,
      [bench.tenantId, Number(two)],
    );
    const rights = await group('role', '窄角色');
    await run(db(), 'DELETE FROM menu_grant WHERE group_id = $1', [rights]);
    await run(
      db(),
      `INSERT INTO menu_grant (group_id, menu_code, data_scope)
       SELECT $1, unnest(ARRAY['userManager', 'userManager1', 'departManager']), 'self'`,
      [rights],
    );
    await run(
      db(),
      `INSERT INTO element_grant (group_id, element_code)
       SELECT $1, unnest(ARRAY['userManager:btn_edit', 'userManager1:btn_edit', 'departManager:btn_member_add'])`,
      [rights],
    );
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [rights, narrow!.id]);
    for (const root of ['staff', 'projectStaff'])
      expect((await ask(root, 'grp_narrow', joining)).http).toBe(404);
    expect((await ask('staff', 'grp_narrow', [narrow!.id])).http).toBe(200);
    const foreign = await runOne<{ id: number }>(
      db(),
      `INSERT INTO department (tenant_id, code, name) SELECT id, 'GRPF', '别家部门' FROM tenant WHERE id <> $1 ORDER BY id LIMIT 1 RETURNING id`,
      [bench.tenantId],
    );
    expect((await ask('staff', 'admin', joining, String(foreign!.id))).http).toBe(404);
  });

  test('a scope that names the merged department names the other one afterwards: its holder sees those who worked there before', async () => {
    const [from, into] = [await addId(), await addId()];
    await staffIn(from, '癸来自');
    await staffIn(into, '子原有');
    const named = await group('role', '片区角色');
    await run(
      db(),
      `UPDATE menu_grant SET data_scope = 'depts', department_ids = ARRAY[$2]::bigint[] WHERE group_id = $1`,
      [named, Number(from)],
    );
    await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
      named,
      await staffIn(await addId(), '丑片区'),
    ]);
    expect(await impact(from, `into=${into}`)).toMatchObject({
      groupChanges: [],
      scopeNames: ['丑片区'],
      seesMore: { count: 1, names: ['丑片区'] },
      seesFewer: { count: 0 },
    });
  });
});

describe('import', () => {
  const columns = ['code', 'name', 'parent', 'type', 'leader', 'phone', 'sort', 'planned'];
  const row = (number: number, values: Record<string, string>) => ({
    number,
    values: { ...Object.fromEntries(columns.map((name) => [name, ''])), ...values },
  });
  const call = async () => ({
    caller: await bench.product.caller('admin'),
    platform: bench.product.platform,
    language: 'zh' as const,
  });

  test('Bad input, imports with unknown departments: bad rows are named with their column, nothing is written; rows may hang below later ones', async () => {
    const rows = [
      row(1, { code: 'IMP-B', name: '导入乙', parent: 'IMP-A', leader: 'chief', planned: '5' }),
      row(2, { code: 'IMP-A', name: '导入甲' }),
      row(3, { code: 'IMP-C', name: '导入丙', parent: 'NOPE' }),
      row(4, { code: 'SUB', name: '占用' }),
      row(5, { code: 'IMP-A', name: '重复' }),
      row(6, { code: 'IMP-D', name: '丁', type: '飞行', leader: 'nobody', planned: '多' }),
    ];
    const problems = await departmentImport.check(await call(), rows);
    expect(problems.map((one) => [one.row, one.column])).toEqual([
      [3, 'parent'],
      [4, 'code'],
      [5, 'code'],
      [6, 'name'],
      [6, 'type'],
      [6, 'leader'],
      [6, 'planned'],
    ]);
    expect(await run(db(), `SELECT 1 FROM department WHERE code LIKE 'IMP-%'`)).toEqual([]);
    const context = await call();
    expect(await transaction(db(), (tx) => departmentImport.commit(tx, context, rows.slice(0, 2)))).toBe(2);
    const made = await run<{ code: string; path: number[]; planned: number }>(
      db(),
      `SELECT code, path, planned FROM department WHERE code LIKE 'IMP-%' ORDER BY code`,
    );
    expect(made.map((one) => [one.code, one.path.length, one.planned])).toEqual([
      ['IMP-A', 1, 0],
      ['IMP-B', 2, 5],
    ]);
    await expect(
      transaction(db(), (tx) => departmentImport.commit(tx, context, rows.slice(1, 3))),
    ).rejects.toThrow(/Row 2/);
  });

  test('Bad input, cycles in departments: an update cannot hang a department below itself', async () => {
    const rows = [row(1, { code: 'IMP-A', name: '导入甲', parent: 'IMP-B' })];
    const problems = await departmentUpdateImport.check(await call(), rows);
    expect(problems.map((one) => one.message[0])).toEqual(['不能移动到自己的下级']);
    const context = await call();
    await transaction(db(), (tx) =>
      departmentUpdateImport.commit(tx, context, [row(1, { code: 'IMP-B', name: '导入乙二', planned: '7' })]),
    );
    expect(
      await runOne(
        db(),
        `SELECT name, planned, parent_id IS NOT NULL AS below FROM department WHERE code = 'IMP-B'`,
      ),
    ).toEqual({ name: '导入乙二', planned: 7, below: true });
  });
});

test('a department the importer does not see on the screen is changed by no table', async () => {
  await addId(null, { code: 'UNSEEN', name: '看不见的部门' });
  const whole = await bench.product.caller('admin');
  const anna = bench.staff.anna!;
  const context = {
    platform: bench.product.platform,
    language: 'zh' as const,
    caller: {
      ...whole,
      staffId: anna,
      menus: new Map([...whole.menus, ['departManager', [{ kind: 'self' as const }]]]),
    },
  };
  const rows = [
    {
      number: 1,
      values: {
        code: 'UNSEEN',
        name: '被改名了',
        parent: '',
        type: '',
        leader: '',
        phone: '',
        sort: '',
        planned: '',
      },
    },
  ];
  expect(
    (await departmentUpdateImport.check(context, rows)).map((problem) => [
      problem.column,
      problem.message[0],
    ]),
  ).toEqual([['code', '编码已存在']]);
  await expect(transaction(db(), (tx) => departmentUpdateImport.commit(tx, context, rows))).rejects.toThrow(
    /Code exists/,
  );
});

test('the head count has a row per company', async () => {
  const rows = (await bench.call('GET', '/admin/allDepartment/headCount', 'admin')).data as unknown as {
    tenantName: string;
    actual: number;
  }[];
  expect(rows.length).toBeGreaterThanOrEqual(1);
  expect(rows.reduce((sum, row) => sum + row.actual, 0)).toBeGreaterThanOrEqual(4);
});
