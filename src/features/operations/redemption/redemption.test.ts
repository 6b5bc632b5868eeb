import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import { grantPoints } from '../../../domain/points-ledger/points-grant.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { Refusal } from '../../../kernel/server/http/errors.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
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
    (answer) => answer.result as { redemptionId: string; collectCode: string | null; state: string },
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
  for (const invariant of registration.invariants ?? [])
    expect((await invariant.check(product.platform)).problems).toEqual([]);
};

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
