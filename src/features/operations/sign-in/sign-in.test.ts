import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bonusesReached, cycleOf, streakOf } from '../../../domain/sign-in/sign-in.rules.ts';
import { remindToSign } from '../../../domain/sign-in/sign-reminder.server.ts';
import { rulesOn, signIn } from '../../../domain/sign-in/sign-in.server.ts';
import { gradeInvariants } from '../../../domain/grade/member-grade.server.ts';
import { pointsAccountInvariants } from '../../../domain/points-ledger/points-account-invariants.server.ts';
import { pointsInvariants } from '../../../domain/points-ledger/points-invariants.server.ts';
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

test('sign-ins that are written together are those of one by one: refusals, repeats, bonuses and caps are answered each for itself', async () => {
  const today = (await one<{ day: string }>(`SELECT (now() AT TIME ZONE 'Asia/Shanghai')::date::text AS day`))
    .day;
  const [rule] = (await transaction(db(), (tx) => rulesOn(tx, today))).filter((one) => one.type === 'daily');
  const ids = await Promise.all(Array.from({ length: 40 }, member));
  const [early, owing, capped, official, bonus] = ids as [number, number, number, number, number];
  await sign(early, today);
  await run(db(), `UPDATE member SET official = true WHERE id = $1`, [official]);
  await run(
    db(),
    `INSERT INTO points_counter (subject, cap, period, used) VALUES ($1, 'activity', $2, (SELECT coalesce((SELECT (value #>> '{}')::int FROM setting WHERE key = 'points.cap.activity_daily'), $3)) - 1)`,
    [`member:${capped}`, `day:${today}`, product.platform.settings.defaultOf('points.cap.activity_daily')],
  );
  // In a row up to yesterday, as far as the month goes back: the row that a bonus ends with is longer than today alone.
  const before = (back: number) =>
    new Date(Date.parse(`${today}T00:00:00Z`) - back * 86_400_000).toISOString().slice(0, 10);
  for (const back of [2, 1]) await sign(bonus, before(back));
  await transaction(db(), async (tx) => {
    await run(
      tx,
      `INSERT INTO ledger_account (kind, owner, unit, balance, may_be_negative) VALUES ('points_debt', $1, 'point', 0, true), ('points_available', $1, 'point', 0, false), ('points_held', $1, 'point', 0, false)`,
      [String(owing)],
    );
    const { id } = (await runOne<{ id: number }>(
      tx,
      `INSERT INTO ledger_transfer (source_type, source_id, purpose, member_id, kind) VALUES ('test', $1, 'debt', $2, 14) RETURNING id`,
      [String(owing), owing],
    ))!;
    await run(
      tx,
      `WITH d AS (UPDATE ledger_account SET balance = -3 WHERE owner = $2 AND kind = 'points_debt' RETURNING id)
       INSERT INTO ledger_entry (transfer_id, account_id, amount, balance_after) SELECT $1::bigint, d.id, -3, -3 FROM d
       UNION ALL SELECT $1::bigint, a.id, 3, NULL FROM ledger_account a WHERE a.kind = 'points_clawed_back' AND a.unit = 'point'`,
      [id, String(owing)],
    );
  });
  const event = (memberId: number) => ({
    eventId: randomUUID(),
    memberId: String(memberId),
    projectId: String(project),
    type: 'sign_in',
    occurredAt: new Date().toISOString(),
    payload: {},
  });
  const bodies = ids.map(event);
  const old = { ...event(ids[39]!), occurredAt: new Date(Date.now() - 25 * 3_600_000).toISOString() };
  const nobody = event(999_999_999);
  const send = (body: object) => product.call(app, 'POST', '/jinmao/web/memberEvent', body);
  const answers = await Promise.all([...bodies, old, nobody, bodies[10]!, bodies[11]!].map(send));
  const [late, missing, ...again] = answers.slice(ids.length);
  expect([late!.message, missing!.message]).toEqual(['事件时间超过24小时', '会员或项目不存在']);
  for (const [index, answer] of again.entries())
    expect(answer.data.result).toEqual(answers[10 + index]!.data.result);
  expect(answers[0]!.message).toBe('今日已签到');
  const given = answers.slice(0, ids.length).map((answer) => answer.data?.result?.points ?? 0);
  const plain = rule!.points;
  expect(given.slice(0, 4)).toEqual([0, plain, 1, 0]);
  expect(given[4]).toBe(
    (
      await one<{ points: number }>(`SELECT points FROM sign_in WHERE member_id = $1 AND day = $2`, [
        bonus,
        today,
      ])
    ).points,
  );
  expect(given.slice(5)).toEqual(ids.slice(5).map(() => plain));
  const written = await one<{ n: number }>(
    `SELECT count(DISTINCT xmin::text)::int AS n FROM sign_in WHERE member_id = ANY($1::bigint[]) AND day = $2`,
    [ids, today],
  );
  expect(written.n).toBeLessThan(ids.length / 2);
  // The points of whom they were written for, and debt first.
  expect(await Promise.all(ids.slice(0, 4).map(points))).toEqual([plain, plain - 3, 1, 0]);
  expect(await Promise.all(ids.slice(5).map(points))).toEqual(ids.slice(5).map(() => plain));
  const kept = await one<{ events: number; rows: number; unanswered: number }>(
    `SELECT count(*)::int AS events, count(*) FILTER (WHERE answer IS NULL)::int AS unanswered,
            (SELECT count(*)::int FROM sign_in WHERE member_id = ANY($1::bigint[]) AND day = $2) AS rows
       FROM member_event WHERE member_id = ANY($1::bigint[])`,
    [ids, today],
  );
  expect(kept).toEqual({ events: ids.length, unanswered: 0, rows: ids.length });
  for (const invariant of [...pointsInvariants, ...pointsAccountInvariants, ...gradeInvariants])
    expect([invariant.name, (await invariant.check(product.platform)).problems]).toEqual([
      invariant.name,
      [],
    ]);
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

test('one daily rule stays enabled: it is neither switched off nor deleted, its points change', async () => {
  const { id } = await one<{ id: number }>(`SELECT id FROM sign_in_rule WHERE type = 'daily' AND enabled`);
  const path = `/jinmao/web/signInRule/${id}`;
  const { version } = (await product.call(admin, 'GET', path)).data;
  const told = '须有一条启用的每日签到规则，请直接编辑其积分';
  expect(await product.call(admin, 'POST', `${path}/disable`, { version })).toMatchObject({
    status: 30101,
    message: told,
  });
  expect((await product.call(admin, 'DELETE', path, { version })).status).toBe(30101);
  expect((await product.call(admin, 'PUT', path, { version, points: 6 })).status).toBe(200);
});
