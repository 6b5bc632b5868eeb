import { afterAll, beforeAll, expect, test } from 'vitest';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
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
  readonly price: number;
  readonly stock: number;
  readonly project: number;
}

/** Specs of ordinary goods no activity has. */
const freeSpecs = () =>
  run<Offer>(
    db(),
    `SELECT s.id, s.product_id, p.tenant_id, s.price, s.stock, (SELECT min(pp.project_id) FROM product_project pp WHERE pp.product_id = p.id) AS project
       FROM product_spec s JOIN product p ON p.id = s.product_id JOIN business b ON b.id = p.business_id JOIN tenant m ON m.id = p.tenant_id
      WHERE b.type IN (1, 4) AND b.enabled AND p.kind = 'goods' AND p.status = 'published' AND p.recycled_at IS NULL AND s.enabled AND s.stock >= 20 AND s.price > 300
        AND m.enabled AND m.state = 'open' AND m.merchant_state = 'operating'
        AND NOT EXISTS (SELECT FROM promotion_occupancy o WHERE o.spec_id = s.id) ORDER BY s.id`,
  );
const yuan = (fen: number) => (fen / 100).toFixed(2);
const later = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const picture = async () =>
  (await runOne<{ id: string }>(
    db(),
    `SELECT id::text AS id FROM stored_file WHERE access = 'picture' ORDER BY created_at LIMIT 1`,
  ))!.id;
const form = async (spec: Offer, more: object = {}) => ({
  name: '测试秒杀',
  projects: [String(spec.project)],
  audience: 'all',
  payMinutes: 5,
  cover: await picture(),
  rulesText: '每人一份',
  sessions: [
    { startsAt: later(30), endsAt: later(31) },
    { startsAt: later(40), endsAt: later(41) },
  ],
  entries: [
    {
      spec: String(spec.id),
      price: yuan(spec.price - 100),
      reserved: 5,
      perOrderLimit: 1,
      perMemberLimit: 2,
      sessionNo: null,
    },
  ],
  ...more,
});
const stockOf = async (id: number) =>
  (await runOne<{ stock: number }>(db(), 'SELECT stock FROM product_spec WHERE id = $1', [id]))!.stock;
/** The person asked to decide about an activity. */
const askedFor = async (id: string) =>
  (await runOne<{ account: string; task: number }>(
    db(),
    `SELECT s.account, k.id AS task FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN staff s ON s.id = k.assignee_id
      WHERE i.biz_type = 'seckill' AND i.biz_id = $1 AND k.state = 'pending' ORDER BY k.id LIMIT 1`,
    [id],
  ))!;
const make = async (more: object = {}, token = admin) => {
  const [spec] = await freeSpecs();
  const made = await call('POST', '/seckillActivity', await form(spec!, more), token);
  expect([made.message, made.http]).toEqual(['', 200]);
  return { id: String(made.data.id), spec: spec!, path: `/seckillActivity/${made.data.id}` };
};
/** Made, handed in and published by who is asked. */
const published = async () => {
  const made = await make();
  expect((await call('POST', `${made.path}/submit`, {})).message).toBe('');
  const decider = await product.signIn((await askedFor(made.id)).account);
  const passed = await call('POST', `/seckillReview/${made.id}/publish`, { opinion: '同意' }, decider);
  expect([passed.message, passed.http]).toEqual(['', 200]);
  return { ...made, decider };
};

test('the form refuses sessions that overlap, goods twice in a session and limits that contradict', async () => {
  const [spec] = await freeSpecs();
  const entry = (await form(spec!)).entries[0]!;
  const wrong = async (more: object) =>
    (await call('POST', '/seckillActivity', await form(spec!, more))).data.fields;
  expect(
    await wrong({
      sessions: [
        { startsAt: later(1), endsAt: later(3) },
        { startsAt: later(2), endsAt: later(4) },
      ],
    }),
  ).toEqual({ sessions: '第 1 场与第 2 场时间重叠' });
  expect(await wrong({ sessions: [{ startsAt: later(1), endsAt: later(1.1) }] })).toEqual({
    sessions: '第 1 场须为 10 分钟至 24 小时',
  });
  expect(await wrong({ entries: [entry, { ...entry, sessionNo: 1 }] })).toEqual({
    entries: '第 1 行与第 2 行：同一场次内规格重复',
  });
  expect(await wrong({ entries: [{ ...entry, perOrderLimit: 3 }] })).toEqual({
    entries: '第 1 行：单笔限购不能超过每人限购',
  });
  expect(await wrong({ entries: [{ ...entry, sessionNo: 3 }] })).toEqual({ entries: '第 1 行的场次不存在' });
  expect(await wrong({ audience: 'new' })).toEqual({ audienceDays: '请填写天数' });
});

test('checks name everything that is wrong, before saving and when handed in', async () => {
  const [spec] = await freeSpecs();
  const entry = (await form(spec!)).entries[0]!;
  const checked = await call('POST', '/seckillActivity/check', {
    projects: [String(spec!.project)],
    sessions: [{ startsAt: later(0.2), endsAt: later(2) }],
    entries: [{ ...entry, price: spec!.price, reserved: spec!.stock + 1 }],
  });
  expect([checked.message, checked.http]).toEqual(['', 200]);
  const failed = checked.data.checks.filter((one: { result: string }) => one.result === 'failed');
  expect(failed.map((one: { key: string }) => one.key)).toEqual(['price', 'stock', 'lead']);
  expect(await run(db(), `SELECT id FROM seckill_activity WHERE name = '-'`)).toEqual([]);
  const made = await make({ entries: [{ ...entry, reserved: 999_999 }] });
  const refused = await call('POST', `${made.path}/submit`, {});
  expect([refused.http, refused.message]).toEqual([
    409,
    expect.stringMatching(/^库存不足：.* 可用 \d+，需预留 1999998$/),
  ]);
  expect((await call('GET', made.path)).data.state).toBe('draft');
});

test('group 16 Must show 8: who handed it in sees no publish button and is refused; another publishes, a second decision comes too late', async () => {
  const made = await make();
  const stock = await stockOf(made.spec.id);
  expect((await call('POST', `${made.path}/submit`, {})).message).toBe('');
  const locked = await call('PUT', made.path, { name: '改名', version: 2 });
  expect([locked.http, locked.message]).toEqual([409, expect.any(String)]);
  const own = (await call('GET', `/seckillReview/${made.id}`)).data;
  expect(own.actions).not.toContain('publish');
  const tried = await call('POST', `/seckillReview/${made.id}/publish`, {});
  expect([tried.http, tried.status]).toEqual([409, 30101]);
  const decider = await product.signIn((await askedFor(made.id)).account);
  const answers = await Promise.all(
    [1, 2].map(() => call('POST', `/seckillReview/${made.id}/publish`, {}, decider)),
  );
  expect(answers.map((one) => one.http).sort()).toEqual([200, 409]);
  expect((await call('GET', made.path)).data).toMatchObject({
    state: 'scheduled',
    reserved: 10,
    remaining: 10,
    sessionCount: 2,
  });
  expect(await stockOf(made.spec.id)).toBe(stock - 10);
  const verified = await call('POST', `${made.path}/verify`, {});
  expect(verified.data.every((one: { ok: boolean }) => one.ok)).toBe(true);
  const down = await call('POST', `/product/${made.spec.product_id}/takeDown`, { reason: '测试' });
  expect([down.http, down.message.startsWith('活动进行中，不能下架')]).toEqual([409, true]);
  const cancelled = await call('POST', `${made.path}/cancel`, { reason: '测试取消' });
  expect([cancelled.message, cancelled.http]).toEqual(['', 200]);
  expect(await stockOf(made.spec.id)).toBe(stock);
});

test('group 16 Must show 8: a merchant never sees the activities of another, in list, board or by id', async () => {
  const rows = await run<{ id: number; tenant_id: number }>(
    db(),
    `SELECT a.id, a.tenant_id FROM seckill_activity a JOIN tenant t ON t.id = a.tenant_id WHERE t.kind = 2 ORDER BY a.id`,
  );
  expect(rows.length).toBeGreaterThan(0);
  const foreign = (await runOne<{ account: string; id: number }>(
    db(),
    `SELECT account, tenant_id AS id FROM staff WHERE account ~ '^merchant[0-9]+$' AND tenant_id <> $1 ORDER BY id LIMIT 1`,
    [rows[0]!.tenant_id],
  ))!;
  const token = await product.signIn(foreign.account);
  const list = await call('GET', '/seckillActivity/page?limit=100', undefined, token);
  expect(list.http).toBe(200);
  for (const row of list.data.rows) expect(row.merchant.id).toBe(String(foreign.id));
  for (const path of ['', '/live', '/movements'])
    expect((await call('GET', `/seckillActivity/${rows[0]!.id}${path}`, undefined, token)).http).toBe(404);
});

test('rejected with a reason, changed and handed in again: the review says what changed', async () => {
  const made = await make();
  await call('POST', `${made.path}/submit`, {});
  const decider = await product.signIn((await askedFor(made.id)).account);
  const rejected = await call('POST', `/seckillReview/${made.id}/reject`, { opinion: '数量过多' }, decider);
  expect([rejected.message, rejected.http]).toEqual(['', 200]);
  const seen = (await call('GET', made.path)).data;
  expect(seen).toMatchObject({ state: 'rejected', stateReason: '数量过多' });
  const changed = await call('PUT', made.path, {
    entries: [{ ...(await form(made.spec)).entries[0]!, reserved: 3 }],
    version: seen.version,
  });
  expect([changed.message, changed.http]).toEqual(['', 200]);
  expect((await call('POST', `${made.path}/submit`, {})).message).toBe('');
  const review = (await call('GET', `/seckillReview/${made.id}`, undefined, decider)).data;
  expect(review.difference).toHaveLength(2);
  expect(review.difference[0][0]).toContain('× 5');
  expect(review.difference[0][0]).toContain('× 3');
  expect(review.checks.every((one: { result: string }) => one.result !== 'failed')).toBe(true);
  expect((await call('POST', `${made.path}/withdraw`, {})).message).toBe('');
  expect((await call('GET', made.path)).data.state).toBe('draft');
});

/** Moves a published activity so that its first session began some minutes ago. */
async function begin(id: string, minutesAgo: number): Promise<void> {
  const { by } = (await runOne<{ by: number }>(
    db(),
    `SELECT extract(epoch FROM min(starts_at) - now())::float8 / 60 + $2 AS by FROM seckill_session WHERE activity_id = $1`,
    [id, minutesAgo],
  ))!;
  for (const { id: session } of await run<{ id: number }>(
    db(),
    'SELECT id FROM seckill_session WHERE activity_id = $1 ORDER BY starts_at',
    [id],
  ))
    await run(
      db(),
      `UPDATE seckill_session SET starts_at = starts_at - make_interval(secs => $2), ends_at = ends_at - make_interval(secs => $2) WHERE id = $1`,
      [session, by * 60],
    );
  await run(
    db(),
    `UPDATE promotion_occupancy o SET period = tstzrange(i.starts_at, i.ends_at) FROM (
       SELECT i.*, row_number() OVER (PARTITION BY i.spec_id ORDER BY i.starts_at) AS n FROM seckill_item i WHERE i.activity_id = $1) i,
       (SELECT o.id, o.spec_id, row_number() OVER (PARTITION BY o.spec_id ORDER BY o.period) AS n FROM promotion_occupancy o WHERE o.kind = 'seckill' AND o.source_id = $1) k
      WHERE o.id = k.id AND k.spec_id = i.spec_id AND k.n = i.n`,
    [id],
  );
  await run(db(), `UPDATE seckill_activity SET state = 'running' WHERE id = $1`, [id]);
}

test('group 16 Must show 7: paused nobody claims; resumed with 15 minutes the session ends 15 minutes later; more is refused', async () => {
  const made = await published();
  await begin(made.id, 10);
  const item = (await runOne<{ id: number }>(
    db(),
    'SELECT id FROM seckill_item WHERE activity_id = $1 ORDER BY starts_at LIMIT 1',
    [made.id],
  ))!;
  const member = (await runOne<{ phone: string }>(
    db(),
    'SELECT phone FROM member WHERE project_id = $1 ORDER BY id LIMIT 1',
    [made.spec.project],
  ))!;
  const order = {
    item: String(item.id),
    qty: 1,
    memberPhone: member.phone,
    receiver: '住户',
    address: '1栋',
  };
  const bought = await call('POST', `${made.path}/purchase`, order);
  expect([bought.message, bought.http]).toEqual(['', 200]);
  expect((await call('GET', made.path)).data).toMatchObject({ held: 1, remaining: 9 });
  const live = (await call('GET', `${made.path}/live`)).data;
  expect(live).toMatchObject({ state: 'running', unpaid: [{ qty: 1 }] });

  const paused = await call('POST', `${made.path}/pause`, { reason: '核实库存', stopPayment: true });
  expect([paused.message, paused.http]).toEqual(['', 200]);
  const refused = await run<{ state: string }>(db(), 'SELECT state FROM seckill_item WHERE id = $1', [
    item.id,
  ]);
  expect(refused).toEqual([{ state: 'paused' }]);
  await run(db(), `UPDATE seckill_activity SET paused_at = paused_at - interval '15 minutes' WHERE id = $1`, [
    made.id,
  ]);
  const before = (await runOne<{ at: Date; until: Date }>(
    db(),
    `SELECT n.ends_at AS at, o.pay_deadline AS until FROM seckill_session n, seckill_claim c JOIN sales_order o ON o.id = c.order_id
      WHERE n.activity_id = $1 AND n.position = 1 AND c.activity_id = $1`,
    [made.id],
  ))!;
  const tooLong = await call('POST', `/seckillResume/${made.id}/resume`, { reason: '恢复', extension: 60 });
  expect([tooLong.http, tooLong.message]).toEqual([409, '最多延长暂停的 16 分钟']);
  const seen = (await call('GET', `/seckillResume/${made.id}`)).data;
  expect(seen).toMatchObject({ sessionsLeft: 2, held: 1, byPlatform: true, paymentStopped: true });
  const resumed = await call('POST', `/seckillResume/${made.id}/resume`, { reason: '恢复', extension: 15 });
  expect([resumed.message, resumed.http]).toEqual(['', 200]);
  const after = (await runOne<{ at: Date; until: Date; state: string }>(
    db(),
    `SELECT n.ends_at AS at, o.pay_deadline AS until, a.state FROM seckill_activity a JOIN seckill_session n ON n.activity_id = a.id, seckill_claim c JOIN sales_order o ON o.id = c.order_id
      WHERE a.id = $1 AND n.position = 1 AND c.activity_id = $1`,
    [made.id],
  ))!;
  expect(after.state).toBe('running');
  expect(after.at.getTime() - before.at.getTime()).toBe(15 * 60_000);
  expect(after.until.getTime() - before.until.getTime()).toBeGreaterThanOrEqual(15 * 60_000);
  const ended = await call('POST', `${made.path}/end`, { reason: '测试结束' });
  expect([ended.message, ended.http]).toEqual(['', 200]);
  expect((await call('POST', `${made.path}/verify`, {})).data.every((one: { ok: boolean }) => one.ok)).toBe(
    true,
  );
});

test('group 16 Must show 7: what the platform paused its merchant cannot resume', async () => {
  const staff = (await runOne<{ account: string; id: number }>(
    db(),
    `SELECT account, tenant_id AS id FROM staff WHERE account ~ '^merchant[0-9]+$' ORDER BY id LIMIT 1`,
  ))!;
  const row = (await runOne<{ id: number }>(
    db(),
    `SELECT id FROM seckill_activity WHERE state = 'paused' ORDER BY id LIMIT 1`,
  ))!;
  await run(db(), 'UPDATE seckill_activity SET tenant_id = $2 WHERE id = $1', [row.id, staff.id]);
  const merchant = await product.signIn(staff.account);
  const tried = await call(
    'POST',
    `/seckillResume/${row.id}/resume`,
    { reason: '恢复', extension: 0 },
    merchant,
  );
  expect([tried.http, tried.message]).toEqual([409, '平台暂停的活动需平台恢复']);
});

test('the calendar of a week shows the sessions of what one sees, and what would be refused for its time', async () => {
  const { id, spec } = await published();
  const twin = await call('POST', '/seckillActivity', await form(spec, { name: '撞期秒杀' }));
  expect(twin.message).toBe('');
  const day = businessDayOf(new Date(Date.now() + 30 * 3_600_000));
  const week = await call('GET', `/seckillActivity/calendar?from=${day}`);
  const own = (of: string) => week.data.blocks.filter((one: { activity: string }) => one.activity === of);
  expect(own(id)).toHaveLength(2);
  expect(own(id)[0]).toMatchObject({ state: 'scheduled', conflict: false, spec: String(spec.id) });
  expect(own(String(twin.data.id)).map((one: { conflict: boolean }) => one.conflict)).toEqual([true, true]);
  expect((await call('GET', '/seckillActivity/calendar?from=2020-01-06')).data.blocks).toEqual([]);
  const merchant = await product.signIn('merchant2');
  const theirs = await call('GET', `/seckillActivity/calendar?from=${day}`, undefined, merchant);
  expect(theirs.http).toBe(200);
  expect(theirs.data.blocks.filter((one: { activity: string }) => one.activity === id)).toEqual([]);
});

test('of a published activity name, cover and rules may change; what is left empty stays', async () => {
  const { id, path } = await published();
  const version = async () => (await call('GET', path)).data.version as number;
  const pictures = await run<{ id: string }>(
    db(),
    `SELECT id::text AS id FROM stored_file WHERE access = 'picture' ORDER BY created_at LIMIT 2`,
  );
  const named = await call('POST', `${path}/retouch`, { version: await version(), name: '改名秒杀' });
  expect([named.message, named.http]).toEqual(['', 200]);
  const kept = { cover_id: pictures[0]!.id, rules_text: '每人一份' };
  const row = () =>
    runOne(db(), 'SELECT name, cover_id::text, rules_text FROM seckill_activity WHERE id = $1', [id]);
  expect(await row()).toEqual({ name: '改名秒杀', ...kept });
  const more = { name: '改名秒杀', cover: pictures[1]!.id, rulesText: '先到先得' };
  expect((await call('POST', `${path}/retouch`, { version: await version(), ...more })).http).toBe(200);
  expect(await row()).toEqual({ name: '改名秒杀', cover_id: pictures[1]!.id, rules_text: '先到先得' });
  expect((await call('PUT', path, { version: await version(), name: 'x' })).http).toBe(409);
});

test('prices of specs are told to who may sell them, for per cent off', async () => {
  const [spec] = await freeSpecs();
  const told = await call('GET', `/seckillActivity/prices?specs=${spec!.id},1`);
  expect(told.data[spec!.id]).toBe(yuan(spec!.price));
  const other = (await runOne<{ account: string }>(
    db(),
    `SELECT account FROM staff WHERE account ~ '^merchant[0-9]+$' AND tenant_id <> $1 ORDER BY id LIMIT 1`,
    [spec!.tenant_id],
  ))!;
  const token = await product.signIn(other.account);
  const theirs = await call('GET', `/seckillActivity/prices?specs=${spec!.id}`, undefined, token);
  expect([theirs.http, theirs.data]).toEqual([200, {}]);
});
