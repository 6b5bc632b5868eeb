import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passwordTexts } from '../../../kernel/contract/password.rules.ts';
import {
  addStaff,
  askToken,
  callWith,
  encrypt,
  openBench,
  PASSWORD,
  signIn,
  type Bench,
} from '../../../app/server/session/session-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const app = () => bench.first.app;
type Answer = {
  status: number;
  message: string;
  data: { fields?: Record<string, string>; reason?: string } | boolean | null;
};
const fieldsOf = (answer: { json<T>(): T }) =>
  (answer.json<Answer>().data as { fields?: Record<string, string> } | null)?.fields;

const NEW = ['Qw8&zRt4Mn6!', 'Hb5*kLp9Ds2?', 'Vc3%nJx7Gy1=', 'Tm6+wFe2Ua8#', 'Zs9?rBk4Ho5%', 'Ld2#vYi8Ec7*'];

const change = async (token: string, oldPassword: string, newPassword: string) =>
  callWith(app(), token, 'POST', '/api/admin/user/changePassword', {
    oldPass: oldPassword === '' ? '' : await encrypt(app(), oldPassword),
    newPass: newPassword === '' ? '' : await encrypt(app(), newPassword),
  });

describe('changing the own password', () => {
  it('keeps this session, ends the others and lets the new password in', async () => {
    const id = await addStaff(bench, { account: 'changer' });
    const other = await signIn(app(), 'changer');
    const token = await signIn(app(), 'changer');
    expect((await callWith(app(), other, 'GET', '/api/probe/caller')).statusCode).toBe(200);
    const answer = await change(token, PASSWORD, NEW[0]!);
    expect([answer.statusCode, answer.json<Answer>().data]).toEqual([200, true]);
    expect((await callWith(app(), token, 'GET', '/api/probe/caller')).statusCode).toBe(200);
    const ended = await callWith(app(), other, 'GET', '/api/probe/caller');
    expect([ended.statusCode, ended.json<Answer>().status]).toEqual([401, 40001]);
    expect((await askToken(app(), { username: 'changer' })).statusCode).toBe(400);
    expect((await askToken(app(), { username: 'changer', password: NEW[0]! })).statusCode).toBe(200);
    const [audit] = await bench.query<{ text: string }>(
      `SELECT a::text AS text FROM audit_record a WHERE action = 'changePassword' AND entity_id = $1`,
      [String(id)],
    );
    expect(audit).toBeDefined();
    expect(audit!.text).not.toContain(NEW[0]);
  });

  it('takes the query form too', async () => {
    await addStaff(bench, { account: 'querier' });
    const token = await signIn(app(), 'querier');
    const query = new URLSearchParams({
      oldPass: await encrypt(app(), PASSWORD),
      newPass: await encrypt(app(), NEW[0]!),
    });
    const answer = await callWith(app(), token, 'POST', `/api/admin/user/changePassword?${query}`);
    expect(answer.json<Answer>().data).toBe(true);
  });

  it.each([
    ['', '', { oldPass: passwordTexts.empty[0], newPass: passwordTexts.empty[0] }],
    [PASSWORD, 'Abcdef123456!', { newPass: passwordTexts.rule[0] }],
    [PASSWORD, 'Xk7#mQ2vLpZ', { newPass: passwordTexts.short[0] }],
    [PASSWORD, 'Xk7#RULER1!vLp', { newPass: passwordTexts.rule[0] }],
    [PASSWORD, PASSWORD, { newPass: passwordTexts.sameAsOld[0] }],
    ['x'.repeat(65), NEW[0]!, { oldPass: passwordTexts.long[0] }],
    [PASSWORD, NEW[0]!.padEnd(65, 'y'), { newPass: passwordTexts.long[0] }],
    ['Wrong#12wrong', NEW[0]!, { oldPass: passwordTexts.wrongOld[0] }],
  ])('refuses %s to %s', async (oldPassword, newPassword, fields) => {
    await bench.query(`DELETE FROM staff_project`);
    const known = await bench.query(`SELECT id FROM staff WHERE account = 'ruler1'`);
    if (known.length === 0) await addStaff(bench, { account: 'ruler1' });
    const token = await signIn(app(), 'ruler1');
    const answer = await change(token, oldPassword, newPassword);
    expect([answer.statusCode, fieldsOf(answer)]).toEqual([422, fields]);
  });

  it('refuses text that is not encrypted', async () => {
    await addStaff(bench, { account: 'plainer' });
    const token = await signIn(app(), 'plainer');
    const answer = await callWith(app(), token, 'POST', '/api/admin/user/changePassword', {
      oldPass: PASSWORD,
      newPass: NEW[0],
    });
    expect([answer.statusCode, Object.keys(fieldsOf(answer) ?? {})]).toEqual([422, ['oldPass']]);
  });

  it('counts a wrong old password as a failed sign-in', async () => {
    await addStaff(bench, { account: 'prober' });
    const token = await signIn(app(), 'prober');
    for (let round = 0; round < 5; round++)
      expect((await change(token, `Wrong#12wrong${round}`, NEW[0]!)).statusCode).toBe(422);
    expect((await change(token, PASSWORD, NEW[0]!)).statusCode).toBe(429);
    expect((await askToken(app(), { username: 'prober' })).statusCode).toBe(429);
  });

  it('refuses the last five', async () => {
    const id = await addStaff(bench, { account: 'history' });
    const token = await signIn(app(), 'history');
    let present = PASSWORD;
    for (const next of NEW.slice(0, 5)) {
      expect((await change(token, present, next)).statusCode).toBe(200);
      present = next;
    }
    for (const used of NEW.slice(0, 4))
      expect(fieldsOf(await change(token, present, used))).toEqual({ newPass: passwordTexts.reused[0] });
    expect((await change(token, present, PASSWORD)).statusCode).toBe(200);
    expect(await bench.query('SELECT 1 AS n FROM password_history WHERE staff_id = $1', [id])).toHaveLength(
      6,
    );
  });
});

type Info = { data: { mustChangePassword: boolean; oneTimePassword?: boolean } };

describe('a password that must be changed', () => {
  it('is called a one-time password where somebody else chose it, until the own one is chosen', async () => {
    const id = await addStaff(bench, { account: 'handed', mustChange: true });
    await bench.query(
      `UPDATE staff SET one_time_until = now() + interval '1 day' WHERE id = $1 RETURNING id AS n`,
      [id],
    );
    const token = (await askToken(app(), { username: 'handed' })).json<{ access_token: string }>()
      .access_token;
    const info = async () =>
      (await callWith(app(), token, 'GET', '/api/admin/user/front/info')).json<Info>().data.oneTimePassword;
    expect(await info()).toBe(true);
    expect(fieldsOf(await change(token, NEW[0]!, NEW[1]!))).toEqual({
      oldPass: passwordTexts.wrongOneTime[0],
    });
    expect((await change(token, PASSWORD, NEW[1]!)).statusCode).toBe(200);
    expect(await info()).toBeUndefined();
  });

  it('lets the token do nothing else', async () => {
    await addStaff(bench, { account: 'newbie', mustChange: true });
    const answer = await askToken(app(), { username: 'newbie' });
    expect(answer.json()).toMatchObject({ mustChangePassword: true });
    const token = answer.json<{ access_token: string }>().access_token;
    for (const url of [
      '/api/probe/caller',
      '/api/admin/user/front/menus',
      '/api/admin/preference',
      '/api/admin/profile',
    ])
      expect((await callWith(app(), token, 'GET', url)).statusCode).toBe(403);
    const info = await callWith(app(), token, 'GET', '/api/admin/user/front/info');
    expect([info.statusCode, info.json<Info>().data.mustChangePassword]).toEqual([200, true]);
    // Nobody handed it over: it is an old password like any other.
    expect(info.json<Info>().data.oneTimePassword).toBeUndefined();
    expect(fieldsOf(await change(token, NEW[0]!, NEW[1]!))).toEqual({ oldPass: passwordTexts.wrongOld[0] });
    expect((await change(token, PASSWORD, NEW[1]!)).statusCode).toBe(200);
    expect((await callWith(app(), token, 'GET', '/api/probe/caller')).statusCode).toBe(200);
    expect((await askToken(app(), { username: 'newbie', password: NEW[1]! })).json()).toMatchObject({
      mustChangePassword: false,
      overDay: 90,
    });
  });
});

describe('a forgotten password', () => {
  const ask = (phone: string) =>
    app().inject({ url: `/api/auth/authLogin/getPhoneVerification?phoneNum=${phone}&code=1234` });
  const reset = async (phone: string, code: string, password: string) =>
    app().inject({
      method: 'POST',
      url: '/api/auth/authLogin/changePassword',
      payload: { phoneNum: phone, code, newPass: await encrypt(app(), password) },
    });
  const codeSent = async (phone: string) => {
    const [row] = await bench.query<{ body: string }>(
      'SELECT body FROM sms_message WHERE phone = $1 ORDER BY id DESC LIMIT 1',
      [phone],
    );
    return /\d{6}/.exec(row?.body ?? '')?.[0];
  };

  it('is the same answer whoever asks, and a message only for staff', async () => {
    await addStaff(bench, { account: 'phone1', phone: '13800000001' });
    const known = await ask('13800000001');
    const unknown = await ask('13800000009');
    expect(known.body).toBe(unknown.body);
    expect(known.json()).toEqual({ status: 200, message: '', data: true });
    expect(await codeSent('13800000001')).toMatch(/^\d{6}$/);
    expect(await codeSent('13800000009')).toBeUndefined();
    expect((await ask('13800000001')).statusCode).toBe(429);
    expect((await ask('13800000009')).statusCode).toBe(429);
    expect((await ask('123')).statusCode).toBe(422);
  });

  it('needs the code of the picture', async () => {
    const answer = await app().inject({
      url: '/api/auth/authLogin/getPhoneVerification?phoneNum=13800000001&code=9999',
    });
    expect([answer.statusCode, (answer.json<Answer>().data as { reason: string }).reason]).toEqual([
      400,
      'code',
    ]);
  });

  it('is set by the right code once; all sessions end', async () => {
    await addStaff(bench, { account: 'phone2', phone: '13800000002', mustChange: true });
    const token = await signIn(app(), 'phone2');
    await ask('13800000002');
    const code = (await codeSent('13800000002'))!;
    expect(fieldsOf(await reset('13800000002', code, 'short'))).toEqual({ newPass: passwordTexts.short[0] });
    expect(fieldsOf(await reset('13800000002', code, 'Phone2#xYz81q'))).toEqual({
      newPass: passwordTexts.rule[0],
    });
    expect(fieldsOf(await reset('13800000002', code, PASSWORD))).toEqual({
      newPass: passwordTexts.reused[0],
    });
    expect((await reset('13800000002', code, NEW[2]!)).json()).toMatchObject({ status: 200, data: true });
    const ended = await callWith(app(), token, 'GET', '/api/admin/user/front/info');
    expect([ended.statusCode, ended.json<Answer>().status]).toEqual([401, 40001]);
    expect((await askToken(app(), { username: 'phone2', password: NEW[2]! })).json()).toMatchObject({
      mustChangePassword: false,
    });
    expect((await reset('13800000002', code, NEW[3]!)).statusCode).toBe(400);
  });

  it('is not set after five wrong codes, after five minutes, nor for a phone of nobody', async () => {
    await addStaff(bench, { account: 'phone3', phone: '13800000003' });
    await ask('13800000003');
    const code = (await codeSent('13800000003'))!;
    const wrong = code === '000000' ? '111111' : '000000';
    for (let round = 0; round < 5; round++)
      expect((await reset('13800000003', wrong, NEW[0]!)).json<Answer>().message).toBe('验证码错误');
    expect((await reset('13800000003', code, NEW[0]!)).json<Answer>().message).toBe('验证码已失效，请刷新');
    await bench.query(
      `UPDATE phone_verification SET tries = 0, expires_at = now() WHERE phone = '13800000003'`,
    );
    expect((await reset('13800000003', code, NEW[0]!)).statusCode).toBe(400);
    expect((await reset('13800000077', '123456', NEW[0]!)).statusCode).toBe(400);
  });
});
