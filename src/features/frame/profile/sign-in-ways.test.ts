import { afterAll, beforeAll, expect, test } from 'vitest';
import { askToken, encrypt } from '../../../app/server/session/session-bench.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { staffImport, staffUpdateImport } from '../../admin-sys/staff/staff-import.server.ts';
import { signInWithSso } from '../sign-in/sign-in-flow.server.ts';

/*
 * Whoever makes accounts gives them their first ways to sign in. The owner learns of each, sees it, and can end it.
 */

const OWN = 'Qw8&zRt4Mn6!';

let product: TestProduct;
let admin: string;
let departmentId: number;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  departmentId = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO department (tenant_id, code, name) SELECT tenant_id, 'WAYS', '测试部' FROM staff WHERE account = 'admin' RETURNING id`,
  ))!.id;
}, 240_000);
afterAll(() => product?.close());

const db = () => product.platform.database.db;

async function call(token: string, method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) {
  const answer = await product.app.inject({
    method,
    url: `/api${path}`,
    headers: { authorization: token },
    ...(payload ? { payload } : {}),
  });
  return { http: answer.statusCode, ...(answer.json() as { status: number; message: string; data: any }) };
}

let made = 0;

async function addStaff(input: object = {}) {
  made += 1;
  const account = `ways${made}`;
  const phone = `1391111${String(made).padStart(4, '0')}`;
  const answer = await call(admin, 'POST', '/admin/staff', {
    name: '李敏',
    account,
    mobilePhone: phone,
    department: String(departmentId),
    ...input,
  });
  expect([answer.http, answer.message]).toEqual([200, '']);
  return {
    id: Number(answer.data.id),
    account,
    phone,
    password: answer.data.result.initialPassword as string,
  };
}

const told = (staffId: number) =>
  run<{ kind: string; body: string }>(
    db(),
    'SELECT kind, body_zh AS body FROM notification WHERE staff_id = $1 ORDER BY id',
    [staffId],
  );
const texted = (phone: string) =>
  run<{ purpose: string; body: string }>(
    db(),
    'SELECT purpose, body FROM sms_message WHERE phone = $1 ORDER BY id',
    [phone],
  );
const versionOf = async (id: number) =>
  (await runOne<{ version: number }>(db(), 'SELECT version FROM staff WHERE id = $1', [id]))!.version;
const facts = { address: '10.1.2.3', userAgent: 'test', traceId: 't' };

test('the owner of a new account is told which phone and single sign-on account somebody gave it', async () => {
  const staff = await addStaff({ ssoAccount: 'planter@corp' });
  const phone = {
    kind: 'phoneChanged',
    body: expect.stringMatching(/将您的后台手机号设为 139\*\*\*\*\d{4}/),
  };
  expect(await told(staff.id)).toEqual([
    phone,
    { kind: 'ssoChanged', body: expect.stringContaining('设为 planter@corp，用它无需密码') },
  ]);
  // Nothing is sent to a phone nobody knows to be the owner's.
  expect(await texted(staff.phone)).toEqual([]);

  const row = (values: object) => [
    {
      number: 1,
      values: {
        name: '员工甲',
        account: 'waysimp',
        staffNo: '',
        sex: '女',
        phone: '13922220001',
        email: '',
        department: 'WAYS',
        station: '',
        projects: '',
        groups: '',
        ...values,
      },
    },
  ];
  const caller = await product.caller('admin');
  const task = { caller, platform: product.platform, language: 'zh' as const };
  await transaction(db(), (tx) => staffImport.commit(tx, task, row({})));
  const imported = (await runOne<{ id: number }>(db(), `SELECT id FROM staff WHERE account = 'waysimp'`))!;
  expect(await told(imported.id)).toEqual([phone]);
  await transaction(db(), (tx) => staffUpdateImport.commit(tx, task, row({ phone: '13922220002' })));
  expect(await told(imported.id)).toEqual([phone, phone]);
  expect((await texted('13922220001')).map((sms) => sms.purpose)).toEqual(['phoneChanged']);
});

test('and of every change of them by somebody else, also where none was before, on the phone it had', async () => {
  const staff = await addStaff();
  const change = async (path: 'form' | 'spec', input: object) => {
    const version = await versionOf(staff.id);
    const answer =
      path === 'form'
        ? await call(admin, 'PUT', `/admin/staff/${staff.id}`, { version, ...input })
        : await call(admin, 'POST', '/admin/user/updateUserInfo', {
            id: String(staff.id),
            version,
            ...input,
          });
    expect([answer.http, answer.message]).toEqual([200, '']);
  };
  await change('form', { ssoAccount: 'first@corp', description: '绑定' });
  await change('spec', { ssoAccount: 'second@corp' });
  await change('form', { ssoAccount: 'second@corp', description: '没变' });
  await change('spec', { ssoAccount: null });
  expect((await told(staff.id)).slice(1)).toEqual([
    { kind: 'ssoChanged', body: expect.stringContaining('设为 first@corp') },
    { kind: 'ssoChanged', body: expect.stringContaining('设为 second@corp') },
    { kind: 'ssoChanged', body: expect.stringContaining('解除了您的单点登录账号绑定') },
  ]);
  expect((await texted(staff.phone)).map((sms) => sms.purpose)).toEqual([
    'ssoChanged',
    'ssoChanged',
    'ssoChanged',
  ]);
  await run(db(), 'UPDATE staff SET phone = NULL WHERE id = $1', [staff.id]);
  await change('form', { mobilePhone: '13922220003' });
  expect((await told(staff.id)).at(-1)).toEqual({
    kind: 'phoneChanged',
    body: expect.stringContaining('设为 139****0003'),
  });
});

test('and of every e-mail address somebody else gives the account or takes away, by form and by import', async () => {
  const staff = await addStaff();
  const change = async (email: string | null) =>
    expect(
      (await call(admin, 'PUT', `/admin/staff/${staff.id}`, { version: await versionOf(staff.id), email }))
        .http,
    ).toBe(200);
  await change('first@example.com');
  await change('first@example.com');
  const row = {
    name: '员工甲',
    account: staff.account,
    staffNo: '',
    sex: '',
    phone: staff.phone,
    department: 'WAYS',
    station: '',
    projects: '',
    groups: '',
  };
  const task = { caller: await product.caller('admin'), platform: product.platform, language: 'zh' as const };
  for (const email of ['second@example.com', ''])
    await transaction(db(), (tx) =>
      staffUpdateImport.commit(tx, task, [{ number: 1, values: { ...row, email } }]),
    );
  await change(null);
  const messages = [
    expect.stringContaining('将您的后台邮箱设为 f***@example.com'),
    expect.stringContaining('将您的后台邮箱设为 s***@example.com'),
    expect.stringContaining('删除了您后台账号的邮箱'),
  ];
  expect((await told(staff.id)).filter((one) => one.kind === 'emailChanged')).toEqual(
    messages.map((body) => ({ kind: 'emailChanged', body })),
  );
  expect(await texted(staff.phone)).toEqual(messages.map((body) => ({ purpose: 'emailChanged', body })));
});

test('whoever must choose a password first is shown, masked, what else opens the account', async () => {
  const staff = await addStaff({ ssoAccount: 'planter2@corp' });
  const signed = await askToken(product.app, { username: staff.account, password: staff.password });
  const token = `Bearer ${signed.json<{ access_token: string }>().access_token}`;
  const info = async () => (await call(token, 'GET', '/admin/user/front/info')).data;
  const masked = `${staff.phone.slice(0, 3)}****${staff.phone.slice(-4)}`;
  expect((await info()).signInWays).toEqual({ phone: masked, ssoAccount: 'p***@corp' });
  const chosen = await call(token, 'POST', '/admin/user/changePassword', {
    oldPass: await encrypt(product.app, staff.password),
    newPass: await encrypt(product.app, OWN),
  });
  expect(chosen.http).toBe(200);
  expect((await info()).signInWays).toBeUndefined();

  // The profile says who gave it and when; it ends with the own password, and with it every other session.
  const profile = async () => (await call(token, 'GET', '/admin/profile')).data;
  const { name } = (await runOne<{ name: string }>(db(), `SELECT name FROM staff WHERE account = 'admin'`))!;
  expect(await profile()).toMatchObject({ ssoAccount: 'planter2@corp', ssoSetBy: name });
  expect(Date.now() - Date.parse((await profile()).ssoSetAt)).toBeLessThan(60_000);
  const planted = await signInWithSso(product.platform, 'planter2@corp', facts);
  const stranger = `Bearer ${planted!.token}`;
  expect((await call(stranger, 'GET', '/admin/profile')).http).toBe(200);

  const unlink = (body: object, who = token) => call(who, 'POST', '/admin/profile/unlinkSso', body);
  expect(Object.keys((await unlink({})).data.fields)).toEqual(['currentPassword']);
  const wrong = await unlink({ currentPassword: await encrypt(product.app, 'Wrong#12wrong') }, stranger);
  expect([wrong.http, Object.keys(wrong.data.fields)]).toEqual([422, ['currentPassword']]);
  expect((await profile()).ssoAccount).toBe('planter2@corp');
  expect((await unlink({ currentPassword: await encrypt(product.app, OWN) })).data).toBe(true);
  expect(await profile()).toMatchObject({ ssoAccount: null, ssoSetBy: null, ssoSetAt: null });
  expect((await call(stranger, 'GET', '/admin/profile')).status).toBe(40001);
  expect(await signInWithSso(product.platform, 'planter2@corp', facts)).toBeUndefined();
  expect((await unlink({ currentPassword: await encrypt(product.app, OWN) })).message).toBe(
    '没有绑定单点登录账号',
  );
  const [event] = (await call(admin, 'GET', `/admin/staff/${staff.id}/timeline`)).data;
  expect([event.label, event.changes]).toEqual([
    '解除单点登录绑定',
    [expect.objectContaining({ before: 'planter2@corp' })],
  ]);
  expect(
    await run(db(), `SELECT before, after FROM audit_record WHERE action = 'unlinkSso' AND staff_id = $1`, [
      staff.id,
    ]),
  ).toEqual([{ before: { sso_account: 'planter2@corp' }, after: { sso_account: null } }]);

  // The sign-ins tell the ways apart, to the owner and to who looks after accounts.
  const ways = (rows: { result: string; way: string | null }[]) => rows.map((row) => [row.result, row.way]);
  const history = [
    ['wrong_password', 'password'],
    ['success', 'sso'],
    ['success', 'password'],
  ];
  expect(ways((await call(token, 'GET', '/admin/profile/signIns')).data.rows)).toEqual(history);
  expect(ways((await call(admin, 'GET', `/admin/staff/${staff.id}/signIns`)).data)).toEqual(history);
});

test('another single sign-on account, or none, ends what the former one opened, and nothing else', async () => {
  const staff = await addStaff({ ssoAccount: 'former@corp' });
  const open = async (clientId: 'web' | 'cas') => {
    const row = await runOne<{ id: number }>(
      db(),
      `INSERT INTO session (token_hash, staff_id, client_id, address, absolute_expires_at)
       VALUES (sha256($2::text::bytea), $1, $3, '127.0.0.1', now() + interval '1 hour') RETURNING id`,
      [staff.id, `${staff.id}-${Math.random()}`, clientId],
    );
    return row!.id;
  };
  const [typed, vouched] = [await open('web'), await open('cas')];
  // What programs were allowed in them; the second session of that kind was left by its person before.
  const [program, stays, gone, late] = [
    await open('web'),
    await open('web'),
    await open('cas'),
    await open('web'),
  ];
  await run(db(), `UPDATE session SET ended_at = now(), end_reason = 'logout' WHERE id = $1`, [gone]);
  for (const [id, allowedIn] of [
    [program, vouched],
    [stays, typed],
    [late, gone],
  ])
    await run(db(), 'UPDATE session SET allowed_in = $2 WHERE id = $1', [id, allowedIn]);
  const ended = async () =>
    (
      await run<{ id: number }>(
        db(),
        'SELECT id FROM session WHERE staff_id = $1 AND ended_at IS NOT NULL AND id <> $2 ORDER BY id',
        [staff.id, gone],
      )
    ).map((row) => row.id);
  const change = async (input: object) =>
    (await call(admin, 'PUT', `/admin/staff/${staff.id}`, { version: await versionOf(staff.id), ...input }))
      .http;
  expect(await change({ description: '别的' })).toBe(200);
  expect(await ended()).toEqual([]);
  expect(await change({ ssoAccount: null })).toBe(200);
  expect(await ended()).toEqual([vouched, program, late]);
});
