import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { receivePayment } from '../../../domain/checkout/take-payment.server.ts';
import { takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { settleSuccess } from '../../after-sales/refund/refund-success.server.ts';
import { callerOf } from '../../mall/product/mall-fixture.ts';
import { registration } from './redemption.server.ts';

const GOODS = '/jinmao/web/pointsProduct';
const REDEMPTIONS = '/jinmao/web/redemption';
let product: TestProduct;
let admin: string;
let project: number;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  project = (await one<{ id: number }>('SELECT id FROM project ORDER BY id LIMIT 1')).id;
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async <T>(sql: string, values: readonly unknown[] = []) => (await runOne<T>(db(), sql, values))!;
async function member(...lots: readonly number[]): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO member (name, phone, project_id, registered_at) VALUES ('兑换人', $1, $2, '2026-01-01') RETURNING id`,
    [`1380013${String(number).padStart(4, '0')}`, project],
  );
  for (const [index, amount] of lots.entries())
    await transaction(db(), (tx) =>
      grantPoints(tx, product.platform.settings, {
        memberId: id,
        amount,
        kind: 5,
        expiresAt: new Date(Date.UTC(2030, index, 1)),
        source: { type: 'test', id: `${id}:${index}`, purpose: 'grant' },
      }),
    );
  return id;
}
async function goods(more: object, points: number, quantity: number) {
  number += 1;
  const picture = await one<{ id: string }>(
    `SELECT id FROM stored_file WHERE access = 'picture' ORDER BY name, id LIMIT 1`,
  );
  const made = await product.call(admin, 'POST', GOODS, {
    name: `测试商品${number}`,
    class: 'daily',
    projects: [String(project)],
    images: [picture.id],
    way: 'collect',
    place: '服务中心',
    perMember: 0,
    perMonth: 0,
    specs: [{ name: '标准', points, unit: '件', quantity }],
    ...more,
  });
  expect([made.http, made.message]).toEqual([200, expect.anything()]);
  const id = Number(made.data.id);
  expect((await act(GOODS, id, 'publish')).http).toBe(200);
  const spec = await one<{ id: number }>('SELECT id FROM points_product_spec WHERE points_product_id = $1', [
    id,
  ]);
  return { id, spec: spec.id };
}
async function act(root: string, id: number, action: string, input: object = {}) {
  const { version } = (await product.call(admin, 'GET', `${root}/${id}`)).data;
  return product.call(admin, 'POST', `${root}/${id}/${action}`, { version, ...input });
}
/** What a program does: an event that got no answer is sent again under its number. */
async function send(memberId: number, type: string, payload: Record<string, unknown>) {
  const event = {
    eventId: randomUUID(),
    memberId,
    projectId: project,
    type,
    occurredAt: new Date().toISOString(),
    payload,
  };
  for (let turn = 0; ; turn += 1)
    try {
      return await takeMemberEvent(product.platform, event, { clientId: 'app' });
    } catch (error) {
      if (error instanceof Refusal || turn === 20) throw error;
    }
}
const redeem = (memberId: number, specId: number, more: object = {}) =>
  send(memberId, 'redeem', { specId: String(specId), ...more }).then(
    (answer) =>
      answer.result as {
        redemptionId: string;
        collectCode: string | null;
        state: string;
        payment?: { amount: string; checkoutCode: string; payUntil: string };
      },
  );
const why = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { label: readonly string[] }) => error.label[0],
  );
const lots = (memberId: number) =>
  run<{ remaining: number }>(
    db(),
    `SELECT l.remaining FROM points_lot l JOIN ledger_account a ON a.id = l.account_id WHERE a.member_id = $1 ORDER BY l.expires_at, l.id`,
    [memberId],
  ).then((rows) => rows.map((row) => row.remaining));
const left = async (specId: number) =>
  (await one<{ n: number }>('SELECT quantity - taken AS n FROM points_product_spec WHERE id = $1', [specId]))
    .n;
const sound = async () => {
  const all = product.platform.registrations.flatMap((one) => one.invariants ?? []);
  for (const invariant of all.filter(({ name }) => /^(points|payment|refund|order)[._]/.test(name)))
    expect([invariant.name, (await invariant.check(product.platform)).problems]).toEqual([
      invariant.name,
      [],
    ]);
};
const seen = async (id: string) => (await product.call(admin, 'GET', `${REDEMPTIONS}/${id}`)).data;
const job = (name: string) =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!
    .run({}, product.platform);
/** What the channel says of a checkout: it was paid. */
const pay = async (checkoutCode: string) =>
  receivePayment(product.platform, {
    checkoutCode,
    tradeNo: `T${randomUUID()}`,
    amount: (
      await one<{ amount: number }>('SELECT amount FROM payment WHERE checkout_code = $1', [checkoutCode])
    ).amount,
    channel: 1,
    paidAt: new Date(),
  });
const purse = (memberId: number) =>
  one<{ available: number; held: number }>(
    `SELECT coalesce(sum(l.remaining), 0)::int AS available, coalesce(sum(l.held), 0)::int AS held
       FROM points_lot l JOIN ledger_account a ON a.id = l.account_id WHERE a.member_id = $1`,
    [memberId],
  );
const refunds = (redemptionId: string) =>
  run<{ id: number; cash: number; state: string }>(
    db(),
    'SELECT f.id, f.cash, f.state FROM refund f JOIN points_redemption r ON r.order_id = f.order_id WHERE r.id = $1 ORDER BY f.id',
    [redemptionId],
  );
const dear = (quantity: number, more: object = {}, cash = '9.90') =>
  goods({ specs: [{ name: '标准', points: 100, cash, unit: '件', quantity }], ...more }, 0, 0);

test('goods taken off the shelf in one project stay in the others; off in the last one they are off the shelf', async () => {
  const { id: other } = await one<{ id: number }>('SELECT id FROM project ORDER BY id OFFSET 1 LIMIT 1');
  const made = await goods({ projects: [String(project), String(other)] }, 10, 5);
  const places = async () =>
    (
      await run<{ id: number }>(
        db(),
        'SELECT project_id AS id FROM points_product_project WHERE points_product_id = $1 ORDER BY 1',
        [made.id],
      )
    ).map((row) => row.id);
  const off = (projects: readonly number[]) =>
    act(GOODS, made.id, 'off', { reason: '缺货', projects: projects.map(String) });
  expect((await off([project])).message).toBe('');
  expect(await places()).toEqual([other]);
  expect((await product.call(admin, 'GET', `${GOODS}/${made.id}`)).data.state).toBe('published');
  expect((await off([other])).message).toBe('');
  expect((await product.call(admin, 'GET', `${GOODS}/${made.id}`)).data.state).toBe('off_shelf');
});

test('group 01 Must show 7: a hundred at once for ten pieces: ten get one, ninety are told, 500 points are used', async () => {
  const { spec } = await goods({}, 50, 10);
  const members = await Promise.all(Array.from({ length: 100 }, () => member(60)));
  const answers = await Promise.all(members.map((id) => why(redeem(id, spec))));
  expect(answers.filter((one) => one === 'done')).toHaveLength(10);
  expect(answers.filter((one) => one === '库存不足')).toHaveLength(90);
  expect(await left(spec)).toBe(0);
  const used = await one<{ n: number }>(
    `SELECT coalesce(sum(60 - a.balance), 0)::int AS n FROM ledger_account a WHERE a.member_id = ANY($1::bigint[]) AND a.kind = 'points_available' AND a.unit = 'point'`,
    [members],
  );
  expect(used.n).toBe(500);
  await sound();
});

test('group 01 Must show 8: 180 points cancelled before shipping are back in their lots, the piece in stock, +180 in the statement', async () => {
  const { spec } = await goods({ way: 'ship' }, 180, 5);
  const id = await member(100, 50, 80);
  expect(await why(redeem(id, spec))).toBe('请填写收件人、电话与地址');
  const { redemptionId } = await redeem(id, spec, {
    receiver: '兑换人',
    phone: '13800138000',
    address: '1-1-101',
  });
  expect(await lots(id)).toEqual([0, 0, 50]);
  expect(await left(spec)).toBe(4);
  const cancelled = await act(REDEMPTIONS, Number(redemptionId), 'cancel', { reason: '缺货改期' });
  expect(cancelled.http).toBe(200);
  expect(await lots(id)).toEqual([100, 50, 80]);
  expect(await left(spec)).toBe(5);
  const statement = await product.call(
    admin,
    'GET',
    `/jinmao/web/pointsStatement/page?account=${id}&limit=20`,
  );
  expect(statement.data.rows.map((row: { amount: number }) => row.amount)).toContain(180);
  expect(await why(send(id, 'redeem.cancel', { redemptionId }))).toBe('已发放，不能取消');
  await sound();
});

test('a code hands out once; shipped things are received by themselves, uncollected ones go back', async () => {
  const { spec } = await goods({}, 10, 9);
  const id = await member(100);
  const first = await redeem(id, spec);
  const wrong = first.collectCode === '00000000' ? '11111111' : '00000000';
  expect((await act(REDEMPTIONS, Number(first.redemptionId), 'verify', { collectCode: wrong })).http).toBe(
    422,
  );
  expect(
    (await act(REDEMPTIONS, Number(first.redemptionId), 'verify', { collectCode: first.collectCode })).http,
  ).toBe(200);
  expect((await product.call(admin, 'GET', `${REDEMPTIONS}/${first.redemptionId}`)).data.state).toBe(
    'completed',
  );
  const late = await redeem(id, spec);
  await run(db(), `UPDATE points_redemption SET collect_until = now() - interval '1 hour' WHERE id = $1`, [
    late.redemptionId,
  ]);
  const ship = await goods({ way: 'ship' }, 20, 3);
  const sent = await redeem(id, ship.spec, { receiver: '甲', phone: '13800138000', address: '2-2-202' });
  expect(
    (
      await act(REDEMPTIONS, Number(sent.redemptionId), 'ship', {
        company: '顺丰速运',
        trackingNo: 'SF12345678',
      })
    ).http,
  ).toBe(200);
  await run(db(), `UPDATE points_redemption SET receive_by = now() - interval '1 hour' WHERE id = $1`, [
    sent.redemptionId,
  ]);
  for (const job of registration.jobs ?? []) await job.run({}, product.platform);
  const state = async (one_: string) =>
    (await product.call(admin, 'GET', `${REDEMPTIONS}/${one_}`)).data.state;
  expect([await state(late.redemptionId), await state(sent.redemptionId)]).toEqual([
    'cancelled',
    'completed',
  ]);
  expect(await left(spec)).toBe(8);
  const refunded = await act(REDEMPTIONS, Number(sent.redemptionId), 'refund', {
    qty: 1,
    restock: false,
    reason: '破损',
  });
  expect(refunded.http).toBe(200);
  expect([await state(sent.redemptionId), await left(ship.spec)]).toEqual(['refunded', 2]);
  await sound();
});

test('redemptions are shipped from a file: the dry run names what is wrong, the good rows ship by the very action; lots used are told', async () => {
  const ship = await goods({ way: 'ship', place: '' }, 20, 5);
  const who = await member(60, 40);
  const asked = { receiver: '张三', phone: '13900000000', address: '1幢101' };
  const codes: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    const { redemptionId } = await redeem(who, ship.spec, asked);
    codes.push((await seen(redemptionId)).code as string);
    if (n === 3) expect((await seen(redemptionId)).lots).toMatch(/^L\d+ × 20$/);
  }
  const staff = await one<{ id: number; tenant: number }>(
    `SELECT id, tenant_id AS tenant FROM staff WHERE account = 'admin'`,
  );
  const caller = callerOf(
    { staffId: staff.id, tenantId: staff.tenant },
    ['os_integralCash'],
    ['os_integralCash:btn_ship'],
  );
  const call = { caller, platform: product.platform, language: 'zh' as const };
  const target = registration.imports!.find((found) => found.source === 'redemptionShip')!;
  const row = (number: number, code: string, trackingNo = `SF000000${number}`, company = '顺丰速运') => ({
    number,
    values: { code, company, trackingNo },
  });
  const rows = [
    row(1, codes[0]!),
    row(2, codes[1]!.toLowerCase()),
    row(3, codes[1]!),
    row(4, 'RD0'),
    row(5, codes[2]!, '短'),
    row(6, codes[3]!, 'SF0000006', '顺'),
  ];
  const problems = await target.check(call, rows);
  expect(problems.map((found) => [found.row, found.column])).toEqual([
    [3, 'code'],
    [4, 'code'],
    [5, 'trackingNo'],
    [6, 'company'],
  ]);
  expect(await transaction(db(), (tx) => target.commit(tx, call, rows.slice(0, 2)))).toBe(2);
  const states = await run<{ state: string }>(
    db(),
    'SELECT state FROM points_redemption WHERE code = ANY($1::text[]) ORDER BY id',
    [codes],
  );
  expect(states.map((found) => found.state)).toEqual(['shipped', 'shipped', 'to_fulfil', 'to_fulfil']);
  // What left is no longer waiting: the same file again ships nothing.
  expect((await target.check(call, rows.slice(0, 2))).map((found) => found.column)).toEqual(['code', 'code']);
  // Outside the projects of the staff there is no such redemption.
  const stranger = { ...call, caller: { ...caller, tenantKind: 1 as const, projectIds: [] } };
  expect((await target.check(stranger, [row(1, codes[2]!)])).map((found) => found.message[0])).toEqual([
    '兑换编号不存在',
  ]);
  await sound();
});

test('limits by member and month hold; stock is not taken below what was redeemed; a card comes at once', async () => {
  const limited = await goods({ perMember: 2, perMonth: 1 }, 10, 20);
  const id = await member(200);
  await redeem(id, limited.spec);
  expect(await why(redeem(id, limited.spec))).toBe('已达本月兑换上限');
  expect(await left(limited.spec)).toBe(19);
  const fewer = await act(GOODS, limited.id, 'stock', {
    spec: String(limited.spec),
    change: -20,
    reason: '盘点',
  });
  expect(fewer.data.fields).toEqual({ change: '不能少于已兑数量' });
  expect(
    (await act(GOODS, limited.id, 'stock', { spec: String(limited.spec), change: -19, reason: '盘点' })).http,
  ).toBe(200);
  expect(await left(limited.spec)).toBe(0);
  const card = await goods({ way: 'card', place: '' }, 50, 5);
  expect((await redeem(id, card.spec)).state).toBe('completed');
  const held = await one<{ n: number; points: number }>(
    `SELECT sum(remaining)::int AS n, sum(points)::int AS points FROM resign_card WHERE member_id = $1 AND source = 'shop'`,
    [id],
  );
  expect(held).toEqual({ n: 1, points: 50 });
  await sound();
});

test('stock is changed of the specs of the product alone, which are the ones offered', async () => {
  const [mine, other] = [await goods({}, 20, 5), await goods({}, 20, 5)];
  const offered = (
    await product.call(admin, 'GET', `/jinmao/web/options/pointsProductSpec?within=${mine.id}`)
  ).data as { id: string }[];
  expect(offered.map((one) => one.id)).toEqual([String(mine.spec)]);
  const change = (spec: number) =>
    act(GOODS, mine.id, 'stock', { spec: String(spec), change: 3, reason: '补货' });
  expect((await change(other.spec)).data.fields).toEqual({ spec: '请选择该商品的规格' });
  expect((await change(mine.spec)).data).toMatchObject({ total: 8, left: 8 });
  expect((await product.call(admin, 'GET', `${GOODS}/${other.id}`)).data).toMatchObject({ total: 5 });
});

test('taken off some projects it stays in the others; what was published is not deleted, its quantities are not typed over', async () => {
  const { id } = await goods({}, 10, 5);
  const { specs } = (await product.call(admin, 'GET', `${GOODS}/${id}`)).data;
  const { version } = (await product.call(admin, 'GET', `${GOODS}/${id}`)).data;
  const typed = await product.call(admin, 'PUT', `${GOODS}/${id}`, {
    version,
    specs: specs.map((one: object) => ({ ...one, quantity: 50 })),
  });
  expect(typed.data.fields.specs).toContain('调整库存');
  expect((await act(GOODS, id, 'off', { projects: [], reason: '换季' })).http).toBe(200);
  expect((await product.call(admin, 'GET', `${GOODS}/${id}`)).data.state).toBe('off_shelf');
  const gone = await product.call(admin, 'DELETE', `${GOODS}/${id}`, { version: version + 1 });
  expect(gone.status).toBe(30101);
});

test('group 01 Must show 9: 9.90 unpaid for 30 minutes is cancelled and its points are free; paid it is captured with its order; cancelled 9.90 is among the refunds and the points are back', async () => {
  const { id: goodsId, spec } = await dear(5, { perMember: 2 });
  expect((await product.call(admin, 'GET', `${GOODS}/${goodsId}`)).data).toMatchObject({
    price: '100 + ¥9.90',
    chargeWay: 'both',
  });
  const id = await member(60, 90);
  const late = await redeem(id, spec);
  expect(late).toMatchObject({ state: 'pending_payment', collectCode: null, payment: { amount: '9.90' } });
  const minutes = (Date.parse(late.payment!.payUntil) - Date.now()) / 60_000;
  expect(Math.round(minutes)).toBe(30);
  expect([await purse(id), await left(spec)]).toEqual([{ available: 50, held: 100 }, 4]);
  await run(
    db(),
    `UPDATE sales_order SET pay_deadline = now() - interval '1 second' WHERE id = (SELECT order_id FROM points_redemption WHERE id = $1)`,
    [late.redemptionId],
  );
  await job('order.close_unpaid');
  expect(await seen(late.redemptionId)).toMatchObject({ state: 'cancelled', paid: '0.00' });
  expect([await lots(id), await left(spec)]).toEqual([[60, 90], 5]);
  // Money that comes too late goes back whole; nothing else moves.
  expect(await pay(late.payment!.checkoutCode)).toBe('late');
  expect(await refunds(late.redemptionId)).toMatchObject([{ cash: 990 }]);
  expect([await lots(id), await left(spec), (await seen(late.redemptionId)).state]).toEqual([
    [60, 90],
    5,
    'cancelled',
  ]);

  const paid = await redeem(id, spec);
  expect(await pay(paid.payment!.checkoutCode)).toBe('paid');
  expect(await pay(paid.payment!.checkoutCode)).toBe('surplus');
  const shown = await seen(paid.redemptionId);
  expect(shown).toMatchObject({ state: 'to_collect', cash: '9.90', paid: '9.90', cashBack: '0.00' });
  expect(shown.orderCode).toMatch(/^SO/);
  const found = await product.call(
    admin,
    'GET',
    `${REDEMPTIONS}/page?limit=10&searchVal=${String(shown.orderCode)}`,
  );
  expect(found.data.rows.map((row: { id: string }) => row.id)).toEqual([paid.redemptionId]);
  expect(await purse(id)).toEqual({ available: 50, held: 0 });
  const told = await one<{ body: string }>(
    `SELECT body FROM sms_message WHERE purpose = 'redemption' ORDER BY id DESC LIMIT 1`,
  );
  expect(told.body).toMatch(/自提码 \d{8}/);

  expect((await act(REDEMPTIONS, Number(paid.redemptionId), 'cancel', { reason: '缺货' })).message).toBe('');
  const [refund] = await refunds(paid.redemptionId);
  expect(refund).toMatchObject({ cash: 990 });
  const audited = await product.call(admin, 'GET', '/jinmao/web/refund/page?limit=50');
  expect(audited.data.rows.map((row: { id: string }) => Number(row.id))).toContain(refund!.id);
  expect([await lots(id), await left(spec), (await seen(paid.redemptionId)).state]).toEqual([
    [60, 90],
    5,
    'cancelled',
  ]);
  await transaction(db(), (tx) => settleSuccess(tx, { platform: product.platform, refundId: refund!.id }));
  expect(await seen(paid.redemptionId)).toMatchObject({ cashBack: '9.90', refundState: 'succeeded' });
  expect([await lots(id), await left(spec)]).toEqual([[60, 90], 5]);
  await sound();
});

test('with a part in cash: given up unpaid, taken by many at once, paid while it is given up, given back by the piece', async () => {
  const id = await member(300);
  const { spec } = await dear(9, { way: 'ship', place: '' });
  const to = { receiver: '甲', phone: '13800138000', address: '2-2-202' };
  const given = await redeem(id, spec, to);
  expect(await why(send(id, 'redeem.cancel', { redemptionId: given.redemptionId }))).toBe('done');
  expect([await purse(id), await left(spec)]).toEqual([{ available: 300, held: 0 }, 9]);
  expect(await pay(given.payment!.checkoutCode)).toBe('late');
  expect(await why(send(await member(99), 'redeem', { specId: String(spec), ...to }))).toContain('积分不足');
  const orders = await one<{ n: number }>(`SELECT count(*)::int AS n FROM sales_order WHERE kind = 'points'`);

  // Stock of 3 for ten members, and none of the others keeps an order.
  const few = await dear(3);
  const many = await Promise.all(Array.from({ length: 10 }, () => member(100)));
  const answers = await Promise.all(many.map((one) => why(redeem(one, few.spec))));
  expect(answers.filter((one) => one === '库存不足')).toHaveLength(7);
  const after = await one<{ n: number }>(`SELECT count(*)::int AS n FROM sales_order WHERE kind = 'points'`);
  expect(after.n - orders.n).toBe(3);

  // Paid and given up at the same moment: either money and points are both gone back, or none was taken.
  const race = await redeem(id, spec, to);
  const [outcome, gone] = await Promise.all([
    pay(race.payment!.checkoutCode),
    why(send(id, 'redeem.cancel', { redemptionId: race.redemptionId })),
  ]);
  expect([outcome === 'paid' || outcome === 'late', gone]).toEqual([true, 'done']);
  expect((await refunds(race.redemptionId)).map((one) => one.cash)).toEqual([990]);
  expect([await purse(id), await left(spec)]).toEqual([{ available: 300, held: 0 }, 9]);

  const three = await redeem(id, spec, { ...to, qty: 3 });
  expect(three.payment!.amount).toBe('29.70');
  expect(await why(send(id, 'redeem.receive', { redemptionId: three.redemptionId }))).toBe('尚未发货');
  await pay(three.payment!.checkoutCode);
  await act(REDEMPTIONS, Number(three.redemptionId), 'ship', {
    company: '顺丰速运',
    trackingNo: 'SF99887766',
  });
  await send(id, 'redeem.receive', { redemptionId: three.redemptionId });
  const order = () =>
    one<{ state: string; cash_refunded: number }>(
      'SELECT o.state, o.cash_refunded FROM sales_order o JOIN points_redemption r ON r.order_id = o.id WHERE r.id = $1',
      [three.redemptionId],
    );
  expect((await order()).state).toBe('completed');
  const back = (qty: number) =>
    act(REDEMPTIONS, Number(three.redemptionId), 'refund', { qty, restock: false, reason: '破损' });
  expect((await back(1)).message).toBe('');
  expect((await back(1)).message).toBe('该订单有未完成的退款');
  expect(await purse(id)).toEqual({ available: 100, held: 0 });
  const [first] = await refunds(three.redemptionId);
  expect(first!.cash).toBe(990);
  await transaction(db(), (tx) => settleSuccess(tx, { platform: product.platform, refundId: first!.id }));
  expect((await back(2)).message).toBe('');
  expect([(await seen(three.redemptionId)).state, await purse(id)]).toEqual([
    'refunded',
    { available: 300, held: 0 },
  ]);
  const [, rest] = await refunds(three.redemptionId);
  await transaction(db(), (tx) => settleSuccess(tx, { platform: product.platform, refundId: rest!.id }));
  expect((await order()).cash_refunded).toBe(2_970);
  await sound();
});

test('a coupon comes at once with its code, and what is claimed out is refused with points and stock as they were', async () => {
  const coupon = await one<{ id: number }>(
    `UPDATE coupon SET total = claimed + 2, per_limit = 5, status = 'published', ends_at = now() + interval '30 days', budget_fen = NULL
      WHERE id = (SELECT id FROM coupon WHERE status IN ('published', 'in_use') AND valid_kind = 'dates' ORDER BY id LIMIT 1) RETURNING id`,
  );
  const { spec } = await goods({ way: 'coupon', place: '', coupon: String(coupon.id) }, 30, 9);
  const id = await member(200);
  const made = await redeem(id, spec, { qty: 2 });
  expect(made.state).toBe('completed');
  const codes = await run<{ code: string }>(
    db(),
    'SELECT code FROM member_coupon WHERE member_id = $1 AND coupon_id = $2 ORDER BY id',
    [id, coupon.id],
  );
  expect((await seen(made.redemptionId)).couponCodes).toBe(codes.map((row) => row.code).join(', '));
  expect(await why(redeem(id, spec))).toBe('已领完');
  expect([await purse(id), await left(spec)]).toEqual([{ available: 140, held: 0 }, 7]);
  const back = await act(REDEMPTIONS, Number(made.redemptionId), 'refund', {
    qty: 1,
    restock: false,
    reason: '不想要了',
  });
  expect(back.status).toBe(30101);
  await sound();
});

test('make-up cards cost no cash; the cash of published goods only goes up; a refund that the platform forces takes the redemption back', async () => {
  const card = await product.call(admin, 'POST', GOODS, {
    name: '补签卡现金',
    class: 'voucher',
    projects: [String(project)],
    way: 'card',
    perMember: 0,
    perMonth: 0,
    specs: [{ name: '1张', points: 50, cash: '1.00', unit: '张', quantity: 5 }],
  });
  expect(card.data.fields).toEqual({ specs: '补签卡与优惠券只能用积分兑换' });
  const { id: goodsId, spec } = await dear(5);
  const { specs, version } = (await product.call(admin, 'GET', `${GOODS}/${goodsId}`)).data;
  const lower = await product.call(admin, 'PUT', `${GOODS}/${goodsId}`, {
    version,
    specs: specs.map((one: object) => ({ ...one, cash: '9.89' })),
  });
  expect(lower.data.fields).toEqual({ specs: '已发布商品的现金只能上调' });
  const id = await member(100);
  const made = await redeem(id, spec);
  await pay(made.payment!.checkoutCode);
  const { orderCode } = await seen(made.redemptionId);
  const forced = await product.call(admin, 'POST', '/jinmao/web/refund/action/force', {
    orderCode,
    reason: '供应商停产',
  });
  expect(forced.message).toBe('');
  const [refund] = await refunds(made.redemptionId);
  await transaction(db(), (tx) => settleSuccess(tx, { platform: product.platform, refundId: refund!.id }));
  expect([(await seen(made.redemptionId)).state, await lots(id), await left(spec)]).toEqual([
    'cancelled',
    [100],
    5,
  ]);
  await sound();
});
