import { afterAll, beforeAll, expect, test } from 'vitest';
import type { FastifyInstance } from 'fastify';
import { run, runOne } from '../kernel/server/database.ts';
import { hashPassword } from '../kernel/server/people/password-hash.ts';
import { PASSWORD, startTestProduct, type TestInstance, type TestProduct } from '../testing/test-product.ts';
import { askToken } from './server/session/session-bench.ts';

/*
 * Two servers with sockets, pools, caches and listeners of their own on one database. A change goes through the first by
 * its own HTTP call; the second, which has the old rights in its cache, must refuse within a second of the answer.
 */

let product: TestProduct;
let second: TestInstance;
let here: string;
let there: string;
let admin: string;
let platform: number;
const MENU = 'groupTypeManager';

beforeAll(async () => {
  product = await startTestProduct();
  second = await product.another();
  here = await listen(product.app);
  there = await listen(second.app);
  admin = await product.signIn('admin');
  platform = await number('SELECT id AS v FROM tenant WHERE kind = 3');
}, 240_000);
afterAll(async () => {
  await second?.close();
  await product?.close();
});

async function listen(app: FastifyInstance): Promise<string> {
  return app.listen({ host: '127.0.0.1', port: 0 });
}

async function call(base: string, token: string, method: string, path: string, body?: object) {
  const answer = await fetch(`${base}/api${path}`, {
    method,
    headers: { authorization: token, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return {
    http: answer.status,
    ...((await answer.json()) as { status: number; message: string; data: any }),
  };
}

async function number(sql: string, values: readonly unknown[] = []): Promise<number> {
  const row = await runOne<{ v: number }>(product.platform.database.db, sql, values);
  if (!row) throw new Error(`no row: ${sql}`);
  return row.v;
}

let count = 0;

/** A staff of the platform, with the groups given. */
async function person(
  options: { groups?: readonly number[]; department?: number; all?: boolean; tenant?: number } = {},
): Promise<{ id: number; account: string; token: string; version: () => Promise<number> }> {
  count++;
  const account = `twin${count}`;
  const id = await number(
    `INSERT INTO staff (tenant_id, department_id, account, name, all_projects, must_change_password) VALUES ($1, $2, $3, $3, $4, false) RETURNING id AS v`,
    [options.tenant ?? platform, options.department ?? null, account, options.all ?? true],
  );
  for (const group of options.groups ?? [])
    await run(product.platform.database.db, 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [
      group,
      id,
    ]);
  return {
    id,
    account,
    token: await product.signIn(account),
    version: () => number('SELECT version AS v FROM staff WHERE id = $1', [id]),
  };
}

async function group(
  menus: Readonly<Record<string, string>>,
  options: { department?: number; elements?: readonly string[]; tenant?: number } = {},
): Promise<number> {
  count++;
  const { db } = product.platform.database;
  const id = await number(
    `INSERT INTO permission_group (type_id, tenant_id, code, name, department_id)
     SELECT id, $1, $2, $2, $3 FROM group_type WHERE code = $4 RETURNING id AS v`,
    [
      options.tenant ?? platform,
      `twins${count}`,
      options.department ?? null,
      options.department ? 'depart' : 'role',
    ],
  );
  for (const [menu, scope] of Object.entries(menus))
    await run(db, 'INSERT INTO menu_grant (group_id, menu_code, data_scope) VALUES ($1, $2, $3)', [
      id,
      menu,
      scope,
    ]);
  for (const element of options.elements ?? [])
    await run(db, 'INSERT INTO element_grant (group_id, element_code) VALUES ($1, $2)', [id, element]);
  return id;
}

async function department(parent: number | null = null): Promise<number> {
  count++;
  const answer = await call(here, admin, 'POST', '/admin/department', {
    name: `双实例${count}`,
    code: `TW${count}`,
    type: 'function',
    parent: parent === null ? null : String(parent),
  });
  expect([answer.http, answer.message]).toEqual([200, '']);
  return Number(answer.data.id);
}

const groupVersion = (id: number) => number('SELECT version AS v FROM permission_group WHERE id = $1', [id]);

/** Waits until the second server answers as wanted; returns the milliseconds since `since`. */
async function seenThere(
  token: string,
  path: string,
  wanted: (answer: Awaited<ReturnType<typeof call>>) => boolean,
  since: number,
): Promise<number> {
  for (;;) {
    const answer = await call(there, token, 'GET', path);
    const took = performance.now() - since;
    if (wanted(answer)) return took;
    if (took > 4_000) throw new Error(`still ${answer.http} ${JSON.stringify(answer.data).slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

type Case = () => Promise<{
  token: string;
  path: string;
  before: (answer: Awaited<ReturnType<typeof call>>) => boolean;
  change: () => Promise<{ http: number; message: string } | number>;
  after: (answer: Awaited<ReturnType<typeof call>>) => boolean;
}>;

const is =
  (http: number, status = http) =>
  (answer: { http: number; status: number }) =>
    answer.http === http && answer.status === status;

const cases: Readonly<Record<string, Case>> = {
  'a grant is removed': async () => {
    const id = await group({ [MENU]: 'all' });
    const { token } = await person({ groups: [id] });
    return {
      token,
      path: '/admin/groupType/page',
      before: is(200),
      change: async () =>
        call(here, admin, 'PUT', `/admin/permissionGroup/${id}/authority`, {
          version: await groupVersion(id),
          reason: '',
          menus: [],
          elements: [],
        }),
      after: is(403),
    };
  },
  'a data scope is narrowed': async () => {
    const id = await group({ mm_orderRefund: 'all' });
    const { token } = await person({ groups: [id] });
    const refund = await number('SELECT min(id) AS v FROM refund WHERE created_by IS NULL');
    return {
      token,
      path: `/jinmao/web/refund/${refund}`,
      before: is(200),
      change: async () =>
        call(here, admin, 'PUT', `/admin/permissionGroup/${id}/authority`, {
          version: await groupVersion(id),
          reason: '',
          menus: [{ code: 'mm_orderRefund', dataScope: 'self', departmentIds: [] }],
          elements: [],
        }),
      after: is(404),
    };
  },
  'a group is disabled': async () => {
    const id = await group({ [MENU]: 'all' });
    const { token } = await person({ groups: [id] });
    return {
      token,
      path: '/admin/groupType/page',
      before: is(200),
      change: async () =>
        call(here, admin, 'PUT', `/admin/permissionGroup/${id}`, {
          version: await groupVersion(id),
          enabled: false,
        }),
      after: is(403),
    };
  },
  'a membership is removed': async () => {
    const id = await group({ [MENU]: 'all' });
    const one = await person({ groups: [id] });
    return {
      token: one.token,
      path: '/admin/groupType/page',
      before: is(200),
      change: () =>
        call(here, admin, 'PUT', `/admin/permissionGroup/${id}/members`, { remove: [String(one.id)] }),
      after: is(403),
    };
  },
  'a membership ends by itself': async () => {
    const id = await group({ [MENU]: 'all' });
    const one = await person({ groups: [id] });
    await run(
      product.platform.database.db,
      `UPDATE group_member SET expires_at = clock_timestamp() + interval '2500 milliseconds' WHERE group_id = $1`,
      [id],
    );
    return {
      token: one.token,
      path: '/admin/groupType/page',
      before: is(200),
      // Nobody does anything: the clock of the database passes the end.
      change: async () => {
        const left = await number(
          `SELECT extract(epoch FROM expires_at - clock_timestamp())::float8 * 1000 AS v FROM group_member WHERE group_id = $1`,
          [id],
        );
        expect(left).toBeGreaterThan(0);
        return left;
      },
      after: is(403),
    };
  },
  'a project is taken away': async () => {
    const id = await group({ mm_businessOrder_wx: 'all' });
    const one = await person({ groups: [id], all: false });
    const order = (await runOne<{ id: number; project_id: number }>(
      product.platform.database.db,
      `SELECT id, project_id FROM sales_order WHERE kind = 'goods' ORDER BY id LIMIT 1`,
    ))!;
    await run(
      product.platform.database.db,
      'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)',
      [one.id, order.project_id],
    );
    return {
      token: one.token,
      path: `/jinmao/web/goodsOrder/${order.id}`,
      before: is(200),
      change: () =>
        call(here, admin, 'POST', `/admin/staff/${one.id}/assignProjects`, {
          projects: [],
          allProjects: false,
        }),
      after: is(404),
    };
  },
  'a staff is disabled': async () => {
    const one = await person();
    return {
      token: one.token,
      path: '/admin/preference',
      before: is(200),
      change: () => call(here, admin, 'POST', `/admin/staff/${one.id}/disable`, { reason: '离岗' }),
      after: is(401, 40001),
    };
  },
  'a password is reset': async () => {
    const one = await person();
    return {
      token: one.token,
      path: '/admin/preference',
      before: is(200),
      change: () => call(here, admin, 'POST', `/admin/staff/${one.id}/resetPassword`, {}),
      after: is(401, 40001),
    };
  },
  'a session is kicked out': async () => {
    const one = await person();
    return {
      token: one.token,
      path: '/admin/preference',
      before: is(200),
      change: () => call(here, admin, 'POST', `/admin/staff/${one.id}/kick`, {}),
      after: is(401, 40001),
    };
  },
  'a staff moves out of the department that gave the right': async () => {
    const [from, into] = [await department(), await department()];
    await group({ [MENU]: 'all' }, { department: from });
    const one = await person({ department: from });
    return {
      token: one.token,
      path: '/admin/groupType/page',
      before: is(200),
      change: () =>
        call(here, admin, 'POST', `/admin/department/${from}/moveMembers`, {
          staff: [String(one.id)],
          into: String(into),
        }),
      after: is(403),
    };
  },
  'a department moves out of the branch somebody sees': async () => {
    const [above, elsewhere] = [await department(), await department()];
    const below = await department(above);
    const id = await group({ userManager: 'dept_tree' });
    const one = await person({ groups: [id], department: above });
    const seen = await person({ department: below });
    return {
      token: one.token,
      path: `/admin/staff/${seen.id}`,
      before: is(200),
      change: () =>
        call(here, admin, 'POST', `/admin/department/${below}/place`, { parent: String(elsewhere) }),
      after: is(404),
    };
  },
  'departments are merged out of the branch somebody sees': async () => {
    const [above, elsewhere] = [await department(), await department()];
    const below = await department(above);
    const deep = await department(below);
    const id = await group({ userManager: 'dept_tree' });
    const one = await person({ groups: [id], department: above });
    const seen = await person({ department: deep });
    return {
      token: one.token,
      path: `/admin/staff/${seen.id}`,
      before: is(200),
      change: () =>
        call(here, admin, 'POST', `/admin/department/${below}/merge`, {
          into: String(elsewhere),
          reason: '合并部门',
        }),
      after: is(404),
    };
  },
  'a merged department that a grant names': async () => {
    const [named, into] = [await department(), await department()];
    const id = await group({ userManager: 'all' });
    await run(
      product.platform.database.db,
      `UPDATE menu_grant SET data_scope = 'depts', department_ids = ARRAY[$2::bigint] WHERE group_id = $1`,
      [id, named],
    );
    const one = await person({ groups: [id] });
    const seen = await person({ department: named });
    return {
      token: one.token,
      path: `/admin/staff/${seen.id}`,
      before: is(200),
      // The grant follows into the new department; until the second server knows, the row is lost to it.
      change: () =>
        call(here, admin, 'POST', `/admin/department/${named}/merge`, {
          into: String(into),
          reason: '合并部门',
        }),
      after: is(200),
    };
  },
  'a new department below the own one': async () => {
    const above = await department();
    const id = await group({ userManager: 'dept_tree' });
    const one = await person({ groups: [id], department: above });
    const other = await person();
    return {
      token: one.token,
      path: `/admin/staff/${other.id}`,
      before: is(404),
      change: async () => {
        const below = await department(above);
        return call(here, admin, 'POST', `/admin/department/${below}/addMembers`, {
          staff: [String(other.id)],
          kind: 'main',
        });
      },
      after: is(200),
    };
  },
  'a menu is hidden': async () => {
    const id = await group({ stationManage: 'all' });
    const one = await person({ groups: [id] });
    // A hidden menu stays a route: its icon says so.
    const isHidden = (answer: { data: unknown }): boolean => {
      const walk = (nodes: readonly any[]): any[] => nodes.flatMap((node) => [node, ...walk(node.children)]);
      return walk(answer.data as any[]).find((node) => node.code === 'stationManage').icon === 'hidden';
    };
    return {
      token: one.token,
      path: '/admin/user/front/menus',
      before: (answer) => answer.http === 200 && !isHidden(answer),
      change: async () =>
        call(here, admin, 'PUT', '/admin/menu/item/stationManage', {
          version: await number(`SELECT version AS v FROM menu WHERE code = 'stationManage'`),
          hidden: true,
        }),
      after: (answer) => answer.http === 200 && isHidden(answer),
    };
  },
  'a project is taken from a company': async () => {
    // Whoever writes the link: the database itself tells every server.
    const { db } = product.platform.database;
    const company = await number('SELECT min(id) AS v FROM tenant WHERE kind = 1 AND enabled');
    const project = await number(
      `SELECT min(t.project_id) AS v FROM tenant_project t
        WHERE t.tenant_id = $1 AND EXISTS (SELECT FROM sales_order o WHERE o.project_id = t.project_id)`,
      [company],
    );
    const id = await group({ mm_businessOrder_wx: 'all' }, { tenant: company });
    const { token } = await person({ groups: [id], tenant: company });
    const order = await number('SELECT min(id) AS v FROM sales_order WHERE project_id = $1', [project]);
    return {
      token,
      path: `/jinmao/web/goodsOrder/${order}`,
      before: is(200),
      change: async () => {
        await run(db, 'DELETE FROM tenant_project WHERE tenant_id = $1 AND project_id = $2', [
          company,
          project,
        ]);
        return 0;
      },
      after: is(404),
    };
  },
  'a whitelist rule ends sessions that no longer fit': async () => {
    const one = await person();
    return {
      token: one.token,
      path: '/admin/preference',
      before: is(200),
      change: () =>
        call(here, admin, 'POST', '/admin/whitelist', {
          staff: String(one.id),
          range: '10.20.0.0/16',
          purpose: 'allow',
          reason: '只在办公室',
          endSessions: true,
        }),
      after: is(401, 40001),
    };
  },
};

test.each(Object.entries(cases))('acts on the other server within a second: %s', async (_name, prepare) => {
  const { token, path, before, change, after } = await prepare();
  // Its cache is warm with the old rights.
  const first = await call(there, token, 'GET', path);
  expect([first.http, first.message, before(first)]).toEqual([first.http, first.message, true]);
  const done = await change();
  let since = performance.now();
  if (typeof done === 'number') since += done;
  else expect([done.http, done.message]).toEqual([200, '']);
  expect(await seenThere(token, path, after, since)).toBeLessThanOrEqual(1_000);
});

test('enforcing the whitelist on one server binds sign-in on the other within a second', async () => {
  const one = await person();
  await run(product.platform.database.db, 'UPDATE staff SET password_hash = $2 WHERE id = $1', [
    one.id,
    await hashPassword(PASSWORD),
  ]);
  const signIn = async () =>
    (await askToken(second.app, { username: one.account, password: PASSWORD, address: '192.0.2.7' }))
      .statusCode;
  expect(await signIn()).toBe(200);
  const rule = { range: '127.0.0.0/24', purpose: 'allow', reason: '办公网络' };
  expect((await call(here, admin, 'POST', '/admin/whitelist', rule)).http).toBe(200);
  const answer = await call(here, admin, 'POST', '/admin/whitelist/action/enforce', { on: true });
  expect([answer.http, answer.message]).toEqual([200, '']);
  // A password takes a while to check, so what counts is when an attempt began that was still let in.
  const since = performance.now();
  for (;;) {
    const began = performance.now() - since;
    if ((await signIn()) !== 200) break;
    expect(began).toBeLessThan(1_000);
  }
  await call(here, admin, 'POST', '/admin/whitelist/action/enforce', { on: false });
});

test('failures of an account count on both servers together, whether the account exists or not', async () => {
  const one = await person();
  await run(product.platform.database.db, 'UPDATE staff SET password_hash = $2 WHERE id = $1', [
    one.id,
    await hashPassword(PASSWORD),
  ]);
  // Both servers by turns, so that neither sees five failures by itself.
  const tell = async (username: string, address: string): Promise<string[]> => {
    const answers: string[] = [];
    for (let round = 0; round < 7; round++) {
      const { app } = round % 2 === 0 ? product : second;
      const answer = await askToken(app, { username, password: 'wrong', address });
      answers.push(`${answer.statusCode} ${answer.json<{ message: string }>().message}`);
    }
    return answers;
  };
  const known = await tell(one.account, '192.0.2.11');
  expect(known.map((answer) => answer.slice(0, 3))).toEqual([
    '400',
    '400',
    '400',
    '400',
    '400',
    '429',
    '429',
  ]);
  // A name of nobody, in other letters each time: the same answers to the word.
  expect(await tell('Nobody.Twin', '192.0.2.12')).toEqual(known);
  expect((await askToken(second.app, { username: 'NOBODY.TWIN', address: '192.0.2.13' })).statusCode).toBe(
    429,
  );
  expect((await askToken(second.app, { username: one.account, address: '192.0.2.13' })).statusCode).toBe(429);
});
