import { inspect } from 'node:util';
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
import { makeActivity } from '../features/mall/group-buy/group-fixture.ts';
import {
  addService,
  at,
  ORDERS as SERVICE_ORDERS,
} from '../features/home-services/service-order/visit-fixture.ts';
import { appointment } from '../features/home-services/appointment/appointment.contract.ts';
import { serviceOrder } from '../features/home-services/service-order/service-order.contract.ts';
import { receiveChannelResult } from '../features/after-sales/refund/refund-send.server.ts';
import { hearPayment, type WireCallback } from '../domain/checkout/sandbox-pay.server.ts';
import { elementCode, elementsOf } from '../kernel/contract/resource.ts';
import { deliverEffect } from '../kernel/server/tasks/outbox.ts';
import { effectsOf } from '../kernel/server/tasks/kernel-jobs.ts';
import { insertRow } from '../kernel/server/resource/run-action.ts';
import { run } from '../kernel/server/database.ts';
import { tradeProblems } from '../testing/trade-rules.ts';
import { grantPoints } from '../domain/points-ledger/points-grant.server.ts';
import { transaction } from '../kernel/server/database.ts';
import { yuanFromFen } from '../kernel/contract/money.rules.ts';
import { Dice } from '../testing/oracle/world.ts';
import { registrations } from './registry/registrations.gen.ts';

/** `SEED=7 STEPS=20000 npx vitest run src/app/trade-simulation.test.ts` takes other steps, or more of them. */
const SEED = Number(process.env.SEED ?? 20_261_123);
const STEPS = Number(process.env.STEPS ?? 2_000);
/** Every invariant is asked so often. */
const LOOK = 200;
const MEMBERS = 12;
const TRADE = '/jinmao/web/memberTrade';

let shop: Shop;
let dice: Dice;
let specs: number[];
/** Pieces each spec ever got, by id. */
const entered = new Map<string, number>();
let members: number[];
/** Specs of services by product, with places for three at a time. */
let visits: { readonly service: number; readonly spec: number }[];
let people: number[];
let groupItems: { readonly itemId: number; readonly spec: number }[];
let coupons: number[];
let requests = 0;
/** What the product logged last. */
let complaint: object | string = '';
/** The last steps, told with a failure. */
const trail: string[] = [];
/** What the run has seen; a run that saw too little of it proves nothing. */
const seen: Record<string, number> = {};
const reasons: Record<string, number> = {};
/** Milliseconds of each step, so that growth is seen. */
const spent: Record<string, number> = {};

beforeAll(async () => {
  // Failures are injected, so what the product says of them is told only with a fault.
  shop = await openShop(registrations, 1, 10, (data) => {
    complaint = data;
  });
  dice = new Dice(SEED);
  for (const [key, value] of [
    ['refund.channel_gap_seconds', '0'],
    ['refund.finance_from', '100000000'],
    // The last digit of the amount decides, so that a seed fares the same on every day.
    ['sandbox.refund.mode', '"mixed"'],
    ['service.lead_hours', '24'],
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
  for (const resource of [serviceOrder, appointment])
    for (const who of ['platform', 'merchant1', 'merchant2'] as const) {
      const caller = shop.callers[who];
      (caller.menus as Map<string, unknown>).set(resource.menu, [{ kind: 'all' }]);
      for (const element of Object.keys(elementsOf(resource)))
        (caller.elements as Set<string>).add(elementCode(resource, element));
    }
  await openServices();
  for (const spec of [shop.ids.rice, shop.ids.oil, shop.ids.tissue]) entered.set(String(spec), 100);
  groupItems = [];
  for (const [spec, price, more] of [
    [shop.ids.rice, 2_990, {}],
    [shop.ids.tissue, 1_490, { allow_coupon: true, allow_points: true, group_size: 2 }],
  ] as const) {
    const { itemId } = await makeActivity(shop, more, {
      spec_id: spec,
      price,
      reserved: 60,
      per_member_limit: 9,
    });
    groupItems.push({ itemId, spec });
  }
  coupons = [];
  for (let no = 0; no < 5; no++) coupons.push(await newCoupon(no));
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
  ['staff refund', 3, staffRefund],
  ['price', 3, lowerPrice],
  ['order for a member', 4, orderForMember],
  ['claim', 8, claim],
  ['team', 9, joinTeam],
  ['team over', 2, endTeam],
  ['visit', 9, bookVisit],
  ['visit work', 10, workVisit],
  ['deliver', 9, deliver],
  ['some effects', 6, deliverSome],
  ['late news', 5, lateNews],
  ['weather', 1, weather],
];

test(`SEED=${SEED}: ${STEPS} random steps of members and staff over a channel that fails, repeats and stays silent keep every rule`, async () => {
  const total = STEPS_OF.reduce((sum, [, weight]) => sum + weight, 0);
  for (let no = 1; no <= STEPS; no++) {
    let at = dice.upTo(total);
    const [name, , step] = STEPS_OF.find(([, weight]) => (at -= weight) < 0)!;
    trail.push(`${no} ${name}`);
    if (trail.length > 100) trail.shift();
    const begun = Date.now();
    try {
      await step();
      spent[name] = (spent[name] ?? 0) + Date.now() - begun;
      if (no % LOOK === 0) {
        await lookAround('every rule');
        spent.rules = (spent.rules ?? 0) + Date.now() - begun;
      }
    } catch (error) {
      throw new Error(
        `SEED=${SEED}, step ${no} (${name}): ${(error as Error).message}\n${trail.slice(-20).join('\n')}`,
        { cause: error },
      );
    }
  }
  await settleEverything();
  await lookAround(`SEED=${SEED}, at the end`);
  console.log(`SEED=${SEED}`, JSON.stringify(seen), JSON.stringify(reasons), JSON.stringify(spent));
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
    'claimed',
    'coupon used',
    'joined',
    'team formed',
    'booked',
    'visited',
    'news again',
    'lowered',
    'for a member',
  ])
    expect(seen[what] ?? 0, what).toBeGreaterThan(STEPS / 400);
}, 1_800_000);

async function lookAround(where: string): Promise<void> {
  expect(await brokenRules(shop), where).toEqual({});
  const db = shop.platforms[0]!.database.db;
  // Shipped goods come back only by hand, so every piece is on the shelf, held, sold or with an activity.
  expect(await tradeProblems(db, { entered: Object.fromEntries(entered) }), where).toEqual([]);
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
  for (const { id } of await all<{ id: number }>(
    shop,
    `SELECT id FROM refund WHERE state = 'refunding' ORDER BY id`,
  ))
    if (dice.chance(0.3)) await runJob(shop, 'refund.query', { refundId: id });
}

/** Everything that is under way ends: results arrive, silent payments are asked for. */
async function settleEverything(): Promise<void> {
  await all(shop, `UPDATE setting SET value = '"ok"' WHERE key = 'sandbox.refund.mode'`);
  for (const platform of shop.platforms) platform.settings.forget();
  for (let round = 0; round < 4; round++) {
    await deliverAll(shop);
    const open = await all<{ id: number; no: string }>(
      shop,
      `SELECT id, channel_refund_no AS no FROM refund WHERE state = 'refunding' ORDER BY id`,
    );
    for (const { id, no } of open) {
      await runJob(shop, 'sandbox.refund_result', { refundNo: no });
      await runJob(shop, 'refund.query', { refundId: id });
    }
  }
  for (const [what, sql] of [
    ['coupon used', `SELECT count(*)::int AS n FROM member_coupon WHERE status IN ('used', 'refunded')`],
    ['team formed', `SELECT count(*)::int AS n FROM group_buy_team WHERE state = 'formed'`],
  ] as const)
    seen[what] = (await one<{ n: number }>(shop, sql)).n;
}

interface Picked {
  readonly id: number;
  readonly member: number;
  readonly checkout: string;
  readonly state: string;
  readonly who: 'merchant1' | 'merchant2';
}

async function pickOrder(condition: string): Promise<Picked | undefined> {
  const rows = await all<Omit<Picked, 'who'> & { readonly tenant: number }>(
    shop,
    `SELECT o.id, o.member_id AS member, o.tenant_id AS tenant, o.state, p.checkout_code AS checkout FROM sales_order o
       JOIN payment p ON p.id = o.payment_id WHERE ${condition} ORDER BY o.id DESC LIMIT 40`,
  );
  if (rows.length === 0) return undefined;
  const row = dice.pick(rows);
  trail.push(`  order ${row.id}`);
  return { ...row, who: row.tenant === shop.ids.merchant1 ? 'merchant1' : 'merchant2' };
}

/** A merchant asks for a refund of pieces of an order, of freight or of an amount only. */
async function staffRefund(): Promise<void> {
  const order = await pickOrder(`o.kind = 'goods' AND o.state IN ('to_ship', 'part_shipped', 'to_receive')`);
  if (!order) return;
  const lines = await all<{ id: number; left: number; cash: number }>(
    shop,
    `SELECT id, qty - qty_refunded AS left, cash - cash_refunded - cash_withheld AS cash FROM order_line
      WHERE order_id = $1 AND qty > qty_refunded ORDER BY id`,
    [order.id],
  );
  if (lines.length === 0) return;
  const line = dice.pick(lines);
  const asked =
    dice.chance(0.3) && line.cash > 3
      ? { lineId: String(line.id), amount: yuanFromFen(1 + dice.upTo(Math.ceil(line.cash / 3))) }
      : { lineId: String(line.id), qty: 1 + dice.upTo(line.left) };
  const answer = await callAs(shop, order.who, 'POST', `/jinmao/web/goodsOrder/${order.id}/refund`, {
    reasonCode: 'not_wanted',
    reason: '协商退款',
    lines: [asked],
  });
  if (answer.http === 200) count('refund asked');
  else refused(answer);
}

/** 改价 of an unpaid order. */
async function lowerPrice(): Promise<void> {
  const order = await pickOrder(`o.kind = 'goods' AND o.type = 'ordinary' AND o.state = 'pending_payment'`);
  if (!order) return;
  const { cash } = await one<{ cash: number }>(
    shop,
    'SELECT sum(cash)::bigint AS cash FROM order_line WHERE order_id = $1',
    [order.id],
  );
  // Now and then more than there is.
  const off = 1 + dice.upTo(Math.ceil(cash * (dice.chance(0.1) ? 2 : 0.4)) + 1);
  const answer = await callAs(shop, order.who, 'POST', `/jinmao/web/goodsOrder/${order.id}/price`, {
    off: yuanFromFen(off),
    reason: '老客优惠',
  });
  if (answer.http === 200) count('lowered');
  else refused(answer);
}

/** 代客下单 by the platform's desk. */
async function orderForMember(): Promise<void> {
  const cart = {
    lines: dice
      .some(specs, 1 + dice.upTo(2))
      .map((specId) => ({ specId: String(specId), qty: 1 + dice.upTo(3) })),
    coupons: 'best',
  };
  const who = { house: String(shop.ids.house) };
  const quote = await callAs(shop, 'platform', 'POST', '/jinmao/web/goodsOrder/quote', {
    memberId: String(shop.ids.member),
    houseId: who.house,
    ...cart,
    points: 0,
  });
  if (quote.http !== 200) return refused(quote);
  const made = await callAs(shop, 'platform', 'POST', '/jinmao/web/goodsOrder', {
    ...who,
    member: String(shop.ids.member),
    ...cart,
    coupons: quote.data.coupons.flatMap((one: { id: string; state: string }) =>
      one.state === 'chosen' ? [one.id] : [],
    ),
    points: 0,
    shownTotal: quote.data.payable,
  });
  if (made.http === 200) count('for a member');
  else refused(made);
}

async function claim(): Promise<void> {
  const answer = await ask('claimCoupon', {
    requestId: nextRequest(),
    memberId: String(dice.pick(members)),
    couponId: String(dice.pick(coupons)),
  });
  if (answer.http === 200) count('claimed');
  else refused(answer);
}

/** Orders a seat, in a team that forms or in one of one's own, and mostly pays at once. */
async function joinTeam(): Promise<void> {
  const { itemId, spec } = dice.pick(groupItems);
  const forming = await all<{ id: number }>(
    shop,
    `SELECT id FROM group_buy_team WHERE item_id = $1 AND state = 'forming' ORDER BY id DESC LIMIT 3`,
    [itemId],
  );
  const team = forming.length > 0 && dice.chance(0.8) ? dice.pick(forming) : undefined;
  const member = dice.pick(members);
  const cart = {
    memberId: String(member),
    projectId: String(shop.ids.project),
    lines: [{ specId: String(spec), qty: 1 }],
    group: {
      itemId: String(itemId),
      ...(team ? { teamId: String(team.id) } : {}),
      openNewIfFull: dice.chance(0.5),
    },
  };
  await buy(cart, 'joined', 0.75);
}

async function endTeam(): Promise<void> {
  const forming = await all<{ id: number }>(
    shop,
    `SELECT id FROM group_buy_team WHERE state = 'forming' ORDER BY id`,
  );
  if (forming.length === 0) return;
  const { id } = dice.pick(forming);
  await all(
    shop,
    `UPDATE group_buy_team SET deadline = clock_timestamp() - interval '1 second' WHERE id = $1`,
    [id],
  );
  await runJob(shop, 'group_buy.team');
  await runJob(shop, 'group_buy.refund');
  count('team over');
}

async function bookVisit(): Promise<void> {
  const { spec } = dice.pick(visits);
  const cart = {
    memberId: String(dice.pick(members)),
    projectId: String(shop.ids.project),
    lines: [{ specId: String(spec), qty: 1 + dice.upTo(2) }],
    // Few times, so that they fill up; one of them too near.
    visit: { startsAt: at(dice.chance(0.04) ? 0 : 3 + dice.upTo(3), 9 + 2 * dice.upTo(3)) },
  };
  await buy(cart, 'booked', 0.7);
}

/** Sends somebody, finishes, moves, cancels, misses; overbooks now and then. */
async function workVisit(): Promise<void> {
  const order = await pickOrder(`o.kind = 'service' AND o.state IN ('to_accept', 'to_visit')`);
  if (!order) return;
  const staff = order.who;
  const post = (action: string, body: object) =>
    callAs(shop, staff, 'POST', `${SERVICE_ORDERS}/${order.id}/${action}`, body);
  // Mostly what comes next, now and then what does not fit.
  const next = order.state === 'to_accept' ? 'assign' : 'finish';
  const what = dice.pick([next, next, next, next, 'assign', 'finish', 'move', 'cancel', 'again'] as const);
  const person = String(dice.pick(people));
  const answer = await {
    assign: () => post('assign', { person }),
    finish: () => post('finish', {}),
    move: () =>
      post('reschedule', {
        startsAt: at(3 + dice.upTo(3), 9 + 2 * dice.upTo(3)),
        reason: '客户要求',
        ...(dice.chance(0.2) ? { overbookReason: '老客户' } : {}),
      }),
    cancel: () => post('cancel', { by: dice.pick(['member', 'merchant']), reason: '行程有变' }),
    again: () => post('reassign', { person, reason: '人员请假' }),
  }[what]();
  if (answer.http === 200) count(what === 'finish' ? 'visited' : `visit ${what}`);
  else refused(answer);
}

/** A cart of one kind is priced, ordered and mostly paid. */
async function buy(cart: { readonly memberId: string }, what: string, pays: number): Promise<void> {
  const quote = await ask('quote', cart);
  if (quote.http !== 200) return refused(quote);
  const made = await ask('checkout', {
    ...cart,
    contactName: '李明',
    contactPhone: '13900000001',
    address: '1-101',
    shownTotal: quote.data.total,
    requestId: nextRequest(),
  });
  if (made.http !== 200) return refused(made);
  count(what);
  if (made.data.paid || !dice.chance(pays)) return;
  const paid = await ask('pay', {
    memberId: cart.memberId,
    checkoutCode: made.data.checkoutCode,
    channel: 1,
    simulate: 'duplicate',
  });
  if (paid.http !== 200) refused(paid);
}

/** Some of what lies in the outbox arrives, in any order. */
async function deliverSome(): Promise<void> {
  const platform = shop.platforms[0]!;
  await all(shop, `UPDATE outbox SET available_at = now() - interval '1 second' WHERE state = 'pending'`);
  const open = await all<{ id: number }>(shop, `SELECT id FROM outbox WHERE state = 'pending' ORDER BY id`);
  const effects = effectsOf(shop.registrations);
  for (const { id } of dice.some(open, 1 + dice.upTo(Math.max(1, open.length))))
    await deliverEffect(platform, effects, id);
}

/** The channel tells something again that it has told before, whatever became of it meanwhile. */
async function lateNews(): Promise<void> {
  const platform = shop.platforms[0]!;
  if (dice.chance(0.5)) {
    const told = await all<{ payload: WireCallback }>(
      shop,
      `SELECT payload FROM outbox WHERE kind = 'payment.callback' ORDER BY id DESC LIMIT 60`,
    );
    if (told.length === 0) return;
    await hearPayment(platform, dice.pick(told).payload);
  } else {
    const refunds = await all<{ no: string; state: 'success' | 'failure' }>(
      shop,
      `SELECT refund_no AS no, state FROM sandbox_refund WHERE state IN ('success', 'failure') ORDER BY refund_no DESC LIMIT 40`,
    );
    if (refunds.length === 0) return;
    const { no, state } = dice.pick(refunds);
    for (let time = 0; time < 2; time++)
      await receiveChannelResult(platform, { refundNo: no, state, code: 'AGAIN', message: '' });
  }
  count('news again');
}

/** The channel behaves in another way for a while. */
async function weather(): Promise<void> {
  const mode = dice.pick(['mixed', 'mixed', 'ok', 'duplicate', 'lost', 'fail']);
  await all(shop, `UPDATE setting SET value = to_jsonb($1::text) WHERE key = 'sandbox.refund.mode'`, [mode]);
  for (const platform of shop.platforms) platform.settings.forget();
  trail.push(`  ${mode}`);
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
  if (answer.http >= 500 || answer.message === '')
    throw new Error(`${JSON.stringify(answer)} ${inspect(complaint, { depth: 6 })}`);
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

/** Two services of three places at a time, one of several visits, and people who go. */
async function openServices(): Promise<void> {
  const db = shop.platforms[0]!.database.db;
  const { ids } = shop;
  visits = await transaction(db, async (tx) => [
    await addService(shop, tx, 'clean', 12_800, { verify: false }),
    await addService(shop, tx, 'pack', 9_999, { verify: false, times: 3 }),
  ]);
  people = await transaction(db, async (tx) => {
    const made: number[] = [];
    for (let no = 1; no <= 3; no++) {
      const id = await insertRow(tx, 'service_person', {
        tenant_id: ids.merchant1,
        name: `师傅${no}`,
        sex: 1,
        phone: `1390000000${no}`,
        skills: ['cleaning'],
      });
      await run(tx, 'INSERT INTO service_person_project VALUES ($1, $2)', [id, ids.project]);
      made.push(id);
    }
    return made;
  });
}

/** A coupon to be claimed: few copies, two for each member. */
async function newCoupon(no: number): Promise<number> {
  const ofPlatform = no >= 3;
  const tenant = ofPlatform
    ? shop.ids.platformTenant
    : no % 2 === 0
      ? shop.ids.merchant1
      : shop.ids.merchant2;
  const threshold = 1_000 + dice.upTo(4_000);
  const { id } = await one<{ id: number }>(
    shop,
    `INSERT INTO coupon (code, name, type, issuer, tenant_id, threshold, face, refund_rule, total, per_limit, status, bearer_platform_percent, starts_at, ends_at)
     VALUES ($1, $1, 'cash', $2, $3, $4, $5, $6, $7, 2, 'published', $8, now() - interval '1 day', now() + interval '9 days') RETURNING id`,
    [
      `CS${no}`,
      ofPlatform ? 'platform' : 'merchant',
      tenant,
      threshold,
      1 + dice.upTo(threshold),
      dice.pick(['share', 'recheck']),
      6 + dice.upTo(30),
      ofPlatform ? dice.upTo(101) : 0,
    ],
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
  entered.set(String(id), 400);
  return id;
}
