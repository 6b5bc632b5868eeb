import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../../kernel/server/database.ts';
import { all, brokenRules, callAs, one, runJob } from '../../mall/goods-order/order-fixture.ts';
import {
  act,
  addService,
  at,
  booking,
  codeOf,
  openSalon,
  ORDERS,
  paidOrder,
  pay,
  settle,
  shift,
  states,
  VISITS,
  type Salon,
} from './visit-fixture.ts';

let salon: Salon;
beforeAll(async () => {
  salon = await openSalon(2);
});
afterAll(async () => {
  expect(await brokenRules(salon)).toEqual({});
  await salon.close();
});

test('group 07 Must show 1: 50 parallel orders for the last place of three; unpaid ones give it back', async () => {
  const time = at(3, 9);
  for (let n = 0; n < 2; n++)
    expect((await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, time))).http).toBe(200);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      callAs(salon, 'platform', 'POST', ORDERS, booking(salon, time), n % 2),
    ),
  );
  const made = answers.filter((answer) => answer.http === 200);
  const full = answers.filter((answer) => answer.status === 30101 && answer.message === '该时段已约满');
  expect([made.length, full.length]).toEqual([1, 49]);
  expect(full[0]!.data.nearest).toEqual([at(3, 8), at(3, 8, 30), at(3, 9, 30)]);
  const slot = () =>
    one(salon, 'SELECT taken, over FROM service_slot WHERE starts_at = $1 AND product_id = $2', [
      time,
      salon.service,
    ]);
  expect(await slot()).toEqual({ taken: 3, over: 0 });
  const order = String(made[0]!.data.id);
  const deadline = await one(
    salon,
    `SELECT round(extract(epoch FROM pay_deadline - created_at) / 60)::int AS minutes FROM sales_order WHERE id = $1`,
    [order],
  );
  expect(deadline.minutes).toBe(30);
  await all(salon, `UPDATE sales_order SET pay_deadline = now() - interval '1 second' WHERE id = $1`, [
    order,
  ]);
  await Promise.all([runJob(salon, 'order.close_unpaid'), runJob(salon, 'order.close_unpaid')]);
  expect(await states(salon, order)).toEqual(['closed', 'none', 'released']);
  expect(await slot()).toEqual({ taken: 2, over: 0 });
});

test('group 07 Must show 2: a busy person is refused with the other visit named; two desks at once, one wins', async () => {
  const first = await paidOrder(salon, at(4, 10));
  expect((await act(salon, first.order, 'assign', { person: String(salon.li) })).http).toBe(200);
  const { code } = await one(salon, 'SELECT code FROM appointment WHERE id = $1', [first.visit]);
  const near = await paidOrder(salon, at(4, 11));
  const refused = await act(salon, near.order, 'assign', { person: String(salon.li) });
  expect([refused.status, refused.message.includes(code)]).toEqual([30101, true]);
  // From 11:10 the own buffer reaches into the other's; from 11:30 it does not any more.
  for (const [minute, http] of [
    [10, 400],
    [30, 200],
  ] as const) {
    await all(
      salon,
      `UPDATE appointment SET period = tstzrange($2::timestamptz, $2::timestamptz + interval '1 hour'),
              busy = tstzrange($2::timestamptz - interval '15 minutes', $2::timestamptz + interval '75 minutes') WHERE id = $1`,
      [near.visit, at(4, 11, minute)],
    );
    const answer = await act(salon, near.visit, 'assign', { person: String(salon.li) }, VISITS);
    expect(answer.http === 200 ? 200 : 400).toBe(http);
  }
  const a = await paidOrder(salon, at(5, 10));
  const b = await paidOrder(salon, at(5, 10, 30));
  const both = await Promise.all(
    [a, b].map((one, n) =>
      callAs(salon, 'platform', 'POST', `${VISITS}/${one.visit}/assign`, { person: String(salon.wang) }, n),
    ),
  );
  expect(both.map((answer) => answer.http === 200).filter(Boolean)).toHaveLength(1);
  expect(both.find((answer) => answer.http !== 200)!.status).toBe(30101);
});

test('group 07 Must show 3: below the lead hours 422; staff with the right need a reason', async () => {
  const soon = new Date(Math.ceil((Date.now() + 20 * 3_600_000) / 1_800_000) * 1_800_000)
    .toISOString()
    .replace('.000Z', 'Z');
  const refused = await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, soon));
  expect([refused.http, refused.data.fields.startsAt]).toEqual([422, '需至少提前24小时']);
  const with_reason = await callAs(
    salon,
    'platform',
    'POST',
    ORDERS,
    booking(salon, soon, { overbookReason: '老客户急需' }),
  );
  expect(with_reason.http).toBe(200);
});

test('group 07 Must show 4: overbooked 4 of 3 with a reason; without the element 403', async () => {
  const time = at(6, 14);
  for (let n = 0; n < 3; n++) await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, time));
  const over = await callAs(
    salon,
    'platform',
    'POST',
    ORDERS,
    booking(salon, time, { overbookReason: '店长同意' }),
  );
  expect(over.http).toBe(200);
  expect(
    await one(
      salon,
      'SELECT taken, capacity, over FROM service_slot WHERE starts_at = $1 AND product_id = $2',
      [time, salon.service],
    ),
  ).toEqual({ taken: 4, capacity: 3, over: 1 });
  const day = time.slice(0, 10);
  const calendar = await callAs(salon, 'platform', 'GET', `${VISITS}/calendar?from=${day}&to=${day}`);
  expect([calendar.http, calendar.data.cards.overbooked, calendar.data.visits.length]).toEqual([200, 1, 4]);
  // A day holds every time of 08:00–20:00 that is offered, whether anything is booked or not.
  for (const [asked, booked] of [
    [day, 4],
    [at(29, 9).slice(0, 10), 0],
  ] as const) {
    const { data } = await callAs(
      salon,
      'platform',
      'GET',
      `${VISITS}/calendar?from=${asked}&to=${asked}&service=${salon.service}`,
    );
    expect(data.days).toEqual([{ day: asked, booked, capacity: 23 * 3 }]);
  }
  const elements = salon.callers.merchant1.elements as Set<string>;
  elements.delete('mm_appointment:btn_overbook');
  const forbidden = await callAs(
    salon,
    'merchant1',
    'POST',
    ORDERS,
    booking(salon, time, { overbookReason: '店长同意' }),
  );
  elements.add('mm_appointment:btn_overbook');
  // The member is found before the place; a merchant sees members who bought of it.
  expect([403, 404]).toContain(forbidden.http);
});

test('group 07 Must show 5: cancelled 30 h before, 10 h before, and by the merchant', async () => {
  const cancel = async (hours: number, by: string) => {
    const made = await paidOrder(salon, at(7, 8, 30));
    await shift(salon, made.visit, hours);
    const preview = await callAs(salon, 'platform', 'GET', `${ORDERS}/${made.order}/cancelPreview?by=${by}`);
    const done = await act(salon, made.order, 'cancel', { by, reason: '临时有事' });
    expect(done.http).toBe(200);
    await settle(salon);
    const order = await one(salon, 'SELECT cash_refunded FROM sales_order WHERE id = $1', [made.order]);
    return [preview.data.fee, preview.data.refund, order.cash_refunded, ...(await states(salon, made.order))];
  };
  expect(await cancel(30, 'member')).toEqual(['0.00', '128.00', 12_800, 'closed', 'full', 'cancelled']);
  expect(await cancel(10, 'member')).toEqual(['38.40', '89.60', 8_960, 'completed', 'part', 'cancelled']);
  expect(await cancel(10, 'merchant')).toEqual(['0.00', '128.00', 12_800, 'closed', 'full', 'cancelled']);
});

test('group 07 Must show 6: no-show, nothing is offered; a waived fee makes 128.00 possible', async () => {
  const made = await paidOrder(salon, at(8, 9));
  await act(salon, made.order, 'assign', { person: String(salon.li) });
  const early = await act(salon, made.order, 'noShow', { reason: '家中无人' });
  expect(early.status).toBe(30101);
  await shift(salon, made.visit, -1);
  expect((await act(salon, made.order, 'noShow', { reason: '家中无人' })).http).toBe(200);
  expect(await states(salon, made.order)).toEqual(['completed', 'none', 'no_show']);
  const row = await callAs(salon, 'platform', 'GET', `${ORDERS}/${made.order}`);
  expect(row.data.actions).not.toContain('returnAudit');
  const refund = { units: 1, reasonCode: 'other', reason: '客户投诉' };
  expect((await act(salon, made.order, 'returnAudit', refund)).status).toBe(30101);
  expect((await act(salon, made.order, 'waiveFee', { reason: '客户住院' })).http).toBe(200);
  expect((await act(salon, made.order, 'returnAudit', refund)).data.result).toMatchObject({ cash: '128.00' });
});

test('group 07 Must show 7: paid after release while full, another time is chosen or everything goes back once', async () => {
  const time = at(9, 15);
  const late = await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, time));
  const order = String(late.data.id);
  await all(salon, `UPDATE sales_order SET pay_deadline = now() - interval '1 second' WHERE id = $1`, [
    order,
  ]);
  await runJob(salon, 'order.close_unpaid');
  for (let n = 0; n < 3; n++) await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, time));
  expect(await pay(salon, order)).toBe('paid');
  expect(await states(salon, order)).toEqual(['to_accept', 'none', 'choose_again']);
  await all(salon, `UPDATE appointment SET choose_until = now() - interval '1 second' WHERE order_id = $1`, [
    order,
  ]);
  await Promise.all([runJob(salon, 'service.choose_again_due'), runJob(salon, 'service.choose_again_due')]);
  await settle(salon);
  expect(await states(salon, order)).toEqual(['closed', 'full', 'cancelled']);
  expect(await all(salon, 'SELECT cash::int FROM refund WHERE order_id = $1', [order])).toEqual([
    { cash: 12_800 },
  ]);
  // A place that is still free is taken again.
  const again = await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, at(9, 17)));
  await all(salon, `UPDATE sales_order SET pay_deadline = now() - interval '1 second' WHERE id = $1`, [
    again.data.id,
  ]);
  await runJob(salon, 'order.close_unpaid');
  expect(await pay(salon, String(again.data.id))).toBe('paid');
  expect(await states(salon, String(again.data.id))).toEqual(['to_accept', 'none', 'to_accept']);
});

test('group 07 Must show 8: five wrong codes lock it, the desk finishes; the right one completes it once', async () => {
  const made = await paidOrder(salon, at(10, 9));
  const right = await codeOf(salon);
  const wrong = right === '000000' ? '000001' : '000000';
  await act(salon, made.order, 'assign', { person: String(salon.li) });
  await act(salon, made.order, 'start');
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => act(salon, made.order, 'finish', { verifyCode: wrong })),
  );
  expect(answers.every((answer) => answer.status === 30101)).toBe(true);
  expect(
    await one(salon, 'SELECT count(*)::int AS n FROM appointment_try WHERE appointment_id = $1', [
      made.visit,
    ]),
  ).toEqual({ n: 5 });
  expect((await act(salon, made.order, 'finish', { verifyCode: right })).message).toContain('已达5次');
  expect((await act(salon, made.order, 'finish', { reason: '客户手机没电' })).http).toBe(200);
  expect(await states(salon, made.order)).toEqual(['completed', 'none', 'done']);

  const second = await paidOrder(salon, at(10, 13));
  const code = await codeOf(salon);
  await act(salon, second.order, 'assign', { person: String(salon.li) });
  expect((await act(salon, second.visit, 'finish', { verifyCode: code }, VISITS)).http).toBe(200);
  expect(await states(salon, second.order)).toEqual(['completed', 'none', 'done']);
  const events = await all(salon, 'SELECT code FROM order_event WHERE order_id = $1 ORDER BY id', [
    second.order,
  ]);
  expect(events.map((event) => event.code)).toEqual([5, 10, 18, 27]);
  expect((await act(salon, second.visit, 'finish', { verifyCode: code }, VISITS)).status).toBe(30101);
});

test('group 07 Must show 9: a package of four, one done, three left, 75.00 of 100.00', async () => {
  const pack = await transaction(salon.platforms[0]!.database.db, (tx) =>
    addService(salon, tx, 'pack', 10_000, { times: 4, verify: false }),
  );
  const made = await paidOrder(salon, at(11, 9), { spec: String(pack.spec), shownTotal: '100.00' });
  await act(salon, made.order, 'assign', { person: String(salon.li) });
  expect((await act(salon, made.order, 'finish')).http).toBe(200);
  const row = await callAs(salon, 'platform', 'GET', `${ORDERS}/${made.order}`);
  expect([row.data.state, row.data.visitsLeft]).toEqual(['to_visit', '3/4']);
  const preview = await callAs(salon, 'platform', 'GET', `${ORDERS}/${made.order}/cancelPreview?by=member`);
  expect(preview.data.refund).toBe('75.00');
  // The next visit gets its time, then what is left is cancelled.
  expect((await act(salon, made.order, 'reschedule', { startsAt: at(12, 9) })).http).toBe(200);
  expect(await states(salon, made.order)).toEqual(['to_accept', 'none', 'to_accept']);
  expect(
    (await act(salon, made.order, 'cancel', { by: 'member', reason: '搬家' })).data.result,
  ).toMatchObject({ refund: '75.00' });
  await settle(salon);
  expect(await states(salon, made.order)).toEqual(['completed', 'part', 'cancelled']);
});

test('group 07 Must show 10: a stop over three live visits shows them first, then makes three choose again; nothing else is touched', async () => {
  const spa = await transaction(salon.platforms[0]!.database.db, (tx) =>
    addService(salon, tx, 'spa', 12_800, {}),
  );
  const more = { spec: String(spa.spec) };
  const made = [];
  for (const hour of [9, 11, 13]) made.push(await paidOrder(salon, at(12, hour), more));
  await act(salon, made[2]!.order, 'assign', { person: String(salon.li) });
  const other = await paidOrder(salon, at(18, 16), more);
  const facts = async () => ({
    visits: await all(
      salon,
      'SELECT id, state, slot_id, version FROM appointment WHERE product_id = $1 ORDER BY id',
      [spa.service],
    ),
    stops: await all(salon, 'SELECT id FROM service_stop WHERE product_id = $1', [spa.service]),
    told: (await one(salon, `SELECT count(*)::int AS n FROM sms_message WHERE body LIKE '%需要改约%'`)).n,
  });
  const before = await facts();
  const span = { service: String(spa.service), startsAt: at(12, 8), endsAt: at(12, 20), reason: '设备检修' };
  const stop = (body: object) => callAs(salon, 'platform', 'POST', `${VISITS}/action/stop`, body);
  const shown = await stop(span);
  const codes = await all<{ code: string }>(
    salon,
    'SELECT code FROM appointment WHERE id = ANY($1::bigint[]) ORDER BY id',
    [made.map((one) => one.visit)],
  );
  expect([shown.http, shown.status, shown.data.appointments]).toEqual([
    409,
    30101,
    codes.map((one) => one.code),
  ]);
  expect(shown.message).toContain(`期间已有 3 个预约：${codes[0]!.code}`);
  // Leaving the dialog there has changed nothing.
  expect(await facts()).toEqual(before);
  // Nobody else's service can be stopped.
  expect(
    (await callAs(salon, 'merchant2', 'POST', `${VISITS}/action/stop`, { ...span, moved: 'stay' })).http,
  ).toBe(404);
  const saved = await stop({ ...span, moved: 'choose_again' });
  expect([saved.http, saved.data]).toEqual([200, { n: 3 }]);
  const after = await facts();
  expect(after.visits.map((one) => one.state)).toEqual([
    'choose_again',
    'choose_again',
    'choose_again',
    'to_accept',
  ]);
  expect([after.stops.length, after.told - before.told]).toEqual([1, 3]);
  expect(await states(salon, other.order)).toEqual(['to_accept', 'none', 'to_accept']);
  const free = await one(
    salon,
    'SELECT count(*)::int AS n FROM service_times($1, $2, $3::timestamptz, $4::timestamptz)',
    [spa.service, salon.ids.project, span.startsAt, span.endsAt],
  );
  expect(free.n).toBe(0);
});

test('group 07 Must show 12: a merchant never sees another one’s visits and people; foreign ids answer 404', async () => {
  const made = await paidOrder(salon, at(13, 9));
  const day = at(13, 9).slice(0, 10);
  const own = await callAs(salon, 'merchant1', 'GET', `${VISITS}/calendar?from=${day}&to=${day}`);
  expect([own.data.visits.length, own.data.people.length]).toEqual([1, 2]);
  const other = await callAs(salon, 'merchant2', 'GET', `${VISITS}/calendar?from=${day}&to=${day}`);
  expect([other.data.visits, other.data.people, other.data.cards.visits]).toEqual([[], [], 0]);
  expect(other.data.days).toEqual([{ day, booked: 0, capacity: 0 }]);
  for (const path of [
    `${ORDERS}/${made.order}`,
    `${VISITS}/${made.visit}`,
    `${VISITS}/${made.visit}/candidates`,
  ])
    expect((await callAs(salon, 'merchant2', 'GET', path)).http).toBe(404);
  expect(
    (await act(salon, made.visit, 'assign', { person: String(salon.li) }, VISITS, 'merchant2')).http,
  ).toBe(404);
});

test('group 07 Must show 13: an expired certificate takes the person out and refuses the assignment', async () => {
  await all(
    salon,
    `INSERT INTO service_person_certificate (person_id, name, expires_on) VALUES ($1, '健康证', (now() AT TIME ZONE 'Asia/Shanghai')::date - 1)`,
    [salon.wang],
  );
  const made = await paidOrder(salon, at(14, 9));
  const people = await callAs(salon, 'platform', 'GET', `${ORDERS}/${made.order}/candidates`);
  expect(people.data.map((one: { name: string; refusal: string | null }) => [one.name, one.refusal])).toEqual(
    [
      ['李强', null],
      ['王芳', '证件已过期'],
    ],
  );
  expect((await act(salon, made.order, 'assign', { person: String(salon.wang) })).message).toBe('证件已过期');
});

test('a visit is moved in one step: the old place is free, the new one taken, and a full one leaves it as it was', async () => {
  const made = await paidOrder(salon, at(15, 9));
  const taken = async (time: string) =>
    (
      await one(salon, 'SELECT coalesce(sum(taken), 0)::int AS n FROM service_slot WHERE starts_at = $1', [
        time,
      ])
    ).n;
  expect((await act(salon, made.order, 'reschedule', { startsAt: at(15, 11) })).http).toBe(422);
  expect(
    (await act(salon, made.order, 'reschedule', { startsAt: at(15, 11), reason: '客户要求' })).http,
  ).toBe(200);
  expect([await taken(at(15, 9)), await taken(at(15, 11))]).toEqual([0, 1]);
  for (let n = 0; n < 3; n++) await callAs(salon, 'platform', 'POST', ORDERS, booking(salon, at(15, 16)));
  const full = await act(salon, made.order, 'reschedule', { startsAt: at(15, 16), reason: '客户要求' });
  expect([full.message, await taken(at(15, 11))]).toEqual(['该时段已约满', 1]);
  const timeline = await one(
    salon,
    `SELECT count(*)::int AS n FROM entity_event WHERE entity = 'serviceOrder' AND entity_id = $1 AND action = 'reschedule'`,
    [made.order],
  );
  expect(timeline.n).toBe(1);
});

test('customer and person are reminded once a day and once two hours before', async () => {
  const made = await paidOrder(salon, at(16, 9));
  await act(salon, made.order, 'assign', { person: String(salon.li) });
  const told = async () =>
    (
      await one(
        salon,
        `SELECT count(*)::int AS n FROM sms_message WHERE purpose = 'visit' AND body LIKE '提醒：%'`,
      )
    ).n;
  const before = await told();
  await shift(salon, made.visit, 20);
  await runJob(salon, 'service.remind');
  await runJob(salon, 'service.remind');
  expect((await told()) - before).toBe(2);
  await shift(salon, made.visit, 1.5);
  await runJob(salon, 'service.remind');
  await runJob(salon, 'service.remind');
  expect((await told()) - before).toBe(4);
});
