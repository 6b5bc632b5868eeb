import { afterAll, beforeAll, expect, test } from 'vitest';
import { run, runOne } from '../../../kernel/server/database.ts';
import { grantMenu } from '../../../testing/grant-menu.ts';
import { startTestProduct, type TestProduct } from '../../../testing/test-product.ts';

const ROOT = '/jinmao/web/houseCustody';
const DAY = 86_400_000;
let product: TestProduct;
let admin: string;
let picture: string;
let places: readonly { house: string; applicant: string; project: string }[];

const db = () => product.platform.database.db;
const day = (days: number) => new Date(Date.now() + days * DAY + 8 * 3_600_000).toISOString().slice(0, 10);
const job = (name: string) =>
  product.platform.registrations
    .flatMap((one) => one.jobs ?? [])
    .find((one) => one.name === name)!
    .run({}, product.platform);
const form = (place: number, input: object = {}) => ({
  house: places[place]!.house,
  applicant: places[place]!.applicant,
  service: 'inspection',
  startsOn: day(-1),
  endsOn: day(90),
  keys: 3,
  ...input,
});
const add = async (place: number, input: object = {}) => {
  const made = await product.call(admin, 'POST', ROOT, form(place, input));
  expect([made.http, made.message]).toEqual([200, '']);
  return made.data as { id: string; code: string; version: number };
};
const act = (id: string, action: string, input: object = {}, token = admin) =>
  product.call(token, 'POST', `${ROOT}/${id}/${action}`, input);
const open = async (place: number, input: object = {}) => {
  const { id } = await add(place, input);
  expect((await act(id, 'handle', { nextInspectionOn: day(7) })).data.state).toBe('accepted');
  return id;
};
const said = (answers: readonly { http: number; status: number; message: string }[]) =>
  new Set(answers.filter((one) => one.http !== 200).map((one) => `${one.status} ${one.message}`));

beforeAll(async () => {
  product = await startTestProduct();
  admin = await product.signIn('admin');
  picture = (await runOne<{ id: string }>(db(), `SELECT id FROM stored_file WHERE name = 'launch-1.png'`))!
    .id;
  const rows = await run<{ house: number; applicant: number; project: number }>(
    db(),
    `SELECT DISTINCT ON (x.id) x.id AS house, hh.id AS applicant, x.project_id AS project FROM household hh JOIN house x ON x.id = hh.house_id
      WHERE hh.status = 'normal' AND NOT EXISTS (SELECT FROM house_custody c WHERE c.house_id = x.id) ORDER BY x.id, hh.id LIMIT 12`,
  );
  places = rows.map((row) => ({
    house: String(row.house),
    applicant: String(row.applicant),
    project: String(row.project),
  }));
});
afterAll(() => product.close());

test('of twenty entered at once for a house and service exactly one is open; another service has room, an ended one makes room', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => product.call(admin, 'POST', ROOT, form(0))),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(1);
  expect(said(answers)).toEqual(new Set(['30101 该房屋已有进行中的同类托管']));
  await add(0, { service: 'keys' });
  const { id } = answers.find((one) => one.http === 200)!.data;
  expect(Object.keys((await act(id, 'cancel')).data.fields)).toEqual(['reason']);
  expect((await act(id, 'cancel', { reason: '不需要了' })).data.state).toBe('cancelled');
  await add(0);
});

test('the form refuses an applicant of another house, a wrong period and a missing number of keys', async () => {
  const fields = async (input: object) =>
    Object.keys((await product.call(admin, 'POST', ROOT, form(1, input))).data?.fields ?? {});
  expect(await fields({ applicant: places[2]!.applicant })).toEqual(['applicant']);
  expect(await fields({ endsOn: day(-2) })).toEqual(['endsOn']);
  expect(await fields({ startsOn: day(-9), endsOn: day(-3) })).toEqual(['endsOn']);
  expect(await fields({ service: 'keys', keys: 0 })).toEqual(['keys']);
  expect(await fields({ keys: 21 })).toEqual(['keys']);
  expect((await product.call(admin, 'POST', ROOT, form(1, { house: '999999999' }))).http).toBe(404);
  const made = await add(1, { service: 'keys' });
  expect(made.code).toMatch(/^HC\d{14}$/);
  const row = (await product.call(admin, 'GET', `${ROOT}/${made.id}`)).data;
  expect(row.phone).toMatch(/^\d{3}\*{4}\d{4}$/);
  expect(row.applicant.title).toBe(row.name);
});

test('an inspection has a date, a result and at least one photo, and sets the next day', async () => {
  const { id } = await add(2);
  expect(Object.keys((await act(id, 'handle')).data.fields)).toEqual(['nextInspectionOn']);
  expect(Object.keys((await act(id, 'handle', { nextInspectionOn: day(91) })).data.fields)).toEqual([
    'nextInspectionOn',
  ]);
  expect((await act(id, 'inspect', {})).status).toBe(30101);
  const taken = await act(id, 'handle', { nextInspectionOn: day(3), keyNo: 'A-07' });
  expect([taken.data.state, taken.data.keyNo, taken.data.nextInspectionOn]).toEqual([
    'accepted',
    'A-07',
    day(3),
  ]);
  const fields = async (input: object) =>
    Object.keys(
      (await act(id, 'inspect', { inspectedOn: day(0), result: 'normal', photos: [picture], ...input })).data
        ?.fields ?? {},
    );
  expect(await fields({ photos: [] })).toEqual(['photos']);
  expect(await fields({ inspectedOn: day(1) })).toEqual(['inspectedOn']);
  expect(await fields({ result: 'problem' })).toEqual(['note']);
  expect(await fields({ nextInspectionOn: day(0) })).toEqual(['nextInspectionOn']);
  const done = await act(id, 'inspect', {
    inspectedOn: day(0),
    result: 'problem',
    note: '阳台渗水',
    photos: [picture],
    nextInspectionOn: day(14),
  });
  expect([done.http, done.data.nextInspectionOn]).toEqual([200, day(14)]);
  const visits = (await product.call(admin, 'GET', `/jinmao/web/custodyInspection/page?custody=${id}`)).data;
  expect([visits.total, visits.rows[0].note, visits.rows[0].photos.length]).toEqual([1, '阳台渗水', 1]);
});

test('with three keys ten hand-overs at once give out exactly three; a key outside keeps the custody open', async () => {
  const id = await open(3);
  expect((await act(id, 'keyBack', { count: 1, person: '小周' })).message).toBe('没有借出的钥匙');
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => act(id, 'keyOut', { count: 1, person: '小周' })),
  );
  expect(answers.filter((one) => one.http === 200)).toHaveLength(3);
  expect(said(answers)).toEqual(new Set(['30101 钥匙已全部借出']));
  expect((await act(id, 'finish')).message).toBe('钥匙未归还');
  expect((await act(id, 'cancel', { reason: '不需要了' })).message).toBe('钥匙未归还');
  expect(
    (
      await product.call(
        admin,
        'GET',
        `${ROOT}/page?tab=keysOut&code=${(await product.call(admin, 'GET', `${ROOT}/${id}`)).data.code}`,
      )
    ).data.total,
  ).toBe(1);
  const back = await act(id, 'keyBack', { count: 4, person: '小周' });
  expect(back.data.fields.count).toBe('借出在外的只有 3 把');
  expect((await act(id, 'keyBack', { count: 3, person: '小周' })).data.keysOut).toBe(0);
  const moves = (await product.call(admin, 'GET', `/jinmao/web/custodyKey/page?custody=${id}`)).data;
  expect(moves.total).toBe(4);
  const [finished, out] = await Promise.all([
    act(id, 'finish'),
    act(id, 'keyOut', { count: 1, person: '小周' }),
  ]);
  // Whoever was second finds the custody over, or the key outside.
  expect([finished.http, out.http].filter((http) => http === 200)).toHaveLength(1);
  await expect(
    run(db(), 'UPDATE house_custody SET keys_out = 4 WHERE id = $1', [Number(id)]),
  ).rejects.toThrow(/house_custody_keys/);
});

test('the handler is told of an inspection on its day, once; the to-do counts what the tab shows', async () => {
  const id = await open(4);
  const told = async () =>
    Number(
      (await runOne<{ n: number }>(
        db(),
        `SELECT count(*)::int AS n FROM notification WHERE kind = 'custodyInspection' AND row_ids = ARRAY[$1::bigint]`,
        [Number(id)],
      ))!.n,
    );
  await job('custody.inspect_due');
  expect(await told()).toBe(0);
  await run(
    db(),
    `UPDATE house_custody SET next_inspection_on = (now() AT TIME ZONE 'Asia/Shanghai')::date WHERE id = $1`,
    [Number(id)],
  );
  await Promise.all([job('custody.inspect_due'), job('custody.inspect_due')]);
  await job('custody.inspect_due');
  expect(await told()).toBe(1);
  const todo = product.platform.registrations
    .flatMap((one) => one.todos ?? [])
    .find((one) => one.kind === 'custodyInspection')!;
  const counted = await todo.count({ caller: await product.caller('admin'), platform: product.platform });
  expect(counted.count).toBe((await product.call(admin, 'GET', `${ROOT}/page?tab=due`)).data.total);
});

test('staff of another project see neither the custody nor its parts, its houses nor its residents', async () => {
  const id = await open(5);
  await act(id, 'keyOut', { count: 1, person: '小周' });
  const staff = await runOne<{ id: number }>(
    db(),
    `INSERT INTO staff (tenant_id, account, name, all_projects, must_change_password)
     SELECT id, 'custodian', '同事', false, false FROM tenant WHERE kind = 3 LIMIT 1 RETURNING id`,
  );
  await run(
    db(),
    'INSERT INTO staff_project (staff_id, project_id) SELECT $1, id FROM project WHERE id <> $2 ORDER BY id LIMIT 1',
    [staff!.id, Number(places[5]!.project)],
  );
  await grantMenu(db(), staff!.id, 'cs_escrow');
  await run(
    db(),
    `INSERT INTO element_grant (group_id, element_code) SELECT m.group_id, e.code FROM group_member m, element e
      WHERE m.staff_id = $1 AND e.code LIKE 'cs_escrow:%'`,
    [staff!.id],
  );
  const token = await product.signIn('custodian');
  expect((await product.call(token, 'GET', `${ROOT}/${id}`)).http).toBe(404);
  expect((await act(id, 'finish', {}, token)).http).toBe(404);
  expect((await product.call(token, 'GET', `/jinmao/web/custodyKey/page?custody=${id}`)).data.total).toBe(0);
  expect((await product.call(token, 'POST', ROOT, form(6))).http).toBe(404);
  const offered = await product.call(
    token,
    'GET',
    `/jinmao/web/options/custodyApplicant?within=${places[5]!.house}`,
  );
  expect(offered.data.rows ?? offered.data).toEqual([]);
});
