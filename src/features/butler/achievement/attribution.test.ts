import { afterEach, beforeEach, expect, test } from 'vitest';
import { fillBatch, payRows, termsOf, freeRows } from '../../../domain/butler/batch.server.ts';
import { reassign, unfreeze } from '../../../domain/butler/attribution.server.ts';
import { recordVisit } from '../../../domain/butler/share.server.ts';
import { createCheckout } from '../../../domain/checkout/create-checkout.server.ts';
import { receivePayment } from '../../../domain/checkout/take-payment.server.ts';
import { runOne, transaction } from '../../../kernel/server/database.ts';
import { all, brokenRules, deliverAll, one } from '../../mall/goods-order/order-fixture.ts';
import { openButlers, productsOf, type Butlers } from '../butler-fixture.ts';

let world: Butlers;
let a: number;
let b: number;
beforeEach(async () => {
  world = await openButlers();
  ({ a, b } = await productsOf(world.shop));
});
afterEach(async () => {
  const broken = Object.entries(await brokenRules(world.shop)).filter(([name]) => name.startsWith('butler.'));
  expect(broken).toEqual([]);
  await world.shop.close();
});

const db = () => world.shop.platforms[0]!.database.db;
const PAID = new Date('2026-11-20T12:00:00+08:00');
const before = (minutes: number) => new Date(PAID.getTime() - minutes * 60_000);
const EXAMPLE = () =>
  [
    [a, 3, 26_248],
    [b, 1, 5242],
  ] as const;
const sums = async (orderId: number) => {
  const rows = (await world.incentives(orderId)).filter((row) => row.state !== 'cancelled');
  return {
    total: rows.reduce((sum, row) => sum + row.amount, 0),
    ways: [...new Set(rows.map((row) => row.way))],
    states: [...new Set(rows.map((row) => row.state))],
  };
};

/** A batch of the shop's city, filled. */
async function batch(month: string): Promise<{ id: number; terms: Record<string, number> }> {
  const centre = (await one<{ id: number }>(world.shop, 'SELECT centre_id AS id FROM project LIMIT 1')).id;
  const id = (
    await one<{ id: number }>(
      world.shop,
      `INSERT INTO incentive_batch (code, month, centre_id, tenant_id, maker_id) SELECT 'IB' || $1, $1, $2, $3, min(id) FROM staff RETURNING id`,
      [month, centre, world.platformTenant],
    )
  ).id;
  await transaction(db(), (tx) => fillBatch(tx, { id, centreId: centre, month }));
  const terms = await one<Record<string, number>>(
    world.shop,
    'SELECT sale, bonus, clawback, cap_cut, manual, carry_in, net FROM incentive_batch WHERE id = $1',
    [id],
  );
  return { id, terms };
}
const pay = async (id: number) => {
  await transaction(db(), (tx) => payRows(tx, id));
  await all(
    world.shop,
    `WITH f AS (INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access) VALUES (gen_random_uuid(), 'p.pdf', 'application/pdf', 1, sha256('p'), gen_random_uuid()::text, 'private') RETURNING id)
     UPDATE incentive_batch SET state = 'paid', payer_id = (SELECT max(id) FROM staff), paid_on = '2026-12-05', proof_id = (SELECT id FROM f) WHERE id = $1`,
    [id],
  );
};
const free = (orderId: number, at: string) =>
  all(
    world.shop,
    `UPDATE incentive i SET state = 'payable', payable_at = $2 FROM butler_performance p WHERE p.id = i.performance_id AND p.order_id = $1 AND i.state = 'frozen'`,
    [orderId, at],
  );

test('group 12 Must show 1: a visit 71 h 59 min before the payment earns 17.62 shared, one 72 h 01 min before 8.81 served', async () => {
  const butler = await world.butler();
  await world.assign(butler.id, '2020-01-01');
  await world.goods(a, { fixedFen: 500 });
  await world.goods(b, { rate: 5 });
  const links = async () => [await world.share(butler.id, a), await world.share(butler.id, b)];
  for (const link of await links()) await world.visit(link.id, before(72 * 60 + 1));
  const late = await world.order(PAID, EXAMPLE());
  expect(await sums(late.id)).toEqual({ total: 881, ways: [2], states: ['frozen'] });
  for (const link of await links()) await world.visit(link.id, before(72 * 60 - 1));
  const order = await world.order(PAID, EXAMPLE());
  expect(await sums(order.id)).toEqual({ total: 1762, ways: [1], states: ['frozen'] });
  // A repeat changes nothing, and what was decided at the payment stays.
  await world.settle(late.id);
  await world.settle(order.id);
  expect((await sums(late.id)).total).toBe(881);
  expect((await world.incentives(order.id)).length).toBe(2);
});

test('group 12 Must show 2: a piece back while frozen leaves 12.62; after the batch is paid the next one holds −5.00', async () => {
  const butler = await world.butler();
  await world.goods(a, { fixedFen: 500 });
  await world.goods(b, { rate: 5 });
  for (const product of [a, b]) await world.visit((await world.share(butler.id, product)).id, before(60));
  const frozen = await world.order(PAID, EXAMPLE());
  await world.refund(frozen.id, frozen.lines[0]!, 1, 8749);
  expect((await sums(frozen.id)).total).toBe(1262);
  const paid = await world.order(PAID, EXAMPLE());
  await free(paid.id, '2026-11-28T00:00:00+08:00');
  const first = await batch('2026-11');
  expect(first.terms).toMatchObject({ sale: 1762, net: 1762 });
  await pay(first.id);
  await world.refund(paid.id, paid.lines[0]!, 1, 8749);
  await all(world.shop, `UPDATE incentive SET payable_at = '2026-12-10' WHERE kind = 'clawback'`);
  const next = await batch('2026-12');
  expect(next.terms).toMatchObject({ sale: 0, clawback: -500, net: 0 });
  expect(await one(world.shop, 'SELECT sale, net FROM incentive_batch WHERE id = $1', [first.id])).toEqual({
    sale: 1762,
    net: 1762,
  });
  // The rest is carried on, once.
  await pay(next.id);
  const centre = (await one<{ id: number }>(world.shop, 'SELECT centre_id AS id FROM project LIMIT 1')).id;
  const [terms] = await termsOf(db(), centre, '2027-01');
  expect(terms).toMatchObject({ carryIn: -500 });
  const third = await batch('2027-01');
  expect(third.terms).toMatchObject({ carry_in: -500, net: 0 });
  expect(await termsOf(db(), centre, '2027-02')).toEqual([]);
});

test('what a batch that is given up held is free again, and a whole refund after payment marks the row', async () => {
  const butler = await world.butler();
  await world.goods(a, { fixedFen: 500 });
  await world.visit((await world.share(butler.id, a)).id, before(60));
  const order = await world.order(PAID, [[a, 2, 10_000]]);
  await free(order.id, '2026-11-28T00:00:00+08:00');
  const first = await batch('2026-11');
  await world.refund(order.id, order.lines[0]!, 1, 5000);
  await transaction(db(), (tx) => freeRows(tx, first.id));
  await all(world.shop, `UPDATE incentive_batch SET state = 'void' WHERE id = $1`, [first.id]);
  expect((await sums(order.id)).total).toBe(500);
  await world.refund(order.id, order.lines[0]!, 1, 5000);
  expect((await sums(order.id)).total).toBe(0);
});

test('group 12 Must show 3: paid on 30 November at 23:59:59 is the old butler’s, on 1 December at 00:00:00 the new one’s', async () => {
  const [old, next] = [await world.butler(), await world.butler()];
  await world.assign(old.id, '2020-01-01', '2026-11-30');
  await world.assign(next.id, '2026-12-01');
  await world.goods(a, { fixedFen: 500 });
  const last = await world.order(new Date('2026-11-30T23:59:59+08:00'), [[a, 1, 1000]]);
  const first = await world.order(new Date('2026-12-01T00:00:00+08:00'), [[a, 1, 1000]]);
  expect((await world.incentives(last.id))[0]).toMatchObject({ butler: old.id, way: 2, amount: 250 });
  expect((await world.incentives(first.id))[0]).toMatchObject({ butler: next.id, way: 2, amount: 250 });
});

test('group 12 Must show 10: a house gets no second main butler for overlapping dates; house and butler are named, nothing is saved', async () => {
  const [first, second] = [await world.butler('张管家'), await world.butler()];
  await world.assign(first.id, '2026-01-01');
  await expect(world.assign(second.id, '2026-06-01')).rejects.toMatchObject({
    label: [
      expect.stringMatching(/^B1U1101 在该日期已有主管家“张管家\d+”$/),
      expect.stringContaining('House already has a main butler'),
    ],
  });
  expect(
    await one(world.shop, 'SELECT count(*)::int AS n FROM housekeeper_building WHERE housekeeper_id = $1', [
      second.id,
    ]),
  ).toEqual({ n: 0 });
});

test('group 12 Must show 6: 35,000.00 of a month with 92 points confirmed are a bonus of 330.00, unconfirmed 300.00', async () => {
  const [confirmed, scored] = [await world.butler(), await world.butler()];
  await world.goods(a, { fixedFen: 1 });
  for (const [butler, state] of [
    [confirmed, 'confirmed'],
    [scored, 'scored'],
  ] as const) {
    await world.visit((await world.share(butler.id, a)).id, before(butler === confirmed ? 60 : 30));
    const order = await world.order(butler === confirmed ? before(45) : PAID, [[a, 1, 3_500_000]]);
    await free(order.id, '2026-11-28T00:00:00+08:00');
    await all(
      world.shop,
      `INSERT INTO butler_appraisal (housekeeper_id, month, plan_id, total, coefficient_bp, state, confirmed_by)
       VALUES ($1, '2026-11', $2, 92, 11000, $3, CASE WHEN $3 = 'confirmed' THEN (SELECT min(id) FROM staff) END)`,
      [butler.id, world.plan, state],
    );
  }
  const made = await batch('2026-11');
  const lines = await all<{ bonus: number }>(
    world.shop,
    'SELECT bonus FROM incentive_batch_line WHERE batch_id = $1 ORDER BY housekeeper_id',
    [made.id],
  );
  expect(lines.map((line) => line.bonus)).toEqual([33_000, 30_000]);
});

test('a month that was given up and is made again after the next one took its rows has its bonus, once', async () => {
  const butler = await world.butler();
  await world.goods(a, { fixedFen: 1 });
  await world.visit((await world.share(butler.id, a)).id, before(60));
  const order = await world.order(PAID, [[a, 1, 3_500_000]]);
  await free(order.id, '2026-11-28T00:00:00+08:00');
  const first = await batch('2026-11');
  expect(first.terms).toMatchObject({ sale: 1, bonus: 30_000 });
  await transaction(db(), (tx) => freeRows(tx, first.id));
  await all(world.shop, `UPDATE incentive_batch SET state = 'void', code = 'IB-GIVEN-UP' WHERE id = $1`, [
    first.id,
  ]);
  // The bonus is that of November: December takes the row, not the bonus.
  const next = await batch('2026-12');
  expect(next.terms).toMatchObject({ sale: 1, bonus: 0, net: 1 });
  const again = await batch('2026-11');
  expect(again.terms).toMatchObject({ sale: 0, bonus: 30_000, net: 30_000 });
});

test('group 12 Must show 7: sales of 6,000.00 over the cap of 5,000.00 are cut by 1,000.00; the bonus is paid besides', async () => {
  const butler = await world.butler();
  await world.goods(a, { fixedFen: 600_000 });
  await world.visit((await world.share(butler.id, a)).id, before(60));
  const order = await world.order(PAID, [[a, 1, 2_000_000]]);
  await free(order.id, '2026-11-28T00:00:00+08:00');
  const { terms } = await batch('2026-11');
  expect(terms).toMatchObject({ sale: 600_000, cap_cut: -100_000, bonus: 10_000, net: 510_000 });
});

test('group 12 Must show 11: 200 hits in a minute from one address are stored, one counts', async () => {
  const butler = await world.butler();
  const link = await world.share(butler.id, a);
  const at = new Date();
  for (let n = 0; n < 200; n += 1)
    await transaction(db(), (tx) =>
      recordVisit(tx, {
        code: link.code,
        address: '10.0.0.9',
        agent: 'Mozilla/5.0',
        source: 'link',
        at: new Date(at.getTime() + n * 250),
      }),
    );
  expect(
    await one(
      world.shop,
      'SELECT count(*)::int AS stored, count(*) FILTER (WHERE counted)::int AS counted FROM butler_share_visit WHERE share_id = $1',
      [link.id],
    ),
  ).toEqual({ stored: 200, counted: 1 });
  // Ten at once of one visitor count once: the table says so.
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      transaction(db(), (tx) =>
        recordVisit(tx, {
          code: link.code,
          memberId: world.shop.ids.member,
          address: '10.0.0.8',
          agent: 'x',
          source: 'qr',
        }),
      ),
    ),
  );
  expect(answers.filter((one) => one.counted)).toHaveLength(1);
  const bot = await transaction(db(), (tx) =>
    recordVisit(tx, { code: link.code, address: '10.0.0.7', agent: 'Googlebot', source: 'link' }),
  );
  expect(bot).toMatchObject({ counted: false, reason: 'bot' });
});

test('group 12 Must show 13: 3 % became 5 % at 12:00; what was paid at 11:59 keeps 3 %, rule and version with it', async () => {
  const butler = await world.butler();
  const goods = await world.goods(a, { rate: 3 });
  await world.visit((await world.share(butler.id, a)).id, before(60));
  await all(world.shop, 'UPDATE butler_goods SET rate = 5 WHERE id = $1', [goods]);
  await all(world.shop, 'UPDATE butler_goods_term SET held_from = $2 WHERE goods_id = $1 AND rate_bp = 500', [
    goods,
    PAID,
  ]);
  // Both are worked out after the change.
  const early = await world.order(before(1), [[a, 1, 10_000]]);
  const late = await world.order(PAID, [[a, 1, 10_000]]);
  expect([(await sums(early.id)).total, (await sums(late.id)).total]).toEqual([300, 500]);
  expect(
    await one(world.shop, 'SELECT rule, rate_bp, plan_id FROM butler_performance WHERE order_id = $1', [
      early.id,
    ]),
  ).toEqual({ rule: 'goods_rate', rate_bp: 300, plan_id: world.plan });
});

test('payment and refund carry results along by themselves; own purchases are nobody’s; days of freezing are kept', async () => {
  const { shop } = world;
  const butler = await world.butler();
  await world.assign(butler.id, '2020-01-01');
  await world.goods(a, { fixedFen: 200 });
  const made = await transaction(db(), (tx) =>
    createCheckout(tx, shop.platforms[0]!, {
      memberId: shop.ids.member,
      projectId: shop.ids.project,
      lines: [{ specId: shop.ids.rice, qty: 2 }],
      coupons: [],
      pointsWanted: 0,
      contactName: '陈思雨',
      contactPhone: '13800138000',
      address: 'B1U1101',
      remark: '',
      source: 1,
      onBehalf: false,
      who: '陈思雨',
      shownTotal: 8_580,
    }),
  );
  const orderId = made.orderIds[0]!;
  const { amount } = await one<{ amount: number }>(
    shop,
    'SELECT amount FROM payment WHERE checkout_code = $1',
    [made.checkoutCode],
  );
  await all(shop, 'INSERT INTO sandbox_trade (trade_no, checkout_code, amount) VALUES ($1, $2, $3)', [
    'T-9',
    made.checkoutCode,
    amount,
  ]);
  expect(
    await receivePayment(shop.platforms[0]!, {
      checkoutCode: made.checkoutCode,
      tradeNo: 'T-9',
      amount,
      channel: 1,
      paidAt: new Date(),
    }),
  ).toBe('paid');
  expect(await world.incentives(orderId)).toEqual([]);
  await deliverAll(shop);
  expect(await world.incentives(orderId)).toMatchObject([
    { butler: butler.id, amount: 200, state: 'frozen' },
  ]);
  await all(
    shop,
    `UPDATE sales_order SET state = 'completed', completed_at = '2026-11-01T00:00:00+08:00' WHERE id = $1`,
    [orderId],
  );
  expect(await unfreeze(db(), new Date('2026-11-07T23:59:59+08:00'))).toBe(0);
  expect(await unfreeze(db(), new Date('2026-11-08T00:00:00+08:00'))).toBe(1);
  const own = await runOne<{ id: number }>(
    db(),
    `INSERT INTO member (name, phone) SELECT '管家本人', s.phone FROM staff s WHERE s.id = $1 RETURNING id`,
    [butler.staffId],
  );
  await all(shop, `INSERT INTO household (member_id, house_id, identity) VALUES ($1, $2, 'family')`, [
    own!.id,
    shop.ids.house,
  ]);
  const bought = await world.order(PAID, [[a, 1, 1000]], { memberId: own!.id });
  expect(await world.incentives(bought.id)).toEqual([]);
});

test('a result that goes to another butler while its city makes a batch is in one hand only: with the former in the batch, or with the next outside', async () => {
  const [butler, next] = [await world.butler(), await world.butler()];
  await world.goods(a, { fixedFen: 500 });
  await world.visit((await world.share(butler.id, a)).id, before(60));
  const order = await world.order(PAID, [[a, 3, 26_248]]);
  await free(order.id, '2026-11-28T00:00:00+08:00');
  const { id } = await one<{ id: number }>(
    world.shop,
    `SELECT id FROM butler_performance WHERE order_id = ${order.id}`,
  );
  let moved: Promise<unknown> | undefined;
  const centre = (await one<{ id: number }>(world.shop, 'SELECT centre_id AS id FROM project LIMIT 1')).id;
  const made = await one<{ id: number }>(
    world.shop,
    `INSERT INTO incentive_batch (code, month, centre_id, tenant_id, maker_id) SELECT 'IB-RACE', '2026-11', $1, $2, min(id) FROM staff RETURNING id`,
    [centre, world.platformTenant],
  );
  await transaction(db(), async (tx) => {
    await fillBatch(tx, { id: made.id, centreId: centre, month: '2026-11' });
    // Begins while the batch holds its rows, and ends after it was written.
    moved = transaction(db(), (other) => reassign(other, { id, to: next.id, reason: '改归属', by: 1 }));
    await new Promise((done) => setTimeout(done, 300));
  });
  expect(await moved).toBe('batched');
  const [row] = await world.incentives(order.id);
  expect(row).toMatchObject({ butler: butler.id, batch: made.id, amount: 1500 });
});
