import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { receivePayment } from '../../../domain/checkout/take-payment.server.ts';
import { codeOf, ticketOf } from '../../../domain/activity/activity.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { settleSuccess } from '../../after-sales/refund/refund-success.server.ts';
import { QR_SIDE, QR_SIZES, qrModules } from './qr.rules.ts';

const ROOT = '/jinmao/web/activity';
const HOUR = 3_600_000;
let product: TestProduct;
let admin: string;
let app: string;
let near: number;
let cover: string;
let turn = 0;

const db = () => product.platform.database.db;
const all = <T>(sql: string, values: unknown[] = []) => run<T>(db(), sql, values);
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  product.call(admin, method, `${ROOT}${path}`, body);
const act = (id: number, action: string, body: object = {}) =>
  product.call(admin, 'POST', `/jinmao/web/activitySignup/${id}/${action}`, body);
const at = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const job = (name: string) =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!
    .run({}, product.platform);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  app = await programToken(product, { id: 'activity-pay', scopes: ['member_event'] });
  near = (
    await one<{ id: number }>(
      `INSERT INTO project (code, name, centre_id, unit_id) SELECT 'AM1', 'AM1', centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
    )
  ).id;
  cover = (
    await one<{ id: string }>(
      `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access, owner_id)
       SELECT gen_random_uuid(), 'cover.png', 'image/png', 900, '\\x00', 'am-cover', 'picture', min(id) FROM staff WHERE account = 'admin' RETURNING id`,
    )
  ).id;
});
afterAll(() => product?.close());

async function member(): Promise<number> {
  turn += 1;
  return (
    await one<{ id: number }>(
      `INSERT INTO member (name, phone, project_id) VALUES ('陈晨', $1, $2) RETURNING id`,
      [`1371000${String(turn).padStart(4, '0')}`, near],
    )
  ).id;
}
const members = (n: number) => Promise.all(Array.from({ length: n }, () => member()));
async function made(more: object = {}): Promise<number> {
  const answer = await call('POST', '', {
    title: `收费活动${(turn += 1)}`,
    cover,
    content: '<p>欢迎参加</p>',
    projects: [String(near)],
    audience: 'property',
    address: '会所',
    startsAt: at(72),
    endsAt: at(75),
    deadline: at(48),
    free: false,
    cost: '20.00',
    cancellable: true,
    cancelHours: 24,
    contact: '社区',
    phone: '025-88886666',
    personLimit: 0,
    mostSeats: 2,
    waitingList: true,
    givesPoints: true,
    questions: [],
    ...more,
  });
  expect([answer.http, answer.message]).toEqual([200, '']);
  const id = Number(answer.data.id);
  expect((await call('POST', `/${id}/publish`, {})).message).toBe('');
  return id;
}
const event = (memberId: number, type: string, payload: object) =>
  product.call(app, 'POST', '/jinmao/web/memberEvent', {
    eventId: randomUUID(),
    memberId: String(memberId),
    projectId: String(near),
    type: `activity.${type}`,
    occurredAt: new Date().toISOString(),
    payload,
  });
const signUp = (memberId: number, id: number, more: object = {}) =>
  event(memberId, 'signup', { activityId: String(id), ...more });
const cancel = (memberId: number, id: number) => event(memberId, 'cancel', { activityId: String(id) });
interface Row {
  readonly id: number;
  readonly member_id: number;
  readonly state: string;
  readonly order_id: number | null;
  readonly minutes: number | null;
}
const signups = (id: number) =>
  all<Row>(
    `SELECT s.id, s.member_id, s.state, s.order_id, round(extract(epoch FROM s.pay_until - s.updated_at) / 60)::int AS minutes
       FROM activity_signup s WHERE s.activity_id = $1 ORDER BY s.applied_at, s.id`,
    [id],
  );
const states = async (id: number) => (await signups(id)).map((row) => row.state);
/** The channel says that a sign-up was paid; the number of its checkout is asked for as the app does. */
async function pay(memberId: number, id: number, checkout?: string) {
  const asked =
    checkout ?? (await event(memberId, 'pay', { activityId: String(id) })).data?.result?.checkoutCode;
  if (!asked) return 'nothing';
  const { amount } = await one<{ amount: number }>('SELECT amount FROM payment WHERE checkout_code = $1', [
    asked,
  ]);
  return receivePayment(product.platform, {
    checkoutCode: asked,
    tradeNo: `T${randomUUID()}`,
    amount,
    channel: 1,
    paidAt: new Date(),
  });
}
const refundsOf = (id: number) =>
  all<{ id: number; cash: number; state: string; order_id: number }>(
    `SELECT r.id, r.cash, r.state, r.order_id FROM refund r JOIN sales_order o ON o.id = r.order_id
      WHERE o.id IN (SELECT order_id FROM activity_signup WHERE activity_id = $1) ORDER BY r.id`,
    [id],
  );
async function unbroken() {
  for (const invariant of product.platform.registrations.flatMap((one) => one.invariants ?? []))
    if (/^(activity|payment|refund|order)\./.test(invariant.name))
      expect([invariant.name, (await invariant.check(product.platform)).problems]).toEqual([
        invariant.name,
        [],
      ]);
}

test('group 10 Must show 2: not paid in 15 minutes the seat is free and who waits has 2 hours; withdrawing makes one refund per paid sign-up', async () => {
  const id = await made({ personLimit: 1 });
  const [first, second, third] = (await members(3)) as [number, number, number];
  const answer = await signUp(first, id);
  expect(answer.data.result).toMatchObject({ state: 'pending_payment', amount: '20.00' });
  expect((await signUp(second, id)).data.result.state).toBe('waiting');
  expect((await signups(id))[0]!.minutes).toBe(15);
  expect((await call('GET', `/${id}`)).data).toMatchObject({
    taken: 1,
    signed: 0,
    waiting: 1,
    cost: '20.00',
  });
  const { checkoutCode } = (await event(first, 'pay', { activityId: String(id) })).data.result;
  await all(`UPDATE sales_order SET pay_deadline = now() - interval '1 second' WHERE id = $1`, [
    (await signups(id))[0]!.order_id,
  ]);
  await job('order.close_unpaid');
  expect(await states(id)).toEqual(['cancelled', 'pending_payment']);
  expect((await signups(id))[1]!.minutes).toBe(120);
  // Money that comes too late goes back, the seat stays with the next.
  expect(await pay(first, id, checkoutCode)).toBe('late');
  expect(await refundsOf(id)).toMatchObject([{ cash: 2_000 }]);
  expect(await pay(second, id)).toBe('paid');
  expect(await states(id)).toEqual(['cancelled', 'signed']);
  const save = await call('PUT', `/${id}`, {
    version: (await call('GET', `/${id}`)).data.version,
    personLimit: 4,
  });
  expect(save.message).toBe('');
  const fourth = await member();
  await signUp(third, id, { seats: 2 });
  await signUp(fourth, id);
  expect(await pay(third, id)).toBe('paid');
  const seen = await product.call(
    admin,
    'GET',
    `/jinmao/web/activitySignup/page?activity=${id}&limit=10&state=signed`,
  );
  expect(seen.data.rows.map((row: { paid: string; seats: number }) => [row.seats, row.paid]).sort()).toEqual([
    [1, '20.00'],
    [2, '40.00'],
  ]);
  const withdrawn = await call('POST', `/${id}/withdraw`, { reason: '场地维修' });
  expect([withdrawn.message, withdrawn.data.result]).toEqual(['', { n: 3 }]);
  expect(await states(id)).toEqual(['cancelled', 'cancelled', 'cancelled', 'cancelled']);
  const refunds = await refundsOf(id);
  expect(refunds.map((refund) => refund.cash).sort((a, b) => a - b)).toEqual([2_000, 2_000, 4_000]);
  expect(new Set(refunds.map((refund) => refund.order_id)).size).toBe(3);
  const listed = await product.call(admin, 'GET', '/jinmao/web/refund/page?limit=50');
  const ids = listed.data.rows.map((row: { id: string }) => Number(row.id));
  for (const refund of refunds) {
    expect(ids).toContain(refund.id);
    expect((await product.call(admin, 'GET', `/jinmao/web/refund/${refund.id}`)).http).toBe(200);
  }
  for (const refund of refunds)
    await transaction(db(), (tx) => settleSuccess(tx, { platform: product.platform, refundId: refund.id }));
  const orders = await all<{ state: string; refund_status: string }>(
    // What came too late was never sold: its money alone went back.
    `SELECT DISTINCT state, refund_status FROM sales_order WHERE id = ANY($1) AND paid_at IS NOT NULL`,
    [refunds.map((refund) => refund.order_id)],
  );
  expect(orders).toEqual([{ state: 'closed', refund_status: 'full' }]);
  expect((await call('GET', `/${id}`)).data).toMatchObject({ state: 'withdrawn', taken: 0, phase: null });
  await unbroken();
});

test('paying, cancelling and closing at the same moment leave each seat with one owner and each fen in one place', async () => {
  const id = await made({ personLimit: 12 });
  const people = await members(24);
  await Promise.all(people.map((who) => signUp(who, id)));
  const held = (await signups(id)).filter((row) => row.state === 'pending_payment');
  expect(held).toHaveLength(12);
  await all(`UPDATE sales_order SET pay_deadline = now() - interval '1 second' WHERE id = ANY($1)`, [
    held.slice(8).map((row) => row.order_id),
  ]);
  const codes = new Map(
    (
      await all<{ id: number; code: string }>(
        'SELECT o.id, p.checkout_code AS code FROM sales_order o JOIN payment p ON p.id = o.payment_id WHERE o.id = ANY($1)',
        [held.map((row) => row.order_id)],
      )
    ).map((row) => [row.id, row.code]),
  );
  await Promise.all([
    ...held.map((row) => pay(row.member_id, id, codes.get(row.order_id!))),
    ...held.slice(0, 8).map((row) => cancel(row.member_id, id)),
    job('order.close_unpaid'),
    job('activity.phase'),
  ]);
  const rows = await all<{ state: string; paid: boolean; refunds: number }>(
    `SELECT s.state, coalesce(p.state = 2, false) AS paid, (SELECT count(*)::int FROM refund r WHERE r.order_id = s.order_id) AS refunds
       FROM activity_signup s LEFT JOIN sales_order o ON o.id = s.order_id LEFT JOIN payment p ON p.id = o.payment_id WHERE s.activity_id = $1`,
    [id],
  );
  // Whoever paid is signed up, or has one refund.
  for (const row of rows.filter((row) => row.paid)) expect(row.refunds).toBe(row.state === 'signed' ? 0 : 1);
  for (const row of rows.filter((row) => !row.paid)) expect(row.state).not.toBe('signed');
  expect(rows.filter((row) => ['signed', 'pending_payment'].includes(row.state))).toHaveLength(12);
  expect((await call('GET', `/${id}`)).data.taken).toBe(12);
  await unbroken();
});

test('staff cancel late with a part of the money or none of it', async () => {
  const id = await made();
  const [half, whole] = (await members(2)) as [number, number];
  for (const who of [half, whole]) {
    await signUp(who, id);
    expect(await pay(who, id)).toBe('paid');
  }
  await all(`UPDATE activity SET deadline = now(), starts_at = now() + interval '2 hours' WHERE id = $1`, [
    id,
  ]);
  expect((await cancel(half, id)).message).toBe('已超过取消时间');
  const [row, other] = await signups(id);
  expect((await act(row!.id, 'cancel', { reason: '临时有事', percent: 50 })).message).toBe('');
  expect(await refundsOf(id)).toMatchObject([{ cash: 1_000 }]);
  const events = await all<{ action: string; remark: string }>(
    `SELECT action, remark FROM entity_event WHERE entity = 'activitySignup' AND entity_id = $1 ORDER BY id`,
    [row!.id],
  );
  expect(events.at(-1)).toEqual({ action: 'cancel', remark: '临时有事' });
  expect((await act(other!.id, 'cancel', { reason: '不退费用', percent: 0 })).message).toBe('');
  expect(await refundsOf(id)).toHaveLength(1);
  expect((await call('GET', `/${id}`)).data.taken).toBe(0);
  await unbroken();
});

/** Reads a grid as a scanner does: format, mask, the zigzag of bits, the two blocks, the bytes. */
function scan(grid: readonly (readonly boolean[])[]): string {
  const bit = (row: number, column: number) => (grid[row]![column] ? 1 : 0);
  const format = [0, 1, 2, 3, 4, 5, 7, 8]
    .map((row) => bit(row, 8))
    .reduce<number>((sum, one, n) => sum | (one << n), 0);
  const rest = [7, 5, 4, 3, 2, 1, 0]
    .map((column) => bit(8, column))
    .reduce<number>((sum, one, n) => sum | (one << (n + 8)), 0);
  const mask = (((format | rest) ^ 0x5412) >> 10) & 7;
  const masked = [
    (y: number, x: number) => (y + x) % 2,
    (y: number) => y % 2,
    (_y: number, x: number) => x % 3,
    (y: number, x: number) => (y + x) % 3,
    (y: number, x: number) => (Math.floor(y / 2) + Math.floor(x / 3)) % 2,
    (y: number, x: number) => ((y * x) % 2) + ((y * x) % 3),
    (y: number, x: number) => (((y * x) % 2) + ((y * x) % 3)) % 2,
    (y: number, x: number) => (((y + x) % 2) + ((y * x) % 3)) % 2,
  ][mask]!;
  const fixed = (y: number, x: number) =>
    (y < 9 && x < 9) ||
    (y < 9 && x > QR_SIDE - 9) ||
    (y > QR_SIDE - 9 && x < 9) ||
    y === 6 ||
    x === 6 ||
    (Math.abs(y - 26) < 3 && Math.abs(x - 26) < 3);
  const bits: number[] = [];
  let up = true;
  for (let right = QR_SIDE - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < QR_SIDE; step += 1) {
      const y = up ? QR_SIDE - 1 - step : step;
      for (const x of [right, right - 1])
        if (!fixed(y, x)) bits.push(bit(y, x) ^ (masked(y, x) === 0 ? 1 : 0));
    }
    up = !up;
  }
  const words = Array.from({ length: 64 }, (_, n) =>
    Number.parseInt(bits.slice(n * 8, n * 8 + 8).join(''), 2),
  );
  const data = [...words.filter((_, n) => n % 2 === 0), ...words.filter((_, n) => n % 2 === 1)]
    .map((word) => word.toString(2).padStart(8, '0'))
    .join('');
  expect(data.slice(0, 4)).toBe('0100');
  const length = Number.parseInt(data.slice(4, 12), 2);
  return Buffer.from(
    Array.from({ length }, (_, n) => Number.parseInt(data.slice(12 + n * 8, 20 + n * 8), 2)),
  ).toString();
}

test('group 10 Must show 4: the code of size 4 has 300 pixels and decodes to the check-in text; changed ones are refused, 60 minutes before the start opens it, points come once', async () => {
  const id = await made({ free: true, cost: undefined });
  const who = await member();
  await signUp(who, id);
  const sheet = (await call('GET', `/${id}/checkIn`)).data;
  expect(QR_SIZES[4]).toBe(300);
  // Whole pixels a module with a quiet edge around: what is drawn onto the 300 by 300 canvas.
  expect(Math.floor(QR_SIZES[4] / (QR_SIDE + 8)) * (QR_SIDE + 8)).toBeLessThanOrEqual(300);
  expect(scan(qrModules(sheet.ticket))).toBe(sheet.ticket);
  expect([sheet.ticket, sheet.code]).toEqual([
    ticketOf(product.platform.config, id),
    codeOf(product.platform.config, id),
  ]);
  const checkIn = (ticket: string, by = who) => event(by, 'check_in', { ticket });
  await all(
    `UPDATE activity SET deadline = now(), starts_at = now() + interval '61 minutes', ends_at = now() + interval '3 hours' WHERE id = $1`,
    [id],
  );
  const early = await checkIn(sheet.ticket);
  expect([early.status, early.message]).toEqual([30101, '签到未开始']);
  await all(`UPDATE activity SET starts_at = now() + interval '60 minutes' WHERE id = $1`, [id]);
  const last = sheet.ticket.at(-1) === 'A' ? 'B' : 'A';
  for (const wrong of [
    sheet.ticket.slice(0, -1) + last,
    sheet.ticket.replace(`:${id}.`, `:${id + 1}.`),
    `activity:${id}`,
  ])
    expect((await checkIn(wrong)).message).toBe('签到码无效');
  expect((await checkIn(sheet.ticket, await member())).message).toBe('您未报名该活动');
  const [first, again] = [await checkIn(sheet.ticket), await checkIn(sheet.ticket)];
  expect([first.message, first.data.result.again, first.data.effects]).toEqual([
    '',
    false,
    [expect.objectContaining({ rule: 'T09', points: 10 })],
  ]);
  expect([again.message, again.data.result.again, again.data.effects]).toEqual(['', true, []]);
  const points = async () =>
    (
      await one<{ n: number }>(
        `SELECT coalesce(sum(balance), 0)::int AS n FROM ledger_account WHERE kind IN ('points_available', 'points_held') AND owner = $1 AND unit = 'point'`,
        [String(who)],
      )
    ).n;
  const given = await points();
  expect(given).toBe(10);
  // Staff take it back on the same day and tick again.
  const [row] = await signups(id);
  expect((await act(row!.id, 'undoCheckIn', { reason: '扫错了人' })).message).toBe('');
  expect(await points()).toBe(0);
  expect((await act(row!.id, 'checkIn')).message).toBe('');
  expect(await points()).toBe(given);
  expect((await act(row!.id, 'cancel', { reason: '试一试', percent: 0 })).http).toBe(409);
  expect((await call('GET', `/${id}`)).data.came).toBe(1);
});

test('five wrong codes close that way; the right digits check in before; many at once come once', async () => {
  const id = await made({ free: true, cost: undefined });
  const [good, guesses] = (await members(2)) as [number, number];
  for (const who of [good, guesses]) await signUp(who, id);
  await all(
    `UPDATE activity SET deadline = now(), starts_at = now(), ends_at = now() + interval '3 hours' WHERE id = $1`,
    [id],
  );
  const code = codeOf(product.platform.config, id);
  const wrong = code === '000000' ? '000001' : '000000';
  const enter = (who: number, digits: string) =>
    event(who, 'check_in', { activityId: String(id), code: digits });
  for (let time = 0; time < 5; time += 1) expect((await enter(guesses, wrong)).message).toBe('签到码无效');
  expect((await enter(guesses, code)).message).toBe('签到码错误次数过多，请扫码签到');
  const answers = await Promise.all(Array.from({ length: 10 }, () => enter(good, code)));
  expect(answers.map((answer) => answer.message).filter((text) => text !== '')).toEqual([]);
  expect(answers.filter((answer) => !answer.data.result.again)).toHaveLength(1);
});
