import { afterAll, beforeAll, expect, test } from 'vitest';
import { registration as charging } from '../../../domain/charging/charging.server.ts';
import { planRun, postBills } from '../../../domain/charging/billing.server.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { findImportTarget } from '../../../kernel/server/tables/import-target.ts';
import { registration as projects } from '../../base-data/places/places.server.ts';
import { registration as companies } from '../../service-resources/merchant/merchant.server.ts';
import { registration as payments } from '../bill-payment/bill-payment.server.ts';
import { registration as bills } from './bill.server.ts';
import { registration as runs } from './billing-run.server.ts';
import { openCharged, type ChargedPlace } from './charging-fixture.ts';
import { registration as items } from './fee-item.server.ts';
import { registration as readings } from './meter-reading.server.ts';
import { registration as meters } from './meter.server.ts';

let place: ChargedPlace;
let water: number;
let turn = 0;

beforeAll(async () => {
  place = await openCharged(
    [charging, bills, items, runs, meters, readings, payments, projects, companies],
    ['cs_propertyChargingBill', 'cs_propertyBill'],
    ['btn_item', 'btn_meter', 'btn_reading', 'btn_run', 'btn_post', 'btn_revoke'].map(
      (one) => `cs_propertyChargingBill:${one}`,
    ),
  );
  water = await item({ formula: 'meter', price: 3.5 });
});
afterAll(() => place?.mall.close());

const call = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  place.mall.call(place.clerk, method, `/jinmao/web${path}`, body);
const said = (answer: { data: { fields?: Record<string, string> } | null; http: number }) => [
  answer.http,
  answer.data?.fields,
];

async function item(of: {
  readonly formula: string;
  readonly price: number;
  readonly shareBy?: string;
  readonly shareItem?: number;
}): Promise<number> {
  turn += 1;
  const { id } = await place.one(
    `INSERT INTO fee_item (tenant_id, name, kind, formula, expression, cycle, timing, bill_day, rounding, prepaid_kind, position, auto_bill, enabled, share_by, share_item_id)
     VALUES ($1, $2, 'other', $3, '', 'indirect', 'post', 1, 'fen', 'utilities', 5, false, true, $4, $5) RETURNING id`,
    [place.company, `按表${turn}`, of.formula, of.shareBy ?? null, of.shareItem ?? null],
  );
  await place.sql(
    `INSERT INTO fee_item_price (fee_item_id, position, price, extra, effective_from) VALUES ($1, 0, $2, 0, '2020-01-01')`,
    [id, of.price],
  );
  return id;
}
async function addMeter(more: object = {}) {
  turn += 1;
  const made = await call('POST', '/meter', {
    number: `W-${turn}`,
    item: String(water),
    multiplier: 1,
    maxValue: 99_999,
    startValue: '0',
    installedOn: '2026-01-01',
    ...more,
  });
  expect(made.message).toBe('');
  return Number(made.data.id);
}
const enter = (meter: number, readOn: string, value: string, more: object = {}) =>
  call('POST', '/meterReading', { meter: String(meter), readOn, value, ...more });
const month = async (itemId: number, first: string) => {
  const plan = await planRun(
    place.mall.platform.database.db,
    { projectId: place.project, itemIds: [itemId], month: first },
    15,
  );
  return plan;
};
const post = async (itemId: number, first: string) =>
  transaction(place.mall.platform.database.db, async (tx) => {
    const plan = await planRun(tx, { projectId: place.project, itemIds: [itemId], month: first }, 15);
    return postBills(tx, place.project, plan.bills, {});
  });
const amounts = (house: number, itemId: number) =>
  place.sql<{ principal: number }>(
    `SELECT principal, state FROM bill WHERE house_id = $1 AND fee_item_id = $2 ORDER BY id`,
    [house, itemId],
  );

test('readings are entered, checked and charged once; a run without a reading says so', async () => {
  const house = await place.house();
  const id = await addMeter({ house: String(house) });
  // The house is charged from the day the meter is installed.
  expect(
    await place.sql('SELECT valid_from::text FROM fee_assignment WHERE house_id = $1 AND fee_item_id = $2', [
      house,
      water,
    ]),
  ).toEqual([{ valid_from: '2026-01-01' }]);
  expect((await month(water, '2026-01-01')).skipped.map((one) => one.reason)).toContain('reading');
  expect((await enter(id, '2026-01-31', '12.5')).message).toBe('');
  const backwards = await enter(id, '2026-02-28', '12.499');
  expect(said(backwards)).toEqual([422, { value: '小于上次读数 12.5；翻转请勾选，换表请用换表' }]);
  expect(said(await enter(id, '2026-01-31', '13'))).toEqual([
    422,
    { readOn: '须晚于上次抄表（2026-01-31）' },
  ]);
  expect(said(await enter(id, '2099-01-31', '13'))).toEqual([422, { readOn: '抄表日不能晚于今天' }]);
  expect((await enter(id, '2026-02-30', '13')).http).toBe(422);
  // 12.5 in 31 days; 28 days of more than three times as much.
  const absurd = await enter(id, '2026-02-28', '50');
  expect(said(absurd)).toEqual([422, { value: '用量 37.5 超过近6个月平均的3倍，请核对后勾选“已核对”' }]);
  expect((await enter(id, '2026-02-28', '50', { confirmed: true })).message).toBe('');
  const plan = await month(water, '2026-01-01');
  expect(plan.bills.map((one) => [one.amount, one.from, one.to, one.due])).toEqual([
    [4_375, '2026-01-01', '2026-01-31', '2026-02-16'],
  ]);
  // A run and the same run at once, and one of the month behind, charge each reading once.
  await Promise.all([
    post(water, '2026-01-01'),
    post(water, '2026-01-01'),
    post(water, '2026-02-01').catch(() => undefined),
  ]);
  await post(water, '2026-02-01');
  const made = await amounts(house, water);
  expect(made.reduce((sum, one) => sum + one.principal, 0)).toBe(17_500);
  expect((await month(water, '2026-02-01')).bills).toEqual([]);
});

test('a reading is corrected until it is charged, then by a counter-reading the next run charges', async () => {
  const house = await place.house();
  const id = await addMeter({ house: String(house) });
  const first = await enter(id, '2026-03-31', '20');
  const changed = await call('PUT', `/meterReading/${first.data.id}`, { version: 1, value: '18' });
  expect(changed.message).toBe('');
  expect(
    (await call('POST', `/meterReading/${first.data.id}/counter`, { value: '10', reason: '看错' })).message,
  ).toBe('未出账的读数直接更正');
  await post(water, '2026-03-01');
  expect(await amounts(house, water)).toEqual([{ principal: 6_300, state: 'unpaid' }]);
  const refused = await call('PUT', `/meterReading/${first.data.id}`, { version: 2, value: '17' });
  expect([refused.http, refused.message]).toEqual([409, '已出账的读数只能冲正']);
  // The database keeps it as well.
  await expect(
    place.sql('UPDATE meter_reading SET value = 1 WHERE id = $1', [Number(first.data.id)]),
  ).rejects.toThrow('is charged');
  const counter = await call('POST', `/meterReading/${first.data.id}/counter`, {
    value: '11',
    reason: '看错数字',
  });
  expect(counter.message).toBe('');
  expect(
    await place.sql(
      'SELECT kind, usage::text, last_value::text FROM meter_reading WHERE meter_id = $1 ORDER BY id',
      [id],
    ),
  ).toEqual([
    { kind: 'reading', usage: '18.000', last_value: '0.000' },
    { kind: 'counter', usage: '-7.000', last_value: '18.000' },
  ]);
  // What is less than nothing waits until it is used up: 11 → 25 are 14, less the 7.
  expect((await month(water, '2026-04-01')).skipped.filter((one) => one.reason === 'zero').length).toBe(1);
  expect((await enter(id, '2026-04-30', '25', { confirmed: true })).message).toBe('');
  await post(water, '2026-04-01');
  expect((await amounts(house, water)).map((one) => one.principal)).toEqual([6_300, 2_450]);
  // 25 in all at 3.50.
  expect(6_300 + 2_450).toBe(25 * 350);
});

test('a void bill sets its readings free; two bills of one reading are refused by the database', async () => {
  const house = await place.house();
  const id = await addMeter({ house: String(house) });
  await enter(id, '2026-05-31', '10');
  await post(water, '2026-05-01');
  const { id: bill } = await place.one('SELECT id FROM bill WHERE house_id = $1 AND fee_item_id = $2', [
    house,
    water,
  ]);
  const other = await place.one(
    `INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, period_from, period_to, due_date, principal, terms)
     SELECT 'MT1', tenant_id, project_id, house_id, fee_item_id, '2026-06-01', '2026-06-30', due_date, 1, terms FROM bill WHERE id = $1 RETURNING id`,
    [bill],
  );
  const link = () =>
    place.sql(
      'INSERT INTO meter_reading_bill (reading_id, bill_id) SELECT reading_id, $2 FROM meter_reading_bill WHERE bill_id = $1',
      [bill, other.id],
    );
  await expect(link()).rejects.toThrow('is charged already');
  await place.sql(`UPDATE bill SET state = 'void' WHERE id = ANY($1::bigint[])`, [[bill, other.id]]);
  expect((await month(water, '2026-05-01')).bills.map((one) => one.amount)).toEqual([3_500]);
});

test('a meter that rolls over or is replaced goes on counting', async () => {
  const house = await place.house();
  const id = await addMeter({ house: String(house), startValue: '99990', multiplier: 10 });
  expect(said(await enter(id, '2026-06-30', '100000'))).toEqual([422, { value: '超过最大读数 99999' }]);
  expect((await enter(id, '2026-06-30', '5', { rolledOver: true })).message).toBe('');
  expect(await place.sql('SELECT usage::text, kind FROM meter_reading WHERE meter_id = $1', [id])).toEqual([
    { usage: '150.000', kind: 'rollover' },
  ]);
  const gone = await call('POST', `/meter/${id}/replace`, {
    finalValue: '7',
    on: '2026-07-10',
    number: 'W-NEW',
    startValue: '3',
    multiplier: 1,
  });
  expect(gone.message).toBe('');
  expect((await enter(id, '2026-07-20', '9')).data.fields).toEqual({ meter: '该表已换下' });
  const { id: fresh } = await place.one(`SELECT id FROM meter WHERE number = 'W-NEW'`);
  expect((await enter(fresh, '2026-07-31', '8')).message).toBe('');
  await post(water, '2026-07-01');
  // 150 + 20 + 5 units.
  expect(await amounts(house, water)).toEqual([{ principal: 175 * 350, state: 'unpaid' }]);
});

test('shared amounts are parted by area, house or usage and equal the total', async () => {
  const homes = [await place.house(), await place.house(), await place.house()];
  await place.sql('UPDATE house SET built_area = 50 WHERE id = $1', [homes[0]]);
  const lights = await item({ formula: 'shared', price: 1, shareBy: 'area' });
  const pump = await item({ formula: 'shared', price: 1, shareBy: 'usage', shareItem: water });
  for (const home of homes)
    for (const of of [lights, pump])
      await place.sql(
        `INSERT INTO fee_assignment (tenant_id, project_id, house_id, fee_item_id, valid_from) VALUES ($1, $2, $3, $4, '2026-01-01')`,
        [place.company, place.project, home, of],
      );
  for (const [index, home] of homes.slice(1).entries()) {
    const own = await addMeter({ house: String(home) });
    await enter(own, '2026-08-31', String(index + 1));
  }
  for (const of of [lights, pump]) {
    const common = await addMeter({ project: String(place.project), item: String(of) });
    expect((await enter(common, '2026-08-31', '100')).message).toBe('');
  }
  const parts = async (of: number) => {
    await post(of, '2026-08-01');
    return place.sql<{ principal: number }>(
      'SELECT principal FROM bill WHERE fee_item_id = $1 ORDER BY house_id',
      [of],
    );
  };
  // 100.00 by 50, 100 and 100 m².
  expect((await parts(lights)).map((one) => one.principal)).toEqual([2_000, 4_000, 4_000]);
  // 1 and 2 units; the first house used nothing.
  expect((await parts(pump)).map((one) => one.principal)).toEqual([3_333, 6_667]);
  expect((await month(pump, '2026-08-01')).bills).toEqual([]);
  const working = await place.one('SELECT id FROM bill WHERE fee_item_id = $1 LIMIT 1', [pump]);
  const told = await call('GET', `/bill/${working.id}/working`);
  expect(told.data.lines.at(-1)[0]).toBe('公摊合计 100.00 元 × 1000/3000 = 33.33 元');
});

test('readings come as a table with a dry run; what is wrong is said at its cell', async () => {
  const house = await place.house();
  const id = await addMeter({ house: String(house), number: 'IMP-1' });
  const target = findImportTarget(place.mall.platform, 'meterReading')!;
  const row = (number: number, values: Record<string, string>) => ({
    number,
    values: {
      number: 'IMP-1',
      item: '',
      readOn: '2026-09-30',
      value: '5',
      rolledOver: '',
      confirmed: '',
      remark: '',
      ...values,
    },
  });
  const context = { caller: place.clerk, platform: place.mall.platform, language: 'zh' as const };
  const problems = await target.check(context, [
    row(2, { number: 'NONE' }),
    row(3, { readOn: '2026-02-30' }),
    row(4, { value: '-1' }),
    row(5, {}),
    row(6, { readOn: '2026-10-31' }),
  ]);
  expect(problems.map((one) => [one.row, one.column, one.message[0]])).toEqual([
    [2, 'number', '没有此表具'],
    [3, 'readOn', '日期不正确'],
    [4, 'value', '请填写不小于0的数，最多三位小数'],
    [6, 'number', '与第5行重复'],
  ]);
  const { db } = place.mall.platform.database;
  expect(await transaction(db, (tx) => target.commit(tx, context, [row(2, { value: '6.125' })]))).toBe(1);
  expect(await place.sql('SELECT usage::text FROM meter_reading WHERE meter_id = $1', [id])).toEqual([
    { usage: '6.125' },
  ]);
});

test('items say how they go by readings; what does not fit is refused', async () => {
  turn += 1;
  const add = (more: object) =>
    call('POST', '/feeItem', {
      name: `项目${turn}`,
      company: String(place.company),
      kind: 'other',
      formula: 'meter',
      prices: [{ effectiveFrom: '2020-01-01', price: '1', extra: '0.00' }],
      cycle: 'indirect',
      timing: 'post',
      billDay: 1,
      rounding: 'fen',
      prepaidKind: 'utilities',
      ...more,
    });
  expect(said(await add({ cycle: 'month' }))).toEqual([422, { cycle: '该计费方式须按读数' }]);
  expect(said(await add({ formula: 'fixed' }))).toEqual([422, { cycle: '该计费方式不按读数' }]);
  expect(said(await add({ formula: 'meter_tier' }))).toEqual([422, { tiers: '请填写阶梯' }]);
  expect(said(await add({ formula: 'shared' }))).toEqual([422, { shareBy: '请选择分摊方式' }]);
  expect(said(await add({ formula: 'custom', cycle: 'month', expression: 'usage*price' }))).toEqual([
    422,
    { expression: '读数变量须周期为按读数' },
  ]);
  expect((await add({ formula: 'meter_tier', tiers: [{ above: '15', more: '1.5' }] })).message).toBe('');
  const fixed = await call('POST', '/meter', {
    number: 'X',
    item: String(place.item),
    house: String(await place.house()),
    multiplier: 1,
    maxValue: 99_999,
    startValue: '0',
    installedOn: '2026-01-01',
  });
  expect(said(fixed)).toEqual([422, { item: '该收费项目不按读数计费' }]);
});
