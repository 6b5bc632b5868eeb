import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addStaff, askToken, openBench, type Bench } from '../../../app/server/session/session-bench.ts';

let bench: Bench;
const staff: Record<string, number> = {};
beforeAll(async () => {
  bench = await openBench();
  for (const account of ['zhang', 'limin', 'wangq']) staff[account] = await addStaff(bench, { account });
});
afterAll(() => bench.close());
beforeEach(async () => {
  await bench.query('DELETE FROM login_whitelist');
  await bench.query('DELETE FROM whitelist_hit');
  await bench.query('DELETE FROM sign_in_attempt');
  await bench.query(`DELETE FROM setting WHERE key = 'login.whitelist.enforce'`);
  bench.first.platform.settings.forget();
});

type Row = {
  account?: string;
  range?: string;
  purpose?: 'allow' | 'skip_code';
  starts?: string;
  expires?: string;
  enabled?: boolean;
};
const allow = (row: Row) =>
  bench.query(
    `INSERT INTO login_whitelist (staff_id, range, purpose, starts_at, expires_at, enabled, reason)
     VALUES ($1, $2::cidr, $3, now() + $4::interval, now() + $5::interval, $6, 'test')`,
    [
      row.account ? staff[row.account] : null,
      row.range ?? null,
      row.purpose ?? 'allow',
      row.starts ?? null,
      row.expires ?? null,
      row.enabled ?? true,
    ],
  );
const enforce = async () => {
  await bench.query(`INSERT INTO setting (key, value) VALUES ('login.whitelist.enforce', 'true')`);
  bench.first.platform.settings.forget();
};
const from = async (account: string, address: string, code = '1234') => {
  const answer = await askToken(bench.first.app, { username: account, address, code });
  return [answer.statusCode, answer.json<{ message: string }>().message];
};
const IN = [200, '登录成功'];
const OUT = [403, '当前地址不允许登录'];

describe('allow', () => {
  it('binds an account with rows to their addresses and logs hits', async () => {
    await allow({ account: 'zhang', range: '10.0.0.0/8' });
    await allow({ account: 'zhang', range: '2001:db8::/32' });
    expect(await from('zhang', '10.200.1.5')).toEqual(IN);
    expect(await from('zhang', '::ffff:10.1.1.1')).toEqual(IN);
    expect(await from('zhang', '2001:db8:1::5')).toEqual(IN);
    expect(await from('zhang', '192.168.1.5')).toEqual(OUT);
    expect(await from('limin', '192.168.1.5')).toEqual(IN);
    const hits = await bench.query(
      'SELECT account, address, result, whitelist_id IS NULL AS none FROM whitelist_hit ORDER BY id DESC LIMIT 1',
    );
    expect(hits).toEqual([{ account: 'zhang', address: '192.168.1.5', result: 'refused', none: true }]);
    expect(await bench.query('SELECT hits FROM login_whitelist ORDER BY id')).toEqual([
      { hits: 2 },
      { hits: 1 },
    ]);
    const results = await bench.query(
      `SELECT result FROM sign_in_attempt WHERE account = 'zhang' ORDER BY id DESC LIMIT 1`,
    );
    expect(results).toEqual([{ result: 'not_on_whitelist' }]);
  });
  it('tells nothing to who does not know the password', async () => {
    await allow({ account: 'zhang', range: '10.0.0.0/8' });
    const answer = await askToken(bench.first.app, {
      username: 'zhang',
      password: 'nope',
      address: '192.168.1.5',
    });
    expect(answer.statusCode).toBe(400);
  });
  it('counts only live rows', async () => {
    await allow({ account: 'zhang', range: '10.0.0.0/8', enabled: false });
    await allow({ account: 'zhang', range: '10.1.0.0/16', expires: '-1 second' });
    await allow({ account: 'zhang', range: '10.2.0.0/16', starts: '1 hour' });
    expect(await from('zhang', '192.168.1.5')).toEqual(IN);
  });
  it('heeds rows with an address alone only while enforced; an own row without address frees', async () => {
    await allow({ range: '172.16.0.0/12' });
    expect(await from('limin', '192.168.1.5')).toEqual(IN);
    await enforce();
    expect(await from('limin', '192.168.1.5')).toEqual(OUT);
    expect(await from('limin', '172.20.0.1')).toEqual(IN);
    await allow({ account: 'wangq' });
    expect(await from('wangq', '192.168.1.5')).toEqual(IN);
    await allow({ account: 'zhang', range: '10.0.0.0/8' });
    expect(await from('zhang', '172.20.0.1')).toEqual(OUT);
    expect(await from('zhang', '10.0.0.1')).toEqual(IN);
  });
});

describe('skip_code', () => {
  it('saves an account the code, nobody else, and never the password', async () => {
    await allow({ account: 'zhang', purpose: 'skip_code', expires: '90 days' });
    expect(await from('zhang', '192.168.1.5', '')).toEqual(IN);
    expect(await from('limin', '192.168.1.5', '')).toEqual([400, '请输入验证码']);
    for (let round = 0; round < 5; round++)
      await askToken(bench.first.app, { username: 'zhang', password: 'nope', code: '' });
    expect((await from('zhang', '192.168.1.5', ''))[0]).toBe(429);
    await bench.query(`UPDATE staff SET locked_until = NULL, failed_count = 0, lock_minutes = 0`);
  });
  it('of an address hides the field there', async () => {
    await allow({ range: '10.5.0.0/16', purpose: 'skip_code', expires: '90 days' });
    const required = async (remoteAddress: string) =>
      (await bench.first.app.inject({ url: '/api/auth/authLogin/getVerificationCode', remoteAddress })).json<{
        data: { required: boolean };
      }>().data.required;
    expect([await required('10.5.1.1'), await required('10.6.1.1')]).toEqual([false, true]);
    expect(await from('limin', '10.5.1.1', '')).toEqual(IN);
    expect(await from('limin', '10.6.1.1', '')).toEqual([400, '请输入验证码']);
  });
  it('ends by time', async () => {
    await allow({ account: 'limin', purpose: 'skip_code', expires: '-1 second' });
    expect(await from('limin', '10.5.1.1', '')).toEqual([400, '请输入验证码']);
  });
});
