import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../testing/test-product.ts';

/*
 * A server that dies between the commit of the work and the kept answer: the database refuses to keep the answer here, and
 * the minute after which a repeat may take over a key has passed.
 */

let product: TestProduct;
let admin: string;
let owner: pg.Client;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
  owner = new pg.Client(product.database.owner);
  await owner.connect();
}, 180_000);
afterAll(async () => {
  await owner?.end();
  await product?.close();
});

const db = () => product.platform.database.db;
const send = async (method: 'POST' | 'PUT', url: string, key: string, payload: object) => {
  const answer = await product.app.inject({
    method,
    url: `/api${url}`,
    headers: { authorization: admin, 'idempotency-key': key },
    payload,
  });
  const body = answer.json<{ status: number; message: string; data: { id: string } }>();
  return { http: answer.statusCode, ...body };
};
const crash = async (work: () => Promise<unknown>) => {
  await owner.query(`
    CREATE FUNCTION lose_answer() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'gone'; END $$;
    CREATE TRIGGER lose_answer BEFORE UPDATE OF response ON idempotency_key FOR EACH ROW EXECUTE FUNCTION lose_answer();`);
  await work();
  await owner.query('DROP TRIGGER lose_answer ON idempotency_key; DROP FUNCTION lose_answer()');
  await run(
    db(),
    `UPDATE idempotency_key SET created_at = created_at - interval '2 minutes' WHERE response IS NULL`,
  );
};
const type = (code: string) => ({ code, name: '崩溃测试', description: '断电不重复' });
const count = async (code: string) =>
  (await run(db(), 'SELECT FROM group_type WHERE code = $1', [code])).length;

test('an action that was committed is not run again by a repeat, whatever became of the answer', async () => {
  await crash(async () => {
    expect((await send('POST', '/admin/groupType', 'crash-key-1', type('crash_one'))).http).toBe(200);
  });
  // Without the row nothing but the key keeps the repeat from being carried out.
  await run(db(), `DELETE FROM group_type WHERE code = 'crash_one'`);
  const repeat = await send('POST', '/admin/groupType', 'crash-key-1', type('crash_one'));
  expect([repeat.http, repeat.status, repeat.message]).toEqual([
    409,
    30101,
    '该请求已经执行，请刷新页面查看结果，不要再次提交',
  ]);
  expect(await count('crash_one')).toBe(0);
});

// What writes in a transaction of its own, without the one action function, counts by the same key.
test.each([
  ['a saved view', '/admin/savedView', { menu: 'userManager', name: '崩溃视图' }, 'saved_view'],
  [
    'a permission group',
    '/admin/permissionGroup',
    { type: 'role', name: '崩溃角色', code: 'crash_role' },
    'permission_group',
  ],
] as const)('a call outside of actions is not run again either: %s', async (_name, url, payload, table) => {
  const key = `crash-${table}`;
  await crash(async () => {
    expect(await send('POST', url, key, payload)).toMatchObject({ http: 200 });
  });
  expect((await run(db(), `DELETE FROM ${table} WHERE name = $1 RETURNING id`, [payload.name])).length).toBe(
    1,
  );
  expect(await send('POST', url, key, payload)).toMatchObject({ http: 409, status: 30101 });
  expect(await run(db(), `SELECT FROM ${table} WHERE name = $1`, [payload.name])).toEqual([]);
});

test('an action that was never committed is run by the repeat', async () => {
  await run(
    db(),
    `INSERT INTO idempotency_key (staff_id, key, request, created_at)
     SELECT id, 'crash-key-2', 'x', clock_timestamp() - interval '2 minutes' FROM staff WHERE account = 'admin'`,
  );
  expect((await send('POST', '/admin/groupType', 'crash-key-2', type('crash_two'))).http).toBe(200);
  expect(await count('crash_two')).toBe(1);
  // And a failure still frees the key: the same one works once the input is right.
  const wrong = await send('POST', '/admin/groupType', 'crash-key-3', type('crash_two'));
  expect([409, 422]).toContain(wrong.http);
  expect((await send('POST', '/admin/groupType', 'crash-key-3', type('crash_three'))).http).toBe(200);
});

test('of a slow request and the one that took its key over only one writes', async () => {
  await owner.query(`
    CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1.5); RETURN NEW; END $$;
    CREATE TRIGGER dawdle BEFORE INSERT ON group_type FOR EACH ROW WHEN (NEW.description = 'slow') EXECUTE FUNCTION dawdle();`);
  const slow = { code: 'crash_slow', name: '崩溃测试', description: 'slow' };
  const first = send('POST', '/admin/groupType', 'crash-key-4', slow);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await run(
    db(),
    `UPDATE idempotency_key SET created_at = clock_timestamp() - interval '2 minutes' WHERE key = 'crash-key-4'`,
  );
  const second = send('POST', '/admin/groupType', 'crash-key-4', slow);
  const answers = await Promise.all([first, second]);
  // The late one is rolled back, although nothing but the key stands in its way.
  expect(answers.map((one) => [one.http, one.message])).toEqual([
    [409, '请求正在处理，请勿重复提交'],
    [200, ''],
  ]);
  expect(await count('crash_slow')).toBe(1);
});
