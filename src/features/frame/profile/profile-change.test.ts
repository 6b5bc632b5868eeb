import { afterAll, beforeAll, expect, it } from 'vitest';
import { encrypt } from '../../../app/server/session/session-bench.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { hashPassword } from '../../../kernel/server/people/password-hash.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let token: string;

const SECRET = 'Xk7#mQ2vLp9!';
const encrypted = (password: string) => encrypt(product.app, password);

beforeAll(async () => {
  product = await startTestProduct();
  await run(
    product.platform.database.db,
    `UPDATE staff SET password_hash = $1 WHERE account IN ('mall1', 'mall2')`,
    [await hashPassword(SECRET)],
  );
  token = await product.signIn('mall1');
}, 180_000);
afterAll(async () => product?.close());

const change = async (body: object, path = '/api/admin/user/updateUserInfo') =>
  product.app.inject({ method: 'POST', url: path, headers: { authorization: token }, payload: body });
const own = () =>
  runOne<{ id: number; phone: string; email: string; sex: number; name: string }>(
    product.platform.database.db,
    `SELECT id, phone, email, sex, name FROM staff WHERE account = 'mall1'`,
    [],
  );
const codeSentTo = async (phone: string) => {
  const message = await runOne<{ body: string }>(
    product.platform.database.db,
    'SELECT body FROM sms_message WHERE phone = $1 ORDER BY id DESC LIMIT 1',
    [phone],
  );
  return /\d{6}/.exec(message!.body)![0];
};

it('changes own data, never the name and nobody else', async () => {
  const before = (await own())!;
  expect((await change({ sex: 0, email: 'a@example.com', description: '备注' })).statusCode).toBe(200);
  expect(await own()).toMatchObject({ sex: 0, email: 'a@example.com', name: before.name });
  expect((await change({ name: '别人' })).statusCode).toBe(422);
  expect((await change({ id: String(before.id + 1), sex: 1 })).statusCode).toBe(403);
  expect((await change({ email: 'no address' })).statusCode).toBe(422);
});

it('takes a new phone only with the present password, whose wrong tries wait as at sign-in', async () => {
  const phone = '13900001239';
  const before = (await own())!;
  expect((await change({ phone }, '/api/admin/profile/phoneCode')).statusCode).toBe(200);
  const phoneCode = await codeSentTo(phone);
  const body = { mobilePhone: phone, phoneCode };
  expect(Object.keys((await change(body)).json().data.fields)).toEqual(['currentPassword']);
  const clear = await change({ ...body, currentPassword: 'Xk7#mQ2vLp9!' });
  expect([clear.statusCode, Object.keys(clear.json().data.fields)]).toEqual([422, ['currentPassword']]);
  const wrong = { ...body, currentPassword: await encrypted('Wrong#12wrong') };
  for (let round = 0; round < 5; round++) {
    const answer = await change(wrong);
    expect([answer.statusCode, Object.keys(answer.json().data.fields)]).toEqual([422, ['currentPassword']]);
  }
  // Even the right one waits now, and the code is not used up by wrong passwords.
  expect((await change({ ...body, currentPassword: await encrypted(SECRET) })).statusCode).toBe(429);
  expect((await own())!.phone).toBe(before.phone);
  await runOne(
    product.platform.database.db,
    `UPDATE staff SET failed_count = 0, failed_since = NULL, locked_until = NULL, lock_minutes = 0 WHERE id = $1 RETURNING id`,
    [before.id],
  );
  expect((await change({ ...body, currentPassword: await encrypted(SECRET) })).statusCode).toBe(200);
  expect((await own())!.phone).toBe(phone);
  // Whoever only says the same phone again proves nothing and needs nothing.
  expect((await change({ mobilePhone: phone, description: '同号' })).statusCode).toBe(200);
});

it('takes a new phone only with the code sent to it, once, by the staff that asked', async () => {
  const phone = '13900001234';
  const old = (await own())!;
  expect(Object.keys((await change({ mobilePhone: phone })).json().data.fields).sort()).toEqual([
    'currentPassword',
    'phoneCode',
  ]);
  const currentPassword = await encrypted(SECRET);
  expect((await change({ phone }, '/api/admin/profile/phoneCode')).statusCode).toBe(200);
  const code = await codeSentTo(phone);
  const wrong = code === '111111' ? '222222' : '111111';
  expect((await change({ mobilePhone: phone, phoneCode: wrong, currentPassword })).statusCode).toBe(422);
  const other = await product.app.inject({
    method: 'POST',
    url: '/api/admin/user/updateUserInfo',
    headers: { authorization: await product.signIn('mall2') },
    payload: { mobilePhone: phone, phoneCode: code, currentPassword },
  });
  expect(other.statusCode).toBe(422);
  expect((await change({ mobilePhone: phone, phoneCode: code, currentPassword })).statusCode).toBe(200);
  expect((await own())!.phone).toBe(phone);
  // Whoever took over an open session does not hold the old phone: its owner is told.
  const told = await runOne<{ body: string; notices: number }>(
    product.platform.database.db,
    `SELECT body, (SELECT count(*) FROM notification WHERE staff_id = $2 AND kind = 'phoneChanged') AS notices
       FROM sms_message WHERE phone = $1 AND purpose = 'phoneChanged'`,
    [old.phone, old.id],
  );
  // One of this change, one of the change above.
  expect(told!.notices).toBe(2);
  expect(told!.body).toContain('139****1234');
  expect((await change({ mobilePhone: '13900001235', phoneCode: code, currentPassword })).statusCode).toBe(
    422,
  );
});

it('sends the frame its settings and the staff number', async () => {
  const info = await product.app.inject({
    url: '/api/admin/user/front/info',
    headers: { authorization: token },
  });
  expect(info.json().data.settings).toEqual({
    'frame.tabs.live_max': 12,
    'frame.lock.idle_minutes': 10,
    'frame.watermark': 'sensitive',
  });
  const views = await product.app.inject({ url: '/api/admin/savedView', headers: { authorization: token } });
  expect(views.json()).toMatchObject({ status: 200, data: [] });
});
