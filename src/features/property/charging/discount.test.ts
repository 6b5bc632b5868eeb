import { afterAll, beforeAll, expect, test } from 'vitest';
import { addDays } from '../../../domain/charging/calendar.rules.ts';
import { registration as charging } from '../../../domain/charging/charging.server.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import { registration as payments } from '../bill-payment/bill-payment.server.ts';
import { registration as bills } from './bill.server.ts';
import { openCharged, type ChargedPlace } from './charging-fixture.ts';
import { registration as rules } from './discount-rule.server.ts';

let place: ChargedPlace;

beforeAll(async () => {
  place = await openCharged(
    [charging, bills, rules, payments],
    ['cs_propertyChargingBill', 'cs_propertyBill'],
    [
      'cs_propertyChargingBill:btn_collect',
      'cs_propertyChargingBill:btn_single',
      'cs_propertyChargingBill:btn_discount',
      'cs_propertyBill:btn_void',
    ],
  );
});
afterAll(() => place?.mall.close());

const call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) =>
  place.mall.call(place.clerk, method, `/jinmao/web${path}`, body);

async function rule(more: Readonly<Record<string, string | number>>): Promise<number> {
  const names = Object.keys(more);
  const { id } = await place.one(
    `INSERT INTO discount_rule (tenant_id, valid_from, valid_to, enabled, ${names.join(', ')})
     VALUES ($1, '2020-01-01', '2099-12-31', true, ${names.map((_, index) => `$${index + 2}`).join(', ')}) RETURNING id`,
    [place.company, ...Object.values(more)],
  );
  return id;
}
/** Rules hold for the test that made them only. */
const only = (ids: readonly number[]) =>
  place.sql('UPDATE discount_rule SET enabled = id = ANY($1::bigint[])', [ids]);
const ahead = async (house: number, months: number) => {
  const made = await call('POST', '/bill/ahead', {
    houseId: String(house),
    itemId: String(place.item),
    months,
  });
  expect(made.message).toBe('');
  return (
    await place.sql<{ id: number }>(
      `SELECT id FROM bill WHERE house_id = $1 AND state = 'unpaid' ORDER BY period_from`,
      [house],
    )
  ).map((row) => String(row.id));
};
const quote = (house: number, billIds: readonly string[], more: object = {}) =>
  call('POST', '/bill/quote', { houseId: String(house), billIds, valueDate: today(), ...more });
const collect = (quoteId: string, received: string) =>
  call('POST', '/bill/collect', { quoteId, channel: 'cash', received });
const stands = (house: number) =>
  place.sql<{ discount: number; state: string }>(
    `SELECT discount, state FROM bill WHERE house_id = $1 ORDER BY period_from`,
    [house],
  );

test('group 06 Must show 7: twelve months ahead with 5 % off are 3,192.00, 14.00 on each bill; the lesser rule says why it is not used', async () => {
  const best = await rule({ name: '全年九五折', kind: 'prepay_percent', threshold: 12, percent: '5' });
  const less = await rule({
    name: '满三千减五十',
    kind: 'amount_off',
    threshold_amount: 300_000,
    amount_off: 5_000,
  });
  const far = await rule({ name: '两年九折', kind: 'prepay_percent', threshold: 24, percent: '10' });
  await only([best, less, far]);
  const home = await place.house();
  const ids = await ahead(home, 12);
  expect(ids.length).toBe(12);
  const asked = await quote(home, ids);
  expect(asked.message).toBe('');
  expect([asked.data.principal, asked.data.discount, asked.data.due]).toEqual([
    '3360.00',
    '168.00',
    '3192.00',
  ]);
  expect(asked.data.lines.map((line: { discount: string }) => line.discount)).toEqual(
    Array(12).fill('14.00'),
  );
  expect(
    asked.data.discounts.map((one: Record<string, unknown>) => [one.name, one.used, one.amount, one.reason]),
  ).toEqual([
    ['全年九五折', true, '168.00', ''],
    ['满三千减五十', false, '50.00', '优惠金额较少，未使用'],
    ['两年九折', false, '0.00', '需预缴24个月，现为12个月'],
  ]);
  expect(asked.data.explain).toContain('未使用“满三千减五十”：优惠金额较少，未使用');
  // A part of what is due gets no discount.
  const part = await quote(home, ids, { amount: '1000.00' });
  expect([part.data.discount, part.data.discounts[0].reason]).toEqual(['0.00', '未缴清所选账单，不享受优惠']);
  // The payer may choose the lesser one.
  expect((await quote(home, ids, { ruleId: String(less) })).data.discount).toBe('50.00');
  const paid = await collect(asked.data.quoteId, '3192.00');
  expect([paid.message, paid.data.amount, paid.data.change]).toEqual(['', '3192.00', '0.00']);
  expect(await stands(home)).toEqual(Array(12).fill({ discount: 1_400, state: 'paid' }));
  const kept = await place.one<{ discount: number; rule: number }>(
    'SELECT discount, discount_rule_id AS rule FROM bill_payment WHERE id = $1',
    [paid.data.paymentId],
  );
  expect(kept).toEqual({ discount: 16_800, rule: best });
  // Taken back the same day: the discount goes with the payment.
  expect((await call('POST', `/billPayment/${paid.data.paymentId}/void`, { reason: '错收' })).message).toBe(
    '',
  );
  expect(await stands(home)).toEqual(Array(12).fill({ discount: 0, state: 'unpaid' }));
});

test('months that are given become bills that are paid by the discount, and are void when the payment is', async () => {
  const gift = await rule({ name: '缴3赠1', kind: 'gift_months', threshold: 3, months_given: 1 });
  await only([gift]);
  const home = await place.house();
  const asked = await quote(home, await ahead(home, 3));
  expect([asked.data.due, asked.data.discount, asked.data.discounts[0].amount]).toEqual([
    '840.00',
    '0.00',
    '280.00',
  ]);
  const paid = await collect(asked.data.quoteId, '840.00');
  expect(paid.message).toBe('');
  expect(await stands(home)).toEqual([
    ...Array(3).fill({ discount: 0, state: 'paid' }),
    { discount: 28_000, state: 'paid' },
  ]);
  expect((await call('POST', `/billPayment/${paid.data.paymentId}/void`, { reason: '错收' })).message).toBe(
    '',
  );
  expect((await stands(home)).map((row) => row.state)).toEqual(['unpaid', 'unpaid', 'unpaid', 'void']);
});

test('without arrears: a bill that is overdue for longer than the days of the rule ends the discount', async () => {
  const loyal = await rule({ name: '无欠费九九折', kind: 'no_arrears_percent', threshold: 10, percent: '1' });
  await only([loyal]);
  const home = await place.house();
  const single = async (due: string) => {
    const made = await place.one(
      `WITH made AS (
         INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, debtor_name, period_from, period_to, due_date, principal, terms)
         VALUES ('D' || $5::date, $1, $2, $3, $4, '', $5::date, $5::date, $5::date, 28000, '{"graceDays":5,"dailyPpm":500,"onceFen":0,"oncePpm":0,"capPercent":30,"monthCap":null}') RETURNING id),
       line AS (INSERT INTO bill_line (bill_id, kind, amount, on_day) SELECT id, 'principal', 28000, $5::date FROM made) SELECT id FROM made`,
      [place.company, place.project, home, place.item, due],
    );
    return String(made.id);
  };
  const now = await single(today());
  expect((await quote(home, [now])).data.discount).toBe('2.80');
  await single(addDays(today(), -11));
  const late = await quote(home, [now]);
  expect([late.data.discount, late.data.discounts[0].reason]).toEqual(['0.00', '有账单逾期超过10天']);
});

test('a rule that changed between quote and payment is not used silently', async () => {
  const soon = await rule({ name: '临时九折', kind: 'prepay_percent', threshold: 1, percent: '10' });
  await only([soon]);
  const home = await place.house();
  const asked = await quote(home, await ahead(home, 1));
  expect(asked.data.due).toBe('252.00');
  await only([]);
  const refused = await collect(asked.data.quoteId, '252.00');
  expect([refused.http, refused.message]).toEqual([409, '应收金额已变化，请重新确认']);
});

test('a rule asks for the numbers of its kind, and two of the same months are made once', async () => {
  const refused = await call('POST', '/discountRule', {
    company: String(place.company),
    name: '空规则',
    kind: 'amount_off',
    thresholdAmount: '100',
    amountOff: '200',
    validFrom: '2020-01-01',
    validTo: '2099-12-31',
  });
  expect([refused.http, refused.data.fields]).toEqual([422, { amountOff: '减金额不能大于满金额' }]);
  const home = await place.house();
  const make = () =>
    call('POST', '/bill/ahead', { houseId: String(home), itemId: String(place.item), months: 2 });
  await Promise.all([make(), make()]);
  const rows = await place.sql<{ n: number }>(
    `SELECT count(*)::int AS n FROM bill WHERE house_id = $1 AND state <> 'void' GROUP BY period_from`,
    [home],
  );
  expect(rows.every((row) => row.n === 1)).toBe(true);
});

test('discounts of payments agree with the lines of their bills', async () => {
  for (const invariant of charging.invariants ?? [])
    expect([invariant.name, (await invariant.check(place.mall.platform)).problems]).toEqual([
      invariant.name,
      [],
    ]);
});
