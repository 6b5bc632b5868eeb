import { afterAll, beforeAll, expect, test } from 'vitest';
import { registration as domain } from '../../../domain/butler/butler.server.ts';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { businessDayOf, monthBefore } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { registration as businesses } from '../../system/business/business.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { registration as appraisals } from './butler-appraisal.server.ts';
import { butlerAppraisal, incentivePlan } from './configuration.contract.ts';
import { registration as plans } from './incentive-plan.server.ts';

const PLAN = '/jinmao/web/incentivePlan';
const SCORE = '/jinmao/web/butlerAppraisal';
const MENU = 'butler_configuration';
const today = businessDayOf(new Date());
const month = monthBefore(today);
let mall: Mall;
let staff: Caller;
let tenantId: number;
let product: number;
let goods: number;
let butlers: { id: number; staffId: number }[];
let houses: number[];
const db = () => mall.platform.database.db;
const one = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(db(), sql, values))!.id;
const plan = (more: object = {}) =>
  mall.call(staff, 'POST', PLAN, {
    name: '方案',
    defaultBp: 300,
    monthlyCapFen: '5000.00',
    freezeDays: 7,
    rules: [],
    tiers: [],
    items: [],
    steps: [],
    ...more,
  });

/** Two butlers of the north, the first with two houses, and goods with 5 % of their own. */
beforeAll(async () => {
  mall = await openMall([domain, places, businesses, plans, appraisals]);
  tenantId = await one('SELECT id FROM tenant WHERE kind = 3 LIMIT 1');
  const elements = [incentivePlan, butlerAppraisal].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  staff = callerOf({ staffId: await mall.staff('chief', tenantId), tenantId }, [MENU], elements);
  const { north, merchantA, business } = mall.ids;
  product = await one(
    `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ('PDC1', $1, $2, '米', 'published') RETURNING id`,
    [merchantA, business],
  );
  goods = await one(
    `INSERT INTO butler_goods (product_id, incentive, rate, valid_from) VALUES ($1, 'rate', 5, '2020-01-01') RETURNING id`,
    [product],
  );
  await run(db(), 'INSERT INTO butler_goods_project VALUES ($1, $2)', [goods, north]);
  butlers = await run(
    db(),
    `WITH s AS (INSERT INTO staff (tenant_id, account, name, is_housekeeper) SELECT $1, 'bc-' || n, '管家' || n, true FROM generate_series(1, 2) n RETURNING id)
     INSERT INTO housekeeper (staff_id) SELECT id FROM s ORDER BY id RETURNING id, staff_id AS "staffId"`,
    [tenantId],
  );
  const building = await one(`INSERT INTO building (project_id, name) VALUES ($1, '1栋') RETURNING id`, [
    north,
  ]);
  const unit = await one(`INSERT INTO building_unit (building_id, name) VALUES ($1, '1单元') RETURNING id`, [
    building,
  ]);
  houses = [];
  for (const number of ['101', '102', '201'])
    houses.push(
      await one(
        'INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, $3, 90) RETURNING id',
        [north, unit, number],
      ),
    );
  for (const [index, keeper] of [0, 0, 1].entries()) {
    const assignment = await one(
      `INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, valid_from) VALUES ($1, $2, $3, '2020-01-01') RETURNING id`,
      [butlers[keeper]!.id, north, building],
    );
    await run(
      db(),
      `INSERT INTO housekeeper_house (assignment_id, housekeeper_id, house_id, kind, days) VALUES ($1, $2, $3, 'main', daterange('2020-01-01', NULL))`,
      [assignment, butlers[keeper]!.id, houses[index]],
    );
  }
});
afterAll(() => mall.close());

test('weights that do not total 100 and steps that do not go up are refused', async () => {
  const items = [{ name: '服务', source: 'manual', weight: 90 }];
  const light = await plan({ items });
  expect([light.http, light.data.fields]).toEqual([422, { items: '权重合计须为 100' }]);
  const tiers = [
    { fromFen: '300.00', extraBp: 10 },
    { fromFen: '200.00', extraBp: 10 },
  ];
  expect((await plan({ tiers })).data.fields).toEqual({ tiers: '阶梯须由低到高' });
  expect((await plan({ defaultBp: 3001 })).http).toBe(422);
});

test('the calculator gives what goods would earn, with the rule that decides', async () => {
  const id = (await plan({ rules: [{ business: String(mall.ids.business), fixedFen: '1.00' }] })).data.id;
  const quote = async (query: string) =>
    (await mall.call(staff, 'GET', `${PLAN}/${id}/quote?product=${product}&${query}`)).data;
  expect(await quote('qty=1&cash=52.42&way=1')).toEqual({
    rule: 'goods_rate',
    value: '5.00%',
    formula: '52.42 × 5.00% = 2.62',
    incentive: '2.62',
  });
  expect(await quote('qty=1&cash=52.42&way=2')).toMatchObject({ incentive: '1.31' });
  await run(db(), `UPDATE butler_goods SET incentive = 'plan', rate = NULL WHERE id = $1`, [goods]);
  expect(await quote('qty=3&cash=52.42&way=1')).toMatchObject({ rule: 'business', incentive: '3.00' });
  await run(db(), 'UPDATE butler_goods SET enabled = false WHERE id = $1', [goods]);
  expect(await quote('qty=3&cash=52.42&way=1')).toMatchObject({ rule: 'none', incentive: '0.00' });
  await run(db(), `UPDATE butler_goods SET enabled = true WHERE id = $1`, [goods]);
  const none = await mall.call(staff, 'GET', `${PLAN}/${id}/quote?product=999999&qty=1&cash=1&way=1`);
  expect(none.http).toBe(404);
});

test('a trial shows what another table of bonuses and another cap would have given last month', async () => {
  const { north, member, merchantA, business } = mall.ids;
  const at = `${month}-10T12:00:00+08:00`;
  const payment = await one(
    `INSERT INTO payment (checkout_code, channel, state, amount, paid_at, deadline) VALUES ('CKQ1', 1, 2, 1000000, $1, now()) RETURNING id`,
    [at],
  );
  const order = await one(
    `INSERT INTO sales_order (code, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods, payable, paid_at)
     VALUES ('SOQ1', 1, $1, $2, $3, $4, 't', 'c', '1', 'a', 'to_ship', 1000000, 1000000, $5) RETURNING id`,
    [merchantA, north, member, payment, at],
  );
  await run(
    db(),
    `INSERT INTO product_spec (product_id, code, name, price) VALUES ($1, 'S01', '袋', 1000000)`,
    [product],
  );
  const line = await one(
    `INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash)
     SELECT $1, 1, $2, min(id), 'p', 's', 1000000, 1000000, 1, 1000000, 1000000 FROM product_spec WHERE product_id = $2 RETURNING id`,
    [order, product],
  );
  await run(
    db(),
    `INSERT INTO butler_performance (line_id, order_id, housekeeper_id, way, project_id, business_id, product_id, member_id, paid_at, counted_at, cash, qty, rule, rate_bp, served_bp)
     VALUES ($1, $2, $3, 2, $4, $5, $6, $7, $8, $8, 1000000, 1, 'default', 300, 10000)`,
    [line, order, butlers[0]!.id, north, business, product, member, at],
  );
  const id = (
    await plan({ defaultBp: 600, monthlyCapFen: '500.00', tiers: [{ fromFen: '5000.00', extraBp: 100 }] })
  ).data.id;
  const { data } = await mall.call(staff, 'GET', `${PLAN}/${id}/trial`);
  expect(data).toMatchObject({
    month,
    before: '300.00',
    after: '550.00',
    difference: '250.00',
    sale: { before: '300.00', after: '600.00' },
    bonus: { before: '0.00', after: '50.00' },
    capCut: { before: '0.00', after: '-100.00' },
    butlers: [{ id: String(butlers[0]!.id), before: '300.00', after: '550.00', difference: '250.00' }],
  });
});

test('a month’s sheet has a row for everybody with houses, complaints and fees collected filled in, once', async () => {
  const made = await plan({
    items: [
      { name: '服务', source: 'manual', weight: 40 },
      { name: '投诉', source: 'complaint', weight: 30 },
      { name: '收缴', source: 'fee', weight: 30 },
    ],
    steps: [{ fromScore: 0, coefficientBp: 9000 }],
  });
  expect([made.http, made.message]).toEqual([200, '']);
  await run(
    db(),
    `UPDATE incentive_plan SET no = 1, state = 'active', effective_from = '2020-01-01', activated_at = now() WHERE id = $1`,
    [made.data.id],
  );
  const answer = await mall.call(staff, 'POST', `${SCORE}/action/prepare`, { sheetMonth: month });
  expect([answer.http, answer.message, answer.data]).toMatchObject([200, '', { butlers: 2 }]);
  const rows = async () => {
    const list = await mall.call(staff, 'GET', `${SCORE}/page?month=${month}`);
    expect(list.message).toBe('');
    return list.data.rows;
  };
  // No bill is due: nothing to go by. No complaint: all points.
  expect((await rows()).map((row: { sheet: string; total: string }) => [row.sheet, row.total])).toEqual([
    ['服务 0 · 投诉 100 · 收缴 0', '30.00'],
    ['服务 0 · 投诉 100 · 收缴 0', '30.00'],
  ]);
  const again = await mall.call(staff, 'POST', `${SCORE}/action/prepare`, { sheetMonth: month });
  expect([again.http, again.message]).toEqual([409, '该月没有待评分的管家']);
  const wrong = await mall.call(staff, 'POST', `${SCORE}/action/prepare`, { sheetMonth: '2026-13' });
  expect([wrong.http, wrong.data.fields]).toEqual([422, { sheetMonth: '格式为 2026-11' }]);
});
