import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token = admin) =>
  product.call(token, method, `/jinmao/web${path}`, body);

interface Offer {
  readonly id: number;
  readonly product_id: number;
  readonly tenant_id: number;
  readonly account: string;
  readonly price: number;
  readonly stock: number;
  readonly project: number;
}

/** Specs of group-buy goods no activity has, with the account of their merchant. */
const freeSpecs = () =>
  run<Offer>(
    db(),
    `SELECT s.id, s.product_id, p.tenant_id, m.account, s.price, s.stock, (SELECT min(pp.project_id) FROM product_project pp WHERE pp.product_id = p.id) AS project
       FROM product_spec s JOIN product p ON p.id = s.product_id JOIN business b ON b.id = p.business_id JOIN tenant m ON m.id = p.tenant_id
      WHERE b.type = 2 AND p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled AND s.stock >= 6
        AND NOT EXISTS (SELECT FROM promotion_occupancy o WHERE o.spec_id = s.id) ORDER BY s.id`,
  );
const yuan = (fen: number) => (fen / 100).toFixed(2);
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const form = (spec: Offer, more: object = {}) => ({
  spec: String(spec.id),
  price: yuan(spec.price - 100),
  copies: 5,
  perMemberLimit: 1,
  moreSpecs: [],
  mode: 'team',
  size: 3,
  validHours: 24,
  projects: [String(spec.project)],
  startsAt: later(100),
  endsAt: later(110),
  ...more,
});
const stockOf = async (id: number) =>
  (await runOne<{ stock: number }>(db(), 'SELECT stock FROM product_spec WHERE id = $1', [id]))!.stock;

test('an activity of the platform: refused where it contradicts itself, published at once, then only later and more', async () => {
  const [spec] = await freeSpecs();
  const wrong = async (more: object) => (await call('POST', '/groupBuyItem', form(spec!, more))).data.fields;
  expect(await wrong({ price: yuan(spec!.price) })).toEqual({ price: `须低于原价 ${yuan(spec!.price)}` });
  expect(await wrong({ size: 101 })).toEqual({ size: '满人成团最多 100 人' });
  expect(await wrong({ endsAt: later(99) })).toEqual({ endsAt: '结束须晚于开始' });
  expect(await wrong({ endsAt: later(161) })).toEqual({ endsAt: '活动最长 60 天' });
  expect(await wrong({ formFrom: 3 })).toEqual({ formFrom: '须小于成团人数' });
  expect(await wrong({ leaderPrice: yuan(spec!.price) })).toEqual({ leaderPrice: '不能高于团购价' });

  const made = await call('POST', '/groupBuyItem', form(spec!));
  expect([made.message, made.http]).toEqual(['', 200]);
  const path = `/groupBuyItem/${made.data.id}`;
  expect((await call('GET', path)).data).toMatchObject({
    state: 'draft',
    status: '1',
    copies: 5,
    remaining: 5,
  });
  const stock = await stockOf(spec!.id);
  const published = await call('POST', `${path}/submit`, {});
  expect([published.message, published.http]).toEqual(['', 200]);
  const seen = (await call('GET', path)).data;
  expect(seen).toMatchObject({ state: 'published', status: '1', remaining: 5, held: 0 });
  expect(await stockOf(spec!.id)).toBe(stock - 5);

  const cheaper = await call('PUT', path, { price: yuan(spec!.price - 200), version: seen.version });
  expect([cheaper.http, cheaper.message]).toEqual([409, '已发布的活动只能延后结束时间和增加份数']);
  const more = await call('PUT', path, { copies: 6, endsAt: later(112), version: seen.version });
  expect([more.message, more.http]).toEqual(['', 200]);
  expect((await call('GET', path)).data).toMatchObject({ copies: 6, remaining: 6 });
  expect(await stockOf(spec!.id)).toBe(stock - 6);

  const down = await call('POST', `/product/${spec!.product_id}/takeDown`, { reason: '测试' });
  expect([down.http, down.message.startsWith('活动进行中，不能下架')]).toEqual([409, true]);
  const ended = await call('POST', `${path}/end`, { reason: '测试结束' });
  expect([ended.message, ended.http]).toEqual(['', 200]);
  expect((await call('GET', path)).data).toMatchObject({
    state: 'ended',
    status: '5',
    returned: 6,
    remaining: 0,
  });
  expect(await stockOf(spec!.id)).toBe(stock);
});

test('a merchant’s activity waits for the platform: its own staff are not asked, passing publishes, others do not see it', async () => {
  const staff = await run<{ account: string; tenant_id: number }>(
    db(),
    `SELECT account, tenant_id FROM staff WHERE account ~ '^merchant[0-9]+$' ORDER BY id`,
  );
  const spec = (await freeSpecs()).find((one) => staff.some((person) => person.tenant_id === one.tenant_id))!;
  const own = staff.find((person) => person.tenant_id === spec.tenant_id)!;
  const other = staff.find((person) => person.tenant_id !== spec.tenant_id)!;
  const [merchant, foreign] = [await product.signIn(own.account), await product.signIn(other.account)];
  const foreignTry = await call('POST', '/groupBuyItem', form(spec), foreign);
  expect([404, 422]).toContain(foreignTry.http);
  const made = await call('POST', '/groupBuyItem', form(spec), merchant);
  expect([made.message, made.http]).toEqual(['', 200]);
  const path = `/groupBuyItem/${made.data.id}`;
  expect((await call('GET', path, undefined, foreign)).http).toBe(404);
  const stock = await stockOf(spec.id);
  const submitted = await call('POST', `${path}/submit`, {}, merchant);
  expect([submitted.message, submitted.http]).toEqual(['', 200]);
  expect((await call('GET', path, undefined, merchant)).data).toMatchObject({ state: 'reviewing' });
  expect(await stockOf(spec.id)).toBe(stock);
  const task = (await runOne<{ id: number; account: string; kind: number }>(
    db(),
    `SELECT k.id, s.account, t.kind FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN staff s ON s.id = k.assignee_id
       JOIN tenant t ON t.id = s.tenant_id WHERE i.biz_type = 'group_buy' AND k.state = 'pending' ORDER BY k.id LIMIT 1`,
  ))!;
  expect(task.kind).toBe(3);
  const decider = await product.signIn(task.account);
  const passed = await call(
    'POST',
    `/approvalTask/${task.id}/approve`,
    { opinion: '同意', attachments: [] },
    decider,
  );
  expect([passed.message, passed.http]).toEqual(['', 200]);
  expect((await call('GET', path, undefined, merchant)).data).toMatchObject({ state: 'published' });
  expect(await stockOf(spec.id)).toBe(stock - 5);
});

test('a forming team is disbanded from its page: its orders close at once, its members are refunded', async () => {
  const team = (await runOne<{ id: number; n: number }>(
    db(),
    `SELECT t.id, t.joined AS n FROM group_buy_team t WHERE t.state = 'forming' AND t.joined > 0 ORDER BY t.id LIMIT 1`,
  ))!;
  const answer = await call('POST', `/groupBuyTeam/${team.id}/disband`, { reason: '人数不足' });
  expect([answer.message, answer.http]).toEqual(['', 200]);
  const orders = await run<{ state: string; refunds: number }>(
    db(),
    `SELECT o.state, (SELECT count(*)::int FROM refund r WHERE r.order_id = o.id) AS refunds FROM group_buy_member m
       JOIN sales_order o ON o.id = m.order_id WHERE m.team_id = $1 AND m.joined_at IS NOT NULL`,
    [team.id],
  );
  expect(orders).toEqual(Array.from({ length: team.n }, () => ({ state: 'closed', refunds: 1 })));
  const again = await call('POST', `/groupBuyTeam/${team.id}/disband`, { reason: '人数不足' });
  expect(again.http).toBe(409);
});

test('group orders are the goods orders of teams, with the team they stand in', async () => {
  const { rows } = (await call('GET', '/groupOrder/page?teamState=formed&limit=5')).data;
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row).toMatchObject({ teamState: 'formed', missing: 0 });
  expect((await call('GET', `/groupOrder/${rows[0].id}`)).data.lines.length).toBe(1);
});
