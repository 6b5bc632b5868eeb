import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { addDays } from '../../../domain/charging/calendar.rules.ts';
import { today } from '../../../domain/charging/collect.server.ts';
import { registration as bills } from './bill.server.ts';
import { openCharged, type ChargedPlace } from './charging-fixture.ts';
import { registration as records } from './dunning-record.server.ts';
import { registration as owing } from './owing-house.server.ts';

let place: ChargedPlace;
beforeAll(async () => {
  place = await openCharged(
    [bills, owing, records],
    ['cs_propertyChargingBill'],
    ['cs_propertyChargingBill:btn_dun', 'cs_propertyChargingBill:btn_dunRecord'],
  );
});
afterAll(() => place?.mall.close());
afterEach(() => void vi.useRealTimers());

const call = (method: 'GET' | 'POST', path: string, body?: object, who = place.clerk) =>
  place.mall.call(who, method, `/jinmao/web${path}`, body);
/** The wall clock of the business, today. */
const at = (hour: number) => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(new Date(`${today()}T${String(hour).padStart(2, '0')}:30:00+08:00`));
};
async function owes(days: number, more: { readonly disputed?: boolean } = {}) {
  const home = await place.house();
  await place.sql(
    `INSERT INTO bill (code, tenant_id, project_id, house_id, fee_item_id, debtor_name, period_from, period_to, due_date, principal, terms, disputed)
     SELECT 'DUN' || $3::bigint, $1, $2, $3, $4, '业主', $5, $5, $5, 28000, '{"graceDays":5,"dailyPpm":500,"onceFen":0,"oncePpm":0,"capPercent":30,"monthCap":null}', $6`,
    [place.company, place.project, home, place.item, addDays(today(), -days), more.disputed ?? false],
  );
  return home;
}
const send = (home: number, body: object = {}) => call('POST', `/owingHouse/${home}/sms`, body);

test('who owes and disputes nothing is listed by age; messages go by day, two a week, also when many are sent at once', async () => {
  const [late, disputed, future] = [await owes(40), await owes(40, { disputed: true }), await owes(-3)];
  const listed = async (query: string) =>
    ((await call('GET', `/owingHouse/page?${query}`)).data.rows as { id: string }[]).map((row) =>
      Number(row.id),
    );
  expect(await listed('age=d60')).toEqual([late]);
  expect(await listed('age=d30')).toEqual([]);
  expect((await call('GET', `/owingHouse/${disputed}`)).http).toBe(404);
  expect((await call('GET', `/owingHouse/${future}`)).http).toBe(404);
  const preview = async (template?: string) =>
    (
      await call('POST', '/owingHouse/preview', {
        ids: [late, disputed, future].map(String),
        ...(template && { template }),
      })
    ).data;
  at(21);
  // What would be sent is told before: to whom, why not, and how it reads; houses that owe nothing overdue do not count.
  expect(await preview('{房屋}欠{金额}元')).toEqual({
    houses: 1,
    messages: 1,
    owed: '280.00',
    full: 0,
    unreachable: 0,
    outOfHours: ['仅可在9:00–20:00发送催缴', 'Reminders are sent from 9:00 to 20:00'],
    sample: '1栋1单元F1欠280.00元',
  });
  expect((await send(late)).message).toBe('仅可在9:00–20:00发送催缴');
  at(8);
  expect((await send(late)).http).toBe(409);
  at(10);
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(late)));
  expect(answers.map((one) => one.http).sort()).toEqual([200, 200, 409, 409, 409]);
  expect(answers.find((one) => one.http === 409)!.message).toBe('每户每周最多催缴2次');
  expect(
    await place.sql(`SELECT body FROM sms_message WHERE purpose = 'feeDunning' ORDER BY id LIMIT 1`),
  ).toEqual([{ body: '您的房屋1栋1单元F1有1笔费用逾期未缴，共280.00元，请尽快缴纳。' }]);
  expect(await preview()).toMatchObject({ houses: 0, messages: 0, full: 1, outOfHours: null, sample: null });
  const noted = await call('POST', `/owingHouse/${late}/note`, {
    channel: 'phone',
    content: '下周缴',
    promisedOn: addDays(today(), 5),
  });
  expect(noted.message).toBe('');
  expect((await call('GET', `/owingHouse/${late}`)).data).toMatchObject({
    owed: '280.00',
    week: 2,
    promisedOn: addDays(today(), 5),
  });
  const told = (await call('GET', `/dunningRecord/page?house=${late}&sort=at`)).data.rows as {
    channel: string;
    sending: string;
  }[];
  expect(told.map((one) => [one.channel, one.sending])).toEqual([
    ['sms', 'waiting'],
    ['sms', 'waiting'],
    ['phone', 'none'],
  ]);
  // Without an owner there is nobody to write to; a house of another project is not counted at all.
  const alone = await owes(5);
  await place.sql(`UPDATE household SET status = 'deleted' WHERE house_id = $1`, [alone]);
  const told2 = await call('POST', '/owingHouse/preview', { ids: [String(alone)] });
  expect(told2.data).toMatchObject({ houses: 0, full: 0, unreachable: 1 });
  // Paid meanwhile: nothing is asked for any more.
  await place.sql(`UPDATE bill SET paid_principal = 28000, state = 'paid' WHERE house_id = $1`, [late]);
  expect((await send(late)).http).toBe(404);
});
