import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { remindOfSecrets } from './client-jobs.server.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct({ demo: false });
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

const ROOT = '/admin/oauthClient';
const CALLBACK = 'https://bi.example.com/callback';
const db = () => product.platform.database.db;
const rowOf = async (code: string) =>
  (await product.call(admin, 'GET', `${ROOT}/page?searchVal=${code}`)).data.rows.find(
    (row: { code: string }) => row.code === code,
  );
const act = async (code: string, action: string, input: object = {}) =>
  product.call(admin, 'POST', `${ROOT}/${(await rowOf(code)).id}/${action}`, input);
const newSecret = async (code: string, input: object = { oldEnds: 'overlap' }) =>
  (await act(code, 'addSecret', input)).data.result.clientSecret as string;
const secretsOf = async (code: string) =>
  (await product.call(admin, 'GET', `${ROOT}/${(await rowOf(code)).id}`)).data.secretList as {
    id: string;
    hint: string;
    expiresAt: string | null;
    lastUsedAt: string | null;
  }[];

interface TokenBody {
  readonly status: number;
  readonly message: string;
  readonly error?: string;
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly expires_in: number;
}
const token = async (
  form: Record<string, string>,
  credential?: string,
  app = product.app,
): Promise<{ http: number; body: TokenBody; headers: Record<string, unknown> }> => {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    payload: new URLSearchParams(form).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(credential ? { authorization: `Basic ${Buffer.from(credential).toString('base64')}` } : {}),
    },
  });
  return { http: answer.statusCode, body: answer.json(), headers: answer.headers };
};
const ownToken = (code: string, secret: string, form: Record<string, string> = {}, app = product.app) =>
  token({ grant_type: 'client_credentials', ...form }, `${code}:${secret}`, app);
const reach = async (bearer: string, app = product.app, url = '/api/admin/oauthClient/page') =>
  (await app.inject({ url, headers: { authorization: `Bearer ${bearer}` } })).statusCode;

let made = 0;
const add = async (input: object = {}) => {
  const code = `probe-${++made}`;
  const answer = await product.call(admin, 'POST', ROOT, {
    code,
    name: `测试客户端${made}`,
    type: 'confidential',
    grantTypes: ['client_credentials'],
    scopes: ['gate'],
    accessSeconds: 7200,
    refreshSeconds: 604800,
    ratePerMinute: 600,
    ...input,
  });
  return { code, answer };
};
const STAFF_PROGRAM = {
  grantTypes: ['authorization_code', 'refresh_token'],
  scopes: ['openid', 'profile', 'menu:authManager'],
  redirectUris: [CALLBACK],
};

/** A consent of the administrator and what it bought. */
async function consent(code: string, secret: string | null, app = product.app) {
  const verifier = randomBytes(32).toString('base64url');
  const question = {
    client_id: code,
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope: 'openid profile menu:authManager',
    state: 's',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const asked = await product.call(
    admin,
    'GET',
    `/auth/oauth/authorize?${new URLSearchParams(question).toString()}`,
  );
  const allowed = await product.call(admin, 'POST', '/auth/oauth/authorize', {
    ...question,
    decision: 'allow',
  });
  const bought = {
    grant_type: 'authorization_code',
    code: new URL(allowed.data.redirectTo as string).searchParams.get('code')!,
    redirect_uri: CALLBACK,
    code_verifier: verifier,
    ...(secret === null ? { client_id: code } : {}),
  };
  const answer = await token(bought, secret === null ? undefined : `${code}:${secret}`, app);
  return { asked, bought, answer, question };
}

describe('clients', () => {
  test('Must show 1: a client switched off gets no token and its live tokens end within a second on every instance; others go on', async () => {
    const second = await product.another();
    try {
      const { code } = await add(STAFF_PROGRAM);
      const own = await add();
      const other = await add();
      const [secret, ownSecret, otherSecret] = [
        await newSecret(code),
        await newSecret(own.code),
        await newSecret(other.code),
      ];
      const staffToken = (await consent(code, secret)).answer.body.access_token;
      const programToken = (await ownToken(own.code, ownSecret)).body.access_token;
      const otherToken = (await ownToken(other.code, otherSecret)).body.access_token;
      // Known to both instances, so that only the notice can tell the other one.
      for (const app of [product.app, second.app])
        expect([
          await reach(staffToken, app),
          await reach(programToken, app),
          await reach(otherToken, app),
        ]).toEqual([200, 403, 403]);
      for (const one of [code, own.code]) expect((await act(one, 'disable')).http).toBe(200);
      const refused = await ownToken(own.code, ownSecret);
      expect([refused.http, refused.body.status, refused.body.message]).toEqual([401, 401, '客户端认证失败']);
      expect((await consentRefused(code)).data.fields.client_id).toBe('未知或已停用的应用');
      await expect
        .poll(
          async () => [
            await reach(staffToken, second.app),
            await reach(programToken, second.app),
            await reach(staffToken),
            await reach(programToken),
          ],
          { timeout: 1_000, interval: 50 },
        )
        .toEqual([401, 401, 401, 401]);
      expect([
        await reach(otherToken, second.app),
        (await ownToken(other.code, otherSecret, {}, second.app)).http,
      ]).toEqual([403, 200]);
      expect((await act(code, 'enable')).http).toBe(200);
      expect(await reach(staffToken)).toBe(401);
    } finally {
      await second.close();
    }
  });

  test('the built-in client stays, and says so', async () => {
    const web = await rowOf('web');
    expect([web.builtin, web.type, web.grantTypes, web.secrets]).toEqual([true, 'public', ['password'], 1]);
    for (const [method, path] of [
      ['POST', `${ROOT}/${web.id}/disable`],
      ['DELETE', `${ROOT}/${web.id}?version=${web.version}`],
    ] as const) {
      const answer = await product.call(admin, method, path, {});
      expect([answer.http, answer.message]).toEqual([409, '内置客户端不能停用']);
    }
    await expect(
      run(db(), `UPDATE oauth_client SET enabled = false WHERE client_id = 'web'`),
    ).rejects.toThrow('oauth_client_builtin');
  });

  test('what contradicts itself is refused at its field, in the form and by the table', async () => {
    for (const [input, field, words] of [
      [{ grantTypes: ['password'] }, 'grantTypes', '密码授权仅限本系统客户端'],
      [
        { ...STAFF_PROGRAM, redirectUris: ['https://*.example.com/cb'] },
        'redirectUris',
        '回调地址必须完全匹配',
      ],
      [
        { ...STAFF_PROGRAM, redirectUris: ['https://a.example.com/cb#x'] },
        'redirectUris',
        '回调地址必须完全匹配',
      ],
      [
        { ...STAFF_PROGRAM, redirectUris: ['http://a.example.com/cb'] },
        'redirectUris',
        '回调地址必须完全匹配',
      ],
      [{ ...STAFF_PROGRAM, redirectUris: [] }, 'redirectUris', '授权码需要回调地址'],
      [{ ...STAFF_PROGRAM, scopes: ['gate'] }, 'scopes', '授权码至少需要 openid、profile 或一个菜单组'],
      [{ ...STAFF_PROGRAM, scopes: ['menu:nothing'] }, 'scopes', '没有菜单组 nothing'],
      [{ scopes: ['root'] }, 'scopes', '未知的范围 root'],
      [{ type: 'public' }, 'grantTypes', '公开客户端不能使用客户端凭证'],
      [{ grantTypes: ['refresh_token'], scopes: ['openid'] }, 'grantTypes', '刷新令牌需要与授权码一起使用'],
      [{ ...STAFF_PROGRAM, autoApprove: ['gate'] }, 'autoApprove', '免确认范围必须是已选的员工范围'],
      [{ allowAddresses: ['10.0.0.300'] }, 'allowAddresses', '地址或网段不正确：10.0.0.300'],
    ] as const) {
      const { answer } = await add(input);
      expect([answer.http, field, answer.data.fields?.[field]]).toEqual([422, field, words]);
    }
    await expect(
      run(
        db(),
        `INSERT INTO oauth_client (client_id, name, grant_types) VALUES ('sneaky', 'x', '{password}')`,
      ),
    ).rejects.toThrow('oauth_client_password');
    const { answer } = await add({ allowAddresses: ['10.0.0.7/8', '192.168.1.5', '::1'] });
    expect(answer.data.allowAddresses.sort()).toEqual(['10.0.0.0/8', '192.168.1.5', '::1']);
  });

  test('a delete with live tokens needs the client id, and takes secrets and tokens along', async () => {
    const { code } = await add();
    const live = (await ownToken(code, await newSecret(code))).body.access_token;
    const row = await rowOf(code);
    expect(row.tokens).toBe(1);
    const remove = (body: object) =>
      product.call(admin, 'DELETE', `${ROOT}/${row.id}?version=${row.version}`, body);
    expect((await remove({})).data.fields.confirmCode).toBe('仍有 1 个有效令牌，请输入客户端ID确认');
    expect((await remove({ confirmCode: code })).http).toBe(200);
    await expect.poll(() => reach(live), { timeout: 1_000, interval: 50 }).toBe(401);
    expect(await run(db(), 'SELECT FROM client_secret WHERE client_id = $1', [code])).toEqual([]);
  });
});

async function consentRefused(code: string) {
  return product.call(
    admin,
    'GET',
    `/auth/oauth/authorize?${new URLSearchParams({ client_id: code, redirect_uri: CALLBACK, response_type: 'code' }).toString()}`,
  );
}

describe('secrets', () => {
  test('Must show 2: rotation of gate-vendor: both work, the last use of the old one is shown, after its end only the new one; the database holds no readable secret', async () => {
    expect((await rowOf('gate-vendor')).secrets).toBe(0);
    expect((await ownToken('gate-vendor', '')).http).toBe(401);
    const old = await newSecret('gate-vendor');
    expect(old).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const fresh = await newSecret('gate-vendor');
    expect([(await ownToken('gate-vendor', old)).http, (await ownToken('gate-vendor', fresh)).http]).toEqual([
      200, 200,
    ]);
    const [first, second] = await secretsOf('gate-vendor');
    expect([first!.hint, second!.hint, second!.expiresAt]).toEqual([old.slice(-4), fresh.slice(-4), null]);
    expect(first!.lastUsedAt).not.toBeNull();
    const days = (Date.parse(first!.expiresAt!) - Date.now()) / 86_400_000;
    expect([days > 6.9, days <= 7]).toEqual([true, true]);
    // Its end comes.
    await run(db(), `UPDATE client_secret SET expires_at = now() - interval '1 second' WHERE id = $1`, [
      Number(first!.id),
    ]);
    expect([(await ownToken('gate-vendor', old)).http, (await ownToken('gate-vendor', fresh)).http]).toEqual([
      401, 200,
    ]);
    const tables = await run<{ name: string }>(
      db(),
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
    );
    for (const { name } of tables)
      for (const secret of [old, fresh]) {
        const [row] = await run<{ n: number }>(
          db(),
          `SELECT count(*)::int AS n FROM "${name}" x WHERE x::text LIKE $1`,
          [`%${secret}%`],
        );
        expect([name, row!.n]).toEqual([name, 0]);
      }
  });

  test('Must show 3: the only secret is not removed and a third is not added, whoever tries at the same time', async () => {
    const { code } = await add();
    await newSecret(code);
    const [only] = await secretsOf(code);
    const kept = await act(code, 'removeSecret', { secret: only!.id });
    expect([kept.http, kept.message]).toEqual([409, '至少保留一个有效密钥']);
    const parallel = await Promise.all(
      [1, 2, 3, 4].map(() => act(code, 'addSecret', { oldEnds: 'overlap' })),
    );
    expect(parallel.map((one) => one.http).sort()).toEqual([200, 409, 409, 409]);
    expect(parallel.find((one) => one.http === 409)!.message).toBe('最多两个有效密钥');
    const both = await secretsOf(code);
    expect(both).toHaveLength(2);
    const removals = await Promise.all(both.map((one) => act(code, 'removeSecret', { secret: one.id })));
    expect(removals.map((one) => one.http).sort()).toEqual([200, 409]);
    // The table itself holds both lines, behind every program.
    await expect(
      run(db(), 'UPDATE client_secret SET revoked_at = now() WHERE client_id = $1 AND revoked_at IS NULL', [
        code,
      ]),
    ).rejects.toThrow('at least one live secret');
    await expect(
      run(
        db(),
        `INSERT INTO client_secret (client_id, slot, hash, hint) SELECT $1, 1 + n, sha256('x'), 'x' FROM generate_series(0, 1) n`,
        [code],
      ),
    ).rejects.toThrow('client_secret_slot');
  });

  test('two who take both secrets away in the database at the same time: one of them is refused', async () => {
    const { code } = await add();
    await newSecret(code);
    await newSecret(code);
    const [first, second] = await secretsOf(code);
    const [a, b] = await Promise.all([
      product.platform.database.pool.connect(),
      product.platform.database.pool.connect(),
    ]);
    try {
      await a.query('BEGIN');
      await b.query('BEGIN');
      await a.query('UPDATE client_secret SET revoked_at = now() WHERE id = $1', [first!.id]);
      const waiting = b.query('UPDATE client_secret SET revoked_at = now() WHERE id = $1', [second!.id]).then(
        () => 'taken',
        (error: Error) => error.message,
      );
      await a.query('COMMIT');
      expect(await waiting).toBe('at least one live secret');
      await b.query('ROLLBACK');
    } finally {
      a.release();
      b.release();
    }
  });

  test('the end of a secret may be set ahead, not behind, and its owner is told of it once', async () => {
    const { code } = await add();
    await newSecret(code);
    const [one] = await secretsOf(code);
    const behind = await act(code, 'endSecret', { secret: one!.id, expiresAt: '2020-01-01T00:00:00+08:00' });
    expect(behind.data.fields.expiresAt).toBe('到期时间必须晚于现在');
    const ahead = new Date(Date.now() + 10 * 86_400_000).toISOString();
    expect((await act(code, 'endSecret', { secret: one!.id, expiresAt: ahead })).http).toBe(200);
    const ending = await product.call(admin, 'GET', `${ROOT}/page?secretExpiring=true`);
    expect(ending.data.rows.map((row: { code: string }) => row.code)).toContain(code);
    await remindOfSecrets(product.platform);
    await remindOfSecrets(product.platform);
    const told = await run<{ title_zh: string }>(
      db(),
      `SELECT title_zh FROM notification WHERE kind = 'clientCredential' AND title_zh LIKE $1`,
      [`%••••${one!.hint}%`],
    );
    expect(told).toHaveLength(1);
  });

  test('the page gets the present value of its own secret, so that rotation needs no rebuild', async () => {
    const value = async () =>
      (await product.app.inject({ url: '/api/auth/authLogin/options' })).json().data.client as string;
    expect(await value()).toBe('web:web');
    const fresh = await newSecret('web', { oldEnds: 'overlap' });
    expect(await value()).toBe(`web:${fresh}`);
  });
});

describe('tokens of programs', () => {
  test('carry the scopes the client has, reach no screen, and live as long as is said', async () => {
    const { code } = await add({ scopes: ['gate', 'member_event', 'service'], accessSeconds: 600 });
    const secret = await newSecret(code);
    const narrow = await ownToken(code, secret, { scope: 'gate' });
    expect([narrow.body.scope, narrow.body.expires_in]).toEqual(['gate', 600]);
    expect((await ownToken(code, secret)).body.expires_in).toBe(7200);
    const foreign = await ownToken(code, secret, { scope: 'gate member_order' });
    expect([foreign.http, foreign.body.message]).toEqual([400, '授权范围不允许']);
    const passwords = await token({ grant_type: 'password', username: 'admin' }, `${code}:${secret}`);
    expect([passwords.http, passwords.body.message]).toEqual([400, '不支持的授权类型']);
    for (const url of [
      '/api/admin/user/front/info',
      '/api/auth/oauth/userinfo',
      '/api/docs/json',
      '/api/admin/oauthClient/page',
    ])
      expect([url, await reach(narrow.body.access_token, product.app, url)]).toEqual([url, 403]);
    const left = await product.app.inject({
      method: 'POST',
      url: `/api/auth/oauth/remove/token?access_token=${narrow.body.access_token}`,
    });
    expect([left.statusCode, await reach(narrow.body.access_token)]).toEqual([200, 401]);
  });

  test('are given to allowed addresses only, and not beyond the rate', async () => {
    const { code } = await add({ allowAddresses: ['10.9.0.0/16'] });
    const secret = await newSecret(code);
    const from = (remoteAddress: string) =>
      product.app.inject({
        method: 'POST',
        url: '/api/auth/oauth/token',
        remoteAddress,
        payload: 'grant_type=client_credentials',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(`${code}:${secret}`).toString('base64')}`,
        },
      });
    expect((await from('10.8.0.1')).json()).toMatchObject({ status: 401, message: '客户端认证失败' });
    expect([(await from('10.9.3.4')).statusCode, (await from('::ffff:10.9.3.4')).statusCode]).toEqual([
      200, 200,
    ]);
    const busy = await add({ ratePerMinute: 3 });
    const key = await newSecret(busy.code);
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => ownToken(busy.code, key)));
    expect(answers.map((one) => one.http).sort()).toEqual([200, 200, 200, 429, 429]);
    expect(answers.find((one) => one.http === 429)!.headers['retry-after']).toBeDefined();
  });

  test('are listed and revoked one by one, by staff or all, within a second on every instance', async () => {
    const second = await product.another();
    try {
      const { code } = await add({
        ...STAFF_PROGRAM,
        grantTypes: [...STAFF_PROGRAM.grantTypes, 'client_credentials'],
        scopes: [...STAFF_PROGRAM.scopes, 'gate'],
      });
      const secret = await newSecret(code);
      const own = (await ownToken(code, secret)).body.access_token;
      const given = (await consent(code, secret)).answer.body;
      expect([await reach(own, second.app), await reach(given.access_token, second.app)]).toEqual([403, 200]);
      const list = async () =>
        (await product.call(admin, 'GET', `${ROOT}/${(await rowOf(code)).id}/tokens`)).data as {
          id: string;
          kind: string;
          staffId: string | null;
        }[];
      expect((await list()).map((one) => one.kind).sort()).toEqual(['client', 'refresh', 'session']);
      const client = (await list()).find((one) => one.kind === 'client')!;
      expect((await act(code, 'revoke', { kind: 'client', token: client.id })).data.result.count).toBe(1);
      await expect.poll(() => reach(own, second.app), { timeout: 1_000, interval: 50 }).toBe(401);
      expect((await act(code, 'revoke', { kind: 'client', token: client.id })).message).toBe('令牌已失效');
      const staffId = (await list())[0]!.staffId!;
      expect((await act(code, 'revoke', { kind: 'staff', token: staffId })).http).toBe(200);
      await expect
        .poll(() => reach(given.access_token, second.app), { timeout: 1_000, interval: 50 })
        .toBe(401);
      const again = await token(
        { grant_type: 'refresh_token', refresh_token: given.refresh_token },
        `${code}:${secret}`,
      );
      expect([again.http, again.body.error, await list()]).toEqual([400, 'invalid_grant', []]);
      // A token of another client is not revoked under this one.
      const foreign = await add();
      await ownToken(foreign.code, await newSecret(foreign.code));
      const [theirs] = await run<{ id: number }>(db(), 'SELECT id FROM client_token WHERE client_id = $1', [
        foreign.code,
      ]);
      expect((await act(code, 'revoke', { kind: 'client', token: String(theirs!.id) })).http).toBe(409);
    } finally {
      await second.close();
    }
  });
});

describe('tokens staff give', () => {
  test('Must show 4: consent lists scopes in words, a code works once, its second use ends what it bought, an extra slash is no redirect', async () => {
    const { code } = await add(STAFF_PROGRAM);
    const secret = await newSecret(code);
    const { asked, bought, answer, question } = await consent(code, secret);
    expect(asked.data.scopes.map((one: { words: string }) => one.words)).toEqual([
      '确认您的身份（员工编号）',
      '读取您的姓名、账号和所属公司',
      '以您的权限查看和操作“服务管理”',
    ]);
    expect(await reach(answer.body.access_token)).toBe(200);
    const again = await token(bought, `${code}:${secret}`);
    expect([again.http, again.body.error]).toEqual([400, 'invalid_grant']);
    expect(await reach(answer.body.access_token)).toBe(401);
    const renewed = await token(
      { grant_type: 'refresh_token', refresh_token: answer.body.refresh_token },
      `${code}:${secret}`,
    );
    expect([renewed.http, renewed.body.error]).toEqual([400, 'invalid_grant']);
    const slash = await product.call(
      admin,
      'GET',
      `/auth/oauth/authorize?${new URLSearchParams({ ...question, redirect_uri: `${CALLBACK}/` }).toString()}`,
    );
    expect([slash.http, slash.data.redirectTo, slash.data.fields.redirect_uri]).toEqual([
      422,
      undefined,
      '回调地址与登记的不一致',
    ]);
  });

  test('Must show 5: a reused refresh token ends its whole family and the owner is told', async () => {
    const owner = await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'admin'`);
    const { code } = await add({ ...STAFF_PROGRAM, owner: String(owner!.id) });
    const secret = await newSecret(code);
    const first = (await consent(code, secret)).answer.body;
    const other = (await consent(code, secret)).answer.body;
    const renew = (refresh_token: string) =>
      token({ grant_type: 'refresh_token', refresh_token }, `${code}:${secret}`);
    const second = (await renew(first.refresh_token)).body;
    expect([await reach(first.access_token), await reach(second.access_token)]).toEqual([200, 200]);
    const reused = await renew(first.refresh_token);
    expect([reused.http, reused.body.message]).toEqual([400, '刷新令牌无效或已过期']);
    await expect
      .poll(async () => [await reach(first.access_token), await reach(second.access_token)], {
        timeout: 1_000,
        interval: 50,
      })
      .toEqual([401, 401]);
    expect((await renew(second.refresh_token)).http).toBe(400);
    // Another consent of the same client goes on.
    expect([await reach(other.access_token), (await renew(other.refresh_token)).http]).toEqual([200, 200]);
    const told = await run<{ staff_id: number; title_zh: string }>(
      db(),
      `SELECT staff_id, title_zh FROM notification WHERE kind = 'clientCredential' AND title_zh LIKE '%重复使用%'`,
    );
    expect(told.map((one) => one.staff_id)).toEqual([owner!.id]);
  });

  test('two who use one refresh token at the same time: one goes on, the family ends', async () => {
    const { code } = await add(STAFF_PROGRAM);
    const secret = await newSecret(code);
    const { refresh_token } = (await consent(code, secret)).answer.body;
    const renew = () => token({ grant_type: 'refresh_token', refresh_token }, `${code}:${secret}`);
    const answers = await Promise.all([renew(), renew(), renew()]);
    expect(answers.map((one) => one.http).sort()).toEqual([200, 400, 400]);
    const winner = answers.find((one) => one.http === 200)!.body;
    await expect.poll(() => reach(winner.access_token), { timeout: 1_000, interval: 50 }).toBe(401);
  });

  test('a password that was reset ends what was allowed before it, refresh tokens too', async () => {
    const { code } = await add(STAFF_PROGRAM);
    const secret = await newSecret(code);
    const { refresh_token } = (await consent(code, secret)).answer.body;
    const session = await runOne<{ id: number }>(
      db(),
      'SELECT allowed_in AS id FROM token_family WHERE client_id = $1',
      [code],
    );
    await run(db(), `UPDATE session SET ended_at = now(), end_reason = 'reset' WHERE id = $1`, [session!.id]);
    const answer = await token({ grant_type: 'refresh_token', refresh_token }, `${code}:${secret}`);
    expect([answer.http, answer.body.error]).toEqual([400, 'invalid_grant']);
    admin = await product.signIn('admin');
  });

  test('a public client proves itself by PKCE alone and renews without a secret', async () => {
    const { code, answer: client } = await add({ ...STAFF_PROGRAM, type: 'public' });
    expect(client.http).toBe(200);
    const noSecret = await act(code, 'addSecret', { oldEnds: 'overlap' });
    expect([noSecret.http, noSecret.message]).toEqual([409, '公开客户端没有密钥']);
    const { answer } = await consent(code, null);
    const renewed = await token({
      grant_type: 'refresh_token',
      refresh_token: answer.body.refresh_token,
      client_id: code,
    });
    expect([answer.http, renewed.http]).toEqual([200, 200]);
  });
});
