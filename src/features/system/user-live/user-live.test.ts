import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { activityCounts, rollUpActivity } from '../../../domain/member-activity/member-activity.server.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { askToken, programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const REPORT = '/jinmao/web/report/userLive';
const DETAILS = '/jinmao/web/registration';
let product: TestProduct;
let admin: string;
let project: number;
let other: number;
const D = '2026-03-10';

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const { db } = product.platform.database;
  [project, other] = (await Promise.all(
    ['活跃甲', '活跃乙'].map(async (name, index) => {
      const row = await runOne<{ id: number }>(
        db,
        `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $2, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
        [`UL0${index}`, name],
      );
      return row!.id;
    }),
  )) as [number, number];
});
afterAll(() => product?.close());

let phones = 0;
async function member(registered: string, days: readonly string[], where = project, source = 'ios') {
  const { db } = product.platform.database;
  const row = await runOne<{ id: number }>(
    db,
    `INSERT INTO member (name, phone, project_id, registered_at, app_source) VALUES ('活跃会员', $1, $2, $3::date + time '23:30' - interval '0 hours', $4) RETURNING id`,
    [`1997000${String(++phones).padStart(4, '0')}`, where, registered, source],
  );
  for (const day of days)
    await run(
      db,
      'INSERT INTO member_active_day (member_id, day, project_id, app_source) VALUES ($1, $2, $3, $4)',
      [row!.id, day, where, source],
    );
  return row!.id;
}
const report = async (query: Record<string, string>, token = admin) =>
  (await product.call(token, 'GET', `${REPORT}?${new URLSearchParams({ limit: '200', ...query })}`)).data;
const behind = async (drill: Record<string, string>, token = admin) =>
  (await product.call(token, 'GET', `${DETAILS}/page?${new URLSearchParams({ limit: '200', ...drill })}`))
    .data.rows as { id: string }[];

describe('the figures', () => {
  test('DAU, WAU, MAU, stickiness, returning and retention as they are defined; every figure opens its members', async () => {
    // Registered on the day; back the next day, on day 7, on day 30, or never.
    const fresh = [
      await member(D, [D, addDays(D, 1), addDays(D, 7), addDays(D, 30)]),
      await member(D, [addDays(D, 1)]),
      await member(D, [addDays(D, 7)], project, 'android'),
      await member(D, []),
    ];
    // There before: active on the day, at the edges of the windows, and just outside of them.
    const old = [
      await member('2026-01-01', [D]),
      await member('2026-01-01', [addDays(D, -6)]),
      await member('2026-01-01', [addDays(D, -7), addDays(D, -29)]),
      await member('2026-01-01', [addDays(D, -30)]),
    ];
    await member('2026-01-01', [D], other);
    const query = { range: `${D}~${addDays(D, 3)}`, project: String(project) };
    const answer = await report(query);
    const row = answer.rows.find((one: { day: string }) => one.day === D);
    expect(row).toMatchObject({
      dau: 2,
      wau: 3,
      mau: 4,
      stickiness: '50.00',
      returning: 1,
      fresh: 4,
      day1: '50.00',
      day7: '50.00',
      day30: '25.00',
    });
    const ids = async (column: string) =>
      (await behind(row.drill[column])).map((one) => Number(one.id)).sort();
    expect(await ids('dau')).toEqual([fresh[0], old[0]].sort());
    expect(await ids('wau')).toEqual([fresh[0], old[0], old[1]].sort());
    expect(await ids('mau')).toHaveLength(4);
    expect(await ids('returning')).toEqual([old[0]]);
    expect(await ids('fresh')).toEqual([...fresh].sort());
    expect(await ids('day1')).toEqual([fresh[0], fresh[1]].sort());
    expect(await ids('day7')).toEqual([fresh[0], fresh[2]].sort());
    expect(await ids('day30')).toEqual([fresh[0]]);
    expect(answer.figures.kept1.value).toBe('50.00');
    expect(answer.sums).toMatchObject({ fresh: 4, day1: '50.00' });
    // Of one app only.
    const android = (await report({ ...query, appSource: 'android' })).rows.find(
      (one: { day: string }) => one.day === D,
    );
    expect(android).toMatchObject({ dau: 0, fresh: 1, day7: '100.00' });
    expect(await behind(android.drill.day7)).toHaveLength(1);
    const both = await report({ range: `${D}~${D}`, project: `${project},${other}` });
    expect(both.figures.lastDau.value).toBe('3');
  });

  test('a day whose next day is not over has no retention, days to come have no row, no members divide by nothing', async () => {
    const today = businessDayOf(new Date());
    await member(today, [today], other);
    await member(addDays(today, -1), [addDays(today, -1), today], other);
    const answer = await report({
      range: `${addDays(today, -3)}~${addDays(today, 5)}`,
      project: String(other),
    });
    expect(answer.rows.map((row: { day: string }) => row.day)).toEqual(
      [0, 1, 2, 3].map((n) => addDays(today, -n)),
    );
    expect(answer.rows[0]).toMatchObject({ dau: 2, day1: null });
    expect(answer.rows[1]).toMatchObject({ fresh: 1, day1: null });
    expect(answer.rows[3]).toMatchObject({ dau: 0, fresh: 0, day1: null, stickiness: null });
    expect(answer.figures.kept1.value).toBeNull();
  });
});

test('what was rolled up equals what is counted live, for one project, all of them and one app', async () => {
  const { db } = product.platform.database;
  const all = (await run<{ id: number }>(db, 'SELECT id FROM project ORDER BY id')).map((one) => one.id);
  const today = businessDayOf(new Date());
  const range = { from: addDays(today, -40), to: today };
  const ask = async () =>
    Promise.all(
      [[project], [all[0]!], all].flatMap((projects) =>
        [undefined, 'ios'].map(async (source) =>
          [...(await activityCounts(db, { projects, source, ...range }))].sort(),
        ),
      ),
    );
  const live = await ask();
  expect(await rollUpActivity(db)).toBeGreaterThan(40);
  expect(await rollUpActivity(db)).toBe(0);
  expect(await ask()).toEqual(live);
  expect(live.flat().some(([, count]) => count.dau > 0)).toBe(true);
  // They are read: a day that says otherwise is believed.
  await run(
    db,
    `UPDATE member_active_count SET mau = 9999 WHERE day = $1 AND project_id = $2 AND app_source = ''`,
    [addDays(today, -3), all[0]!],
  );
  const told = await activityCounts(db, { projects: [all[0]!], source: undefined, ...range });
  expect(told.get(addDays(today, -3))!.mau).toBe(9999);
});

test('the app tells of an opened app: one line a day however often, and the member is active', async () => {
  const { db } = product.platform.database;
  await programClient(db, {
    id: 'live-app',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['member_event'],
  });
  const id = await member('2026-01-01', []);
  const open = async (memberId: string, secret = 'a-long-secret') =>
    product.app.inject({
      method: 'POST',
      url: '/api/jinmao/web/userLive/app/open',
      headers: { authorization: await askToken(product, 'live-app', secret) },
      payload: { memberId, appSource: 4 },
    });
  expect((await open(String(id), 'wrong')).statusCode).toBe(401);
  expect((await open('999999999')).statusCode).toBe(404);
  const answers = await Promise.all(Array.from({ length: 10 }, () => open(String(id))));
  expect(answers.map((one) => one.statusCode)).toEqual(Array.from({ length: 10 }, () => 200));
  const rows = await run(
    db,
    'SELECT opens, app_source, project_id FROM member_active_day WHERE member_id = $1',
    [id],
  );
  expect(rows).toEqual([{ opens: 10, app_source: 'mini_program', project_id: project }]);
  const row = await runOne<{ last_active_on: string }>(
    db,
    'SELECT last_active_on FROM member WHERE id = $1',
    [id],
  );
  expect(row!.last_active_on).toBe(businessDayOf(new Date()));
});

test('group 09 Must show 15 (activity): company staff see the activity of their project only', async () => {
  const { db } = product.platform.database;
  const staff = await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'livewatch', '项目经理', false, false FROM tenant WHERE kind = 1 ORDER BY id LIMIT 1 RETURNING id`,
  );
  await run(
    db,
    `INSERT INTO tenant_project (tenant_id, project_id) SELECT tenant_id, $2 FROM staff WHERE id = $1 ON CONFLICT DO NOTHING`,
    [staff!.id, project],
  );
  await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff!.id, project]);
  await grantMenu(db, staff!.id, 'userLive');
  await grantMenu(db, staff!.id, 'ssm_registrationDetails');
  const token = await product.signIn('livewatch');
  const mine = await report({ range: `${D}~${D}` }, token);
  expect(mine.rows[0]).toMatchObject({ dau: 2, mau: 4 });
  expect((await report({ range: `${D}~${D}`, project: String(other) }, token)).rows[0]).toMatchObject({
    dau: 0,
  });
  expect(await behind({ activity: `${D}~${D}` }, token)).toHaveLength(2);
  expect((await product.call(token, 'GET', `${DETAILS}/page?activity=yesterday`)).http).toBe(422);
});
