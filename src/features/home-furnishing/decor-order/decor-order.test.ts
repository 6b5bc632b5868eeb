import { afterAll, beforeAll, expect, test } from 'vitest';
import { termProblems } from '../../../domain/furnishing/decor-version.rules.ts';
import { businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { CHANGE, decorWorld, ORDER, type DecorWorld } from './decor-order-fixture.ts';

let world: DecorWorld;
const db = () => world.product.platform.database.db;
const amounts = async (id: string) => (await world.book(id)).instalments.map((one) => one.amount);
const photos = (n: number) => Array.from({ length: n }, () => world.picture);
const measured = { measuredOn: '2026-01-05', builtArea: '90.12', innerArea: '76.00' };

/** Builds the first nodes: each done by the seller, checked by the supervisor. */
const build = async (id: string, n: number) => {
  for (let node = 0; node < n; node += 1) {
    await world.must(world.seller, id, 'node', { photos: photos(1) });
    await world.must(world.checker, id, 'check', { result: 'passed', photos: photos(2) });
  }
};
const changed = async (id: string, amount: string) => {
  await world.must(world.seller, id, 'change', {
    lines: [{ name: '增项', amount }],
    days: 0,
    reason: '客户要求',
  });
  return (await runOne<{ id: string }>(
    db(),
    `SELECT id::text AS id FROM decor_change WHERE order_id = $1 ORDER BY id DESC LIMIT 1`,
    [id],
  ))!.id;
};
const decide = (id: string, action: string, body: object) =>
  world.product.call(world.seller, 'POST', `${CHANGE}/${id}/${action}`, body);
/** Every rule of the doctor about decor orders, refunds and receivables holds. */
const sound = async () => {
  const rules = world.product.platform.registrations
    .flatMap((one) => one.invariants ?? [])
    .filter((one) => /^(decorOrder|refund|payment|receivable)/.test(one.name));
  expect(rules.length).toBeGreaterThan(10);
  for (const rule of rules)
    expect([rule.name, (await rule.check(world.product.platform)).problems]).toEqual([rule.name, []]);
};

beforeAll(async () => {
  world = await decorWorld();
});
afterAll(() => world.product.close());

test('group 14 Must show 1: the quote of the worked example is 80,897.14 in three instalments that add up', async () => {
  const id = await world.quote();
  expect(await world.read(id)).toMatchObject({
    price: '80897.14',
    gross: '82897.14',
    state: 'quoting',
    versionNo: 1,
  });
  expect(await amounts(id)).toEqual(['24269.14', '48538.29', '8089.71']);
  expect((await world.book(id)).lines.map((one) => one.amount)).toEqual([
    '80334.64',
    '1280.00',
    '1282.50',
    '-2000.00',
  ]);
});

test('group 14 Must show 2: measured 90.12 m² after the deposit, the price is 81,580.38 and later instalments follow', async () => {
  const id = await world.at('measuring');
  expect(await world.read(id)).toMatchObject({ received: '24269.14', owed: '0.00' });
  await world.must(world.seller, id, 'measure', { ...measured, photos: photos(3) });
  expect(await world.read(id)).toMatchObject({ price: '81580.38', state: 'designing', builtArea: '90.12' });
  expect(await amounts(id)).toEqual(['24269.14', '49153.20', '8158.04']);
});

test('group 14 Must show 6: an unpaid instalment stops the next node; who recorded the receipt does not confirm it', async () => {
  const id = await world.at('constructing');
  await run(
    db(),
    `UPDATE receivable SET due_on = due_on - 1, posted_on = posted_on - 1 WHERE source_kind = 'decor' AND source_id = $1 AND period_no = 2`,
    [id],
  );
  const refused = await world.act(world.seller, id, 'node', { photos: photos(1) });
  expect([refused.status, refused.message]).toEqual([30101, '第 2 期款未付清，不能进入下一步']);
  expect(await world.read(id)).toMatchObject({ owed: '49153.20', overdueDays: 1 });
  const receipt = await world.record(world.seller, id, 2);
  const own = await world.product.call(world.seller, 'POST', `/jinmao/web/receipt/${receipt}/confirm`, {});
  expect([own.status, own.message]).toEqual([30101, '不能确认自己登记的收款']);
  expect((await world.act(world.seller, id, 'node', { photos: photos(1) })).status).toBe(30101);
  expect(
    (await world.product.call(world.checker, 'POST', `/jinmao/web/receipt/${receipt}/confirm`, {})).http,
  ).toBe(200);
  await world.must(world.seller, id, 'node', { photos: photos(1) });
});

test('the desk lifts the block of an overdue instalment once, with a reason', async () => {
  const id = await world.at('constructing');
  await run(
    db(),
    `UPDATE receivable SET due_on = due_on - 1, posted_on = posted_on - 1 WHERE source_kind = 'decor' AND source_id = $1 AND period_no = 2`,
    [id],
  );
  expect((await world.act(world.seller, id, 'node', { photos: photos(1) })).status).toBe(30101);
  expect((await world.act(world.seller, id, 'unblock', {})).http).toBe(422);
  await world.must(world.seller, id, 'unblock', { reason: '客户承诺本周付款' });
  await world.must(world.seller, id, 'node', { photos: photos(1) });
  expect((await world.act(world.seller, id, 'unblock', { reason: '再次' })).status).toBe(30101);
});

test('group 14 Must show 7: a failed check is rework, the worker does not check, progress is 40 % after three nodes', async () => {
  const id = await world.at('constructing');
  await world.pay(id, 2);
  await world.must(world.seller, id, 'node', { photos: photos(1) });
  const own = await world.act(world.seller, id, 'check', { result: 'passed', photos: photos(2) });
  expect([own.status, own.message]).toEqual([30101, '不能验收自己完成的节点']);
  expect((await world.read(id)).actions).not.toContain('check');
  expect(
    (await world.act(world.checker, id, 'check', { result: 'failed', photos: photos(1), note: '不平' })).http,
  ).toBe(422);
  await world.must(world.checker, id, 'check', { result: 'failed', photos: photos(2), note: '找平不合格' });
  expect((await world.book(id)).nodes[0]).toMatchObject({ state: 'failed', reworks: 1 });
  await world.must(world.seller, id, 'node', { photos: photos(1) });
  await world.must(world.checker, id, 'check', { result: 'passed', photos: photos(2) });
  expect((await world.book(id)).checks.find((one) => one.kind === 'node')).toMatchObject({
    round: 2,
    result: 'passed',
  });
  await build(id, 2);
  expect(await world.read(id)).toMatchObject({
    progress: '40.00',
    nextStep: '泥瓦',
    reworks: 1,
    state: 'constructing',
  });
});

test('group 14 Must show 8: a change raises the tail; refused it changes nothing; a saving above the tail is a refund in the audit', async () => {
  const id = await world.at('constructing');
  await world.pay(id, 2);
  const refused = await changed(id, '3500.00');
  expect((await decide(refused, 'refuse', { reason: '客户不同意' })).http).toBe(200);
  expect(await world.read(id)).toMatchObject({ price: '81580.38', changes: '0.00' });
  const more = await changed(id, '3500.00');
  expect((await decide(more, 'confirm', {})).http).toBe(422);
  expect((await decide(more, 'confirm', { proofs: photos(1) })).http).toBe(200);
  expect(await amounts(id)).toEqual(['24269.14', '49153.20', '11658.04']);

  const other = await world.at('constructing');
  await world.pay(other, 2);
  const less = await changed(other, '-12000.00');
  expect((await decide(less, 'confirm', { proofs: photos(1) })).http).toBe(200);
  expect(await amounts(other)).toEqual(['24269.14', '49153.20', '0.00']);
  expect((await world.book(other)).refunds).toMatchObject([{ amount: '3841.96', state: 'reviewing' }]);
  await sound();
});

test('group 14 Must show 9: cancelled at 40 % of the works, two at once make one refund on the latest payment', async () => {
  const id = await world.at('constructing');
  await world.pay(id, 2);
  await build(id, 3);
  const preview = (await world.product.call(world.seller, 'GET', `${ORDER}/${id}/cancellation`)).data;
  expect(preview).toMatchObject({ works: '32632.15', fee: '4079.02', refund: '36711.17', paid: '73422.34' });
  const answers = await Promise.all(
    [world.seller, world.checker, world.seller, world.checker].map((token) =>
      world.act(token, id, 'cancel', { reason: '业主卖房' }),
    ),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  const { refunds } = await world.book(id);
  expect(refunds).toMatchObject([{ amount: '36711.17', state: 'reviewing' }]);
  const latest = await runOne<{ code: string }>(
    db(),
    `SELECT c.code FROM receipt c JOIN receipt_allocation a ON a.receipt_id = c.id JOIN receivable r ON r.id = a.receivable_id
      WHERE r.source_kind = 'decor' AND r.source_id = $1 AND r.period_no = 2`,
    [id],
  );
  expect(refunds[0]!.parts).toEqual([{ receipt: latest!.code, amount: '36711.17' }]);
  expect(await world.read(id)).toMatchObject({ state: 'closed', refunded: '36711.17' });
  await sound();
});

test('a refund of receipts is paid back offline by one and confirmed by another; a receipt it gives back is not reversed', async () => {
  const id = await world.at('measuring');
  await world.must(world.seller, id, 'cancel', { reason: '不装修了' });
  const refund = (await runOne<{ id: string; receipt: string }>(
    db(),
    `SELECT f.id::text AS id, p.receipt_id::text AS receipt FROM refund f JOIN decor_order o ON o.sales_order_id = f.order_id JOIN refund_part p ON p.refund_id = f.id WHERE o.id = $1`,
    [id],
  ))!;
  const third = await world.product.signIn('admin');
  const audit = (token: string, action: string, body: object = {}) =>
    world.product.call(token, 'POST', `/jinmao/web/refund/${refund.id}/${action}`, body);
  const passed = await audit(third, 'approve');
  expect([passed.status, passed.message]).toEqual([30101, '款项由收款单收取，请使用线下退款']);
  const reversed = await world.product.call(
    world.checker,
    'POST',
    `/jinmao/web/receipt/${refund.receipt}/reverse`,
    {
      reason: '误收冲销',
    },
  );
  expect(reversed.message).toBe('该收款已有退款，不能冲销');
  expect((await audit(third, 'offline', { payee: '样客 6222', voucher: [world.picture] })).http).toBe(200);
  expect((await audit(third, 'confirmOffline')).status).toBe(30101);
  expect((await audit(world.checker, 'confirmOffline')).http).toBe(200);
  expect((await world.book(id)).refunds).toMatchObject([{ amount: '24269.14', state: 'succeeded' }]);
  await sound();
});

test('group 14 Must show 10: two defects, fixed, passed in round 2; the tail paid begins the warranty of 60 months', async () => {
  const id = await world.at('accepting');
  const cancelled = await world.act(world.seller, id, 'cancel', { reason: '不满意' });
  expect([cancelled.status, cancelled.message]).toEqual([30101, '已竣工，请走售后']);
  await world.must(world.seller, id, 'acceptance', {
    result: 'failed',
    defects: [
      { room: '客厅', text: '墙面开裂' },
      { room: '卫生间', text: '地漏不畅' },
    ],
  });
  expect(await world.read(id)).toMatchObject({ state: 'reworking' });
  await world.must(world.seller, id, 'refixed', { photos: photos(1) });
  await world.must(world.seller, id, 'acceptance', { result: 'passed', signature: world.picture });
  expect(await world.read(id)).toMatchObject({ state: 'tail_due', owed: '8158.04' });
  expect((await world.book(id)).checks.find((one) => one.kind === 'final')).toMatchObject({
    round: 2,
    result: 'passed',
  });
  await world.pay(id, 3);
  expect(await world.read(id)).toMatchObject({ state: 'warranty', received: '81580.38' });
  const span = await runOne<{ fits: boolean }>(
    db(),
    `SELECT to_on = (from_on + interval '60 months')::date AS fits FROM decor_warranty WHERE order_id = $1 AND category = 'utilities'`,
    [id],
  );
  expect(span).toEqual({ fits: true });
  await sound();
});

test('group 14 Must show 3 (orders): a sent quote and a running order keep 899.00, a new quote shows the new price', async () => {
  const sent = await world.at('deposit_due');
  const runs = await world.at('measuring');
  await world.sell(99_900);
  try {
    for (const id of [sent, runs])
      expect(await world.read(id)).toMatchObject({ price: '80897.14', versionNo: 1 });
    await world.must(world.seller, runs, 'measure', { ...measured, photos: photos(3) });
    expect(await world.read(runs)).toMatchObject({ price: '81580.38' });
    const fresh = await world.quote();
    expect((await world.book(fresh)).lines[0]).toMatchObject({ unitPrice: '999.00', amount: '89270.64' });
  } finally {
    await world.sell(89_900);
  }
});

test('group 14 Must show 13 (orders): another merchant finds neither the order nor its book nor its change', async () => {
  const id = await world.at('to_start');
  const change = await changed(id, '100.00');
  const rival = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password) SELECT id, 'decor_order_rival', '他商户', true, false FROM tenant
      WHERE kind = 2 AND id <> $1 ORDER BY id LIMIT 1 RETURNING id`,
    [world.merchantId],
  ))!;
  await grantMenu(db(), rival.id, 'mj_mercureCommodityOrder');
  const token = await world.product.signIn('decor_order_rival');
  for (const path of [`${ORDER}/${id}`, `${ORDER}/${id}/book`, `${CHANGE}/${change}`])
    expect((await world.product.call(token, 'GET', path)).http).toBe(404);
  const row = await world.read(id);
  expect(String(row.phone)).toMatch(/^\d{3}\*{4}\d{4}$/);
});

test('refusals of a quote: no house type, options that exclude each other, a second running order, a large discount', async () => {
  const home = await world.newHouse();
  await run(db(), 'UPDATE house SET house_type_id = NULL WHERE id = $1', [home.house]);
  const body = {
    project: String(world.projectId),
    package: String(world.packageId),
    options: [] as object[],
  };
  const bare = await world.product.call(world.seller, 'POST', ORDER, { ...body, ...home });
  expect(bare.data.fields).toEqual({ house: '该房屋未设置户型' });
  const other = await world.newHouse();
  const pair = await world.product.call(world.seller, 'POST', ORDER, {
    ...body,
    ...other,
    options: [{ code: 'FLOOR' }, { code: 'TILE' }],
  });
  expect(pair.data.fields).toEqual({ options: '瓷砖升级 与 地板升级 不能同选' });
  const twice = await Promise.all(
    [1, 2, 3].map(
      async () =>
        (await world.product.call(world.seller, 'POST', ORDER, { ...body, ...other })).data.id as string,
    ),
  );
  const sent = await Promise.all(twice.map((id) => world.act(world.seller, id, 'send')));
  expect(sent.filter((one) => one.http === 200)).toHaveLength(1);
  expect(sent.find((one) => one.http !== 200)).toMatchObject({
    status: 30101,
    message: '该房屋已有进行中的订单',
  });
  const cheap = await world.quote({ discount: '2500.00' });
  const refused = await world.act(world.seller, cheap, 'send');
  expect([refused.status, refused.message]).toEqual([30101, '优惠超过审批标准，请先提交优惠审批']);
  await world.must(world.seller, cheap, 'askDiscount');
});

test('a deposit that is late closes the order; a quote past its day too', async () => {
  const jobs = world.product.platform.registrations.flatMap((one) => one.jobs ?? []);
  const job = (name: string) => jobs.find((one) => one.name === name)!;
  const late = await world.at('deposit_due');
  const old = await world.quote();
  const kept = await world.at('deposit_due');
  await world.record(world.seller, kept, 1);
  await run(
    db(),
    `UPDATE decor_order SET deposit_until = now() - interval '1 minute' WHERE id = ANY($1::bigint[])`,
    [[late, kept]],
  );
  await run(db(), 'UPDATE decor_order SET quote_until = quote_until - 30 WHERE id = $1', [old]);
  for (const name of [
    'decor.deposit_close',
    'decor.quote_expire',
    'decor.instalment_remind',
    'decor.node_late',
    'decor.warranty_notice',
    'decor.warranty_end',
  ])
    await job(name).run({}, world.product.platform, undefined);
  expect((await world.read(late)).state).toBe('closed');
  expect((await world.read(old)).state).toBe('closed');
  expect((await world.read(kept)).state).toBe('deposit_due');
  const lines = await run<{ state: string }>(
    db(),
    `SELECT state FROM receivable WHERE source_kind = 'decor' AND source_id = $1`,
    [late],
  );
  expect(lines).toEqual([{ state: 'void' }]);
});

test('an instalment due with a works node is asked for when the node passes, and blocks the next one once overdue', async () => {
  const id = await world.at('to_start');
  const due = (event: string) =>
    run(db(), 'UPDATE decor_instalment SET due_event = $2 WHERE order_id = $1 AND seq = 2', [id, event]);
  await due('node:2');
  await expect(due('node:21')).rejects.toThrow('due_event');
  await world.must(world.seller, id, 'start');
  await build(id, 1);
  expect((await world.book(id)).instalments[1]).toMatchObject({ state: 'later', dueEvent: 'node:2' });
  await build(id, 1);
  expect((await world.book(id)).instalments[1]).toMatchObject({ state: 'open', amount: '49153.20' });
  await run(
    db(),
    `UPDATE receivable SET due_on = due_on - 1, posted_on = posted_on - 1 WHERE source_kind = 'decor' AND source_id = $1 AND period_no = 2`,
    [id],
  );
  const refused = await world.act(world.seller, id, 'node', { photos: photos(1) });
  expect(refused.message).toBe('第 2 期款未付清，不能进入下一步');
  await world.pay(id, 2);
  await world.must(world.seller, id, 'node', { photos: photos(1) });
  const plan = [
    { share: 3000, due: 'order' },
    { share: 7000, due: 'node:8' },
  ] as const;
  expect(termProblems({ plan, nodes: [{ weight: 10_000 }], cancel: [], warranty: [] }).plan).toEqual([
    '付款节点超出施工节点数',
    'There is no such works node',
  ]);
});

test('an order nobody accepted in its hours is a to-do of the desk, and the desk is told once', async () => {
  const id = await world.at('to_accept');
  const late = async () =>
    (await world.product.call(world.seller, 'GET', `${ORDER}/page?tab=acceptLate&limit=100`)).data.rows.map(
      (row: { id: string }) => row.id,
    );
  expect(await late()).not.toContain(id);
  await run(db(), `UPDATE decor_order SET accept_until = now() - interval '1 minute' WHERE id = $1`, [id]);
  expect(await late()).toContain(id);
  const todos = world.product.platform.registrations.flatMap((one) => one.todos ?? []);
  const count = async (kind: string, tenantKind: 2 | 3) =>
    (
      await todos
        .find((one) => one.kind === kind)!
        .count({
          caller: {
            ...(await world.product.caller('decor_seller')),
            tenantKind,
          },
          platform: world.product.platform,
        })
    ).count;
  expect(await count('decor_accept_late', 3)).toBe((await late()).length);
  expect(await count('decor_accept_late', 2)).toBe(0);
  const job = world.product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === 'decor.accept_late')!;
  for (let n = 0; n < 2; n += 1) await job.run({}, world.product.platform, undefined);
  const { code } = await world.read(id);
  const told = await run<{ staff_id: number }>(
    db(),
    'SELECT staff_id FROM notification WHERE title_zh = $1 AND staff_id = $2',
    [`美居订单 ${String(code)} 超时未受理，请跟进`, world.checkerId],
  );
  expect(told).toHaveLength(1);
});

test('customers are told of the quote, a passed node and the invitation to accept, where a template says how', async () => {
  await run(
    db(),
    `INSERT INTO message_template (code, name, tenant_id, category, event_id, channel_codes, in_app_title, in_app_body, state)
     SELECT 'MT' || e.code, e.title_zh, (SELECT id FROM tenant WHERE kind = 3 LIMIT 1), 'business', e.id, '{1}', e.title_zh, '<p>' || e.title_zh || '</p>', 'enabled'
       FROM message_event e WHERE e.code IN ('decor_quote_sent', 'decor_node_passed', 'decor_acceptance')`,
  );
  const id = await world.at('constructing');
  await world.pay(id, 2);
  await build(id, 7);
  const keys = await run<{ key: string }>(
    db(),
    `SELECT dedup_key AS key FROM message_send WHERE dedup_key LIKE 'decor_%:' || $1 || ':%' ORDER BY id`,
    [id],
  );
  expect(keys.map((one) => one.key)).toEqual([
    `decor_quote_sent:${id}:`,
    ...[1, 2, 3, 4, 5, 6, 7].map((seq) => `decor_node_passed:${id}:${seq}`),
    `decor_acceptance:${id}:`,
  ]);
});

test('the cards above the orders are what the list adds up to', async () => {
  const figures = (await world.product.call(world.seller, 'GET', `${ORDER}/figures`)).data;
  const sums = async (tab: string) =>
    (await world.product.call(world.seller, 'GET', `${ORDER}/sums?tab=${tab}`)).data;
  expect(figures.contract).toBe((await sums('signed')).price);
  expect(figures.received).toBe((await sums('all')).received);
  expect(figures.owed).toBe((await sums('owed')).owed);
});

test('the figures of orders: what was signed and came in, quotes, nodes, acceptances; another merchant has none of them', async () => {
  const day = businessDayOf(new Date());
  const ask = async (token: string) =>
    (
      await world.product.call(
        token,
        'GET',
        `/jinmao/web/report/decorReport?range=${day}~${day}&project=${world.projectId}&merchant=${world.merchantId}&limit=50`,
      )
    ).data;
  const before = (await ask(world.seller)).sums;
  const id = await world.at('constructing');
  await world.pay(id, 2);
  const more = await changed(id, '3500.00');
  expect((await decide(more, 'confirm', { proofs: photos(1) })).http).toBe(200);
  await build(id, 7);
  await world.must(world.seller, id, 'acceptance', { result: 'passed', signature: world.picture });
  const { sums, rows, figures, charts } = await ask(world.seller);
  const grown = (name: string) => (Number(sums[name]) - Number(before[name])).toFixed(2);
  // 81,580.38 signed and 3,500.00 changed; deposit and progress payment; the tail is owed.
  expect([grown('contract'), grown('received'), grown('owed'), grown('orders')]).toEqual([
    '85080.38',
    '73422.34',
    '11658.04',
    '1.00',
  ]);
  expect(rows).toHaveLength(1);
  expect(rows[0]).toMatchObject({ contract: sums.contract, received: sums.received });
  expect(figures.contract.value).toBe(sums.contract);
  const [passed, accepted] = String(figures.firstPass.working).split(' ÷ ').map(Number);
  expect(accepted).toBeGreaterThan(0);
  expect(passed).toBeLessThanOrEqual(accepted!);
  const stage = charts.stages.find((one: { key: string }) => one.key.includes('state=tail_due'));
  const page = await world.product.call(world.seller, 'GET', `${ORDER}/page?limit=1&${stage.key}`);
  expect(page.data.total).toBe(stage.values.orders);
  const token = await world.product.signIn('decor_order_rival');
  expect((await ask(token)).rows).toEqual([]);
});
