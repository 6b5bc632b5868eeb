import { afterAll, beforeAll, expect, test } from 'vitest';
import { fenFromYuan, yuanFromFen } from '../kernel/contract/money.rules.ts';
import {
  all,
  brokenRules,
  callAs,
  deliverAll,
  keepRowsApart,
  one,
  openShop,
  payExampleOrders,
  runJob,
  type Shop,
} from '../features/mall/goods-order/order-fixture.ts';
import { spendablePoints } from '../domain/points-ledger/points-ledger.server.ts';
import { registrations } from './registry/registrations.gen.ts';
import { Dice } from '../testing/oracle/world.ts';

/** `SEED=7 npx vitest run src/app/refund-property.test.ts` takes other orders and refunds. */
const SEED = Number(process.env.SEED ?? 20_261_122);
const CHECKOUTS = Number(process.env.CHECKOUTS ?? 14);
const ROOT = '/jinmao/web/goodsOrder';

/** What the run has seen; a run that saw too little of it proves nothing. */
const seen = {
  orders: 0,
  refunds: 0,
  emptied: 0,
  rechecks: 0,
  /** Refunds of units of a line that were re-checked on that line too. */
  pairs: 0,
  apart: 0,
  amounts: 0,
  lowered: 0,
  undone: 0,
  shipped: 0,
  withPoints: 0,
  returned: 0,
};

interface Line {
  readonly id: number;
  readonly qty: number;
  readonly cash: number;
  readonly cash_refunded: number;
  readonly cash_withheld: number;
  readonly qty_shipped: number;
  readonly qty_refunded: number;
  readonly qty_refunded_unshipped: number;
}

interface Order {
  readonly id: number;
  readonly who: 'merchant1' | 'merchant2';
}

type Asked =
  | { readonly lineId: string; readonly qty: number; readonly from?: 'shipped' }
  | { readonly lineId: string; readonly amount: string };

let shop: Shop;
let dice: Dice;
let specs: { readonly id: number; readonly price: number; readonly merchant: 1 | 2 }[];

beforeAll(async () => {
  shop = await openShop(registrations);
  dice = new Dice(SEED);
  for (const [key, value] of [
    ['refund.channel_gap_seconds', '0'],
    ['refund.finance_from', '100000000'],
  ])
    await all(
      shop,
      'INSERT INTO setting (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [key, value],
    );
  for (const platform of shop.platforms) platform.settings.forget();
  // Every refund waits for an audit, so that it can be lowered, rejected and stored in either form.
  for (const who of ['merchant1', 'merchant2'] as const)
    (shop.callers[who].elements as Set<string>).delete('mm_orderRefund:btn_audit');
  specs = [];
  for (let no = 0; no < 10; no++) specs.push(await putOnSale(no));
});
afterAll(() => shop.close());

test(`SEED=${SEED}: whatever is refunded in whatever order, every refund adds up and the last unit brings back the rest`, async () => {
  expect(await brokenRules(shop)).toEqual({});
  for (let no = 0; no < CHECKOUTS; no++) await refundToTheLastUnit(no);
  console.log(`SEED=${SEED}`, JSON.stringify(seen));

  // What every seed sees; most see far more.
  for (const [what, least] of [
    ['orders', 14],
    ['refunds', 28],
    ['rechecks', 3],
    ['pairs', 3],
    ['apart', 1],
    ['amounts', 1],
    ['lowered', 1],
    ['undone', 1],
    ['shipped', 1],
    ['withPoints', 3],
    ['returned', 3],
  ] as const)
    expect(seen[what], what).toBeGreaterThanOrEqual(least);
  expect(seen.emptied).toBe(seen.orders);
}, 180_000);

/** A checkout with coupons and points, refunded in random pieces until nothing is left of any of its orders. */
async function refundToTheLastUnit(no: number): Promise<void> {
  const points = await balance();
  const { orders, coupons, spent } = await buy(no);
  expect(await balance()).toBe(points - spent);
  const trail: string[] = [];
  try {
    for (let open = orders; open.length > 0; open = await withUnitsLeft(orders)) {
      const order = dice.pick(open);
      if (dice.chance(0.2)) await shipSome(order, trail);
      await refundSome(order, trail);
    }
    for (const order of orders) await expectEmpty(order);
    await expectCouponsBack(coupons);
    expect(await balance()).toBe(points);
  } catch (error) {
    throw new Error(`SEED=${SEED}, checkout ${no}:\n${trail.join('\n')}\n${(error as Error).message}`, {
      cause: error,
    });
  }
}

async function buy(no: number) {
  const lines = dice.some(specs, 1 + dice.upTo(3)).map((spec) => ({ spec, qty: 1 + dice.upTo(4) }));
  const goodsOf = (merchant: 1 | 2) =>
    lines
      .filter(({ spec }) => spec.merchant === merchant)
      .reduce((sum, line) => sum + line.spec.price * line.qty, 0);
  const coupons: number[] = [];
  let left = goodsOf(1) + goodsOf(2);
  for (const merchant of [1, 2] as const) {
    const goods = goodsOf(merchant);
    if (goods < 100 || !dice.chance(0.7)) continue;
    const face = 1 + dice.upTo(Math.floor(goods / 2));
    coupons.push(await makeCoupon(`${no}-${merchant}`, merchant, goods, face));
    left -= face;
  }
  if (left > 200 && dice.chance(0.5))
    coupons.push(await makeCoupon(`${no}-p`, undefined, left, 1 + dice.upTo(Math.floor(left / 3))));
  const { member, house } = shop.ids;
  const cart = {
    lines: lines.map(({ spec, qty }) => ({ specId: String(spec.id), qty })),
    coupons: coupons.map(String),
  };
  const quote = (points: number | 'max') =>
    callAs(shop, 'platform', 'POST', `${ROOT}/quote`, {
      memberId: String(member),
      houseId: String(house),
      ...cart,
      points,
    });
  const points = dice.chance(0.7) ? (await quote('max')).data.points : 0;
  const priced = await quote(points);
  const made = await callAs(shop, 'platform', 'POST', ROOT, {
    member: String(member),
    house: String(house),
    ...cart,
    points,
    shownTotal: priced.data.payable,
  });
  expect(made.message).toBe('');
  if (!made.data.result.paid)
    expect(await payExampleOrders(shop, { tradeNo: `T-${made.data.result.checkoutCode}` })).toBe('paid');
  const rows = await all<{ id: number; tenant_id: number; points: number }>(
    shop,
    'SELECT id, tenant_id, points FROM sales_order WHERE id = ANY($1::bigint[]) ORDER BY id',
    [made.data.result.orderIds],
  );
  seen.orders += rows.length;
  seen.withPoints += rows.filter((row) => row.points > 0).length;
  const orders = rows.map((row): Order => ({
    id: row.id,
    who: row.tenant_id === shop.ids.merchant1 ? 'merchant1' : 'merchant2',
  }));
  expect(await brokenRules(shop)).toEqual({});
  return { orders, coupons, spent: rows.reduce((sum, row) => sum + row.points, 0) };
}

/** Asks for pieces of an order, and passes, lowers, rejects or withdraws the refund. */
async function refundSome({ id, who }: Order, trail: string[]): Promise<void> {
  const asked = await somethingOf(id);
  const words = `order ${id}: ${JSON.stringify(asked)}`;
  trail.push(words);
  const suggested = await callAs(shop, who, 'POST', `${ROOT}/${id}/suggestRefund`, { lines: asked });
  expect(suggested.data, words).toMatchObject({ ok: true });
  // What is asked for as an amount may be lowered without being kept back, and would be left when the units are gone.
  const mayLower = asked.every((one) => 'qty' in one) && suggested.data.cash !== '0.00';
  const lower = mayLower && dice.chance(0.35) ? dice.pick(['at once', 'at the audit'] as const) : undefined;
  const agreed = lower && yuanFromFen(dice.upTo(fenFromYuan(suggested.data.cash)!));
  const body = { reasonCode: 'not_wanted', reason: '不想要了', lines: asked };
  const made = await callAs(shop, who, 'POST', `${ROOT}/${id}/refund`, {
    ...body,
    ...(lower === 'at once' ? { cash: agreed, cashReason: '折旧' } : {}),
  });
  expect(made.message, words).toBe('');
  const { refundId, cash } = made.data.result;
  expect(made.data.result, words).toMatchObject({
    state: 'reviewing',
    cash: lower === 'at once' ? agreed : suggested.data.cash,
    points: suggested.data.points,
  });
  const rows: { lineId: string; qty: number; cash: string }[] = suggested.data.rows;
  const taken = rows.filter((row) => row.cash.startsWith('-'));
  seen.rechecks += taken.length > 0 ? 1 : 0;
  seen.pairs += taken.some((row) => rows.some((other) => other !== row && other.lineId === row.lineId))
    ? 1
    : 0;
  if (dice.chance(0.6) && (await keepRowsApart(shop, Number(refundId)))) {
    seen.apart += 1;
    trail.push('  stored in two rows of a line');
  }
  if (dice.chance(0.3)) expect(await brokenRules(shop), words).toEqual({});

  if (dice.chance(0.12)) {
    const undone = dice.chance(0.5)
      ? await callAs(shop, who, 'POST', `${ROOT}/${id}/withdrawRefund`, {})
      : await audit(refundId, { isPass: 2, remark: '不符合退款条件' });
    trail.push('  undone');
    expect(undone.message, words).toBe('');
    seen.undone += 1;
    expect(await brokenRules(shop), words).toEqual({});
    return;
  }
  const passed = await audit(refundId, {
    isPass: 1,
    ...(lower === 'at the audit' ? { agreedPrice: agreed, remark: '折旧' } : {}),
  });
  expect(passed.message, words).toBe('');
  await settle();
  const paid = lower ? agreed : cash;
  trail.push(`  ${paid}${lower ? ` instead of ${suggested.data.cash}, lowered ${lower}` : ''}`);
  expect(
    await one(shop, 'SELECT state, cash FROM refund WHERE id = $1', [refundId]),
    trail.join('\n'),
  ).toEqual({ state: 'succeeded', cash: fenFromYuan(paid) });
  seen.refunds += 1;
  seen.lowered += lower ? 1 : 0;
  seen.amounts += asked.some((one) => 'amount' in one) ? 1 : 0;
  expect(await brokenRules(shop)).toEqual({});
}

async function somethingOf(orderId: number): Promise<Asked[]> {
  const open = (await linesOf(orderId)).filter((line) => line.qty_refunded < line.qty);
  return dice.some(open, 1 + dice.upTo(open.length)).map((line): Asked => {
    const lineId = String(line.id);
    const cashLeft = line.cash - line.cash_refunded - line.cash_withheld;
    if (cashLeft > 1 && dice.chance(0.12))
      return { lineId, amount: yuanFromFen(1 + dice.upTo(Math.ceil(cashLeft / 3))) };
    const returned = line.qty_refunded - line.qty_refunded_unshipped;
    const shippedLeft = line.qty_shipped - returned;
    const unitsLeft = line.qty - line.qty_refunded;
    // Most ask for less than everything, so that a line is refunded in several pieces.
    if (shippedLeft > 0 && dice.chance(0.5))
      return { lineId, qty: 1 + dice.upTo(shippedLeft), from: 'shipped' };
    return { lineId, qty: dice.chance(0.6) ? 1 : 1 + dice.upTo(unitsLeft) };
  });
}

async function shipSome({ id, who }: Order, trail: string[]): Promise<void> {
  const lines = (await linesOf(id)).flatMap((line) => {
    const left = line.qty - line.qty_shipped - line.qty_refunded_unshipped;
    return left > 0 ? [{ lineId: String(line.id), qty: 1 + dice.upTo(left) }] : [];
  });
  if (lines.length === 0) return;
  trail.push(`order ${id}: shipped ${JSON.stringify(lines)}`);
  const answer = await callAs(shop, who, 'POST', `${ROOT}/${id}/ship`, {
    way: 'express',
    company: 'SF',
    trackingNo: 'SF1234567',
    lines,
  });
  expect(answer.message).toBe('');
  seen.shipped += 1;
}

/** Nothing is left: each fen went back, is kept back with a reason, or is freight of goods that were sent. */
async function expectEmpty({ id }: Order): Promise<void> {
  const order = await one(shop, 'SELECT * FROM sales_order WHERE id = $1', [id]);
  const lines = await linesOf(id);
  let withheld = 0;
  for (const line of lines) {
    expect(line.cash_refunded + line.cash_withheld, `line ${line.id}`).toBe(line.cash);
    withheld += line.cash_withheld;
  }
  const sent = lines.some((line) => line.qty_shipped > 0);
  expect(order).toMatchObject({
    refund_status: 'full',
    state: 'closed',
    points_refunded: order.points,
  });
  expect(order.cash_refunded + withheld + (order.freight - order.freight_refunded)).toBe(order.payable);
  if (!sent && withheld === 0) expect(order.cash_refunded).toBe(order.payable);
  const shares = await all(
    shop,
    `SELECT s.amount, s.units, s.platform_amount, s.refunded_amount, s.refunded_units,
            sum(x.amount)::bigint AS parts, sum(x.units)::bigint AS part_units, sum(x.platform_amount)::bigint AS part_platform
       FROM order_line l JOIN order_share s ON s.line_id = l.id
       LEFT JOIN (refund_line_share x JOIN refund_line rl ON rl.id = x.refund_line_id
                  JOIN refund r ON r.id = rl.refund_id AND r.state = 'succeeded') ON x.share_id = s.id
      WHERE l.order_id = $1 AND s.amount > 0 GROUP BY s.id`,
    [id],
  );
  for (const share of shares)
    expect(share).toMatchObject({
      refunded_amount: share.amount,
      refunded_units: share.units,
      parts: share.amount,
      part_units: share.units,
      part_platform: share.platform_amount,
    });
  seen.emptied += 1;
}

async function expectCouponsBack(coupons: readonly number[]): Promise<void> {
  for (const id of coupons) {
    const coupon = await one(
      shop,
      `SELECT mc.status, c.used, c.returnable, (SELECT count(*) FROM member_coupon b WHERE b.returned_from = mc.id)::int AS returned
         FROM member_coupon mc JOIN coupon c ON c.id = mc.coupon_id WHERE mc.id = $1`,
      [id],
    );
    expect(coupon).toMatchObject({ status: 'refunded', used: 0, returned: coupon.returnable ? 1 : 0 });
    seen.returned += coupon.returned;
  }
}

async function withUnitsLeft(orders: readonly Order[]): Promise<Order[]> {
  const rows = await all<{ order_id: number }>(
    shop,
    'SELECT DISTINCT order_id FROM order_line WHERE order_id = ANY($1::bigint[]) AND qty_refunded < qty',
    [orders.map((order) => order.id)],
  );
  return orders.filter((order) => rows.some((row) => row.order_id === order.id));
}

function linesOf(orderId: number): Promise<Line[]> {
  return all<Line>(shop, 'SELECT * FROM order_line WHERE order_id = $1 ORDER BY line_no', [orderId]);
}

function audit(refundId: string, body: Record<string, unknown>) {
  return callAs(shop, 'platform', 'POST', '/jinmao/web/bizRefundAudit/audit', { auditId: refundId, ...body });
}

/** What the worker does until the channel has answered. */
async function settle(): Promise<void> {
  await deliverAll(shop);
  for (const { no } of await all(
    shop,
    `SELECT channel_refund_no AS no FROM refund WHERE state = 'refunding'`,
  ))
    await runJob(shop, 'sandbox.refund_result', { refundNo: no });
}

function balance(): Promise<number> {
  return spendablePoints(shop.platforms[0]!.database.db, shop.ids.member);
}

async function putOnSale(no: number) {
  const merchant = no % 2 === 0 ? 1 : 2;
  const price = 1 + dice.upTo(dice.pick([300, 3_000, 9_999]));
  const { id } = await one<{ id: number }>(
    shop,
    `WITH sold AS (INSERT INTO product (code, tenant_id, business_id, name, status)
       SELECT $1, $2, id, $1, 'published' FROM business WHERE code = 'goods' RETURNING id),
     placed AS (INSERT INTO product_project SELECT id, $4 FROM sold)
     INSERT INTO product_spec (product_id, code, name, price, stock) SELECT id, 'S01', 'one', $3, 5000 FROM sold RETURNING id`,
    [`PX${no}`, merchant === 1 ? shop.ids.merchant1 : shop.ids.merchant2, price, shop.ids.project],
  );
  await all(
    shop,
    `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id) VALUES ($1, 1, 5000, 0, 5000, 'product_spec', $2)`,
    [id, String(id)],
  );
  return { id, price, merchant } as const;
}

/** A coupon with a threshold the cart just reaches or reaches well, and the member's own copy of it. */
async function makeCoupon(code: string, merchant: 1 | 2 | undefined, goods: number, face: number) {
  const { ids } = shop;
  const tenant = merchant === undefined ? ids.platformTenant : merchant === 1 ? ids.merchant1 : ids.merchant2;
  const { id } = await one<{ id: number }>(
    shop,
    `WITH made AS (INSERT INTO coupon (code, name, type, issuer, tenant_id, threshold, face, refund_rule, returnable, total, claimed,
         bearer_platform_percent, starts_at, ends_at)
       VALUES ($1, $1, 'cash', $2, $3, $4, $5, $6, $7, 10, 1, $8, now() - interval '1 day', now() + interval '9 days') RETURNING id)
     INSERT INTO member_coupon (code, coupon_id, member_id, claim_seq, ends_at) SELECT 'M' || $1::text, id, $9, 1, now() + interval '9 days' FROM made RETURNING id`,
    [
      `CX${code}`,
      merchant === undefined ? 'platform' : 'merchant',
      tenant,
      goods - dice.upTo(Math.floor(goods / 2)),
      face,
      dice.chance(0.85) ? 'recheck' : 'share',
      dice.chance(0.8),
      merchant === undefined ? dice.upTo(101) : 0,
      ids.member,
    ],
  );
  return id;
}
