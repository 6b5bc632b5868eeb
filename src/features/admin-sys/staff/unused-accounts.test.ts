import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { openOvertimeBench, type OvertimeBench } from '../overtime/overtime-bench.ts';
import { listUnused, unusedAccounts } from './unused-accounts.server.ts';

let bench: OvertimeBench;
beforeAll(async () => {
  bench = await openOvertimeBench();
});
afterAll(() => bench?.product.close());
const db = () => bench.product.platform.database.db;
beforeEach(async () => {
  await run(
    db(),
    `UPDATE staff SET created_at = now() - interval '200 days', password_changed_at = now() - interval '200 days', last_login_at = now() - interval '10 days', state = 'normal'`,
  );
  await run(db(), `DELETE FROM setting WHERE key LIKE 'user.unused%'`);
  await run(db(), 'DELETE FROM notification');
  bench.product.platform.settings.forget();
});
const set = async (key: string, value: unknown) => {
  await run(db(), 'INSERT INTO setting (key, value) VALUES ($1, $2)', [key, JSON.stringify(value)]);
  bench.product.platform.settings.forget();
};
const stateOf = async (account: string) =>
  (await runOne<{ state: string }>(db(), 'SELECT state FROM staff WHERE account = $1', [account]))!.state;
const unuse = (days: number, ...accounts: string[]) =>
  run(
    db(),
    `UPDATE staff SET last_login_at = now() - make_interval(days => $1) WHERE account = ANY($2::text[])`,
    [days, accounts],
  );

test('on Mondays at 08:00 in Shanghai the unused accounts are listed to the administrators; nobody is disabled by itself', async () => {
  expect(unusedAccounts.cron).toBe('0 0 * * 1');
  await unuse(95, 'anna', 'ben');
  await unuse(80, 'chief');
  expect(await listUnused(bench.product.platform)).toEqual({ found: 2, disabled: 0 });
  const notices = await run<{ account: string; title_zh: string; body_zh: string }>(
    db(),
    `SELECT s.account, n.title_zh, n.body_zh FROM notification n JOIN staff s ON s.id = n.staff_id WHERE n.kind = 'unusedAccounts'`,
  );
  expect(notices).toEqual([
    { account: 'admin', title_zh: '2 个账号超过 90 天未使用', body_zh: '孙安、李本' },
  ]);
  expect([await stateOf('anna'), await stateOf('ben')]).toEqual(['normal', 'normal']);
});

test('a new account that never signed in is not unused on its first Monday', async () => {
  await run(
    db(),
    `UPDATE staff SET created_at = now() - interval '2 days', last_login_at = NULL, password_changed_at = now() - interval '2 days' WHERE account = 'anna'`,
  );
  expect((await listUnused(bench.product.platform)).found).toBe(0);
  await run(
    db(),
    `UPDATE staff SET created_at = now() - interval '91 days', password_changed_at = now() - interval '91 days' WHERE account = 'anna'`,
  );
  expect((await listUnused(bench.product.platform)).found).toBe(1);
});

test('with the switch on they are disabled and signed out, never a platform administrator; the days come from the setting', async () => {
  await set('user.unused_days', 30);
  await set('user.unused_auto_disable', true);
  await unuse(40, 'anna', 'admin');
  expect((await bench.call('GET', '/admin/user/front/info', 'anna')).http).toBe(200);
  expect(await listUnused(bench.product.platform)).toEqual({ found: 2, disabled: 1 });
  expect([await stateOf('anna'), await stateOf('admin')]).toEqual(['disabled', 'normal']);
  const answer = await bench.call('GET', '/admin/user/front/info', 'anna');
  expect([answer.http, answer.status]).toEqual([401, 40001]);
  const event = await runOne(
    db(),
    `SELECT who, label_zh FROM entity_event WHERE entity = 'staff' AND entity_id = $1 AND action = 'disable'`,
    [bench.staff.anna],
  );
  expect(event).toMatchObject({ label_zh: '30天未使用，自动停用' });
  expect(await listUnused(bench.product.platform)).toEqual({ found: 1, disabled: 0 });
});
