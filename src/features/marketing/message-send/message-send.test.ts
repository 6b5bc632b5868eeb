import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { isQuiet, nextTime } from '../../../domain/message-send/message.rules.ts';
import { sendEvent } from '../../../domain/message-send/send-event.server.ts';
import { receipt } from '../../../domain/message-send/mailbox.server.ts';
import { deliverEffect } from '../../../kernel/server/tasks/outbox.ts';
import { transaction } from '../../../kernel/server/database.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { dispatchAt } from './message-send.server.ts';

const ROOT = '/jinmao/web/messageSend';
let product: TestProduct;
let admin: string;
let other: string;
let project: number;
let smsTemplate: string;
let pushTemplate: string;
const db = () => product.platform.database.db;
/** A day far ahead, so that whatever is handed in now is due. */
const at = (time: string, day = '2031-03-10') => new Date(`${day}T${time}:00+08:00`);
const rowOf = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
const act = async (id: string, action: string, input: object = {}, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, { version: (await rowOf(id)).version, ...input });
const form = (more: object = {}) => ({
  name: '双十一优惠',
  template: smsTemplate,
  values: [],
  channels: ['2'],
  channelMode: 'all',
  audience: 'conditions',
  joinBy: 'all',
  projects: [String(project)],
  schedule: 'now',
  ...more,
});
const add = async (more: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, form(more));
  expect([made.http, made.message, made.data?.fields]).toEqual([200, '', undefined]);
  return String(made.data.id);
};
/** Hands a message in; where it waits for a review somebody else passes it. */
const handIn = async (more: object = {}) => {
  const id = await add(more);
  const sent = await act(id, 'submit');
  expect([sent.http, sent.message]).toEqual([200, '']);
  if ((await rowOf(id)).state === 'reviewing') {
    const passed = await act(id, 'approve', {}, other);
    expect([passed.http, passed.message]).toEqual([200, '']);
  }
  return id;
};
const states = async (id: string) =>
  Object.fromEntries(
    (
      await run<{ state: string; n: number }>(
        db(),
        'SELECT state, count(*)::int AS n FROM message_recipient WHERE send_id = $1 GROUP BY state',
        [Number(id)],
      )
    ).map((one) => [one.state, one.n]),
  );
const place = async (code: string, people: number, phone: number) => {
  const id = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
    [code, `消息小区${code}`],
  ))!.id;
  await run(
    db(),
    `INSERT INTO member (name, phone, project_id) SELECT 'p' || n, ($2::bigint + n)::text, $1 FROM generate_series(1, $3::int) n`,
    [id, phone, people],
  );
  return id;
};
const template = async (more: object) => {
  const made = await product.call(admin, 'POST', '/jinmao/web/messageTemplate', {
    name: '模板',
    category: 'marketing',
    variables: [],
    smsSign: '金茂',
    smsBody: '{{nickname}}，新品上线',
    pushTitle: '新品',
    pushBody: '新品上线',
    inAppTitle: '新品',
    inAppBody: '<p>{{nickname}}</p>',
    channels: ['1', '2', '3'],
    ...more,
  });
  const id = String(made.data.id);
  const row = (await product.call(admin, 'GET', `/jinmao/web/messageTemplate/${id}`)).data;
  await product.call(admin, 'POST', `/jinmao/web/messageTemplate/${id}/enable`, { version: row.version });
  return id;
};

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const staff = (await runOne<{ account: string }>(
    db(),
    `INSERT INTO staff (account, name, tenant_id, phone, state, password_hash, all_projects, must_change_password)
     SELECT 'msgreview', '审核员', tenant_id, '13900000777', 'normal', password_hash, all_projects, false FROM staff WHERE account = 'admin' RETURNING account`,
  ))!;
  await run(
    db(),
    `INSERT INTO group_member (group_id, staff_id)
     SELECT g.group_id, s.id FROM group_member g JOIN staff a ON a.id = g.staff_id AND a.account = 'admin', staff s WHERE s.account = $1`,
    [staff.account],
  );
  other = await product.signIn(staff.account);
  smsTemplate = await template({ name: '营销短信' });
  pushTemplate = await template({ name: '业务通知', category: 'business' });
  project = await place('MSG1', 1_200, 16_000_000_000);
});
afterAll(() => product.close());

test('group 16 Must show 15: the estimate is 1,200 = 1,130 reachable + 70 skipped, reasons add up to 70', async () => {
  const id = await add();
  const member = (n: number) => `(SELECT id FROM member WHERE phone = (16000000000 + ${n})::text)`;
  for (let n = 1; n <= 40; n++)
    await run(
      db(),
      `INSERT INTO message_optout (member_id, channel, category) VALUES (${member(n)}, 2, 'marketing')`,
    );
  for (let n = 41; n <= 60; n++)
    await run(db(), `UPDATE member SET banned_until = 'infinity' WHERE id = ${member(n)}`);
  const excludedPhones = Array.from({ length: 10 }, (_, n) => String(16_000_000_061 + n)).join('\n');
  await product.call(admin, 'PUT', `${ROOT}/${id}`, { excludedPhones, version: (await rowOf(id)).version });
  const { data } = await product.call(admin, 'GET', `${ROOT}/${id}/estimate`);
  expect([data.total, data.reachable, data.skippedTotal]).toEqual([1_200, 1_130, 70]);
  expect(Object.fromEntries(data.skipped.map((one: any) => [one.reason, one.people]))).toEqual({
    opted_out: 40,
    banned: 20,
    excluded: 10,
  });
  expect([data.review, data.segments, data.smsCost, data.sample.length]).toEqual([true, 1, '45.20', 10]);
  const draft = await product.call(admin, 'POST', `${ROOT}/estimate`, {
    template: smsTemplate,
    channels: [2],
    projects: [String(project)],
    excludedPhones,
  });
  expect([draft.data.total, draft.data.reachable]).toEqual([1_200, 1_130]);
  await run(db(), 'DELETE FROM message_optout');
  await run(db(), 'UPDATE member SET banned_until = NULL');
});

test('who wrote a message never approves it, also where a colleague handed it in and the approval centre asks', async () => {
  await run(
    db(),
    `WITH made AS (INSERT INTO staff (account, name, tenant_id, state, all_projects)
                   SELECT 'msgthird', '复核员', tenant_id, 'normal', true FROM staff WHERE account = 'admin' RETURNING id)
     INSERT INTO group_member (group_id, staff_id)
     SELECT g.group_id, made.id FROM group_member g JOIN staff a ON a.id = g.staff_id AND a.account = 'admin', made`,
  );
  const id = await add();
  expect((await act(id, 'submit', {}, other)).http).toBe(200);
  expect((await rowOf(id)).state).toBe('reviewing');
  const asked = await run<{ task: number; account: string }>(
    db(),
    `SELECT k.id AS task, s.account FROM approval_task k JOIN approval_instance i ON i.id = k.instance_id JOIN staff s ON s.id = k.assignee_id
      WHERE i.biz_type = 'message_send' AND i.biz_id = $1 AND k.state = 'pending'`,
    [Number(id)],
  );
  const own = asked.find((one) => one.account === 'admin');
  if (own) {
    const decided = await product.call(admin, 'POST', `/admin/approval/${own.task}/decide`, {
      approved: true,
    });
    expect(decided.http).not.toBe(200);
  }
  expect([own, (await rowOf(id)).state]).toEqual([undefined, 'reviewing']);
  expect((await act(id, 'withdraw', {}, other)).http).toBe(200);
});

test('group 16 Must show 14: 1,200 marketing SMS wait for a review, at most 600 leave before 22:00, the rest at 08:00', async () => {
  const id = await add();
  await act(id, 'submit');
  expect((await rowOf(id)).state).toBe('reviewing');
  const own = await act(id, 'approve');
  expect(own.http).not.toBe(200);
  const passed = await act(id, 'approve', {}, other);
  expect([passed.http, passed.message]).toEqual([200, '']);
  await Promise.all([dispatchAt(product.platform, at('21:59')), dispatchAt(product.platform, at('21:59'))]);
  expect(await states(id)).toEqual({ submitted: 600, pending: 600 });
  await dispatchAt(product.platform, at('22:01'));
  await dispatchAt(product.platform, at('07:59', '2031-03-11'));
  expect(await states(id)).toEqual({ submitted: 600, pending: 600 });
  await dispatchAt(product.platform, at('08:00', '2031-03-11'));
  expect(await states(id)).toEqual({ submitted: 1_200 });
  await run(db(), `UPDATE sms_message SET state = 'sent' WHERE purpose = 'massMessage'`);
  await dispatchAt(product.platform, at('08:02', '2031-03-11'));
  expect((await rowOf(id)).state).toBe('done');
});

test('group 16 Must show 14: whoever dispatches beside others or is killed on the way, no member gets two', async () => {
  await run(db(), 'DELETE FROM message_usage');
  const id = await handIn({ name: '并发' });
  const second = await product.another();
  await Promise.all([
    dispatchAt(product.platform, at('10:00', '2031-04-01')),
    dispatchAt(second.platform, at('10:00', '2031-04-01')),
    dispatchAt(product.platform, at('10:00', '2031-04-01')),
  ]);
  await dispatchAt(product.platform, at('10:02', '2031-04-01'));
  expect(await states(id)).toEqual({ submitted: 1_200 });
  const twice = await run(
    db(),
    `SELECT r.member_id FROM message_recipient r JOIN sms_message s ON s.params->>'no' LIKE '%-' || r.id WHERE r.send_id = $1 GROUP BY r.member_id HAVING count(*) > 1`,
    [Number(id)],
  );
  expect(twice).toEqual([]);
  // A process that died between handing an SMS to the provider and noting it: nobody knows, so it does not leave again.
  const one = (await runOne<{ id: number; outbox: number }>(
    db(),
    `SELECT s.id, o.id AS outbox FROM message_recipient r JOIN sms_message s ON s.id = r.sms_id JOIN outbox o ON o.kind = 'sms.send' AND o.payload->>'id' = s.id::text
      WHERE r.send_id = $1 ORDER BY r.id LIMIT 1`,
    [Number(id)],
  ))!;
  await run(db(), `UPDATE sms_message SET state = 'queued', handed_at = now() WHERE id = $1`, [one.id]);
  await run(
    db(),
    `UPDATE outbox SET state = 'pending', available_at = now() - interval '1 minute' WHERE id = $1`,
    [one.outbox],
  );
  const effects = new Map(
    product.platform.registrations
      .flatMap((entry) => entry.effects ?? [])
      .map((effect) => [effect.kind, effect]),
  );
  expect(await deliverEffect(product.platform, effects, one.outbox)).toBe('done');
  expect(await runOne(db(), 'SELECT state, error FROM sms_message WHERE id = $1', [one.id])).toEqual({
    state: 'failed',
    error: 'unknown',
  });
  await dispatchAt(product.platform, at('10:03', '2031-04-01'));
  expect(
    await runOne(db(), 'SELECT state, reason FROM message_recipient WHERE sms_id = $1', [one.id]),
  ).toEqual({ state: 'failed', reason: 'unknown' });
  await act(id, 'cancel');
});

test('group 16 Must show 14: 30 failed, a resend reaches only these 30', async () => {
  await run(db(), 'DELETE FROM message_usage');
  const id = await handIn({ name: '补发' });
  await dispatchAt(product.platform, at('10:00', '2031-05-01'));
  await dispatchAt(product.platform, at('10:02', '2031-05-01'));
  await run(
    db(),
    `UPDATE sms_message SET state = CASE WHEN id IN (SELECT sms_id FROM message_recipient WHERE send_id = $1 ORDER BY id LIMIT 30) THEN 'failed' ELSE 'sent' END,
            refused = id IN (SELECT sms_id FROM message_recipient WHERE send_id = $1 ORDER BY id LIMIT 30) WHERE purpose = 'massMessage'`,
    [Number(id)],
  );
  await dispatchAt(product.platform, at('10:03', '2031-05-01'));
  expect(await states(id)).toEqual({ submitted: 1_170, failed: 30 });
  expect((await rowOf(id)).state).toBe('done');
  const made = await act(id, 'resend');
  expect([made.http, made.message]).toEqual([200, '']);
  // Nobody is sent to twice: neither while the resend waits, nor after it reached them.
  expect((await act(id, 'resend')).http).toBe(409);
  await dispatchAt(product.platform, at('10:05', '2031-05-01'));
  const again = (await runOne<{ id: number }>(db(), 'SELECT id FROM message_send WHERE resent_of_id = $1', [
    Number(id),
  ]))!;
  expect(await states(String(again.id))).toEqual({ submitted: 30 });
  await run(
    db(),
    `UPDATE sms_message SET state = CASE WHEN id = (SELECT min(sms_id) FROM message_recipient WHERE send_id = $1) THEN 'failed' ELSE 'sent' END,
            refused = id = (SELECT min(sms_id) FROM message_recipient WHERE send_id = $1) WHERE state = 'queued' AND purpose = 'massMessage'`,
    [again.id],
  );
  await dispatchAt(product.platform, at('10:06', '2031-05-01'));
  expect(await states(String(again.id))).toEqual({ submitted: 29, failed: 1 });
  // The one that failed again is sent to once more, and only that one.
  await run(db(), 'DELETE FROM message_usage');
  expect((await act(id, 'resend')).http).toBe(200);
  await dispatchAt(product.platform, at('10:08', '2031-05-01'));
  const third = (await runOne<{ id: number }>(
    db(),
    'SELECT max(id) AS id FROM message_send WHERE resent_of_id = $1',
    [Number(id)],
  ))!;
  expect(await states(String(third.id))).toEqual({ submitted: 1 });
  await run(db(), `UPDATE sms_message SET state = 'sent' WHERE state = 'queued' AND purpose = 'massMessage'`);
  await dispatchAt(product.platform, at('10:09', '2031-05-01'));
  const over = await act(id, 'resend');
  expect([over.http, over.message]).toEqual([409, '没有失败的接收人']);
});

test('a passing failure is tried again after 1, 5 and 30 minutes, then it stays failed', async () => {
  await run(db(), 'DELETE FROM message_usage');
  const few = await place('MSG2', 1, 16_100_000_000);
  const id = await handIn({ name: '重试', projects: [String(few)] });
  const fail = () =>
    run(db(), `UPDATE sms_message SET state = 'failed', error = 'timeout' WHERE phone = '16100000001'`);
  for (const [minute, state] of [
    ['10:00', 'submitted'],
    ['10:01', 'pending'],
    ['10:02', 'submitted'],
    ['10:03', 'pending'],
    ['10:08', 'submitted'],
    ['10:09', 'pending'],
    ['10:39', 'submitted'],
    ['10:40', 'failed'],
  ] as const) {
    await dispatchAt(product.platform, at(minute, '2031-06-01'));
    expect([minute, await states(id)]).toEqual([minute, { [state]: 1 }]);
    await fail();
  }
});

test('the cap skips the third marketing message of a day; business notices pass, also at night', async () => {
  const few = await place('MSG3', 3, 16_200_000_000);
  for (const name of ['第一条', '第二条', '第三条']) {
    const id = await handIn({ name, projects: [String(few)], channels: ['1'] });
    await dispatchAt(product.platform, at('12:00', '2031-07-01'));
    expect(await states(id)).toEqual(name === '第三条' ? { skipped: 3 } : { delivered: 3 });
    expect((await rowOf(id)).state).toBe(name === '第三条' ? 'failed' : 'done');
  }
  const id = await handIn({ name: '业务', projects: [String(few)], template: pushTemplate, channels: ['3'] });
  await dispatchAt(product.platform, at('23:00', '2031-07-01'));
  expect(await states(id)).toEqual({ submitted: 3 });
});

test('the next channel stands in where the first one brought nothing in ten minutes', async () => {
  const few = await place('MSG4', 2, 16_300_000_000);
  const id = await handIn({
    name: '逐级',
    projects: [String(few)],
    template: pushTemplate,
    channels: ['3', '1'],
    channelMode: 'fallback',
  });
  await dispatchAt(product.platform, at('12:00', '2031-08-01'));
  expect(await states(id)).toEqual({ submitted: 2 });
  const first = (await runOne<{ id: number; code: string }>(
    db(),
    'SELECT r.id, s.code FROM message_recipient r JOIN message_send s ON s.id = r.send_id WHERE r.send_id = $1 ORDER BY r.id LIMIT 1',
    [Number(id)],
  ))!;
  const no = `${first.code}-${first.id}`;
  await transaction(db(), (tx) => receipt(tx, no, 'read'));
  // Receipts never go back.
  await transaction(db(), (tx) => receipt(tx, no, 'delivered'));
  expect(
    (await runOne<{ state: string }>(db(), 'SELECT state FROM message_recipient WHERE id = $1', [first.id]))!
      .state,
  ).toBe('read');
  await expect(
    run(db(), `UPDATE message_recipient SET state = 'failed', reason = 'refused' WHERE id = $1`, [first.id]),
  ).rejects.toThrow();
  await dispatchAt(product.platform, at('12:11', '2031-08-01'));
  expect(await states(id)).toEqual({ read: 1, submitted: 1, delivered: 1 });
  expect((await rowOf(id)).state).toBe('done');
});

test('a paused or cancelled message sends nothing more; nobody to reach and past times are refused', async () => {
  const few = await place('MSG5', 2, 16_400_000_000);
  const id = await handIn({
    name: '每日',
    projects: [String(few)],
    template: pushTemplate,
    channels: ['1'],
    batchPerDay: 1,
  });
  await dispatchAt(product.platform, at('12:00', '2031-09-01'));
  expect(await states(id)).toEqual({ delivered: 1, pending: 1 });
  expect((await act(id, 'pause')).http).toBe(200);
  await dispatchAt(product.platform, at('12:00', '2031-09-02'));
  expect(await states(id)).toEqual({ delivered: 1, pending: 1 });
  await act(id, 'resume');
  await act(id, 'cancel');
  await dispatchAt(product.platform, at('12:00', '2031-09-02'));
  expect(await states(id)).toEqual({ delivered: 1, skipped: 1 });
  const nobody = await add({ audience: 'phones', phones: '19999999999' });
  expect((await act(nobody, 'submit')).message).toBe('没有可触达的对象');
  const past = await product.call(
    admin,
    'POST',
    ROOT,
    form({ schedule: 'at', sendAt: '2020-01-01T08:00:00+08:00' }),
  );
  expect([past.http, past.data.fields.sendAt]).toEqual([422, '时间不能早于现在']);
});

test('a recurring message has one run a date and stays scheduled', async () => {
  const few = await place('MSG6', 2, 16_500_000_000);
  const id = await handIn({
    name: '周期',
    projects: [String(few)],
    template: pushTemplate,
    channels: ['1'],
    schedule: 'recurring',
    repeats: 'daily',
    atTime: '09:00',
  });
  await run(
    db(),
    `UPDATE message_send SET next_at = '2031-10-01T09:00:00+08:00', until_on = '2031-10-02' WHERE id = $1`,
    [Number(id)],
  );
  await dispatchAt(product.platform, at('09:00', '2031-10-01'));
  expect([(await rowOf(id)).state, await states(id)]).toEqual(['scheduled', { delivered: 2 }]);
  await dispatchAt(product.platform, at('08:59', '2031-10-02'));
  expect(await states(id)).toEqual({ delivered: 2 });
  await Promise.all([
    dispatchAt(product.platform, at('09:00', '2031-10-02')),
    dispatchAt(product.platform, at('09:00', '2031-10-02')),
  ]);
  await dispatchAt(product.platform, at('09:01', '2031-10-02'));
  expect([(await rowOf(id)).state, await states(id)]).toEqual(['done', { delivered: 4 }]);
});

test('an event sends once a key in 24 hours; a value nobody gives takes its default and is reported', async () => {
  const event = String(
    (await runOne<{ id: number }>(db(), `SELECT id FROM message_event WHERE code = 'bill_due'`))!.id,
  );
  await template({
    name: '账单待缴',
    category: 'business',
    event,
    channels: ['1'],
    variables: [{ name: 'amount', type: 'money', sample: '100', fallback: '若干' }],
    inAppTitle: '账单待缴',
    inAppBody: '<p>待缴 {{amount}} 元</p>',
  });
  const member = (await runOne<{ id: number }>(db(), `SELECT id FROM member WHERE phone = '16000000001'`))!
    .id;
  const tell = (when: Date, variables = {}) =>
    transaction(db(), (tx) =>
      sendEvent(tx, { event: 'bill_due', memberIds: [member], variables, dedupKey: 'bill:1', at: when }),
    );
  // A company's template of the event, though it is newer, speaks to nobody but in the company's own sends.
  await run(
    db(),
    `INSERT INTO message_template (code, name, tenant_id, category, event_id, channel_codes, variables, in_app_title, in_app_body, state, updated_at)
     SELECT 'MTFOREIGN', '冒用', (SELECT id FROM tenant WHERE kind = 1 ORDER BY id LIMIT 1), category, event_id, channel_codes, variables,
            '点击领取', '<p>冒用</p>', 'enabled', now() + interval '1 day' FROM message_template WHERE event_id = $1 LIMIT 1`,
    [Number(event)],
  );
  const first = await tell(at('10:00', '2031-11-01'));
  const [again, both] = await Promise.all([tell(at('11:00', '2031-11-01')), tell(at('11:00', '2031-11-01'))]);
  expect([typeof first, again, both]).toEqual(['number', undefined, undefined]);
  const next = await tell(at('10:00', '2031-11-02'), { amount: '<b>5</b>' });
  await dispatchAt(product.platform, at('10:00', '2031-11-02'));
  const texts = await run<{ body_zh: string }>(
    db(),
    `SELECT n.body_zh FROM member_notification n JOIN message_recipient r ON r.id = n.recipient_id WHERE r.send_id = ANY($1::bigint[]) ORDER BY r.send_id`,
    [[first, next]],
  );
  expect(texts.map((one) => one.body_zh)).toEqual([
    '<p>待缴 若干 元</p>',
    '<p>待缴 &lt;b&gt;5&lt;/b&gt; 元</p>',
  ]);
  const reports = await run(
    db(),
    `SELECT 1 FROM error_report WHERE message = 'message event bill_due: no value of amount'`,
  );
  expect(reports).toHaveLength(1);
});

test('quiet hours and days of repetition', () => {
  expect(['21:59', '22:00', '07:59', '08:00'].map((time) => isQuiet(at(time)))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  const repeat = { weekDays: [1], monthDay: 31, atTime: '09:00', until: null };
  expect(nextTime({ ...repeat, repeats: 'weekly' }, at('09:00'))?.toISOString()).toBe(
    '2031-03-17T01:00:00.000Z',
  );
  expect(nextTime({ ...repeat, repeats: 'monthly' }, at('09:00', '2031-04-01'))?.toISOString()).toBe(
    '2031-04-30T01:00:00.000Z',
  );
  expect(nextTime({ ...repeat, repeats: 'daily', until: '2031-03-10' }, at('09:00'))).toBeUndefined();
});

test('an audience may ask for grades; points are points, coins do not count', async () => {
  const here = await place('MSG9', 4, 17_912_300_000);
  const people = await run<{ id: number }>(db(), 'SELECT id FROM member WHERE project_id = $1 ORDER BY id', [
    here,
  ]);
  const grades = await run<{ id: number }>(db(), 'SELECT id FROM grade ORDER BY threshold');
  await run(db(), 'INSERT INTO member_grade (member_id, basis) VALUES ($1, 700), ($2, 3000)', [
    people[0]!.id,
    people[1]!.id,
  ]);
  for (const [unit, member] of [
    ['coin', people[2]!.id],
    ['point', people[3]!.id],
  ] as const)
    await run(
      db(),
      `INSERT INTO ledger_account (kind, owner, unit, balance) VALUES ('points_available', $1, $2, 900)`,
      [String(member), unit],
    );
  const reached = async (more: object) => {
    const answer = await product.call(admin, 'POST', `${ROOT}/estimate`, {
      channels: [2],
      template: smsTemplate,
      projects: [String(here)],
      ...more,
    });
    expect([answer.http, answer.message]).toEqual([200, '']);
    return answer.data.total as number;
  };
  expect(await reached({})).toBe(4);
  expect(await reached({ grades: [String(grades[1]!.id)] })).toBe(1);
  expect(await reached({ grades: [String(grades[1]!.id), String(grades[2]!.id)] })).toBe(2);
  expect(await reached({ minPoints: 500 })).toBe(1);
  const id = await add({ projects: [String(here)], grades: [String(grades[2]!.id)] });
  expect((await rowOf(id)).grades).toMatchObject([{ id: String(grades[2]!.id) }]);
  const wrong = await product.call(admin, 'POST', ROOT, form({ grades: ['999999'] }));
  expect(wrong.data.fields).toMatchObject({ grades: '没有此选项' });
});
