import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run, transaction, type Tx } from '../../../kernel/server/database.ts';
import { endSessions } from '../../../kernel/server/people/session-changes.ts';
import { tokenHash } from './open-session.server.ts';
import {
  addGroup,
  addStaff,
  callWith,
  endByRule,
  openBench,
  signIn,
  whileSessionsOpenSlowly,
  type Bench,
} from '../../../app/server/session/session-bench.ts';
import { addClient, clientProblem, switchClient, type NewClient } from './client-commands.server.ts';
import { answerAddress, isRedirectUri } from './oauth-client.server.ts';

const CALLBACK = 'https://app.example.com/callback?from=shop';
const APP: NewClient = {
  id: 'meter-app',
  name: '抄表助手',
  redirectUris: [CALLBACK, 'http://127.0.0.1:9000/cb'],
  scopes: ['openid', 'profile', 'menu:companymanager'],
  autoApprove: ['openid'],
  isPublic: false,
  accessSeconds: 3600,
};

let bench: Bench;
let staff: string;
let staffId: number;
let secret: string;
beforeAll(async () => {
  bench = await openBench();
  const group = await addGroup(bench, 'desk', {
    menus: { cs_workOrder: 'all', or_ProOperIndex: 'all' },
    elements: ['cs_workOrder:btn_export'],
  });
  staffId = await addStaff(bench, { account: 'linda', groupIds: [group] });
  staff = await signIn(bench.first.app, 'linda');
  secret = (await register(APP))!;
  await register({ ...APP, id: 'phone-app', name: 'Phone', isPublic: true });
});
afterAll(() => bench.close());
beforeEach(() => bench.query('DELETE FROM oauth_code'));

const register = (client: NewClient) =>
  transaction(bench.first.platform.database.db, (tx) => addClient(tx, client));
const newVerifier = () => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');
const question = (verifier: string, change: Record<string, string> = {}) => ({
  client_id: 'meter-app',
  redirect_uri: CALLBACK,
  response_type: 'code',
  scope: 'openid profile menu:companymanager',
  state: 'xyz&1',
  code_challenge: challengeOf(verifier),
  code_challenge_method: 'S256',
  ...change,
});
const ask = async (query: Record<string, string>, token = staff) =>
  callWith(
    bench.first.app,
    token,
    'GET',
    `/api/auth/oauth/authorize?${new URLSearchParams(query).toString()}`,
  );
const decide = async (query: Record<string, string>, decision = 'allow') =>
  callWith(bench.first.app, staff, 'POST', '/api/auth/oauth/authorize', { ...query, decision });
const codeFor = async (query: Record<string, string>) => {
  const { redirectTo } = (await decide(query)).json<{ data: { redirectTo: string } }>().data;
  return new URL(redirectTo).searchParams.get('code')!;
};
const exchange = (form: Record<string, string>, credential: string | null = `meter-app:${secret}`) =>
  bench.first.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    payload: new URLSearchParams({
      grant_type: 'authorization_code',
      redirect_uri: CALLBACK,
      ...form,
    }).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(credential === null
        ? {}
        : { authorization: `Basic ${Buffer.from(credential).toString('base64')}` }),
    },
  });
const tokenFor = async (change: Record<string, string> = {}) => {
  const verifier = newVerifier();
  const code = await codeFor(question(verifier, change));
  const answer = await exchange({ code, code_verifier: verifier });
  return { code, verifier, answer, token: answer.json<{ access_token: string }>().access_token };
};
/** A code that was agreed to in a session of its own. */
const codeOf = async (token: string) => {
  const verifier = newVerifier();
  const answer = await callWith(bench.first.app, token, 'POST', '/api/auth/oauth/authorize', {
    ...question(verifier),
    decision: 'allow',
  });
  const { redirectTo } = answer.json<{ data: { redirectTo: string } }>().data;
  return { code: new URL(redirectTo).searchParams.get('code')!, code_verifier: verifier };
};
const reach = async (token: string, method: 'GET' | 'POST', url: string) =>
  (await callWith(bench.first.app, token, method, url)).statusCode;

describe('consent', () => {
  it('says who asks, who is signed in and for what, in words', async () => {
    const answer = (await ask(question(newVerifier()))).json();
    expect(answer.data).toEqual({
      redirectTo: null,
      client: { id: 'meter-app', name: '抄表助手', description: '' },
      host: 'app.example.com',
      staff: { name: 'linda', username: 'linda' },
      scopes: [
        { scope: 'openid', words: '确认您的身份（员工编号）' },
        { scope: 'profile', words: '读取您的姓名、账号和所属公司' },
        { scope: 'menu:companymanager', words: '以您的权限查看和操作“物业管理”' },
      ],
      autoApproved: false,
    });
    expect((await ask(question(newVerifier(), { scope: 'openid' }))).json().data.autoApproved).toBe(true);
    expect((await ask(question(newVerifier(), { scope: '' }))).json().data.scopes).toHaveLength(3);
  });

  it('never answers to an address that is not exactly the registered one', async () => {
    for (const redirect_uri of [
      'https://app.example.com/callback?from=shop/',
      'https://app.example.com/callback',
      'https://app.example.com.evil.com/callback?from=shop',
      'http://127.0.0.1:9001/cb',
      '',
    ]) {
      for (const answer of [
        await ask(question(newVerifier(), { redirect_uri })),
        await decide(question(newVerifier(), { redirect_uri })),
        await decide(question(newVerifier(), { redirect_uri }), 'deny'),
      ]) {
        expect([answer.statusCode, answer.json().data.redirectTo]).toEqual([422, undefined]);
        expect(answer.json().data.fields.redirect_uri).toBe('回调地址与登记的不一致');
      }
    }
    for (const client_id of ['nobody', 'web', ''])
      expect((await ask(question(newVerifier(), { client_id }))).json().data.fields.client_id).toBe(
        '未知或已停用的应用',
      );
    expect(await bench.query('SELECT FROM oauth_code')).toEqual([]);
  });

  it('tells the program about every other problem and about a refusal', async () => {
    const errorOf = async (change: Record<string, string>, decision = 'allow') => {
      const url = new URL((await decide(question(newVerifier(), change), decision)).json().data.redirectTo);
      expect([url.host, url.searchParams.get('from'), url.searchParams.get('state')]).toEqual([
        'app.example.com',
        'shop',
        'xyz&1',
      ]);
      return url.searchParams.get('error');
    };
    expect(await errorOf({}, 'deny')).toBe('access_denied');
    expect(await errorOf({ response_type: 'token' })).toBe('unsupported_response_type');
    expect(await errorOf({ code_challenge: '' })).toBe('invalid_request');
    expect(await errorOf({ code_challenge_method: 'plain' })).toBe('invalid_request');
    expect(await errorOf({ scope: 'openid menu:financialManage' })).toBe('invalid_scope');
    expect(await errorOf({ scope: 'service' })).toBe('invalid_scope');
  });

  it('needs somebody who is signed in', async () => {
    expect((await ask(question(newVerifier()), 'x'.repeat(43))).statusCode).toBe(401);
  });
});

describe('token', () => {
  it('reaches what the scopes allow and the staff holds, and nothing else', async () => {
    const { answer, token } = await tokenFor();
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toMatchObject({
      status: 200,
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'openid profile menu:companymanager',
    });
    expect(await reach(token, 'GET', '/api/probe/order')).toBe(200);
    expect(await reach(token, 'POST', '/api/probe/export')).toBe(200);
    const who = await callWith(bench.first.app, token, 'GET', '/api/auth/oauth/userinfo');
    expect(who.json().data).toMatchObject({
      sub: String(staffId),
      name: 'linda',
      preferred_username: 'linda',
    });
    // What a staff may do with an own session is not for programs.
    for (const [method, url] of [
      ['GET', '/api/probe/caller'],
      ['GET', '/api/admin/user/front/info'],
      ['GET', '/api/admin/profile/sessions'],
      ['GET', '/api/admin/preference'],
      ['POST', '/api/admin/user/changePassword'],
      ['POST', '/api/auth/session/lock'],
      ['GET', `/api/auth/oauth/authorize?${new URLSearchParams(question(newVerifier())).toString()}`],
    ] as const)
      expect([url, await reach(token, method, url)]).toEqual([url, 403]);

    const { token: thin } = await tokenFor({ scope: 'openid' });
    expect(await reach(thin, 'GET', '/api/probe/order')).toBe(403);
    expect((await callWith(bench.first.app, thin, 'GET', '/api/auth/oauth/userinfo')).json().data).toEqual({
      sub: String(staffId),
    });
    const devices = (await callWith(bench.first.app, staff, 'GET', '/api/admin/profile/sessions')).json()
      .data;
    expect(devices.map((one: { device: string }) => one.device)).toContain('抄表助手');
  });

  it('loses a menu with the staff, and ends with the account', async () => {
    const { token } = await tokenFor();
    await bench.query(`DELETE FROM menu_grant WHERE menu_code = 'cs_workOrder'`);
    await bench.query('UPDATE staff SET permission_epoch = permission_epoch + 1 WHERE id = $1', [staffId]);
    bench.first.platform.changed('session');
    expect(await reach(token, 'GET', '/api/probe/order')).toBe(403);
    await bench.query(
      `INSERT INTO menu_grant (group_id, menu_code, data_scope) SELECT id, 'cs_workOrder', 'all' FROM permission_group WHERE code = 'desk'`,
    );
    await bench.query(`UPDATE staff SET state = 'disabled' WHERE id = $1`, [staffId]);
    bench.first.platform.changed('session');
    expect(await reach(token, 'GET', '/api/auth/oauth/userinfo')).toBe(401);
    await bench.query(
      `UPDATE staff SET state = 'normal', permission_epoch = permission_epoch + 1 WHERE id = $1`,
      [staffId],
    );
    bench.first.platform.changed('session');
  });

  it('is given once: a second use of the code ends what the first one bought', async () => {
    const { code, verifier, token } = await tokenFor();
    expect(await reach(token, 'GET', '/api/probe/order')).toBe(200);
    const again = await exchange({ code, code_verifier: verifier });
    expect([again.statusCode, again.json().error]).toEqual([400, 'invalid_grant']);
    expect(await reach(token, 'GET', '/api/probe/order')).toBe(401);
  });

  it('is given once to many who ask at the same moment', async () => {
    const verifier = newVerifier();
    const code = await codeFor(question(verifier));
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => exchange({ code, code_verifier: verifier })),
    );
    expect(answers.filter((answer) => answer.statusCode === 200)).toHaveLength(1);
    const live = await bench.query(
      'SELECT FROM session WHERE scopes IS NOT NULL AND ended_at IS NULL AND id = (SELECT session_id FROM oauth_code)',
    );
    expect(live).toEqual([]);
  });

  it('is refused for a wrong verifier, address, client, secret and after a minute', async () => {
    const refused = async (
      change: (good: Record<string, string>) => Record<string, string>,
      credential?: string | null,
    ) => {
      const verifier = newVerifier();
      const code = await codeFor(question(verifier));
      const form = change({ code, code_verifier: verifier });
      const answer = await (credential === undefined ? exchange(form) : exchange(form, credential));
      return [answer.statusCode, answer.json().error ?? answer.json().status];
    };
    const bad = [400, 'invalid_grant'];
    expect(await refused((good) => ({ ...good, code_verifier: newVerifier() }))).toEqual(bad);
    expect(await refused(({ code }) => ({ code: code! }))).toEqual(bad);
    expect(await refused((good) => ({ ...good, redirect_uri: 'http://127.0.0.1:9000/cb' }))).toEqual(bad);
    expect(await refused((good) => ({ ...good, code: newVerifier() }))).toEqual(bad);
    expect(await refused((good) => good, 'meter-app:wrong')).toEqual([401, 401]);
    expect(await refused((good) => good, null)).toEqual([401, 401]);
    expect(await refused((good) => ({ ...good, client_id: 'meter-app' }), null)).toEqual([401, 401]);
    expect(await refused((good) => good, 'phone-app:')).toEqual([401, 401]);
    // Another program with its own right credential neither gets it nor uses it up.
    expect(await refused((good) => ({ ...good, client_id: 'phone-app' }), null)).toEqual(bad);

    const verifier = newVerifier();
    const code = await codeFor(question(verifier));
    await bench.query(`UPDATE oauth_code SET expires_at = now() - interval '1 second'`);
    expect((await exchange({ code, code_verifier: verifier })).statusCode).toBe(400);
    const [row] = await bench.query<{ seconds: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM oauth_code',
    );
    expect(row).toBeDefined();
    expect(
      await bench.query(`SELECT FROM oauth_code WHERE encode(code_hash, 'base64') LIKE $1`, [code]),
    ).toEqual([]);
  });

  it('is given to a program without a secret by PKCE alone', async () => {
    const verifier = newVerifier();
    const code = await codeFor(question(verifier, { client_id: 'phone-app' }));
    const [row] = await bench.query<{ seconds: number }>(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM oauth_code',
    );
    expect(row!.seconds).toBe(60);
    const wrong = await exchange({ code, code_verifier: newVerifier(), client_id: 'phone-app' }, null);
    expect(wrong.statusCode).toBe(400);
    const second = await codeFor(question(verifier, { client_id: 'phone-app' }));
    const answer = await exchange({ code: second, code_verifier: verifier, client_id: 'phone-app' }, null);
    expect(answer.statusCode).toBe(200);
  });

  it('ends when the program is switched off, and nothing more is given', async () => {
    const { token } = await tokenFor();
    const verifier = newVerifier();
    const code = await codeFor(question(verifier));
    const { db } = bench.first.platform.database;
    await transaction(db, (tx) => switchClient(tx, 'meter-app', false));
    bench.first.platform.changed('session');
    expect(await reach(token, 'GET', '/api/probe/order')).toBe(401);
    expect((await exchange({ code, code_verifier: verifier })).statusCode).toBe(401);
    expect((await ask(question(newVerifier()))).statusCode).toBe(422);
    expect(await reach(staff, 'GET', '/api/probe/order')).toBe(200);
    await transaction(db, (tx) => switchClient(tx, 'meter-app', true));
  });
});

describe('registering', () => {
  it('takes exact addresses and scopes of a staff only', async () => {
    expect(clientProblem(APP)).toBeUndefined();
    for (const change of [
      { id: 'A' },
      { name: ' ' },
      { redirectUris: [] },
      { redirectUris: ['https://app.example.com/*'] },
      { scopes: ['service'] },
      { scopes: ['profile'], autoApprove: ['openid'] },
      { accessSeconds: 60 },
    ])
      expect(clientProblem({ ...APP, ...change }), JSON.stringify(change)).toBeDefined();
    await expect(
      register({ ...APP, id: 'other', scopes: ['menu:nothing'], autoApprove: [] }),
    ).rejects.toThrow('menu group');
    await expect(register(APP)).rejects.toThrow('already');
  });

  it.each([
    ['https://a.example/cb', true],
    ['http://localhost:3000/cb', true],
    ['http://[::1]:3000/cb', true],
    ['http://a.example/cb', false],
    ['https://a.example/cb#x', false],
    ['https://user@a.example/cb', false],
    ['javascript:alert(1)', false],
    ['app://cb', false],
    ['cb', false],
  ])('%s', (address, isGood) => expect(isRedirectUri(address)).toBe(isGood));

  it('adds the answer to the query that is there', () =>
    expect(answerAddress('https://a.example/cb?x=1', { code: 'a b', state: '' })).toBe(
      'https://a.example/cb?x=1&code=a+b',
    ));
});

describe('the session that agreed', () => {
  it('takes its code along when it signs out; codes of other sessions stay good', async () => {
    const here = await signIn(bench.first.app, 'linda');
    const [gone, stays] = [await codeOf(here), await codeOf(staff)];
    const out = await callWith(
      bench.first.app,
      here,
      'POST',
      `/api/auth/oauth/remove/token?access_token=${encodeURIComponent(here)}`,
    );
    expect(out.statusCode).toBe(200);
    const refused = await exchange(gone);
    expect([refused.statusCode, refused.json<{ error: string }>().error]).toEqual([400, 'invalid_grant']);
    expect((await exchange(stays)).statusCode).toBe(200);
  });

  it('takes the token along when somebody ends it, and leaves it when its person signs out', async () => {
    const [ended, left] = [await signIn(bench.first.app, 'linda'), await signIn(bench.first.app, 'linda')];
    const tokenOf = async (session: string) =>
      (await exchange(await codeOf(session))).json<{ access_token: string }>().access_token;
    const [gone, stays] = [await tokenOf(ended), await tokenOf(left)];
    const works = async (token: string) =>
      (await callWith(bench.first.app, token, 'GET', '/api/auth/oauth/userinfo')).statusCode;
    expect([await works(gone), await works(stays)]).toEqual([200, 200]);
    await transaction(bench.first.platform.database.db, async (tx) => {
      await endSessions(tx, { tokenHash: tokenHash(ended) }, 'kicked');
      await endSessions(tx, { tokenHash: tokenHash(left) }, 'logout');
    });
    bench.first.platform.changed('session');
    expect([await works(gone), await works(stays)]).toEqual([401, 200]);
  });

  it.each([
    [
      'a reset of the password',
      async (tx: Tx) => {
        await run(tx, 'UPDATE staff SET password_changed_at = now() WHERE id = $1', [staffId]);
        await endSessions(tx, { staffId }, 'reset');
      },
    ],
    ['switching the program off', (tx: Tx) => switchClient(tx, 'meter-app', false)],
  ])('gets no token for a code that is exchanged while %s is on its way', async (_what, change) => {
    const here = await signIn(bench.first.app, 'linda');
    const code = await codeOf(here);
    const { db } = bench.first.platform.database;
    let underWay: ReturnType<typeof exchange> | undefined;
    await transaction(db, async (tx) => {
      await change(tx);
      underWay = exchange(code);
      void underWay.then(() => {});
      // Long enough for an exchange that would not wait for this transaction.
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    expect((await underWay!).json<{ error?: string }>().error).toBe('invalid_grant');
    expect(
      await bench.query(
        `SELECT id FROM session WHERE staff_id = $1 AND client_id = 'meter-app' AND ended_at IS NULL`,
        [staffId],
      ),
    ).toEqual([]);
    await transaction(db, (tx) => switchClient(tx, 'meter-app', true));
    staff = await signIn(bench.first.app, 'linda');
  });

  it('is no token that outlives a whitelist rule which ends its session at the same moment', async () => {
    const code = await codeOf(await signIn(bench.first.app, 'linda'));
    const bought = await whileSessionsOpenSlowly(bench, 0.8, async () => {
      const underWay = exchange(code).then((answer) => answer);
      await new Promise((resolve) => setTimeout(resolve, 300));
      await endByRule(bench, staffId);
      return underWay;
    });
    expect(bought.statusCode).toBe(200);
    expect(
      await bench.query('SELECT client_id FROM session WHERE staff_id = $1 AND ended_at IS NULL', [staffId]),
    ).toEqual([]);
    staff = await signIn(bench.first.app, 'linda');
  });
});
