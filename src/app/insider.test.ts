import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../kernel/testing/test-product.ts';

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

async function call(token: string, method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object) {
  const answer = await product.app.inject({
    method,
    url: `/api${url}`,
    headers: { authorization: token },
    ...(body === undefined ? {} : { payload: body }),
  });
  return {
    http: answer.statusCode,
    text: answer.body,
    ...(answer.json() as { status: number; message: string; data: any }),
  };
}

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
    const nothing = await staffWith({ grants: {} });
    expect(await taking(thief, all)).toEqual([409, 409]);
    expect(await taking(thief, two)).toEqual([409, 409]);
    expect((await call(thief.token, 'POST', `/admin/staff/${two.id}/resetPassword`, {})).message).toContain(
      '范围外的项目',
    );
    expect(await taking(thief, same)).toEqual([200, 200]);
    expect(await taking(thief, nothing)).toEqual([200, 200]);
    expect(await taking(all, two)).toEqual([200, 200]);
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
