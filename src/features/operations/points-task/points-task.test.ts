import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeMemberEvent } from '../../../domain/member-event/door.server.ts';
import { spendablePoints } from '../../../domain/points-ledger/points-ledger.server.ts';
import { giveProvenTasks } from '../../../domain/points-task/task-facts.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let project: number;
let turn = 0;

beforeAll(async () => {
  product = await startTestProduct();
  project = (await one<{ id: number }>('SELECT id FROM project ORDER BY id LIMIT 1')).id;
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async <T>(sql: string, values: readonly unknown[] = []) => (await runOne<T>(db(), sql, values))!;
const points = (memberId: number) => spendablePoints(db(), memberId);
const member = async (more: { sex?: number; registeredAt?: string } = {}) =>
  (
    await one<{ id: number }>(
      `INSERT INTO member (name, phone, project_id, sex, registered_at) VALUES ('任务人', $1, $2, $3, coalesce($4::timestamptz, now())) RETURNING id`,
      [`1380015${String((turn += 1)).padStart(4, '0')}`, project, more.sex ?? 2, more.registeredAt ?? null],
    )
  ).id;
const event = (memberId: number, type: string, payload: Record<string, unknown>) =>
  takeMemberEvent(
    product.platform,
    {
      eventId: randomUUID(),
      memberId,
      projectId: project,
      type,
      occurredAt: new Date().toISOString(),
      payload,
    },
    { clientId: 'app' },
  ).then(
    (answer) => answer.effects.map((effect) => [effect.rule, effect.points]),
    (error: { label: readonly string[] }) => error.label[0],
  );
const house = async (nth: number) =>
  (
    await one<{ id: number }>('SELECT id FROM house WHERE project_id = $1 ORDER BY id OFFSET $2 LIMIT 1', [
      project,
      nth,
    ])
  ).id;
const bind = (memberId: number, houseId: number, status = 'normal') =>
  run(
    db(),
    `INSERT INTO household (member_id, house_id, identity, status) VALUES ($1, $2, 'family', $3)
     ON CONFLICT (member_id, house_id) DO UPDATE SET status = excluded.status`,
    [memberId, houseId, status],
  );

test('nothing of the demonstration rows is proof: what happened before is left alone', async () => {
  expect(await giveProvenTasks(product.platform)).toBe(0);
});

test('T01: the profile is complete once; half of it is none', async () => {
  const id = await member();
  expect(await event(id, 'profile.update', { nickname: '小任' })).toEqual([]);
  expect(await event(id, 'profile.update', { sex: 1 })).toEqual([['T01', 50]]);
  expect(await event(id, 'profile.update', { sex: 0 })).toEqual([['T01', 0]]);
  expect(await points(id)).toBe(50);
});

test('T02 and T13: a house that was approved counts once for the member and for whoever invited them', async () => {
  const [inviter, invitee, other] = [await member(), await member(), await member()];
  const old = await member({ registeredAt: '2026-01-01' });
  expect(await event(inviter, 'task.invite', { inviteeId: String(inviter) })).toBe('不能邀请自己');
  expect(await event(inviter, 'task.invite', { inviteeId: String(old) })).toBe('该会员不是新注册会员');
  expect(await event(inviter, 'task.invite', { inviteeId: String(invitee) })).toEqual([]);
  expect(await event(other, 'task.invite', { inviteeId: String(invitee) })).toBe('该会员由他人邀请');
  await bind(invitee, await house(3), 'reviewing');
  expect(await giveProvenTasks(product.platform)).toBe(0);
  await bind(invitee, await house(3));
  await Promise.all([1, 2, 3].map(() => giveProvenTasks(product.platform)));
  expect([await points(invitee), await points(inviter)]).toEqual([100, 30]);
  expect(await event(inviter, 'task.invite', { inviteeId: String(invitee) })).toEqual([['T13', 0]]);
  // Out and in again with the same house is the same proof.
  await bind(invitee, await house(3), 'deleted');
  await run(db(), 'UPDATE household SET bound_at = NULL WHERE member_id = $1', [invitee]);
  await bind(invitee, await house(3));
  expect(await giveProvenTasks(product.platform)).toBe(0);
  expect([await points(invitee), await points(inviter)]).toEqual([100, 30]);
});

test('T03: the first payment of property bills counts, the next does not', async () => {
  const id = await member();
  const bills = await run<{ id: number; house_id: number; owed: number }>(
    db(),
    `UPDATE bill SET debtor_id = $2 WHERE id IN (SELECT b.id FROM bill b WHERE b.project_id = $1 AND b.state = 'unpaid' AND b.owed_principal > 0 ORDER BY b.id LIMIT 2)
     RETURNING id, house_id, owed_principal AS owed`,
    [project, id],
  );
  expect(bills).toHaveLength(2);
  const pay = async (bill: (typeof bills)[number]) => {
    const payment = await one<{ id: number }>(
      `INSERT INTO bill_payment (receipt_no, tenant_id, project_id, house_id, channel, amount, received, allocated, value_date)
       SELECT 'T03-' || id, tenant_id, project_id, house_id, 'cash', 1, 1, 1, current_date FROM bill WHERE id = $1 RETURNING id`,
      [bill.id],
    );
    await run(
      db(),
      `INSERT INTO bill_allocation (payment_id, bill_id, kind, amount, value_date) VALUES ($1, $2, 'principal', 1, current_date)`,
      [payment.id, bill.id],
    );
  };
  await pay(bills[0]!);
  expect(await giveProvenTasks(product.platform)).toBe(1);
  await pay(bills[1]!);
  expect(await giveProvenTasks(product.platform)).toBe(0);
  expect(await points(id)).toBe(100);
});

test('T11 and T12: an own completed order and a rated work order count once each', async () => {
  const order = await one<{ id: number; member_id: number; project_id: number }>(
    `SELECT o.id, o.member_id, o.project_id FROM sales_order o JOIN member m ON m.id = o.member_id AND m.project_id = o.project_id AND NOT m.official
      WHERE o.kind = 'goods' AND o.state = 'completed' AND o.refund_status = 'none' AND o.comment_status = 0 ORDER BY o.completed_at DESC LIMIT 1`,
  );
  project = order.project_id;
  const rate = (memberId: number, payload: object = {}) =>
    event(memberId, 'order.rate', { orderId: String(order.id), stars: 5, content: '很好', ...payload });
  expect(await rate(await member())).toBe('订单不存在');
  const before = await points(order.member_id);
  const answers = await Promise.all([rate(order.member_id), rate(order.member_id)]);
  expect(answers.map(String).sort()).toEqual(['T11,5', '该订单已评价'].sort());
  expect((await points(order.member_id)) - before).toBe(5);
  const shown = await one<{ commented: number; remark: string }>(
    `SELECT o.comment_status AS commented, e.remark FROM sales_order o JOIN order_event e ON e.order_id = o.id AND e.code = 30 WHERE o.id = $1`,
    [order.id],
  );
  expect(shown).toEqual({ commented: 1, remark: '5★ 很好' });

  const id = await member();
  const work = await one<{ id: number }>(
    `UPDATE work_order SET member_id = $1, rated_at = now(), score_overall = 5 WHERE id = (
       SELECT id FROM work_order WHERE type = 'complaint_repair' AND status = 'finished' AND rated_at IS NULL ORDER BY id LIMIT 1) RETURNING id`,
    [id],
  );
  expect(work.id).toBeGreaterThan(0);
  expect(await giveProvenTasks(product.platform)).toBe(1);
  expect(await giveProvenTasks(product.platform)).toBe(0);
  expect(await points(id)).toBe(5);
});
