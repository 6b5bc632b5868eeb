import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { generatePlanOrders } from '../../../domain/work-plan/plan-orders.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { closeAbsent } from './plan-order.server.ts';

const ROOT = '/jinmao/web';
const MENU = 'cs_PlaneWorkOrder';
const DAY = 86_400_000;
let product: TestProduct;
let admin: string;
let project: number;
let company: number;
let people: { id: number; token: string }[];
let points: string[];
let turn = 0;

const db = () => product.platform.database.db;
const one = async <T extends object>(text: string, values: readonly unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;
const call = (token: string, method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  product.call(token, method, `${ROOT}/${path}`, body);
const minutes = (count: number) => new Date(Date.now() + count * 60_000);
/** Hour and minute in Shanghai. */
const clock = (at: Date) => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(11, 16);
const today = (at = new Date()) => new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 10);

const form = (more: object = {}) => ({
  name: `夜巡 ${++turn}`,
  project: String(project),
  category: '121',
  route: points.slice(0, 2).map((point) => ({ point })),
  rotation: people.map(({ id }) => ({ staff: String(id) })),
  cycle: 'day',
  startTime: '22:00',
  duration: 60,
  leadMinutes: 60,
  signIn: 'qr',
  validFrom: '2026-01-01',
  ...more,
});
const plan = async (more: object = {}, state = 'running') => {
  const made = await call(admin, 'POST', 'workPlan', form(more));
  expect([made.message, made.data.fields]).toEqual(['', undefined]);
  if (state === 'running')
    expect((await call(admin, 'POST', `workPlan/${made.data.id}/start`, {})).http).toBe(200);
  return Number(made.data.id);
};
/** A running plan that starts in some minutes from now; the database keeps whole minutes. */
const planIn = async (offset: number, more: object = {}) => {
  const start = minutes(offset);
  const id = await plan({
    startTime: clock(start),
    validFrom: today(new Date(start.getTime() - DAY)),
    ...more,
  });
  await run(db(), `UPDATE work_plan SET acts_from = now() - interval '1 day' WHERE id = $1`, [id]);
  return id;
};
interface Order {
  readonly id: number;
  readonly status: string;
  readonly handler_id: number | null;
  readonly plan_start: Date;
  readonly plan_result: string | null;
  readonly to_dispatch: boolean;
}
const ordersOf = (id: number) =>
  run<Order>(db(), 'SELECT * FROM work_order WHERE plan_id = $1 ORDER BY plan_start', [id]);
const leave = (staff: number, from: Date, to: Date, state = 'approved') =>
  run(
    db(),
    `INSERT INTO leave_record (tenant_id, staff_id, kind, day, starts_at, ends_at, minutes, state) VALUES ($1, $2, 'leave', current_date, $3, $4, 60, $5)`,
    [company, staff, from, to, state],
  );
const token = async (point: string) =>
  (await one<{ token: string }>('SELECT token FROM work_point WHERE id = $1', [point])).token;
const act = (who: string, id: number, action: string, body: object = {}) =>
  call(who, 'POST', `planOrder/${id}/${action}`, body);

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  ({ id: project } = await one<{ id: number }>(
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT 'WP01', '计划小区', centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
  ));
  ({ id: company } = await one<{ id: number }>(`SELECT min(id) AS id FROM tenant WHERE kind = 1`));
  await run(db(), 'INSERT INTO tenant_project (tenant_id, project_id) VALUES ($1, $2)', [company, project]);
  people = [];
  for (const account of ['round1', 'round2', 'round3']) {
    const { id } = await one<{ id: number }>(
      `INSERT INTO staff (tenant_id, account, name, is_service_staff, skills, all_projects, must_change_password) VALUES ($1, $2, $2, true, '{power}', false, false) RETURNING id`,
      [company, account],
    );
    await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [id, project]);
    await grantMenu(db(), id, MENU);
    await run(
      db(),
      `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, e.code FROM group_member m, element e
        WHERE m.staff_id = $1 AND e.code = ANY($2::text[])`,
      [id, ['accept', 'start', 'checkIn', 'finish', 'return'].map((name) => `${MENU}:btn_${name}`)],
    );
    people.push({ id, token: await product.signIn(account) });
  }
  points = [];
  for (const name of ['东门', '泵房', '车库']) {
    const made = await call(admin, 'POST', 'workPoint', {
      project: String(project),
      name,
      longitude: '121.473700',
      latitude: '31.230400',
      photoRequired: false,
    });
    expect(made.message).toBe('');
    points.push(made.data.id);
  }
});
beforeEach(async () => {
  await run(db(), `UPDATE work_plan SET state = 'stopped' WHERE state = 'running'`);
  await run(db(), 'DELETE FROM leave_record WHERE staff_id = ANY($1::bigint[])', [
    people.map(({ id }) => id),
  ]);
});
afterAll(() => product.close());

test('ten jobs at once make one order of a start; the lead time has to have come', async () => {
  const soon = await planIn(30);
  const later = await planIn(200);
  await Promise.all(Array.from({ length: 10 }, () => generatePlanOrders(product.platform)));
  const made = await ordersOf(soon);
  expect(made.map((order) => [order.status, order.handler_id])).toEqual([['to_accept', people[0]!.id]]);
  expect(await ordersOf(later)).toEqual([]);
  await expect(
    run(
      db(),
      `INSERT INTO work_order (code, type, tenant_id, project_id, title, plan_id, plan_start, plan_end) SELECT 'WOX', 'plan', tenant_id, project_id, title, plan_id, plan_start, plan_end FROM work_order WHERE id = $1`,
      [made[0]!.id],
    ),
  ).rejects.toThrow(/work_order_plan_start/);
});

test('the rotation goes on; approved leave is passed over, waiting leave is not, and nobody at all asks the dispatcher', async () => {
  const id = await planIn(30, { leadMinutes: 60 });
  const now = new Date();
  const day = (count: number) => new Date(now.getTime() + count * DAY);
  for (const count of [0, 1]) await generatePlanOrders(product.platform, day(count));
  // Third start: the third is away, the first comes again.
  await leave(people[2]!.id, day(2), new Date(day(2).getTime() + 3 * 3_600_000));
  await leave(people[0]!.id, day(2), new Date(day(2).getTime() + 3_600_000), 'pending');
  await generatePlanOrders(product.platform, day(2));
  for (const { id: staff } of people) await leave(staff, day(3), new Date(day(3).getTime() + 3 * 3_600_000));
  await generatePlanOrders(product.platform, day(3));
  await generatePlanOrders(product.platform, day(4));
  const [first, second, third] = people.map((person) => person.id);
  const made = await ordersOf(id);
  expect(made.map((order) => order.handler_id)).toEqual([first, second, first, null, second]);
  expect(made.map((order) => [order.status, order.to_dispatch])[3]).toEqual(['pending_system', true]);
  expect(third).toBeDefined();
  const days = (await call(admin, 'GET', `workPlan/calendar?plan=${id}`)).data as {
    person: string | null;
    order: { id: string } | null;
  }[];
  expect(days.slice(0, 6).map((one) => [one.person, one.order !== null])).toEqual([
    ['round1', true],
    ['round2', true],
    ['round1', true],
    [null, true],
    ['round2', true],
    ['round3', false],
  ]);
  expect(days.length === 30 || days.length === 31).toBe(true);
});

test('points are signed in at by their QR, once; the round is finished when all were, and went as its worst', async () => {
  const id = await planIn(-30, { duration: 120 });
  await generatePlanOrders(product.platform);
  const [order] = await ordersOf(id);
  const { token: who } = people[0]!;
  await act(who, order!.id, 'accept');
  const sign = (point: string, code: string) => act(who, order!.id, 'checkIn', { point, code });
  expect((await sign(points[0]!, 'WRONG')).data.fields.code).toBeDefined();
  expect((await sign(points[2]!, await token(points[2]!))).data.fields.point).toBeDefined();
  const code = await token(points[0]!);
  const answers = await Promise.all(Array.from({ length: 8 }, () => sign(points[0]!, code.toLowerCase())));
  expect(answers.filter((answer) => answer.http === 200)).toHaveLength(1);
  expect((await act(who, order!.id, 'finish', { result: '正常' })).message).toBe('还有1个点位未签到');
  await run(
    db(),
    `UPDATE work_plan_task SET window_to = now() - interval '1 minute' WHERE order_id = $1 AND point_id = $2`,
    [order!.id, points[1]],
  );
  await sign(points[1]!, await token(points[1]!));
  const done = await act(who, order!.id, 'finish', { result: '正常' });
  expect([done.message, done.data.state, done.data.planResult, done.data.progress]).toEqual([
    '',
    'finished',
    'late',
    '2/2',
  ]);
  const row = (await call(admin, 'GET', `planOrder/${order!.id}`)).data;
  expect(row.points.map((point: { state: string }) => point.state)).toEqual(['on_time', 'late']);
  expect((await act(people[1]!.token, order!.id, 'checkIn', { point: points[0], code })).status).toBe(30101);
});

test('by position one signs in within 100 m; a point that asks for a photo has none without', async () => {
  await run(db(), 'UPDATE work_point SET photo_required = true WHERE id = $1', [points[2]]);
  const id = await planIn(-1, { signIn: 'position', route: [{ point: points[0] }, { point: points[2] }] });
  await generatePlanOrders(product.platform);
  const [order] = await ordersOf(id);
  const { token: who } = people[0]!;
  await act(who, order!.id, 'accept');
  const sign = (point: string, position: string) => act(who, order!.id, 'checkIn', { point, position });
  expect((await sign(points[0]!, '')).data.fields.position).toBeDefined();
  expect((await sign(points[0]!, '121.473700,31.232400')).message).toBe('距点位222米，须在100米内签到');
  expect((await sign(points[0]!, '121.473700,31.230900')).data.state).toBe('processing');
  expect((await sign(points[2]!, '121.473700,31.230400')).data.fields.photos).toBeDefined();
});

test('what nobody begins until the grace is over is absent; what was begun goes on', async () => {
  // The windows ended 25 and 35 minutes ago; the grace is 30.
  const early = await planIn(-85);
  const late = await planIn(-95);
  const begun = await planIn(-95);
  await generatePlanOrders(product.platform, minutes(-40));
  const orders = new Map<number, Order>();
  for (const id of [early, late, begun]) orders.set(id, (await ordersOf(id))[0]!);
  const { token: who } = people[0]!;
  await act(who, orders.get(begun)!.id, 'accept');
  expect((await act(who, orders.get(begun)!.id, 'start', {})).data.state).toBe('processing');
  await Promise.all(Array.from({ length: 4 }, () => closeAbsent(product.platform)));
  const after = async (id: number) => {
    const [order] = await ordersOf(id);
    return [order!.status, order!.plan_result];
  };
  expect(await after(early)).toEqual(['to_accept', null]);
  expect(await after(late)).toEqual(['cancelled_by_staff', 'absent']);
  expect(await after(begun)).toEqual(['processing', null]);
  const lines = await run<{ action: string }>(
    db(),
    `SELECT action FROM entity_event WHERE entity = 'workOrder' AND entity_id = $1 AND action = 'absent'`,
    [orders.get(late)!.id],
  );
  expect(lines).toHaveLength(1);
});

test('a changed or stopped plan leaves its orders as they are', async () => {
  const id = await planIn(30);
  await generatePlanOrders(product.platform);
  const before = await ordersOf(id);
  const row = (await call(admin, 'GET', `workPlan/${id}`)).data;
  const changed = await call(admin, 'PUT', `workPlan/${id}`, { version: row.version, duration: 90 });
  expect(changed.message).toBe('');
  await generatePlanOrders(product.platform);
  expect(await ordersOf(id)).toEqual(before);
  expect((await call(admin, 'POST', `workPlan/${id}/stop`, {})).data.state).toBe('stopped');
  await generatePlanOrders(product.platform, new Date(Date.now() + DAY));
  expect(await ordersOf(id)).toHaveLength(1);
});

test('a plan names days of its cycle, points and people of its project, and points with a position', async () => {
  const fields = async (more: object) =>
    Object.keys((await call(admin, 'POST', 'workPlan', form(more))).data?.fields ?? {});
  expect(await fields({ cycle: 'week', days: '' })).toEqual(['days']);
  expect(await fields({ cycle: 'week', days: '8' })).toEqual(['days']);
  expect(await fields({ validTo: '2025-01-01' })).toEqual(['validTo']);
  expect(await fields({ route: [] })).toEqual(['route']);
  expect(await fields({ rotation: [] })).toEqual(['rotation']);
  expect(await fields({ rotation: [1, 2, 3, 4].map(() => ({ staff: String(people[0]!.id) })) })).toEqual([
    'rotation',
  ]);
  await run(db(), 'UPDATE work_point SET longitude = NULL, latitude = NULL WHERE id = $1', [points[1]]);
  expect(await fields({ signIn: 'position' })).toEqual(['route']);
  await run(db(), 'UPDATE work_point SET longitude = 121.4737, latitude = 31.2304 WHERE id = $1', [
    points[1],
  ]);
  const twice = await call(
    admin,
    'POST',
    'workPlan',
    form({ route: [{ point: points[0] }, { point: points[0] }] }),
  );
  expect(twice.message).toBe('路线中有重复的点位');
  expect((await call(people[0]!.token, 'GET', `workPoint/qr?ids=${points[0]}`)).http).toBe(403);
  expect((await call(admin, 'GET', `workPoint/qr?ids=${points[0]}`)).data[0].code).toBe(
    await token(points[0]!),
  );
});
