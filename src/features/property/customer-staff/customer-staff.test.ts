import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/customerStaff';
let product: TestProduct;
let admin: string;
let staff: number;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await run(product.platform.database.db, 'DELETE FROM customer_staff');
  await run(product.platform.database.db, 'UPDATE staff SET is_customer_service = false');
  ({ id: staff } = (await runOne<{ id: number }>(
    product.platform.database.db,
    `SELECT s.id FROM staff s JOIN tenant n ON n.id = s.tenant_id WHERE n.kind = 1 AND s.state = 'normal' ORDER BY s.id LIMIT 1`,
  ))!);
});
afterAll(() => product.close());

const body = (more: object = {}) => ({
  staff: String(staff),
  complaint: true,
  suggestion: false,
  enquiry: false,
  duty: [{ weekday: '1', fromTime: '09:00', toTime: '18:00' }],
  ...more,
});
const flag = async () =>
  (await runOne<{ is_customer_service: boolean }>(
    product.platform.database.db,
    'SELECT is_customer_service FROM staff WHERE id = $1',
    [staff],
  ))!.is_customer_service;

test('no type, hours backwards and hours that overlap are refused at their fields', async () => {
  const none = await product.call(admin, 'POST', ROOT, body({ complaint: false }));
  expect([none.http, none.data.fields.complaint]).toEqual([422, '至少受理一种类型']);
  const back = await product.call(
    admin,
    'POST',
    ROOT,
    body({ duty: [{ weekday: '1', fromTime: '18:00', toTime: '09:00' }] }),
  );
  expect(back.data.fields.duty).toBe('第 1 行结束须晚于开始');
  const twice = await product.call(
    admin,
    'POST',
    ROOT,
    body({
      duty: [
        { weekday: '1', fromTime: '09:00', toTime: '12:00' },
        { weekday: '1', fromTime: '11:00', toTime: '13:00' },
      ],
    }),
  );
  expect(twice.data.fields.duty).toBe('第 2 行与第 1 行重叠');
  expect(await flag()).toBe(false);
});

test('added once, also by ten at once; removing takes the flag only', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => product.call(admin, 'POST', ROOT, body())),
  );
  const made = answers.filter((one) => one.http === 200);
  expect(made).toHaveLength(1);
  expect(await flag()).toBe(true);
  const { id, version } = made[0]!.data as { id: string; version: number };
  expect((await product.call(admin, 'POST', `${ROOT}/${id}/disable`, { version })).http).toBe(200);
  const row = (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
  expect(row).toMatchObject({ enabled: false });
  expect((await product.call(admin, 'DELETE', `${ROOT}/${id}`, { version: row.version })).http).toBe(200);
  expect(await flag()).toBe(false);
  expect(
    await runOne(product.platform.database.db, `SELECT FROM staff WHERE id = $1 AND state = 'normal'`, [
      staff,
    ]),
  ).toBeDefined();
});

test('a new person gets an account as property staff would, and answers from then on', async () => {
  const { db } = product.platform.database;
  const { id: department } = (await runOne<{ id: number }>(
    db,
    'SELECT d.id FROM department d JOIN tenant n ON n.id = d.tenant_id WHERE n.kind = 3 AND d.enabled ORDER BY d.id LIMIT 1',
  ))!;
  const { staff: _none, ...nobody } = body();
  const missing = await product.call(admin, 'POST', ROOT, nobody);
  expect([missing.http, Object.keys(missing.data.fields)]).toEqual([
    422,
    ['newName', 'mobilePhone', 'department'],
  ]);
  const fresh = { ...nobody, newName: '新客服', mobilePhone: '13912340001', department: String(department) };
  expect((await product.call(admin, 'POST', ROOT, { ...fresh, staff: String(staff) })).data.fields).toEqual({
    staff: '员工与新人只填一项',
  });
  const made = await product.call(admin, 'POST', ROOT, fresh);
  expect(made.message).toBe('');
  expect(
    await runOne(
      db,
      `SELECT s.name, s.account, s.is_customer_service, s.must_change_password FROM customer_staff c JOIN staff s ON s.id = c.staff_id WHERE c.id = $1`,
      [Number(made.data.id)],
    ),
  ).toEqual({
    name: '新客服',
    account: 'p13912340001',
    is_customer_service: true,
    must_change_password: true,
  });
  const again = await product.call(admin, 'POST', ROOT, fresh);
  expect(again.http).not.toBe(200);
});
