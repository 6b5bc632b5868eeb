import { afterAll, beforeAll, expect, test } from 'vitest';
import { elementCode, elementsOf, type ResourceSpec } from '../../../kernel/contract/resource.ts';
import { addDays, businessDayOf } from '../../../kernel/contract/time.rules.ts';
import { issueDue } from '../../../domain/contract/contract-money.server.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import type { Caller } from '../../../kernel/server/people/caller.ts';
import { registration as people } from '../../admin-sys/staff/staff.server.ts';
import { registration as places } from '../../base-data/places/places.server.ts';
import { callerOf, openMall, type Mall } from '../../mall/product/mall-fixture.ts';
import { contract, contractMine, LEDGER, MINE } from '../../public-resource/contract/contract.contract.ts';
import { registration as mines } from '../../public-resource/contract/contract-mine.server.ts';
import { registration as contracts } from '../../public-resource/contract/contract.server.ts';
import { registration as board } from '../../public-resource/position-board/board-position.server.ts';
import { BOARD_MENU, position, POSITION_MENU } from '../../public-resource/position/position.contract.ts';
import { registration as positions } from '../../public-resource/position/position.server.ts';
import { CLIENT_MENU, commercialClient } from '../client/client.contract.ts';
import { registration as clientContracts } from '../client/client-contract.server.ts';
import { registration as clients } from '../client/client.server.ts';
import { registration as persons } from './project-person.server.ts';
import { registration as notes } from './project-progress.server.ts';
import { registration as occupancies } from './space-occupancy.server.ts';
import { projectPerson, projectProgress, space, spaceOccupancy, SPACE_MENU } from './space.contract.ts';
import { registration as spaces } from './space.server.ts';

const ROOT = '/jinmao/web/space';
let mall: Mall;
let anna: Caller;
let ben: Caller;
let south: Caller;
let boss: Caller;
let building = 0;
let kind = 0;
let turn = 0;
const db = () => mall.platform.database.db;
const one = async <T extends object>(text: string, values: unknown[] = []) =>
  (await runOne<T>(db(), text, values))!;
const day = (shift: number) => addDays(businessDayOf(new Date()), shift);

beforeAll(async () => {
  mall = await openMall([
    places,
    people,
    positions,
    board,
    contracts,
    mines,
    clients,
    clientContracts,
    spaces,
    occupancies,
    persons,
    notes,
  ]);
  const platformId = (await one<{ id: number }>('SELECT id FROM tenant WHERE kind = 3 LIMIT 1')).id;
  const elements = (
    [
      space,
      spaceOccupancy,
      projectPerson,
      projectProgress,
      position,
      contract,
      contractMine,
      commercialClient,
    ] as unknown as ResourceSpec[]
  ).flatMap((resource) => Object.keys(elementsOf(resource)).map((element) => elementCode(resource, element)));
  const make = async (name: string, projectIds: readonly number[] | null = null) =>
    callerOf(
      { staffId: await mall.staff(name, platformId), tenantId: platformId, tenantKind: 3, projectIds },
      [SPACE_MENU, CLIENT_MENU, POSITION_MENU, BOARD_MENU, LEDGER, MINE],
      elements,
    );
  [anna, ben, south] = [await make('spaa'), await make('spab'), await make('spas', [mall.ids.south])];
  boss = await make('spao');
  // Who decides on contracts is asked from stored rights.
  await run(
    db(),
    `INSERT INTO group_member (group_id, staff_id) SELECT id, $1 FROM permission_group WHERE code = 'platform_admin' AND built_in`,
    [boss.staffId],
  );
  building = (
    await one<{ id: number }>(`INSERT INTO building (project_id, name) VALUES ($1, '商业街') RETURNING id`, [
      mall.ids.north,
    ])
  ).id;
  kind = (
    await one<{ id: number }>(
      `SELECT v.id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = 'contract_kind' AND v.val = 'shop'`,
    )
  ).id;
});
afterAll(() => mall.close());

const body = (more: object = {}) => ({
  project: String(mall.ids.north),
  building: String(building),
  floor: 1,
  number: `A-${(turn += 1)}`,
  kind: 'shop',
  builtArea: '100.00',
  rent: '120.00',
  ...more,
});
async function add(more: object = {}): Promise<string> {
  const made = await mall.call(anna, 'POST', ROOT, body(more));
  expect([made.message, made.data?.fields]).toEqual(['', undefined]);
  return String(made.data.id);
}
const look = async (id: string, caller = anna) => (await mall.call(caller, 'GET', `${ROOT}/${id}`)).data;
async function act(id: string, action: string, input: object = {}, caller = anna) {
  const { version } = await one<{ version: number }>('SELECT version FROM space WHERE id = $1', [Number(id)]);
  return mall.call(caller, 'POST', `${ROOT}/${id}/${action}`, { version, ...input });
}
async function edit(id: string, input: object) {
  const { version } = await look(id);
  return mall.call(anna, 'PUT', `${ROOT}/${id}`, { version, ...input });
}
const lease = (id: string, from: number, to: number) =>
  run(
    db(),
    `INSERT INTO position_occupancy (position_id, kind, from_on, to_on, reason) VALUES ($1, 'lease', $2, $3, '合同')`,
    [Number(id), day(from), day(to)],
  );
const split = (id: string, areas: readonly string[], from = 10, caller = anna) => {
  const name = (turn += 1);
  return act(
    id,
    'split',
    {
      pieces: areas.map((builtArea, index) => ({ number: `S-${name}-${index}`, builtArea })),
      on: day(from),
      reason: '客户只要半间',
    },
    caller,
  );
};
const held = (from: number, to: number) => ({
  from: day(from),
  to: day(to),
  reason: '客户选铺',
  until: day(3),
});
async function drafted(
  id: string,
  from: string,
  to: string,
  caller: Caller,
  more: object = {},
): Promise<string> {
  const made = await mall.call(caller, 'POST', '/jinmao/web/contractMine', {
    name: `铺位合同${(turn += 1)}`,
    direction: 'income',
    kind: String(kind),
    project: String(mall.ids.north),
    partyName: `乙方${turn}`,
    startsOn: from,
    endsOn: to,
    priceBasis: 'month',
    payInterval: '1',
    payTiming: 'prepaid',
    dueOffset: 0,
    prorate: 'actual_month',
    positions: [{ place: id, price: '9000.00' }],
    ...more,
  });
  expect([made.message, made.data?.fields]).toEqual(['', undefined]);
  return String(made.data.id);
}
async function submit(id: string, caller: Caller) {
  const { version } = await one<{ version: number }>('SELECT version FROM contract WHERE id = $1', [
    Number(id),
  ]);
  return mall.call(caller, 'POST', `/jinmao/web/contractMine/${id}/submit`, { version });
}

test('a space owns one position of its kind, called, measured and priced as it is', async () => {
  const id = await add({ number: 'A-901', builtArea: '86.50', rent: '120.00', rentMin: '100.00' });
  const own = () =>
    one<{ code: string; area: string; list: number; floor: number; type: string; building_id: number }>(
      `SELECT p.code, p.area::text, p.list_price AS list, p.floor_price AS floor, v.val AS type, p.building_id FROM position p JOIN biz_dict v ON v.id = p.type_id WHERE p.id = $1`,
      [Number(id)],
    );
  expect(await own()).toEqual({
    code: 'A-901',
    area: '86.50',
    list: 1_038_000,
    floor: 865_000,
    type: 'shop',
    building_id: building,
  });
  expect((await edit(id, { number: 'A-902', builtArea: '90.00' })).message).toBe('');
  expect(await own()).toMatchObject({ code: 'A-902', area: '90.00', list: 1_080_000 });
  // Edited among the positions it stays what the space says.
  await run(db(), `UPDATE position SET code = 'X', area = 1 WHERE id = $1`, [Number(id)]);
  expect(await own()).toMatchObject({ code: 'A-902', area: '90.00' });
  const twice = await mall.call(anna, 'POST', ROOT, body({ number: 'A-902' }));
  expect([twice.http, twice.status]).toEqual([409, 30_101]);
});

test('what is wrong is said at its field', async () => {
  const { id: elsewhere } = await one<{ id: number }>(
    `INSERT INTO building (project_id, name) VALUES ($1, '南街') RETURNING id`,
    [mall.ids.south],
  );
  for (const [more, field] of [
    [{ usableArea: '100.01' }, 'usableArea'],
    [{ rentMin: '120.01' }, 'rentMin'],
    [{ floor: 0 }, 'floor'],
    [{ builtArea: '0.00' }, 'builtArea'],
    [{ pin: '10,20' }, 'plan'],
    [{ building: String(elsewhere) }, 'building'],
  ] as const) {
    const refused = await mall.call(anna, 'POST', ROOT, body(more));
    expect([refused.http, Object.keys(refused.data.fields)]).toEqual([422, [field]]);
  }
});

test('group 20 Must show 7: a space in review is held everywhere, a second contract that overlaps by a day is refused', async () => {
  const id = await add({ number: 'A-101' });
  const first = await drafted(id, day(0), day(364), anna);
  const second = await drafted(id, day(364), day(400), ben);
  expect((await submit(first, anna)).message).toBe('');
  const refused = await submit(second, ben);
  expect([refused.http, refused.status]).toEqual([409, 30_101]);
  expect(refused.message).toMatch(
    new RegExp(`^点位 A-101 在 ${day(0)} 至 ${day(364)} 已被合同 CT\\d+ 占用$`),
  );
  const list = await mall.call(anna, 'GET', `${ROOT}/page?searchVal=A-101&standing=held`);
  expect(list.data.rows).toMatchObject([{ number: 'A-101', standing: 'held' }]);
  const plan = await mall.call(anna, 'GET', `${ROOT}/plan?project=${mall.ids.north}&building=${building}`);
  expect(plan.data.rows.find((row: { id: string }) => row.id === id)).toMatchObject({ standing: 'held' });
  const bars = await mall.call(
    anna,
    'GET',
    `/jinmao/web/positionBoard?project=${mall.ids.north}&from=${day(0)}&to=${day(60)}`,
  );
  expect(bars.data.rows.find((row: { id: string }) => row.id === id).bars).toMatchObject([{ kind: 'hold' }]);
});

test('group 20 Must show 6 (contracts): the approval of its contract signs a client, the end of the last lets it fall back', async () => {
  const value = async (root: string) =>
    String(
      (
        await one<{ id: number }>(
          `SELECT min(v.id) AS id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = $1 AND v.parent_id IS NOT NULL`,
          [root],
        )
      ).id,
    );
  await run(db(), 'INSERT INTO business_person (staff_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    anna.staffId,
  ]);
  const made = await mall.call(anna, 'POST', '/jinmao/web/client', {
    name: '签约测试商行',
    industry: await value('client_industry'),
    source: await value('client_source'),
    level: 'C',
    projects: [String(mall.ids.north)],
    contactName: '联系人',
    contactPhone: '13900009876',
  });
  expect([made.message, made.data?.fields]).toEqual(['', undefined]);
  const client = String(made.data.id);
  const state = async () => (await mall.call(anna, 'GET', `/jinmao/web/client/${client}`)).data.state;
  // What fits is offered: free within 90 days, of about the area, not above the rent.
  await run(db(), 'UPDATE client SET area_min = 10000, area_max = 12000, rent_max = 15000 WHERE id = $1', [
    Number(client),
  ]);
  const [fits, smaller, dear, let_] = [
    await add({ builtArea: '110.00' }),
    await add({ builtArea: '90.00' }),
    await add({ builtArea: '110.00', rent: '150.01' }),
    await add({ builtArea: '110.00' }),
  ];
  await lease(let_, -10, 91);
  const offered = (await mall.call(anna, 'GET', `/jinmao/web/client/spaces?client=${client}`)).data.rows;
  const fitOf = (id: string) => offered.find((row: { id: string }) => row.id === id)?.fit;
  expect([fits, smaller, dear, let_].map(fitOf)).toEqual([100, 90, undefined, undefined]);
  expect((await look(fits)).interested).toBe(1);
  expect((await mall.call(south, 'GET', `/jinmao/web/client/spaces?client=${client}`)).data.rows).toEqual([]);
  const contractId = await drafted(await add(), day(0), day(90), anna, { client, partyName: undefined });
  expect((await submit(contractId, anna)).message).toBe('');
  expect(await state()).toBe('lead');
  const decide = await mall.call(boss, 'POST', `/jinmao/web/contract/${contractId}/approve`, {});
  expect(decide.message).toBe('');
  expect(await state()).toBe('signed');
  const own = await mall.call(anna, 'GET', `/jinmao/web/clientContract/page?client=${client}`);
  expect(own.data.rows).toMatchObject([{ id: contractId, state: 'active' }]);
  const job = clients.jobs!.find((each) => each.name === 'client.stage')!;
  await job.run({}, mall.platform);
  expect(await state()).toBe('signed');
  await run(db(), `UPDATE contract SET state = 'expired' WHERE id = $1`, [Number(contractId)]);
  await job.run({}, mall.platform);
  await job.run({}, mall.platform);
  expect(await state()).toBe('negotiating');
});

test('group 20 Must show 12: areas of a split add up, a let space is not split', async () => {
  const id = await add();
  const wrong = await split(id, ['60.00', '50.00']);
  expect([wrong.http, wrong.data.fields]).toEqual([422, { pieces: '面积之和须等于 100.00' }]);
  const let_ = await add();
  await lease(let_, -30, 40);
  const refused = await split(let_, ['60.00', '40.00']);
  expect([refused.http, refused.status]).toEqual([409, 30_101]);
  expect(refused.message).toContain(`占用至 ${day(40)}`);
  // Free again from the day after.
  expect((await split(let_, ['60.00', '40.00'], 41)).message).toBe('');
  expect(await look(let_)).toMatchObject({ closedOn: day(41), standing: 'leased' });
});

test('after a split the new ones are let from that day, the old one until the day before, whoever asks', async () => {
  const id = await add();
  expect((await split(id, ['55.55', '44.45'])).message).toBe('');
  const made = await run<{ id: number; number: string }>(
    db(),
    'SELECT n.id, n.number FROM space n JOIN space o ON o.closed_by_id = n.made_by_id WHERE o.id = $1 ORDER BY n.id',
    [Number(id)],
  );
  expect(made).toHaveLength(2);
  const fresh = String(made[0]!.id);
  expect(await look(fresh)).toMatchObject({ builtArea: '55.55', opensOn: day(10) });
  expect((await act(fresh, 'hold', held(9, 20))).message).toBe(
    `铺位 ${made[0]!.number} 自 ${day(10)} 起启用`,
  );
  const { number } = await look(id);
  expect((await act(id, 'hold', held(0, 10))).message).toBe(`铺位 ${number} 自 ${day(10)} 起关闭`);
  expect((await act(id, 'hold', held(0, 9))).message).toBe('');
  expect((await act(fresh, 'hold', held(10, 20))).message).toBe('');
  const contractOf = await drafted(id, day(5), day(30), ben);
  expect((await submit(contractOf, ben)).message).toBe(`铺位 ${number} 自 ${day(10)} 起关闭`);
  await expect(lease(id, 10, 12)).rejects.toThrow('the space is not there on these days');
  // The area cannot be lost behind the back of the product.
  const whole = await add();
  await expect(
    run(
      db(),
      `WITH made AS (INSERT INTO space_reshape (kind, on_day, reason) VALUES ('split', current_date, '绕过') RETURNING id)
       UPDATE space SET closed_on = current_date + 1, closed_by_id = made.id FROM made WHERE space.id = $1`,
      [Number(whole)],
    ),
  ).rejects.toThrow('areas must add up');
});

test('a split and a lease at once: one of them is refused, and both never hold', async () => {
  for (let round = 0; round < 4; round++) {
    const id = await add();
    const contractId = await drafted(id, day(5), day(60), ben);
    const answers = await Promise.all([split(id, ['60.00', '40.00']), submit(contractId, ben)]);
    expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
  }
  const id = await add();
  const twice = await Promise.all([split(id, ['60.00', '40.00']), split(id, ['50.00', '50.00'], 12, ben)]);
  expect(twice.map((answer) => answer.http).sort()).toEqual([200, 409]);
});

test('spaces of a floor are combined, their areas added up; the old ones close', async () => {
  const [a, b, c] = [
    await add({ builtArea: '40.10', usableArea: '30.00' }),
    await add({ builtArea: '59.95', usableArea: '50.00' }),
    await add({ floor: 2 }),
  ];
  const combine = (id: string, others: readonly string[], caller = anna, number = `C-${(turn += 1)}`) =>
    act(id, 'combine', { others, number, on: day(0), reason: '大客户' }, caller);
  expect((await combine(a, [c])).data.fields).toEqual({ others: '须为同一楼层的铺位' });
  // From both sides at once: one of them.
  const answers = await Promise.all([combine(a, [b]), combine(b, [a], ben)]);
  expect(answers.map((answer) => answer.http).sort()).toEqual([200, 409]);
  const made = await one<{ id: number; built_area: number; usable_area: number }>(
    'SELECT n.id, n.built_area, n.usable_area FROM space n JOIN space o ON o.closed_by_id = n.made_by_id WHERE o.id = $1',
    [Number(a)],
  );
  expect(made).toMatchObject({ built_area: 10_005, usable_area: 8_000 });
  const closed = await mall.call(anna, 'GET', `${ROOT}/page?tab=closed&limit=50`);
  expect(closed.data.rows.map((row: { id: string }) => row.id)).toEqual(expect.arrayContaining([a, b]));
  // Closed today: held no more, on the board neither.
  expect((await act(a, 'hold', held(0, 1))).message).toBe('铺位已关闭');
  expect(await one<{ enabled: boolean }>('SELECT enabled FROM position WHERE id = $1', [Number(a)])).toEqual({
    enabled: false,
  });
});

test('a let space keeps its area, in the form and in the table', async () => {
  const id = await add();
  await lease(id, -10, 100);
  const refused = await edit(id, { builtArea: '99.00' });
  expect([refused.http, refused.status, refused.message]).toEqual([
    409,
    30_101,
    '铺位已出租，面积请走合同变更',
  ]);
  expect((await edit(id, { rent: '150.00', builtArea: '100.00' })).message).toBe('');
  await expect(run(db(), 'UPDATE space SET built_area = 1 WHERE id = $1', [Number(id)])).rejects.toThrow(
    'a let space keeps its area',
  );
  expect(await look(id)).toMatchObject({ standing: 'leased', endsOn: day(100), vacantDays: null });
});

test('closing needs days nobody has; a hold whose time is over does not count', async () => {
  const id = await add();
  expect((await act(id, 'hold', held(0, 30))).message).toBe('');
  expect((await act(id, 'close', { on: day(20), reason: '改造' })).message).toContain(`占用至 ${day(30)}`);
  await run(
    db(),
    `UPDATE position_occupancy SET created_at = now() - interval '4 days', expires_at = now() - interval '1 hour' WHERE position_id = $1`,
    [Number(id)],
  );
  expect((await act(id, 'close', { on: day(-1), reason: '改造' })).data.fields).toEqual({
    on: '不能早于今天',
  });
  expect((await act(id, 'close', { on: day(20), reason: '改造' })).message).toBe('');
  expect((await act(id, 'close', { on: day(30), reason: '改造' })).message).toBe('铺位已定关闭日');
});

test('the tree counts vacant spaces of floors, the overview areas; other projects see nothing', async () => {
  const { id: street } = await one<{ id: number }>(
    `INSERT INTO building (project_id, name) VALUES ($1, '内街') RETURNING id`,
    [mall.ids.north],
  );
  const [a] = [
    await add({ building: String(street), floor: -1 }),
    await add({ building: String(street), floor: -1 }),
  ];
  await lease(a, -5, 80);
  const floors = (await mall.call(anna, 'GET', `${ROOT}/places`)).data.rows;
  expect(floors.find((row: { buildingId: string }) => row.buildingId === String(street))).toMatchObject({
    floor: -1,
    spaces: 2,
    vacant: 1,
  });
  const all = (await mall.call(anna, 'GET', `${ROOT}/page?place=${street}.-1`)).data.rows;
  expect(all).toHaveLength(2);
  const figures = (await mall.call(anna, 'GET', `${ROOT}/overview?project=${mall.ids.north}`)).data;
  expect(Number(figures.letArea)).toBeGreaterThanOrEqual(100);
  expect(figures.endings.length).toBeGreaterThan(0);
  expect((await mall.call(south, 'GET', `${ROOT}/places`)).data.rows).toEqual([]);
  expect((await mall.call(south, 'GET', `${ROOT}/overview?project=${mall.ids.north}`)).http).toBe(404);
  expect((await mall.call(south, 'GET', `${ROOT}/plan?project=${mall.ids.north}`)).data.rows).toEqual([]);
  expect((await split(a, ['60.00', '40.00'], 100, south)).http).toBe(404);
});

test('people of a project come and go, its clients stay with their owners', async () => {
  const person = await one<{ id: number }>(
    'INSERT INTO business_person (staff_id) VALUES ($1) RETURNING id',
    [ben.staffId],
  );
  const PEOPLE = '/jinmao/web/projectPerson';
  const join = () =>
    mall.call(anna, 'POST', PEOPLE, { project: String(mall.ids.north), staff: String(ben.staffId) });
  expect((await join()).message).toBe('');
  expect((await join()).message).toBe('该人员已参与此项目');
  const { rows } = (await mall.call(anna, 'GET', `${PEOPLE}/page?project=${mall.ids.north}`)).data;
  expect(rows).toMatchObject([{ staff: { id: String(ben.staffId) }, standing: 'active', clients: 0 }]);
  const path = `${PEOPLE}/${rows[0].id}?version=${rows[0].version}`;
  expect((await mall.call(anna, 'DELETE', path)).message).toBe('');
  expect(
    await run(db(), 'SELECT FROM business_person_project WHERE person_id = $1', [person.id]),
  ).toHaveLength(0);
});

test('group 20 Must show 8 (contracts): contracts and what is open of them go along with a client where that is ticked', async () => {
  for (const person of [anna, ben])
    await run(db(), 'INSERT INTO business_person (staff_id) VALUES ($1) ON CONFLICT DO NOTHING', [
      person.staffId,
    ]);
  const value = (root: string) =>
    one<{ id: number }>(
      `SELECT min(v.id) AS id FROM biz_dict v JOIN biz_dict r ON r.id = v.root_id WHERE r.code = $1 AND v.parent_id IS NOT NULL`,
      [root],
    );
  const won = async (phone: string) => {
    const made = await mall.call(anna, 'POST', '/jinmao/web/client', {
      name: `移交商行${phone.slice(-4)}`,
      industry: String((await value('client_industry')).id),
      source: String((await value('client_source')).id),
      level: 'C',
      projects: [String(mall.ids.north)],
      contactName: '联系人',
      contactPhone: phone,
      confirmed: true,
    });
    expect([made.message, made.data?.fields]).toEqual(['', undefined]);
    const client = String(made.data.id);
    const id = await drafted(await add(), day(0), day(90), anna, { client, partyName: undefined });
    expect((await submit(id, anna)).message).toBe('');
    expect((await mall.call(boss, 'POST', `/jinmao/web/contract/${id}/approve`, {})).message).toBe('');
    return { client, contract: Number(id) };
  };
  const [first, second] = [await won('13900008801'), await won('13900008802')];
  await issueDue(mall.platform, day(40));
  const ownersOf = async (id: number) => ({
    contract: (await one<{ owner: number }>('SELECT owner_id AS owner FROM contract WHERE id = $1', [id]))
      .owner,
    open: (
      await run<{ owner: number }>(
        db(),
        `SELECT DISTINCT owner_id AS owner FROM receivable WHERE source_kind = 'contract' AND source_id = $1 AND state = 'open'`,
        [id],
      )
    ).map((row) => row.owner),
  });
  expect(await ownersOf(first.contract)).toEqual({ contract: anna.staffId, open: [anna.staffId] });
  const hand = async (client: string, ticks: object) => {
    const { version } = await one<{ version: number }>('SELECT version FROM client WHERE id = $1', [
      Number(client),
    ]);
    return mall.call(anna, 'POST', `/jinmao/web/client/${client}/transfer`, {
      version,
      to: String(ben.staffId),
      reason: '片区调整',
      ...ticks,
    });
  };
  expect((await hand(first.client, { contracts: true, receivables: true })).message).toBe('');
  expect(await ownersOf(first.contract)).toEqual({ contract: ben.staffId, open: [ben.staffId] });
  expect((await hand(second.client, { contracts: false, receivables: false })).message).toBe('');
  expect(await ownersOf(second.contract)).toEqual({ contract: anna.staffId, open: [anna.staffId] });
  // What was won stays with who had it when it was approved.
  expect(
    await run(
      db(),
      `SELECT s.staff_id AS who, s.amount = k.amount AS whole FROM contract_signing s JOIN contract k ON k.id = s.contract_id WHERE s.contract_id = ANY($1::bigint[])`,
      [[first.contract, second.contract]],
    ),
  ).toEqual([
    { who: anna.staffId, whole: true },
    { who: anna.staffId, whole: true },
  ]);
});
