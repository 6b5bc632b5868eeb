import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parkingInvariants } from '../../../domain/parking/stay.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ORDER = '/jinmao/web/parkingOrder';
const LOT = '/jinmao/web/parkingLot';
const MINUTE = 60_000;

let product: TestProduct;
let admin: string;
let program: string;
let projects: number[];
let counter = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  program = await programToken(product, { id: 'parking-test', scopes: ['gate'] });
  projects = (
    await run<{ id: number }>(product.platform.database.db, 'SELECT id FROM project ORDER BY id')
  ).map((one) => one.id);
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const act = async (id: string | number, action: string, body: object = {}, root = ORDER) =>
  product.call(admin, 'POST', `${root}/${id}/${action}`, body);
const ok = (answer: { http: number; message: string }) =>
  expect([answer.http, answer.message]).toEqual([200, '']);
const detail = async (id: string | number) => (await product.call(admin, 'GET', `${ORDER}/${id}`)).data;

/** A lot with a gate of its own and the plan of the worked example since long ago. */
async function newLot(project = projects[0]!) {
  const number = ++counter;
  const gate = await product.call(admin, 'POST', '/jinmao/web/roadGate', {
    code: `T-PARK-${number}`,
    name: `测试车场道闸${number}`,
    project: String(project),
    direction: 'both',
    vendor: 'hikvision',
    deviceNo: `PK-${number}`,
  });
  ok(gate);
  const lot = await product.call(admin, 'POST', LOT, {
    code: `T-LOT-${number}`,
    name: `测试车场${number}`,
    project: String(project),
    kind: 'ground',
    spaces: 2,
    vendor: 'hikvision',
    gates: [String(gate.data.id)],
  });
  ok(lot);
  const early = await act(lot.data.id, 'enable', {}, LOT);
  expect(early.message).toBe('请先设置小型车收费方案');
  await run(
    db(),
    `INSERT INTO parking_fee_plan (lot_id, project_id, vehicle_class, free_minutes, first_minutes, first_fen, unit_minutes, unit_fen, cap_fen, valid_from)
     VALUES ($1, $2, 'small', 30, 60, 500, 30, 200, 3000, '2026-01-01')`,
    [lot.data.id, project],
  );
  ok(await act(lot.data.id, 'enable', {}, LOT));
  return {
    id: Number(lot.data.id),
    code: `T-LOT-${number}`,
    device: `PK-${number}`,
    gate: Number(gate.data.id),
    project,
  };
}
type Lot = Awaited<ReturnType<typeof newLot>>;

const plateNo = () => `粤B${String(50_000 + ++counter)}`;
const before = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();

async function gateEvent(
  lot: Lot,
  direction: 'in' | 'out',
  plate: string,
  occurredAt: string,
  eventId = `E${++counter}`,
) {
  const answer = await product.app.inject({
    method: 'POST',
    url: `/api${ORDER}/gateEvent`,
    headers: { authorization: program },
    payload: { deviceNo: lot.device, eventId, plate, plateColour: '蓝', direction, occurredAt },
  });
  const body = answer.json<{ data: any; message: string }>();
  return { http: answer.statusCode, message: body.message, ...body.data } as Record<string, any>;
}
async function ask(path: string, payload: object) {
  const answer = await product.app.inject({
    method: 'POST',
    url: `/api${ORDER}/${path}`,
    headers: { authorization: program },
    payload,
  });
  return { http: answer.statusCode, ...answer.json<{ data: any; message: string; status: number }>() };
}
const quote = (lot: Lot, plate: string) => ask('quote', { lot: lot.code, plate });
const pay = (orderId: string, amount: string, tradeNo = `TR${++counter}`) =>
  ask('pay', { orderId, amount, way: 'wechat', tradeNo });
const job = (name: string) =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!
    .run({}, product.platform);

/** A stay that came in so many minutes ago and paid for the first `paidFor` of them. */
async function paidStay(lot: Lot, cameIn: number, paidFor: number, fen: number, covered: number) {
  const plate = plateNo();
  const entered = await gateEvent(lot, 'in', plate, before(cameIn));
  expect(entered).toMatchObject({ http: 200, open: true, due: '0.00' });
  // Paid back then: as its quote and its payment would have left it.
  await run(
    db(),
    `UPDATE parking_order SET state = 'paid', gross = $2, paid = $2, pay_way = 'wechat', covered_until = entry_at + make_interval(mins => $3) WHERE id = $1`,
    [entered.orderId, fen, covered],
  );
  await run(
    db(),
    `INSERT INTO parking_payment (order_id, project_id, kind, way, amount, number, state, at)
     SELECT id, project_id, 'payment', 'wechat', $2, 'T' || code, 'succeeded', entry_at + make_interval(mins => $3) FROM parking_order WHERE id = $1`,
    [entered.orderId, fen, paidFor],
  );
  return { plate, id: String(entered.orderId) };
}

describe('a stay', () => {
  test('group 16 Must show 13: 220 minutes are 17.00; out in the grace opens once for two tellings; later 4.00 more are asked and the gate stays shut', async () => {
    const lot = await newLot();
    // 09:00 to 12:40.
    const plate = plateNo();
    const entered = await gateEvent(lot, 'in', plate, before(219.5));
    const priced = await quote(lot, plate);
    expect([priced.http, priced.data.due]).toEqual([200, '17.00']);
    expect((await pay(priced.data.orderId, '17.00')).data).toMatchObject({ state: 'paid', paid: '17.00' });
    expect(await detail(entered.orderId)).toMatchObject({ state: 'paid', paid: '17.00', payWay: 'wechat' });

    // 09:00, paid 12:40 until 13:00, out at 13:10: told twice, also at the same time.
    const grace = await paidStay(lot, 260, 220, 1700, 240);
    const out = before(10);
    const tellings = await Promise.all([
      gateEvent(lot, 'out', grace.plate, out, 'X1'),
      gateEvent(lot, 'out', grace.plate, out, 'X1'),
    ]);
    // 260 minutes before now at entry, out 250 minutes behind it: ten minutes beyond what is paid.
    for (const one of tellings)
      expect(one).toMatchObject({ http: 200, open: true, due: '0.00', orderId: grace.id });
    expect(await gateEvent(lot, 'out', grace.plate, out, 'X1')).toMatchObject({
      open: true,
      orderId: grace.id,
    });
    expect(await detail(grace.id)).toMatchObject({ state: 'left', kind: 'grace', owed: '0.00' });
    const exits = await run(
      db(),
      `SELECT id FROM parking_command WHERE order_id = $1 AND origin = 'exit' AND opens`,
      [grace.id],
    );
    expect(exits).toHaveLength(1);
    const passages = await run(
      db(),
      `SELECT direction FROM pass_log WHERE gate_id = $1 AND user_name = $2 ORDER BY at`,
      [lot.gate, grace.plate],
    );
    expect(passages.map((one: any) => one.direction)).toEqual(['in', 'out']);

    // The other car leaves 280 minutes behind its entry: 21.00 − 17.00.
    const over = await paidStay(lot, 281, 220, 1700, 240);
    const shut = await gateEvent(lot, 'out', over.plate, before(1.5));
    expect(shut).toMatchObject({ http: 200, open: false, due: '4.00' });
    const child = await detail(shut.orderId);
    expect(child).toMatchObject({ kind: 'over', state: 'to_pay', gross: '4.00' });
    expect((await detail(over.id)).state).toBe('paid');
    expect((await pay(shut.orderId, '4.00')).data.state).toBe('left');
    expect(await detail(over.id)).toMatchObject({ state: 'left', kind: 'normal' });
    const asked = await run(
      db(),
      `SELECT outcome FROM parking_command WHERE order_id = $1 AND origin = 'payment'`,
      [over.id],
    );
    expect(asked).toHaveLength(1);
  });

  test('of ten payments at once one counts, its number told again gives the same answer', async () => {
    const lot = await newLot();
    const plate = plateNo();
    await gateEvent(lot, 'in', plate, before(100));
    const { data } = await quote(lot, plate);
    expect(data.due).toBe('9.00');
    const trade = `RACE${counter}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => pay(data.orderId, '9.00', n < 5 ? trade : undefined)),
    );
    const paid = answers.filter((one) => one.http === 200).length;
    expect([1, 5]).toContain(paid);
    const rows = await run(db(), `SELECT id FROM parking_payment WHERE order_id = $1`, [data.orderId]);
    expect(rows).toHaveLength(1);
    expect((await detail(data.orderId)).paid).toBe('9.00');
  });

  test('an amount that is not due, or comes behind the quote, is refused; the price is free again then', async () => {
    const lot = await newLot();
    const plate = plateNo();
    await gateEvent(lot, 'in', plate, before(50));
    const { data } = await quote(lot, plate);
    expect((await pay(data.orderId, '4.00')).message).toBe('应收金额已变化，请重新获取报价');
    await run(db(), `UPDATE parking_order SET quote_until = now() - interval '1 second' WHERE id = $1`, [
      data.orderId,
    ]);
    expect((await pay(data.orderId, '5.00')).message).toBe('报价已过期，请重新获取');
    await job('parking.quote');
    expect(await detail(data.orderId)).toMatchObject({ state: 'parked', gross: '0.00' });
  });

  test('what was paid in time and is told after the price was let go counts; what was paid later does not', async () => {
    const lot = await newLot();
    const told = async (shift: string) => {
      const plate = plateNo();
      await gateEvent(lot, 'in', plate, before(50));
      const { data } = await quote(lot, plate);
      const paidAt = new Date().toISOString();
      await run(
        db(),
        `UPDATE parking_order SET quote_until = now() - interval '1 second', quoted_at = quoted_at - $2::interval WHERE id = $1`,
        [data.orderId, shift],
      );
      await job('parking.quote');
      expect((await detail(data.orderId)).state).toBe('parked');
      const answer = await ask('pay', {
        orderId: data.orderId,
        amount: '5.00',
        way: 'wechat',
        tradeNo: `LATE${++counter}`,
        paidAt,
      });
      return { id: data.orderId as string, ...answer };
    };
    const inTime = await told('0 seconds');
    expect(inTime.data).toMatchObject({ state: 'paid', paid: '5.00' });
    const late = await told('6 minutes');
    expect(late.status).toBe(30101);
    expect(await detail(late.id)).toMatchObject({ state: 'parked', paid: '0.00' });
  });

  test('within the free minutes, with a pass, as a visitor the gate opens at 0.00', async () => {
    const lot = await newLot();
    const [short, holder, guest] = [plateNo(), plateNo(), plateNo()];
    ok(
      await act(
        lot.id,
        'addPass',
        {
          plates: [holder],
          kind: 'monthly',
          startsOn: addDays(businessDayOf(new Date()), -30),
          endsOn: addDays(businessDayOf(new Date()), 5),
        },
        LOT,
      ),
    );
    const twice = await act(
      lot.id,
      'addPass',
      {
        plates: [holder],
        kind: 'owner',
        startsOn: businessDayOf(new Date()),
        endsOn: addDays(businessDayOf(new Date()), 50),
      },
      LOT,
    );
    expect([twice.status, twice.message]).toEqual([30101, '车牌在此期间已有月卡']);
    await run(
      db(),
      `INSERT INTO visitor_registration (project_id, house_id, household_id, visitor, phone, reason, visit_from, visit_to, seat, drives, plate, car_state, free_parking_min, state)
       SELECT x.project_id, x.id, h.id, '访客', '13900001111', '探亲', now() - interval '3 hours', now() + interval '3 hours', 150, 'yes', $2, 'passed', 120, 'valid'
         FROM household h JOIN house x ON x.id = h.house_id WHERE x.project_id = $1 ORDER BY h.id LIMIT 1`,
      [lot.project, guest],
    );
    await gateEvent(lot, 'in', short, before(20));
    await gateEvent(lot, 'in', holder, before(600));
    await gateEvent(lot, 'in', guest, before(115));
    for (const [plate, release] of [
      [short, 'free'],
      [holder, 'pass'],
      [guest, 'free'],
    ] as const) {
      const out = await gateEvent(lot, 'out', plate, before(0));
      expect(out).toMatchObject({ open: true, due: '0.00' });
      expect(await detail(out.orderId)).toMatchObject({ state: 'left', release });
    }
    const visit = await runOne<{ state: string }>(
      db(),
      `SELECT state FROM visitor_registration WHERE plate = $1`,
      [guest],
    );
    expect(visit!.state).toBe('left');
  });

  test('a coupon of 60 minutes takes 4.00 off 220 minutes and is used once', async () => {
    const lot = await newLot();
    const plate = plateNo();
    ok(
      await act(
        lot.id,
        'issue',
        { plates: [plate, plate], kind: 'minutes', minutes: 60, validTo: businessDayOf(new Date()) },
        LOT,
      ),
    );
    await gateEvent(lot, 'in', plate, before(219.5));
    const { data } = await quote(lot, plate);
    expect([data.gross, data.discount, data.due]).toEqual(['17.00', '4.00', '13.00']);
    await pay(data.orderId, '13.00');
    const coupons = await run<{ order_id: number | null }>(
      db(),
      'SELECT order_id FROM parking_coupon WHERE plate = $1',
      [plate],
    );
    expect(coupons.map((one) => String(one.order_id))).toEqual([data.orderId]);
  });
});

describe('odd events', () => {
  test('a second entry makes the older stay abnormal; its exit that comes late is owed, as nobody was asked', async () => {
    const lot = await newLot();
    const plate = plateNo();
    const first = await gateEvent(lot, 'in', plate, before(300));
    const second = await gateEvent(lot, 'in', plate, before(10));
    expect(second.open).toBe(true);
    expect(await detail(first.orderId)).toMatchObject({ state: 'abnormal', abnormal: 'second_entry' });
    const late = await gateEvent(lot, 'out', plate, before(205));
    expect(late.orderId).toBe(first.orderId);
    expect(await detail(first.orderId)).toMatchObject({ state: 'left', owed: '9.00' });
    // The debt is asked with the stay inside.
    await run(db(), `UPDATE parking_order SET entry_at = now() - interval '50 minutes' WHERE id = $1`, [
      second.orderId,
    ]);
    const { data } = await quote(lot, plate);
    expect([data.gross, data.carried, data.due]).toEqual(['5.00', '9.00', '14.00']);
    await pay(data.orderId, '14.00');
    expect(await detail(first.orderId)).toMatchObject({ owed: '0.00', moved: '9.00' });
  });

  test('an exit without entry is abnormal and shut; the entry that comes late makes it a stay', async () => {
    const lot = await newLot();
    const plate = plateNo();
    const out = await gateEvent(lot, 'out', plate, before(5));
    expect(out).toMatchObject({ open: false, text: '无入场记录，请联系管理人员' });
    expect(await detail(out.orderId)).toMatchObject({ state: 'abnormal', abnormal: 'no_entry' });
    const entry = await gateEvent(lot, 'in', plate, before(95));
    expect(entry.orderId).toBe(out.orderId);
    expect((await detail(out.orderId)).state).toBe('parked');
    expect(await gateEvent(lot, 'out', plate, before(0))).toMatchObject({ open: false, due: '9.00' });
  });

  test('stays beyond parking.max_days become abnormal and are closed by hand', async () => {
    const lot = await newLot();
    const { orderId } = await gateEvent(lot, 'in', plateNo(), before(31 * 1440));
    await job('parking.abnormal');
    expect(await detail(orderId)).toMatchObject({ state: 'abnormal', abnormal: 'too_long' });
    ok(await act(orderId, 'close', { reason: '车辆为僵尸车，已拖离' }));
    expect((await detail(orderId)).state).toBe('closed');
  });

  test('unknown devices, programs without the scope and times ahead are refused', async () => {
    const lot = await newLot();
    expect((await gateEvent({ ...lot, device: 'NOBODY' }, 'in', plateNo(), before(1))).http).toBe(404);
    expect((await gateEvent(lot, 'in', plateNo(), before(-5))).http).toBe(422);
    expect((await gateEvent(lot, 'in', '!', before(5))).http).toBe(422);
    expect((await product.call(admin, 'POST', `${ORDER}/gateEvent`, {})).http).toBe(403);
  });
});

describe('the desk', () => {
  test('takes the cash that is due, lets out by hand and owes the rest; a lot with cars cannot be disabled', async () => {
    const lot = await newLot();
    const [cash, hand] = [plateNo(), plateNo()];
    const one = await gateEvent(lot, 'in', cash, before(50));
    const other = await gateEvent(lot, 'in', hand, before(50));
    const disabled = await act(lot.id, 'disable', {}, LOT);
    expect([disabled.status, disabled.message]).toEqual([30101, '仍有 2 辆车在场']);
    expect((await act(one.orderId, 'collect', { amount: '4.00' })).http).toBe(422);
    ok(await act(one.orderId, 'collect', { amount: '5.00' }));
    expect(await detail(one.orderId)).toMatchObject({ state: 'paid', payWay: 'cash' });
    expect((await act(one.orderId, 'fixEntry', { entry: before(10), reason: '更正' })).status).toBe(30101);
    ok(await act(other.orderId, 'release', { reason: '业主手机没电' }));
    expect(await detail(other.orderId)).toMatchObject({ state: 'left', owed: '5.00', release: 'manual' });
    expect((await act(other.orderId, 'waive', { amount: '6.00', reason: '误收' })).http).toBe(422);
    ok(await act(other.orderId, 'waive', { amount: '5.00', reason: '投诉处理' }));
    expect(await detail(other.orderId)).toMatchObject({ owed: '0.00', waived: '5.00' });
    ok(await act(one.orderId, 'fixPlate', { newPlate: plateNo() }));
  });

  test('waivers above the limit wait for somebody else', async () => {
    const lot = await newLot();
    const { orderId } = await gateEvent(lot, 'in', plateNo(), before(4 * 1440));
    ok(await act(orderId, 'release', { reason: '系统故障放行' }));
    const owed = (await detail(orderId)).owed as string;
    expect(Number(owed)).toBeGreaterThan(50);
    ok(await act(orderId, 'waive', { amount: owed, reason: '系统故障' }));
    expect((await detail(orderId)).owed).toBe(owed);
    expect((await act(orderId, 'waive', { amount: '1.00', reason: '再次' })).message).toBe(
      '已有待审批的减免',
    );
    const task = await runOne<{ id: number; account: string }>(
      db(),
      `SELECT k.id, s.account FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN parking_waiver w ON w.id = i.biz_id
        JOIN staff s ON s.id = k.assignee_id WHERE w.order_id = $1 AND i.biz_type = 'parking_waive' AND k.state = 'pending' LIMIT 1`,
      [orderId],
    );
    const decide = (token: string) =>
      product.call(token, 'POST', `/jinmao/web/approvalTask/${task!.id}/approve`, {
        opinion: '同意',
        attachments: [],
      });
    // Whoever asked does not decide.
    expect((await decide(admin)).http).not.toBe(200);
    expect(task!.account).not.toBe('admin');
    ok(await decide(await product.signIn(task!.account)));
    expect(await detail(orderId)).toMatchObject({ owed: '0.00', waived: owed });
  });

  test('small waivers of one stay add up: the approval is not passed in pieces', async () => {
    const lot = await newLot();
    const { orderId } = await gateEvent(lot, 'in', plateNo(), before(4 * 1440));
    ok(await act(orderId, 'release', { reason: '系统故障放行' }));
    ok(await act(orderId, 'waive', { amount: '50.00', reason: '协商' }));
    const { owed, waived } = await detail(orderId);
    expect(waived).toBe('50.00');
    ok(await act(orderId, 'waive', { amount: '10.00', reason: '再协商' }));
    expect(await detail(orderId)).toMatchObject({ owed, waived });
  });

  test('refunds: cash at once, channels through their answer, never above what was paid, also at the same time', async () => {
    const lot = await newLot();
    const stay = await paidStay(lot, 260, 220, 1700, 240);
    await run(
      db(),
      `INSERT INTO sandbox_trade (trade_no, checkout_code, amount) SELECT p.number, o.code, p.amount FROM parking_payment p JOIN parking_order o ON o.id = p.order_id WHERE o.id = $1`,
      [stay.id],
    );
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => act(stay.id, 'refund', { amount: '10.00', reason: '重复缴费' })),
    );
    expect(answers.map((one) => one.http).sort()).toEqual([200, 422, 422, 422]);
    expect(await detail(stay.id)).toMatchObject({ state: 'paid', refunded: '10.00' });
    ok(await act(stay.id, 'refund', { amount: '7.00', reason: '重复缴费' }));
    expect((await detail(stay.id)).state).toBe('refunded');
    await job('parking.refund');
    await run(
      db(),
      `UPDATE sandbox_refund SET state = 'success' WHERE trade_no LIKE 'TTC%' AND amount = 1000`,
    );
    await run(
      db(),
      `UPDATE sandbox_refund SET state = 'failure', message = '账户异常' WHERE trade_no LIKE 'TTC%' AND amount = 700`,
    );
    await job('parking.refund');
    // What failed is not given back after all.
    expect(await detail(stay.id)).toMatchObject({ state: 'paid', refunded: '10.00' });
    const states = await run<{ state: string }>(
      db(),
      `SELECT state FROM parking_payment WHERE order_id = $1 AND kind = 'refund' ORDER BY amount`,
      [stay.id],
    );
    expect(states.map((one) => one.state)).toEqual(['failed', 'succeeded']);
    // Refunded cars leave too.
    expect(await gateEvent(lot, 'out', stay.plate, before(10))).toMatchObject({ open: true });
  });

  test('a refund the channel refuses after its stay turned abnormal is taken back, and those behind it go on', async () => {
    const lot = await newLot();
    const stays = [
      await paidStay(lot, 260, 220, 1700, 240),
      await paidStay(lot, 260, 220, 1700, 240),
    ] as const;
    for (const stay of stays) {
      await run(
        db(),
        `INSERT INTO sandbox_trade (trade_no, checkout_code, amount) SELECT p.number, o.code, p.amount FROM parking_payment p JOIN parking_order o ON o.id = p.order_id WHERE o.id = $1`,
        [stay.id],
      );
      ok(await act(stay.id, 'refund', { amount: '3.00', reason: '重复缴费' }));
    }
    await job('parking.refund');
    await run(db(), `UPDATE sandbox_refund SET state = 'failure', message = '账户异常' WHERE amount = 300`);
    // It comes in again without having left: the first stay is abnormal now.
    await gateEvent(lot, 'in', stays[0].plate, before(0));
    expect((await detail(stays[0].id)).state).toBe('abnormal');
    await job('parking.refund');
    expect(await detail(stays[0].id)).toMatchObject({ state: 'abnormal', refunded: '0.00' });
    expect(await detail(stays[1].id)).toMatchObject({ state: 'paid', refunded: '0.00' });
  });

  test('the fee on trial says the worked numbers, the day of a lot counts its cars', async () => {
    const lot = await newLot();
    const trial = async (minutes: number, coupon?: object) => {
      const entry = Date.now() - 3 * 1440 * MINUTE;
      const answer = await product.call(admin, 'POST', `${LOT}/${lot.id}/simulate`, {
        vehicleClass: 'large',
        entry: new Date(entry).toISOString(),
        exit: new Date(entry + minutes * MINUTE).toISOString(),
        ...(coupon && { coupon }),
      });
      return answer.data;
    };
    expect(await trial(220)).toMatchObject({ gross: '17.00', due: '17.00' });
    expect(await trial(220, { kind: 'minutes', value: 60 })).toMatchObject({
      discount: '4.00',
      due: '13.00',
    });
    expect(await trial(26 * 60)).toMatchObject({ gross: '39.00' });
    expect(await trial(30)).toMatchObject({ gross: '0.00' });
    expect(await trial(31)).toMatchObject({ gross: '5.00' });
    await gateEvent(lot, 'in', plateNo(), before(0));
    const day = await product.call(admin, 'GET', `${LOT}/${lot.id}/today`);
    expect(day.data).toMatchObject({ entries: 1, exits: 0, income: '0.00' });
    // Income stands on the day a car left, with what it paid later and less what went back; turnover is exits a space.
    const over = await paidStay(lot, 281, 220, 1700, 240);
    const { orderId } = await gateEvent(lot, 'out', over.plate, before(0));
    const due = (await detail(orderId)).gross as string;
    await pay(orderId, due);
    const { days } = (await product.call(admin, 'GET', `${LOT}/${lot.id}/today`)).data;
    expect(days).toHaveLength(30);
    expect(days.at(-1)).toMatchObject({
      day: businessDayOf(new Date()),
      income: 17 + Number(due),
      exits: 1,
      turnover: 0.5,
    });
  });

  test('whatever happened above, the money of parking adds up', async () => {
    for (const one of parkingInvariants) {
      const found = await one.check(product.platform);
      expect([one.name, found.problems]).toEqual([one.name, []]);
      expect(found.looked).toBeGreaterThan(0);
    }
  });
});
