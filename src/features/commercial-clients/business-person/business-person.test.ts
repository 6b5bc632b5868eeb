import { afterAll, beforeAll, expect, test } from 'vitest';
import { signClient } from '../../../domain/commercial-client/client-stage.server.ts';
import { goOnHandingOver } from '../../../domain/commercial-client/hand-over.server.ts';
import { ALL_CLIENTS } from '../../../domain/commercial-client/client-sight.server.ts';
import { elementCode, elementsOf, type ResourceSpec } from '../../../kernel/contract/resource.ts';
import { addDays, businessDayOf, monthBefore } from '../../../kernel/contract/time.rules.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as staff } from '../../admin-sys/staff/staff.server.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { CLIENT_MENU, commercialClient } from '../client/client.contract.ts';
import { registration as clients } from '../client/client.server.ts';
import { registration as marks } from './business-marks-report.server.ts';
import { registration as report } from './business-report.server.ts';
import { businessPerson, PERSON_MENU } from './business-person.contract.ts';
import { registration as people } from './business-person.server.ts';
import { businessTarget } from './business-target.contract.ts';
import { freezeMonth, registration as targets } from './business-target.server.ts';

let mall: Mall;
let admin: Caller;
let north: Caller;
const staffOf: Record<string, number> = {};
const personOf: Record<string, number> = {};
let turn = 0;
const db = () => mall.platform.database.db;
const one = async <T extends object>(text: string, values: unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;
const value = async (root: string, at = 0) =>
  (
    await run<{ id: number }>(
      db(),
      `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = $1 AND v.parent_id IS NOT NULL ORDER BY v.id`,
      [root],
    )
  )[at]!.id;
const today = businessDayOf(new Date());
const month = today.slice(0, 7);
const last = monthBefore(today);

beforeAll(async () => {
  mall = await openMall([places, staff, clients, people, targets, report, marks]);
  const platformId = (await one<{ id: number }>('SELECT id FROM tenant WHERE kind = 3 LIMIT 1')).id;
  const elements = ([commercialClient, businessPerson, businessTarget] as unknown as ResourceSpec[]).flatMap(
    (resource) => Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const make = async (name: string, projectIds: readonly number[] | null) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3, projectIds },
      [CLIENT_MENU, PERSON_MENU],
      [...elements, ALL_CLIENTS],
    );
  admin = await make('padm', null);
  north = await make('pnor', [mall.ids.north]);
  for (const [name, project] of [
    ['pera', mall.ids.north],
    ['perb', mall.ids.north],
    ['perc', mall.ids.south],
  ] as const) {
    const id = await mall.staff(name, platformId);
    staffOf[name] = id;
    personOf[name] = (
      await one<{ id: number }>(
        `INSERT INTO business_person (staff_id, created_at) VALUES ($1, now() - interval '90 days') RETURNING id`,
        [id],
      )
    ).id;
    await run(db(), 'INSERT INTO business_person_project VALUES ($1, $2)', [personOf[name], project]);
  }
});
afterAll(() => mall.close());

/** A client of somebody. */
async function client(owner: string, more: { industry?: number; project?: number } = {}): Promise<number> {
  turn += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO client (code, name, plain_name, industry_id, source_id, owner_id, assigned_at) VALUES ('CLP' || $1, '业绩' || $1, '业绩' || $1, $2, $3, $4, now()) RETURNING id`,
    [
      String(turn),
      more.industry ?? (await value('client_industry')),
      await value('client_source'),
      staffOf[owner],
    ],
  );
  await run(db(), 'INSERT INTO client_project VALUES ($1, $2)', [id, more.project ?? mall.ids.north]);
  await run(db(), `INSERT INTO client_assignment (client_id, to_staff, kind) VALUES ($1, $2, 'create')`, [
    id,
    staffOf[owner],
  ]);
  return id;
}

/** A contract somebody won. */
async function won(
  owner: string,
  clientId: number,
  amount: number,
  day = today,
  project = mall.ids.north,
): Promise<number> {
  turn += 1;
  const { id } = await one<{ id: number }>(
    `INSERT INTO contract (code, name, kind_id, project_id, party_a_id, client_id, owner_id, starts_on, ends_on, amount, state, approved_at)
     VALUES ('CTP' || $1, '租赁', $2, $3, (SELECT min(id) FROM organisation), $4, $5, $6, $6::date + 300, $7, 'active', ($6::date + time '12:00') AT TIME ZONE 'Asia/Shanghai') RETURNING id`,
    [String(turn), await value('contract_kind'), project, clientId, staffOf[owner], day, amount],
  );
  await transaction(db(), (tx) => signClient(tx, id));
  return id;
}

const grid = (
  cells: readonly { staff: string; month: string; to: string | null }[],
  which = 'signedAmount',
  caller = admin,
) => mall.call(caller, 'POST', '/jinmao/web/businessTarget/grid', { value: which, cells });
const pageOf = async (query = '', caller = admin) =>
  (await mall.call(caller, 'GET', `/jinmao/web/businessPerson/page?limit=50${query}`)).data.rows as Record<
    string,
    unknown
  >[];
const rowOf = async (name: string, query = '') =>
  (await pageOf(query)).find((row) => (row.staff as { id: string }).id === String(staffOf[name]))!;
const range = (of: string) => `range=${of}-01~${of}-01`;

test('group 20 Must show 13: target 200,000.00, signed 150,000.00 is 75.00 %; a click lists exactly the contracts of it', async () => {
  expect((await grid([{ staff: String(staffOf.pera), month, to: '200000.00' }])).message).toBe('');
  const first = await won('pera', await client('pera'), 100_000_00);
  const second = await won('pera', await client('pera'), 50_000_00);
  await won('perb', await client('perb'), 7_00);
  expect(await rowOf('pera')).toMatchObject({
    signed: 2,
    signedAmount: '150000.00',
    completion: '75.00',
    newMonth: 2,
  });
  expect((await rowOf('perb')).completion).toBeNull();
  const answer = await mall.call(admin, 'GET', `/jinmao/web/report/businessReport?limit=50&${range(month)}`);
  expect(answer.message).toBe('');
  const row = answer.data.rows.find((each: { id: string }) => each.id === String(staffOf.pera));
  expect(row).toMatchObject({ signed: '150000.00', contracts: 2, target: '200000.00', completion: '75.00' });
  const { part, ...query } = row.drill.signed;
  expect(part).toBe('rows');
  const opened = await mall.call(
    admin,
    'GET',
    `/jinmao/web/report/businessMarks?limit=50&${new URLSearchParams(query).toString()}`,
  );
  expect(opened.data.sums.amount).toBe('150000.00');
  const codes = await run<{ code: string }>(
    db(),
    'SELECT code FROM contract WHERE id = ANY($1::bigint[]) ORDER BY code',
    [[first, second]],
  );
  expect(opened.data.rows.map((each: { code: string }) => each.code).sort()).toEqual(
    codes.map((each) => each.code),
  );
  // A filtered list of a month without contracts has none; a bad month is refused.
  expect(await rowOf('pera', `&month=${last}`)).toMatchObject({ signed: 0, completion: null });
  expect((await mall.call(admin, 'GET', '/jinmao/web/businessPerson/page?month=2026-13')).http).toBe(422);
});

test('every mark of the report opens as many rows as it counts', async () => {
  const lost = await client('perb');
  await run(db(), `UPDATE client SET state = 'contacted' WHERE id = $1`, [lost]);
  await run(db(), `UPDATE client SET state = 'lost', lost_reason_id = $2 WHERE id = $1`, [
    lost,
    await value('client_lost_reason'),
  ]);
  await run(db(), `INSERT INTO client_assignment (client_id, from_staff, kind) VALUES ($1, $2, 'release')`, [
    lost,
    staffOf.perb,
  ]);
  const { data } = await mall.call(
    admin,
    'GET',
    `/jinmao/web/report/businessReport?limit=50&${range(month)}`,
  );
  let opened = 0;
  const open = async (query: string) => {
    const parameters = new URLSearchParams(query);
    parameters.delete('part');
    const rows = await mall.call(
      admin,
      'GET',
      `/jinmao/web/report/businessMarks?limit=200&${parameters.toString()}`,
    );
    expect(rows.message).toBe('');
    opened += 1;
    return rows.data;
  };
  for (const point of data.charts.funnel) expect((await open(point.key)).total).toBe(point.values.clients);
  for (const point of data.charts.lost) expect((await open(point.key)).total).toBe(point.values.clients);
  for (const chart of ['people', 'projects', 'months'])
    for (const point of data.charts[chart])
      expect(Number((await open(point.key)).sums.amount)).toBe(point.values.signed);
  for (const column of ['fresh', 'contracts', 'lost', 'poolIn'])
    expect((await open(new URLSearchParams(data.sums.drill?.[column] ?? {}).toString())).total).toBe(
      data.sums[column],
    );
  expect(data.charts.lost).toHaveLength(1);
  expect(data.charts.funnel[0].values.clients).toBeGreaterThan(data.charts.funnel[1].values.clients);
  expect(opened).toBeGreaterThan(15);
});

test('staff of one project count and see people, contracts and money of it only', async () => {
  await won('pera', await client('pera', { project: mall.ids.south }), 9_000_00, today, mall.ids.south);
  const all = await mall.call(admin, 'GET', `/jinmao/web/report/businessReport?limit=50&${range(month)}`);
  const some = await mall.call(north, 'GET', `/jinmao/web/report/businessReport?limit=50&${range(month)}`);
  expect(all.data.rows.map((row: { name: string }) => row.name)).toContain('perc');
  expect(some.data.rows.map((row: { name: string }) => row.name)).not.toContain('perc');
  expect(Number(all.data.sums.signed) - Number(some.data.sums.signed)).toBe(9_000);
  expect((await pageOf('', north)).length).toBe((await pageOf()).length - 1);
  const foreign = await grid([{ staff: String(staffOf.perc), month, to: '1.00' }], 'signedAmount', north);
  expect(foreign.http).toBe(404);
  expect(
    (await mall.call(north, 'GET', `/jinmao/web/businessTarget/months?staff=${staffOf.perc}`)).http,
  ).toBe(404);
});

test('group 20 Must show 8 (figures): the signed amount stays with who owned the contract at its approval, and a frozen month does not move', async () => {
  await grid([{ staff: String(staffOf.perb), month: last, to: '1000.00' }]);
  const owned = await client('perb');
  await won('perb', owned, 500_00, `${last}-10`);
  await run(db(), 'UPDATE contract SET owner_id = $2 WHERE client_id = $1', [owned, staffOf.pera]);
  await run(db(), 'UPDATE client SET owner_id = $2 WHERE id = $1', [owned, staffOf.pera]);
  expect(await rowOf('perb', `&month=${last}`)).toMatchObject({
    signedAmount: '500.00',
    completion: '50.00',
  });
  expect(await rowOf('pera', `&month=${last}`)).toMatchObject({ signedAmount: '0.00' });
  const job = targets.jobs!.find((each) => each.name === 'business.month')!;
  await job.run({}, mall.platform);
  await won('perb', await client('perb'), 900_00, `${last}-20`);
  expect(await rowOf('perb', `&month=${last}`)).toMatchObject({
    signedAmount: '500.00',
    completion: '50.00',
  });
  const late = await grid([{ staff: String(staffOf.perb), month: last, to: '2.00' }]);
  expect([late.status, late.message]).toEqual([30101, `${last} 已冻结，目标不能变更`]);
  expect(await transaction(db(), (tx) => freezeMonth(tx, last))).toBe(false);
  await expect(run(db(), 'UPDATE business_month SET signed_amount = 0')).rejects.toThrow();
  const { data } = await mall.call(admin, 'GET', `/jinmao/web/businessTarget/months?staff=${staffOf.perb}`);
  expect(data.months.find((each: { month: string }) => each.month === last)).toEqual({
    month: last,
    signed: 500,
    received: 0,
    target: 1000,
    frozen: true,
  });
});

test('targets of a month are copied, who has one keeps it; a value may be taken away; two who save at once leave one row', async () => {
  const next = addDays(`${month}-01`, 40).slice(0, 7);
  const copy = () =>
    mall.call(admin, 'POST', '/jinmao/web/businessTarget/action/copyMonth', { source: month, copyTo: next });
  await grid([{ staff: String(staffOf.perb), month, to: '30' }], 'newClients');
  await grid([{ staff: String(staffOf.perb), month: next, to: '5' }], 'newClients');
  const done = await copy();
  expect([done.message, done.data]).toEqual(['', { targets: 1 }]);
  expect((await copy()).message).toBe('来源月份没有可复制的目标');
  const year = next.slice(0, 4);
  const { data } = await mall.call(admin, 'GET', `/jinmao/web/businessTarget/grid?year=${year}`);
  const cell = (name: string) =>
    data.cells.find(
      (each: { staff: string; month: string }) => each.staff === String(staffOf[name]) && each.month === next,
    );
  expect(cell('pera').signedAmount).toBe('200000.00');
  expect(cell('perb').newClients).toBe(5);
  await grid([{ staff: String(staffOf.pera), month: next, to: null }]);
  expect(
    (
      await one<{ amount: number | null }>(
        'SELECT signed_amount AS amount FROM business_target WHERE staff_id = $1 AND month = $2',
        [staffOf.pera, next],
      )
    ).amount,
  ).toBeNull();
  const far = '2031-01';
  const answers = await Promise.all(
    ['1.00', '2.00', '3.00'].map((to) => grid([{ staff: String(staffOf.pera), month: far, to }])),
  );
  expect(answers.filter((each) => each.http === 200).length).toBeGreaterThan(0);
  expect((await run(db(), 'SELECT 1 FROM business_target WHERE month = $1', [far])).length).toBe(1);
  const bad = await grid([{ staff: String(staffOf.pera), month: far, to: '-5' }]);
  expect(bad.http).toBe(422);
});

test('a hand-over goes by project and industry, the rest to one person; the preview says what there is', async () => {
  const leaver = 'perc';
  const [first, second] = [await value('client_industry'), await value('client_industry', 1)];
  const ids = [
    await client(leaver, { industry: first, project: mall.ids.south }),
    await client(leaver, { industry: second, project: mall.ids.north }),
    await client(leaver, { industry: second, project: mall.ids.south }),
  ];
  await won(leaver, ids[0]!, 100_00, today, mall.ids.south);
  const path = `/jinmao/web/businessPerson/${personOf[leaver]}`;
  expect((await mall.call(admin, 'GET', `${path}/holdings`)).data).toMatchObject({
    clients: 3,
    signed: 1,
    contracts: 1,
    approvals: 0,
    holds: 0,
  });
  const { version } = await one<{ version: number }>('SELECT version FROM business_person WHERE id = $1', [
    personOf[leaver],
  ]);
  const begin = (rules: object[]) =>
    mall.call(admin, 'POST', `${path}/handover`, { version, rules, reason: '离职交接' });
  expect((await begin([{ to: String(staffOf.pera) }])).data.fields).toEqual({
    rules: '每行须选择项目或行业',
  });
  const begun = await begin([
    { industry: String(first), to: String(staffOf.pera) },
    { project: String(mall.ids.north), to: String(staffOf.perb) },
  ]);
  expect(begun.message).toBe('');
  const task = await one<{ id: number }>('SELECT max(id) AS id FROM business_handover');
  await goOnHandingOver(mall.platform, task.id, async () => {});
  const owners = await run<{ owner: number | null }>(
    db(),
    'SELECT owner_id AS owner FROM client WHERE id = ANY($1::bigint[]) ORDER BY id',
    [ids],
  );
  expect(owners.map((each) => each.owner)).toEqual([staffOf.pera, staffOf.perb, null]);
  expect(
    (await one<{ owner: number }>('SELECT owner_id AS owner FROM contract WHERE client_id = $1', [ids[0]]))
      .owner,
  ).toBe(staffOf.pera);
});

test('who is disabled while clients are theirs is leaving and stands in the to-do of the leaders', async () => {
  await client('perb');
  await run(db(), `UPDATE staff SET state = 'disabled' WHERE id = $1`, [staffOf.perb]);
  await people.jobs!.find((each) => each.name === 'client.leavers')!.run({}, mall.platform);
  expect(
    (await one<{ state: string }>('SELECT state FROM business_person WHERE id = $1', [personOf.perb])).state,
  ).toBe('leaving');
  const todo = people.todos!.find((each) => each.kind === 'businessLeaving')!;
  const { count } = await todo.count({ caller: admin, platform: mall.platform });
  expect(count).toBe((await pageOf('&state=leaving')).length);
  expect(count).toBeGreaterThan(0);
});
