import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, firstOfMonth } from '../../../domain/charging/calendar.rules.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import {
  rebateEffect,
  rebateInvariants,
  recheckRebate,
  releaseCoupons,
  settleRebate,
} from '../../../domain/rebate/rebate.server.ts';
import { releaseDue } from '../../../domain/points-ledger/points-pending.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let company: number;
let project: number;
let item: string;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  ({ project, company } = await one<{ project: number; company: number }>(
    `SELECT h.project_id AS project, c.tenant_id AS company FROM house h JOIN tenant_project c ON c.project_id = h.project_id JOIN tenant t ON t.id = c.tenant_id AND t.kind = 1
      WHERE NOT EXISTS (SELECT FROM fee_assignment a WHERE a.project_id = h.project_id) ORDER BY h.id, c.tenant_id LIMIT 1`,
  ));
  item = await addItem();
});
afterAll(async () => {
  for (const invariant of [...rebateInvariants, ...pointsInvariants]) {
    const { problems } = await invariant.check(product.platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await product?.close();
});

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  product.call(admin, method, `/jinmao/web${path}`, body);

async function addItem(): Promise<string> {
  number += 1;
  const made = await call('POST', '/feeItem', {
    name: `返利收费${number}`,
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
  return String(made.data.id);
}

/** Has waiting rebates worked out, as the worker does. */
async function deliver(): Promise<void> {
  const effects = new Map([[rebateEffect.kind, rebateEffect]]);
  for (const { id } of await all<{ id: number }>(
    `SELECT id FROM outbox WHERE state = 'pending' AND kind = $1 ORDER BY id`,
    [rebateEffect.kind],
  ))
    expect(await deliverEffect(product.platform, effects, id)).toBe('done');
}

/** A house of its own whose owner pays. */
async function home(): Promise<{ house: number; member: number }> {
  number += 1;
  const { house } = await one<{ house: number }>(
    `INSERT INTO house (project_id, unit_id, number, floor, built_area) SELECT $1, u.id, $2, 5, 100 FROM building_unit u JOIN building b ON b.id = u.building_id WHERE b.project_id = $1 ORDER BY u.id LIMIT 1 RETURNING id AS house`,
    [project, `R${number}`],
  );
  const { member } = await one<{ member: number }>(
    `INSERT INTO member (name, phone, project_id) VALUES ('周返利', $1, $2) RETURNING id AS member`,
    [`1370000${String(number).padStart(4, '0')}`, project],
  );
  await all(
    `INSERT INTO household (member_id, house_id, identity, status, bound_at) VALUES ($1, $2, 'owner', 'normal', now())`,
    [member, house],
  );
  return { house, member };
}

async function rule(more: object = {}, fee = item): Promise<string> {
  number += 1;
  const made = await call('POST', '/paymentRebateRule', {
    name: `返利规则${number}`,
    projects: [String(project)],
    items: [fee],
    receiver: 'payer',
    basis: 'amount',
    perYuan: 100,
    givePoints: 50,
    tiers: [],
    rounding: 'down',
    noArrears: true,
    onTime: false,
    payCash: true,
    payPos: true,
    payTransfer: true,
    payPrepaid: true,
    capPayment: -1,
    capHouseYear: -1,
    capTotal: -1,
    finalDays: 7,
    startsOn: '2020-01-01',
    endsOn: '2099-12-31',
    priority: 100 + number,
    ...more,
  });
  expect(made.message).toBe('');
  return String(made.data.id);
}
const act = (id: string, action: string) => call('POST', `/paymentRebateRule/${id}/${action}`, {});

async function pay(house: number, principal: string, fee = item): Promise<number> {
  const due = addDays(today(), 10);
  const bill = await call('POST', '/bill', {
    house: String(house),
    item: fee,
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
  const paid = await call('POST', '/bill/collect', {
    quoteId: quote.data.quoteId,
    channel: 'cash',
    received: principal,
  });
  expect(paid.message).toBe('');
  const row = await one<{ id: number }>('SELECT max(id) AS id FROM bill_payment WHERE house_id = $1', [
    house,
  ]);
  await deliver();
  return row.id;
}

const grantOf = (payment: number) =>
  runOne<Record<string, unknown>>(
    db(),
    'SELECT rule_id, version_no, granted, taken_back, why, state FROM payment_rebate_grant WHERE payment_id = $1',
    [payment],
  );
const balance = async (member: number) =>
  one<{ available: number; pending: number; debt: number }>(
    `SELECT coalesce((SELECT sum(balance) FROM ledger_account WHERE member_id = $1 AND kind = 'points_available'), 0)::int AS available,
            coalesce((SELECT -sum(balance) FROM ledger_account WHERE member_id = $1 AND kind = 'points_debt'), 0)::int AS debt,
            coalesce((SELECT sum(amount - reduced) FROM points_pending WHERE member_id = $1 AND state = 'waiting'), 0)::int AS pending`,
    [member],
  );

/** Some of a payment is given back, as a refund will book it. */
async function giveBack(payment: number, fen: number): Promise<void> {
  await transaction(db(), async (tx) => {
    await run(
      tx,
      `INSERT INTO bill_allocation (payment_id, bill_id, kind, amount, value_date) SELECT payment_id, bill_id, kind, -$2::bigint, value_date FROM bill_allocation WHERE payment_id = $1 ORDER BY id LIMIT 1`,
      [payment, fen],
    );
    await run(
      tx,
      `UPDATE bill b SET paid_principal = paid_principal - $2, state = CASE WHEN paid_principal = $2 THEN 'unpaid' ELSE 'part' END FROM bill_allocation a WHERE a.bill_id = b.id AND a.payment_id = $1 AND a.amount > 0`,
      [payment, fen],
    );
    await recheckRebate(tx, payment);
  });
  await deliver();
}

test('group 22 Must show 10: 1,280.00 gives 600 pending, 300.00 back leaves 450, the rest back takes 450', async () => {
  const { house, member } = await home();
  const id = await rule();
  expect((await act(id, 'enable')).message).toBe('');
  const payment = await pay(house, '1280.00');
  expect(await grantOf(payment)).toMatchObject({ granted: 600, taken_back: 0, state: 'waiting' });
  expect(await balance(member)).toEqual({ available: 0, pending: 600, debt: 0 });
  await giveBack(payment, 30_000);
  expect(await balance(member)).toEqual({ available: 0, pending: 450, debt: 0 });
  await all(
    `UPDATE points_pending SET release_at = now() - interval '1 minute' WHERE member_id = $1 AND state = 'waiting'`,
    [member],
  );
  await releaseDue(product.platform);
  expect(await balance(member)).toEqual({ available: 450, pending: 0, debt: 0 });
  await giveBack(payment, 98_000);
  expect(await balance(member)).toEqual({ available: 0, pending: 0, debt: 0 });
  expect(await grantOf(payment)).toMatchObject({ granted: 600, taken_back: 600, state: 'taken_back' });
  // Nothing more is taken, however often it is looked at.
  await transaction(db(), (tx) => settleRebate(tx, product.platform, payment, []));
  expect(await grantOf(payment)).toMatchObject({ taken_back: 600 });
  expect((await act(id, 'stop')).message).toBe('');
});

test('group 22 Must show 11: of 600 the house-year cap of 3,000 leaves 200; at once it is not passed either', async () => {
  const fee = await addItem();
  const id = await rule({ capHouseYear: 3_000 }, fee);
  await act(id, 'enable');
  const { house } = await home();
  const first = await pay(house, '5600.00', fee);
  expect(await grantOf(first)).toMatchObject({ granted: 2_800, why: null });
  const second = await pay(house, '1200.00', fee);
  expect(await grantOf(second)).toMatchObject({ granted: 200, why: 'house_year' });
  const third = await pay(house, '1200.00', fee);
  expect(await grantOf(third)).toMatchObject({ granted: 0, why: 'house_year', state: 'none' });
  const shown = await call('GET', `/paymentRebateGrant/page?rule=${id}&state=none&limit=20`);
  expect((shown.data.rows as { why: string }[]).map((row) => row.why)).toEqual(['house_year']);
  // Who it was for is masked as everywhere.
  expect((shown.data.rows as { member: string }[])[0]!.member).toContain('*');

  const other = await home();
  const payments: number[] = [];
  const candidates = [{ ruleId: Number(id), no: 1 }];
  await act(id, 'stop');
  for (let n = 0; n < 4; n += 1) payments.push(await pay(other.house, '2400.00', fee));
  await Promise.all(
    payments.map((payment) =>
      transaction(db(), (tx) => settleRebate(tx, product.platform, payment, candidates)),
    ),
  );
  const given = await one<{ sum: number }>(
    'SELECT sum(granted)::int AS sum FROM payment_rebate_grant WHERE house_id = $1',
    [other.house],
  );
  expect(given.sum).toBe(3_000);
});

test('one rule per payment, the smallest priority that gives; a change makes a version, earlier payments keep theirs', async () => {
  const fee = await addItem();
  const [first, second] = [
    await rule({ priority: 40 }, fee),
    await rule({ priority: 30, perYuan: 1_000 }, fee),
  ];
  await act(first, 'enable');
  await act(second, 'enable');
  const { house, member } = await home();
  const small = await pay(house, '300.00', fee);
  expect(await grantOf(small)).toMatchObject({ rule_id: Number(first), granted: 150 });
  const large = await pay(house, '2000.00', fee);
  expect(await grantOf(large)).toMatchObject({ rule_id: Number(second), version_no: 1, granted: 100 });
  const { version } = (await call('GET', `/paymentRebateRule/${second}`)).data as { version: number };
  expect((await call('PUT', `/paymentRebateRule/${second}`, { version, givePoints: 10 })).message).toBe('');
  const later = await pay(house, '2000.00', fee);
  expect(await grantOf(later)).toMatchObject({ version_no: 2, granted: 20 });
  await giveBack(large, 100_000);
  expect(await grantOf(large)).toMatchObject({ granted: 100, taken_back: 50 });
  // A payment voided by its cashier gives all of it back.
  const voided = await call('POST', `/billPayment/${later}/void`, { reason: '收错了' });
  expect(voided.message).toBe('');
  await deliver();
  expect(await grantOf(later)).toMatchObject({ taken_back: 20 });
  expect((await balance(member)).pending).toBe(150 + 50);
});

test('the same priority over the same scope is refused with the other one, also when both are enabled at once', async () => {
  const fee = await addItem();
  const rules = [await rule({ priority: 7 }, fee), await rule({ priority: 7 }, fee)];
  const answers = await Promise.all(rules.map((id) => act(id, 'enable')));
  expect(answers.filter((answer) => answer.message === '')).toHaveLength(1);
  const refused = answers.find((answer) => answer.message !== '')!;
  expect([refused.http, refused.message]).toEqual([
    409,
    expect.stringMatching(/^与规则 RB\d{4} 优先级相同且范围重叠$/),
  ]);
  const free = await rule({ priority: 8, startsOn: '2030-01-01', endsOn: '2029-01-01' }, fee).catch(() => '');
  expect(free).toBe('');
});

test('a trial tells what a month would have given and writes nothing; arrears and caps count', async () => {
  const fee = await addItem();
  const id = await rule({ capPayment: 100 }, fee);
  const { house } = await home();
  await pay(house, '150.00', fee);
  await pay(house, '900.00', fee);
  const trial = await call('POST', `/paymentRebateRule/${id}/simulate`, { month: today().slice(0, 7) });
  expect(trial.data).toMatchObject({ payments: 2, points: 150, cost: '1.50', collisions: [] });
  expect((trial.data.top as { points: number }[]).map((one) => one.points)).toEqual([100, 50]);
  expect(await all('SELECT 1 FROM payment_rebate_grant WHERE house_id = $1', [house])).toEqual([]);
});

test('a coupon as reward is given at release, unused ones are withdrawn when the payment goes back, used ones wait to be handled', async () => {
  const coupon = async (more: string) =>
    (
      await one<{ id: number }>(
        `INSERT INTO coupon (code, name, type, issuer, tenant_id, face, threshold, total, per_limit, starts_at, ends_at, status)
         SELECT 'RBC' || $1, '返利券', 'cash', 'platform', id, 2000, 10000, 3, 3, now() - interval '1 day', ${more} FROM tenant WHERE kind = 3 ORDER BY id LIMIT 1 RETURNING id`,
        [String((number += 1))],
      )
    ).id;
  const good = await coupon(`'2100-01-01', 'published'`);
  const fee = await addItem();
  const terms = { items: [fee], perYuan: 500, givePoints: 1, rewardKind: 'coupon' };
  const refused = async (id: number | undefined) =>
    (
      await call('POST', '/paymentRebateRule', {
        name: '返券',
        projects: [String(project)],
        receiver: 'payer',
        basis: 'amount',
        tiers: [],
        rounding: 'down',
        capPayment: -1,
        capHouseYear: -1,
        capTotal: -1,
        finalDays: 7,
        startsOn: '2020-01-01',
        endsOn: '2099-12-31',
        priority: 5,
        ...terms,
        ...(id ? { coupon: String(id) } : {}),
      })
    ).data.fields.coupon as string;
  expect(await refused(undefined)).toBe('请选择优惠券');
  for (const bad of [`'2100-01-01', 'draft'`, `now() + interval '9 days', 'published'`])
    expect(await refused(await coupon(bad))).toBe('优惠券须已发布，且有效期覆盖规则');
  const id = await rule({ ...terms, coupon: String(good) });
  expect((await act(id, 'enable')).message).toBe('');
  expect((await call('GET', `/paymentRebateRule/${id}`)).data.reward).toContain('每满500元返1张「返利券」');
  const held = (member: number) =>
    all<{ id: number; status: string }>(
      'SELECT id, status FROM member_coupon WHERE member_id = $1 ORDER BY id',
      [member],
    );
  const release = async () => {
    await all(`UPDATE payment_rebate_grant SET release_at = now() WHERE rule_id = $1 AND state = 'waiting'`, [
      Number(id),
    ]);
    await Promise.all([releaseCoupons(product.platform), releaseCoupons(product.platform)]);
  };
  const first = await home();
  const payment = await pay(first.house, '1280.00', fee);
  expect(await grantOf(payment)).toMatchObject({ granted: 2, taken_back: 0, state: 'waiting' });
  await releaseCoupons(product.platform);
  expect(await held(first.member)).toEqual([]);
  await release();
  expect((await held(first.member)).map((one) => one.status)).toEqual(['claimed', 'claimed']);
  // 980.00 still earn one, and that one is used; then nothing is left that earns it.
  await giveBack(payment, 30_000);
  expect((await held(first.member)).map((one) => one.status)).toEqual(['claimed', 'expired']);
  await all(`UPDATE member_coupon SET status = 'used', used_at = now() WHERE id = $1`, [
    (await held(first.member))[0]!.id,
  ]);
  await giveBack(payment, 98_000);
  expect(await grantOf(payment)).toMatchObject({ granted: 2, taken_back: 2, state: 'taken_back' });
  const listed = await call('GET', `/paymentRebateGrant/page?rule=${id}&handling=open&limit=20`);
  expect(listed.data.rows).toMatchObject([{ toHandle: '20.00', handling: 'open', coupon: '返利券' }]);
  // Given back before it is final, nothing is given; with none left it fails, and can be tried again.
  const second = await home();
  const early = await pay(second.house, '500.00', fee);
  await giveBack(early, 50_000);
  await release();
  expect([await held(second.member), await grantOf(early)]).toMatchObject([[], { state: 'taken_back' }]);
  const third = await home();
  const late = await pay(third.house, '1000.00', fee);
  await release();
  expect([await held(third.member), await grantOf(late)]).toMatchObject([
    [],
    { state: 'failed', granted: 2 },
  ]);
  await all('UPDATE coupon SET total = 9 WHERE id = $1', [good]);
  const failed = await one<{ id: number }>('SELECT id FROM payment_rebate_grant WHERE payment_id = $1', [
    late,
  ]);
  expect((await call('POST', `/paymentRebateGrant/${failed.id}/retry`, {})).message).toBe('');
  expect([(await held(third.member)).length, await grantOf(late)]).toMatchObject([2, { state: 'released' }]);
});
