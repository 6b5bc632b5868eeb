import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openGate } from '../../../domain/road-gate/gate-vendor.server.ts';
import { stateSpans, type GateEventKind } from '../../../domain/road-gate/road-gate.rules.ts';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { askToken, programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/roadGate';
let product: TestProduct;
let admin: string;
let counter = 0;
let projects: number[];

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  const { db } = product.platform.database;
  projects = (await run<{ id: number }>(db, 'SELECT id FROM project ORDER BY id')).map((one) => one.id);
  for (const [id, grants, scopes] of [
    ['maker', ['client_credentials'], ['gate']],
    ['no-scope', ['client_credentials'], ['service']],
    ['no-grant', ['authorization_code', 'refresh_token'], ['gate']],
  ] as const)
    await programClient(db, { id, secret: 'a-long-secret', grants, scopes });
});
afterAll(() => product?.close());

const add = async (input: object = {}) => {
  const number = ++counter;
  const made = await product.call(admin, 'POST', ROOT, {
    code: `T-GATE-${number}`,
    name: `测试道闸${number}`,
    project: String(projects[0]),
    direction: 'both',
    vendor: 'hikvision',
    deviceNo: `HK-${number}`,
    ...input,
  });
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string; version: number; deviceNo: string; state: string };
};

const tell = async (
  events: object[],
  options: { client?: string; secret?: string; vendor?: string } = {},
) => {
  const answer = await product.app.inject({
    method: 'POST',
    url: `/api${ROOT}/report`,
    headers: {
      authorization: await askToken(product, options.client ?? 'maker', options.secret ?? 'a-long-secret'),
    },
    payload: { vendor: options.vendor ?? 'hikvision', events },
  });
  const { data } = answer.json() as { data: any };
  return { http: answer.statusCode, data };
};
const stateOf = async (id: string) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data.state;
const eventsOf = async (id: string, query = '') =>
  (await product.call(admin, 'GET', `/jinmao/web/roadGateEvent/page?gate=${id}&limit=200${query}`)).data
    .rows as Record<string, any>[];
const watch = () =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((job) => job.name === 'gate.watch')!
    .run({ again: true }, product.platform);
const goSilent = (id: string) =>
  run(
    product.platform.database.db,
    `UPDATE road_gate SET last_heartbeat_at = clock_timestamp() - interval '91 seconds' WHERE id = $1`,
    [Number(id)],
  );

describe('the form', () => {
  test('a device is registered once with its vendor, its key is never read again', async () => {
    const made = await add({ key: 'TOP-SECRET-KEY-a3f9' });
    expect(made.state).toBe('offline');
    const taken = await product.call(admin, 'POST', ROOT, {
      code: 'T-OTHER',
      name: '另一台',
      project: String(projects[0]),
      direction: 'in',
      vendor: 'hikvision',
      deviceNo: made.deviceNo.toLowerCase(),
    });
    expect([taken.status, taken.message]).toEqual([30101, '该厂商的设备号已登记']);
    await add({ vendor: 'jieshun', deviceNo: made.deviceNo });
    const rotated = await product.call(admin, 'POST', `${ROOT}/${made.id}/rotate`, {
      key: 'NEW-SECRET-KEY-b4c1',
    });
    expect([rotated.http, rotated.data.keyMark]).toEqual([
      200,
      expect.stringMatching(/^\*\*\*\*b4c1 · \d{4}-\d\d-\d\d$/),
    ]);
    const all = [
      (await product.call(admin, 'GET', `${ROOT}/page?limit=200`)).text,
      (await product.call(admin, 'GET', `${ROOT}/${made.id}/timeline`)).text,
      rotated.text,
      JSON.stringify(
        await run(
          product.platform.database.db,
          `SELECT before::text, after::text FROM audit_record WHERE entity = 'roadGate' AND entity_id = $1`,
          [Number(made.id)],
        ),
      ),
    ].join();
    expect(all).not.toContain('SECRET-KEY');
  });
});

describe('reports of the makers', () => {
  test('come with the credential of a client that has the scope, or not at all', async () => {
    const { deviceNo } = await add();
    const beat = [{ deviceNo, kind: 'heartbeat' }];
    expect((await tell(beat, { secret: 'wrong' })).http).toBe(401);
    expect((await tell(beat, { client: 'nobody' })).http).toBe(401);
    expect((await tell(beat, { client: 'no-scope' })).http).toBe(403);
    // Without the grant there is no token to come with.
    expect((await tell(beat, { client: 'no-grant' })).http).toBe(401);
    // A staff's own session is no program.
    expect(
      (await product.call(admin, 'POST', `${ROOT}/report`, { vendor: 'hikvision', events: beat })).http,
    ).toBe(403);
    expect((await tell([{ deviceNo, kind: 'lost' }])).http).toBe(422);
    expect((await tell(beat, { vendor: 'jieshun' })).data.unknown).toEqual([deviceNo]);
  });

  test('the same event counts once, also when it is sent ten times at once; plates are shown by their ends', async () => {
    const { id, deviceNo } = await add();
    const car = [{ deviceNo, kind: 'enter', plate: '京A12345', eventNo: 'E-1' }];
    const answers = await Promise.all(Array.from({ length: 10 }, () => tell(car)));
    expect(answers.reduce((sum, one) => sum + one.data.accepted, 0)).toBe(1);
    expect(answers.reduce((sum, one) => sum + one.data.duplicate, 0)).toBe(9);
    const [event, ...rest] = (await eventsOf(id)).filter((one) => one.kind === 'enter');
    expect([event!.plate, rest]).toEqual(['京A***45', []]);
    expect(await eventsOf(id, `&plate=${encodeURIComponent('京a12345')}`)).toHaveLength(1);
    expect(await eventsOf(id, '&plate=12345')).toHaveLength(0);
    const late = await tell([
      { deviceNo, kind: 'exit', at: new Date(Date.now() - 25 * 3_600_000).toISOString() },
      { deviceNo, kind: 'exit', at: new Date(Date.now() + 3_600_000).toISOString() },
    ]);
    expect(late.data).toMatchObject({ accepted: 0, late: 2 });
  });

  test('silence makes a gate offline with one alert for the project, a heartbeat brings it back', async () => {
    const { db } = product.platform.database;
    const [one, other] = [await add(), await add()];
    await tell([one, other].map(({ deviceNo }) => ({ deviceNo, kind: 'heartbeat' })));
    await watch();
    expect([await stateOf(one.id), await stateOf(other.id)]).toEqual(['online', 'online']);
    await goSilent(one.id);
    await goSilent(other.id);
    await Promise.all([watch(), watch()]);
    expect([await stateOf(one.id), await stateOf(other.id)]).toEqual(['offline', 'offline']);
    const alerts = await run<{ row_ids: number[] }>(
      db,
      `SELECT n.row_ids FROM notification n JOIN staff s ON s.id = n.staff_id
        WHERE n.kind = 'alertGate' AND s.account = 'admin' AND n.row_ids @> ARRAY[$1::bigint]`,
      [Number(one.id)],
    );
    expect(alerts).toHaveLength(1);
    expect(alerts[0]!.row_ids).toContain(Number(other.id));
    await watch();
    expect((await eventsOf(one.id)).filter((event) => event.kind === 'lost')).toHaveLength(1);
    await tell([{ deviceNo: one.deviceNo, kind: 'heartbeat' }]);
    expect(await stateOf(one.id)).toBe('online');
    expect((await eventsOf(one.id)).map((event) => event.kind)).toEqual(['back', 'lost', 'back']);
    // Broken gates beat too and stay broken until they say otherwise.
    await tell([{ deviceNo: one.deviceNo, kind: 'fault' }]);
    await tell([{ deviceNo: one.deviceNo, kind: 'heartbeat' }]);
    expect(await stateOf(one.id)).toBe('fault');
    await tell([{ deviceNo: one.deviceNo, kind: 'back' }]);
    expect(await stateOf(one.id)).toBe('online');
    // Disabled gates are nobody's worry.
    await product.call(admin, 'POST', `${ROOT}/${one.id}/disable`, {});
    await goSilent(one.id);
    await watch();
    expect(await stateOf(one.id)).toBe('online');
  });
});

test('a fault is one fault until its end: told again, late or twice at once it writes no second event, and an end told late clears no new fault', async () => {
  const { id, deviceNo } = await add();
  const told = async (kind: string, more: object = {}) => {
    const { data: answer } = await tell([{ deviceNo, kind, ...more }]);
    return answer.accepted === 1 ? 'accepted' : answer.duplicate === 1 ? 'duplicate' : 'other';
  };
  const faults = async () => (await eventsOf(id)).filter((event) => event.kind === 'fault').length;
  const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
  await told('heartbeat');
  const both = await Promise.all([1, 2, 3].map(() => told('fault', { eventNo: 'F1', at: ago(60) })));
  expect(both.sort()).toEqual(['accepted', 'duplicate', 'duplicate']);
  expect([await told('fault', { eventNo: 'F2' }), await told('fault'), await faults()]).toEqual([
    'duplicate',
    'duplicate',
    1,
  ]);
  expect(await told('back', { eventNo: 'B1', at: ago(30) })).toBe('accepted');
  expect(await stateOf(id)).toBe('online');
  // Sent again by a maker that heard no answer.
  for (const more of [{ eventNo: 'F1', at: ago(60) }, { eventNo: 'F2' }, { eventNo: 'F3', at: ago(50) }])
    expect(await told('fault', more)).toBe('duplicate');
  expect([await stateOf(id), await faults()]).toEqual(['online', 1]);
  expect(await told('fault', { eventNo: 'F4', at: ago(10) })).toBe('accepted');
  for (const more of [
    { eventNo: 'B1', at: ago(30) },
    { eventNo: 'B2', at: ago(20) },
  ])
    expect(await told('back', more)).toBe('duplicate');
  expect([await stateOf(id), await faults()]).toEqual(['fault', 2]);
});

test('a gate that goes silent at fault comes back at fault, until the end is told; the line of states says so', async () => {
  const { id, deviceNo } = await add();
  const kinds = async () => (await eventsOf(id)).map((event) => event.kind).reverse();
  const silent = async () => {
    await goSilent(id);
    await watch();
    expect(await stateOf(id)).toBe('offline');
  };
  const told = async (kind: string, more: object = {}) => (await tell([{ deviceNo, kind, ...more }])).data;
  await told('heartbeat');
  await told('fault', { eventNo: 'L1' });
  await silent();
  await told('heartbeat');
  expect(await stateOf(id)).toBe('fault');
  // Open from afar it does not: the fault is still there.
  expect((await product.call(admin, 'POST', `${ROOT}/${id}/open`, { reason: '检修' })).message).toBe(
    '设备拒绝抬杆，请检查设备',
  );
  await silent();
  // The same fault under another number is no second one, and brings the gate back just so.
  expect((await told('fault', { eventNo: 'L2' })).accepted).toBe(1);
  expect([await stateOf(id), (await told('fault', { eventNo: 'L2' })).duplicate]).toEqual(['fault', 1]);
  expect((await kinds()).filter((kind) => kind !== 'open')).toEqual([
    'back',
    'fault',
    'lost',
    'backFaulty',
    'lost',
    'backFaulty',
  ]);
  const line = (await product.call(admin, 'GET', `${ROOT}/${id}/stateLine`)).data.spans;
  expect(line.at(-1).state).toBe('fault');
  await silent();
  // The end, told late, lies behind the first return and before the second: the line of states says so too.
  await run(
    product.platform.database.db,
    `UPDATE road_gate_event e SET at = clock_timestamp() - make_interval(mins => 60 - 5 * n.no::int)
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS no FROM road_gate_event WHERE gate_id = $1) n WHERE n.id = e.id`,
    [Number(id)],
  );
  const second = (await eventsOf(id)).find((event) => event.kind === 'backFaulty')!;
  await told('back', { eventNo: 'L3', at: new Date(Date.parse(second.at) - 60_000).toISOString() });
  expect(await stateOf(id)).toBe('online');
  expect((await kinds()).filter((kind) => kind === 'backFaulty')).toHaveLength(1);
  await silent();
  await told('heartbeat');
  expect(await stateOf(id)).toBe('online');
  // One that broke behind its last return comes from silence as it was, whoever notices first.
  await told('fault', { eventNo: 'L4' });
  await silent();
  await Promise.all([told('heartbeat'), told('heartbeat'), told('enter', { plate: '京A12345' })]);
  expect([await stateOf(id), (await kinds()).filter((kind) => kind === 'backFaulty').length]).toEqual([
    'fault',
    2,
  ]);
});

describe('opening from afar', () => {
  test('group 09 Must show 12: no answer is told after 5 s, the event has operator and reason, a second click within 10 s is 429', async () => {
    const { id } = await add();
    const since = Date.now();
    const silent = await product.call(admin, 'POST', `${ROOT}/${id}/open`, { reason: '访客车辆，已核实' });
    expect([silent.status, silent.message]).toEqual([30101, '设备未响应']);
    expect(Date.now() - since).toBeGreaterThanOrEqual(4_900);
    const again = await product.call(admin, 'POST', `${ROOT}/${id}/open`, { reason: '再试一次' });
    expect(again.http).toBe(429);
    const [event, ...rest] = (await eventsOf(id)).filter((one) => one.kind === 'open');
    expect([event!.operator.title, event!.reason, event!.outcome, rest]).toEqual([
      '平台管理员',
      '访客车辆，已核实',
      'silent',
      [],
    ]);
  }, 15_000);

  test('of ten clicks at once one reaches the device', async () => {
    const { id, deviceNo } = await add();
    await tell([{ deviceNo, kind: 'heartbeat' }]);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        product.call(admin, 'POST', `${ROOT}/${id}/open`, { reason: '同时点击' }),
      ),
    );
    expect(answers.map((one) => one.http).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 429)]);
    expect((await eventsOf(id)).filter((one) => one.kind === 'open')).toHaveLength(1);
  });

  test('a broken device refuses, a disabled gate is not asked, a reason is needed', async () => {
    const { id, deviceNo } = await add();
    await tell([{ deviceNo, kind: 'fault' }]);
    expect((await product.call(admin, 'POST', `${ROOT}/${id}/open`, {})).http).toBe(422);
    expect((await product.call(admin, 'POST', `${ROOT}/${id}/open`, { reason: '检修' })).message).toBe(
      '设备拒绝抬杆，请检查设备',
    );
    await product.call(admin, 'POST', `${ROOT}/${id}/disable`, {});
    expect((await product.call(admin, 'POST', `${ROOT}/${id}/open`, { reason: '检修' })).message).toBe(
      '道闸已停用',
    );
  });

  test('a maker that fails or answers too late is silence', async () => {
    const platform = {
      ...product.platform,
      config: {
        ...product.platform.config,
        gateVendors: {
          jieshun: { open: () => Promise.reject(new Error('no line')) },
          hikvision: { open: () => new Promise<'opened'>((resolve) => setTimeout(resolve, 500, 'opened')) },
        },
      },
    };
    const device = { deviceNo: 'X', key: undefined };
    expect(await openGate(platform, { ...device, vendor: 'jieshun' }, 50)).toBe('silent');
    expect(await openGate(platform, { ...device, vendor: 'hikvision' }, 50)).toBe('silent');
    expect(await openGate(platform, { ...device, vendor: 'hikvision' }, 2_000)).toBe('opened');
  });
});

test('group 09 Must show 15 (gates): company staff see the gates of their project only', async () => {
  const { db } = product.platform.database;
  const [mine, theirs] = [await add(), await add({ project: String(projects[1]) })];
  const staff = await runOne<{ id: number }>(
    db,
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT tenant_id, 'gatekeeper', '门岗', false, false FROM tenant_project WHERE project_id = $1
       AND tenant_id IN (SELECT id FROM tenant WHERE kind = 1) LIMIT 1 RETURNING id`,
    [projects[0]],
  );
  await run(db, 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff!.id, projects[0]]);
  await grantMenu(db, staff!.id, 'ssm_roadGate');
  const token = await product.signIn('gatekeeper');
  const rows = (await product.call(token, 'GET', `${ROOT}/page?limit=200`)).data.rows as {
    project: { id: string };
    id: string;
  }[];
  expect(rows.map((row) => row.id)).toContain(mine.id);
  expect([...new Set(rows.map((row) => row.project.id))]).toEqual([String(projects[0])]);
  expect((await product.call(token, 'GET', `${ROOT}/${theirs.id}`)).http).toBe(404);
  expect((await product.call(token, 'GET', `${ROOT}/${theirs.id}/stateLine`)).http).toBe(404);
  expect((await product.call(token, 'GET', '/admin/dictValue/page')).http).toBe(403);
});

test('the state line: spans touch, begin with what was before, a new gate is not there yet', () => {
  const at = (hour: number) => new Date(Date.UTC(2026, 10, 1, hour));
  const line = (created: number, events: [number, GateEventKind][], state = 'online' as const) =>
    stateSpans(
      { state, created_at: at(created) },
      events.map(([hour, kind]) => ({ at: at(hour), kind })),
      at(0),
      at(10),
    ).map((span) => `${span.state} ${span.from.getUTCHours()}-${span.to.getUTCHours()}`);
  expect(line(-50, [])).toEqual(['online 0-10']);
  expect(
    line(-50, [
      [-3, 'lost'],
      [2, 'back'],
      [5, 'fault'],
    ]),
  ).toEqual(['offline 0-2', 'online 2-5', 'fault 5-10']);
  expect(line(-50, [[4, 'lost']])).toEqual(['online 0-4', 'offline 4-10']);
  expect(line(3, [[4, 'back']])).toEqual(['none 0-3', 'offline 3-4', 'online 4-10']);
  expect(line(-50, [[4, 'backFaulty']])).toEqual(['offline 0-4', 'fault 4-10']);
});
