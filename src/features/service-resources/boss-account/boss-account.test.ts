import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  bossSession,
  bossSignIn,
  endOldBossSessions,
  sendCode,
} from '../../../domain/boss-account/boss-account.server.ts';
import { bookDeposit } from '../../../domain/merchant/deposit.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/bossAccount';
let product: TestProduct;
let admin: string;
let merchants: number[];
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await run(db(), 'DELETE FROM boss_account');
  merchants = (
    await run<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 2 AND enabled ORDER BY id LIMIT 3')
  ).map((one) => one.id);
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const post = (path: string, body: object) => product.call(admin, 'POST', `${ROOT}${path}`, body);
interface Link {
  readonly merchant: number;
  readonly role: string;
  readonly permissions?: readonly string[];
}
async function add(links: readonly Link[]) {
  number += 1;
  const phone = `1370000${String(number).padStart(4, '0')}`;
  const made = await post('', {
    phone,
    name: '钱掌柜',
    links: links.map((one) => ({ permissions: [], ...one, merchant: String(one.merchant) })),
  });
  return { phone, http: made.http, message: made.message, id: Number(made.data?.id) };
}
const version = async (id: number) =>
  (await runOne<{ version: number }>(db(), 'SELECT version FROM boss_account WHERE id = $1', [id]))!.version;
const act = async (id: number, action: string, input: object = {}) =>
  post(`/${id}/${action}`, { version: await version(id), ...input });
/** The code that was sent last to a phone. */
const codeOf = async (phone: string) =>
  (await runOne<{ code: string }>(
    db(),
    `SELECT params ->> 'code' AS code FROM sms_message WHERE phone = $1 ORDER BY id DESC LIMIT 1`,
    [phone],
  ))!.code;
async function signedIn(phone: string, id: number) {
  await transaction(db(), (tx) => sendCode(tx, id, 'sign_in'));
  return bossSignIn(db(), { phone, code: await codeOf(phone), device: '测试机' });
}
const linksOf = (id: number) =>
  run<{ merchant_id: number; role: string }>(
    db(),
    'SELECT merchant_id, role FROM boss_link WHERE boss_account_id = $1 ORDER BY position',
    [id],
  );

test('a merchant has one owner, also when two are entered at once; an owner holds everything', async () => {
  const both = await Promise.all([0, 1, 2, 3].map(() => add([{ merchant: merchants[0]!, role: 'owner' }])));
  expect(both.filter((one) => one.http === 200)).toHaveLength(1);
  for (const one of both.filter((each) => each.http !== 200)) expect(one.message).toBe('该商户已有老板账户');
  const owner = both.find((one) => one.http === 200)!;
  const held = await runOne<{ permissions: string[] }>(
    db(),
    'SELECT permissions FROM boss_link WHERE boss_account_id = $1',
    [owner.id],
  );
  expect(held!.permissions).toHaveLength(7);
  expect((await add([{ merchant: merchants[0]!, role: 'clerk', permissions: ['withdraw'] }])).http).toBe(422);
  const gone = await product.call(admin, 'DELETE', `${ROOT}/${owner.id}`, {
    version: await version(owner.id),
  });
  expect(gone).toMatchObject({ status: 30101, message: '请先转移老板' });
});

test('asking for a code tells nobody whether a phone has an account, also when it is asked again at once', async () => {
  const { id, phone } = await add([{ merchant: merchants[1]!, role: 'clerk', permissions: ['take'] }]);
  await programClient(db(), {
    id: 'boss-app',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['member_event'],
  });
  const token = await product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    headers: {
      authorization: `Basic ${Buffer.from('boss-app:a-long-secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'grant_type=client_credentials&scope=member_event',
  });
  const app = `Bearer ${token.json<{ access_token: string }>().access_token}`;
  const ask = async (of: string) => {
    const { http, message, data } = await product.call(app, 'POST', `${ROOT}/app/code`, { phone: of });
    return { http, message, data };
  };
  const unknown = [await ask('13799999999'), await ask('13799999999')];
  const known = [await ask(phone), await ask(phone)];
  expect(known).toEqual(unknown);
  const sent = await runOne<{ n: number }>(
    db(),
    'SELECT count(*)::int AS n FROM boss_code WHERE boss_account_id = $1',
    [id],
  );
  expect(sent!.n).toBe(1);
});

test('by phone and code one is signed in; five wrong codes lock for half an hour, and disabling ends the session at once', async () => {
  const { id, phone } = await add([{ merchant: merchants[1]!, role: 'clerk', permissions: ['take'] }]);
  const { token, session } = await signedIn(phone, id);
  expect(session.links).toEqual([{ merchantId: merchants[1], role: 'clerk', permissions: ['take'] }]);
  expect(await bossSession(db(), token)).toBeDefined();
  expect((await act(id, 'disable', { reason: '离职' })).http).toBe(200);
  expect(await bossSession(db(), token)).toBeUndefined();
  expect((await act(id, 'enable')).http).toBe(200);
  expect(await bossSession(db(), token)).toBeUndefined();
  await run(
    db(),
    `UPDATE boss_code SET sent_at = sent_at - interval '2 minutes' WHERE boss_account_id = $1`,
    [id],
  );
  await transaction(db(), (tx) => sendCode(tx, id, 'sign_in'));
  const right = await codeOf(phone);
  const wrong = right === '000000' ? '000001' : '000000';
  for (let n = 0; n < 5; n += 1)
    await expect(bossSignIn(db(), { phone, code: wrong, device: 'x' })).rejects.toMatchObject({ http: 401 });
  const locked = await runOne<{ state: string; minutes: number }>(
    db(),
    `SELECT state, round(extract(epoch FROM locked_until - now()) / 60)::int AS minutes FROM boss_account WHERE id = $1`,
    [id],
  );
  expect(locked).toEqual({ state: 'locked', minutes: 30 });
  await expect(bossSignIn(db(), { phone, code: right, device: 'x' })).rejects.toMatchObject({ http: 401 });
  expect((await act(id, 'unlock')).http).toBe(200);
});

test('a session ends a week after its last use and a month after it was opened, and is no device any more', async () => {
  const { id, phone } = await add([{ merchant: merchants[1]!, role: 'clerk', permissions: ['take'] }]);
  const open = async () => {
    await run(db(), 'DELETE FROM boss_code WHERE boss_account_id = $1', [id]);
    return (await signedIn(phone, id)).token;
  };
  const shift = (token: string, column: 'opened_at' | 'last_used_at', by: string) =>
    run(
      db(),
      `UPDATE boss_session SET ${column} = clock_timestamp() - $2::interval WHERE token_hash = sha256($1::text::bytea)`,
      [token, by],
    );
  const devices = async () => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data.devices as number;
  const [used, idle, old] = [await open(), await open(), await open()];
  expect(await devices()).toBe(3);
  await shift(used, 'last_used_at', '6 days 23 hours');
  await shift(idle, 'last_used_at', '7 days 1 minute');
  await shift(old, 'opened_at', '30 days 1 minute');
  expect(await bossSession(db(), used)).toBeDefined();
  for (const token of [idle, old]) expect(await bossSession(db(), token)).toBeUndefined();
  expect(await devices()).toBe(1);
  // Being used is what keeps it; that of one which is over does not bring it back.
  expect(
    await run(
      db(),
      `SELECT 1 FROM boss_session WHERE boss_account_id = $1 AND last_used_at > now() - interval '1 minute'`,
      [id],
    ),
  ).toHaveLength(2);
  expect(await endOldBossSessions(db())).toBe(2);
  expect(await endOldBossSessions(db())).toBe(0);
  expect(
    await run(db(), `SELECT end_reason FROM boss_session WHERE boss_account_id = $1 ORDER BY id`, [id]),
  ).toEqual([{ end_reason: '' }, { end_reason: 'expired' }, { end_reason: 'expired' }]);
});

test('who loses a merchant is signed out; ownership moves with the old owner’s code or with evidence', async () => {
  const owner = await add([{ merchant: merchants[2]!, role: 'owner' }]);
  const next = await add([{ merchant: merchants[2]!, role: 'manager', permissions: ['goods'] }]);
  const { token } = await signedIn(next.phone, next.id);
  const moved = (input: object) =>
    act(owner.id, 'transferOwner', {
      merchant: String(merchants[2]),
      to: next.phone,
      reason: '店铺转让',
      ...input,
    });
  expect((await moved({ code: '123456' })).http).toBe(422);
  expect((await moved({})).data.fields).toHaveProperty('evidence');
  expect((await act(owner.id, 'sendCode')).http).toBe(200);
  const real = await codeOf(owner.phone);
  for (let n = 0; n < 5; n += 1)
    expect((await moved({ code: real === '000000' ? '000001' : '000000' })).http).toBe(422);
  // Guesses count although they are refused: five wrong ones and the code is worth nothing.
  expect((await moved({ code: real })).data.fields).toHaveProperty('code');
  await run(
    db(),
    `UPDATE boss_code SET sent_at = sent_at - interval '2 minutes' WHERE boss_account_id = $1`,
    [owner.id],
  );
  expect((await act(owner.id, 'sendCode')).http).toBe(200);
  expect((await moved({ code: await codeOf(owner.phone) })).http).toBe(200);
  expect(await linksOf(owner.id)).toEqual([{ merchant_id: merchants[2], role: 'manager' }]);
  expect(await linksOf(next.id)).toEqual([{ merchant_id: merchants[2], role: 'owner' }]);
  expect((await bossSession(db(), token))!.links[0]!.role).toBe('owner');
  const kicked = await act(next.id, 'kick', { reason: '换机' });
  expect(kicked.http).toBe(200);
  expect(await bossSession(db(), token)).toBeUndefined();
});

test('funds are frozen with evidence, a receipt of a deposit is entered once, entries tell what is left', async () => {
  let fund = `/jinmao/web/merchantFund/${merchants[0]}`;
  const row = async () => (await product.call(admin, 'GET', fund)).data;
  let before = await row();
  const on = (action: string, input: object, at: number) =>
    product.call(admin, 'POST', `${fund}/${action}`, { version: at, ...input });
  const frozen = await on('freeze', { reason: '涉诉', evidence: '法院函 2026-1' }, before.version);
  expect(frozen.http).toBe(200);
  expect((await row()).frozen).toBe(true);
  const again = await on('freeze', { reason: '涉诉', evidence: '法院函' }, (await row()).version);
  expect(again).toMatchObject({ status: 30101, message: '资金已冻结' });
  expect((await on('unfreeze', { reason: '结案' }, (await row()).version)).http).toBe(200);
  const picture = (await runOne<{ id: string }>(
    db(),
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES (gen_random_uuid(), 'a.png', 'image/png', 1, '\\x00', gen_random_uuid()::text, 'picture') RETURNING id`,
  ))!.id;
  const receive = { amount: '500.00', voucher: 'PZ-1', evidence: [picture] };
  expect(await on('receive', receive, (await row()).version)).toMatchObject({
    status: 30101,
    message: '自营商户没有保证金',
  });
  const resident = (await runOne<{ id: number }>(
    db(),
    `SELECT id FROM tenant WHERE kind = 2 AND merchant_kind = 'resident' ORDER BY id LIMIT 1`,
  ))!;
  fund = `/jinmao/web/merchantFund/${resident.id}`;
  before = await row();
  await transaction(db(), (tx) =>
    bookDeposit(tx, { tenantId: resident.id, move: 'receive', amount: 100, reference: 'PZ-0' }),
  );
  expect(await on('receive', { ...receive, voucher: 'PZ-0' }, (await row()).version)).toMatchObject({
    status: 30101,
    message: '该回单号已录入',
  });
  await transaction(db(), (tx) =>
    bookDeposit(tx, { tenantId: resident.id, move: 'return', amount: 100, reference: 'PZ-0' }),
  );
  const first = await on('receive', receive, (await row()).version);
  expect(first).toMatchObject({ http: 200 });
  expect(await on('receive', receive, (await row()).version)).toMatchObject({
    status: 30101,
    message: '该回单号已录入',
  });
  expect(Number((await row()).deposit)).toBe(Number(before.deposit) + 500);
  // More than 1,000.00 waits for a second person at the finance desk.
  const large = await on(
    'receive',
    { ...receive, amount: '1000.01', voucher: 'PZ-2' },
    (await row()).version,
  );
  expect(large.data.result.booked).toBe(false);
  expect(Number((await row()).deposit)).toBe(Number(before.deposit) + 500);
  const over = await on(
    'deduct',
    { amount: '9999999.00', evidence: [picture], reason: '违约' },
    (await row()).version,
  );
  expect(over).toMatchObject({ status: 30101, message: '保证金不足' });
  const money = await product.call(admin, 'GET', `${fund}/funds`);
  expect(money.data.entries[0]).toMatchObject({
    account: 'merchant_deposit',
    move: 'receive',
    reference: first.data.result.code,
    amount: 50_000,
  });
  const entries = await product.call(admin, 'GET', '/jinmao/web/depositEntry/page?limit=20');
  expect(entries.data.rows[0]).toMatchObject({
    reference: first.data.result.code,
    incoming: '500.00',
    outgoing: null,
    move: 'receive',
    note: 'PZ-1',
  });
});
