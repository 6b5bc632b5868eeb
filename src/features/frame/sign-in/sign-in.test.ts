import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hashStatistics } from '../../../kernel/server/people/password-hash.ts';
import {
  addStaff,
  askToken,
  callWith,
  encrypt,
  openBench,
  PASSWORD,
  signIn,
  WEB,
  type Bench,
} from '../../../app/server/session/session-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());
beforeEach(() => bench.query('DELETE FROM sign_in_attempt'));

const app = () => bench.first.app;
type Answer = { status: number; message: string; data: { reason?: string } | null; access_token?: string };
const read = (answer: { json<T>(): T }) => answer.json<Answer>();

describe('asking for a token', () => {
  it('answers at the top level of the body', async () => {
    await addStaff(bench, { account: 'liwei' });
    const answer = await askToken(app(), { username: ' LiWei ' });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 200,
      message: '登录成功',
      mustChangePassword: false,
      overDay: 90,
    });
    expect(read(answer).access_token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const [row] = await bench.query(
      `SELECT last_login_ip, last_login_at IS NOT NULL AS at FROM staff WHERE account = 'liwei'`,
    );
    expect(row).toEqual({ last_login_ip: '127.0.0.1', at: true });
    const audits = await bench.query(
      `SELECT action FROM audit_record WHERE entity = 'staff' AND staff_name = 'liwei'`,
    );
    expect(audits).toEqual([{ action: 'signIn' }]);
  });

  it('refuses what is longer than any password with a text, before anything is hashed', async () => {
    await addStaff(bench, { account: 'longer' });
    const before = hashStatistics.verified;
    const long = await askToken(app(), { username: 'longer', password: 'y'.repeat(65) });
    expect(long.statusCode).toBe(422);
    expect(long.json<{ data: unknown }>().data).toEqual({ fields: { password: '密码最多64位' } });
    expect(hashStatistics.verified).toBe(before);
    const full = await askToken(app(), { username: 'longer', password: 'y'.repeat(64) });
    expect(full.statusCode).toBe(400);
  });

  it('tells unknown account and wrong password apart by neither text nor work', async () => {
    await addStaff(bench, { account: 'known' });
    const before = hashStatistics.verified;
    const wrong = await askToken(app(), { username: 'known', password: 'nope' });
    const afterWrong = hashStatistics.verified;
    const unknown = await askToken(app(), { username: 'unknown', password: 'nope' });
    expect([wrong.statusCode, wrong.body]).toEqual([400, unknown.body]);
    expect(unknown.statusCode).toBe(400);
    expect(read(wrong).message).toBe('账户或密码错误！');
    expect([afterWrong - before, hashStatistics.verified - afterWrong]).toEqual([1, 1]);
  });

  it('accepts only its own client credential', async () => {
    await addStaff(bench, { account: 'client' });
    for (const authorization of [
      '',
      'Basic',
      `Basic ${Buffer.from('web:wrong').toString('base64')}`,
      `Basic ${Buffer.from('x:web').toString('base64')}`,
    ]) {
      const answer = await askToken(app(), { username: 'client', headers: { authorization } });
      expect([answer.statusCode, read(answer).status]).toEqual([401, 401]);
    }
    const grant = await app().inject({
      method: 'POST',
      url: '/api/auth/oauth/token/',
      payload: 'grant_type=client_credentials',
      headers: { authorization: WEB, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([grant.statusCode, read(grant).message]).toEqual([400, '不支持的授权类型']);
  });

  it('refuses ciphertext of another key like a wrong password', async () => {
    await addStaff(bench, { account: 'cipher' });
    const form = new URLSearchParams({
      username: 'cipher',
      password: 'A'.repeat(344),
      grant_type: 'password',
      code: '1234',
    });
    const answer = await app().inject({
      method: 'POST',
      url: '/api/auth/oauth/token',
      payload: form.toString(),
      headers: { authorization: WEB, 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([answer.statusCode, read(answer).message]).toEqual([400, '账户或密码错误！']);
  });

  it('says that an account is disabled only to who knows the password', async () => {
    const id = await addStaff(bench, { account: 'idle1' });
    await bench.query(`UPDATE staff SET state = 'disabled' WHERE id = $1`, [id]);
    expect((await askToken(app(), { username: 'idle1', password: 'nope' })).statusCode).toBe(400);
    const right = await askToken(app(), { username: 'idle1' });
    expect([right.statusCode, read(right).status, read(right).message]).toEqual([401, 40001, '账户已停用']);
    const rows = await bench.query(`SELECT result FROM sign_in_attempt WHERE staff_id = $1 ORDER BY id`, [
      id,
    ]);
    expect(rows).toEqual([{ result: 'wrong_password' }, { result: 'disabled' }]);
  });

  it('forces a change when the password expired', async () => {
    const id = await addStaff(bench, { account: 'oldpass' });
    await bench.query(`UPDATE staff SET password_changed_at = now() - interval '92 days' WHERE id = $1`, [
      id,
    ]);
    const answer = await askToken(app(), { username: 'oldpass' });
    expect(answer.json()).toMatchObject({ mustChangePassword: true, overDay: -2 });
    expect((await callWith(app(), read(answer).access_token!, 'GET', '/api/probe/caller')).statusCode).toBe(
      403,
    );
  });
});

describe('failures', () => {
  it('make the sixth try wait even with the right password, also after a restart', async () => {
    await addStaff(bench, { account: 'locked6' });
    for (let round = 0; round < 5; round++)
      expect((await askToken(app(), { username: 'locked6', password: 'nope' })).statusCode).toBe(400);
    const sixth = await askToken(app(), { username: 'locked6' });
    expect([sixth.statusCode, read(sixth).message, sixth.headers['retry-after']]).toEqual([
      429,
      '登录失败次数过多，请 1 分钟后再试',
      '60',
    ]);
    const restarted = await bench.start();
    expect((await askToken(restarted.app, { username: 'locked6' })).statusCode).toBe(429);
    await restarted.close();
    await bench.query(
      `UPDATE staff SET locked_until = now() - interval '1 second' WHERE account = 'locked6'`,
    );
    expect((await askToken(app(), { username: 'locked6', password: 'nope' })).statusCode).toBe(400);
    expect(read(await askToken(app(), { username: 'locked6' })).message).toBe(
      '登录失败次数过多，请 2 分钟后再试',
    );
    await bench.query(
      `UPDATE staff SET locked_until = now() - interval '1 second' WHERE account = 'locked6'`,
    );
    expect((await askToken(app(), { username: 'locked6' })).statusCode).toBe(200);
    const [row] = await bench.query(
      `SELECT failed_count, lock_minutes, locked_until FROM staff WHERE account = 'locked6'`,
    );
    expect(row).toEqual({ failed_count: 0, lock_minutes: 0, locked_until: null });
  });

  it('count exactly when twenty come at once', async () => {
    await addStaff(bench, { account: 'burst' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askToken(app(), { username: 'burst', password: 'nope' })),
    );
    const codes = answers.map((answer) => answer.statusCode);
    expect([
      codes.filter((code) => code === 400).length,
      codes.filter((code) => code === 429).length,
    ]).toEqual([5, 15]);
  });

  it('make an account that does not exist wait too', async () => {
    for (let round = 0; round < 5; round++) await askToken(app(), { username: 'nobody', password: 'nope' });
    expect((await askToken(app(), { username: 'NOBODY', password: 'nope' })).statusCode).toBe(429);
  });

  it('let twenty right sign-ins of one account pass at once', async () => {
    await addStaff(bench, { account: 'crowd' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => askToken(app(), { username: 'crowd' })),
    );
    expect(answers.every((answer) => answer.statusCode === 200)).toBe(true);
  });

  it('make an address wait after fifty, whatever it claims to be forwarded for', async () => {
    await addStaff(bench, { account: 'flood' });
    await bench.query(
      `INSERT INTO sign_in_attempt (account, address, network, result) SELECT 'x' || n, '10.1.1.1', '10.1.1.1', 'unknown_account' FROM generate_series(1, 49) AS n`,
    );
    const headers = () => ({ 'x-forwarded-for': `10.9.9.${Math.floor(Math.random() * 250)}` });
    const last = await askToken(app(), {
      username: 'flood',
      password: 'nope',
      address: '10.1.1.1',
      headers: headers(),
    });
    expect(last.statusCode).toBe(400);
    for (let round = 0; round < 3; round++) {
      const answer = await askToken(app(), { username: 'flood', address: '10.1.1.1', headers: headers() });
      expect(answer.statusCode).toBe(429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(60);
    }
    expect(
      await bench.query(`SELECT 1 AS n FROM sign_in_attempt WHERE result = 'address_limit'`),
    ).toHaveLength(1);
    expect((await askToken(app(), { username: 'flood', address: '10.1.1.2' })).statusCode).toBe(200);
  });

  it('counts pictures of an address in the database: other instances and a restart go on counting', async () => {
    const picture = async (app: typeof bench.first.app) =>
      (await app.inject({ url: '/api/auth/authLogin/getVerificationCode', remoteAddress: '10.7.7.7' }))
        .statusCode;
    expect(await picture(app())).toBe(200);
    await bench.query(`UPDATE key_call_window SET calls = 119 WHERE purpose = 'captcha' AND calls = 1`);
    const other = await bench.start({});
    expect([await picture(other.app), await picture(app()), await picture(other.app)]).toEqual([
      200, 429, 429,
    ]);
    await bench.query(`UPDATE key_call_window SET started_at = started_at - interval '61 seconds'`);
    expect(await picture(app())).toBe(200);
  });

  it('count an IPv6 address with its whole /64', async () => {
    await addStaff(bench, { account: 'flood6' });
    await bench.query(
      `INSERT INTO sign_in_attempt (account, address, network, result)
       SELECT 'x' || n, '2001:db8:1:2::' || n, '2001:db8:1:2::/64', 'unknown_account' FROM generate_series(1, 49) AS n`,
    );
    const ask = async (address: string, password?: string) =>
      (await askToken(app(), { username: 'flood6', address, ...(password ? { password } : {}) })).statusCode;
    expect(await ask('2001:db8:1:2:aaaa::7', 'Wrong#12wrong')).toBe(400);
    expect(await ask('2001:db8:1:2:bbbb:1:2:3')).toBe(429);
    expect(await ask('2001:db8:1:3:bbbb:1:2:3')).toBe(200);
  });

  it('believe a forwarded address of a trusted proxy only', async () => {
    const behind = await bench.start({ trustedProxies: ['10.2.0.0/16'] });
    await addStaff(bench, { account: 'proxied' });
    const ask = (address: string) =>
      askToken(behind.app, {
        username: 'proxied',
        address,
        headers: { 'x-forwarded-for': '6.6.6.6, 8.8.8.8' },
      });
    await ask('10.2.3.4');
    await ask('10.3.3.4');
    expect(await bench.query('SELECT address FROM sign_in_attempt ORDER BY id')).toEqual([
      { address: '8.8.8.8' },
      { address: '10.3.3.4' },
    ]);
    await behind.close();
  });
});

describe('verification code', () => {
  const KEY = Buffer.alloc(32, 7);
  let images: Awaited<ReturnType<Bench['start']>>;
  beforeAll(async () => {
    images = await bench.start({ signIn: { captcha: 'image' } });
    await addStaff(bench, { account: 'coder' });
  });
  /** A picture whose code the test knows, made as the server makes it. */
  const picture = async (code = 'ACE3', seconds = 120) => {
    const id = `${Math.random().toString(36).slice(2).padEnd(22, 'x')}`.slice(0, 22);
    const hash = createHmac('sha256', KEY).update(`${id}:${code.toLowerCase()}`).digest();
    await bench.query(
      `INSERT INTO captcha (id, answer_hash, expires_at) VALUES ($1, $2, now() + $3::int * interval '1 second')`,
      [id, hash, seconds],
    );
    return `captcha=${id}`;
  };
  const refused = async (cookie: string | undefined, code: string) => {
    const answer = await askToken(images.app, { username: 'coder', code, ...(cookie ? { cookie } : {}) });
    return [answer.statusCode, read(answer).data?.reason, read(answer).message];
  };
  const judge = async (cookie: string, code: string) =>
    (
      await images.app.inject({
        method: 'POST',
        url: '/api/auth/authLogin/judgeVerification',
        payload: { code },
        headers: { cookie },
      })
    ).json<{ data: boolean }>().data;

  it('comes as a picture with a cookie the page cannot read, and not in the answer', async () => {
    const answer = await images.app.inject({ url: '/api/auth/authLogin/getVerificationCode' });
    const { data } = answer.json<{ data: { image: string; required: boolean; expiresIn: number } }>();
    expect(data).toMatchObject({ required: true, expiresIn: 120 });
    const svg = Buffer.from(data.image.replace('data:image/svg+xml;base64,', ''), 'base64').toString();
    expect(svg).toMatch(/^<svg [^>]*>(<path [^>]*\/>)+<\/svg>$/);
    expect(answer.headers['set-cookie']).toMatch(/^captcha=[A-Za-z0-9_-]{22}; .*HttpOnly; SameSite=Strict/);
  });
  it('is accepted without case, once', async () => {
    const cookie = await picture();
    expect((await askToken(images.app, { username: 'coder', code: 'ace3', cookie })).statusCode).toBe(200);
    expect(await refused(cookie, 'ACE3')).toEqual([400, 'code', '验证码已失效，请刷新']);
  });
  it('is used up by a wrong password', async () => {
    const cookie = await picture();
    expect(
      (await askToken(images.app, { username: 'coder', code: 'ACE3', cookie, password: 'nope' })).statusCode,
    ).toBe(400);
    expect(await refused(cookie, 'ACE3')).toEqual([400, 'code', '验证码已失效，请刷新']);
  });
  it('is one use even when ten come at once', async () => {
    const cookie = await picture();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => askToken(images.app, { username: 'coder', code: 'ACE3', cookie })),
    );
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
  });
  it('is refused when missing, wrong, expired or of another picture', async () => {
    expect(await refused(await picture(), '')).toEqual([400, 'code', '请输入验证码']);
    expect(await refused(await picture(), 'XXXX')).toEqual([400, 'code', '验证码错误']);
    expect(await refused(await picture('ACE3', -1), 'ACE3')).toEqual([400, 'code', '验证码已失效，请刷新']);
    expect(await refused(undefined, 'ACE3')).toEqual([400, 'code', '验证码已失效，请刷新']);
    expect(await refused(await picture('WWWW'), 'ACE3')).toEqual([400, 'code', '验证码错误']);
  });
  it('may be judged before without being used up; the third wrong try kills it', async () => {
    const good = await picture();
    expect([await judge(good, 'acE3'), await judge(good, 'xxxx'), await judge(good, 'ACE3')]).toEqual([
      true,
      false,
      true,
    ]);
    expect((await askToken(images.app, { username: 'coder', code: 'ACE3', cookie: good })).statusCode).toBe(
      200,
    );
    const killed = await picture();
    for (let round = 0; round < 3; round++) expect(await judge(killed, 'xxxx')).toBe(false);
    expect(await judge(killed, 'ACE3')).toBe(false);
    expect(await refused(killed, 'ACE3')).toEqual([400, 'code', '验证码已失效，请刷新']);
  });
  it('does not count as a failed password', async () => {
    await addStaff(bench, { account: 'codeonly' });
    for (let round = 0; round < 7; round++)
      await askToken(images.app, { username: 'codeonly', code: 'XXXX', cookie: await picture() });
    expect(
      (await askToken(images.app, { username: 'codeonly', code: 'ACE3', cookie: await picture() }))
        .statusCode,
    ).toBe(200);
  });
});

describe('signing out', () => {
  it('ends the session and answers true for tokens nobody knows', async () => {
    await addStaff(bench, { account: 'leaver' });
    const token = await signIn(app(), 'leaver');
    const out = (value: string) =>
      app().inject({
        method: 'POST',
        url: `/api/auth/oauth/remove/token?access_token=${encodeURIComponent(value)}`,
      });
    expect((await out('x'.repeat(43))).json()).toMatchObject({ status: 200, data: true });
    expect((await callWith(app(), token, 'GET', '/api/probe/caller')).statusCode).toBe(200);
    expect((await out(`Bearer ${token}`)).json()).toMatchObject({ status: 200, data: true });
    const after = await callWith(app(), token, 'GET', '/api/probe/caller');
    expect([after.statusCode, read(after).status]).toEqual([401, 40101]);
    expect((await out(token)).json()).toMatchObject({ data: true });
  });
});

describe('lock screen', () => {
  const lock = (token: string) => callWith(app(), token, 'POST', '/api/auth/session/lock');
  const unlock = async (token: string, password: string) =>
    callWith(app(), token, 'POST', '/api/auth/session/unlock', { password: await encrypt(app(), password) });

  it('refuses every call at once until the right password', async () => {
    await addStaff(bench, { account: 'locker' });
    const token = await signIn(app(), 'locker');
    expect((await callWith(app(), token, 'GET', '/api/probe/caller')).statusCode).toBe(200);
    expect((await lock(token)).statusCode).toBe(200);
    const refused = await callWith(app(), token, 'GET', '/api/probe/caller');
    expect([refused.statusCode, read(refused).message]).toEqual([403, '屏幕已锁定']);
    expect((await callWith(app(), token, 'GET', '/api/admin/user/front/info')).statusCode).toBe(403);
    expect((await unlock(token, 'nope')).statusCode).toBe(422);
    expect((await unlock(token, PASSWORD)).statusCode).toBe(200);
    expect((await callWith(app(), token, 'GET', '/api/probe/caller')).statusCode).toBe(200);
  });
  it('signs out at the fifth wrong password, locking again gives no new tries', async () => {
    await addStaff(bench, { account: 'guesser' });
    const token = await signIn(app(), 'guesser');
    await lock(token);
    for (let round = 0; round < 4; round++) {
      expect((await unlock(token, 'nope')).statusCode).toBe(422);
      await lock(token);
    }
    const fifth = await unlock(token, 'nope');
    expect([fifth.statusCode, read(fifth).status]).toEqual([401, 40001]);
    expect((await unlock(token, PASSWORD)).statusCode).toBe(401);
  });
  it('allows signing out', async () => {
    await addStaff(bench, { account: 'lockedout' });
    const token = await signIn(app(), 'lockedout');
    await lock(token);
    expect(
      (
        await app().inject({ method: 'POST', url: `/api/auth/oauth/remove/token?access_token=${token}` })
      ).json(),
    ).toMatchObject({ data: true });
  });
});
