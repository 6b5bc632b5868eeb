import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { castBallot, countPaper, enterPaper } from '../../../domain/decision/decision.server.ts';
import { run, runOne, transaction } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { programClient } from '../../../testing/program-client.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/decision';
const DAY = 86_400_000;
let product: TestProduct;
let admin: string;
let app: string;
let project: number;
let elsewhere: number;
/** House and owner, 100 of them; the first 80 have 90 m². */
let homes: { house: number; member: number }[];
let turn = 0;

const db = () => product.platform.database.db;
const job = (name: string) =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!
    .run({}, product.platform);
const form = (more: object = {}) => ({
  project: String(project),
  kind: 'ordinary',
  title: `决策${++turn}`,
  content: '<p>请投票</p>',
  startsAt: new Date(Date.now() + 1_000).toISOString(),
  endsAt: new Date(Date.now() + 2 * DAY).toISOString(),
  who: 'owners',
  abstain: true,
  changeable: true,
  secret: false,
  ...more,
});
async function made(more: object = {}): Promise<number> {
  const answer = await product.call(admin, 'POST', ROOT, form(more));
  expect([answer.http, answer.message]).toEqual([200, '']);
  const id = Number(answer.data.id);
  await run(db(), `UPDATE decision SET starts_at = now() - interval '1 hour' WHERE id = $1`, [id]);
  await job('decision.start');
  return id;
}
const over = (id: number) =>
  run(
    db(),
    `UPDATE decision SET starts_at = now() - interval '3 days', ends_at = now() - interval '1 second' WHERE id = $1`,
    [id],
  );
const cast = (
  decisionId: number,
  home: { house: number; member: number },
  choice: 'agree' | 'disagree' | 'abstain',
) =>
  transaction(db(), (tx) =>
    castBallot(tx, { decisionId, houseId: home.house, memberId: home.member, choice }),
  );
const event = (home: { house: number; member: number }, decisionId: number, choice: string) =>
  product.call(app, 'POST', '/jinmao/web/memberEvent', {
    eventId: randomUUID(),
    memberId: String(home.member),
    projectId: String(project),
    type: 'ballot.cast',
    occurredAt: new Date().toISOString(),
    payload: { decisionId: String(decisionId), houseId: String(home.house), choice },
  });
const seen = async (id: number) => (await product.call(admin, 'GET', `${ROOT}/${id}`)).data;
/** Casts the example: 36 agree, 30 disagree, 4 abstain. */
async function example(id: number) {
  for (const [index, home] of homes.slice(0, 70).entries())
    await cast(id, home, index < 36 ? 'agree' : index < 66 ? 'disagree' : 'abstain');
}

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  await programClient(db(), {
    id: 'decision-app',
    secret: 'a-long-secret',
    grants: ['client_credentials'],
    scopes: ['member_event'],
  });
  const token = await product.app.inject({
    method: 'POST',
    url: '/api/auth/oauth/token',
    headers: {
      authorization: `Basic ${Buffer.from('decision-app:a-long-secret').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    payload: 'grant_type=client_credentials&scope=member_event',
  });
  app = `Bearer ${token.json<{ access_token: string }>().access_token}`;
  const place = async (code: string) =>
    (await runOne<{ id: number }>(
      db(),
      `INSERT INTO project (code, name, centre_id, unit_id) SELECT $1, $1, centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
      [code],
    ))!.id;
  project = await place('DC01');
  elsewhere = await place('DC02');
  const unit = async (where: number) =>
    (await runOne<{ id: number }>(
      db(),
      `WITH b AS (INSERT INTO building (project_id, name) VALUES ($1, '1幢') RETURNING id)
       INSERT INTO building_unit (building_id, name) SELECT id, '1单元' FROM b RETURNING id`,
      [where],
    ))!.id;
  const own = await unit(project);
  await run(
    db(),
    `INSERT INTO house (project_id, unit_id, number, built_area) SELECT $1, $2, n::text, 90 FROM generate_series(1, 100) n`,
    [project, own],
  );
  await run(db(), `INSERT INTO house (project_id, unit_id, number, built_area) VALUES ($1, $2, '1', 80)`, [
    elsewhere,
    await unit(elsewhere),
  ]);
  homes = await run(
    db(),
    `WITH m AS (INSERT INTO member (name, phone, project_id) SELECT '业主' || n, '1770000' || lpad(n::text, 4, '0'), $1 FROM generate_series(1, 100) n RETURNING id, phone)
     INSERT INTO household (member_id, house_id, identity, status) SELECT m.id, h.id, 'owner', 'normal' FROM m
       JOIN house h ON h.project_id = $1 AND h.number = ltrim(substr(m.phone, 8), '0') RETURNING house_id AS house, member_id AS member`,
    [project],
  );
  homes.sort((a, b) => a.house - b.house);
});
afterAll(() => product?.close());

test('group 10 Must show 10: 36 of 100 houses agree, 70 take part: 36.00 %, 70.00 %, passed; 35 do not pass', async () => {
  const [passes, fails] = [await made(), await made()];
  await example(passes);
  await example(fails);
  await cast(fails, homes[0]!, 'disagree');
  expect(await seen(passes)).toMatchObject({
    rate: '36.00',
    turnout: '70.00',
    perHouse: '0.0100',
    houses: 100,
  });
  for (const id of [passes, fails]) await over(id);
  await job('decision.end');
  expect(await seen(passes)).toMatchObject({ state: 'ended', result: 'passed', why: null });
  expect(await seen(fails)).toMatchObject({ rate: '35.00', result: 'failed', why: 'pass' });
});

test('group 10 Must show 11: two owners of a house vote at the same moment, one ballot counts, one is superseded', async () => {
  const id = await made();
  const home = homes[0]!;
  const second = (await runOne<{ member: number }>(
    db(),
    `WITH m AS (INSERT INTO member (name, phone, project_id) VALUES ('共有人', '17700009999', $2) RETURNING id)
     INSERT INTO household (member_id, house_id, identity, status) SELECT id, $1, 'owner', 'normal' FROM m RETURNING member_id AS member`,
    [home.house, project],
  ))!.member;
  await Promise.all([cast(id, home, 'agree'), cast(id, { house: home.house, member: second }, 'disagree')]);
  const states = await run<{ state: string }>(
    db(),
    'SELECT state FROM ballot WHERE decision_id = $1 ORDER BY state',
    [id],
  );
  expect(states.map((one) => one.state)).toEqual(['live', 'superseded']);
  expect((await seen(id)).voted).toBe(1);
  // Forty changes at once still leave one ballot that counts.
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => cast(id, homes[1 + (n % 4)]!, n % 2 ? 'agree' : 'disagree')),
  );
  expect((await seen(id)).voted).toBe(5);
  // Where changing is not allowed, the first counts.
  const fixed = await made({ changeable: false });
  const tries = await Promise.allSettled(
    Array.from({ length: 10 }, (_, n) => cast(fixed, home, n % 2 ? 'agree' : 'disagree')),
  );
  expect(tries.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
});

test('group 10 Must show 12: a tenant is refused, so is a ballot after the end while the job is late; the result equals the counts', async () => {
  const id = await made();
  const tenant = (await runOne<{ member: number }>(
    db(),
    `WITH m AS (INSERT INTO member (name, phone, project_id) VALUES ('租客', '17700009998', $2) RETURNING id)
     INSERT INTO household (member_id, house_id, identity, status) SELECT id, $1, 'tenant', 'normal' FROM m RETURNING member_id AS member`,
    [homes[9]!.house, project],
  ))!.member;
  const refused = await event({ house: homes[9]!.house, member: tenant }, id, 'agree');
  expect([refused.status, refused.message]).toEqual([30101, '仅业主可投票']);
  expect((await event(homes[9]!, id, 'agree')).message).toBe('');
  await over(id);
  expect((await event(homes[10]!, id, 'agree')).message).toBe('不在投票时间内');
  expect((await seen(id)).state).toBe('running');
  await job('decision.end');
  expect(await seen(id)).toMatchObject({ result: 'failed', why: 'quorum', voted: 1 });
  const decided = await runOne<{ n: number }>(
    db(),
    `SELECT (decided->'participating'->>'houses')::integer AS n FROM decision WHERE id = $1`,
    [id],
  );
  expect(decided!.n).toBe(1);
});

test('group 10 Must show 13: a running decision keeps its thresholds when the setting changes', async () => {
  const { settings } = product.platform;
  const original = settings.textIn.bind(settings);
  const before = await made({ kind: 'special' });
  let after: number;
  Object.assign(settings, {
    textIn: (tx: never, key: string, at: never) =>
      key === 'decision.pass.special' ? Promise.resolve('>=9/10 count and area') : original(tx, key, at),
  });
  try {
    after = await made({ kind: 'special' });
  } finally {
    Object.assign(settings, { textIn: original });
  }
  const rule = async (id: number) =>
    (await seen(id)).standing.bars.find((one: { key: string }) => one.key === 'pass').needHouses[0];
  expect([await rule(before), await rule(after)]).toEqual(['至少 3/4', '至少 9/10']);
});

test('group 10 Must show 14: a secret ballot shows no choice of a house in roll, ballots, sheet or the kept event', async () => {
  const id = await made({ secret: true });
  const answer = await event(homes[20]!, id, 'agree');
  expect(answer.message).toBe('');
  const rolls = await product.call(admin, 'GET', `/jinmao/web/decisionHouse/page?decision=${id}&voted=voted`);
  expect(rolls.data.total).toBe(1);
  const ballots = await product.call(admin, 'GET', `/jinmao/web/ballot/page?decision=${id}`);
  for (const said of [rolls, ballots]) expect(JSON.stringify(said.data)).not.toContain('"agree"');
  // Nor when it came, nor which came before it: beside the live figures that is the choice.
  await cast(id, homes[21]!, 'disagree');
  const order = await product.call(admin, 'GET', `/jinmao/web/ballot/page?decision=${id}&sort=castAt`);
  expect([order.http, order.data.rows]).toEqual([200, []]);
  const sheet = await product.call(admin, 'GET', `${ROOT}/${id}/sheet`);
  expect([sheet.data.houses, sheet.data.decision.standing.sides.agree.houses]).toEqual([[], 1]);
  const kept = await runOne<{ payload: object }>(
    db(),
    `SELECT payload FROM member_event WHERE payload->>'decisionId' = $1`,
    [String(id)],
  );
  expect(kept!.payload).not.toHaveProperty('choice');
});

test('group 10 Must show 14: what a paper ballot of a secret vote says stands in no audit record or timeline, the roll says voted or not', async () => {
  const id = await made({ secret: true });
  const roll = (await runOne<{ id: number }>(
    db(),
    'SELECT id FROM decision_house WHERE decision_id = $1 AND house_id = $2',
    [id, homes[3]!.house],
  ))!.id;
  const picture = (await runOne<{ id: string }>(
    db(),
    `INSERT INTO stored_file (id, name, type, size, sha256, storage_key, access)
     VALUES (gen_random_uuid(), 'sheet.png', 'image/png', 1, '\\x00', gen_random_uuid()::text, 'picture') RETURNING id`,
  ))!.id;
  const row = await product.call(admin, 'GET', `${ROOT}/${id}`);
  const paper = await product.call(admin, 'POST', `${ROOT}/${id}/paper`, {
    version: row.data.version,
    house: String(roll),
    choice: 'disagree',
    photo: [picture],
  });
  expect([paper.http, paper.message]).toEqual([200, '']);
  const waiting = await product.call(admin, 'GET', `/jinmao/web/ballot/page?decision=${id}`);
  expect(waiting.data.rows).toMatchObject([{ state: 'waiting', way: 'paper', castAt: null, choice: null }]);
  const records = await run<{ said: string }>(
    db(),
    `SELECT to_jsonb(a)::text AS said FROM audit_record a WHERE entity = 'decision' AND entity_id = $1::text`,
    [id],
  );
  expect(records.length).toBeGreaterThan(1);
  const told = await product.call(admin, 'GET', `${ROOT}/${id}/timeline`);
  for (const said of [...records.map((one) => one.said), JSON.stringify(told.data)]) {
    expect(said).not.toContain('disagree');
    expect(said).not.toContain(picture);
  }
  await cast(id, homes[4]!, 'agree');
  // The export is the list: the house, and that it voted.
  const query = { decision: String(id), voted: 'voted' };
  const rows = await product.call(
    admin,
    'GET',
    `/jinmao/web/decisionHouse/page?${new URLSearchParams(query).toString()}`,
  );
  expect(rows.data.rows).toMatchObject([
    { voted: 'voted', house: expect.any(String), choice: null, way: null, castAt: null },
  ]);
  expect((await product.call(admin, 'POST', '/jinmao/web/decisionHouse/export', { query })).http).toBe(200);
});

test('group 10 Must show 15: decisions of another project stand in no list and answer 404 by id', async () => {
  const id = await made({ project: String(elsewhere) });
  const staff = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'decision_one', '同事', false, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
  ))!.id;
  await run(db(), 'INSERT INTO staff_project (staff_id, project_id) VALUES ($1, $2)', [staff, project]);
  await grantMenu(db(), staff, 'cs_policyDecision');
  const scoped = await product.signIn('decision_one');
  expect((await product.call(scoped, 'GET', `${ROOT}/page?project=${elsewhere}`)).data?.total ?? 0).toBe(0);
  expect((await product.call(scoped, 'GET', `${ROOT}/${id}`)).http).toBe(404);
});

test('a paper ballot counts when a second person confirmed it, and the later one counts', async () => {
  const id = await made();
  const [one, two] = (await run<{ id: number }>(db(), 'SELECT id FROM staff ORDER BY id LIMIT 2')).map(
    (row) => row.id,
  );
  const enter = (house: number) =>
    transaction(db(), (tx) =>
      enterPaper(tx, {
        decisionId: id,
        houseId: house,
        choice: 'disagree',
        evidence: [randomUUID()],
        proxyName: '',
        proxyDocument: '',
        staffId: one!,
      }),
    );
  await cast(id, homes[0]!, 'agree');
  await enter(homes[0]!.house);
  await expect(enter(homes[0]!.house)).rejects.toThrow();
  expect((await seen(id)).rate).toBe('1.00');
  const waiting = (await runOne<{ id: number }>(
    db(),
    `SELECT id FROM ballot WHERE decision_id = $1 AND state = 'waiting'`,
    [id],
  ))!.id;
  // The database itself knows that it takes two.
  await expect(
    run(db(), `UPDATE ballot SET state = 'live', confirmed_by = created_by WHERE id = $1`, [waiting]),
  ).rejects.toThrow();
  await transaction(db(), async (tx) => {
    const counted = await countPaper(tx, { id: waiting, decisionId: id, houseId: homes[0]!.house });
    expect(counted.to).toBe('live');
    await run(tx, `UPDATE ballot SET state = 'live', confirmed_by = $2 WHERE id = $1`, [waiting, two]);
  });
  expect(await seen(id)).toMatchObject({ rate: '0.00', voted: 1 });
});

test('forms are refused with their reasons', async () => {
  const said = async (more: object) => (await product.call(admin, 'POST', ROOT, form(more))).data?.fields;
  const empty = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO project (code, name, centre_id, unit_id) SELECT 'DC03', 'DC03', centre_id, unit_id FROM project ORDER BY id LIMIT 1 RETURNING id`,
  ))!.id;
  expect(await said({ project: String(empty) })).toMatchObject({ project: '该项目没有房屋' });
  expect(await said({ startsAt: new Date(Date.now() - DAY).toISOString() })).toHaveProperty('startsAt');
  expect(await said({ endsAt: new Date(Date.now() + DAY / 2).toISOString() })).toHaveProperty('endsAt');
  expect(await said({ endsAt: new Date(Date.now() + 70 * DAY).toISOString() })).toHaveProperty('endsAt');
  await made({ title: '同名' });
  const again = await product.call(admin, 'POST', ROOT, form({ title: '同名' }));
  expect([again.http, again.status]).toEqual([409, 30101]);
});

test('a house earns its points once, whoever of its owners votes; turnout is told by day', async () => {
  const id = await made();
  const [home] = homes;
  const other = (await runOne<{ id: number }>(
    db(),
    `INSERT INTO member (name, phone, project_id) VALUES ('共有人', '13900007777', $1) RETURNING id`,
    [project],
  ))!.id;
  await run(db(), `INSERT INTO household (member_id, house_id, identity) VALUES ($1, $2, 'owner')`, [
    other,
    home!.house,
  ]);
  const first = await event(home!, id, 'agree');
  expect(first.data.effects).toMatchObject([{ rule: 'T10', points: 20 }]);
  const second = await event({ house: home!.house, member: other }, id, 'disagree');
  expect([second.message, second.data.effects]).toEqual(['', []]);
  expect((await seen(id)).standing.days.map((one: { voted: number }) => one.voted)).toEqual([1]);
});
