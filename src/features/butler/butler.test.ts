import { afterAll, beforeAll, expect, test } from 'vitest';
import { butlerInvariants } from '../../domain/butler/attribution.server.ts';
import { registration as domain } from '../../domain/butler/butler.server.ts';
import { elementCode, elementsOf } from '../../kernel/contract/resource.ts';
import { run, runOne } from '../../kernel/server/database.ts';
import type { Caller } from '../../kernel/server/people/caller.ts';
import { callerOf, openMall, type Mall } from '../mall/product/mall-fixture.ts';
import { registration as report } from './achievement/achievement.server.ts';
import { registration as totals } from './achievement/butler-total.server.ts';
import { butlerPerformance } from './achievement/achievement.contract.ts';
import { registration as performances } from './achievement/performance.server.ts';
import { BATCH_MENU, incentiveBatch } from './distribution/distribution.contract.ts';
import { registration as batches } from './distribution/distribution.server.ts';
import { registration as lines } from './distribution/batch-line.server.ts';
import { registration as rows } from './distribution/incentive.server.ts';

const TOTAL = '/jinmao/bizButlerTotalPC';
const BATCH = '/jinmao/web/incentiveBatch';
const MENU = 'butler_achievement';
let mall: Mall;
let tenantId: number;
let centre: number;
let all: Caller;
let butlers: { id: number; staffId: number }[];
const db = () => mall.platform.database.db;
const one = async (sql: string, values: readonly unknown[] = []) =>
  (await runOne<{ id: number }>(db(), sql, values))!.id;

/** 137 butlers of the north, the first also of the south, each with an order of its own amount. */
beforeAll(async () => {
  mall = await openMall([domain, report, totals, performances, batches, lines, rows]);
  const { north, south, member, merchantA, business } = mall.ids;
  tenantId = await one('SELECT id FROM tenant WHERE kind = 3 LIMIT 1');
  centre = await one(
    `INSERT INTO organisation (kind, code, name) VALUES ('centre_city', 'BC1', '北城') RETURNING id`,
  );
  await run(db(), 'UPDATE project SET centre_id = $1', [centre]);
  const building = async (project: number) =>
    one(`INSERT INTO building (project_id, name) VALUES ($1, '1栋') RETURNING id`, [project]);
  const [inNorth, inSouth] = [await building(north), await building(south)];
  const product = await one(
    `INSERT INTO product (code, tenant_id, business_id, name, status) VALUES ('PDB1', $1, $2, '米', 'published') RETURNING id`,
    [merchantA, business],
  );
  await run(db(), `INSERT INTO product_spec (product_id, code, name, price) VALUES ($1, 'S01', '袋', 1000)`, [
    product,
  ]);
  butlers = await run(
    db(),
    `WITH s AS (INSERT INTO staff (tenant_id, account, name, staff_no, is_housekeeper) SELECT $1, 'bt-' || n, '管家' || n, 'N' || n, true FROM generate_series(1, 137) n RETURNING id)
     INSERT INTO housekeeper (staff_id) SELECT id FROM s ORDER BY id RETURNING id, staff_id AS "staffId"`,
    [tenantId],
  );
  await run(
    db(),
    `INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, valid_from) SELECT unnest($1::bigint[]), $2, $3, '2020-01-01'`,
    [butlers.map((butler) => butler.id), north, inNorth],
  );
  await run(
    db(),
    `INSERT INTO housekeeper_building (housekeeper_id, project_id, building_id, valid_from) VALUES ($1, $2, $3, '2020-01-01')`,
    [butlers[0]!.id, south, inSouth],
  );
  const order = async (butler: { id: number }, n: number, project: number, cash: number) => {
    const payment = await one(
      `INSERT INTO payment (checkout_code, channel, state, amount, paid_at, deadline) VALUES ($1, 1, 2, $2, '2026-05-10T12:00:00+08:00', now()) RETURNING id`,
      [`CKT${n}`, cash],
    );
    const id = await one(
      `INSERT INTO sales_order (code, source, tenant_id, project_id, member_id, payment_id, title, contact_name, contact_phone, address, state, goods, payable, paid_at, completed_at)
       VALUES ($1, 1, $2, $3, $4, $5, 't', 'c', '1', 'a', $6, $7, $7, '2026-05-10T12:00:00+08:00', '2026-05-12T12:00:00+08:00') RETURNING id`,
      [`SOT${n}`, merchantA, project, member, payment, n % 4 === 0 ? 'to_ship' : 'completed', cash],
    );
    const line = await one(
      `INSERT INTO order_line (order_id, line_no, product_id, spec_id, product_name, spec_name, list_price, unit_price, qty, goods, cash)
       SELECT $1, 1, $2, min(id), 'p', 's', $3, $3, 1, $3, $3 FROM product_spec WHERE product_id = $2 RETURNING id`,
      [id, product, cash],
    );
    await run(
      db(),
      `WITH p AS (INSERT INTO butler_performance (line_id, order_id, housekeeper_id, way, project_id, business_id, product_id, member_id, paid_at, counted_at, cash, qty, rule, rate_bp)
         VALUES ($1, $2, $3, 2, $4, $5, $6, $7, '2026-05-10T12:00:00+08:00', '2026-05-10T12:00:00+08:00', $8, 1, 'default', 300) RETURNING id)
       INSERT INTO incentive (performance_id, housekeeper_id, project_id, centre_id, kind, amount, state, payable_at)
       SELECT p.id, $3, $4, $9, 'sale', round($8::numeric * 300 / 10000), 'payable', '2026-05-20T00:00:00+08:00' FROM p`,
      [line, id, butler.id, project, business, product, member, cash, centre],
    );
  };
  for (const [index, butler] of butlers.entries()) await order(butler, index, north, 1001 + index * 37);
  for (const n of [200, 201, 202]) await order(butlers[0]!, n, south, 5555);
  all = callerOf({ staffId: await mall.staff('boss', tenantId), tenantId }, [MENU], [`${MENU}:btn_export`]);
});
afterAll(async () => {
  for (const invariant of butlerInvariants) {
    const { problems } = await invariant.check(mall.platform);
    expect([invariant.name, problems]).toEqual([invariant.name, []]);
  }
  await mall.close();
});

const DAYS = { startTime: '2026-05-01', endTime: '2026-05-31' };
const asked = (more: object = {}, caller = all) =>
  mall.call(caller, 'POST', `${TOTAL}/searchButlerTotal`, { ...DAYS, ...more });
const fen = (yuan: unknown) => Math.round(Number(yuan) * 100);

test('group 12 Must show 4: the sum over 137 butlers is that of 14 pages to the fen; order counts equal the row', async () => {
  const { data: sum } = await mall.call(all, 'POST', `${TOTAL}/searchButlerTotalSum`, DAYS);
  const pages = [];
  for (let page = 1; page <= 14; page += 1) pages.push((await asked({ page, limit: 10 })).data);
  const found = pages.flatMap((page) => page.rows);
  expect([pages[0]!.total, found.length, pages[13]!.rows.length, sum.butlerCount]).toEqual([
    137, 137, 7, 137,
  ]);
  for (const name of [
    'orderAmount',
    'refundAmount',
    'validAmount',
    'servedOrderAmount',
    'shareOrderAmount',
    'incentiveAmount',
    'payableAmount',
    'frozenAmount',
  ])
    expect([name, found.reduce((total, row) => total + fen(row[name]), 0)]).toEqual([name, fen(sum[name])]);
  expect(found.reduce((total, row) => total + row.orderCount, 0)).toBe(sum.orderCount);
  expect(sum.orderCount).toBe(140);
  const first = found.find((row) => row.butlerId === String(butlers[0]!.id));
  const { data: counts } = await mall.call(
    all,
    'GET',
    `${TOTAL}/getButlerOrderCount?butlerId=${first.butlerId}&startTime=2026-05-01&endTime=2026-05-31`,
  );
  expect([first.orderCount, counts.total, counts.share + counts.served]).toEqual([4, 4, 4]);
  expect(counts.completed + counts.toShip).toBe(4);
  // Ranked by what is valid, each rank once.
  expect(found.map((row) => row.rank)).toEqual(found.map((_, index) => index + 1));
});

test('group 12 Must show 5: a butler gets the own row whoever is asked for; a supervisor sees the own project only', async () => {
  const [own, other] = [butlers[3]!, butlers[4]!];
  const butler = {
    ...callerOf({ staffId: own.staffId, tenantId }, []),
    menus: new Map([[MENU, [{ kind: 'self' as const }]]]),
  };
  for (const butlerId of [String(other.id), '']) {
    const { data } = await asked({ butlerId }, butler);
    expect(data.rows.map((row: { butlerId: string }) => row.butlerId)).toEqual([String(own.id)]);
  }
  const counts = await mall.call(
    butler,
    'GET',
    `${TOTAL}/getButlerOrderCount?butlerId=${other.id}&startTime=2026-05-01&endTime=2026-05-31`,
  );
  expect(counts.data.total).toBe(1);
  const south = callerOf(
    { staffId: await mall.staff('south', tenantId), tenantId, projectIds: [mall.ids.south] },
    [MENU],
  );
  const { data } = await asked({}, south);
  expect(data.rows).toMatchObject([
    { butlerId: String(butlers[0]!.id), orderCount: 3, validAmount: '166.65' },
  ]);
  expect((await asked({ projectId: [String(mall.ids.north)] }, south)).data.total).toBe(0);
});

test('each figure opens just the lines it is made of, whatever the report is grouped and filtered by', async () => {
  // Paid in May and completed in June: of June where the month of completion is asked for.
  await run(db(), `UPDATE sales_order SET completed_at = '2026-06-01T12:00:00+08:00' WHERE code = 'SOT3'`);
  const city = await one('SELECT centre_id AS id FROM project WHERE id = $1', [mall.ids.north]);
  for (const query of [
    `groupBy=butler&centre=${city}`,
    `groupBy=project&keyword=N12`,
    `groupBy=centre&keyword=N1&butler=${butlers[0]!.id},${butlers[1]!.id}`,
    `groupBy=month&project=${mall.ids.south}`,
    `groupBy=month&timeKind=completed&project=${mall.ids.north}`,
  ]) {
    const report = await mall.call(
      all,
      'GET',
      `/jinmao/web/report/butlerAchievement?range=2026-04-20~2026-06-10&${query}`,
    );
    expect([query, report.http, report.data.rows.length > 0]).toEqual([query, 200, true]);
    const [row] = report.data.rows;
    for (const [column, sum] of [
      ['validAmount', 'valid'],
      ['servedOrderAmount', 'valid'],
      ['orderAmount', 'cash'],
    ] as const) {
      const drill = new URLSearchParams(row.drill[column]).toString();
      const lines = await mall.call(all, 'GET', `/jinmao/web/butlerPerformance/sums?${drill}`);
      expect([query, column, lines.message, lines.data?.[sum]]).toEqual([query, column, '', row[column]]);
    }
  }
});

test('a result goes to another butler with its incentive, never to oneself, never once it is in a batch', async () => {
  const supervisor = callerOf(
    { staffId: await mall.staff('chief', tenantId), tenantId },
    [MENU],
    Object.keys(elementsOf(butlerPerformance)).map((element) => elementCode(butlerPerformance, element)),
  );
  const [from, to] = [butlers[10]!, butlers[11]!];
  const id = await one('SELECT id FROM butler_performance WHERE housekeeper_id = $1', [from.id]);
  const root = `/jinmao/web/butlerPerformance/${id}`;
  const { version } = (await mall.call(supervisor, 'GET', root)).data;
  const done = await mall.call(supervisor, 'POST', `${root}/reassign`, {
    version,
    to: String(to.id),
    reason: '共同服务',
  });
  expect([done.http, done.message]).toEqual([200, '']);
  expect(
    await runOne(db(), 'SELECT housekeeper_id AS id FROM incentive WHERE performance_id = $1', [id]),
  ).toEqual({ id: to.id });
  const back = await mall.call(supervisor, 'POST', `${root}/reassign`, {
    version: version + 1,
    to: String(from.id),
    reason: '更正',
  });
  expect(back.http).toBe(200);
});

const staffOf = async (name: string): Promise<Caller> => {
  const elements = Object.keys(elementsOf(incentiveBatch)).map((element) =>
    elementCode(incentiveBatch, element),
  );
  const made = callerOf({ staffId: await mall.staff(name, tenantId), tenantId }, [BATCH_MENU], elements);
  await run(
    db(),
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in LIMIT 1`,
    [made.staffId],
  );
  return made;
};

test('group 12 Must show 8: two make the batch of a month at once, one stands, the other is told its code', async () => {
  const [first, second] = [await staffOf('maker1'), await staffOf('maker2')];
  const body = { centre: String(centre), month: '2025-11' };
  const answers = await Promise.all([
    mall.call(first, 'POST', BATCH, body),
    mall.call(second, 'POST', BATCH, body),
  ]);
  expect(answers.map((answer) => answer.http).sort((a, b) => a - b)).toEqual([200, 409]);
  const refused = answers.find((answer) => answer.http === 409)!;
  expect([refused.status, refused.message]).toEqual([30101, expect.stringMatching(/^该月份已有批次 IB\d+$/)]);
  const open = await mall.call(first, 'POST', BATCH, { ...body, month: '2099-01' });
  expect(open.message).toBe('月份尚未结束');
});

test('group 12 Must show 9: the maker cannot pay, somebody else not without a proof; with it all rows are paid', async () => {
  const [maker, approver, payer] = [
    await staffOf('maker'),
    await staffOf('approver'),
    await staffOf('payer'),
  ];
  const made = await mall.call(maker, 'POST', BATCH, { centre: String(centre), month: '2026-05' });
  expect([made.http, made.message]).toEqual([200, '']);
  const id = String(made.data.id);
  const get = async (caller = maker) => (await mall.call(caller, 'GET', `${BATCH}/${id}`)).data;
  const act = async (caller: Caller, action: string, input: object = {}) =>
    mall.call(caller, 'POST', `${BATCH}/${id}/${action}`, { version: (await get()).version, ...input });
  const { data: sums } = await mall.call(maker, 'GET', `/jinmao/web/incentiveBatchLine/sums?batch=${id}`);
  expect((await get()).net).toBe(sums.net);
  expect((await act(maker, 'submit')).http).toBe(200);
  expect((await act(maker, 'approve')).http).toBe(409);
  expect((await act(approver, 'approve')).http).toBe(200);
  const refused = await act(maker, 'pay', { paidOn: '2026-06-05', proof: await mall.picture() });
  expect([refused.http, refused.message]).toEqual([409, '制单人不能确认发放']);
  const bare = await act(payer, 'pay', { paidOn: '2026-06-05' });
  expect([bare.http, Object.keys(bare.data.fields)]).toEqual([422, ['proof']]);
  const paid = await act(payer, 'pay', { paidOn: '2026-06-05', proof: await mall.picture() });
  expect([paid.http, paid.message]).toEqual([200, '']);
  expect((await get()).state).toBe('paid');
  expect(await run(db(), 'SELECT DISTINCT state FROM incentive WHERE batch_id = $1', [Number(id)])).toEqual([
    { state: 'paid' },
  ]);
  // A second batch of the month is refused by the code of this one.
  const again = await mall.call(payer, 'POST', BATCH, { centre: String(centre), month: '2026-05' });
  expect(again.message).toContain('该月份已有批次 IB');
});
