import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { askToken } from '../../../app/server/session/session-bench.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { hashPassword } from '../../../kernel/server/people/password-hash.ts';
import { whitelistReminder } from './whitelist-reminder.server.ts';
import { openOvertimeBench, type OvertimeBench } from '../overtime/overtime-bench.ts';

let bench: OvertimeBench;
beforeAll(async () => {
  bench = await openOvertimeBench();
});
afterAll(() => bench?.product.close());
const db = () => bench.product.platform.database.db;
beforeEach(async () => {
  await run(db(), 'DELETE FROM whitelist_hit');
  await run(db(), 'DELETE FROM login_whitelist');
  await run(db(), `DELETE FROM setting WHERE key = 'login.whitelist.enforce'`);
  bench.product.platform.settings.forget();
});

const add = (input: Record<string, unknown>) =>
  bench.call('POST', '/admin/whitelist', 'admin', { purpose: 'allow', reason: '办公网络', ...input });
const staffId = (account: string) => String(bench.staff[account]);

describe('rules of a row', () => {
  test('account or address, a real range, not everything, no doubles', async () => {
    expect((await add({})).http).toBe(422);
    expect((await add({ range: '10.0.0.300' })).http).toBe(422);
    expect((await add({ range: '0.0.0.0/0' })).message).toBe('网段过大');
    expect((await add({ range: '::/0' })).message).toBe('网段过大');
    expect((await add({ range: '10.1.2.3/8' })).http).toBe(422);
    expect((await add({ range: '10.0.0.0/8' })).http).toBe(200);
    expect((await add({ range: '10.0.0.0/8' })).message).toBe('相同的规则已存在');
    expect((await add({ range: '10.0.0.0/8', reason: '短' })).http).toBe(422);
    expect((await bench.call('GET', '/admin/whitelist/page?range=10.5.5.5', 'admin')).data.total).toBe(1);
    expect((await bench.call('GET', '/admin/whitelist/page?range=11.5.5.5', 'admin')).data.total).toBe(0);
  });

  test('skip_code lasts 90 days by default, 365 at most, and not for half the internet', async () => {
    const skip = { staff: staffId('anna'), purpose: 'skip_code' };
    const row = await add(skip);
    expect(row.http).toBe(200);
    const days = (Date.parse(String(row.data.expiresAt)) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    expect((await add({ ...skip, range: '10.1.0.0/16' })).http).toBe(200);
    expect((await add({ ...skip, range: '10.0.0.0/15' })).message).toBe('网段过大');
    expect((await add({ ...skip, range: '2001:db8::/47' })).message).toBe('网段过大');
    const far = new Date(Date.now() + 400 * 86_400_000).toISOString();
    expect((await add({ staff: staffId('ben'), purpose: 'skip_code', expiresAt: far })).http).toBe(422);
    const long = await bench.call('PUT', `/admin/whitelist/${String(row.data.id)}`, 'admin', {
      version: row.data.version,
      expiresAt: null,
    });
    expect(long.http).toBe(422);
  });

  test('an update changes what was sent, a disabled row can be enabled again', async () => {
    const row = await add({ staff: staffId('anna'), range: '10.0.0.0/8' });
    const saved = await bench.call('PUT', `/admin/whitelist/${String(row.data.id)}`, 'admin', {
      version: row.data.version,
      range: '10.9.0.0/16',
      reason: '换了网段',
    });
    expect([saved.http, saved.data.range, saved.data.reason]).toEqual([200, '10.9.0.0/16', '换了网段']);
    const off = await bench.call('POST', `/admin/whitelist/${String(row.data.id)}/disable`, 'admin', {});
    expect([off.http, off.data.live]).toEqual([200, 'disabled']);
    expect(
      (await bench.call('POST', `/admin/whitelist/${String(row.data.id)}/enable`, 'admin', {})).data.live,
    ).toBe('live');
    const removed = await bench.call('DELETE', `/admin/whitelist/${String(row.data.id)}`, 'admin');
    expect(removed.http).toBe(200);
    expect(await run(db(), 'SELECT 1 FROM login_whitelist')).toEqual([]);
  });
});

describe('enforcing', () => {
  const enforce = (on: boolean) => bench.call('POST', '/admin/whitelist/action/enforce', 'admin', { on });
  test('Must show 11 (Bad input, ranges that lock out the editor): enforcing from an uncovered address is refused and changes nothing; from a covered one works', async () => {
    await add({ range: '10.0.0.0/8' });
    const refused = await enforce(true);
    expect([refused.status, refused.message]).toEqual([
      30101,
      '启用后您将无法登录，请先加入当前地址 127.0.0.1',
    ]);
    expect(await run(db(), `SELECT 1 FROM setting WHERE key = 'login.whitelist.enforce'`)).toEqual([]);
    await add({ range: '127.0.0.0/8' });
    expect((await enforce(true)).http).toBe(200);
    expect((await bench.call('GET', '/admin/whitelist/enforcement', 'admin')).data).toMatchObject({
      enforced: true,
    });
    const own = await runOne<{ id: number }>(
      db(),
      `SELECT id FROM login_whitelist WHERE range = '127.0.0.0/8'`,
    );
    expect((await bench.call('DELETE', `/admin/whitelist/${own!.id}`, 'admin')).status).toBe(30101);
    expect((await enforce(false)).http).toBe(200);
  });

  test('Bad input, ranges that lock out the editor: own rows that do not cover the own address are refused', async () => {
    const { id } = (await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`))!;
    expect((await add({ staff: String(id), range: '10.0.0.0/8' })).status).toBe(30101);
    expect((await add({ staff: String(id), range: '127.0.0.1' })).http).toBe(200);
  });

  test('sessions that no longer fit end at once with 40001 when asked to', async () => {
    expect((await bench.call('GET', '/admin/user/front/info', 'anna')).http).toBe(200);
    await add({ staff: staffId('anna'), range: '10.0.0.0/8', endSessions: true });
    const answer = await bench.call('GET', '/admin/user/front/info', 'anna');
    expect([answer.http, answer.status]).toEqual([401, 40001]);
    expect(answer.message).toBe('当前地址不允许登录');
  });
});

test('the test says by which row somebody may or may not sign in', async () => {
  const row = await add({ staff: staffId('ben'), range: '10.0.0.0/8' });
  const ask = async (address: string) =>
    (await bench.call('POST', '/admin/whitelist/action/test', 'admin', { staff: staffId('ben'), address }))
      .data;
  expect(await ask('10.1.1.1')).toMatchObject({ allowed: true, rowId: row.data.id, enforced: false });
  expect(await ask('192.168.1.5')).toMatchObject({ allowed: false, rowId: null });
  expect(
    (
      await bench.call('POST', '/admin/whitelist/action/test', 'admin', {
        staff: staffId('ben'),
        address: 'x',
      })
    ).http,
  ).toBe(422);
});

describe('signing in', () => {
  const token = (username: string, address: string, code = '1234', password = 'Xk7#mQ2vLp9!') =>
    askToken(bench.product.app, { username, address, code, password });
  beforeAll(async () => {
    const hash = await hashPassword('Xk7#mQ2vLp9!');
    await run(db(), `UPDATE staff SET password_hash = $1 WHERE account IN ('ben', 'chief', 'boss')`, [hash]);
  });

  test('Must show 11: an account limited to 10.0.0.0/8 is refused from 192.168.1.5 and the hit is logged', async () => {
    await add({ staff: staffId('ben'), range: '10.0.0.0/8' });
    const outside = await token('ben', '192.168.1.5');
    expect([outside.statusCode, outside.json<{ message: string }>().message]).toEqual([
      403,
      '当前地址不允许登录',
    ]);
    const hits = (await bench.call('GET', '/admin/whitelist/hits', 'admin')).data as unknown as {
      account: string;
      address: string;
      result: string;
    }[];
    expect(hits[0]).toMatchObject({ account: 'ben', address: '192.168.1.5', result: 'refused' });
    expect((await token('ben', '10.1.2.3')).statusCode).toBe(200);
  });

  test('Must show 12: skip_code saves this account the code and no other; five wrong passwords still lock it', async () => {
    await add({ staff: staffId('chief'), purpose: 'skip_code' });
    expect((await token('chief', '10.9.9.9', '')).statusCode).toBe(200);
    const other = await token('boss', '10.9.9.8', '');
    expect([other.statusCode, other.json<{ status: number }>().status]).toEqual([400, 400]);
    for (let round = 0; round < 5; round++)
      expect((await token('chief', '10.9.9.9', '', 'wrong')).statusCode).toBe(400);
    expect((await token('chief', '10.9.9.9', '')).statusCode).toBe(429);
  });
});

describe('signing in while a rule ends sessions', () => {
  const FITS = '10.1.1.1';
  const token = (address: string) =>
    askToken(bench.product.app, { username: 'ben', address, password: 'Xk7#mQ2vLp9!' });
  const live = () =>
    run<{ address: string }>(
      db(),
      'SELECT address FROM session WHERE staff_id = $1 AND ended_at IS NULL ORDER BY id',
      [bench.staff.ben],
    );
  beforeAll(async () => {
    const hash = await hashPassword('Xk7#mQ2vLp9!');
    await run(db(), `UPDATE staff SET password_hash = $1 WHERE account = 'ben'`, [hash]);
  });
  beforeEach(() =>
    run(db(), 'UPDATE session SET ended_at = now() WHERE staff_id = $1 AND ended_at IS NULL', [
      bench.staff.ben,
    ]),
  );

  /** Makes a change while a sign-in from the address has read the rules and has no session yet. */
  async function during(address: string, change: () => Promise<{ http: number; message: string }>) {
    let signing: ReturnType<typeof token> | undefined;
    let changing: ReturnType<typeof change> | undefined;
    await transaction(db(), async (tx) => {
      // What a sign-in writes after its look at the rules waits for this transaction.
      await run(tx, 'LOCK TABLE sign_in_attempt IN SHARE MODE');
      signing = token(address).then((answer) => answer);
      await waitingFor('sign_in_attempt');
      changing = change();
      await new Promise((resolve) => setTimeout(resolve, 400));
    });
    const [signed, changed] = await Promise.all([signing!, changing!]);
    return { signed: signed.statusCode, changed: [changed.http, changed.message] };
  }
  async function waitingFor(table: string) {
    for (let tries = 0; tries < 200; tries++) {
      const [row] = await run<{ n: number }>(
        db(),
        'SELECT count(*) AS n FROM pg_locks WHERE relation = $1::regclass AND NOT granted',
        [table],
      );
      if (row!.n > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`nobody waits for ${table}`);
  }

  /** Puts a rule on addresses nobody here has. */
  const moveAway = (rule: Awaited<ReturnType<typeof add>>) =>
    bench.call('PUT', `/admin/whitelist/${String(rule.data.id)}`, 'admin', {
      version: rule.data.version,
      range: '172.16.0.0/12',
      endSessions: true,
    });

  test('a new rule ends the session that was being opened', async () => {
    const done = await during('192.168.1.5', () =>
      add({ staff: staffId('ben'), range: '10.0.0.0/8', endSessions: true }),
    );
    expect(done).toEqual({ signed: 200, changed: [200, ''] });
    expect(await live()).toEqual([]);
  });

  test('so does a changed one, though the sign-in counts as a hit of that very rule', async () => {
    const rule = await add({ staff: staffId('ben'), range: '10.0.0.0/8' });
    const done = await during(FITS, () => moveAway(rule));
    expect(done).toEqual({ signed: 200, changed: [200, ''] });
    expect(await live()).toEqual([]);
    expect(await run(db(), 'SELECT hits FROM login_whitelist')).toEqual([{ hits: 1 }]);
  });

  test('and a rule for everybody while all addresses are limited', async () => {
    await add({ range: '127.0.0.0/8' });
    const rule = await add({ range: '10.0.0.0/8' });
    await bench.call('POST', '/admin/whitelist/action/enforce', 'admin', { on: true });
    const done = await during(FITS, () => moveAway(rule));
    expect(done).toEqual({ signed: 200, changed: [200, ''] });
    expect(await live()).toEqual([]);
  });

  test('many of both at once leave only sessions that fit, and never wait for each other in a circle', async () => {
    const deadlocks = async () =>
      (
        await run<{ n: number }>(
          db(),
          'SELECT deadlocks AS n FROM pg_stat_database WHERE datname = current_database()',
        )
      )[0]!.n;
    const before = await deadlocks();
    const rule = await add({ staff: staffId('ben'), range: '10.0.0.0/8' });
    const path = `/admin/whitelist/${String(rule.data.id)}`;
    let { version } = rule.data as { version: number };
    let over = false;
    const codes = new Set<number>();
    const signers = ['10.1.1.1', '10.1.1.2', '11.1.1.1', '11.1.1.2'].map(async (address) => {
      while (!over) codes.add((await token(address)).statusCode);
    });
    for (let round = 0; round < 14; round += 1) {
      const saved = await bench.call('PUT', path, 'admin', {
        version,
        range: round % 2 ? '10.0.0.0/8' : '11.0.0.0/8',
        endSessions: true,
      });
      expect([saved.http, saved.message]).toEqual([200, '']);
      version = saved.data.version as number;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    over = true;
    await Promise.all(signers);
    expect([...codes].sort()).toEqual([200, 403]);
    expect((await live()).filter((session) => !session.address.startsWith('10.'))).toEqual([]);
    // The statistics come a second after the fact.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await deadlocks()).toBe(before);
  });
});

test('who made a rule is told once, three days before it ends', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const near = await add({ staff: staffId('anna'), range: '10.0.0.0/8', expiresAt: inDays(2) });
  await add({ staff: staffId('ben'), range: '10.0.0.0/8', expiresAt: inDays(5) });
  await whitelistReminder.run(undefined, bench.product.platform);
  await whitelistReminder.run(undefined, bench.product.platform);
  const notices = await run<{ route: string; title_zh: string }>(
    db(),
    `SELECT route, title_zh FROM notification WHERE kind = 'whitelistExpiry'`,
  );
  expect(notices.map((notice) => notice.route)).toEqual([
    `/adminSys/WhiteManage?detail=${String(near.data.id)}`,
  ]);
  expect(notices[0]!.title_zh).toContain('anna 10.0.0.0/8');
});

test('accounts of other companies can be bound by a rule; only the platform is offered them', async () => {
  const tenant = await runOne<{ id: number }>(
    db(),
    `INSERT INTO tenant (kind, account, name) VALUES (2, 'M7', '商户') RETURNING id`,
  );
  const shop = await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name) VALUES ($1, 'm7_boss', '店长') RETURNING id`,
    [tenant!.id],
  );
  const offered = await bench.call('GET', '/jinmao/web/options/whitelistAccount?searchVal=m7', 'admin');
  expect(offered.data).toEqual([{ id: String(shop!.id), title: '店长 (m7_boss)', note: '商户' }]);
  expect((await add({ staff: String(shop!.id), range: '10.0.0.0/8' })).http).toBe(200);
  expect((await bench.call('GET', '/jinmao/web/options/whitelistAccount', 'boss')).http).toBe(403);
});

test('a grant made by mistake opens nothing to other tenants: no rule, no test of an account, no enforcement', async () => {
  const tenant = await runOne<{ id: number }>(
    db(),
    `INSERT INTO tenant (kind, account, name) VALUES (2, 'stranger_shop', '外来商户') RETURNING id`,
  );
  const stranger = await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, must_change_password) VALUES ($1, 'stranger', '外来员工', false) RETURNING id`,
    [tenant!.id],
  );
  const group = await runOne<{ id: number }>(
    db(),
    `INSERT INTO permission_group (type_id, tenant_id, code, name) SELECT id, $1, 'strange', '外来角色' FROM group_type WHERE code = 'role' RETURNING id`,
    [tenant!.id],
  );
  for (const menu of ['WhiteManage', 'groupTypeManager']) {
    await run(db(), 'INSERT INTO menu_grant (group_id, menu_code) VALUES ($1, $2)', [group!.id, menu]);
    await run(
      db(),
      'INSERT INTO element_grant (group_id, element_code) SELECT $1, code FROM element WHERE menu_code = $2',
      [group!.id, menu],
    );
  }
  await run(db(), 'INSERT INTO group_member (group_id, staff_id) VALUES ($1, $2)', [group!.id, stranger!.id]);
  const ask = (path: string, payload: object) => bench.call('POST', path, 'stranger', payload);
  const rule = { purpose: 'skip_code', staff: staffId('anna'), reason: '方便自己登录' };
  expect((await ask('/admin/whitelist', rule)).http).toBe(403);
  expect((await ask('/admin/whitelist/action/enforce', { on: true })).http).toBe(403);
  const probe = { staff: staffId('anna'), address: '10.0.0.1' };
  expect((await ask('/admin/whitelist/action/test', probe)).http).toBe(403);
  expect(await runOne(db(), 'SELECT 1 AS one FROM login_whitelist')).toBeUndefined();
  expect(
    await runOne(db(), `SELECT 1 AS one FROM setting WHERE key = 'login.whitelist.enforce'`),
  ).toBeUndefined();
  // Types of groups are everybody's, too.
  const type = { code: 'strange', name: '外来类型', description: '外来类型' };
  expect((await ask('/admin/groupType', type)).http).toBe(403);
  const { id, version } = (await runOne<{ id: number; version: number }>(
    db(),
    `SELECT id, version FROM group_type WHERE code = 'free'`,
  ))!;
  const renamed = await bench.call('PUT', `/admin/groupType/${id}`, 'stranger', {
    version,
    name: '改了名字',
  });
  expect([renamed.http, renamed.status]).toEqual([409, 30101]);
});
