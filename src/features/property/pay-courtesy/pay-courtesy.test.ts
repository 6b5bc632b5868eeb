import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import { prepaidOf } from '../../../domain/charging/prepaid.server.ts';
import { giftEffect, giftInvariants, settleGifts } from '../../../domain/payment-gift/payment-gift.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
import { spendPoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let second: string;
let picture: string;
let company: number;
let project: number;
let item: string;
let number = 0;

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  product.call(admin, method, `/jinmao/web${path}`, body);
const job = (name: string) =>
  product.platform.registrations
    .flatMap((registration) => registration.jobs ?? [])
    .find((found) => found.name === name)!
    .run({}, product.platform);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  // What the demonstration runs would give for the payments of these tests, too.
  await all(`UPDATE payment_gift SET state = 'stopped' WHERE state IN ('running', 'scheduled')`);
  ({ project, company } = await one<{ project: number; company: number }>(
    `SELECT h.project_id AS project, c.tenant_id AS company FROM house h JOIN tenant_project c ON c.project_id = h.project_id JOIN tenant t ON t.id = c.tenant_id AND t.kind = 1
      WHERE NOT EXISTS (SELECT FROM fee_assignment a WHERE a.project_id = h.project_id) ORDER BY h.id, c.tenant_id LIMIT 1`,
  ));
  const made = await call('POST', '/feeItem', {
    name: '有礼物业费',
    company: String(company),
    kind: 'management',
    formula: 'fixed',
    prices: [{ effectiveFrom: '2020-01-01', price: '100', extra: '0.00' }],
    cycle: 'month',
    timing: 'pre',
    billDay: 1,
    rounding: 'fen',
    prepaidKind: 'general',
    deductible: true,
    autoBill: false,
  });
  expect(made.message).toBe('');
  item = String(made.data.id);
  await all(
    `WITH s AS (INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT id, 'gift2', 'gift2', true, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id)
     INSERT INTO group_member (group_id, staff_id) SELECT m.group_id, s.id FROM s, group_member m JOIN staff a ON a.id = m.staff_id AND a.account = 'admin'`,
  );
  second = await product.signIn('gift2');
  picture = (await one<{ id: string }>(`SELECT id FROM stored_file WHERE name = 'launch-1.png'`)).id;
});
afterAll(async () => {
  for (const invariant of [...giftInvariants, ...pointsInvariants]) {
    const { problems } = await invariant.check(product.platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await product?.close();
});

/** Has waiting gifts given, as workers do that are many. */
async function deliver(): Promise<void> {
  const effects = new Map([[giftEffect.kind, giftEffect]]);
  const waiting = await all<{ id: number }>(
    `SELECT id FROM outbox WHERE state = 'pending' AND kind = $1 ORDER BY id`,
    [giftEffect.kind],
  );
  const answers = await Promise.all(waiting.map(({ id }) => deliverEffect(product.platform, effects, id)));
  expect(answers.every((answer) => answer === 'done')).toBe(true);
}

/** A house of its own whose owner pays. */
async function home(): Promise<{ house: number; member: number }> {
  const own = (number += 1);
  const { house } = await one<{ house: number }>(
    `INSERT INTO house (project_id, unit_id, number, floor, built_area) SELECT $1, u.id, $2, 5, 100 FROM building_unit u JOIN building b ON b.id = u.building_id WHERE b.project_id = $1 ORDER BY u.id LIMIT 1 RETURNING id AS house`,
    [project, `G${own}`],
  );
  const { member } = await one<{ member: number }>(
    `INSERT INTO member (name, phone, project_id) VALUES ('周有礼', $1, $2) RETURNING id AS member`,
    [`1371100${String(own).padStart(4, '0')}`, project],
  );
  await all(
    `INSERT INTO household (member_id, house_id, identity, status) VALUES ($1, $2, 'owner', 'normal')`,
    [member, house],
  );
  return { house, member };
}

const form = (more: object = {}) => ({
  name: `缴费活动${(number += 1)}`,
  projects: [String(project)],
  items: [item],
  condition: 'amount',
  gift: 'points',
  tiers: [
    { threshold: 280, quantity: 28 },
    { threshold: 1000, quantity: 120 },
  ],
  houseLimit: 3,
  total: 100,
  startsOn: '2020-01-01',
  endsOn: '2099-12-31',
  ...more,
});
async function activity(more: object = {}): Promise<string> {
  const made = await call('POST', '/payCourtesy', form(more));
  expect([made.http, made.message]).toEqual([200, '']);
  expect((await act(made.data.id, 'publish')).message).toBe('');
  return String(made.data.id);
}
const act = (id: string, action: string, body: object = {}) =>
  call('POST', `/payCourtesy/${id}/${action}`, body);
const stop = (id: string) => act(id, 'stop', { reason: '测试结束' });
const get = async (id: string) => (await call('GET', `/payCourtesy/${id}`)).data;

async function quoteOf(house: number, principal: string): Promise<string> {
  const due = addDays(today(), 10);
  const bill = await call('POST', '/bill', {
    house: String(house),
    item,
    periodFrom: firstOfMonth(due),
    periodTo: due,
    dueDate: due,
    principal,
  });
  expect(bill.message).toBe('');
  const quote = await call('POST', '/bill/quote', {
    houseId: String(house),
    billIds: [String(bill.data.id)],
    valueDate: today(),
  });
  return quote.data.quoteId as string;
}
const collect = (quoteId: string, received: string) =>
  call('POST', '/bill/collect', { quoteId, channel: 'cash', received });
async function pay(house: number, principal: string): Promise<number> {
  expect((await collect(await quoteOf(house, principal), principal)).message).toBe('');
  await deliver();
  return (await one<{ id: number }>('SELECT max(id) AS id FROM bill_payment WHERE house_id = $1', [house]))
    .id;
}
const grantsOf = (payment: number) =>
  all<Record<string, unknown>>(
    'SELECT quantity, taken_back, to_recover, state, failure FROM payment_gift_grant WHERE payment_id = $1 ORDER BY gift_id',
    [payment],
  );
const points = async (member: number) =>
  (
    await one<{ n: number }>(
      `SELECT coalesce(sum(balance), 0)::integer AS n FROM ledger_account WHERE member_id = $1 AND kind = 'points_available'`,
      [member],
    )
  ).n;
const voidPayment = async (payment: number) => {
  const answer = await call('POST', `/billPayment/${payment}/void`, { reason: '录错' });
  expect(answer.message).toBe('');
  await deliver();
};

/** Some of a payment is paid back: asked for by one, paid by another. */
async function giveBack(payment: number, amount: string): Promise<void> {
  const asked = await call('POST', `/billPayment/${payment}/refund`, { amount, reason: '多缴' });
  expect(asked.message).toBe('');
  const { id } = await one<{ id: number }>('SELECT id FROM refund WHERE code = $1', [
    asked.data.result.refund,
  ]);
  const audit = (token: string, action: string, body: object = {}) =>
    product.call(token, 'POST', `/jinmao/web/refund/${id}/${action}`, body);
  expect((await audit(admin, 'approve')).message).toBe('不能审核自己发起的退款');
  expect((await audit(admin, 'offline', { payee: '现金', voucher: [picture] })).message).toBe('');
  expect((await audit(admin, 'confirmOffline')).http).toBe(409);
  expect((await audit(second, 'confirmOffline')).message).toBe('');
  await deliver();
}

test('group 06 Must show 10: 100.00 of 280.00 paid back by another person opens the bill, has a negative receipt and takes 10 of 28 points', async () => {
  const id = await activity();
  const { house, member } = await home();
  const payment = await pay(house, '280.00');
  expect(await grantsOf(payment)).toMatchObject([{ quantity: 28, taken_back: 0, state: 'given' }]);
  expect(await points(member)).toBe(28);
  await giveBack(payment, '100.00');
  expect(
    await one(
      `SELECT b.state, b.owed_principal AS owed, r.amount, r.receipt_no <> p.receipt_no AS own, (SELECT sum(a.amount)::bigint FROM bill_allocation a WHERE a.refund_payment_id = r.id) AS back
         FROM bill_payment p JOIN bill_payment r ON r.refund_of = p.id JOIN bill_allocation a ON a.payment_id = p.id AND a.amount > 0 JOIN bill b ON b.id = a.bill_id WHERE p.id = $1`,
      [payment],
    ),
  ).toEqual({ state: 'part', owed: 10_000, amount: -10_000, own: true, back: -10_000 });
  expect(await grantsOf(payment)).toMatchObject([
    { quantity: 28, taken_back: 10, to_recover: 0, state: 'given' },
  ]);
  expect(await points(member)).toBe(18);
  // Looked at again nothing more is taken.
  await transaction(db(), (tx) => settleGifts(tx, product.platform, payment, [Number(id)]));
  expect(await points(member)).toBe(18);
  await giveBack(payment, '180.00');
  expect(await grantsOf(payment)).toMatchObject([{ taken_back: 28, state: 'taken_back' }]);
  expect([(await get(id)).given, (await get(id)).cost]).toEqual([0, '0.00']);
  expect((await stop(id)).message).toBe('');
});

test('the highest step is given; below the first nothing; another fee item does not count', async () => {
  const id = await activity();
  const [small, big] = [await home(), await home()];
  expect(await grantsOf(await pay(small.house, '279.99'))).toEqual([]);
  expect(await grantsOf(await pay(big.house, '1000.00'))).toMatchObject([{ quantity: 120 }]);
  await stop(id);
});

test('of twenty payments at once seven gifts are all a total of seven gives, and two of a house where two is the limit', async () => {
  const id = await activity({ total: 7, houseLimit: 2 });
  const homes = await Promise.all(Array.from({ length: 4 }, () => home()));
  const quotes: string[] = [];
  for (const { house } of homes)
    for (let turn = 0; turn < 5; turn += 1) quotes.push(await quoteOf(house, `${280 + turn}.00`));
  const answers = await Promise.all(quotes.map((quote, n) => collect(quote, `${280 + (n % 5)}.00`)));
  expect(new Set(answers.map((answer) => answer.message))).toEqual(new Set(['']));
  await deliver();
  const rows = await all<{ house_id: number; state: string; failure: string }>(
    'SELECT house_id, state, failure FROM payment_gift_grant WHERE gift_id = $1',
    [id],
  );
  expect(rows).toHaveLength(20);
  const given = rows.filter((row) => row.state === 'given');
  expect(given).toHaveLength(7);
  for (const { house } of homes)
    expect(given.filter((row) => row.house_id === house).length).toBeLessThanOrEqual(2);
  expect((await get(id)).given).toBe(7);
  const total = (await get(id)).version as number;
  const fewer = await call('PUT', `/payCourtesy/${id}`, { version: total, total: 6 });
  expect(fewer.data.fields.total).toBe('已发放 7 份，不能更少');
  // With more of them those who were late get theirs, as far as their house may have one.
  expect((await call('PUT', `/payCourtesy/${id}`, { version: total, total: 8 })).message).toBe('');
  const late = await all<{ id: number }>(
    `SELECT g.id FROM payment_gift_grant g JOIN payment_gift_house h ON h.gift_id = g.gift_id AND h.house_id = g.house_id WHERE g.gift_id = $1 AND g.state = 'failed' AND h.used < h.most
     UNION ALL SELECT g.id FROM payment_gift_grant g WHERE g.gift_id = $1 AND g.state = 'failed' AND NOT EXISTS (SELECT FROM payment_gift_house h WHERE h.gift_id = g.gift_id AND h.house_id = g.house_id)`,
    [id],
  );
  const tried = await Promise.all(late.map((row) => call('POST', `/payCourtesyGrant/${row.id}/retry`, {})));
  expect(tried.filter((answer) => answer.data.state === 'given')).toHaveLength(1);
  expect((await get(id)).given).toBe(8);
  await stop(id);
});

test('a voided payment loses its gift: points that are spent stay to be recovered', async () => {
  const id = await activity();
  const [kept, spent] = [await home(), await home()];
  const [first, second] = [await pay(kept.house, '280.00'), await pay(spent.house, '280.00')];
  await transaction(db(), (tx) =>
    spendPoints(tx, {
      memberId: spent.member,
      amount: 20,
      source: { type: 'test', id: `gift${spent.member}`, purpose: 'spend' },
      kind: 8,
      note: '',
    }),
  );
  await voidPayment(first);
  await voidPayment(second);
  expect(await grantsOf(first)).toMatchObject([{ taken_back: 28, to_recover: 0, state: 'taken_back' }]);
  expect(await grantsOf(second)).toMatchObject([{ taken_back: 28, to_recover: 20, state: 'to_recover' }]);
  expect((await get(id)).cost).toBe(
    ((20 * (await product.platform.settings.number('points.fen_per_point'))) / 100).toFixed(2),
  );
  await stop(id);
});

test('a coupon is held by the owner and void with the payment, unless it was used', async () => {
  number += 1;
  const { id: coupon } = await one<{ id: number }>(
    `INSERT INTO coupon (code, name, type, issuer, tenant_id, face, total, per_limit, starts_at, ends_at, claim_way)
     SELECT $1, '缴费礼券', 'cash', 'platform', (SELECT min(id) FROM tenant WHERE kind = 3), 500, 3, 9, now() - interval '1 day', now() + interval '30 days', 'gift' RETURNING id`,
    [`CPGIFT${number}`],
  );
  const id = await activity({
    gift: 'coupon',
    coupon: String(coupon),
    tiers: [{ threshold: 100, quantity: 2 }],
  });
  const [a, b] = [await home(), await home()];
  const first = await pay(a.house, '100.00');
  expect(await all('SELECT status FROM member_coupon WHERE member_id = $1', [a.member])).toEqual([
    { status: 'claimed' },
    { status: 'claimed' },
  ]);
  // Two are asked for and one is left: nothing of it is given.
  const second = await pay(b.house, '100.00');
  expect(await grantsOf(second)).toMatchObject([{ state: 'failed', taken_back: 0 }]);
  expect(await all('SELECT 1 FROM member_coupon WHERE member_id = $1', [b.member])).toEqual([]);
  await all(
    `UPDATE member_coupon SET status = 'used', used_at = now() WHERE id = (SELECT min(id) FROM member_coupon WHERE member_id = $1)`,
    [a.member],
  );
  await voidPayment(first);
  expect(await grantsOf(first)).toMatchObject([{ taken_back: 2, to_recover: 1, state: 'to_recover' }]);
  expect(await all('SELECT status FROM member_coupon WHERE member_id = $1 ORDER BY id', [a.member])).toEqual([
    { status: 'used' },
    { status: 'expired' },
  ]);
  await all(`UPDATE member_coupon SET status = 'expired', used_at = NULL WHERE coupon_id = $1`, [coupon]);
  await stop(id);
});

test('prepaid credit goes to the house and comes back as far as it is there; steps of days count from the due date', async () => {
  const id = await activity({
    condition: 'early',
    gift: 'prepaid',
    tiers: [
      { threshold: 0, quantity: 5 },
      { threshold: 10, quantity: 12 },
    ],
  });
  const { house } = await home();
  const payment = await pay(house, '50.00');
  expect(await grantsOf(payment)).toMatchObject([{ quantity: 1_200, state: 'given' }]);
  expect((await prepaidOf(db(), house)).general).toBe(1_200);
  expect((await get(id)).cost).toBe('12.00');
  await voidPayment(payment);
  expect((await prepaidOf(db(), house)).general).toBe(0);
  await stop(id);
});

test('what begins later waits for its day, what is over ends; a running one keeps its terms', async () => {
  const later = await activity({ startsOn: addDays(today(), 3), endsOn: addDays(today(), 9) });
  expect((await get(later)).state).toBe('scheduled');
  const { house } = await home();
  expect(await grantsOf(await pay(house, '280.00'))).toEqual([]);
  await all(`UPDATE payment_gift SET starts_on = $2::date WHERE id = $1`, [later, addDays(today(), -3)]);
  await job('courtesy.state');
  const running = await get(later);
  expect(running.state).toBe('running');
  const change = (more: object) =>
    call('PUT', `/payCourtesy/${later}`, { version: running.version, ...more });
  for (const more of [
    { name: '改名' },
    { houseLimit: 9 },
    { tiers: [{ threshold: 1, quantity: 1 }] },
    { gift: 'prepaid' },
  ]) {
    const refused = await change(more);
    expect([refused.http, refused.message]).toEqual([409, '活动进行中，仅可修改总份数、结束日期和说明']);
  }
  expect((await change({ total: 200, text: '延期', endsOn: addDays(today(), 20) })).message).toBe('');
  await all(`UPDATE payment_gift SET ends_on = $2::date WHERE id = $1`, [later, addDays(today(), -1)]);
  await job('courtesy.end');
  expect((await get(later)).state).toBe('ended');
});

test('steps have to rise, a coupon has to be named, and a copy is a draft with nothing given', async () => {
  const fields = async (more: object) =>
    (await call('POST', '/payCourtesy', form(more))).data?.fields as Record<string, string>;
  const steps = (...all: [number, number][]) => all.map(([threshold, quantity]) => ({ threshold, quantity }));
  expect((await fields({ tiers: steps([280, 28], [280, 30]) })).tiers).toBe('阶梯须逐档递增');
  expect((await fields({ tiers: steps([280, 28], [560, 20]) })).tiers).toBe('高一档的礼品须更多');
  expect((await fields({ tiers: steps([0, 28]) })).tiers).toBe('起点须大于 0');
  expect(await fields({ tiers: [] })).toHaveProperty('tiers');
  expect((await fields({ gift: 'coupon' })).coupon).toBe('请选择优惠券');
  expect((await fields({ startsOn: '2031-01-01', endsOn: '2030-01-01' })).endsOn).toBe(
    '结束日期不能早于开始日期',
  );
  const id = await activity();
  const done = await act(id, 'copy');
  expect(done.message).toBe('');
  const copy = await get(done.data.result.id);
  const model = await get(id);
  expect([copy.state, copy.given, copy.tiers.length, copy.projects]).toEqual(['draft', 0, 2, model.projects]);
  await stop(id);
  expect((await act(id, 'publish')).http).toBe(409);
});
