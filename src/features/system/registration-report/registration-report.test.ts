import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { percentOf } from '../../../domain/residents/registration.rules.ts';
import { logRegistration } from '../../../domain/residents/residents.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';
import { stepsOf } from './registration-steps.rules.ts';

const REPORT = '/jinmao/web/report/registrationReport';
const RANGE = '2026-03-01~2026-03-31';

let product: TestProduct;
let admin: string;
/** Project with 200 houses, 50 normal; project with 10 of 10. */
let big: number;
let small: number;
let fieldOf: (project: number) => Promise<Record<string, any>>;

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  big = await plant('大项目', 200);
  small = await plant('小项目', 10);
  await settle(big, 50, 'normal', '2026-03-10');
  await settle(big, 3, 'reviewing', '2026-03-11');
  await settle(small, 10, 'normal', '2026-02-27');
  fieldOf = async (project) => {
    const answer = await product.call(admin, 'GET', `${REPORT}?range=${RANGE}&project=${project}`);
    expect(answer.http).toBe(200);
    expect(answer.data.rows).toHaveLength(1);
    return answer.data.rows[0];
  };
});
afterAll(() => product?.close());

/** A project of one building with units of ten floors and two doors. */
async function plant(name: string, houses: number): Promise<number> {
  const { db } = product.platform.database;
  const { id } = (await runOne<{ id: number }>(
    db,
    `INSERT INTO project (code, name, unit_id, centre_id, region_id, address, opened_on)
     SELECT $1, $1, unit_id, centre_id, region_id, address, opened_on FROM project ORDER BY id LIMIT 1 RETURNING id`,
    [name],
  ))!;
  await run(
    db,
    `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, '1栋') RETURNING id),
          u AS (INSERT INTO building_unit (building_id, name) SELECT id, '1单元' FROM b RETURNING id)
     INSERT INTO house (project_id, unit_id, number, floor, built_area)
     SELECT $1, u.id, n::text, (n - 1) / 2 + 1, 80 FROM u, generate_series(1, $2::int) n`,
    [id, houses],
  );
  return id;
}

let planted = 0;

/** Binds a member each to the next houses of a project that have none. */
async function settle(project: number, count: number, status: string, day: string): Promise<void> {
  planted += 1;
  await run(
    product.platform.database.db,
    `WITH h AS (SELECT x.id, row_number() OVER (ORDER BY x.id) AS n FROM house x
              WHERE x.project_id = $1 AND NOT EXISTS (SELECT 1 FROM household r WHERE r.house_id = x.id) LIMIT $2),
          m AS (INSERT INTO member (name, phone, project_id, registered_at)
                SELECT '测试' || n, '199' || $5::text || lpad(n::text, 6, '0'), $1, $4::timestamptz FROM h ORDER BY n RETURNING id, phone)
     INSERT INTO household (member_id, house_id, identity, status, bound_at)
     SELECT m.id, h.id, 'owner', $3, CASE WHEN $3 = 'normal' THEN $4::timestamptz END
       FROM h JOIN m ON m.phone = '199' || $5::text || lpad(h.n::text, 6, '0')`,
    [project, count, status, `${day}T12:00:00+08:00`, String(10 + planted)],
  );
}

const listed = (path: string, query: Record<string, string>) =>
  product.call(admin, 'GET', `${path}/page?limit=200&${new URLSearchParams(query)}`);

describe('figures', () => {
  test('group 09 Must show 1: 200 houses, 50 normal, 3 reviewing: 50, 25.00%, 150 behind the click', async () => {
    const row = await fieldOf(big);
    expect([row.houses, row.registered, row.rate, row.unregistered]).toEqual([200, 50, '25.00', 150]);
    const houses = await listed('/jinmao/web/houseRegistration', row.drill.unregistered);
    expect(houses.data.total).toBe(150);
    expect(houses.data.rows.every((one: { registered: boolean }) => !one.registered)).toBe(true);
    const reviewing = await run<{ id: number }>(
      product.platform.database.db,
      `SELECT h.id FROM house h JOIN household r ON r.house_id = h.id AND r.status = 'reviewing' WHERE h.project_id = $1`,
      [big],
    );
    expect(reviewing).toHaveLength(3);
    const ids = houses.data.rows.map((one: { id: string }) => one.id);
    for (const { id } of reviewing) expect(ids).toContain(String(id));
  });

  test('group 09 Must show 2: 50/200 and 10/10 make 28.57%', async () => {
    const answer = await product.call(admin, 'GET', `${REPORT}?range=${RANGE}&project=${big},${small}`);
    expect(answer.data.rows.map((row: { rate: string }) => row.rate)).toEqual(['100.00', '25.00']);
    expect([answer.data.sums.registered, answer.data.sums.houses, answer.data.sums.rate]).toEqual([
      60,
      210,
      '28.57',
    ]);
    expect(answer.data.figures.allRate.value).toBe('28.57');
  });

  test('every figure opens exactly its rows', async () => {
    const { data } = await product.call(admin, 'GET', `${REPORT}?range=${RANGE}&limit=200`);
    expect(data.rows.length).toBeGreaterThan(6);
    for (const row of data.rows)
      for (const column of Object.keys(row.drill)) {
        const path = ['houses', 'registered', 'unregistered', 'newHouses'].includes(column)
          ? '/jinmao/web/houseRegistration'
          : '/jinmao/web/registration';
        const list = await listed(path, row.drill[column]);
        expect([row.project.title, column, list.data.total]).toEqual([
          row.project.title,
          column,
          row[column],
        ]);
      }
  });

  test('new members and houses are those of the period, by day, week and month alike', async () => {
    const row = await fieldOf(big);
    expect([row.newMembers, row.newHouses, row.members, row.owners]).toEqual([53, 50, 53, 50]);
    expect((await fieldOf(small)).newHouses).toBe(0);
    for (const step of ['day', 'week', 'month']) {
      const { data } = await product.call(
        admin,
        'GET',
        `${REPORT}?range=${RANGE}&step=${step}&project=${big},${small}`,
      );
      const sum = (name: string) =>
        data.charts.trend.reduce(
          (all: number, one: { values: Record<string, number> }) => all + one.values[name]!,
          0,
        );
      expect([step, sum('newMembers'), sum('newHouses')]).toEqual([step, 53, 50]);
      expect(data.figures.allNewMembers).toMatchObject({ value: '53', previous: '10' });
    }
  });

  test('a scope without houses has no rate', async () => {
    const empty = await plant('空项目', 0);
    const row = await fieldOf(empty);
    expect([row.houses, row.rate]).toEqual([0, null]);
    expect(percentOf(0, 0)).toBeNull();
    expect([percentOf(1, 3), percentOf(2, 3), percentOf(1, 8), percentOf(1, 800)]).toEqual([
      33.33, 66.67, 12.5, 0.13,
    ]);
  });

  test('a range over a year and an unknown filter are refused', async () => {
    const long = await product.call(admin, 'GET', `${REPORT}?range=2025-01-01~2026-06-01`);
    expect([long.http, long.data.fields.range]).toEqual([422, '时间跨度不能超过366天']);
    expect((await product.call(admin, 'GET', `${REPORT}?range=${RANGE}&step=year`)).http).toBe(422);
  });
});

describe('who sees what', () => {
  test('group 09 Must show 15 (registration): company staff see their project only', async () => {
    const { db } = product.platform.database;
    const tenant = (await runOne<{ id: number }>(
      db,
      `INSERT INTO tenant (kind, account, name) VALUES (1, 'C77', '甲公司') RETURNING id`,
    ))!.id;
    await run(db, 'INSERT INTO tenant_project (tenant_id, project_id) VALUES ($1, $2)', [tenant, small]);
    const token = await staffWithMenus(tenant, 'watcher77');
    const report = await product.call(token, 'GET', `${REPORT}?range=${RANGE}`);
    expect(report.data.rows.map((row: { project: { id: string } }) => row.project.id)).toEqual([
      String(small),
    ]);
    const other = await product.call(token, 'GET', `${REPORT}?range=${RANGE}&project=${big}`);
    expect(other.data.rows).toEqual([]);
    const places = await product.call(token, 'GET', '/jinmao/web/houseRegistration/places');
    expect(places.data.map((one: { id: string; houses: number }) => [one.id, one.houses])).toEqual([
      [String(small), 10],
    ]);
    for (const [path, total] of [
      ['/jinmao/web/houseRegistration', 10],
      ['/jinmao/web/registration', 10],
      ['/jinmao/web/houseMember', 10],
      ['/jinmao/web/registrationLog', 0],
    ] as const)
      expect([path, (await product.call(token, 'GET', `${path}/page`)).data.total]).toEqual([path, total]);
    const building = (await runOne<{ id: number }>(db, 'SELECT id FROM building WHERE project_id = $1', [
      big,
    ]))!.id;
    expect(
      (await product.call(token, 'GET', `/jinmao/web/houseRegistration/plan?building=${building}`)).data,
    ).toEqual([]);
    const picker = await product.call(token, 'GET', '/jinmao/web/options/building');
    expect(picker.text).not.toContain(`"${building}"`);
  });

  test('a merchant sees no resident, whatever its menus', async () => {
    const merchant = (await runOne<{ id: number }>(
      product.platform.database.db,
      'SELECT min(id) AS id FROM tenant WHERE kind = 2',
    ))!.id;
    const token = await staffWithMenus(merchant, 'merchant77');
    for (const path of ['houseRegistration', 'registration', 'houseMember', 'registrationLog'])
      expect([path, (await product.call(token, 'GET', `/jinmao/web/${path}/page`)).data.total]).toEqual([
        path,
        0,
      ]);
    expect((await product.call(token, 'GET', '/jinmao/web/houseRegistration/places')).data).toEqual([]);
    expect((await product.call(token, 'GET', `${REPORT}?range=${RANGE}`)).data.rows).toEqual([]);
    expect((await product.call(token, 'GET', '/jinmao/web/registrationLog/strip')).data.attempts).toBe(0);
  });

  test('names and phones are masked, phones found by the whole number only', async () => {
    const { data, text } = await listed('/jinmao/web/registration', { project: String(small) });
    expect(text).not.toMatch(/199\d{8}/);
    expect(data.rows[0].name).toMatch(/\*/);
    const phone = (await runOne<{ phone: string }>(
      product.platform.database.db,
      'SELECT phone FROM member WHERE project_id = $1 ORDER BY id LIMIT 1',
      [small],
    ))!.phone;
    expect((await listed('/jinmao/web/registration', { phone })).data.total).toBe(1);
    expect((await listed('/jinmao/web/registration', { phone: phone.slice(0, 8) })).data.total).toBe(0);
  });
});

describe('the household that stands for a member', () => {
  test('normal before reviewing; it follows the status and the project of the member', async () => {
    const { db } = product.platform.database;
    const [first, second] = await run<{ id: number }>(
      db,
      'SELECT id FROM house WHERE project_id = $1 ORDER BY id DESC LIMIT 2',
      [big],
    );
    const member = (await runOne<{ id: number }>(
      db,
      `INSERT INTO member (name, phone) VALUES ('随迁', '19877770001') RETURNING id`,
    ))!.id;
    const chosen = async () =>
      runOne<{ project: number | null; house: number | null; bound: boolean }>(
        db,
        `SELECT m.project_id AS project, h.house_id AS house, h.bound_at IS NOT NULL AS bound
           FROM member m LEFT JOIN household h ON h.id = m.household_id WHERE m.id = $1`,
        [member],
      );
    const bind = (house: number, status: string) =>
      run(db, `INSERT INTO household (member_id, house_id, identity, status) VALUES ($1, $2, 'owner', $3)`, [
        member,
        house,
        status,
      ]);
    await bind(first!.id, 'reviewing');
    expect(await chosen()).toEqual({ project: null, house: null, bound: false });
    await bind(second!.id, 'normal');
    expect(await chosen()).toEqual({ project: big, house: second!.id, bound: true });
    await run(db, `UPDATE household SET status = 'normal' WHERE member_id = $1 AND house_id = $2`, [
      member,
      first!.id,
    ]);
    await run(db, `UPDATE household SET status = 'deleted' WHERE member_id = $1 AND house_id = $2`, [
      member,
      second!.id,
    ]);
    expect(await chosen()).toEqual({ project: big, house: first!.id, bound: true });
    await run(db, 'UPDATE member SET project_id = $2 WHERE id = $1', [member, small]);
    expect((await chosen())!.house).toBeNull();
    await run(db, 'DELETE FROM household WHERE member_id = $1', [member]);
    await run(db, 'DELETE FROM member WHERE id = $1', [member]);
  });
});

describe('log', () => {
  test('the 21st attempt of an address within an hour is marked, also when they come at once', async () => {
    const { platform } = product;
    const attempt = (index: number) =>
      transaction(platform.database.db, (tx) =>
        logRegistration(tx, platform, {
          phone: `1987000${String(index).padStart(4, '0')}`,
          action: 'register',
          ip: '10.9.9.9',
          reason: '短信验证码错误',
        }),
      );
    await Promise.all(Array.from({ length: 23 }, (_, index) => attempt(index)));
    const marked = await listed('/jinmao/web/registrationLog', { ip: '10.9.9.9', crowded: 'true' });
    expect(marked.data.total).toBe(3);
    const strip = await product.call(admin, 'GET', '/jinmao/web/registrationLog/strip?ip=10.9.9.9');
    expect(strip.data).toEqual({
      attempts: 23,
      successRate: '0.00',
      crowded: 3,
      reasons: [{ reason: '短信验证码错误', times: 23 }],
    });
  });

  test('the strip counts what the list shows, filters included; lines cannot be changed', async () => {
    for (const query of [{}, { action: 'register', result: 'failed' }, { action: 'approve' }] as Record<
      string,
      string
    >[]) {
      const [list, strip] = await Promise.all([
        listed('/jinmao/web/registrationLog', query),
        product.call(admin, 'GET', `/jinmao/web/registrationLog/strip?${new URLSearchParams(query)}`),
      ]);
      expect(strip.data.attempts).toBe(list.data.total);
    }
    const { db } = product.platform.database;
    await expect(run(db, `UPDATE registration_log SET reason = 'x'`)).rejects.toThrow(/only added/);
    await expect(run(db, 'DELETE FROM registration_log')).rejects.toThrow(/only added/);
  });
});

describe('steps', () => {
  test('weeks start on Monday, months on the first, ends are cut to the period', () => {
    expect(stepsOf('2026-03-04', '2026-03-17', 'week').map((one) => [one.from, one.to])).toEqual([
      ['2026-03-04', '2026-03-08'],
      ['2026-03-09', '2026-03-15'],
      ['2026-03-16', '2026-03-17'],
    ]);
    expect(stepsOf('2026-01-30', '2026-03-01', 'month').map((one) => [one.from, one.to])).toEqual([
      ['2026-01-30', '2026-01-31'],
      ['2026-02-01', '2026-02-28'],
      ['2026-03-01', '2026-03-01'],
    ]);
    expect(stepsOf('2026-02-27', '2026-03-01', 'day')).toHaveLength(3);
  });
});

/** Staff of a tenant who hold the menus of registration over all rows. */
async function staffWithMenus(tenant: number, account: string): Promise<string> {
  const { db } = product.platform.database;
  const staff = (await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, account, name, all_projects) VALUES ($1, $2, $2, true) RETURNING id`,
    [tenant, account],
  ))!.id;
  for (const menu of [
    'ssm_registrationReport',
    'ssm_registrationDetails',
    'ssm_registerByHouse',
    'ssm_registerLog',
  ])
    await grantMenu(db, staff, menu);
  return product.signIn(account);
}
