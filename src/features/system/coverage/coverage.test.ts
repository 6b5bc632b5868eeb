import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { takeSnapshot } from './coverage-figures.server.ts';

const REPORT = '/jinmao/web/report/coverage';
let product: TestProduct;
let admin: string;
let big: number;
let small: number;
let bare: number;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  big = await plant('覆盖大项目', 200, 50);
  small = await plant('覆盖小项目', 10, 10);
  bare = await plant('覆盖空项目', 0, 0);
});
afterAll(() => product?.close());

/** A project of two units; the first houses are bound by an owner, three more are under review, one in five stands empty. */
async function plant(name: string, houses: number, bound: number): Promise<number> {
  const { db } = product.platform.database;
  const { id } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO project (code, name, unit_id, centre_id) SELECT $1, $1, unit_id, centre_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
    [name],
  ))!;
  await run(
    db,
    `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, '1栋') RETURNING id),
          u AS (INSERT INTO building_unit (building_id, name) SELECT b.id, n || '单元' FROM b, generate_series(1, 2) n RETURNING id, name)
     INSERT INTO house (project_id, unit_id, number, built_area, state)
     SELECT $1, u.id, n::text, 80, CASE WHEN n % 5 = 0 THEN 'vacant' ELSE 'self_use' END
       FROM generate_series(1, $2::int) n JOIN u ON u.name = (n % 2 + 1) || '单元'`,
    [id, houses],
  );
  await run(
    db,
    `WITH h AS (SELECT id, row_number() OVER (ORDER BY number::int) AS n FROM house WHERE project_id = $1),
          m AS (INSERT INTO member (name, phone, project_id) SELECT '覆盖', '1966' || $3::text || lpad(n::text, 4, '0'), $1 FROM h WHERE n <= $2 + 3 RETURNING id, phone)
     INSERT INTO household (member_id, house_id, identity, status, bound_at)
     SELECT m.id, h.id, CASE WHEN h.n % 2 = 0 THEN 'owner' ELSE 'tenant' END, CASE WHEN h.n <= $2 THEN 'normal' ELSE 'reviewing' END,
            CASE WHEN h.n <= $2 THEN now() END
       FROM h JOIN m ON m.phone = '1966' || $3::text || lpad(h.n::text, 4, '0')`,
    [id, bound, String(id).slice(-3).padStart(3, '0')],
  );
  return id;
}

const report = async (query: Record<string, string>, token = admin) =>
  (await product.call(token, 'GET', `${REPORT}?${new URLSearchParams({ limit: '200', ...query })}`)).data;
const behind = async (drill: Record<string, string>) =>
  (await product.call(admin, 'GET', `/jinmao/web/houseRegistration/page?${new URLSearchParams(drill)}`)).data
    .total as number;
const activate = (project: number, houses: number, daysAgo: number) =>
  run(
    product.platform.database.db,
    `INSERT INTO member_active_day (member_id, day, project_id, app_source)
     SELECT r.member_id, (now() AT TIME ZONE 'Asia/Shanghai')::date - $3::int, $1, 'ios' FROM household r JOIN house h ON h.id = r.house_id
      WHERE h.project_id = $1 ORDER BY r.status, h.id LIMIT $2 ON CONFLICT DO NOTHING`,
    [project, houses, daysAgo],
  );

test('group 09 Must show 2 (coverage): 50 of 200 and 10 of 10 make 28.57%, every figure opens its houses', async () => {
  await activate(big, 12, 29);
  await activate(big, 40, 30);
  const answer = await report({ project: `${big},${small},${bare}` });
  const [row] = answer.rows.filter((one: { project: { id: string } }) => one.project.id === String(big));
  expect(row).toMatchObject({
    delivered: 200,
    occupied: 160,
    bound: 50,
    rate: '25.00',
    ownerBound: 25,
    ownerRate: '12.50',
    active: 12,
    change: null,
  });
  for (const column of ['delivered', 'occupied', 'bound', 'ownerBound', 'active'])
    expect([column, await behind(row.drill[column])]).toEqual([column, row[column]]);
  expect([await behind(row.drill.rate), await behind(row.drill.ownerRate)]).toEqual([50, 25]);
  expect(answer.figures.allCoverage.value).toBe('28.57');
  expect(answer.sums).toMatchObject({ delivered: 210, bound: 60, rate: '28.57' });
  // Nothing delivered divides by nothing.
  const empty = answer.rows.find((one: { project: { id: string } }) => one.project.id === String(bare));
  expect([empty.delivered, empty.rate, empty.ownerRate, empty.change]).toEqual([0, null, null, null]);
});

test('expanded to buildings and units the figures add up to the project, and open their own houses', async () => {
  const [building] = (await report({ project: String(big), level: 'building' })).rows;
  expect([building.building.title, building.delivered, building.bound]).toEqual(['1栋', 200, 50]);
  const units = (await report({ project: String(big), level: 'unit', sort: 'unit' })).rows as Record<
    string,
    any
  >[];
  expect(units.map((one) => [one.unit.title, one.delivered, one.bound])).toEqual([
    ['1单元', 100, 25],
    ['2单元', 100, 25],
  ]);
  expect(await behind(units[0]!.drill.bound)).toBe(25);
  expect((await report({ project: String(big), level: 'unit' })).figures.allCoverage.value).toBe('25.00');
});

test('month ends are written on their last day once, never changed, and the change is told against the last one', async () => {
  const { db } = product.platform.database;
  const today = businessDayOf(new Date());
  const monthEnd = addDays(`${today.slice(0, 8)}01`, -1);
  expect(await takeSnapshot(db, addDays(monthEnd, -1))).toBe(0);
  expect(await takeSnapshot(db, addDays(monthEnd, 1))).toBe(0);
  // The demonstration set has the month ends of its own projects.
  const taken = (await Promise.all([takeSnapshot(db, monthEnd), takeSnapshot(db, monthEnd)])).sort();
  expect(taken[1]).toBeGreaterThanOrEqual(3);
  expect(await takeSnapshot(db, monthEnd)).toBe(0);
  // Ten more are bound: 60 of 200.
  await run(
    db,
    `WITH h AS (SELECT id, row_number() OVER (ORDER BY number::int DESC) AS n FROM house WHERE project_id = $1 LIMIT 10),
          m AS (INSERT INTO member (name, phone, project_id) SELECT '新绑定', '19770000' || lpad(n::text, 3, '0'), $1 FROM h RETURNING id, phone)
     INSERT INTO household (member_id, house_id, identity, status) SELECT m.id, h.id, 'owner', 'normal' FROM h JOIN m ON m.phone = '19770000' || lpad(h.n::text, 3, '0')`,
    [big],
  );
  const answer = await report({ project: String(big) });
  expect(answer.rows[0]).toMatchObject({ bound: 60, rate: '30.00', change: '5.00' });
  expect(answer.figures.allCoverage).toMatchObject({ value: '30.00', previous: '25.00' });
  expect(answer.charts.month.at(-1)).toMatchObject({ key: monthEnd, values: { rate: 25, ownerRate: 12.5 } });
  await expect(
    run(db, 'UPDATE coverage_snapshot SET bound = 99 WHERE project_id = $1', [big]),
  ).rejects.toThrow('never recalculated');
});

test('group 09 Must show 15 (coverage): company staff see the coverage of their project only', async () => {
  const { db } = product.platform.database;
  const staff = await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'coverwatch', '项目经理', false, false FROM tenant WHERE kind = 1 ORDER BY id LIMIT 1 RETURNING id`,
  );
  await run(
    db,
    `INSERT INTO tenant_project (tenant_id, project_id) SELECT tenant_id, $2 FROM staff WHERE id = $1 ON CONFLICT DO NOTHING`,
    [staff!.id, small],
  );
  await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff!.id, small]);
  await grantMenu(db, staff!.id, 'ssm_coverageStat');
  const token = await product.signIn('coverwatch');
  const mine = await report({}, token);
  expect(mine.rows.map((row: { project: { id: string } }) => row.project.id)).toEqual([String(small)]);
  expect(mine.figures.allCoverage.value).toBe('100.00');
  expect((await report({ project: String(big) }, token)).rows).toEqual([]);
  expect((await product.call(token, 'GET', '/admin/dictType/page')).http).toBe(403);
});

test('paying online: houses with a bill of the period paid through the app, of those that were billed; both open their houses', async () => {
  const { db } = product.platform.database;
  await run(
    db,
    `INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, period_from, period_to, due_date, principal, terms)
     SELECT 'COV' || h.id, f.tenant_id, h.project_id, h.id, f.id, '2026-03-01', '2026-03-31', '2026-03-31', 10000, '{}'
       FROM (SELECT * FROM house WHERE project_id = $1 ORDER BY id LIMIT 8) h, (SELECT id, tenant_id FROM fee_item ORDER BY id LIMIT 1) f`,
    [big],
  );
  // Three pay through the app, one of them is paid back; one pays at the counter.
  for (const [at, channel] of (['alipay', 'wechat', 'alipay', 'cash'] as const).entries())
    await run(
      db,
      `WITH b AS (SELECT * FROM bill WHERE project_id = $1 ORDER BY id OFFSET $2 LIMIT 1),
            m AS (INSERT INTO bill_payment (receipt_no, tenant_id, project_id, house_id, channel, amount, received, allocated, value_date)
                  SELECT 'COV-' || b.id, b.tenant_id, b.project_id, b.house_id, $3, 10000, 10000, 10000, '2026-03-10' FROM b RETURNING id)
       INSERT INTO bill_allocation (payment_id, bill_id, kind, amount, value_date) SELECT m.id, b.id, 'principal', 10000, '2026-03-10' FROM m, b`,
      [big, at, channel],
    );
  await run(
    db,
    `INSERT INTO bill_allocation (payment_id, bill_id, kind, amount, value_date)
     SELECT payment_id, bill_id, kind, -amount, '2026-03-11' FROM bill_allocation
      WHERE bill_id = (SELECT id FROM bill WHERE project_id = $1 ORDER BY id OFFSET 2 LIMIT 1)`,
    [big],
  );
  const march = { range: '2026-03-10~2026-03-20', project: `${big},${small}` };
  const answer = await report(march);
  const row = answer.rows.find((one: { project: { id: string } }) => one.project.id === String(big));
  expect([row.paying, row.payingRate]).toEqual([2, '25.00']);
  expect([await behind(row.drill.paying), await behind(row.drill.payingRate)]).toEqual([2, 8]);
  expect(answer.sums).toMatchObject({ paying: 2, payingRate: '25.00' });
  const other = answer.rows.find((one: { project: { id: string } }) => one.project.id === String(small));
  expect([other.paying, other.payingRate]).toEqual([0, null]);
  expect((await report({ ...march, range: '2026-04-01~2026-04-30' })).sums.payingRate).toBeUndefined();
});

test('housekeepers of chosen houses get one task each for those that are not registered', async () => {
  const { db } = product.platform.database;
  const houses = await run<{ id: number; keeper: number; staff: number }>(
    db,
    `SELECT h.id, k.id AS keeper, k.staff_id AS staff FROM house h JOIN housekeeper_house x ON x.house_id = h.id AND x.kind = 'main' AND x.days @> current_date
       JOIN housekeeper k ON k.id = x.housekeeper_id AND k.left_at IS NULL JOIN staff s ON s.id = k.staff_id AND s.state = 'normal'
      WHERE NOT EXISTS (SELECT FROM household r WHERE r.house_id = h.id AND r.status = 'normal') AND h.merged_into_id IS NULL
      ORDER BY k.id, h.id LIMIT 6`,
  );
  const ROOT = '/jinmao/web/houseRegistration';
  const [first] = houses;
  const list = (await product.call(admin, 'GET', `${ROOT}/page?housekeeper=${first!.keeper}&limit=200`)).data;
  expect(list.rows.map((row: { id: string }) => row.id)).toContain(String(first!.id));
  const own = houses.filter((one) => one.keeper === first!.keeper);
  const bound = (await runOne<{ id: number }>(
    db,
    `SELECT house_id AS id FROM household WHERE status = 'normal' ORDER BY id LIMIT 1`,
  ))!.id;
  const asked = await product.call(admin, 'POST', `${ROOT}/remind`, {
    houses: [...own.map((one) => String(one.id)), String(bound)],
    note: '请上门协助注册',
  });
  expect(asked.data).toEqual({ tasks: 1, houses: own.length, left: 1 });
  const task = await runOne<{ title: string; target: number; copy: string; state: string; staff: number }>(
    db,
    `SELECT t.title, t.target::int AS target, t.copy_text AS copy, t.state, k.staff_id AS staff FROM butler_task t
       JOIN butler_task_progress p ON p.task_id = t.id JOIN housekeeper k ON k.id = p.housekeeper_id ORDER BY t.id DESC LIMIT 1`,
  );
  expect(task).toMatchObject({
    title: `住户注册提醒：${own.length} 户`,
    target: own.length,
    state: 'running',
  });
  expect([task!.copy.startsWith('请上门协助注册'), task!.staff]).toEqual([true, first!.staff]);
  const refused = await product.call(admin, 'POST', `${ROOT}/remind`, { houses: [String(bound)] });
  expect([refused.http, refused.message]).toEqual([409, '所选房屋均已注册或没有管家']);
  expect((await product.call(admin, 'POST', `${ROOT}/remind`, { houses: ['999999999'] })).http).toBe(404);
});
