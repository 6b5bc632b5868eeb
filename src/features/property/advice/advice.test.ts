import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  chooseHandler,
  climbLadder,
  createAdvice,
  replyFinishedWorkOrder,
  replyTimes,
} from '../../../domain/advice/advice.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { registration } from './advice.server.ts';

const ROOT = '/jinmao/web/advice';
let product: TestProduct;
let admin: string;
let project: number;
let people: number[];

const db = () => product.platform.database.db;
const one = <T extends object>(text: string, values: unknown[] = []) => runOne<T>(db(), text, values);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const staff = await run<{ id: number; tenant_id: number }>(
    db(),
    `SELECT s.id, s.tenant_id FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE n.kind = 1 AND s.state = 'normal'
        AND (SELECT count(*) FROM staff o WHERE o.tenant_id = s.tenant_id AND o.state = 'normal') >= 2 ORDER BY s.tenant_id, s.id LIMIT 2`,
  );
  people = staff.map((person) => person.id);
  ({ id: project } = (await one<{ id: number }>(
    'SELECT project_id AS id FROM tenant_project WHERE tenant_id = $1 ORDER BY 1 LIMIT 1',
    [staff[0]!.tenant_id],
  ))!);
  // Only these two are on duty, day and night.
  await run(db(), 'UPDATE customer_staff SET enabled = false');
  for (const person of staff) {
    await run(db(), 'UPDATE staff SET is_customer_service = true WHERE id = $1', [person.id]);
    await run(
      db(),
      'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
      [person.id, project],
    );
    const row = (await one<{ id: number }>(
      `INSERT INTO customer_staff (staff_id, tenant_id, complaint, suggestion, enquiry) VALUES ($1, $2, true, true, true)
       ON CONFLICT (staff_id) DO UPDATE SET enabled = true, complaint = true, suggestion = true, enquiry = true RETURNING id`,
      [person.id, person.tenant_id],
    ))!;
    await run(db(), 'DELETE FROM customer_duty WHERE customer_staff_id = $1', [row.id]);
    await run(
      db(),
      `INSERT INTO customer_duty (customer_staff_id, position, weekday, from_time, to_time) SELECT $1, d, d::text, '00:00', '24:00' FROM generate_series(1, 7) AS d`,
      [row.id],
    );
  }
  await run(db(), `UPDATE advice SET handler_id = NULL WHERE handler_id = ANY($1::bigint[])`, [people]);
});
afterAll(() => product.close());

const closeDue = async () => {
  await registration.jobs!.find((job) => job.name === 'advice.close')!.run({}, product.platform);
};
const told = (more: object = {}) => ({
  type: 'complaint',
  project: String(project),
  name: '林女士',
  phone: '13900001111',
  content: '楼道灯不亮',
  ...more,
});
const add = async (more: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, told(more));
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string; code: string; version: number };
};
const read = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const act = async (id: string, action: string, input: object) =>
  product.call(admin, 'POST', `${ROOT}/${id}/${action}`, { version: (await read(id)).version, ...input });
const replies = (id: string) =>
  run<{ who: string; content: string }>(
    db(),
    'SELECT who, content FROM advice_reply WHERE advice_id = $1 ORDER BY id',
    [id],
  );

describe('who gets it', () => {
  test('20 at once are spread evenly over the two on duty', async () => {
    await Promise.all(Array.from({ length: 20 }, () => add()));
    const counts = await run<{ n: number }>(
      db(),
      `SELECT count(*)::integer AS n FROM advice WHERE handler_id = ANY($1::bigint[]) AND state = 'unreplied' GROUP BY handler_id`,
      [people],
    );
    expect(counts.map((row) => row.n)).toEqual([10, 10]);
  });

  test('off duty or of another pool nobody gets it; praise goes with suggestions', async () => {
    const choose = (type: 'praise' | 'complaint', at?: Date) =>
      transaction(db(), (tx) => chooseHandler(tx, project, type, at));
    await run(db(), 'UPDATE customer_staff SET suggestion = false WHERE staff_id = $1', [people[0]]);
    expect(await choose('praise')).toBe(people[1]);
    await run(db(), 'UPDATE customer_staff SET suggestion = false WHERE staff_id = $1', [people[1]]);
    expect(await choose('praise')).toBeUndefined();
    await run(db(), 'UPDATE customer_staff SET suggestion = true WHERE staff_id = ANY($1::bigint[])', [
      people,
    ]);
    await run(
      db(),
      `UPDATE customer_duty SET from_time = '09:00', to_time = '12:00' WHERE customer_staff_id IN (SELECT id FROM customer_staff WHERE staff_id = ANY($1::bigint[]))`,
      [people],
    );
    expect(people).toContain(await choose('complaint', new Date('2026-11-20T09:00:00+08:00')));
    expect(await choose('complaint', new Date('2026-11-20T12:00:00+08:00'))).toBeUndefined();
    await run(
      db(),
      `UPDATE customer_duty SET from_time = '00:00', to_time = '24:00' WHERE customer_staff_id IN (SELECT id FROM customer_staff WHERE staff_id = ANY($1::bigint[]))`,
      [people],
    );
  });
});

describe('the first reply', () => {
  test('is due after 8 business hours: told on Friday 17:30, on Monday 18:00', async () => {
    const times = await replyTimes(db(), new Date('2026-11-20T17:30:00+08:00'));
    expect(times.reply_due_at.toISOString()).toBe('2026-11-23T10:00:00.000Z');
    expect(times.warn_at < times.reply_due_at && times.reply_due_at < times.escalate_at).toBe(true);
  });

  test('the ladder tells each step once, also when it is climbed many times at once', async () => {
    const { id } = await add();
    await run(
      db(),
      `UPDATE advice SET warn_at = now() - interval '3 h', reply_due_at = now() - interval '2 h', escalate_at = now() - interval '1 h' WHERE id = $1`,
      [id],
    );
    await Promise.all(Array.from({ length: 5 }, () => transaction(db(), (tx) => climbLadder(tx))));
    const steps = await run<{ step: number }>(
      db(),
      'SELECT step FROM advice_escalation WHERE advice_id = $1 ORDER BY step',
      [id],
    );
    expect(steps.map((row) => row.step)).toEqual([70, 100, 150]);
    const overdue = await product.call(admin, 'GET', `${ROOT}/page?overdue=true&limit=200`);
    expect(overdue.data.rows.map((row: { id: string }) => row.id)).toContain(id);
  });

  test('replies are appended; a template is sent as it is; nothing at all is refused', async () => {
    const { id } = await add();
    const empty = await act(id, 'reply', {});
    expect([empty.http, empty.data.fields.content]).toEqual([422, '请填写回复或选择模板']);
    const template = (await one<{ id: number; name: string }>(
      `SELECT v.id, v.name FROM dictionary_value v JOIN dictionary_type d ON d.id = v.type_id WHERE d.code = 'advice_template' ORDER BY v.position LIMIT 1`,
    ))!;
    expect((await act(id, 'reply', { template: String(template.id) })).http).toBe(200);
    const first = (await read(id)).firstRepliedAt;
    expect((await act(id, 'reply', { content: '灯已换好' })).http).toBe(200);
    expect(await replies(id)).toEqual([
      { who: 'staff', content: template.name },
      { who: 'staff', content: '灯已换好' },
    ]);
    expect(await read(id)).toMatchObject({ state: 'replied', firstRepliedAt: first });
    await expect(
      run(db(), `UPDATE advice_reply SET content = '改了' WHERE advice_id = $1`, [id]),
    ).rejects.toThrow();
    await expect(run(db(), 'DELETE FROM advice_reply WHERE advice_id = $1', [id])).rejects.toThrow();
  });
});

test('asked again it waits for a reply with new times; it is closed after 7 days, not before', async () => {
  const { id } = await add();
  await act(id, 'reply', { content: '已处理' });
  expect((await act(id, 'askAgain', { content: '又坏了' })).http).toBe(200);
  expect(await read(id)).toMatchObject({ state: 'unreplied', round: 2 });
  expect((await act(id, 'close', {})).http).toBe(409);
  await act(id, 'reply', { content: '已更换' });
  await closeDue();
  expect((await read(id)).state).toBe('replied');
  await run(db(), `UPDATE advice SET replied_at = now() - interval '7 days' WHERE id = $1`, [id]);
  await closeDue();
  expect((await read(id)).state).toBe('closed');
});

test('assigned to customer service of the project only', async () => {
  const { id } = await add();
  const now = Number((await read(id)).handler.id);
  const other = people.find((person) => person !== now)!;
  expect((await act(id, 'assign', { handler: String(now) })).message).toBe('已由该客服处理');
  expect((await act(id, 'assign', { handler: String(other) })).http).toBe(200);
  expect((await read(id)).handler.id).toBe(String(other));
  await run(db(), 'UPDATE customer_staff SET enabled = false WHERE staff_id = $1', [now]);
  expect((await act(id, 'assign', { handler: String(now) })).http).toBeGreaterThanOrEqual(404);
  await run(db(), 'UPDATE customer_staff SET enabled = true WHERE staff_id = $1', [now]);
});

test('ten desks make a work order of one advice: one is made; finishing it replies', async () => {
  const { id, code } = await add();
  const { version } = await read(id);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () =>
      product.call(admin, 'POST', `${ROOT}/${id}/toWorkOrder`, { version, title: '楼道灯维修' }),
    ),
  );
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  const orders = await run<{ id: number; code: string; title: string; class: string }>(
    db(),
    `SELECT id, code, title, class FROM work_order WHERE description LIKE $1 || '%'`,
    [code],
  );
  expect(orders).toHaveLength(1);
  // What is complained of stays a complaint in the figures.
  expect(orders[0]!.class).toBe((await read(id)).type === 'complaint' ? 'complaint' : 'repair');
  expect((await read(id)).workOrder).toBe(orders[0]!.code);
  const again = await act(id, 'toWorkOrder', { title: '再来一次' });
  expect([again.http, again.status, again.message]).toEqual([409, 30101, '该投诉建议已转工单']);
  await transaction(db(), (tx) => replyFinishedWorkOrder(tx, orders[0]!.id, '已更换灯管'));
  expect((await read(id)).state).toBe('replied');
  expect(await replies(id)).toEqual([{ who: 'work_order', content: '已更换灯管' }]);
  expect(await transaction(db(), (tx) => replyFinishedWorkOrder(tx, 999_999_999, '无'))).toBeUndefined();
});

test('from the app it gets the same number, handler and times', async () => {
  const made = await transaction(db(), (tx) =>
    createAdvice(tx, {
      type: 'enquiry',
      source: 'app',
      projectId: project,
      name: '周先生',
      phone: '13900002222',
      content: '几点清运垃圾？',
    }),
  );
  expect(made.code).toMatch(/^AD\d{14}$/);
  expect(people).toContain(made.handlerId);
});
