import { afterAll, beforeAll, expect, test } from 'vitest';
import { businessDayOf } from '../kernel/contract/time.rules.ts';
import { run } from '../kernel/server/database.ts';
import { effectivePermissions } from '../domain/permission/effective-permissions.server.ts';
import {
  openBench,
  type Answer,
  type PermissionBench,
} from '../features/admin-sys/permission-group/permission-fixtures.ts';

/*
 * Random walks through everything an administrator of users, groups and departments can do, who sees the rows of one
 * department only and holds one menu for some days: whatever is accepted, neither it nor a colleague that may do nothing
 * ever holds a right, or sees a row, that it did not hold at the start. Rows are looked for through the lists themselves.
 */

const SEEDS = [3, 7, 19, 42, 77];
const STEPS = 220;
/** Nobody in the walk holds it for good. */
const FOREIGN = 'mm_businessOrder_wx';
const FOREIGN_BUTTON = `${FOREIGN}:btn_export`;
/** The administrator holds it for five days. */
const LENT = 'stationManage';
const RECORDS = 'workOvertimeManager';
const ADMINISTRATION = ['groupManager', 'roleManager', 'userManager', 'userManager1', 'departManager'];

let bench: PermissionBench;
beforeAll(async () => {
  bench = await openBench();
}, 180_000);
afterAll(() => bench.product.close(), 60_000);

/** Numbers below n that are the same for the same seed. */
function dice(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return Math.floor(state / 65_536) % n;
  };
}

for (const seed of SEEDS)
  test(`walk ${seed} gives nobody anything`, { timeout: 120_000 }, async () => {
    const roll = dice(seed);
    const pick = <T>(list: readonly T[]): T => list[roll(list.length)]!;
    const some = <T>(list: readonly T[], one: number): T[] => list.filter(() => roll(one) === 0);
    const tenant = await bench.one(
      'INSERT INTO tenant (kind, account, name) VALUES (1, $1, $1) RETURNING id AS v',
      [`walk${seed}`],
    );
    const departments: number[] = [];
    for (const parent of [undefined, 0, undefined, 2, undefined]) {
      const above = parent === undefined ? null : departments[parent]!;
      const id = await bench.one(
        'INSERT INTO department (tenant_id, parent_id, code, name) VALUES ($1, $2, $3, $3) RETURNING id AS v',
        [tenant, above, `w${seed}d${departments.length}`],
      );
      await run(
        bench.db,
        `UPDATE department d SET path = coalesce((SELECT p.path FROM department p WHERE p.id = d.parent_id), '{}') || d.id WHERE d.id = $1`,
        [id],
      );
      departments.push(id);
    }
    const [home, , away, below, idle] = departments as [number, number, number, number, number];
    const elements = (
      await run<{ code: string }>(
        bench.db,
        'SELECT code FROM element WHERE menu_code = ANY($1::text[]) AND NOT retired ORDER BY code',
        [ADMINISTRATION],
      )
    ).map((row) => row.code);
    const place = { tenantId: tenant };
    const admin = await bench.staff(`walk${seed}_admin`, { ...place, departmentId: home });
    const nobody = await bench.staff(`walk${seed}_nobody`, { ...place, departmentId: idle });
    const victim = await bench.staff(`walk${seed}_victim`, { ...place, departmentId: away });
    const member = await bench.staff(`walk${seed}_member`, { ...place, departmentId: below });
    const staff = [admin, nobody, victim, member];
    const group = (code: string, more: Parameters<PermissionBench['group']>[1] = {}) =>
      bench.group(`walk${seed}_${code}`, { ...place, ...more });
    const own = await group('own', {
      menus: Object.fromEntries(ADMINISTRATION.map((menu) => [menu, 'all'])),
      elements,
      members: [admin],
    });
    await run(
      bench.db,
      `INSERT INTO menu_grant (group_id, menu_code, data_scope, department_ids) VALUES ($1, $2, 'depts', ARRAY[$3]::bigint[])`,
      [own, RECORDS, home],
    );
    const lent = await group('lent', { menus: { [LENT]: 'all' } });
    await run(
      bench.db,
      `INSERT INTO group_member (group_id, staff_id, expires_at) VALUES ($1, $2, now() + interval '5 days')`,
      [lent, admin],
    );
    const big = await group('big', {
      menus: { [FOREIGN]: 'all' },
      elements: [FOREIGN_BUTTON],
      members: [victim],
    });
    const start = [
      own,
      lent,
      big,
      await group('heir', { menus: { [FOREIGN]: 'self', [RECORDS]: 'dept_tree' }, parentId: big }),
      await group('depart', {
        type: 'depart',
        departmentId: away,
        menus: { [FOREIGN]: 'all', [RECORDS]: 'dept' },
      }),
      await group('free', { type: 'free', menus: { [RECORDS]: 'all' } }),
      await group('small', { menus: { userManager: 'self' }, leaders: [nobody] }),
    ];
    const groups = [...start];
    for (const one of [victim, member])
      await bench.one(
        `INSERT INTO overtime_record (tenant_id, staff_id, day, starts_at, ends_at, day_type, minutes, rate, credited, compensation, reason, state, created_by)
         VALUES ($1, $2, current_date - 1, now() - interval '20 hours', now() - interval '18 hours', 'workday', 120, 100, 120, 'time_off', 'walk', 'approved', $2) RETURNING id AS v`,
        [tenant, one],
      );
    await run(bench.db, 'UPDATE department SET leader_id = $2 WHERE id = $1', [away, victim]);
    await group('records', {
      menus: { [RECORDS]: 'self' },
      elements: [`${RECORDS}:btn_addOvertime`],
      members: [victim, member],
    });
    const applicants = [
      { id: victim, key: await bench.token(`walk${seed}_victim`) },
      { id: member, key: await bench.token(`walk${seed}_member`) },
    ];
    const token = await bench.token(`walk${seed}_admin`);
    const other = await bench.token(`walk${seed}_nobody`);
    let made = 0;
    const version = async (table: 'permission_group' | 'staff' | 'department', id: number) =>
      (await run<{ version: number }>(bench.db, `SELECT version FROM ${table} WHERE id = $1`, [id]))[0]
        ?.version ?? 1;
    const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
      bench.call<{ id?: string }>(token, method, path, body);
    const wanted = () => ({
      menus: some([...ADMINISTRATION, RECORDS, FOREIGN, LENT], 3).map((code) => {
        const dataScope = pick(['all', 'dept', 'dept_tree', 'depts', 'self']);
        return {
          code,
          dataScope,
          departmentIds: dataScope === 'depts' ? [home, ...some(departments, 2)].map(String) : [],
        };
      }),
      elements: [...some(elements, 6), ...some([FOREIGN_BUTTON], 4)],
      ...(roll(3) === 0 ? { inherit: roll(2) === 0 } : {}),
    });
    const keep = async (answer: Promise<Answer<{ id?: string }>>, into: number[]) => {
      const got = await answer;
      if (got.http === 200) into.push(Number(got.data.id));
      return got;
    };
    const entry = (id: number) => ({
      staffId: String(id),
      kind: pick(['leader', 'member']),
      endsOn: roll(2) ? null : businessDayOf(new Date(Date.now() + roll(30) * 86_400_000)),
    });
    let day = 2;
    const steps: Record<string, () => Promise<Answer<{ id?: string }>>> = {
      apply: () => {
        const { id, key } = pick(applicants);
        return bench.call(key, 'POST', '/admin/overtimeRecord/action/addOvertime', {
          staff: [String(id)],
          day: businessDayOf(new Date(Date.now() - (day += 1) * 86_400_000)),
          startTime: '19:00',
          endTime: '21:00',
          compensation: 'time_off',
          reason: 'walk',
        });
      },
      create: () => {
        const type = pick(['role', 'free', 'depart']);
        const body = {
          type,
          name: `w${(made += 1)}`,
          code: `w${seed}_${made}`,
          parentId: roll(2) ? String(pick(groups)) : null,
          inherit: roll(2) === 0,
          enabled: roll(4) > 0,
          ...(type === 'depart' ? { departmentId: String(pick(departments)) } : {}),
        };
        return keep(send('POST', '/admin/permissionGroup', body), groups);
      },
      edit: async () => {
        const id = pick(groups);
        return send('PUT', `/admin/permissionGroup/${id}`, {
          version: await version('permission_group', id),
          ...(roll(2) ? { parentId: roll(3) ? String(pick(groups)) : null } : {}),
          ...(roll(3) ? {} : { inherit: roll(2) === 0 }),
          ...(roll(3) ? {} : { enabled: roll(3) > 0 }),
          ...(roll(8) ? {} : { departmentId: String(pick(departments)) }),
        });
      },
      grant: async () => {
        const id = pick(groups.slice(-6));
        return send('PUT', `/admin/permissionGroup/${id}/authority`, {
          version: await version('permission_group', id),
          reason: 'walk',
          ...wanted(),
        });
      },
      // The own group too, with what is lent added to what it has.
      grantOwn: async () =>
        send('PUT', `/admin/permissionGroup/${own}/authority`, {
          version: await version('permission_group', own),
          reason: 'walk',
          menus: [
            ...ADMINISTRATION.map((code) => ({ code, dataScope: 'all', departmentIds: [] })),
            { code: RECORDS, dataScope: 'depts', departmentIds: [String(home)] },
            ...some([{ code: LENT, dataScope: 'all', departmentIds: [] }], 2),
          ],
          elements,
        }),
      members: () =>
        send('PUT', `/admin/permissionGroup/${pick(groups)}/members`, {
          set: some(staff, 3).map(entry),
          remove: some(staff, 6).map(String),
          reason: 'walk',
        }),
      membersByLeader: () =>
        bench.call(other, 'PUT', `/admin/permissionGroup/${pick(groups)}/members`, {
          set: [entry(pick([admin, nobody]))],
          reason: 'walk',
        }),
      copy: () => {
        const body = { name: `c${(made += 1)}`, code: `c${seed}_${made}` };
        return keep(send('POST', `/admin/permissionGroup/${pick(groups)}/copy`, body), groups);
      },
      restore: async () => {
        const id = pick(groups);
        const kept = await run<{ id: number }>(
          bench.db,
          `SELECT id FROM grant_history WHERE group_id = $1 AND kind = 'grant' ORDER BY id`,
          [id],
        );
        const history = kept.length > 0 ? pick(kept).id : 0;
        return send('POST', `/admin/permissionGroup/${id}/history/${history}/restore`, {
          version: await version('permission_group', id),
          reason: 'walk',
        });
      },
      remove: () => send('DELETE', `/admin/permissionGroup/${pick(groups)}`),
      assign: async () => {
        const id = pick(staff);
        return send('POST', `/admin/staff/${id}/assignGroups`, {
          version: await version('staff', id),
          groups: some(groups, 4).map(String),
        });
      },
      bulk: () =>
        send('POST', '/admin/staff/bulk/changeGroups', {
          ids: staff.map(String),
          input: { group: String(pick(groups)), remove: roll(3) === 0 },
        }),
      staffForm: async () => {
        const id = pick(staff);
        return send('PUT', `/admin/staff/${id}`, {
          version: await version('staff', id),
          ...(roll(2) ? { department: String(pick(departments)) } : {}),
          ...(roll(2) ? { leader: String(pick(staff)) } : {}),
        });
      },
      move: () =>
        send('POST', `/admin/department/${pick(departments)}/moveMembers`, {
          staff: [String(pick(staff))],
          into: String(pick(departments)),
        }),
      takeIn: () =>
        send('POST', `/admin/department/${pick(departments)}/addMembers`, {
          staff: [String(pick(staff))],
          kind: pick(['main', 'secondary']),
        }),
      place: () =>
        send('POST', `/admin/department/${pick(departments)}/place`, {
          parent: roll(3) ? String(pick(departments)) : null,
        }),
      departmentForm: async () => {
        const id = pick(departments);
        return send('PUT', `/admin/department/${id}`, {
          version: await version('department', id),
          ...(roll(2) ? { leader: String(pick(staff)) } : {}),
          ...(roll(2) ? { parent: roll(2) ? String(pick(departments)) : null } : {}),
        });
      },
      merge: () =>
        send('POST', `/admin/department/${pick(departments)}/merge`, {
          into: String(pick(departments)),
          reason: 'walk',
        }),
      handOver: () =>
        send('POST', `/admin/staff/${pick([victim, member])}/handover`, {
          targets: Object.fromEntries(
            some(['group_leader', 'department_leader', 'direct_reports', 'approval'], 2).map((kind) => [
              kind,
              String(pick([admin, nobody])),
            ]),
          ),
        }),
      reset: () => send('POST', `/admin/staff/${victim}/resetPassword`, {}),
    };
    const names = Object.keys(steps);
    const accepted: string[] = [];
    const later = new Date(Date.now() + 6 * 86_400_000);
    for (let step = 0; step < STEPS; step += 1) {
      const name = pick(names);
      const answer = await steps[name]!();
      expect([name, answer.http < 500, answer.message]).toEqual([name, true, answer.message]);
      if (answer.http !== 200) continue;
      accepted.push(name);
      const trace = `${seed}: ${accepted.slice(-8).join(' > ')}`;
      for (const [who, key] of [
        [admin, token],
        [nobody, other],
      ] as const) {
        for (const at of [undefined, later]) {
          const { menus, elements: held } = await effectivePermissions(bench.db, who, at);
          expect([trace, menus.has(FOREIGN), held.has(FOREIGN_BUTTON)]).toEqual([trace, false, false]);
          if (at && who === admin) expect([trace, menus.has(LENT)]).toEqual([trace, false]);
        }
        const list = await bench.call<{ rows: { staff: { id: string } }[] }>(
          key,
          'GET',
          '/admin/overtimeRecord/page?limit=100',
        );
        const seen = list.http === 200 ? list.data.rows.map((row) => row.staff.id) : [];
        const foreign = [victim, member].filter((id) => seen.includes(String(id)));
        expect([trace, who, foreign]).toEqual([trace, who, []]);
        const approvals = await bench.call<unknown[]>(key, 'GET', '/admin/approval/mine');
        expect([trace, who, JSON.stringify(approvals.data)]).toEqual([
          trace,
          who,
          expect.not.stringMatching(/_(victim|member)/),
        ]);
      }
    }
    // A walk that is refused everything proves nothing.
    expect(accepted.length).toBeGreaterThan(STEPS / 10);
    expect(new Set(accepted).size).toBeGreaterThan(8);
  });
