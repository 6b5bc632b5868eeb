import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { elementCode, elementsOf, type ResourceSpec } from '../../../kernel/contract/resource.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { all, callAs, deliverAll, one, runJob, type Shop } from '../../mall/goods-order/order-fixture.ts';
import {
  ACCOUNTS,
  activeAccount,
  alipayForm,
  as,
  certificateUntil,
  openPayeeShop,
  orderOf,
  paymentOf,
  startPayment,
} from '../../base-data/payee-account/payee-fixture.ts';
import { registration as payWays } from '../business-list/business-list.server.ts';
import { registration as calls } from './channel-call.server.ts';
import { channelCall, mallPayment } from './mall-payment.contract.ts';
import { registration as mall } from './mall-payment.server.ts';
import { registration as sandbox } from './mall-sandbox.server.ts';

const MALL = '/jinmao/web/mallPayment';
const CALLS = '/jinmao/web/channelCall';
const ORDERS = '/jinmao/web/goodsOrder';
let shop: Shop;
let project: string;
let builtIn: Record<'alipay' | 'wechat', string>;

beforeAll(async () => {
  shop = await openPayeeShop([mall, calls, sandbox, payWays]);
  project = `${shop.ids.project}1`;
  const people = shop.callers as unknown as Record<string, Caller>;
  const codes = [mallPayment, channelCall].flatMap((resource) =>
    Object.keys(elementsOf(resource as unknown as ResourceSpec)).map((element) =>
      elementCode(resource, element),
    ),
  );
  for (const who of ['A', 'B', 'X'])
    people[who] = {
      ...people[who]!,
      menus: new Map([...people[who]!.menus, ['ssm_mallPayment', [{ kind: 'all' as const }]]]),
      elements: new Set([...people[who]!.elements, ...codes, 'ssm_mallPayment:btn_save']),
    };
}, 180_000);
afterAll(() => shop?.close());

beforeEach(async () => {
  await all(shop, `UPDATE payee_account SET mall_enabled = false, is_pay_in_mall = false`);
  await all(shop, `UPDATE payee_account SET state = 'stopped' WHERE NOT built_in AND state <> 'draft'`);
  await all(
    shop,
    `UPDATE payee_assignment SET state = 'withdrawn' WHERE account_id IN (SELECT id FROM payee_account WHERE NOT built_in)`,
  );
  const rows = await all<{ id: number; channel: 'alipay' | 'wechat' }>(
    shop,
    `UPDATE payee_account SET mall_enabled = true, is_pay_in_mall = true, state = 'active' WHERE built_in RETURNING id, channel`,
  );
  builtIn = Object.fromEntries(rows.map((row) => [row.channel, String(row.id)])) as typeof builtIn;
});

const act = (id: string, name: string, input: object = {}, who = 'A') =>
  as(shop, who, 'POST', `${MALL}/${id}/${name}`, input);
const ways = async (who = 'A') =>
  ((await as(shop, who, 'GET', '/jinmao/shoppingMall/getPayType')).data as { id: number }[]).map(
    (way) => way.id,
  );
const payLink = async (orderId: string, asked: { data: any }, channel: 1 | 2 = 1) => {
  const paid = await callAs(shop, 'platform', 'POST', `${ORDERS}/${orderId}/sandboxPay`, {
    mark: asked.data.result.mark,
    channel: String(channel),
  });
  await deliverAll(shop);
  return paid;
};
const pay = async (orderId: string) => {
  const asked = await startPayment(shop, orderId);
  expect(asked.message).toBe('');
  expect((await payLink(orderId, asked)).message).toBe('');
};
async function refund(orderId: string, amount: string) {
  const [line] = await all(shop, 'SELECT id FROM order_line WHERE order_id = $1', [orderId]);
  const done = await callAs(shop, 'platform', 'POST', `${ORDERS}/${orderId}/refund`, {
    lines: [{ lineId: String(line!.id), amount }],
    cashReason: '协商',
    reasonCode: 'other',
    reason: '协商退款',
  });
  expect(done.message).toBe('');
  await deliverAll(shop);
  for (const { refund_no } of await all(
    shop,
    `SELECT refund_no FROM sandbox_refund WHERE state = 'accepted'`,
  ))
    await runJob(shop, 'sandbox.refund_result', { refundNo: refund_no });
  await deliverAll(shop);
}
const refundOf = (orderId: string) =>
  one(shop, 'SELECT r.* FROM refund r WHERE r.order_id = $1 ORDER BY r.id DESC LIMIT 1', [orderId]);

describe('switching on and off', () => {
  test('pay ways are those that are on; the last one needs a second confirmation, also when both go at once', async () => {
    expect(await ways()).toEqual([1, 2]);
    const both = await Promise.all([act(builtIn.alipay, 'mallOff'), act(builtIn.wechat, 'mallOff')]);
    expect(both.map((answer) => answer.http).sort()).toEqual([200, 409]);
    const refused = both.find((answer) => answer.http === 409)!;
    expect([refused.status, refused.message]).toEqual([
      30101,
      '这是商城最后一个启用的支付方式，停用后买家无法付款；请再次确认',
    ]);
    expect(await ways()).toHaveLength(1);
    const left = both[0]!.http === 409 ? builtIn.alipay : builtIn.wechat;
    expect((await act(left, 'mallOff', { last: true })).http).toBe(200);
    expect(await ways()).toEqual([]);
    expect((await act(left, 'mallOff', { last: true })).message).toBe('商城未启用该账户');
  });

  test('switched off, new payments are refused; those that were started and refunds go on', async () => {
    const [paid, started, fresh] = [
      await orderOf(shop, 1000),
      await orderOf(shop, 1100),
      await orderOf(shop, 1200),
    ];
    await pay(paid);
    const asked = await startPayment(shop, started);
    expect((await act(builtIn.alipay, 'mallOff')).http).toBe(200);
    const refused = await startPayment(shop, fresh);
    expect([refused.status, refused.message]).toEqual([30101, '该支付方式已停用，请选择其他方式']);
    expect((await startPayment(shop, fresh, 2)).message).toBe('');
    expect((await payLink(started, asked)).message).toBe('');
    expect((await paymentOf(shop, started)).state).toBe(2);
    await refund(paid, '10.00');
    expect((await refundOf(paid)).state).toBe('succeeded');
  });

  test('ten people switch different accounts on at once: one of a channel is on, and the index never speaks', async () => {
    const accounts = [
      await activeAccount(shop, [{ object: project, businesses: ['parking'] }]),
      await activeAccount(shop, [{ object: project, businesses: ['deposit'] }]),
    ];
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_none, index) => act(accounts[index % 2]!.id, 'mallOn')),
    );
    expect(answers.every((answer) => answer.http === 200 || answer.message === '商城已启用该账户')).toBe(
      true,
    );
    const on = await all(shop, `SELECT id FROM payee_account WHERE mall_enabled AND channel = 'alipay'`);
    expect(on).toHaveLength(1);
  });

  test('other tenants neither see nor switch the accounts of the platform', async () => {
    expect((await as(shop, 'X', 'GET', `${MALL}/page`)).data.total).toBe(0);
    expect((await act(builtIn.alipay, 'mallOff', {}, 'X')).http).toBe(404);
    expect((await as(shop, 'X', 'GET', `${CALLS}/page`)).data.total).toBe(0);
  });
});

test('group 09 Must show 13: no answer, log, export or audit record has the secret; after switching the channel an old order is refunded through the old account', async () => {
  const old = await activeAccount(shop, [{ object: project, businesses: ['parking'] }]);
  expect((await act(old.id, 'mallOn')).http).toBe(200);
  const order = await orderOf(shop, 5000);
  await pay(order);
  expect((await paymentOf(shop, order)).payee_account_id).toBe(Number(old.id));

  const next = await activeAccount(shop, [{ object: project, businesses: ['deposit'] }]);
  const switched = await act(next.id, 'mallOn');
  expect([switched.http, switched.data.mallEnabled]).toEqual([200, true]);
  expect((await as(shop, 'A', 'GET', `${MALL}/${old.id}`)).data.mallEnabled).toBe(false);
  const later = await orderOf(shop, 6000);
  await pay(later);
  expect((await paymentOf(shop, later)).payee_account_id).toBe(Number(next.id));

  // The old one is not even active any more.
  await all(shop, `UPDATE payee_account SET state = 'stopped' WHERE id = $1`, [old.id]);
  await refund(order, '50.00');
  const done = await refundOf(order);
  expect(done.state).toBe('succeeded');
  const asked = await all(
    shop,
    `SELECT kind, direction, account_id, result FROM channel_call WHERE account_id = $1 AND kind = 'refund' ORDER BY direction`,
    [old.id],
  );
  expect(asked).toEqual([
    { kind: 'refund', direction: 'callback', account_id: Number(old.id), result: 'success' },
    { kind: 'refund', direction: 'request', account_id: Number(old.id), result: 'accepted' },
  ]);

  // New keys of an account in use wait for somebody else; no trace of them anywhere.
  const number = '2088777766661111';
  const row = (await as(shop, 'A', 'GET', `${MALL}/${next.id}`)).data;
  const changed = await as(shop, 'A', 'PUT', `${MALL}/${next.id}`, {
    version: row.version,
    accountNumber: number,
  });
  expect([changed.message, changed.data.state, changed.data.pendingChange]).toEqual(['', 'active', true]);
  expect((await act(next.id, 'rotate', { accountNumber: number })).message).toContain('待审批的变更');
  const answers = [
    changed,
    await as(shop, 'A', 'GET', `${MALL}/page?limit=200`),
    await as(shop, 'A', 'GET', `${MALL}/${next.id}`),
    await as(shop, 'A', 'GET', `${MALL}/${next.id}/timeline`),
    await as(shop, 'A', 'GET', `${CALLS}/page?limit=200`),
  ];
  const secret = /20887777|BEGIN [A-Z ]*PRIVATE|MIIBIjANBgkqhkiG/;
  for (const answer of answers) expect(JSON.stringify(answer.data)).not.toMatch(secret);
  for (const table of [
    'payee_account',
    'payee_change',
    'audit_record',
    'entity_event',
    'idempotency_key',
    'channel_call',
    'outbox',
  ]) {
    const rows = await all<{ text: string }>(shop, `SELECT row_to_json(t)::text AS text FROM ${table} t`);
    expect([table, rows.filter((each) => secret.test(each.text))]).toEqual([table, []]);
  }
  const source = shop.registrations
    .flatMap((service) => service.exports ?? [])
    .find((one_) => one_.source === 'channelCall')!;
  const caller = (shop.callers as unknown as Record<string, Caller>).A!;
  for await (const rows of source.read({ caller, platform: shop.platforms[0]!, language: 'zh' }, {}))
    expect(JSON.stringify(rows)).not.toMatch(secret);
  expect((await as(shop, 'A', 'GET', `${MALL}/${next.id}`)).data.secrets).toContainEqual(
    expect.objectContaining({ kind: 'privateKey', tail: expect.any(String) }),
  );
});

test('a draft takes new keys at once; the test signs with them and asks the channel', async () => {
  const made = await as(shop, 'A', 'POST', ACCOUNTS, alipayForm(shop));
  const { id, version } = made.data;
  const saved = await as(shop, 'A', 'PUT', `${MALL}/${id}`, { version, appId: '2021999' });
  expect([saved.message, saved.data.state, saved.data.appId]).toEqual(['', 'draft', '2021999']);
  expect((await act(id, 'rotate')).http).toBe(422);
  expect((await act(id, 'mallOn')).status).toBe(30101);
  const tested = await act(id, 'test');
  // The platform key of the form is cut short on purpose.
  expect(tested.data.result).toMatchObject({
    signature: '签名成功，平台公钥无法识别',
    query: '沙箱应答正常',
  });
  expect((await act(builtIn.wechat, 'test')).data.result.signature).toBe('沙箱账户无需签名');
  expect((await act(builtIn.wechat, 'rotate', { privateKey: 'x' })).message).toBe('沙箱账户没有密钥');
});

test('WeChat has an app id for every source; a change of one of an active account waits for somebody else, in words', async () => {
  const made = await as(
    shop,
    'A',
    'POST',
    ACCOUNTS,
    alipayForm(shop, {
      channel: 'wechat',
      accountNumber: '1600000001',
      appId: 'wx0000',
      apiKey: 'k'.repeat(32),
      certificate: certificateUntil(new Date(Date.now() + 90 * 86_400_000)),
      publicKey: undefined,
    }),
  );
  expect(made.message).toBe('');
  const { id, version } = made.data;
  const ids = { appIdIos: 'wx0001', appIdAndroid: 'wx0002', appIdH5: 'wx0003', appIdMiniProgram: 'wx0004' };
  const saved = await as(shop, 'A', 'PUT', `${MALL}/${id}`, { version, ...ids });
  expect(saved.data).toMatchObject({ ...ids, appId: 'wx0000', state: 'draft' });
  const stored = async () =>
    (await one(shop, 'SELECT app_ids FROM payee_account WHERE id = $1', [id])).app_ids;
  expect(await stored()).toEqual({
    default: 'wx0000',
    ios: 'wx0001',
    android: 'wx0002',
    h5: 'wx0003',
    mini_program: 'wx0004',
  });
  // Emptied, the account's own id is used; the others stay.
  const emptied = await as(shop, 'A', 'PUT', `${MALL}/${id}`, { version: saved.data.version, appIdH5: null });
  expect(emptied.data).toMatchObject({ ...ids, appIdH5: '' });

  await all(shop, `UPDATE payee_account SET state = 'active', tested_at = now() WHERE id = $1`, [id]);
  const before = await stored();
  const waits = await as(shop, 'A', 'PUT', `${MALL}/${id}`, {
    version: emptied.data.version,
    appIdIos: 'wx9999',
  });
  expect([waits.message, waits.data.pendingChange, waits.data.appIdIos]).toEqual(['', true, 'wx0001']);
  expect(await stored()).toEqual(before);
  const change = await one(shop, `SELECT changes FROM payee_change WHERE account_id = $1`, [id]);
  expect(change.changes).toEqual([{ field: 'appIdIos', before: 'wx0001', after: 'wx9999' }]);

  // Alipay has one id for all sources: those of WeChat are not kept.
  const alipay = await as(shop, 'A', 'POST', ACCOUNTS, alipayForm(shop));
  const same = await as(shop, 'A', 'PUT', `${MALL}/${alipay.data.id}`, {
    version: alipay.data.version,
    appId: '2021777',
    appIdIos: 'wx0001',
  });
  expect(same.data).toMatchObject({ appId: '2021777', appIdIos: '' });
});

describe('channel calls', () => {
  test('sending a callback or a request again moves no money', async () => {
    const order = await orderOf(shop, 3000);
    await pay(order);
    await refund(order, '30.00');
    const payment = await paymentOf(shop, order);
    const before = await all(shop, 'SELECT refund_no, paid_times FROM sandbox_refund ORDER BY refund_no');
    const rows = (await as(shop, 'A', 'GET', `${CALLS}/page?limit=200`)).data.rows as Record<string, any>[];
    const mine = rows.filter(
      (row) => row.number === payment.checkout_code || before.some((one_) => one_.refund_no === row.number),
    );
    const kinds = new Set(mine.map((row) => `${row.direction} ${row.kind}`));
    for (const kind of ['request pay', 'callback pay', 'request refund', 'callback refund'])
      expect([kind, kinds.has(kind)]).toEqual([kind, true]);
    for (const row of mine)
      expect((await as(shop, 'A', 'POST', `${CALLS}/${row.id}/resend`, {})).http).toBe(200);
    await deliverAll(shop);
    expect(await all(shop, 'SELECT refund_no, paid_times FROM sandbox_refund ORDER BY refund_no')).toEqual(
      before,
    );
    expect(await paymentOf(shop, order)).toMatchObject({ state: 2, refunded: 3000, refunding: 0 });
    const callback = await one(
      shop,
      `SELECT calls FROM channel_call WHERE direction = 'callback' AND kind = 'pay' AND number = $1`,
      [payment.checkout_code],
    );
    expect(callback.calls).toBeGreaterThanOrEqual(2);
  });
});

describe('the sandbox', () => {
  const set = async (values: object) => {
    const now = (await as(shop, 'A', 'GET', '/jinmao/web/settings/mallSandbox')).data;
    return as(shop, 'A', 'PUT', '/jinmao/web/settings/mallSandbox', {
      version: now.version,
      values: { ...now.values, ...values },
    });
  };

  test('fails the share that is set, and takes no shares above a hundred', async () => {
    const bad = await set({ sandbox_fail_percent: 60, sandbox_lost_percent: 50 });
    expect([bad.http, bad.data.fields]).toEqual([422, { sandbox_lost_percent: '各项合计不能超过 100%' }]);
    expect((await set({ sandbox_fail_percent: 100, sandbox_lost_percent: 0 })).http).toBe(200);
    for (const platform of shop.platforms) platform.settings.forget();
    const order = await orderOf(shop, 900);
    const asked = await startPayment(shop, order);
    expect((await payLink(order, asked)).http).toBe(409);
    expect((await set({ sandbox_fail_percent: 0 })).http).toBe(200);
    for (const platform of shop.platforms) platform.settings.forget();
    const again = await startPayment(shop, order);
    expect((await payLink(order, again)).http).toBe(200);
  });
});
