import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { candidatesOf } from '../../../domain/work-order/candidates.server.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/propertyStaff';
let product: TestProduct;
let admin: string;
let department: string;
let phones = 0;

const sql = <T>(text: string, values: readonly unknown[] = []) =>
  run<T>(product.platform.database.db, text, values);
const body = (more: object = {}) => {
  phones += 1;
  return {
    name: '郑师傅',
    sex: 'male',
    mobilePhone: `1390777${String(phones).padStart(4, '0')}`,
    department,
    serviceStaff: true,
    ...more,
  };
};
const add = async (more: object = {}) =>
  (await product.call(admin, 'POST', ROOT, body(more))).data.id as string;
const get = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const act = async (id: string, action: string, input: object) =>
  product.call(admin, 'POST', `${ROOT}/${id}/${action}`, { version: (await get(id)).version, ...input });

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  department = String(
    (
      await sql<{ id: number }>(
        `SELECT d.id FROM department d JOIN staff s ON s.tenant_id = d.tenant_id WHERE s.account = 'admin' AND d.enabled ORDER BY d.id LIMIT 1`,
      )
    )[0]!.id,
  );
});
afterAll(() => product?.close());

test('a new account is made of the phone, its one-time password goes by SMS and is not told', async () => {
  const made = await product.call(admin, 'POST', ROOT, body());
  expect(made.http).toBe(200);
  expect(made.text).not.toMatch(/[Pp]assword/);
  const row = await get(made.data.id);
  expect(row).toMatchObject({ state: 'normal', activated: false, serviceStaff: true });
  const [staff] = await sql<{ account: string; must: boolean; phone: string }>(
    'SELECT account, must_change_password AS must, phone FROM staff WHERE id = $1',
    [made.data.id],
  );
  expect([staff!.account, staff!.must]).toEqual([`p${staff!.phone}`, true]);
  const taken = await product.call(admin, 'POST', ROOT, body({ mobilePhone: staff!.phone }));
  expect([taken.http, taken.status]).toEqual([409, 30101]);
});

test('the phone of somebody who left gets an account of its own', async () => {
  const first = body();
  const id = (await product.call(admin, 'POST', ROOT, first)).data.id as string;
  expect((await act(id, 'archive', { reason: '离职' })).http).toBe(200);
  const again = await product.call(admin, 'POST', ROOT, first);
  expect([again.http, (await get(again.data.id)).account]).toEqual([200, `p${first.mobilePhone}_2`]);
});

test('shifts that overlap and buildings outside the projects are refused at their fields', async () => {
  const shift = (...rows: [string, string, string][]) =>
    rows.map(([weekday, fromTime, toTime]) => ({ weekday, fromTime, toTime }));
  const back = await product.call(admin, 'POST', ROOT, body({ shift: shift(['1', '18:00', '09:00']) }));
  expect([back.http, back.data.fields.shift]).toEqual([422, '第 1 行结束须晚于开始']);
  const clash = await product.call(
    admin,
    'POST',
    ROOT,
    body({ shift: shift(['1', '08:00', '12:00'], ['1', '11:00', '13:00']) }),
  );
  expect(clash.data.fields.shift).toBe('第 2 行与第 1 行重叠');
  const [building] = await sql<{ id: number }>('SELECT id FROM building ORDER BY id LIMIT 1');
  const foreign = await product.call(admin, 'POST', ROOT, body({ buildings: [String(building!.id)] }));
  expect([foreign.http, foreign.data.fields.buildings]).toEqual([422, '只能选择负责项目的楼栋']);
});

test('open orders and houses have to be handed over before somebody is disabled or deleted', async () => {
  const id = await add();
  const to = await add();
  const orders = await sql<{ id: number }>(
    `UPDATE work_order SET handler_id = $1, tenant_id = (SELECT tenant_id FROM staff WHERE id = $1), category_id = NULL, status = 'to_accept', complained_staff_id = NULL
      WHERE id IN (SELECT id FROM work_order WHERE type = 'complaint_repair' AND status IN ('to_accept', 'accepted') AND class = 'complaint' ORDER BY id LIMIT 2) RETURNING id`,
    [id],
  );
  const n = orders.length;
  expect(n).toBeGreaterThan(0);
  for (const action of ['disable', 'archive']) {
    const refused = await act(id, action, { reason: '离职' });
    expect([refused.http, refused.status, refused.message]).toEqual([
      409,
      30101,
      `该人员仍有${n}张未完成工单，请先交接`,
    ]);
  }
  // The receiver does not work in the project yet: the order says so, and nothing has moved.
  const unfit = await act(id, 'handover', { to, reason: '离职' });
  expect(unfit.message).toContain('不负责该项目');
  expect((await get(id)).openOrders).toBe(n);
  await sql('UPDATE staff SET all_projects = true WHERE id = $1', [to]);
  const done = await act(id, 'handover', { to, reason: '离职' });
  expect([done.http, done.data.result]).toEqual([200, { orders: n, houses: 0 }]);
  expect([(await get(id)).openOrders, (await get(to)).openOrders]).toEqual([0, n]);
  expect((await act(id, 'disable', { reason: '离职' })).http).toBe(200);
  const nothing = await act(to, 'handover', { to: id, reason: '换班' });
  expect(nothing.http).toBe(404);
});

test('an expired certificate, another building and an hour off shift keep people out', async () => {
  const id = await add();
  const order = (await runOne<{ id: number; building_id: number; project_id: number }>(
    product.platform.database.db,
    `SELECT o.id, o.building_id, o.project_id FROM work_order o WHERE o.building_id IS NOT NULL AND o.type = 'complaint_repair' AND o.class = 'repair'
        AND EXISTS (SELECT FROM building b WHERE b.project_id = o.project_id AND b.id <> o.building_id) ORDER BY o.id LIMIT 1`,
  ))!;
  await sql('UPDATE staff SET all_projects = true WHERE id = $1', [id]);
  await sql('UPDATE work_order SET tenant_id = (SELECT tenant_id FROM staff WHERE id = $2) WHERE id = $1', [
    order.id,
    id,
  ]);
  await sql(`UPDATE work_category SET skill = NULL, certificate = '电工证'`);
  const look = async () =>
    (await transaction(product.platform.database.db, (tx) => candidatesOf(tx, order.id, [Number(id)])))[0]!;
  expect((await look()).refusal?.[0]).toBe('证件缺失或已过期');
  const certificate = (expiresOn: string) => ({
    certificates: [{ kind: '电工证', number: 'T1', expiresOn }],
  });
  const update = async (input: object) =>
    product.call(admin, 'PUT', `${ROOT}/${id}`, { version: (await get(id)).version, ...input });
  expect((await update(certificate('2020-01-01'))).http).toBe(200);
  expect((await look()).refusal?.[0]).toBe('证件缺失或已过期');
  expect((await update(certificate('2099-01-01'))).http).toBe(200);
  expect(await look()).toMatchObject({ refusal: undefined, onShift: true });
  await sql('INSERT INTO staff_building SELECT $1, id FROM building WHERE project_id = $2 AND id <> $3', [
    id,
    order.project_id,
    order.building_id,
  ]);
  expect((await look()).refusal?.[0]).toBe('不负责该楼栋');
  await sql('INSERT INTO staff_building VALUES ($1, $2)', [id, order.building_id]);
  await sql(
    `INSERT INTO staff_shift (staff_id, weekday, from_time, to_time) SELECT $1, (extract(isodow FROM now() AT TIME ZONE 'Asia/Shanghai') % 7 + 1)::integer::text, '00:00', '24:00'`,
    [id],
  );
  expect(await look()).toMatchObject({ refusal: undefined, onShift: false });
});
