import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callerLoader } from './load-caller.server.ts';
import {
  addGroup,
  addStaff,
  callWith,
  openBench,
  signIn,
  type Bench,
} from '../../app/server/session/session-bench.ts';

let bench: Bench;
let load: ReturnType<typeof callerLoader>;
const tenants: Record<number, number> = {};
const projects: number[] = [];

beforeAll(async () => {
  bench = await openBench();
  load = callerLoader(bench.first.platform.database.db);
  for (const kind of [1, 2, 4]) {
    const [row] = await bench.query<{ id: number }>(
      'INSERT INTO tenant (kind, account, name) VALUES ($1, $2, $2) RETURNING id',
      [kind, `tenant${kind}`],
    );
    tenants[kind] = row!.id;
  }
  const [unit] = await bench.query<{ id: number }>(
    `INSERT INTO organisation (kind, code, name) VALUES ('management_unit', 'U1', 'U1') RETURNING id`,
  );
  for (const code of ['P1', 'P2', 'P3']) {
    const [row] = await bench.query<{ id: number }>(
      'INSERT INTO project (code, name, unit_id, centre_id) VALUES ($1, $1, $2, $2) RETURNING id',
      [code, unit!.id],
    );
    projects.push(row!.id);
  }
  for (const kind of [1, 2, 4])
    for (const project of projects.slice(0, 2))
      await bench.query('INSERT INTO tenant_project (tenant_id, project_id) VALUES ($1, $2)', [
        tenants[kind],
        project,
      ]);
});
afterAll(() => bench.close());

const department = async (code: string, parentId: number | null): Promise<number> => {
  const [row] = await bench.query<{ id: number }>(
    'INSERT INTO department (tenant_id, parent_id, code, name) VALUES ($1, $2, $3, $4) RETURNING id',
    [tenants[1], parentId, code, `部门${code}`],
  );
  return row!.id;
};

describe('projects', () => {
  it.each([
    [3, true, null],
    [3, false, [1, 2]],
    [1, true, [0, 1]],
    [1, false, [1]],
    [4, true, [0, 1]],
    [4, false, [1]],
    [2, true, null],
    [2, false, [1]],
  ] as const)('tenant kind %i, all projects %s', async (kind, allProjects, expected) => {
    const tenantId = kind === 3 ? {} : { tenantId: tenants[kind]! };
    const id = await addStaff(bench, {
      account: `p${kind}${allProjects ? 'all' : 'own'}`,
      allProjects,
      ...tenantId,
    });
    for (const project of projects.slice(1))
      await bench.query('INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [id, project]);
    const caller = await load(id);
    expect(caller?.projectIds).toEqual(expected === null ? null : expected.map((index) => projects[index]));
  });
});

describe('scopes', () => {
  it('is a union per menu and never across menus', async () => {
    const own = await addGroup(bench, 'own_orders', { menus: { cs_workOrder: 'self' } });
    const all = await addGroup(bench, 'all_notices', { menus: { cs_pronotice: 'all' } });
    const caller = await load(await addStaff(bench, { account: 'union', groupIds: [own, all] }));
    expect(caller?.menus.get('cs_workOrder')).toEqual([{ kind: 'self' }]);
    expect(caller?.menus.get('cs_pronotice')).toEqual([{ kind: 'all' }]);
  });

  it('resolves departments and merges them with own rows', async () => {
    const root = await department('D1', null);
    const child = await department('D2', root);
    const grandchild = await department('D3', child);
    await department('D4', null);
    const groups = [
      await addGroup(bench, 'tree', { menus: { cs_workOrder: 'dept_tree', cs_pronotice: 'dept' } }),
      await addGroup(bench, 'mine', { menus: { cs_workOrder: 'self' } }),
    ];
    const staff = await addStaff(bench, {
      account: 'depart',
      tenantId: tenants[1]!,
      departmentId: child,
      groupIds: groups,
    });
    const caller = await load(staff);
    expect(caller?.menus.get('cs_workOrder')).toEqual([
      { kind: 'departments', ids: [child, grandchild] },
      { kind: 'self' },
    ]);
    expect(caller?.menus.get('cs_pronotice')).toEqual([{ kind: 'departments', ids: [child] }]);
    const homeless = await load(await addStaff(bench, { account: 'homeless', groupIds: [groups[0]!] }));
    expect(homeless?.menus.get('cs_pronotice')).toEqual([{ kind: 'departments', ids: [] }]);
  });
});

describe('where rights come from', () => {
  it('ignores ended memberships and disabled groups', async () => {
    const ended = await addGroup(bench, 'ended', { menus: { cs_workOrder: 'all' } });
    const off = await addGroup(bench, 'off', { menus: { cs_pronotice: 'all' } });
    const id = await addStaff(bench, { account: 'former', groupIds: [ended, off] });
    await bench.query(
      `UPDATE group_member SET expires_at = now() - interval '1 second' WHERE group_id = $1`,
      [ended],
    );
    await bench.query('UPDATE permission_group SET enabled = false WHERE id = $1', [off]);
    const caller = await load(id);
    expect([...(caller?.menus.keys() ?? [])]).toEqual([]);
  });

  it('notices that a membership ends by itself while a session lives', async () => {
    const group = await addGroup(bench, 'ending', { menus: { cs_workOrder: 'all' } });
    const id = await addStaff(bench, { account: 'ending', groupIds: [group] });
    const token = await signIn(bench.first.app, 'ending');
    await bench.query(
      `UPDATE group_member SET expires_at = now() + interval '3 seconds' WHERE staff_id = $1`,
      [id],
    );
    const before = await callWith(bench.first.app, token, 'GET', '/api/probe/order');
    expect(before.statusCode).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 4_200));
    const after = await callWith(bench.first.app, token, 'GET', '/api/probe/order');
    expect(after.statusCode).toBe(403);
    expect(after.headers['x-permission-epoch']).not.toBe(before.headers['x-permission-epoch']);
  });

  it('gives the staff of a department the rights of its group', async () => {
    const id = await department('D9', null);
    await addGroup(bench, 'of_depart', { type: 'depart', departmentId: id, menus: { cs_workOrder: 'all' } });
    const inside = await load(
      await addStaff(bench, { account: 'inside', tenantId: tenants[1]!, departmentId: id }),
    );
    const outside = await load(await addStaff(bench, { account: 'outside', tenantId: tenants[1]! }));
    expect(inside?.menus.has('cs_workOrder')).toBe(true);
    expect(outside?.menus.has('cs_workOrder')).toBe(false);
  });

  it('inherits from the parent only with the switch on, upwards as far as it is on', async () => {
    const top = await addGroup(bench, 'top', { menus: { cs_pronotice: 'all' } });
    const middle = await addGroup(bench, 'middle', { menus: { cs_workOrder: 'self' }, parentId: top });
    const leaf = await addGroup(bench, 'leaf', { parentId: middle, inherit: true });
    const plain = await addGroup(bench, 'plain', { parentId: middle });
    const heir = await load(await addStaff(bench, { account: 'heir', groupIds: [leaf] }));
    expect([...(heir?.menus.keys() ?? [])].sort()).toEqual([
      'companymanager',
      'cs_orderDetail',
      'cs_workOrder',
    ]);
    const other = await load(await addStaff(bench, { account: 'noheir', groupIds: [plain] }));
    expect(other?.menus.size).toBe(0);
  });

  it('counts an element only with its menu, and no menu that is not built', async () => {
    const group = await addGroup(bench, 'elements', {
      menus: { cs_workOrder: 'all', cs_escrow: 'all' },
      elements: ['cs_workOrder:btn_export'],
    });
    const bare = await addGroup(bench, 'bare', { elements: ['cs_workOrder:btn_add'] });
    const both = await load(await addStaff(bench, { account: 'both', groupIds: [group, bare] }));
    expect([...(both?.elements ?? [])].sort()).toEqual(['cs_workOrder:btn_add', 'cs_workOrder:btn_export']);
    expect(both?.menus.has('cs_escrow')).toBe(false);
    const lone = await load(await addStaff(bench, { account: 'lone', groupIds: [bare] }));
    expect(lone?.elements.size).toBe(0);
  });

  it('gives platform administrators every built menu and element without grants, and only platform staff', async () => {
    const [group] = await bench.query<{ id: number }>(
      `SELECT id FROM permission_group WHERE code = 'platform_admin'`,
    );
    const admin = await load(await addStaff(bench, { account: 'boss', groupIds: [group!.id] }));
    expect(admin?.menus.get('cs_workOrder')).toEqual([{ kind: 'all' }]);
    expect(admin?.menus.has('cs_escrow')).toBe(false);
    expect([...(admin?.elements ?? [])].sort()).toEqual(['cs_workOrder:btn_add', 'cs_workOrder:btn_export']);
    const stranger = await load(
      await addStaff(bench, { account: 'stranger', tenantId: tenants[1]!, groupIds: [group!.id] }),
    );
    expect(stranger?.menus.size).toBe(0);
  });

  it('gives background work no rights of somebody who left', async () => {
    const id = await addStaff(bench, { account: 'leaver' });
    expect((await load(id))?.account).toBe('leaver');
    await bench.query(`UPDATE staff SET state = 'left' WHERE id = $1`, [id]);
    expect(await load(id)).toBeUndefined();
  });
});
