import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { transaction } from '../../../kernel/server/database.ts';
import { CrmRefused, type CrmRecord } from '../../../domain/crm/crm.server.ts';
import { startClocks, tickClocks } from '../../../domain/work-order/sla-clock.server.ts';
import { deliverDispatch, openDesk, ORDERS, type Desk } from './work-order-fixture.ts';
import { workOrder } from './work-order.contract.ts';
import { registration } from './work-order.server.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk?.close());
afterEach(() => void vi.useRealTimers());

const job = (name: string) => registration.jobs!.find((one) => one.name === name)!.run({}, desk.platform);
const events = async (id: string) =>
  (
    await desk.sql<{ action: string }>(
      'SELECT action FROM work_order_event WHERE order_id = $1 ORDER BY id',
      [id],
    )
  ).map((one) => one.action);
const pretend = (time: string) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(new Date(`${time}:00+08:00`));
};
const give = async (id: string, who = 0) =>
  desk.act(desk.dispatcher, id, 'dispatch', { handler: String(desk.plumbers[who]!.staffId) });
async function started(who = 0): Promise<string> {
  const id = await desk.order();
  await give(id, who);
  await desk.act(desk.plumbers[who]!, id, 'accept');
  await desk.act(desk.plumbers[who]!, id, 'start');
  return id;
}

test('group 06 Must show 1: Friday 17:30, response Friday 18:00, resolution Wednesday 09:30; paused 10:00–15:00 it is 14:30', async () => {
  const id = await started();
  await transaction(desk.platform.database.db, async (tx) => {
    await desk.sql('DELETE FROM sla_clock WHERE order_id = $1', [id]);
    await desk.sql(`UPDATE work_order SET created_at = '2026-11-20T17:30:00+08:00' WHERE id = $1`, [id]);
    await startClocks(tx, Number(id));
  });
  const clocks = async () =>
    (await desk.row(desk.dispatcher, id)).clocks.map((one: { target: string; dueAt: string }) => [
      one.target,
      new Date(one.dueAt).getTime(),
    ]);
  const at = (time: string) => new Date(`${time}:00+08:00`).getTime();
  expect(await clocks()).toEqual([
    ['response', at('2026-11-20T18:00')],
    ['resolution', at('2026-11-25T09:30')],
  ]);
  pretend('2026-11-23T10:00');
  const paused = await desk.act(desk.plumbers[0]!, id, 'pause', {
    reason: 'parts',
    resumeAt: '2026-11-24T10:00:00+08:00',
  });
  expect([paused.http, paused.data.state]).toEqual([200, 'paused']);
  pretend('2026-11-23T15:00');
  expect((await desk.act(desk.plumbers[0]!, id, 'resume')).http).toBe(200);
  expect((await clocks())[1]).toEqual(['resolution', at('2026-11-25T14:30')]);
  expect(
    await desk.sql(`SELECT paused_minutes FROM sla_clock WHERE order_id = $1 AND target = 'resolution'`, [
      id,
    ]),
  ).toEqual([{ paused_minutes: 210 }]);
  expect(
    await desk.sql(
      `SELECT remark FROM entity_event WHERE entity = 'workOrder' AND entity_id = $1 AND action = 'resume'`,
      [id],
    ),
  ).toEqual([{ remark: '暂停210分钟 / 210 min paused' }]);
});

test('group 06 Must show 2: 50 staff accept one order at once, one gets it, 49 are told', async () => {
  const id = await desk.order();
  const crowd = await Promise.all(
    Array.from({ length: 50 }, (_, n) => desk.worker(`crowd${String(n).padStart(2, '0')}`)),
  );
  const answers = await Promise.all(crowd.map((one) => desk.act(one, id, 'accept')));
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  const late = answers.filter((one) => one.status === 30101 && one.message === '工单已被他人接单');
  expect(late).toHaveLength(49);
  expect((await events(id)).filter((one) => one === 'accept')).toHaveLength(1);
  expect(
    await desk.sql(
      `SELECT count(*) FILTER (WHERE stopped_at IS NOT NULL)::integer AS stopped, count(*)::integer AS all FROM sla_clock WHERE order_id = $1`,
      [id],
    ),
  ).toEqual([{ stopped: 1, all: 2 }]);
  expect(
    await desk.sql(
      `SELECT count(*)::integer AS n FROM entity_event WHERE entity = 'workOrder' AND entity_id = $1 AND action = 'accept'`,
      [id],
    ),
  ).toEqual([{ n: 1 }]);
  await desk.sql(`UPDATE staff SET state = 'disabled' WHERE account LIKE 'crowd%'`);
});

test('group 06 Must show 13 (work orders): another project answers 404; the complained staff does not see the complaint', async () => {
  const id = await desk.order();
  expect((await desk.call(desk.stranger, 'GET', `${ORDERS}/${id}`)).http).toBe(404);
  expect((await desk.act(desk.stranger, id, 'remark', { remark: 'x' })).http).toBe(404);
  expect((await desk.call(desk.stranger, 'GET', `${ORDERS}/page`)).data.total).toBe(0);
  const about = desk.plumbers[2]!;
  const complaint = await desk.order({
    class: 'complaint',
    category: '31',
    title: '师傅态度恶劣',
    complainedStaff: String(about.staffId),
  });
  expect((await desk.row(desk.dispatcher, complaint)).complainedStaff.id).toBe(String(about.staffId));
  const holding = {
    ...about,
    elements: new Set([...about.elements, ...desk.dispatcher.elements]),
    epoch: '2',
  };
  for (const path of ['', '/timeline', '/candidates'])
    expect((await desk.call(holding, 'GET', `${ORDERS}/${complaint}${path}`)).http).toBe(404);
  for (const action of ['accept', 'urge', 'remark', 'close'])
    expect((await desk.act(holding, complaint, action, {})).http).toBe(404);
  const page = await desk.call(holding, 'GET', `${ORDERS}/page?state=pending_system&limit=100`);
  expect(page.data.rows.map((one: { id: string }) => one.id)).not.toContain(complaint);
  expect(
    (await desk.act(desk.dispatcher, complaint, 'dispatch', { handler: String(about.staffId) })).message,
  ).toBe('被投诉人不能处理该投诉');
  // Closing another order as a repetition of it does not find it either.
  const other = await desk.order();
  expect((await desk.act(holding, other, 'close', { duplicateOf: complaint })).http).toBe(422);
  await expect(
    desk.sql('UPDATE work_order SET handler_id = complained_staff_id WHERE id = $1', [complaint]),
  ).rejects.toThrow('work_order_complained');
});

test('from dispatch to call-back: every step by whom it belongs to', async () => {
  const [first, second] = desk.plumbers as [typeof desk.dispatcher, typeof desk.dispatcher];
  const id = await desk.order();
  expect(
    (await desk.act(desk.dispatcher, id, 'dispatch', { handler: String(desk.gardener.staffId) })).message,
  ).toBe('技能不符');
  expect((await give(id)).http).toBe(200);
  // Given to one, nobody else accepts, starts or returns it.
  expect((await desk.act(second, id, 'accept')).message).toBe('仅处理人可操作');
  expect((await desk.act(second, id, 'return', { reason: '不是我' })).message).toBe('仅处理人可操作');
  expect((await desk.act(first, id, 'return', { reason: '今天调休' })).data.state).toBe('pending_system');
  await give(id);
  await desk.act(first, id, 'accept');
  expect((await desk.act(first, id, 'transfer', { to: String(first.staffId), reason: '转单' })).message).toBe(
    '不能转给当前处理人',
  );
  expect(
    (await desk.act(first, id, 'transfer', { to: String(desk.gardener.staffId), reason: '转单' })).message,
  ).toBe('技能不符');
  expect(
    (await desk.act(first, id, 'transfer', { to: String(second.staffId), reason: '手上工单过多' })).data
      .state,
  ).toBe('to_accept');
  await desk.act(second, id, 'accept');
  await desk.act(second, id, 'start');
  const past = await desk.act(second, id, 'pause', {
    reason: 'owner',
    resumeAt: '2020-01-01T00:00:00+08:00',
  });
  expect(past.http).toBe(422);
  const far = new Date(Date.now() + 31 * 86_400_000).toISOString();
  expect((await desk.act(second, id, 'pause', { reason: 'owner', resumeAt: far })).http).toBe(422);
  expect((await desk.act(second, id, 'finish', { result: '已更换密封圈' })).data.state).toBe('finished');
  expect(await desk.row(desk.dispatcher, id)).toMatchObject({
    callbackState: 'to_call',
    returned: 1,
    transfers: 1,
  });
  expect((await desk.act(desk.dispatcher, id, 'evaluate', { overall: 5, arrival: 5, worker: 4 })).http).toBe(
    200,
  );
  expect(
    (await desk.act(desk.dispatcher, id, 'evaluate', { overall: 1, arrival: 1, worker: 1 })).message,
  ).toBe('已评价');
  expect((await desk.row(desk.dispatcher, id)).callbackState).toBe('none');
  const called = await desk.act(desk.dispatcher, id, 'callback', {
    result: 'unsatisfied',
    note: '又漏了',
    reopen: true,
  });
  expect(called.data.state).toBe('processing');
  expect(await desk.row(desk.dispatcher, id)).toMatchObject({ firstResult: '已更换密封圈', reopened: 1 });
  expect(
    await desk.sql(
      `SELECT round FROM sla_clock WHERE order_id = $1 AND target = 'resolution' ORDER BY round`,
      [id],
    ),
  ).toEqual([{ round: 1 }, { round: 2 }]);
  expect((await desk.act(second, id, 'finish', { result: '更换整套水件' })).http).toBe(200);
  await desk.sql(`UPDATE work_order SET finished_at = now() - interval '8 days' WHERE id = $1`, [id]);
  expect((await desk.act(desk.dispatcher, id, 'reopen', { reason: '仍漏水' })).message).toBe(
    '完成超过7天，不能重开',
  );
});

test('a handler transfers three times at most, a dispatcher as often as needed', async () => {
  const id = await desk.order();
  await give(id);
  for (const turn of [0, 1, 2])
    expect(
      (
        await desk.act(desk.plumbers[turn % 2]!, id, 'transfer', {
          to: String(desk.plumbers[(turn + 1) % 2]!.staffId),
          reason: '工单过多',
        })
      ).http,
    ).toBe(200);
  expect(
    (
      await desk.act(desk.plumbers[1]!, id, 'transfer', {
        to: String(desk.plumbers[0]!.staffId),
        reason: '工单过多',
      })
    ).message,
  ).toBe('该工单最多转派3次');
  expect(
    (
      await desk.act(desk.dispatcher, id, 'transfer', {
        to: String(desk.plumbers[0]!.staffId),
        reason: '调整',
      })
    ).http,
  ).toBe(200);
});

test('photos the category asks for, materials that leave the stock once and come back', async () => {
  const [material] = await desk.sql<{ id: number }>(
    `INSERT INTO material (tenant_id, project_id, name, unit, price, stock) VALUES ($1, $2, '密封圈', '个', 1250, 3) RETURNING id`,
    [desk.company, desk.ids.north],
  );
  await desk.sql(`INSERT INTO material_move (material_id, qty, reason) VALUES ($1, 3, '期初')`, [
    material!.id,
  ]);
  const leak = await desk.order({ category: '111' });
  await give(leak);
  await desk.act(desk.plumbers[0]!, leak, 'accept');
  await desk.act(desk.plumbers[0]!, leak, 'start');
  expect((await desk.act(desk.plumbers[0]!, leak, 'finish', { result: '已修复' })).data.fields.photos).toBe(
    '该分类需上传完成照片',
  );
  const orders = await Promise.all([started(0), started(1), started(2)]);
  const use = (n: number) =>
    desk.act(desk.plumbers[n]!, orders[n]!, 'finish', {
      result: '已更换',
      materials: [{ material: String(material!.id), qty: 2 }],
    });
  const answers = await Promise.all([use(0), use(1), use(2)]);
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(answers.find((one) => one.http !== 200)!.message).toBe('密封圈库存不足，剩余1个');
  const done = answers.findIndex((one) => one.http === 200);
  expect((await desk.row(desk.dispatcher, orders[done]!)).materials[0]).toMatchObject({
    qty: 2,
    amount: '25.00',
  });
  await desk.act(desk.dispatcher, orders[done]!, 'reopen', { reason: '仍漏水' });
  expect(await desk.sql('SELECT stock FROM material WHERE id = $1', [material!.id])).toEqual([{ stock: 3 }]);
  await expect(desk.sql('UPDATE material SET stock = -1 WHERE id = $1', [material!.id])).rejects.toThrow(
    'material_stock',
  );
  for (const one of registration.invariants!) expect((await one.check(desk.platform)).problems).toEqual([]);
});

test('fee lines make one bill of the house; the order follows it; public areas and free categories are let off', async () => {
  const fees = [
    { name: '上门费', amount: '30.00' },
    { name: '更换配件', amount: '50.50' },
  ];
  const id = await started();
  const done = await desk.act(desk.plumbers[0]!, id, 'finish', { result: '已更换', fees });
  expect([done.http, done.message]).toEqual([200, '']);
  const bills = () =>
    desk.sql<{ id: number; principal: number; due: number; item: string; deductible: boolean }>(
      `SELECT b.id, b.principal, b.due_date - b.period_from AS due, i.name AS item, i.deductible FROM bill b JOIN fee_item i ON i.id = b.fee_item_id WHERE b.work_order_id = $1`,
      [id],
    );
  const [bill] = await bills();
  expect(bill).toMatchObject({ principal: 8_050, due: 7, item: '维修费', deductible: false });
  expect(await desk.row(desk.dispatcher, id)).toMatchObject({
    feeState: 'to_pay',
    fee: '80.50',
    feePaid: '0.00',
    fees: [
      { name: '上门费', amount: '30.00', state: 'unpaid' },
      { name: '更换配件', amount: '50.50' },
    ],
  });
  // The same order is not billed twice for one finish, whatever the code does.
  await expect(
    desk.sql(
      `INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, work_order_id, work_round, period_from, period_to, due_date, principal, terms)
       SELECT 'TWICE', tenant_id, project_id, house_id, fee_item_id, work_order_id, work_round, period_from, period_to, due_date, 1, terms FROM bill WHERE id = $1`,
      [bill!.id],
    ),
  ).rejects.toThrow('bill_work_once');
  const state = async () => (await desk.row(desk.dispatcher, id)).feeState;
  await desk.sql(`UPDATE bill SET paid_principal = 5000, state = 'part' WHERE id = $1`, [bill!.id]);
  expect(await desk.row(desk.dispatcher, id)).toMatchObject({ feeState: 'to_pay', feePaid: '50.00' });
  await desk.sql(`UPDATE bill SET paid_principal = 8050, state = 'paid' WHERE id = $1`, [bill!.id]);
  expect(await state()).toBe('paid');
  await desk.sql(`UPDATE bill SET paid_principal = 0, state = 'unpaid' WHERE id = $1`, [bill!.id]);
  await desk.sql(`UPDATE bill SET state = 'void' WHERE id = $1`, [bill!.id]);
  expect(await state()).toBe('waived');

  await desk.sql('UPDATE work_category SET fee_allowed = false WHERE id = 113');
  const free = await started();
  expect((await desk.act(desk.plumbers[0]!, free, 'finish', { result: '已更换', fees })).http).toBe(200);
  expect(await desk.row(desk.dispatcher, free)).toMatchObject({ feeState: 'waived', fee: '0.00' });
  expect(await desk.sql('SELECT 1 FROM bill WHERE work_order_id = $1', [free])).toEqual([]);
  await desk.sql('UPDATE work_category SET fee_allowed = true WHERE id = 113');

  // Several first repairs of a company at once share its one item.
  await desk.sql(`UPDATE bill SET work_order_id = NULL, work_round = NULL WHERE id = $1`, [bill!.id]);
  await desk.sql(`UPDATE fee_item SET repair = false, name = '旧维修费' WHERE tenant_id = $1`, [
    desk.company,
  ]);
  const orders = await Promise.all([started(0), started(1), started(2)]);
  const answers = await Promise.all(
    orders.map((one, n) => desk.act(desk.plumbers[n]!, one, 'finish', { result: '已修复', fees })),
  );
  expect(answers.map((one) => [one.http, one.message])).toEqual([
    [200, ''],
    [200, ''],
    [200, ''],
  ]);
  expect(
    await desk.sql(`SELECT count(*)::integer AS n FROM fee_item WHERE tenant_id = $1 AND repair`, [
      desk.company,
    ]),
  ).toEqual([{ n: 1 }]);
});

test('cancelled by the owner before work begins; by staff with a reason, forced once it began, or as a repetition', async () => {
  const id = await desk.order();
  expect((await desk.act(desk.dispatcher, id, 'cancel', { reason: '自己修好了' })).data.state).toBe(
    'cancelled_by_member',
  );
  const begun = await started();
  const plain = {
    ...desk.dispatcher,
    elements: new Set([...desk.dispatcher.elements].filter((one) => !one.endsWith('btn_forceClose'))),
    epoch: '3',
  };
  expect((await desk.act(plain, begun, 'close', { reason: '误报' })).message).toBe(
    '已开始处理的工单需强制关闭权限',
  );
  expect((await desk.act(desk.dispatcher, begun, 'close', {})).http).toBe(422);
  const other = await desk.order();
  expect((await desk.act(desk.dispatcher, other, 'close', { duplicateOf: begun })).data).toMatchObject({
    state: 'cancelled_by_staff',
  });
  expect((await desk.act(desk.dispatcher, begun, 'close', { reason: '误报' })).http).toBe(200);
  expect(
    await desk.sql(
      'SELECT count(*)::integer AS n FROM sla_clock WHERE order_id = ANY($1) AND stopped_at IS NULL',
      [[id, begun, other]],
    ),
  ).toEqual([{ n: 0 }]);
});

test('urged once in half an hour; the form refuses what does not fit', async () => {
  const id = await desk.order();
  expect((await desk.act(desk.dispatcher, id, 'urge')).http).toBe(200);
  expect((await desk.act(desk.dispatcher, id, 'urge')).message).toBe('30分钟内已催过');
  const fields = async (more: object) =>
    desk
      .call(desk.dispatcher, 'POST', ORDERS, {
        class: 'repair',
        project: String(desk.ids.north),
        house: String(desk.house),
        category: '113',
        urgency: 'normal',
        title: 'x',
        description: '马桶底座渗水',
        contactName: '陈思雨',
        contactPhone: '13800138000',
        ...more,
      })
      .then((answer) => (answer.http === 404 ? 404 : Object.keys(answer.data.fields)));
  expect(await fields({ house: null })).toEqual(['house']);
  expect(await fields({ area: '大堂' })).toEqual(['area']);
  expect(await fields({ category: null })).toEqual(['category']);
  expect(await fields({ category: '11' })).toEqual(['category']);
  expect(await fields({ category: '31' })).toEqual(['category']);
  expect(await fields({ expectedAt: '2020-01-01T00:00:00+08:00' })).toEqual(['expectedAt']);
  expect(await fields({ complainedStaff: String(desk.gardener.staffId) })).toEqual(['complainedStaff']);
  expect(await fields({ project: String(desk.ids.south) })).toBe(404);
  const similar = await desk.call(
    desk.dispatcher,
    'GET',
    `${ORDERS}/similar?project=${desk.ids.north}&house=${desk.house}&category=113`,
  );
  expect(similar.data.map((one: { id: string }) => one.id)).toContain(id);
});

test('rules give orders: rotation takes who has fewest, nobody who is on leave or off skill; grab waits; a timeout goes back', async () => {
  const [rule] = await desk.sql<{ id: number }>(
    `INSERT INTO dispatch_rule (tenant_id, project_id, category_id, mode) VALUES ($1, $2, 13, 'rotate') RETURNING id`,
    [desk.company, desk.ids.north],
  );
  const [a, b] = [await desk.worker('lock1', ['lock']), await desk.worker('lock2', ['lock'])];
  await desk.sql('INSERT INTO dispatch_rule_staff VALUES ($1, $2), ($1, $3), ($1, $4)', [
    rule!.id,
    a.staffId,
    b.staffId,
    desk.gardener.staffId,
  ]);
  const lock = () => desk.order({ category: '131', title: '门锁打不开' });
  const handlers: string[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const id = await lock();
    await deliverDispatch(desk, id);
    handlers.push((await desk.row(desk.dispatcher, id)).handler.id);
  }
  expect(handlers.filter((one) => one === String(a.staffId))).toHaveLength(2);
  expect(handlers.filter((one) => one === String(b.staffId))).toHaveLength(2);
  await desk.sql(
    `INSERT INTO leave_record (tenant_id, staff_id, day, starts_at, ends_at, minutes, state) SELECT $1, s, current_date, now() - interval '1 hour', now() + interval '3 hours', 240, 'approved' FROM unnest($2::bigint[]) s`,
    [desk.company, [a.staffId, b.staffId]],
  );
  const nobody = await lock();
  await deliverDispatch(desk, nobody);
  expect(await desk.sql('SELECT status, to_dispatch FROM work_order WHERE id = $1', [nobody])).toEqual([
    { status: 'pending_system', to_dispatch: true },
  ]);
  await desk.sql(`UPDATE dispatch_rule SET mode = 'grab' WHERE id = $1`, [rule!.id]);
  await desk.sql('DELETE FROM leave_record WHERE staff_id = ANY($1)', [[a.staffId, b.staffId]]);
  const grab = await lock();
  await deliverDispatch(desk, grab);
  expect((await desk.row(desk.dispatcher, grab)).state).toBe('pending_system');
  // Outside of the pool, though with the skill.
  expect((await desk.act(desk.plumbers[0]!, grab, 'accept')).message).toBe('您不在该工单的接单范围');
  expect((await desk.act(b, grab, 'accept')).http).toBe(200);
  const late = await desk.order();
  await give(late);
  await desk.sql(`UPDATE work_order SET accept_due = now() - interval '1 minute' WHERE id = $1`, [late]);
  await Promise.all([job('wo.accept_timeout'), job('wo.accept_timeout')]);
  expect((await desk.row(desk.dispatcher, late)).state).toBe('pending_system');
  expect((await events(late)).filter((one) => one === 'acceptTimeout')).toHaveLength(1);
});

test('jobs: the ladder climbs each step once, pauses end, old orders are closed for rating', async () => {
  const id = await desk.order();
  await give(id);
  const clock = async () =>
    (
      await desk.sql<{ state: string; due_at: Date }>(
        `SELECT state, due_at FROM sla_clock WHERE order_id = $1 AND target = 'response'`,
        [id],
      )
    )[0]!;
  const { due_at } = await clock();
  await Promise.all([tickClocks(desk.platform, due_at), tickClocks(desk.platform, due_at)]);
  expect((await clock()).state).toBe('failed');
  const steps = () =>
    desk.sql(
      `SELECT e.step FROM sla_escalation e JOIN sla_clock k ON k.id = e.clock_id WHERE k.order_id = $1 AND k.target = 'response' ORDER BY e.step`,
      [id],
    );
  expect(await steps()).toEqual([{ step: 70 }, { step: 100 }]);
  await tickClocks(desk.platform, new Date(due_at.getTime() + 3 * 86_400_000));
  expect(await steps()).toEqual([{ step: 70 }, { step: 100 }, { step: 150 }]);
  const paused = await started();
  await desk.act(desk.plumbers[0]!, paused, 'pause', {
    reason: 'parts',
    resumeAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await desk.sql(`UPDATE work_order SET resume_at = now() - interval '1 second' WHERE id = $1`, [paused]);
  await Promise.all([job('wo.resume'), job('wo.resume')]);
  expect((await desk.row(desk.dispatcher, paused)).state).toBe('processing');
  await desk.act(desk.plumbers[0]!, paused, 'finish', { result: '已修复' });
  await desk.sql(`UPDATE work_order SET finished_at = now() - interval '16 days' WHERE id = $1`, [paused]);
  await job('wo.rating_close');
  expect(
    await desk.sql(
      'SELECT rating_closed_at IS NOT NULL AS closed, score_overall FROM work_order WHERE id = $1',
      [paused],
    ),
  ).toEqual([{ closed: true, score_overall: null }]);
});

test('several at once: a result for each row; the export has the 18 columns of the section', async () => {
  const ids = [await desk.order(), await started(), await desk.order()];
  const answer = await desk.call(desk.dispatcher, 'POST', `${ORDERS}/bulk/dispatch`, {
    ids,
    input: { handler: String(desk.plumbers[1]!.staffId) },
  });
  expect([answer.http, answer.data.done.length, answer.data.failed.length]).toEqual([200, 2, 1]);
  const source = registration.exports!.find((one) => one.source === workOrder.name)!;
  expect(source.columns('zh').map((column) => column.title)).toEqual([
    '工单编号',
    'CRM编号',
    '标题',
    '客户姓名',
    '客户电话',
    '地址',
    '来源',
    '是否代报',
    '代报人',
    '代报人电话',
    '描述',
    '创建时间',
    '接单时间',
    '开始时间',
    '完成时间',
    '处理人',
    '状态',
    'CRM同步',
  ]);
});

test('orders of goods are given and begun here, told on their own list, and finished there', async () => {
  const { merchantA, north, business, member } = desk.ids;
  const [order] = await desk.sql<{ id: number }>(
    `INSERT INTO work_order (code, type, sub_status, tenant_id, business_id, project_id, member_id, title) VALUES ('WO20260101999999', 'goods', 'placed', $1, $2, $3, $4, '纱窗') RETURNING id`,
    [merchantA, business, north, member],
  );
  const id = String(order!.id);
  const staffId = await desk.staff('shop1', merchantA);
  await desk.sql('INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staffId, north]);
  const shop = {
    ...desk.dispatcher,
    staffId,
    name: 'shop1',
    tenantId: merchantA,
    tenantKind: 2 as const,
    epoch: 'shop',
  };
  expect((await desk.act(shop, id, 'dispatch', { handler: String(staffId) })).http).toBe(200);
  await desk.act(shop, id, 'accept');
  expect((await desk.act(shop, id, 'start')).data.state).toBe('processing');
  expect(await desk.sql('SELECT sub_status, accept_due FROM work_order WHERE id = $1', [id])).toEqual([
    { sub_status: 'processing', accept_due: null },
  ]);
  expect(
    await desk.sql(
      `SELECT action FROM entity_event WHERE entity = 'tradeWorkOrder' AND entity_id = $1 ORDER BY id`,
      [id],
    ),
  ).toEqual([{ action: 'dispatch' }, { action: 'accept' }, { action: 'start' }]);
  for (const [action, body] of [
    ['finish', { result: '已送达' }],
    ['close', { reason: '不要了' }],
  ] as const)
    expect((await desk.act(shop, id, action, body)).message).toBe('请在商业订单或预约订单中操作');
  // Another merchant does not see it.
  expect((await desk.row({ ...shop, tenantId: desk.ids.merchantB, epoch: 'other' }, id)) ?? null).toBeNull();
});

test('a finished order answers the advice it came from, in the same step', async () => {
  const id = await started();
  const [advice] = await desk.sql<{ id: number }>(
    `INSERT INTO advice (code, type, source, name, project_id, content, warn_at, reply_due_at, escalate_at, work_order_id)
     VALUES ('AD20260101000001', 'enquiry', 'phone', '陈思雨', $1, '马桶又漏了', now(), now(), now(), $2) RETURNING id`,
    [desk.ids.north, id],
  );
  expect((await desk.act(desk.plumbers[0]!, id, 'finish', { result: '已更换法兰圈' })).http).toBe(200);
  expect(await desk.sql('SELECT state FROM advice WHERE id = $1', [advice!.id])).toEqual([
    { state: 'replied' },
  ]);
  expect(await desk.sql('SELECT content FROM advice_reply WHERE advice_id = $1', [advice!.id])).toEqual([
    { content: '已更换法兰圈' },
  ]);
});

test('the CRM is told of a new order and of what it came to; what it refuses waits for a person', async () => {
  const told: [string, unknown][] = [];
  let answer: () => Promise<string> = () => Promise.resolve('CR-1');
  const crm = {
    put: ({ number, facts }: CrmRecord) => {
      told.push([number, facts.status]);
      return answer();
    },
  };
  const platform = { ...desk.platform, config: { ...desk.platform.config, crm } };
  const tell = () => registration.jobs!.find((one) => one.name === 'crm.work_orders')!.run({}, platform);
  await desk.sql(`UPDATE work_order SET crm_sync = 1 WHERE crm_sync = 0`);
  const id = await started();
  const code = ((await desk.row(desk.dispatcher, id)) as { code: string }).code;
  await tell();
  await tell();
  expect(told).toEqual([[code, 'processing']]);
  const stands = () => desk.sql('SELECT crm_sync, crm_code, crm_error FROM work_order WHERE id = $1', [id]);
  expect(await stands()).toEqual([{ crm_sync: 1, crm_code: 'CR-1', crm_error: '' }]);
  expect((await desk.act(desk.dispatcher, id, 'syncCrm')).message).toBe('仅同步失败的工单可重发');
  answer = () => Promise.reject(new CrmRefused('无此客户'));
  await desk.act(desk.plumbers[0]!, id, 'finish', { result: '已更换法兰圈' });
  await tell();
  await tell();
  expect(told.slice(1)).toEqual([[code, 'finished']]);
  expect(await stands()).toEqual([{ crm_sync: 2, crm_code: 'CR-1', crm_error: '无此客户' }]);
  answer = () => Promise.resolve('CR-1');
  expect((await desk.act(desk.dispatcher, id, 'syncCrm')).message).toBe('');
  await tell();
  expect(await stands()).toEqual([{ crm_sync: 1, crm_code: 'CR-1', crm_error: '' }]);
  // Silence is told as such; an order of goods is the merchant's own affair.
  answer = () => Promise.reject(new Error('ETIMEDOUT'));
  const other = await desk.order();
  await tell();
  expect(await desk.sql('SELECT crm_sync, crm_error FROM work_order WHERE id = $1', [other])).toEqual([
    { crm_sync: 2, crm_error: '客户系统无应答 / The CRM did not answer' },
  ]);
  expect(told.some(([number]) => number === 'WO20260101999999')).toBe(false);
});
