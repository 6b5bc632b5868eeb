import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementCode, elementsOf } from '../../../kernel/contract/resource.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { registration as occupancies } from './position-occupancy.server.ts';
import { registration as prices } from './position-price.server.ts';
import { BOARD_MENU, position, positionOccupancy, POSITION_MENU } from './position.contract.ts';
import { nextPrice } from './position.rules.ts';
import { registration as positions } from './position.server.ts';

const ROOT = '/jinmao/web/position';
const HELD = '/jinmao/web/positionOccupancy';
let mall: Mall;
let manager: Caller;
let clerk: Caller;
let south: Caller;
let type = 0;
let turn = 0;
const db = () => mall.platform.database.db;

beforeAll(async () => {
  mall = await openMall([places, positions, occupancies, prices]);
  const platformId = (await runOne<{ id: number }>(db(), 'SELECT id FROM tenant WHERE kind = 3 LIMIT 1'))!.id;
  const all = [position, positionOccupancy].flatMap((resource) =>
    Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)),
  );
  const make = async (name: string, elements: readonly string[], projectIds: readonly number[] | null) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3, projectIds },
      [POSITION_MENU, BOARD_MENU],
      elements,
    );
  manager = await make('psmg', all, null);
  clerk = await make(
    'pscl',
    all.filter((element) => /btn_(hold|release)$/.test(element)),
    null,
  );
  south = await make('psso', all, [mall.ids.south]);
  type = (await runOne<{ id: number }>(
    db(),
    `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'position_type' AND v.parent_id IS NOT NULL LIMIT 1`,
  ))!.id;
});
afterAll(() => mall.close());

/** The day so many days from today, where the positions are. */
const day = (shift: number) =>
  new Date(Date.now() + 8 * 3_600_000 + shift * 86_400_000).toISOString().slice(0, 10);
const body = (more: object = {}) => ({
  code: `T-${(turn += 1)}`,
  name: '测试点位',
  project: String(mall.ids.north),
  type: String(type),
  listPrice: '3000.00',
  floorPrice: '2000.00',
  ...more,
});
async function add(more: object = {}): Promise<string> {
  const made = await mall.call(manager, 'POST', ROOT, body(more));
  expect([made.message, made.data?.fields]).toEqual(['', undefined]);
  return String(made.data.id);
}
const look = async (id: string) => (await mall.call(manager, 'GET', `${ROOT}/${id}`)).data;
async function act(caller: Caller, id: string, action: string, input: object = {}) {
  const { version } = await look(id);
  return mall.call(caller, 'POST', `${ROOT}/${id}/${action}`, { version, ...input });
}
const holdFor = (from: number, to: number, until = 3) => ({
  from: day(from),
  to: day(to),
  reason: '客户选点',
  until: day(until),
});
/** A lease, as contracts write it. */
const lease = (id: string, from: number, to: number) =>
  run(
    db(),
    `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, reason) VALUES ($1, 'lease', $2, $3, '合同')`,
    [Number(id), day(from), day(to)],
  );
const occupanciesOf = async (id: string) =>
  (await mall.call(manager, 'GET', `${HELD}/page?position=${id}&limit=50`)).data.rows;
async function letGo(caller: Caller, id: string, action: string, input: object = {}) {
  const [row] = await occupanciesOf(id);
  return mall.call(caller, 'POST', `${HELD}/${row.id}/${action}`, { version: row.version, ...input });
}
const runExpiry = () => occupancies.jobs![0]!.run({}, mall.platform);
const told = async (staffId: number) =>
  (
    await run<{ title: string }>(
      db(),
      `SELECT title_zh AS title FROM notification WHERE staff_id = $1 AND kind = 'positionHold' ORDER BY id`,
      [staffId],
    )
  ).map((row) => row.title);

test('group 17 Must show 12: a hold of three days expires: the position is free at the next run, the holder is told once', async () => {
  const id = await add();
  expect((await act(clerk, id, 'hold', holdFor(0, 30))).message).toBe('');
  expect(await look(id)).toMatchObject({ standing: 'held' });
  // A clock that went on by three days.
  const over = `UPDATE position_occupancy SET created_at = created_at - interval '4 days', expires_at = now() + $2 WHERE position_id = $1`;
  await run(db(), over, [Number(id), '2 hours']);
  await runExpiry();
  await runExpiry();
  const code = (await look(id)).code;
  const mine = async () => (await told(clerk.staffId)).filter((title) => title.includes(code));
  expect(await mine()).toEqual([`点位 ${code} 的预留将在一天内到期`]);
  await run(db(), over, [Number(id), '-1 minutes']);
  expect(await look(id)).toMatchObject({ standing: 'free' });
  await Promise.all([runExpiry(), runExpiry()]);
  await runExpiry();
  expect(await mine()).toEqual([`点位 ${code} 的预留将在一天内到期`, `点位 ${code} 的预留已到期释放`]);
  const [row] = await occupanciesOf(id);
  expect(row).toMatchObject({ standing: 'released', releaseReason: '到期' });
  expect((await act(manager, id, 'hold', holdFor(0, 30))).message).toBe('');
});

test('a hold that ended is nobody’s before the job comes by, and its holder is told all the same', async () => {
  const id = await add();
  await act(clerk, id, 'hold', holdFor(0, 30));
  await run(
    db(),
    `UPDATE position_occupancy SET expires_at = now() - interval '1 second' WHERE position_id = $1`,
    [Number(id)],
  );
  expect((await act(manager, id, 'hold', holdFor(5, 10))).message).toBe('');
  await runExpiry();
  const { code } = await look(id);
  expect((await told(clerk.staffId)).filter((title) => title.includes(code))).toEqual([
    `点位 ${code} 的预留已到期释放`,
  ]);
});

test('group 17 Must show 12: a repair inside a lease is refused, and so is disabling', async () => {
  const id = await add();
  await lease(id, -10, 20);
  const dates = { from: day(15), to: day(25), reason: '换灯管' };
  const repair = await act(manager, id, 'repair', dates);
  expect([repair.http, repair.status, repair.message]).toEqual([409, 30101, '点位已出租，不能维修/停用']);
  expect((await act(manager, id, 'disable')).message).toBe('点位已出租，不能维修/停用');
  expect((await act(manager, id, 'repair', { ...dates, from: day(21) })).message).toBe('');
  expect(await look(id)).toMatchObject({ standing: 'leased', until: day(20) });
});

test('of four who hold overlapping days at once one gets them, the others are told where it is taken', async () => {
  const id = await add();
  const { version, code } = await look(id);
  const answers = await Promise.all(
    [0, 1, 2, 3].map((shift) =>
      mall.call(manager, 'POST', `${ROOT}/${id}/hold`, { version, ...holdFor(10 + shift, 20 + shift) }),
    ),
  );
  const won = answers.filter((one) => one.http === 200);
  expect(won).toHaveLength(1);
  expect(answers.filter((one) => one.status === 30101)).toHaveLength(3);
  const live = await run(
    db(),
    'SELECT FROM position_occupancy WHERE position_id = $1 AND released_at IS NULL',
    [Number(id)],
  );
  expect(live).toHaveLength(1);
  const [row] = await occupanciesOf(id);
  const again = await act(manager, id, 'hold', holdFor(12, 13));
  expect(again.message).toBe(`点位 ${code} 在 ${row.from} 至 ${row.to} 已被占用（预留）`);
});

test('the database lets no two live rows of a position share a day, whatever writes them; the next day is free', async () => {
  const id = await add();
  const write = (from: number, to: number) =>
    lease(id, from, to).then(
      () => 'in',
      () => 'refused',
    );
  const results = await Promise.all([write(0, 10), write(10, 20), write(5, 6), write(3, 12)]);
  expect(results.filter((one) => one === 'in').length).toBeLessThanOrEqual(2);
  const shared = await run(
    db(),
    `SELECT FROM position_occupancy a JOIN position_occupancy b ON b.position_id = a.position_id AND b.id > a.id AND b.period && a.period WHERE a.position_id = $1`,
    [Number(id)],
  );
  expect(shared).toEqual([]);
  const other = await add();
  await lease(other, 0, 10);
  await lease(other, 11, 20);
  await expect(lease(other, 20, 20)).rejects.toThrow(/position_occupancy_free/);
});

test('holds keep their limits: the longest day, the number of a staff also at once, prolonged once, own ones only', async () => {
  const id = await add();
  expect((await act(clerk, id, 'hold', holdFor(0, 3, 16))).data.fields).toEqual({ until: '最多预留 15 天' });
  expect((await act(clerk, id, 'hold', holdFor(3, 2))).data.fields).toEqual({ to: '不能早于开始日期' });
  expect((await act(clerk, id, 'hold', holdFor(-1, 2))).data.fields).toEqual({ from: '不能早于今天' });
  expect((await act(clerk, id, 'hold', holdFor(0, 3, 5))).message).toBe('');
  expect((await letGo(manager, id, 'prolong', { until: day(9) })).message).toBe('只能延期自己的预留');
  expect((await letGo(clerk, id, 'prolong', { until: day(16) })).data.fields).toEqual({
    until: '最多预留 15 天',
  });
  expect((await letGo(clerk, id, 'prolong', { until: day(15) })).message).toBe('');
  expect((await letGo(clerk, id, 'prolong', { until: day(15) })).message).toBe('已延期过一次');
  // Nineteen of twenty: of three more at once, one fits.
  const staffId = await mall.staff('pslm', clerk.tenantId);
  const busy = callerOf(
    { staffId, tenantId: clerk.tenantId, tenantKind: 3 },
    [POSITION_MENU],
    [...clerk.elements],
  );
  await run(
    db(),
    `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, holder_id, expires_at)
     SELECT $1, 'hold', current_date + 100 + n, current_date + 100 + n, $2, now() + interval '3 days' FROM generate_series(1, 19) n`,
    [Number(id), staffId],
  );
  const three = [await add(), await add(), await add()];
  const answers = await Promise.all(three.map((one) => act(busy, one, 'hold', holdFor(0, 5))));
  expect(answers.map((one) => one.message).sort()).toEqual(['', '您的预留已达 20 个', '您的预留已达 20 个']);
});

test('the manager releases what others hold, others their own; leases are left to contracts; a repair keeps the days it had', async () => {
  const id = await add();
  await act(manager, id, 'hold', holdFor(0, 5));
  expect((await letGo(clerk, id, 'release')).message).toBe('只能释放自己的预留');
  expect((await letGo(manager, id, 'release', { reason: '客户放弃' })).message).toBe('');
  expect(await look(id)).toMatchObject({ standing: 'free' });
  const leased = await add();
  await lease(leased, 0, 5);
  expect((await letGo(manager, leased, 'release')).message).toBe('由合同决定');
  const broken = await add();
  await act(manager, broken, 'repair', { from: day(-3), to: day(5), reason: '漏水' });
  expect(await look(broken)).toMatchObject({ standing: 'repair', user: '漏水' });
  expect((await letGo(manager, broken, 'release')).message).toBe('');
  expect((await occupanciesOf(broken))[0]).toMatchObject({ to: day(-1), standing: 'over' });
});

test('codes are unique in a project; floor and pin are checked; used ones stay', async () => {
  const id = await add({ code: 'GG-012' });
  const twice = await mall.call(manager, 'POST', ROOT, body({ code: 'GG-012' }));
  expect([twice.status, twice.data.fields]).toEqual([30101, { code: '该项目已有此编码' }]);
  await add({ code: 'GG-012', project: String(mall.ids.south) });
  const bad = await mall.call(manager, 'POST', ROOT, body({ floorPrice: '3000.01', pinX: 5 }));
  expect(Object.keys(bad.data.fields).sort()).toEqual(['floorPrice', 'pinY', 'plan']);
  // A position need not have a floor price; it is nothing then.
  const bare = await add({ floorPrice: undefined });
  expect((await mall.call(manager, 'GET', `${ROOT}/${bare}`)).data.floorPrice).toBe('0.00');
  await lease(id, -20, -10);
  const used = await mall.call(manager, 'DELETE', `${ROOT}/${id}`, { version: 1 });
  expect(used.status).toBe(30101);
  const fresh = await add();
  expect((await mall.call(manager, 'DELETE', `${ROOT}/${fresh}`, { version: 1 })).message).toBe('');
});

test('the list finds what is free in a time, by state and by price; the let days of a year are counted', async () => {
  const [free, taken] = [await add({ listPrice: '7777.00' }), await add({ listPrice: '7777.00' })];
  await lease(taken, -72, 20);
  const found = async (query: string) =>
    (
      await mall.call(manager, 'GET', `${ROOT}/page?limit=50&listPrice=7777.00~7777.00&${query}`)
    ).data.rows.map((row: { id: string }) => row.id);
  expect((await found('')).sort()).toEqual([free, taken].sort());
  expect(await found(`freeIn=${day(10)}~${day(30)}`)).toEqual([free]);
  expect((await found(`freeIn=${day(21)}~${day(30)}`)).sort()).toEqual([free, taken].sort());
  expect(await found('standing=leased')).toEqual([taken]);
  expect(await look(taken)).toMatchObject({ occupied: 20 });
});

test('prices change together, rounded half up, never below the floor, and are remembered', async () => {
  expect([
    nextPrice(33_333, 'percent', 5, 0),
    nextPrice(100, 'add', 0, -150),
    nextPrice(5, 'set', 0, 9),
  ]).toEqual([35_000, 0, 9]);
  const ids = [await add(), await add({ floorPrice: '3000.00' })];
  const down = await mall.call(manager, 'POST', `${ROOT}/bulk/price`, {
    ids,
    input: { way: 'percent', percent: -10 },
  });
  expect([down.data.done, down.data.failed?.length]).toEqual([[ids[0]], 1]);
  expect([(await look(ids[0]!)).listPrice, (await look(ids[1]!)).listPrice]).toEqual(['2700.00', '3000.00']);
  const history = (await mall.call(manager, 'GET', `/jinmao/web/positionPrice/page?position=${ids[0]}`)).data;
  expect(history.rows.map((row: { listPrice: string }) => row.listPrice)).toEqual(['2700.00', '3000.00']);
});

test('positions of other projects answer 404', async () => {
  const id = await add();
  expect((await mall.call(south, 'GET', `${ROOT}/${id}`)).http).toBe(404);
  const held = await mall.call(south, 'POST', `${ROOT}/${id}/hold`, { version: 1, ...holdFor(0, 3) });
  expect(held.http).toBe(404);
});

test('a lease names party B whatever it is, links to its contract, and says what it brings: to those who see the contract', async () => {
  const [id, beside] = [await add(), await add()];
  const code = String((await look(id)).code);
  const made = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO contract (code, name, kind_id, project_id, party_a_id, party_name, owner_id, starts_on, ends_on, state)
     SELECT 'CT-' || $1, '大堂合同', min(v.id), p.id, p.unit_id, '云上画廊', $2, $3, $4, 'active' FROM project p, biz_dict v JOIN biz_dict r ON r.id = v.root_id
      WHERE p.id = $5 AND r.code = 'contract_kind' AND v.parent_id IS NOT NULL GROUP BY p.id RETURNING id`,
    [code, manager.staffId, day(-10), day(100), mall.ids.north],
  ))!.id;
  await lease(id, -10, 100);
  await run(
    db(),
    `UPDATE position_occupancy SET contract_id = $2, reason = '大堂合同' WHERE position_id = $1`,
    [Number(id), made],
  );
  await run(
    db(),
    `INSERT INTO contract_position (contract_id, position, place_id, from_on, to_on, price) VALUES ($1, 1, $2, $4, $5, 300000), ($1, 2, $3, $4, $5, 100000)`,
    [made, Number(id), Number(beside), day(-10), day(100)],
  );
  const explain = [
    { label: code, month: 1, price: 300_000, days: 30, of: 30, amount: 300_000 },
    { label: 'other', month: 1, price: 100_000, days: 30, of: 30, amount: 100_000 },
  ];
  await run(
    db(),
    `WITH first AS (INSERT INTO contract_payment (contract_id, no, kind, line_key, due_on, amount, explain) VALUES ($1, 1, 'rent', 'rent:1', $2, 400000, $3::jsonb) RETURNING id)
     INSERT INTO contract_payment (contract_id, no, kind, line_key, due_on, amount, adjusts_id) SELECT $1, 2, 'adjustment', 'adjust:1', $2, -40000, id FROM first`,
    [made, day(0), JSON.stringify(explain)],
  );
  expect(await look(id)).toMatchObject({
    standing: 'leased',
    user: '云上画廊',
    until: day(100),
    contracts: [],
  });
  expect((await occupanciesOf(id))[0]).toMatchObject({ client: '云上画廊', contract: null });
  const sees = {
    ...manager,
    menus: new Map([...manager.menus, ['pr_contractListManagement', manager.menus.get(POSITION_MENU)!]]),
  };
  expect((await mall.call(sees, 'GET', `${ROOT}/${id}`)).data.contracts).toEqual([
    expect.objectContaining({
      code: `CT-${code}`,
      party: '云上画廊',
      price: '3000.00',
      income: '2700.00',
      received: '0.00',
    }),
  ]);
  const [row] = (await mall.call(sees, 'GET', `${HELD}/page?position=${id}`)).data.rows;
  expect(row.contract).toEqual({ id: String(made), title: `CT-${code}` });
});

test('a position lies in a building of its own project', async () => {
  const [north, south] = await Promise.all(
    [mall.ids.north, mall.ids.south].map(
      async (project) =>
        (await runOne<{ id: number }>(
          db(),
          `INSERT INTO building (project_id, name) VALUES ($1, '点位楼') RETURNING id`,
          [project],
        ))!.id,
    ),
  );
  const refused = await mall.call(manager, 'POST', ROOT, body({ building: String(south) }));
  expect([refused.http, Object.keys(refused.data.fields)]).toEqual([422, ['building']]);
  expect((await look(await add({ building: String(north) }))).building.id).toBe(String(north));
});

test('work orders of the project that name the code of a position stand in its detail, for who sees work orders', async () => {
  const id = await add({ code: 'WO-1' });
  const order = (n: number, title: string, project: number, more = '') =>
    run(
      db(),
      `INSERT INTO work_order (code, type, class, tenant_id, project_id, title, description)
       SELECT 'WOP' || $1::int, 'complaint_repair', 'repair', min(id), $2, $3, $4 FROM tenant WHERE kind = 3`,
      [n, project, title, more],
    );
  await order(1, '灯箱不亮 wo-1', mall.ids.north);
  await order(2, '灯箱不亮', mall.ids.north, '位置：WO-1，请尽快');
  await order(3, '灯箱不亮 WO-12', mall.ids.north);
  await order(4, '灯箱不亮 WO-1', mall.ids.south);
  expect((await look(id)).orders).toEqual([]);
  const seer: Caller = {
    ...manager,
    projectIds: [mall.ids.north],
    menus: new Map([...manager.menus, ['cs_workOrder', [{ kind: 'all' }]]]),
  };
  const found = (await mall.call(seer, 'GET', `${ROOT}/${id}`)).data.orders;
  expect(found.map((each: { code: string }) => each.code).sort()).toEqual(['WOP1', 'WOP2']);
});
