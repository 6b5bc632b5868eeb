import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bonusesReached, cycleOf, streakOf } from '../../../domain/sign-in/sign-in.rules.ts';
import { remindToSign } from '../../../domain/sign-in/sign-reminder.server.ts';
import { rulesOn, signIn } from '../../../domain/sign-in/sign-in.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { programToken } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

let product: TestProduct;
let admin: string;
let app: string;
let project: number;
let number = 0;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  app = await programToken(product, { id: 'sign-app', scopes: ['member_event'] });
  // Caps of points rules are proven elsewhere; here the points are those of the example.
  await run(db(), `UPDATE points_rule SET state = 'stopped' WHERE event = 'sign_in'`);
  project = (await one<{ id: number }>('SELECT id FROM project ORDER BY id LIMIT 1')).id;
});
afterAll(() => product?.close());

const db = () => product.platform.database.db;
const one = async <T>(sql: string, values: unknown[] = []) => (await runOne<T>(db(), sql, values))!;
async function member(): Promise<number> {
  number += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO member (name, phone, project_id) VALUES ('吴签', $1, $2) RETURNING id`,
    [`1350000${String(number).padStart(4, '0')}`, project],
  );
  return id;
}
const sign = (memberId: number, day: string, madeUp = false) =>
  transaction(db(), (tx) =>
    signIn(tx, product.platform.settings, { memberId, projectId: project, day, madeUp }),
  );
const points = async (memberId: number) =>
  (
    await one<{ sum: number }>(
      `SELECT coalesce(sum(balance), 0)::int AS sum FROM ledger_account WHERE member_id = $1 AND kind = 'points_available'`,
      [memberId],
    )
  ).sum;

test('group 01 Must show 5: the example ends with 75 points and streak 8; the same day twice is one row', async () => {
  const id = await member();
  const day = (n: number) => `2026-10-${String(n).padStart(2, '0')}`;
  const seen: number[] = [];
  for (const n of [1, 2, 3, 5, 6, 7]) {
    await sign(id, day(n));
    seen.push(await points(id));
  }
  expect(seen).toEqual([5, 10, 25, 30, 35, 40]);
  const repaired = await sign(id, day(4), true);
  expect([repaired.points, await points(id)]).toEqual([30, 70]);
  const last = await sign(id, day(8));
  expect([last.streak, await points(id)]).toEqual([8, 75]);

  const again = await Promise.all(
    Array.from({ length: 4 }, () =>
      product.call(app, 'POST', '/jinmao/web/memberEvent', {
        eventId: randomUUID(),
        memberId: String(id),
        projectId: String(project),
        type: 'sign_in',
        occurredAt: new Date().toISOString(),
        payload: {},
      }),
    ),
  );
  expect(again.map((answer) => answer.message).sort()).toEqual([
    '',
    '今日已签到',
    '今日已签到',
    '今日已签到',
  ]);
  const rows = await one<{ n: number }>(
    `SELECT count(*)::int AS n FROM sign_in WHERE member_id = $1 AND day = (now() AT TIME ZONE 'Asia/Shanghai')::date`,
    [id],
  );
  expect(rows.n).toBe(1);
});

test('a change of a rule acts from the next day; a bonus is given once in a cycle', async () => {
  const today = (await one<{ day: string }>(`SELECT (now() AT TIME ZONE 'Asia/Shanghai')::date::text AS day`))
    .day;
  const made = await product.call(admin, 'POST', '/jinmao/web/signInRule', {
    type: 'consecutive',
    days: 2,
    points: 7,
  });
  expect(made.message).toBe('');
  const ids = async (day: string) =>
    (await transaction(db(), (tx) => rulesOn(tx, day))).map((rule) => rule.id);
  expect(await ids(today)).not.toContain(Number(made.data.id));
  expect(await ids('2099-01-01')).toContain(Number(made.data.id));
  const id = await member();
  const got: number[] = [];
  for (const day of ['2099-01-05', '2099-01-06', '2099-01-08', '2099-01-09', '2099-02-01', '2099-02-02'])
    got.push((await sign(id, day)).points);
  expect(got).toEqual([5, 12, 5, 5, 5, 12]);
  const twice = await product.call(admin, 'POST', '/jinmao/web/signInRule', {
    type: 'consecutive',
    days: 2,
    points: 9,
  });
  expect(twice.message).toBe('该类型已有相同天数的规则');
  const daily = await product.call(admin, 'POST', '/jinmao/web/signInRule', {
    type: 'daily',
    days: 1,
    points: 9,
  });
  expect(daily.message).toBe('已有启用的每日签到规则');
  const odd = await product.call(admin, 'POST', '/jinmao/web/signInRule', {
    type: 'daily',
    days: 2,
    points: 9,
  });
  expect(odd.http).toBe(422);
});

test('streaks begin anew with month or week, or never', () => {
  const days = new Set(['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02']);
  expect(['month', 'week', 'none'].map((cycle) => streakOf(cycle as never, days, '2026-11-02'))).toEqual([
    2, 1, 4,
  ]);
  expect(cycleOf('week', '2026-11-01').from).toBe('2026-10-26');
  const rules = [{ id: 1, type: 'cumulative' as const, days: 4, points: 1 }];
  expect(bonusesReached(rules, 'none', days, new Set())).toHaveLength(1);
  expect(bonusesReached(rules, 'none', days, new Set([1]))).toEqual([]);
});

test('figures count the sign-ins of the projects in reach', async () => {
  const figures = (await product.call(admin, 'GET', '/jinmao/web/signInRule/figures')).data;
  const today = await one<{ n: number }>(
    `SELECT count(*)::int AS n FROM sign_in WHERE day = (now() AT TIME ZONE 'Asia/Shanghai')::date`,
  );
  expect([figures.today, figures.days.length]).toEqual([today.n, 30]);
});

test('who signed in lately and not today is reminded at the set hour, once a day, unless that is not wanted', async () => {
  const hour = (
    await one<{ hour: number }>(`SELECT extract(hour FROM now() AT TIME ZONE 'Asia/Shanghai')::int AS hour`)
  ).hour;
  const [due, done, silent, away] = [await member(), await member(), await member(), await member()];
  const day = (back: number) =>
    new Date(Date.now() + 8 * 3_600_000 - back * 86_400_000).toISOString().slice(0, 10);
  for (const id of [due, done, silent]) await sign(id, day(1));
  await sign(done, day(0));
  await sign(away, day(20));
  await run(db(), 'UPDATE member SET sign_reminder = false WHERE id = $1', [silent]);
  const set = (value: number) =>
    run(
      db(),
      `INSERT INTO setting (key, value) VALUES ('signin.reminder_hour', to_jsonb($1::int)) ON CONFLICT DO NOTHING`,
      [value],
    );
  await set(hour);
  product.platform.settings.forget();
  await remindToSign(product.platform);
  expect(await remindToSign(product.platform)).toBe(0);
  const told = await run<{ member_id: number }>(
    db(),
    `SELECT member_id FROM member_notification WHERE title_zh = '签到提醒' AND member_id = ANY($1::bigint[])`,
    [[due, done, silent, away]],
  );
  expect(told.map((row) => row.member_id)).toEqual([due]);
});
