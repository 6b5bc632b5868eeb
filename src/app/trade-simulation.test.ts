import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  all,
  brokenRules,
  callAs,
  deliverAll,
  one,
  openShop,
  runJob,
  type Answer,
  type Shop,
} from '../features/mall/goods-order/order-fixture.ts';
import { grantPoints } from '../domain/points-ledger/points-grant.server.ts';
import { transaction } from '../kernel/server/database.ts';
import { Dice } from '../testing/oracle/world.ts';
import { registrations } from './registry/registrations.gen.ts';

/** `SEED=7 STEPS=20000 npx vitest run src/app/trade-simulation.test.ts` takes other steps, or more of them. */
const SEED = Number(process.env.SEED ?? 20_261_123);
const STEPS = Number(process.env.STEPS ?? 2_000);
/** Every invariant is asked so often. */
const LOOK = 100;
const MEMBERS = 12;
const TRADE = '/jinmao/web/memberTrade';

let shop: Shop;
let dice: Dice;
let specs: number[];
let members: number[];
let requests = 0;
/** What the run has seen; a run that saw too little of it proves nothing. */
const seen: Record<string, number> = {};
const reasons: Record<string, number> = {};

beforeAll(async () => {
  // Failures are injected, so what the product says of them is no news.
  shop = await openShop(registrations, 1, 10, () => {});
  dice = new Dice(SEED);
  for (const [key, value] of [
    ['refund.channel_gap_seconds', '0'],
    ['refund.finance_from', '100000000'],
    ['sandbox.fail_percent', '8'],
    ['sandbox.duplicate_percent', '10'],
    ['sandbox.lost_percent', '10'],
  ])
    await all(
      shop,
      'INSERT INTO setting (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
      [key, value],
    );
  for (const platform of shop.platforms) platform.settings.forget();
  specs = [];
  for (let no = 0; no < 8; no++) specs.push(await putOnSale(no));
  members = [];
  for (let no = 0; no < MEMBERS; no++) members.push(await newMember(no));
});
afterAll(() => shop.close());

/** Steps by how often they come. Each chooses from what stands in the database and may find nothing to do. */
const STEPS_OF: readonly (readonly [string, number, () => Promise<void>])[] = [
  ['checkout', 26, checkout],
  ['pay', 22, pay],
  ['cancel', 5, cancel],
  ['timeout', 4, timeOut],
  ['ship', 14, ship],
  ['receive', 6, receive],
  ['refund', 12, refund],
  ['audit', 8, audit],
  ['deliver', 12, deliver],
];

test(`SEED=${SEED}: ${STEPS} random steps of members and staff over a channel that fails, repeats and stays silent keep every rule`, async () => {
  const total = STEPS_OF.reduce((sum, [, weight]) => sum + weight, 0);
  for (let no = 1; no <= STEPS; no++) {
    let at = dice.upTo(total);
    const [name, , step] = STEPS_OF.find(([, weight]) => (at -= weight) < 0)!;
    try {
      await step();
    } catch (error) {
      throw new Error(`SEED=${SEED}, step ${no} (${name}): ${(error as Error).message}`, { cause: error });
    }
    if (no % LOOK === 0) await lookAround(`SEED=${SEED}, after step ${no}`);
  }
  await settleEverything();
  await lookAround(`SEED=${SEED}, at the end`);
  console.log(`SEED=${SEED}`, JSON.stringify(seen), JSON.stringify(reasons));
  for (const what of [
    'checkout',
    'refused',
    'paid',
    'repeated',
    'cancelled',
    'timed out',
    'shipped',
    'received',
    'refund asked',
    'refund passed',
    'refund rejected',
  ])
    expect(seen[what] ?? 0, what).toBeGreaterThan(STEPS / 400);
}, 1_800_000);

async function lookAround(where: string): Promise<void> {
  expect(await brokenRules(shop), where).toEqual({});
  const wrong = await all(
    shop,
    `SELECT s.id, s.stock, s.reserved, s.sold FROM product_spec s
      WHERE s.id = ANY($1::bigint[]) AND s.stock + s.reserved + s.sold <> 400`,
    [specs],
  );
  // Shipped goods come back only by hand, so every piece is on the shelf, held or sold.
  expect(wrong, where).toEqual([]);
}

async function checkout(): Promise<void> {
  const member = dice.pick(members);
  const lines = dice
    .some(specs, 1 + dice.upTo(3))
    .map((specId) => ({ specId: String(specId), qty: 1 + dice.upTo(4) }));
  const points = dice.chance(0.3) ? 'max' : 0;
  const cart = { memberId: String(member), projectId: String(shop.ids.project), lines };
  const quote = await ask('quote', { ...cart, points });
  if (quote.http !== 200) return refused(quote);
  const body = {
    ...cart,
    points: quote.data.points,
    contactName: '李明',
    contactPhone: '13900000001',
    address: '1-101',
    // Some pages are stale.
    shownTotal: dice.chance(0.03) ? quote.data.total + 1 : quote.data.total,
    requestId: nextRequest(),
  };
  const made = await ask('checkout', body);
  if (made.http !== 200) return refused(made);
  count('checkout');
  if (dice.chance(0.15)) {
    const again = await ask('checkout', body);
    expect(again.data, 'a repeat has the first answer').toEqual(made.data);
    count('repeated');
  }
}

async function pay(): Promise<void> {
  const order = await pickOrder(`o.state = 'pending_payment'`);
  if (!order) return;
  const simulate = dice.pick(['ok', 'ok', 'ok', 'ok', 'duplicate', 'delay', 'lost', 'fail', 'wrong_amount']);
  const answer = await ask('pay', {
    memberId: String(order.member),
    checkoutCode: order.checkout,
    channel: 1 + dice.upTo(2),
    simulate,
  });
  if (answer.http !== 200) return refused(answer);
  count('paid');
}

async function cancel(): Promise<void> {
  const order = await pickOrder(`o.state IN ('pending_payment', 'pending_payment', 'to_ship')`);
  if (!order) return;
  const answer = await ask('cancel', { ...named(order), reason: '不要了' });
  if (answer.http === 200) count('cancelled');
  else refused(answer);
}

async function timeOut(): Promise<void> {
  const order = await pickOrder(`o.state = 'pending_payment'`);
  if (!order) return;
  await all(
    shop,
    `UPDATE sales_order SET pay_deadline = clock_timestamp() - interval '1 second' WHERE payment_id = (SELECT payment_id FROM sales_order WHERE id = $1)`,
    [order.id],
  );
  await runJob(shop, 'order.close_unpaid');
  count('timed out');
}

async function ship(): Promise<void> {
  const order = await pickOrder(`o.state IN ('to_ship', 'part_shipped')`);
  if (!order) return;
  const left = await all<{ id: number; left: number }>(
    shop,
    `SELECT id, qty - qty_shipped - qty_refunded_unshipped AS left FROM order_line
      WHERE order_id = $1 AND qty > qty_shipped + qty_refunded_unshipped ORDER BY id`,
    [order.id],
  );
  if (left.length === 0) return;
  const answer = await callAs(shop, order.who, 'POST', `/jinmao/web/goodsOrder/${order.id}/ship`, {
    way: 'express',
    company: 'SF',
    trackingNo: 'SF1234567',
    // Now and then more than there is.
    lines: left.map((line) => ({
      lineId: String(line.id),
      qty: 1 + dice.upTo(line.left + (dice.chance(0.05) ? 2 : 0)),
    })),
  });
  if (answer.http === 200) count('shipped');
  else refused(answer);
}

async function receive(): Promise<void> {
  const order = await pickOrder(`o.state = 'to_receive'`);
  if (!order) return;
  const answer = await ask('receive', named(order));
  if (answer.http === 200) count('received');
  else refused(answer);
}

async function refund(): Promise<void> {
  const order = await pickOrder(`o.state IN ('to_ship', 'part_shipped', 'to_receive', 'completed')`);
  if (!order) return;
  const lines = await all<{ id: number; left: number }>(
    shop,
    'SELECT id, qty - qty_refunded AS left FROM order_line WHERE order_id = $1 AND qty > qty_refunded ORDER BY id',
    [order.id],
  );
  if (lines.length === 0) return;
  const answer = await ask('refund', {
    ...named(order),
    lines: dice.chance(0.3)
      ? 'all'
      : dice
          .some(lines, 1 + dice.upTo(lines.length))
          .map((line) => ({ lineId: String(line.id), qty: 1 + dice.upTo(line.left) })),
    reason: '不想要了',
  });
  if (answer.http === 200) count('refund asked');
  else refused(answer);
}

async function audit(): Promise<void> {
  const waiting = await all<{ id: number }>(
    shop,
    `SELECT id FROM refund WHERE state IN ('reviewing', 'failed') ORDER BY id`,
  );
  if (waiting.length === 0) return;
  const { id } = dice.pick(waiting);
  const isPass = dice.chance(0.75) ? 1 : 2;
  const answer = await callAs(shop, 'platform', 'POST', '/jinmao/web/bizRefundAudit/audit', {
    auditId: String(id),
    isPass,
    ...(isPass === 2 ? { remark: '不符合退款条件' } : {}),
  });
  if (answer.http === 200) count(isPass === 1 ? 'refund passed' : 'refund rejected');
  else refused(answer);
}

/** What lies in the outbox arrives, also twice, and the sandbox tells its results. */
async function deliver(): Promise<void> {
  await deliverAll(shop);
  const open = await all<{ no: string }>(
    shop,
    `SELECT channel_refund_no AS no FROM refund WHERE state = 'refunding' ORDER BY id`,
  );
  for (const { no } of open)
    if (dice.chance(0.8)) await runJob(shop, 'sandbox.refund_result', { refundNo: no });
}

/** Everything that is under way ends: results arrive, silent payments are asked for. */
async function settleEverything(): Promise<void> {
  for (let round = 0; round < 3; round++) await deliver();
}

interface Picked {
  readonly id: number;
  readonly member: number;
  readonly checkout: string;
  readonly who: 'merchant1' | 'merchant2';
}

async function pickOrder(condition: string): Promise<Picked | undefined> {
  const rows = await all<{ id: number; member: number; checkout: string; tenant: number }>(
    shop,
    `SELECT o.id, o.member_id AS member, o.tenant_id AS tenant, p.checkout_code AS checkout FROM sales_order o
       JOIN payment p ON p.id = o.payment_id WHERE ${condition} ORDER BY o.id DESC LIMIT 40`,
  );
  if (rows.length === 0) return undefined;
  const row = dice.pick(rows);
  return { ...row, who: row.tenant === shop.ids.merchant1 ? 'merchant1' : 'merchant2' };
}

function named(order: Picked) {
  return { memberId: String(order.member), orderId: String(order.id), requestId: nextRequest() };
}

function nextRequest(): string {
  requests += 1;
  return `request-${SEED}-${requests}`;
}

function ask(path: string, body: object): Promise<Answer> {
  return callAs(shop, 'program', 'POST', `${TRADE}/${path}`, body);
}

/** Rules refuse now and then; anything that is not a rule's answer is a fault of the product. */
function refused(answer: Answer): void {
  if (answer.http >= 500 || answer.message === '') throw new Error(JSON.stringify(answer));
  count('refused');
  const why = answer.message;
  reasons[why] = (reasons[why] ?? 0) + 1;
}

function count(what: string): void {
  seen[what] = (seen[what] ?? 0) + 1;
}

async function newMember(no: number): Promise<number> {
  const { id } = await one<{ id: number }>(
    shop,
    'INSERT INTO member (name, phone, project_id) VALUES ($1, $2, $3) RETURNING id',
    [`会员${no}`, `1380000${String(1_000 + no)}`, shop.ids.project],
  );
  const platform = shop.platforms[0]!;
  await transaction(platform.database.db, (tx) =>
    grantPoints(tx, platform.settings, {
      memberId: id,
      amount: 20_000,
      source: { type: 'test', id: `m${no}`, purpose: 'grant' },
    }),
  );
  return id;
}

async function putOnSale(no: number): Promise<number> {
  const { id } = await one<{ id: number }>(
    shop,
    `WITH sold AS (INSERT INTO product (code, tenant_id, business_id, name, status)
       SELECT $1, $2, id, $1, 'published' FROM business WHERE code = 'goods' RETURNING id),
     placed AS (INSERT INTO product_project SELECT id, $4 FROM sold)
     INSERT INTO product_spec (product_id, code, name, price, stock) SELECT id, 'S01', 'one', $3, 400 FROM sold RETURNING id`,
    [
      `PS${no}`,
      no % 2 === 0 ? shop.ids.merchant1 : shop.ids.merchant2,
      1 + dice.upTo(dice.pick([500, 5_000, 20_000])),
      shop.ids.project,
    ],
  );
  await all(
    shop,
    `INSERT INTO stock_movement (spec_id, op, qty, stock_before, stock_after, source_type, source_id) VALUES ($1, 1, 400, 0, 400, 'product_spec', $2)`,
    [id, String(id)],
  );
  return id;
}
